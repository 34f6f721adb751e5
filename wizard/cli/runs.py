"""`diskwright keep`, `undo`, `resume` and `look`: end, continue or inspect a run."""

import shlex
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from wizard.apply.engine.record import Phase
from wizard.apply.plan.rehearsed import check_keeps, is_rehearsed, wants_passphrase
from wizard.apply.plan.run import still_writes_over
from wizard.apply.plan.run_summary import as_options
from wizard.apply.run.job import check_root, check_tokens
from wizard.apply.run.journal import read_entries, state
from wizard.apply.run.load import load
from wizard.apply.run.runs import RunKind, kind_of, load_plan, run_argument
from wizard.apply.run_control import LEFT_OFF, keep, phase_now, resume, undo
from wizard.cli.command import typed
from wizard.cli.follow import narrate
from wizard.cli.output import say
from wizard.cli.passphrase import ONLY_ENCRYPTED, passphrase_for
from wizard.cli.select_run import choose_run, tell_drives
from wizard.model.errors import BadInput, ExitCode, Failed, Refused, printable
from wizard.model.said import Sentence, t
from wizard.plan.plan import Plan
from wizard.plan.request.encryption import OPENED_TO_KEEP
from wizard.plan.undo_policy import losses

EITHER = t("Name either a run or --from-drive DEVICE, not both.")


def keep_run(arguments: Namespace) -> ExitCode:
    """Show the drives and keep the run, or finish a run from a drive's recovery label."""
    if arguments.from_drive is not None:
        if arguments.run is not None:
            raise BadInput(EITHER)
        from wizard.cli.lost_run import keep_from_drive

        keep_from_drive(
            arguments.from_drive, arguments.confirm or (), arguments.journal, arguments.passphrase_file
        )
        return ExitCode.DONE
    if arguments.confirm:
        raise BadInput(t("--confirm requires --from-drive: a run identifies the drives."))
    run = choose_run(arguments.run, "keep", arguments.journal)
    check_root()
    tell_drives(run)
    say(keep(run, _passphrase_to_keep(run, arguments.passphrase_file)))
    return ExitCode.DONE


def _passphrase_to_keep(run: Path, file: str | None) -> bytes | None:
    """Return the passphrase for the run's encrypted volumes, or None if keeping opens no volume. Raises as
    `passphrase_for` does."""
    if kind_of(run) is not RunKind.PLAN:
        if file is not None:
            raise BadInput(ONLY_ENCRYPTED)
        return None
    plan = load_plan(run)
    if file is None:
        if not plan.takes_passphrase or not is_rehearsed(run):
            return None
        check_keeps(run)
        if not wants_passphrase(run, plan, keeps=True):
            return None
        say(OPENED_TO_KEEP)
    return passphrase_for(plan, file, anew=False)


def undo_run(arguments: Namespace) -> ExitCode:
    """Show the drives, then undo the run."""
    run = choose_run(arguments.run, "undo", arguments.journal)
    check_root()
    tell_drives(run)
    say(undo(run, over_changes=arguments.over_changes, tokens=arguments.confirm or []))
    return ExitCode.DONE


def look(arguments: Namespace) -> ExitCode:
    """Show the result of a waiting run until Enter is pressed."""
    from wizard.apply.plan.readonly_look import looked_at

    run = choose_run(arguments.run, "look", arguments.journal)
    check_root()
    with looked_at(run) as shown:
        say(t("Result of run {run}, read-only:", run=run.name))
        for one in shown.shown:
            say(
                t(
                    "    {node}: scratch copy of {device}, {filesystem}",
                    node=one.node,
                    device=one.device,
                    filesystem=one.filesystem,
                )
            )
            if one.mount:
                say(f"        sudo {shlex.join(one.mount)} /mnt")
        say(
            t(
                "Mount it in another terminal, on an unused directory. Press Enter to unmount and end. "
                "`diskwright keep {run}` and `diskwright undo {run}` wait until then.",
                run=run_argument(run),
            )
        )
        # A program may still use the scratch copy.
        while sys.stdin.readline():
            try:
                shown.end()
                break
            except Failed as error:
                say(str(error), t("Stop the programs using it, then press Enter again."))
    say(t("The scratch copy is closed. Nothing was written."))
    return ExitCode.DONE


def resume_run(arguments: Namespace) -> ExitCode:
    """Show the drives, resume the run and follow the run."""
    tokens = tuple(arguments.confirm or ())
    if arguments.from_drive is not None:
        if arguments.run is not None:
            raise BadInput(EITHER)
        return _resume_from_drive(arguments.from_drive, tokens, arguments.journal)
    run = choose_run(arguments.run, "resume", arguments.journal)
    check_root()
    if arguments.passphrase_file is not None and kind_of(run) is not RunKind.PLAN:
        raise BadInput(ONLY_ENCRYPTED)
    seen = len(read_entries(run))
    tell_drives(run)
    document = load(run)
    if isinstance(document, Plan):
        _resume_plan(run, tokens, arguments.passphrase_file)
    else:
        if tokens:
            check_tokens(document, tokens)
        resume(run)
    return narrate(run, seen)


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
            say("   ", t("step {number} remains:", number=number), printable(step.sentence, 400))
            if step.destroys:
                say("       ", t("destroys {what}", what=step.destroys))
        says = (
            Sentence("Continuing run {run} overwrites the content of {drives:list}.")
            if losses(plan) or not plan.part
            else Sentence("Continuing run {run} still writes to {drives:list}, and preserves every file.")
        )
        unconfirmed = t("This command made no changes. If the drive is correct, confirm it:")
        again = typed("resume", run_argument(run), as_options(plan.tokens)).strip()
        raise Refused(f"{says(run=run.name, drives=plan.paths)} {unconfirmed} {again}")
    if tokens:
        check_tokens(plan, tokens)
    wanted = file is not None or wants_passphrase(run, plan)
    # The rehearsal creates encrypted volumes again.
    anew = phase_now(run) is Phase.REHEARSING
    resume(run, passphrase_for(plan, file, anew=anew) if wanted else None)
