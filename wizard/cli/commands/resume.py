"""`diskwright resume`: resume an interrupted run."""

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from wizard.apply.engine.record import Phase
from wizard.apply.plan.rehearsed import wants_passphrase
from wizard.apply.plan.run import still_writes_over
from wizard.apply.plan.run_summary import as_options
from wizard.apply.run.job import check_root, check_tokens
from wizard.apply.run.journal import read_entries, state
from wizard.apply.run.load import load
from wizard.apply.run.runs import RunKind, kind_of, load_plan, run_argument
from wizard.apply.run_control import LEFT_OFF, phase_now, resume
from wizard.cli.command import CommandParser, root, typed
from wizard.cli.commands.apply import narrate
from wizard.cli.passphrase import passphrase_for, say
from wizard.cli.select_run import RUN, RUNS_IN, choose_run, tell_drives
from wizard.model.errors import BadInput, ExitCode, Refused, printable
from wizard.model.said import Message, Sentence, t
from wizard.plan.plan import Plan
from wizard.plan.undo_policy import losses

STEP_LEFT = Sentence("step {number} remains:")
DESTROYS = Sentence("destroys {what}")
UNCONFIRMED = t("This command made no changes. If the drive is correct, confirm it:")


def parser() -> ArgumentParser:
    """`diskwright resume [RUN] [--confirm TOKEN] [--passphrase-file FILE] [--journal DIR]`."""
    made = CommandParser(
        "resume",
        (
            root("resume"),
            root("resume", "0007-sdb", "--confirm", "WD-WX11A2345678"),
            root("resume", "--from-drive", "/dev/sdb"),
        ),
        (
            t(
                "Continues with the first unfinished step. The drive must be the same, and "
                "unchanged since the run ended."
            ),
            t("A waiting run is complete: use `keep` or `undo`."),
            t("A plan that ran directly on the drive cannot be resumed: set up the drive again."),
            t(
                "If the run would still write a table or create a filesystem, confirm the "
                "drive again, as in `apply`."
            ),
        ),
    )
    made.add_argument("run", metavar="RUN", nargs="?", help=str(RUN))
    made.add_argument(
        "--from-drive",
        metavar="DEVICE",
        help=str(t("continue a move from another computer, from the journal on the drive")),
    )
    made.add_argument(
        "--confirm",
        metavar="TOKEN",
        action="append",
        help=str(t("the drive's serial number, if the run would still overwrite data")),
    )
    made.add_argument(
        "--passphrase-file",
        metavar="FILE",
        help=str(t("read the passphrase from this file, or from stdin for -; a final newline is ignored")),
    )
    made.add_journal(RUNS_IN)
    return made


def main(arguments: Namespace) -> ExitCode:
    """Show the drives, resume the run and follow the run."""
    journal_dir = arguments.journal
    if arguments.from_drive is not None:
        if arguments.run is not None:
            raise BadInput(t("Name either a run or --from-drive DEVICE, not both."))
        return _resume_from_drive(arguments.from_drive, arguments.confirm or (), journal_dir)
    run = choose_run(arguments.run, "resume", journal_dir)
    check_root()
    if arguments.passphrase_file is not None and kind_of(run) is not RunKind.PLAN:
        raise BadInput(t("--passphrase-file applies only to plans and runs that encrypt."))
    seen = len(read_entries(run))
    tell_drives(run)
    _resume(run, tuple(arguments.confirm or ()), arguments.passphrase_file)
    return narrate(run, seen)


def _resume(run: Path, tokens: tuple[str, ...], passphrase_file: str | None) -> None:
    document = load(run)
    if isinstance(document, Plan):
        _resume_plan(run, tokens, passphrase_file)
        return
    if tokens:
        check_tokens(document, tokens)
    resume(run)


def _resume_from_drive(device: str, tokens: Sequence[str], journal_dir: Path | None) -> ExitCode:
    """Resume a move from the journal on the drive."""
    from wizard.apply.move.recover import found_move, make_found_run
    from wizard.plan.partition.moves import what_moves

    found = found_move(device)
    say(what_moves(found.move))
    run = make_found_run(found, tokens, journal_dir)
    resume(run)
    return narrate(run)


def _resume_plan(run: Path, tokens: tuple[str, ...], file: str | None) -> None:
    plan = load_plan(run)
    left = still_writes_over(run, plan) if state(run) in LEFT_OFF else ()
    if left and not tokens:
        for number, step in left:
            say(f"    {STEP_LEFT(number=number)} {printable(step.sentence, 400)}")
            if step.destroys:
                say(f"        {DESTROYS(what=step.destroys)}")
        says = (
            Sentence("Continuing run {run} overwrites the content of {drives:list}.")
            if losses(plan) or not plan.part
            else Sentence("Continuing run {run} still writes to {drives:list}, and preserves every file.")
        )
        raise _unconfirmed(run, says(run=run.name, drives=plan.paths), as_options(plan.tokens))
    if tokens:
        check_tokens(plan, tokens)
    wanted = file is not None or wants_passphrase(run, plan)
    # The rehearsal creates encrypted volumes again.
    anew = phase_now(run) is Phase.REHEARSING
    resume(run, passphrase_for(plan, file, anew=anew) if wanted else None)


def _unconfirmed(run: Path, does: Message, options: str) -> Refused:
    return Refused(f"{does} {UNCONFIRMED} {typed('resume', run_argument(run), options).strip()}")


def _quoted(token: str) -> str:
    return shlex.quote(printable(token))
