"""A run's journal as a record: what each step came to and how long it took, what was checked, how it
ended."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from wizard.apply.decide import Ways, is_not_yet, working_ways
from wizard.apply.run.journal import ENDS, RunState
from wizard.apply.run.runs import command_on
from wizard.model.errors import BadInput
from wizard.model.journal import Check, Entry, Event
from wizard.report.nouns import RunRecord, StepResult


def record_of(run: Path, now: RunState, entries: Sequence[Entry], steps: int, power: str = "") -> RunRecord:
    """The record of a run of so many steps, by where it stands, its journal and what a power cut would
    leave."""
    try:
        ways = working_ways(run, now)
    except BadInput:
        ways = Ways()
    ends = [entry for entry in entries if entry.event in ENDS]
    return RunRecord(
        id=run.name,
        state=str(now),
        started_at=entries[0].at if entries else None,
        ended_at=ends[-1].at if ends else None,
        ending=str(ways.why_not) or (entries[-1].sentence if entries else ""),
        steps=tuple(step_result(number, entries) for number in range(1, steps + 1)),
        checks=checks_of(entries),
        journal=tuple(entries),
        power=power,
        commands=tuple(command_on(way, run) for way in ways.names),
        not_yet=is_not_yet(now, ways.names),
    )


def step_result(number: int, entries: Sequence[Entry]) -> StepResult:
    """What became of a step: its last attempt counts."""
    started = None
    result = StepResult(number, "not begun", None, None, "")
    for entry in entries:
        if entry.step != number:
            continue
        if entry.event is Event.STEP_STARTED:
            started = entry.at
            result = StepResult(number, "begun", started, None, "")
        elif entry.event in (Event.STEP_DONE, Event.STEP_FAILED):
            word = "done" if entry.event is Event.STEP_DONE else "failed"
            result = StepResult(number, word, started, seconds_between(started, entry.at), entry.sentence)
    return result


def checks_of(entries: Sequence[Entry]) -> tuple[Check, ...]:
    """The checks of the last time that the run was checked: one that is resumed checks everything again."""
    found: list[Check] = []
    for entry in entries:
        if entry.event is Event.STARTED:
            found = []
        elif entry.event in (Event.VERIFIED, Event.NOT_VERIFIED):
            found.append(Check(entry.sentence, entry.event is Event.VERIFIED, entry.output))
    return tuple(found)


def seconds_between(start: str | None, end: str) -> float | None:
    """Return the time between two entries; None if a clock was set back, or a time is unknown or damaged."""
    if start is None:
        return None
    try:
        seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError):
        return None
    return seconds if seconds >= 0 else None
