"""How a run ended, in words, the same on every face."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from wizard.apply.plan.drive_digests import no_way_back
from wizard.apply.run.journal import RunState
from wizard.apply.run.runs import called
from wizard.model.errors import ExitCode
from wizard.model.journal import Entry, Event
from wizard.model.names import printable
from wizard.model.plan import Plan

RESULTS = {
    RunState.DONE: "The drive is set up as it was shown, and was checked.",
    RunState.FAILED: "A step failed. What came before it is done, what comes after it is not.",
    RunState.STOPPED: "The run stopped between two steps. The drive is set up in part.",
    RunState.REFUSED: "The run was refused before its first write. The drive is as it was.",
    RunState.INTERRUPTED: "The run ended without finishing. The drive is set up in part.",
    RunState.RUNNING: "The run is still at work.",
    RunState.WAITING: "Done, not yet in use. Keep it, or take it back.",
    RunState.UNDONE: "The run was undone: the old table and signatures are back.",
    RunState.KEPT: "What the run made is kept, and can no longer be undone.",
}
"""A sentence for each state, of a run on one drive."""


def result_sentence(plan: Plan, state: RunState) -> str:
    """How the run ended."""
    said = RESULTS[state]
    return said.replace("The drive is", "The drives are").replace("old table", "old tables") if plan.others else said


def undo_sentence(plan: Plan, run: Path, state: RunState, entries: Sequence[Entry]) -> str:
    """Whether the run can be undone, and by what."""
    begun = frozenset(entry.step for entry in entries if entry.event is Event.STEP_STARTED)
    if state is RunState.REFUSED or not begun:
        return "Undo: there is nothing to undo."
    if final := no_way_back(plan, begun):
        lost = any(number in begun and step.destroys for number, step in enumerate(plan.steps, 1))
        return f"Undo: not possible any more, since {final} was begun" + ("; what lay there before is lost." if lost else ".")
    return f"Undo: sudo diskwright undo {called(run)} puts the old table and signatures back."


def waiting_sentence(plan: Plan, name: str) -> str:
    """What a run says that waits for a decision; `name` is how a command calls it."""
    drives = ", ".join(plan.paths)
    return (
        f"Done, not yet in use: everything is on {drives}, and was read back. Nothing can be mounted from there before you decide. "
        f"`diskwright keep {name}` puts it to use; `diskwright undo {name}` puts back what was there, bit for bit."
    )


def confirmation(plan: Plan) -> str:
    """The options that confirm every drive of the plan, as a shell reads them."""
    return " ".join(f"--confirm {shlex.quote(printable(token))}" for token in plan.tokens)


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
