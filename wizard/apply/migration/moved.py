"""How the migration of a filesystem ended, and what keeping and undoing it mean, in words: the same on every
face."""

from collections.abc import Mapping, Sequence

from wizard.apply.migration import words
from wizard.apply.run.decision import Choice, Decision, Settling
from wizard.apply.run.journal import RunState
from wizard.model.documents.migration import Means, Migration
from wizard.model.journal import Entry, Event
from wizard.model.names import printable
from wizard.model.said import Said, Sentence, in_a_row, t

RESULTS: Mapping[RunState, Sentence] = {
    RunState.DONE: Sentence("The filesystem is as it was planned, and was checked."),
    RunState.FAILED: Sentence("A step failed; the steps behind it were not begun."),
    RunState.STOPPED: Sentence("The run stopped between two steps."),
    RunState.REFUSED: Sentence("The run was refused before its first write. The filesystem is as it was."),
    RunState.INTERRUPTED: Sentence("The run ended without finishing."),
    RunState.RUNNING: words.RESULT_RUNNING,
    RunState.KEPT: Sentence("The new filesystem is kept, and can no longer be undone."),
    RunState.UNDONE: Sentence("The migration was undone: the filesystem is as it was before."),
}

KEEPABLE = frozenset({Means.TRANSACTION, Means.DIRECT})
"""Means that hold room until they are kept or undone."""

UNDOABLE = frozenset({Means.TRANSACTION, Means.DIRECT, Means.FILES})
"""The copy has nothing to undo: what it was made from is as it was."""

HALF_DONE = frozenset({RunState.FAILED, RunState.STOPPED, RunState.INTERRUPTED})


def moved_sentence(state: RunState) -> Said:
    """How the run ended."""
    return RESULTS[state]() if state in RESULTS else t("The run is {state}.", state=state.value)


def can_keep(migration: Migration, state: RunState) -> bool:
    """Whether there is something to let go of."""
    return state is RunState.DONE and migration.means in KEEPABLE


def can_undo(migration: Migration, state: RunState, entries: Sequence[Entry]) -> bool:
    """Whether there may be something to take back; the undoing itself looks at what is there."""
    begun = any(entry.event is Event.STEP_STARTED for entry in entries)
    return begun and migration.means in UNDOABLE and (state is RunState.DONE or state in HALF_DONE)


def look_sentence(migration: Migration) -> Said:
    """How to look at what was made without ending the way back."""
    return t(
        "To look at it, say `mount -o ro,noload {device} /mnt`, and `umount /mnt` "
        "before it is undone. A mount for writing, without these options, ends the "
        "way back.",
        device=migration.device,
    )


def advised_sentence(migration: Migration) -> Said:
    """How to come to the options that are advised for it."""
    return t(
        "`diskwright tune {device} --workload ID` tells which options suit its use, "
        "and can set them; `diskwright workloads` lists the IDs.",
        device=migration.device,
    )


def decision_of(
    migration: Migration, state: RunState, entries: Sequence[Entry], *, closed: bool = False
) -> Decision:
    """What is left to a person about a run; `closed`: its filesystem was used since, so that it cannot be
    undone any more."""
    choices = []
    if can_keep(migration, state):
        choices.append(
            Choice(
                Settling.KEEP,
                str(t("Keep the new filesystem on {device}?", device=migration.device)),
                str(keep_sentence(migration)),
            )
        )
    if not closed and can_undo(migration, state, entries):
        choices.append(
            Choice(
                Settling.UNDO,
                str(t("Undo the conversion of {device}?", device=migration.device)),
                str(undo_sentence(migration)),
            )
        )
    both = len(choices) == len(Settling)
    return Decision(
        tuple(choices), resumes=state in HALF_DONE, look=str(look_sentence(migration)) if both else ""
    )


def keep_sentence(migration: Migration) -> Said:
    """What keeping closes."""
    if folder := migration.store or migration.undo_dir:
        ends = t(
            "Keeping ends the way back and frees {room:size} in {folder}.",
            room=migration.room_bytes,
            folder=printable(folder, 200),
        )
    else:
        ends = t("Keeping ends the way back.")
    return in_a_row(ends, t("From then on the filesystem is mounted and used as any other."))


def undo_sentence(migration: Migration) -> Said:
    """What undoing closes."""
    return (
        t("Undoing puts the file back as it was.")
        if migration.means is Means.FILES
        else t(
            "Undoing brings the filesystem back to the bit, as it was before. That is "
            "possible as long as nobody has mounted it for writing. Once it is undone, "
            "the new one is gone."
        )
    )
