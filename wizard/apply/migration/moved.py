"""How the migration of a filesystem ended, and what keeping and undoing it mean, in words: the same on every
face."""

from collections.abc import Mapping, Sequence

from wizard.apply.migration import words
from wizard.apply.run.decision import Choice, Decision, Settling
from wizard.apply.run.journal import RunState
from wizard.model.documents.migration import Means, Migration
from wizard.model.journal import Entry, Event
from wizard.model.names import printable
from wizard.model.said import Said, Sentence, in_a_row

RESULTS: Mapping[RunState, Sentence] = {
    RunState.DONE: words.RESULT_DONE,
    RunState.FAILED: words.RESULT_FAILED,
    RunState.STOPPED: words.RESULT_STOPPED,
    RunState.REFUSED: words.RESULT_REFUSED,
    RunState.INTERRUPTED: words.RESULT_INTERRUPTED,
    RunState.RUNNING: words.RESULT_RUNNING,
    RunState.KEPT: words.RESULT_KEPT,
    RunState.UNDONE: words.RESULT_UNDONE,
}

KEEPABLE = frozenset({Means.TRANSACTION, Means.DIRECT})
"""Means that hold room until they are kept or undone."""

UNDOABLE = frozenset({Means.TRANSACTION, Means.DIRECT, Means.FILES})
"""The copy has nothing to undo: what it was made from is as it was."""

HALF_DONE = frozenset({RunState.FAILED, RunState.STOPPED, RunState.INTERRUPTED})


def moved_sentence(state: RunState) -> Said:
    """How the run ended."""
    return RESULTS[state]() if state in RESULTS else words.RESULT(state=state.value)


def can_keep(migration: Migration, state: RunState) -> bool:
    """Whether there is something to let go of."""
    return state is RunState.DONE and migration.means in KEEPABLE


def can_undo(migration: Migration, state: RunState, entries: Sequence[Entry]) -> bool:
    """Whether there may be something to take back; the undoing itself looks at what is there."""
    begun = any(entry.event is Event.STEP_STARTED for entry in entries)
    return begun and migration.means in UNDOABLE and (state is RunState.DONE or state in HALF_DONE)


def look_sentence(migration: Migration) -> Said:
    """How to look at what was made without ending the way back."""
    return words.TO_LOOK(device=migration.device)


def advised_sentence(migration: Migration) -> Said:
    """How to come to the options that are advised for it."""
    return words.ADVISED(device=migration.device)


def decision_of(
    migration: Migration, state: RunState, entries: Sequence[Entry], *, closed: bool = False
) -> Decision:
    """What is left to a person about a run; `closed`: its filesystem was used since, so that it cannot be
    undone any more."""
    choices = []
    if can_keep(migration, state):
        choices.append(
            Choice(Settling.KEEP, str(words.KEEP(device=migration.device)), str(keep_sentence(migration)))
        )
    if not closed and can_undo(migration, state, entries):
        choices.append(
            Choice(Settling.UNDO, str(words.UNDO(device=migration.device)), str(undo_sentence(migration)))
        )
    both = len(choices) == len(Settling)
    return Decision(
        tuple(choices), resumes=state in HALF_DONE, look=str(look_sentence(migration)) if both else ""
    )


def keep_sentence(migration: Migration) -> Said:
    """What keeping closes."""
    if folder := migration.store or migration.undo_dir:
        ends = words.KEEP_FREES(room=migration.room_bytes, folder=printable(folder, 200))
    else:
        ends = words.KEEP_MEANS()
    return in_a_row(ends, words.FROM_THEN())


def undo_sentence(migration: Migration) -> Said:
    """What undoing closes."""
    return words.UNDO_FILE() if migration.means is Means.FILES else words.UNDO_MEANS()
