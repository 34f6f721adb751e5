"""How a run ended, as text."""

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from wizard.apply.engine.record import Phase
from wizard.apply.plan.steps_told import SETTLED, goes_on, result_sentence, undo_sentence
from wizard.apply.run.journal import RunState
from wizard.apply.run.runs import called
from wizard.model.journal import Entry, Event
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.tui.widgets.words import Block, gap, para

INKS = {
    RunState.DONE: "green",
    RunState.FAILED: "red",
    RunState.STOPPED: "yellow",
    RunState.REFUSED: "yellow",
    RunState.INTERRUPTED: "red",
    RunState.RUNNING: "cyan",
    RunState.UNDONE: "green",
    RunState.KEPT: "green",
    RunState.WAITING: "cyan",
}


def result_words(plan: Plan, state: RunState, phase: Phase | None) -> tuple[str, str]:
    """A sentence and its colour; `phase` is how far a rehearsed run is."""
    return result_sentence(plan, state, phase), INKS[state]


def result_blocks(
    plan: Plan,
    run: Path,
    state: RunState,
    entries: Sequence[Entry],
    phase: Phase | None,
    *,
    demo: bool = False,
) -> list[Block]:
    """Checks one by one, the steps that are missing, the journal, and the ways on."""
    blocks = settled_blocks(entries) if state is RunState.UNDONE else check_blocks(entries)
    if state not in SETTLED:
        blocks += step_blocks([step.sentence for step in plan.steps], entries)
        blocks += [
            para(printable(entry.sentence, 400), "red")
            for entry in entries
            if entry.event in (Event.FAILED, Event.REFUSED)
        ]
        blocks.append(gap())
    blocks.append(para(f"Journal: {printable(str(run), 200)}", hang=9))
    if state is not RunState.WAITING:
        blocks.append(para(undo_sentence(plan, run, state, entries, phase), hang=6))
    if demo:
        blocks.append(
            para("This was the demo: the drive and its journal are taken away when the wizard ends.")
        )
        return blocks
    if goes_on(state, phase):
        blocks.append(para(f"Go on: sudo diskwright resume {called(run)}", hang=7))
    return blocks


def settled_blocks(entries: Sequence[Entry]) -> list[Block]:
    """What was said when it was kept or undone."""
    ends = [entry for entry in entries if entry.event in (Event.UNDONE, Event.KEPT)]
    return [*(para(printable(entry.sentence, 1000)) for entry in ends), gap()]


def check_blocks(entries: Sequence[Entry]) -> list[Block]:
    """What was checked afterwards, one by one."""
    checks = [entry for entry in entries if entry.event in (Event.VERIFIED, Event.NOT_VERIFIED)]
    if not checks:
        return []
    holding = sum(entry.event is Event.VERIFIED for entry in checks)
    blocks: list[Block] = [para(f"Checked afterwards: {holding} of {len(checks)} hold", "bold")]
    for entry in checks:
        word = (
            Text("[x] holds  ", "green")
            if entry.event is Event.VERIFIED
            else Text("[ ] does not hold: ", "red")
        )
        blocks.append(para(word.append(printable(entry.sentence, 400), "default"), hang=11))
        if entry.event is Event.NOT_VERIFIED and entry.output.strip():
            blocks.append(para(f"Seen: {printable(entry.output.strip(), 400)}", indent=11, hang=2))
    return [*blocks, gap()]


def step_blocks(sentences: Sequence[str], entries: Sequence[Entry]) -> list[Block]:
    """Which of the steps were done."""
    done = {entry.step for entry in entries if entry.event is Event.STEP_DONE}
    blocks: list[Block] = [para("Steps", "bold")]
    for number, sentence in enumerate(sentences, 1):
        word = Text("[x] done      ", "green") if number in done else Text("[ ] not done  ", "yellow")
        blocks.append(para(word.append(f"{number}. {printable(sentence, 200)}", "default"), hang=14))
    return [*blocks, gap()]
