"""Follow a run in the background, and `diskwright status`: list runs with results."""

import os
import shlex
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec import Struct

from wizard.apply.block.devices import waiting_drives
from wizard.apply.engine.record import RESUMES_RUN
from wizard.apply.plan.run_summary import exit_code_of, results
from wizard.apply.run import progress_log
from wizard.apply.run.job import Rollback
from wizard.apply.run.journal import RunState, done_steps, follow, read_entries, state
from wizard.apply.run.kinds import load
from wizard.apply.run.process import request_stop
from wizard.apply.run.runs import (
    NO_RUN,
    command_on,
    find_run,
    list_runs,
    load_plan,
    run_argument,
    runs_folder,
)
from wizard.apply.run_control import is_not_yet, job_of
from wizard.cli.command import typed
from wizard.cli.output import say, tell, width_of
from wizard.documents.codec import render_document
from wizard.model.errors import BadInput, ExitCode, Failed, printable, typed_word
from wizard.model.finding import Notice
from wizard.model.run import Event, JournalEntry
from wizard.model.said import Message, joined, t
from wizard.process.output import wrapped
from wizard.process.program import ended_by_signal

STOPPING = t("Stopping after the current step, so that no step is left half done.")

SCHEMA = "diskwright.runs/2"


class RunRow(Struct, frozen=True):
    """A run in the list. `sentence` is the last message, or more recent information. `way_back` is set for
    conversions that stay undoable, `mounted` if a mount for writing ended that. `commands` are the next
    possible ones. `not_yet`: not in use yet."""

    id: str
    folder: str
    state: RunState
    drive: str | None
    started: str | None
    steps: int | None
    steps_done: int
    sentence: str
    way_back: Rollback | None = None
    mounted: str | None = None
    commands: tuple[str, ...] = ()
    not_yet: bool = False


def status(arguments: Namespace) -> None:
    """List all runs, or show one run in detail."""
    runs = (find_run(arguments.run, arguments.journal),) if arguments.run else list_runs(arguments.journal)
    rows = sorted(
        map(row_of, reversed(runs)),
        key=lambda row: (
            row.state is not RunState.WAITING and not (row.state is RunState.DONE and row.commands)
        ),
    )
    if arguments.json:
        sys.stdout.write(render_document(SCHEMA, {"runs": rows}))
    elif not rows:
        say(NO_RUN(folder=str(runs_folder(arguments.journal))))
    else:
        if arguments.run:
            for entry in read_entries(runs[0]):
                show_entry(entry, rows[0].steps or 0)
        width = width_of(sys.stdout) if sys.stdout.isatty() else None
        for row in rows:
            tell(row_lines(row, width))
            if row.state is RunState.WAITING:
                tell([typed("look", run_argument(Path(row.folder)))])
            tell(f"    {command}" for command in row.commands)
    if not arguments.run and os.geteuid() == 0:
        _tell_waiting(rows)


def _tell_waiting(rows: Iterable[RunRow]) -> None:
    over = (RunState.UNDONE, RunState.KEPT)
    known = {path for row in rows if row.state not in over for path in (row.drive or "").split(", ")}
    for path, notice in waiting_drives(known):
        run = Path(notice.run) if "/" in notice.run else runs_folder() / notice.run
        named = typed_word(printable(notice.run, 400))
        say(waiting_words(notice, (path,)))
        for command in [f"keep {named}", f"undo {named}"] if run.is_dir() else [f"keep --from-drive {path}"]:
            say(typed(command))


def waiting_words(notice: Notice, drives: tuple[str, ...]) -> Message:
    """Describe a waiting run from the notice on its drives."""
    return t(
        "Run {run}, started {begun:moment}, is waiting on {drives:list}: {told}.",
        drives=drives,
        run=notice.run,
        begun=notice.begun,
        told=notice.told,
    )


def row_of(run: Path) -> RunRow:
    """Return the row of a run, even a damaged one."""
    drive: str | None = None
    steps: int | None = None
    try:
        document = load(run)
        drive, steps = ", ".join(document.devices), len(document.sentences)
        entries = read_entries(run)
        now = state(run)
        job = job_of(run)
        ways = job.working_commands(run, now)
        said = str(ways.direct) or _said(run, entries, now)
        if ways.why_not and not ways.direct:
            # The run's last message may name a command that no longer works.
            said = f"{said} {ways.why_not}".strip() if now is RunState.INTERRUPTED else str(ways.why_not)
    except BadInput as error:
        return RunRow(run.name, str(run), RunState.INTERRUPTED, drive, None, steps, 0, str(error))
    way_back = mounted = None
    if window := job.rollback(run):
        way_back = window.back
        if window.since:
            mounted = f"{datetime.fromtimestamp(window.since, UTC):%Y-%m-%dT%H:%M:%SZ}"
        if way_back is not Rollback.OPEN:
            said = f"{said if way_back is Rollback.UNKNOWN else ''} {window.sentence}".strip()
    return RunRow(
        run.name,
        str(run),
        now,
        drive,
        entries[0].at if entries else None,
        steps,
        len(done_steps(entries)),
        said,
        way_back,
        mounted,
        tuple(command_on(way, run) for way in ways.names),
        is_not_yet(now, job.commands(run, now)),
    )


