"""Resume, keep or undo a run of any kind, and describe the effect of a power cut now.

Imports only the package of the run's kind.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from wizard.apply.block.devices import is_unplugged
from wizard.apply.engine.record import GOING_BACK, RESUMES_RUN, Phase, load_record, power_sentence
from wizard.apply.engine.stores import new_file, old_file
from wizard.apply.run.job import JobRequest, RunJob, Start, await_end, hand_over
from wizard.apply.run.journal import RunState, begun_steps, fails_again, read_entries, state
from wizard.apply.run.load import document_kind, load
from wizard.apply.run.process import UNDOING, Purpose
from wizard.apply.run.progress_log import Settling, either
from wizard.apply.run.runs import RunKind, command_on, is_direct, kind_of, load_plan, run_argument
from wizard.model.errors import BadInput
from wizard.model.run import Document
from wizard.model.said import Message, Sentence, join, t
from wizard.plan.changes import RunDocument

MODULES = {
    RunKind.PLAN: ("plan.start", "plan.job"),
    RunKind.CHANGES: ("settings.start", "settings.run"),
    RunKind.MIGRATION: ("conversion.guard", "conversion.job"),
    RunKind.MOVE: ("move.recover", "move.recover"),
    RunKind.BRING: ("copy.job", "copy.job"),
}
"""The modules in `wizard/apply/` that start each kind of run, and with its `JOB`."""


class Starting(Protocol):
    """The module that starts runs of one kind of document."""

    def preflight_document(self, document: Document, how: Start) -> None:
        """Check everything that the run requires, without writing. Raises Refused or BadInput."""
        ...

    def start_document(self, document: Document, how: Start) -> Path:
        """Start a run in a detached process and return its folder. Raises Refused or BadInput."""
        ...


def starting(document: RunDocument) -> Starting:
    """Return the module that starts a document's run."""
    start, _ = MODULES[document_kind(document)]
    return cast(Starting, import_module(f"wizard.apply.{start}"))


LEFT_OFF = frozenset({RunState.FAILED, RunState.STOPPED, RunState.REFUSED, RunState.INTERRUPTED})
"""States from which a run can resume."""


SETTLED = frozenset({RunState.DONE, RunState.KEPT})
"""States in which the result is in use."""


def job_of(run: Path) -> RunJob:
    """Return the job of the run's kind."""
    _, name = MODULES[kind_of(run)]
    job = import_module(f"wizard.apply.{name}").JOB
    assert isinstance(job, RunJob)
    return job


def resume(run: Path, secret: bytes | None = None) -> None:
    """Resume an interrupted run in a detached process. Raises Refused if that is not safe.

    `secret` is the passphrase of the plan's encrypted volumes, if still needed.
    """
    hand_over(job_of(run), run, JobRequest(Purpose.APPLY, secret))


def keep(run: Path, secret: bytes | None = None) -> str:
    """Keep a run's result, after which undo is impossible, and return a summary. Raises Refused if there is
    nothing to keep, and Failed.

    `secret` is the passphrase of the plan's encrypted volumes.
    """
    return await_end(run, Purpose.KEEP, hand_over(job_of(run), run, JobRequest(Purpose.KEEP, secret)))


def undo(run: Path, *, over_changes: bool = False, tokens: Sequence[str] = ()) -> str:
    """Undo a run in a detached process, so a closed terminal cannot interrupt it. Return a summary after
    verification. Raises Refused and Failed.

    `over_changes` overwrites later changes by other programs; `tokens` confirms the drives by serial number.
    """
    asked = JobRequest(Purpose.UNDO, over_changes=over_changes, tokens=tuple(tokens))
    return await_end(run, Purpose.UNDO, hand_over(job_of(run), run, asked))


def is_not_yet(now: RunState, ways: Sequence[str]) -> bool:
    """Return True if the result of a run is not in use yet: it is waiting, or is done and can be undone."""
    return now is RunState.WAITING or (now is RunState.DONE and Settling.UNDO in ways)


PURPOSES = {"resume": Purpose.APPLY, Settling.KEEP: Purpose.KEEP, Settling.UNDO: Purpose.UNDO}


@dataclass(frozen=True, slots=True)
class NextCommands:
    """Names of the commands that can continue a run now; `why_not` if there are none."""

    names: tuple[str, ...] = ()
    why_not: Message | str = ""

    def said(self, run: Path) -> Message | str:
        """Join the command lines, or return why there are none."""
        return either(command_on(way, run) for way in self.names) or self.why_not


def left_line(run: Path, now: RunState, ways: NextCommands) -> str:
    """Describe what to do about a run when the wizard exits; empty if nothing is left to do."""
    if now is RunState.RUNNING:
        return str(t("The run {name} continues: `diskwright status` shows the progress.", name=run.name))
    if not (commands := ways.said(run)):
        return ""
    sentence = (
        Sentence("The run {name} is done, not in use yet: {commands}")
        if Settling.KEEP in ways.names
        else Sentence("The run {name} is unfinished: {commands}")
    )
    return str(sentence(name=run.name, commands=commands))


def working_ways(run: Path, now: RunState) -> NextCommands:
    """Check which commands can continue a run, without writing. Only root can check. Raises BadInput."""
    if direct := direct_report(run, now):
        is_over = not begun_steps(read_entries(run)) or is_set_up_later(run)
        return NextCommands((), "" if is_over else direct)
    names = commands_for(run, now)
    if os.geteuid():
        return NextCommands(names)
    job = job_of(run)
    faults = {name: job.why_not(run, PURPOSES[name]) for name in names}
    works = tuple(name for name in names if faults[name] is None)
    fault = next((fault for fault in faults.values() if fault), "")
    return NextCommands(works, "" if works or not fault else _with_last_resort(run, fault))


