"""How the migration of a filesystem ended, and what keeping and undoing it mean, in words: the same on every
face."""

from collections.abc import Mapping, Sequence

from wizard.apply.run.decision import Choice, Decision, Settling
from wizard.apply.run.journal import RunState
from wizard.model.journal import Entry, Event
from wizard.model.migration import Means, Migration
from wizard.model.names import printable
from wizard.model.units import format_capacity

RESULTS: Mapping[RunState, str] = {
    RunState.DONE: "The filesystem is as it was planned, and was checked.",
    RunState.FAILED: "A step failed; the steps behind it were not begun.",
    RunState.STOPPED: "The run stopped between two steps.",
    RunState.REFUSED: "The run was refused before its first write. The filesystem is as it was.",
    RunState.INTERRUPTED: "The run ended without finishing.",
    RunState.RUNNING: "The run is still at work.",
    RunState.KEPT: "The new filesystem is kept, and can no longer be undone.",
    RunState.UNDONE: "The migration was undone: the filesystem is as it was before.",
}

KEEPABLE = frozenset({Means.TRANSACTION, Means.DIRECT})
"""Means that hold room until they are kept or undone."""

UNDOABLE = frozenset({Means.TRANSACTION, Means.DIRECT, Means.FILES})
"""The copy has nothing to undo: what it was made from is as it was."""

HALF_DONE = frozenset({RunState.FAILED, RunState.STOPPED, RunState.INTERRUPTED})


def moved_sentence(state: RunState) -> str:
    """How the run ended."""
    return RESULTS.get(state, f"The run is {state.value}.")


def can_keep(migration: Migration, state: RunState) -> bool:
    """Whether there is something to let go of."""
    return state is RunState.DONE and migration.means in KEEPABLE


def can_undo(migration: Migration, state: RunState, entries: Sequence[Entry]) -> bool:
    """Whether there may be something to take back; the undoing itself looks at what is there."""
    begun = any(entry.event is Event.STEP_STARTED for entry in entries)
    return begun and migration.means in UNDOABLE and (state is RunState.DONE or state in HALF_DONE)


def look_sentence(migration: Migration) -> str:
    """How to look at what was made without ending the way back."""
    return (
        f"To look at it, say `mount -o ro,noload {migration.device} /mnt`, and `umount /mnt` before it is "
        "undone: a mount for writing, without these words, ends the way back."
    )


def advised_sentence(migration: Migration) -> str:
    """How to come to the options that are advised for it."""
    return (
        f"Which options suit what it is used for, `diskwright tune {migration.device} --workload ID` tells "
        "and can set; `diskwright workloads` lists the IDs."
    )


def decision_of(
    migration: Migration, state: RunState, entries: Sequence[Entry], *, closed: bool = False
) -> Decision:
    """What is left to a person about a run; `closed`: its filesystem was used since, so that it cannot be
    undone any more."""
    choices = []
    if can_keep(migration, state):
        choices.append(Choice(Settling.KEEP, "Keep the new filesystem?", keep_sentence(migration)))
    if not closed and can_undo(migration, state, entries):
        choices.append(Choice(Settling.UNDO, "Undo the migration?", undo_sentence(migration)))
    both = len(choices) == len(Settling)
    return Decision(tuple(choices), resumes=state in HALF_DONE, look=look_sentence(migration) if both else "")


def keep_sentence(migration: Migration) -> str:
    """What keeping closes."""
    folder = migration.store or migration.undo_dir
    room = (
        f" and gives {format_capacity(migration.room_bytes)} in {printable(folder, 200)} back"
        if folder
        else ""
    )
    return f"Keeping ends the way back{room}. From then on the filesystem is mounted and used as any other."


def undo_sentence(migration: Migration) -> str:
    """What undoing closes."""
    if migration.means is Means.FILES:
        return "Undoing puts the file back as it was."
    return (
        "Undoing brings the filesystem back to the bit, as it was before. That is possible as long as nobody "
        "has mounted it for writing; once it is undone, the new one is gone."
    )
