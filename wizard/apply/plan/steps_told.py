"""How a run ended, in words, the same on every face."""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from wizard.apply.engine.record import GOING_BACK, UNTOUCHED, Phase
from wizard.apply.plan.drive_digests import no_way_back
from wizard.apply.run.decision import Choice, Decision, Settling
from wizard.apply.run.journal import RunState
from wizard.apply.run.runs import called
from wizard.apply.words import DELETED, GROWN, NOT_YET, READY, READY_UNMOUNTED, SEVERAL_READY
from wizard.layout.told.inside import volume_bytes
from wizard.layout.told.promise import WORD, wants_word
from wizard.layout.wishes.encryption import OPENED_TO_KEEP
from wizard.layout.wishes.subvolumes import places_of
from wizard.layout.words import who
from wizard.model.errors import ExitCode
from wizard.model.journal import Entry, Event
from wizard.model.names import printable
from wizard.model.plan import NO_PLACE, Mount, Plan
from wizard.model.said import Said, joined

RESULTS = {
    RunState.DONE: "The drive is set up as it was shown, and was checked.",
    RunState.FAILED: "A step failed. What came before it is done, what comes after it is not.",
    RunState.STOPPED: "The run stopped between two steps. The drive is set up in part.",
    RunState.REFUSED: "The run was refused before its first write. The drive is as it was.",
    RunState.INTERRUPTED: "The run ended without finishing. The drive is set up in part.",
    RunState.RUNNING: "The run is still at work.",
    RunState.UNDONE: "The run was undone: the old table and signatures are back.",
    RunState.KEPT: (
        "Kept: the drive is in use as it was shown, and was checked. There is no way back any more."
    ),
}
"""A sentence for each state, of a run on one drive, behind its headline."""


SETTLED = frozenset({RunState.DONE, RunState.KEPT, RunState.WAITING, RunState.UNDONE})
"""All steps were carried out, or all was put back: there is nothing to be told of single steps."""


def headline(plan: Plan, state: RunState) -> tuple[Said, ...]:
    """What matters most of how a run ended: how much is ready where, for whom, or that it is not in use yet;
    nothing where it came to no such end."""
    if state is RunState.WAITING:
        return (NOT_YET(),)
    if state not in (RunState.DONE, RunState.KEPT):
        return ()
    if not plan.volumes:
        left = next((slot for slot in plan.after.partitions if slot.number == plan.part), None)
        return (GROWN(part=plan.part_path, size=left.size_bytes) if left else DELETED(part=plan.part_path),)
    used = [(volume, places_of(volume.mount_point, volume.subvolumes)) for volume in plan.volumes]
    ready = tuple(
        READY(
            size=volume_bytes(plan, at) or 0,
            places=tuple(printable(place, 200) for place in places),
            who=who(volume.writer),
        )
        for at, (volume, places) in enumerate(used)
        if places and NO_PLACE not in places
    )
    if ready:
        return ready
    if len(plan.volumes) > 1:
        return (SEVERAL_READY(volumes=len(plan.volumes), drives=plan.paths),)
    return (READY_UNMOUNTED(size=volume_bytes(plan, 0) or 0, device=plan.volumes[0].path),)


def result_sentence(plan: Plan, state: RunState, phase: Phase | None = None) -> str:
    """How the run ended; `phase` is how far a rehearsed one is, None for one whose steps ran on the drive
    directly."""
    said = RESULTS.get(state, "")
    if phase is not None:
        said = _rehearsed_result(state, phase) or said
    said = f"{joined(headline(plan, state))} {said}".strip()
    return (
        said.replace("The drive is", "The drives are").replace("old table", "old tables")
        if plan.others
        else said
    )


def _rehearsed_result(state: RunState, phase: Phase) -> str:
    """What `RESULTS` cannot say of a rehearsed run; empty where it can."""
    if state is RunState.UNDONE:
        return "The run was undone: what was there before is back, bit for bit."
    if state not in EARLY:
        return ""
    if phase in UNTOUCHED:
        return (
            f"{EARLY[state]} before anything was written: all of it was on a stand-in. The drive is as it "
            "was."
        )
    if phase in GOING_BACK:
        return (
            f"{EARLY[state]} while what was there before was being put back. The drive is barred until that "
            "is finished."
        )
    if phase in (Phase.RELEASED, Phase.KEPT):
        return f"{EARLY[state]} while it was being put to use. The drive is written as it was shown."
    return (
        f"{EARLY[state]} while the drive was being written. The drive is barred until that is finished or "
        "undone."
    )