def runs_directly(run: Path) -> bool:
    """Return True if a plan works directly on the drives. Raises BadInput."""
    return kind_of(run) is RunKind.PLAN and load_record(run) is None and is_direct(run) is not False


def direct_report(run: Path, now: RunState) -> Message | str:
    """Describe how far a run got directly on the drives, and what can be done; empty for other runs, and
    before it ends. Raises BadInput."""
    if now not in LEFT_OFF or not runs_directly(run):
        return ""
    from wizard.apply.plan.run_summary import direct_left

    return direct_left(load_plan(run), read_entries(run))


def is_set_up_later(run: Path) -> bool:
    """Return True if a later plan wrote to a drive of the run."""
    from wizard.apply.plan.own_drives import later_runs

    return bool(later_runs(run))


def _with_last_resort(run: Path, fault: Message | str) -> Message | str:
    """Return why no command can continue the run, and the command that overwrites later changes."""
    if kind_of(run) is not RunKind.PLAN:
        return fault
    from wizard.apply.plan.rehearsed import working_commands
    from wizard.apply.plan.run import with_unplugged_reason

    commands = working_commands(run) if load_record(run) is not None else None
    return f"{with_unplugged_reason(load_plan(run), fault)} {commands or ''}".strip()


def next_commands(run: Path, now: RunState) -> Message | str:
    """Describe the commands that can continue an interrupted run. Empty if it was refused before the first
    write: start it again."""
    try:
        record = load_record(run) if kind_of(run) is RunKind.PLAN else None
        is_untouched = record is None or record.phase is Phase.REHEARSING
        if now is RunState.REFUSED and is_untouched and not begun_steps(read_entries(run)):
            return ""
        commands = either(command_on(way, run) for way in commands_for(run, now))
        paths = load_plan(run).paths if kind_of(run) is RunKind.PLAN else ()
        if commands and (gone := tuple(filter(is_unplugged, paths))):
            return t("Reattach {drives:list}; then {commands}", drives=gone, commands=commands)
        if record is not None:
            from wizard.apply.plan.rehearsed import next_commands as of_rehearsed

            return of_rehearsed(run)
        if runs_directly(run):
            from wizard.apply.plan.run_summary import direct_end

            return direct_end(load_plan(run), read_entries(run))
        ways = working_ways(run, now).names
    except BadInput:
        ways = ()
    says = {
        "resume": partial(RESUMES_RUN, command="resume"),
        Settling.KEEP: partial(RESUMES_RUN, command="keep"),
    }
    found = [
        says.get(name, Sentence("`diskwright undo {run}` reverts the changes."))(run=run_argument(run))
        for name in ways
    ]
    return join(*found) if found else t("`diskwright status {run}` shows the run.", run=run_argument(run))


def commands_for(run: Path, now: RunState) -> tuple[str, ...]:
    """Return the names of commands that can continue a run, judged by its state and files. Raises
    BadInput."""
    if now is RunState.WAITING:
        return _with_saved_data(run, tuple(Settling))
    if now is RunState.DONE:
        return job_of(run).commands_when_done(run)
    if now not in LEFT_OFF or runs_directly(run):
        return ()
    phase = phase_now(run)
    if phase in (Phase.UNDONE, Phase.LEFT):
        return ()
    if phase is Phase.HIDDEN and (record := load_record(run)) is not None and not record.blank:
        # All data is written, so the result is still waiting, whatever failed later.
        return _with_saved_data(run, tuple(Settling))
    if phase in GOING_BACK or (run / UNDOING).exists():
        return ("undo",)
    if phase in (Phase.RELEASED, Phase.KEPT):
        return ("resume",)
    return _with_saved_data(run, ("undo",) if fails_again(read_entries(run)) else ("resume", "undo"))


def _with_saved_data(run: Path, ways: tuple[str, ...]) -> tuple[str, ...]:
    """Return the commands whose saved data exists. The contents are compared when the command runs."""
    record = load_record(run) if kind_of(run) is RunKind.PLAN else None
    if record is None or not record.changes:
        return ways
    numbers = range(len(record.changes))
    has_old = all(old_file(run, number).exists() for number in numbers)
    has_new = all(new_file(run, number).exists() for number in numbers)
    return tuple(way for way in ways if (has_old if way == "undo" else has_new))


def power_now(run: Path) -> str:
    """Describe the effect of a power cut now; empty if unknown or the run is over. Raises BadInput."""
    record = load_record(run)
    if record is None:
        return _power_directly(run) or job_of(run).power(run)
    if record.phase is Phase.KEPT and state(run) in SETTLED:
        return ""
    if record.phase is Phase.HIDDEN and record.changes and not _with_saved_data(run, tuple(Settling)):
        return ""
    return power_sentence(record.phase, ", ".join(load(run).devices), waits=record.waits)


def _power_directly(run: Path) -> str:
    if state(run) is not RunState.RUNNING or not runs_directly(run):
        return ""
    return str(
        t(
            "After a power cut now, {drives:list} must be set up again: this run cannot be resumed.",
            drives=load_plan(run).paths,
        )
    )


def phase_now(run: Path) -> Phase | None:
    """Return the phase of a rehearsed plan that waits for keep or undo, or None for other runs. Raises
    BadInput."""
    record = load_record(run)
    return None if record is None or not record.waits else record.phase


def power_text(run: Path) -> str:
    """Return `power_now` for display; empty if the record is damaged."""
    try:
        return power_now(run)
    except BadInput:
        return ""


def phase_or_none(run: Path) -> Phase | None:
    """Return `phase_now` for display; None if the record is damaged."""
    try:
        return phase_now(run)
    except BadInput:
        return None