def _said(run: Path, entries: tuple[JournalEntry, ...], now: RunState) -> str:
    """Raises BadInput."""
    job = job_of(run)
    phase = job.phase(run)
    if phase is not None and now is RunState.INTERRUPTED:
        # The last message announces a step that may not have run.
        return joined(results(load_plan(run), now, phase))
    said = entries[-1].sentence if entries else ""
    if now is not RunState.DONE and (power := job.power(run)):
        # In a running or interrupted transaction, the last message does not describe the drive.
        said = f"{said} {power}".strip()
    if (
        now is RunState.RUNNING
        and (progress := progress_log.read_progress(run)) is not None
        and progress.step not in done_steps(entries)
    ):
        said = f"{said} {progress_log.progress_sentence(progress)}"
    return said


def row_lines(row: RunRow, width: int | None) -> Iterator[str]:
    """Yield one line, or with `width` wrapped lines, the message below the columns."""
    shown = t("done, not in use yet") if row.not_yet else row.state
    known = t("{done} of {steps} steps", done=row.steps_done, steps=row.steps or "?")
    drive = printable(row.drive or "?", 30)
    columns = f"{run_argument(Path(row.folder)):<24} {shown!s:<12} {drive:<14} {known!s:<15}"
    if width is None:
        yield f"{columns} {row.sentence}"
    else:
        yield from wrapped(columns.rstrip(), width, 4)
        yield from wrapped(f"    {row.sentence}", width, 4)


def begin_heeding(start: Callable[[], Path]) -> Path:
    """Start a run. Ctrl+C waits for the start, then stops before the next step."""
    with ended_by_signal() as is_ended:
        run = start()
        if is_ended():
            request_stop(run)
            say(STOPPING)
    return run


def narrate(run: Path, after: int = 0) -> ExitCode:
    """Follow a run: steps to stderr, checks to stdout. The first Ctrl+C stops the run before the next step,
    the second only stops following. Raises Failed if the journal becomes unreadable."""
    try:
        total = len(load(run).sentences)
        say(t("Run {run}:", run=run.name))
        seen, stopping = after, False
        progress = progress_log.ProgressPrinter(partial(progress_log.read_progress, run), say)
        while True:
            try:
                for entry in follow(run, seen, progress):
                    seen += 1
                    progress.handle(entry)
                    show_entry(entry, total)
                break
            except KeyboardInterrupt:
                if stopping:
                    say(
                        t(
                            "The run continues until the current step is done. `diskwright status {run}` "
                            "shows progress.",
                            run=run_argument(run),
                        )
                    )
                    return ExitCode.INTERRUPTED
                stopping = True
                try:
                    request_stop(run)
                except Failed as error:
                    say(str(error))
                    continue
                say(STOPPING)
        now = state(run)
        if now is RunState.INTERRUPTED:
            say(
                t("The background process ended before the run was complete."),
                progress_log.journal_fault(run)
                or f"{progress_log.known_so_far(run)} {RESUMES_RUN(command='resume', run=run_argument(run))}",
            )
        return exit_code_of(now)
    except BadInput as error:
        # The input was valid: the run has started.
        said = t("Run {run} can no longer be followed.", run=run.name)
        raise Failed(f"{said} {error}") from None


def show_entry(entry: JournalEntry, total: int) -> None:
    """Print one journal entry."""
    sentence = entry.sentence
    match entry.event:
        case Event.STEP_STARTED:
            say(f"[{entry.step}/{total}] {sentence}")
        case Event.STEP_DONE | Event.STEP_FAILED | Event.SAVED:
            say(f"      {sentence}")
        case Event.COMMAND:
            say(f"      $ {shlex.join(entry.command)}" if entry.command else f"      {sentence}")
        case Event.VERIFIED | Event.NOT_VERIFIED:
            holds = "passed " if entry.event is Event.VERIFIED else "FAILED "
            seen = printable(entry.output.strip(), 400)
            tell([f"{holds}{sentence}" if seen in ("", sentence) else f"{holds}{sentence}: {seen}"])
        case _:
            say(sentence)
