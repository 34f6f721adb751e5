"""How a run ended, as text."""

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from wizard.apply.journal import RunState
from wizard.model.journal import Entry, Event
from wizard.model.names import printable
from wizard.model.plan import MakeFilesystem, Plan
from wizard.tui.widgets.words import Block, gap, para


def result_words(state: RunState) -> tuple[str, str]:
    """A sentence and its colour."""
    return {
        RunState.DONE: ("The drive is set up as it was shown, and was checked.", "green"),
        RunState.FAILED: ("A step failed. What came before it is done, what comes after it is not.", "red"),
        RunState.STOPPED: ("The run stopped between two steps. The drive is set up in part.", "yellow"),
        RunState.REFUSED: ("The run was refused before its first write. The drive is as it was.", "yellow"),
        RunState.INTERRUPTED: ("The run ended without finishing. The drive is set up in part.", "red"),
        RunState.RUNNING: ("The run is still at work.", "cyan"),
        RunState.UNDONE: ("The run was undone: the old table and signatures are back.", "green"),
    }[state]


def result_blocks(plan: Plan, run: Path, state: RunState, entries: Sequence[Entry], *, demo: bool = False) -> list[Block]:
    """Checks one by one, the steps that are missing, the journal, and the ways on."""
    blocks: list[Block] = []
    checks = [entry for entry in entries if entry.event in (Event.VERIFIED, Event.NOT_VERIFIED)]
    if checks:
        holding = sum(entry.event is Event.VERIFIED for entry in checks)
        blocks.append(para(f"Checked afterwards: {holding} of {len(checks)} hold", "bold"))
        for entry in checks:
            word = Text("[x] holds  ", "green") if entry.event is Event.VERIFIED else Text("[ ] does not hold: ", "red")
            blocks.append(para(word.append(printable(entry.sentence, 400), "default"), hang=11))
            if entry.event is Event.NOT_VERIFIED and entry.output.strip():
                blocks.append(para(f"Seen: {printable(entry.output.strip(), 400)}", indent=11, hang=2))
        blocks.append(gap())
    if state is not RunState.DONE:
        blocks += _steps(plan, entries)
        blocks += [para(printable(entry.sentence, 400), "red") for entry in entries if entry.event in (Event.FAILED, Event.REFUSED)]
        blocks.append(gap())
    blocks.append(para(f"Journal: {printable(str(run), 200)}", hang=9))
    blocks.append(para(_undo(plan, run, state, entries), hang=6))
    if demo:
        blocks.append(para("This was the demo: the drive and its journal are taken away when the wizard ends."))
        return blocks
    if state in (RunState.STOPPED, RunState.INTERRUPTED, RunState.FAILED):
        blocks.append(para(f"Go on: sudo diskwright resume {run.name}", hang=7))
    return blocks


def _steps(plan: Plan, entries: Sequence[Entry]) -> list[Block]:
    done = {entry.step for entry in entries if entry.event is Event.STEP_DONE}
    blocks: list[Block] = [para("Steps", "bold")]
    for number, step in enumerate(plan.steps, 1):
        word = Text("[x] done      ", "green") if number in done else Text("[ ] not done  ", "yellow")
        blocks.append(para(word.append(f"{number}. {printable(step.sentence, 200)}", "default"), hang=14))
    return [*blocks, gap()]


def _undo(plan: Plan, run: Path, state: RunState, entries: Sequence[Entry]) -> str:
    begun = {entry.step for entry in entries if entry.event is Event.STEP_STARTED}
    formatted = any(number in begun and isinstance(step.operation, MakeFilesystem) for number, step in enumerate(plan.steps, 1))
    if state is RunState.REFUSED or not begun:
        return "Undo: there is nothing to undo."
    if formatted:
        lost = any(number in begun and step.destroys for number, step in enumerate(plan.steps, 1))
        return "Undo: not possible any more, since a filesystem was made" + ("; what lay there before is lost." if lost else ".")
    return f"Undo: sudo diskwright undo {run.name} puts the old table and signatures back."
