"""Follow a run in its background process, and print the journal."""

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

from wizard.apply.plan.run_summary import exit_code_of
from wizard.apply.run.job import request_stop
from wizard.apply.run.journal import RunState, follow, state
from wizard.apply.run.load import load
from wizard.apply.run.progress_log import ProgressPrinter, journal_fault, known_so_far, read_progress
from wizard.apply.run.runs import run_argument
from wizard.cli.output import say, tell
from wizard.model.errors import BadInput, ExitCode, Failed, printable
from wizard.model.run import Event, JournalEntry
from wizard.model.said import Sentence, t
from wizard.process.program import ended_by_signal

RESUME = Sentence("`diskwright resume {run}` continues.")


def begin_heeding(start: Callable[[], Path]) -> Path:
    """Start a run and return its folder. Ctrl+C waits for the start, then stops the run before the next
    step."""
    with ended_by_signal() as is_ended:
        run = start()
        if is_ended():
            request_stop(run)
            say(t("Ctrl+C: the run has started and will stop before the next step."))
    return run


def narrate(run: Path, after: int = 0) -> ExitCode:
    """Follow a run to the end: steps to stderr, checks to stdout.

    The first Ctrl+C stops the run before the next step, the second only stops following. Raises Failed if the
    journal becomes unreadable.
    """
    try:
        return _narrate(run, after)
    except BadInput as error:
        # The input was valid: the run has started.
        said = t("Run {run} can no longer be followed.", run=run.name)
        raise Failed(f"{said} {error}") from None


def _narrate(run: Path, after: int) -> ExitCode:
    total = len(load(run).sentences)
    say(t("Run {run}.", run=run.name))
    seen = after
    stopping = False
    progress = ProgressPrinter(partial(read_progress, run), say)
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
                        "The run continues until the current step is done. `diskwright status {run}` shows "
                        "progress.",
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
            say(t("Stopping after the current step, so that no step is left half done."))
    now = state(run)
    if now is RunState.INTERRUPTED:
        on = journal_fault(run) or f"{known_so_far(run)} {RESUME(run=run_argument(run))}"
        say(t("The background process ended before the run was complete."), on)
    return exit_code_of(now)


def show_entry(entry: JournalEntry, total: int) -> None:
    """Print one journal entry."""
    sentence = printable(entry.sentence, 2000)
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