EARLY = {
    RunState.FAILED: "The run failed",
    RunState.STOPPED: "The run stopped, as it was asked to,",
    RunState.REFUSED: "The run was refused",
    RunState.INTERRUPTED: "The run was cut off",
}
"""How a sentence begins on a run that did not come to its end."""


def undo_sentence(
    plan: Plan, run: Path, state: RunState, entries: Sequence[Entry], phase: Phase | None = None
) -> str:
    """Whether the run can be undone, and by what; `phase` as in `result_sentence`."""
    begun = frozenset(entry.step for entry in entries if entry.event is Event.STEP_STARTED)
    if phase is Phase.UNDONE or phase in UNTOUCHED:
        return "Undo: there is nothing to undo."
    if phase is Phase.KEPT:
        return "Undo: not possible any more: it is in use, and what was saved is deleted."
    if phase is not None:
        return f"Undo: sudo diskwright undo {called(run)} puts back what was there before, bit for bit."
    if state is RunState.REFUSED or not begun:
        return "Undo: there is nothing to undo."
    if final := no_way_back(plan, begun):
        lost = any(number in begun and step.destroys for number, step in enumerate(plan.steps, 1))
        return f"Undo: not possible any more, since {final} was begun" + (
            "; what lay there before is lost." if lost else "."
        )
    return f"Undo: sudo diskwright undo {called(run)} puts the old table and signatures back."


def goes_on(state: RunState, phase: Phase | None = None) -> bool:
    """Whether `resume` is the way on."""
    return state in (RunState.STOPPED, RunState.INTERRUPTED, RunState.FAILED) and phase not in GOING_BACK


def decision_of(plan: Plan, state: RunState) -> Decision:
    """What is left to a person about a run in this state, in the wizard that has begun it."""
    if state is not RunState.WAITING:
        return Decision()
    places = [
        printable(step.operation.mount_point, 200) for step in plan.steps if isinstance(step.operation, Mount)
    ]
    mounted = f", mounted at {' and '.join(places)}" if places else ""
    drive = "drives" if plan.others else "drive"
    loses = any(step.destroys for step in plan.steps)
    gone = (
        f"What the {drive} held before is lost then, and there is no way back."
        if loses
        else "There is no way back then."
    )
    kept = f"It is put to use{mounted}. {gone}"
    undone = (
        f"What the {drive} held before is put back, bit for bit, and compared. What was made is gone then."
    )
    why_secret = OPENED_TO_KEEP if plan.containers else ""
    keep = Choice(Settling.KEEP, "Keep it?", kept, why_secret)
    return Decision((keep, Choice(Settling.UNDO, "Take it back?", undone)))


def waiting_sentence(plan: Plan, name: str) -> str:
    """What a run says that waits for a decision; `name` is how a command calls it."""
    drives = ", ".join(plan.paths)
    return (
        f"Done, not yet in use: everything is on {drives}, and was read back. Nothing can be mounted from "
        f"there before you decide. `diskwright keep {name}` puts it to use; `diskwright undo {name}` puts "
        "back what was there, bit for bit."
    )


def confirmation(plan: Plan, why_direct: str = "") -> str:
    """The options that confirm every drive of the plan, and where there is no way back that one knows it, as
    a shell reads them. `why_direct` is why no stand-in can be had, as a clause."""
    return as_options((*plan.tokens, WORD) if wants_word(plan, why_direct) else plan.tokens)


def as_options(words: Iterable[str]) -> str:
    """What confirms something, as options of a command."""
    return " ".join(f"--confirm {shlex.quote(printable(word))}" for word in words)


def exit_code_of(state: RunState) -> ExitCode:
    """How a wizard ends that began a run. One that is still at work goes on by itself."""
    ends = {
        RunState.RUNNING: ExitCode.DONE,
        RunState.DONE: ExitCode.DONE,
        RunState.UNDONE: ExitCode.DONE,
        RunState.KEPT: ExitCode.DONE,
        RunState.WAITING: ExitCode.DONE,
        RunState.REFUSED: ExitCode.REFUSED,
        RunState.STOPPED: ExitCode.INTERRUPTED,
        RunState.INTERRUPTED: ExitCode.INTERRUPTED,
    }
    return ends.get(state, ExitCode.FAILED)
