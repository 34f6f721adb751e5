"""`diskwright keep`, `undo`, `resume` and `look`: end, continue or inspect a run."""

import shlex
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.apply.engine.record import Phase
from wizard.apply.move.recover import found_move
from wizard.apply.move.recover import make_found_run as make_found_move
from wizard.apply.plan.readonly_look import looked_at
from wizard.apply.plan.rebuild_run import make_found_run, refuse_known
from wizard.apply.plan.recover import FoundRun, found_on
from wizard.apply.plan.run_summary import as_options
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import LEFT_OFF, PendingWrites, check_root, check_tokens
from wizard.apply.run.journal import read_entries, state
from wizard.apply.run.kinds import load
from wizard.apply.run.runs import run_argument
from wizard.apply.run_control import job_of, keep, resume, undo
from wizard.cli.command import typed
from wizard.cli.output import say
from wizard.cli.passphrase import passphrase_for
from wizard.cli.select_run import choose_run, tell_drives
from wizard.cli.status import narrate
from wizard.model.errors import BadInput, ExitCode, Failed, Refused, printable
from wizard.model.said import Message, Sentence, t
from wizard.plan.changes import RunDocument
from wizard.plan.partition.moves import what_moves
from wizard.plan.request.encryption import OPENED_TO_KEEP
from wizard.ui.components.drive_rows import who

PLACE = Sentence("{path}: {size:exact} at byte {start}")

EITHER = t("Name either a run or --from-drive DEVICE, not both.")


def keep_run(arguments: Namespace) -> ExitCode:
    """Show the drives and keep the run, or finish a run from a drive's recovery label."""
    if arguments.from_drive is not None:
        if arguments.run is not None:
            raise BadInput(EITHER)
        _keep_from_drive(
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


def _keep_from_drive(
    device: str, tokens: Sequence[str], journal_dir: Path | None, passphrase_file: str | None = None
) -> None:
    """Finish the run in a drive's recovery label, and print the result. Without tokens, only show the writes.

    Raises Refused without tokens or if the run's folder is here, and as `found_on` and `keep` do.
    """
    found = found_on(device, journal_dir)
    refuse_known(found, journal_dir)
    for sentence in found_run_lines(found):
        say(sentence)
    secret = passphrase_for(found.plan, passphrase_file, anew=False) if tokens else None
    run = make_found_run(found, tokens, journal_dir, Environment())
    say(t("Finishing as run {run}:", run=run.name))
    say(keep(run, secret))
    say(
        t(
            "No volume was mounted, and no fstab line was added. The old content was lost with the folder "
            "of run {found}. `diskwright status {run}` shows all checks.",
            found=found.run,
            run=run_argument(run),
        )
    )


def found_run_lines(found: FoundRun) -> Iterator[Message | str]:
    """Yield the waiting run and every range to write, as sentences."""
    first = found.notices[0]
    yield t(
        "Run {run}, started {begun:moment}, is waiting on {drives:list}: {told}.",
        run=found.run,
        begun=first.begun,
        drives=found.plan.devices,
        told=first.told,
    )
    for member in found.plan.members:
        yield f"    {who(member.drive)}"
    yield from (f"    {printable(one, 400)}" for one in found.differences)
    yield t(
        "To finish, the withheld bytes are written, the recovery label is overwritten with zeros, and both "
        "are read back:"
    )
    for path, place in found.written():
        yield f"    {PLACE(path=path, size=place.size_bytes, start=place.start_bytes)}"
    yield t(
        "No other bytes are written, and no volume is mounted. Undo is then impossible: the old content was "
        "in the run's folder. If you find that folder again, `undo` with it restores every bit."
    )


def _passphrase_to_keep(run: Path, file: str | None) -> bytes | None:
    """Return the passphrase for the run's encrypted volumes, or None if keeping opens no volume. Raises as
    `passphrase_for` does."""
    document = load(run)
    if file is None:
        if not document.takes_passphrase or not job_of(run).wants_passphrase(run, keeps=True):
            return None
        say(OPENED_TO_KEEP)
    return passphrase_for(document, file, anew=False)


def undo_run(arguments: Namespace) -> ExitCode:
    """Show the drives, then undo the run."""
    run = choose_run(arguments.run, "undo", arguments.journal)
    check_root()
    tell_drives(run)
    say(undo(run, over_changes=arguments.over_changes, tokens=arguments.confirm or []))
    return ExitCode.DONE


def look(arguments: Namespace) -> ExitCode:
    """Show the result of a waiting run until Enter is pressed."""
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
    seen, file = len(read_entries(run)), arguments.passphrase_file
    tell_drives(run)
    document, job = load(run), job_of(run)
    if tokens:
        check_tokens(document, tokens)
    else:
        _refuse_overwriting(run, document)
    secret = None
    if file is not None or job.wants_passphrase(run):
        # The rehearsal creates encrypted volumes again.
        secret = passphrase_for(document, file, anew=job.phase(run) is Phase.REHEARSING)
    resume(run, secret)
    return narrate(run, seen)


def _resume_from_drive(device: str, tokens: Sequence[str], journal_dir: Path | None) -> ExitCode:
    """Resume a move from the journal on the drive."""
    found = found_move(device)
    say(what_moves(found.move))
    run = make_found_move(found, tokens, journal_dir)
    resume(run)
    return narrate(run)


def _refuse_overwriting(run: Path, document: RunDocument) -> None:
    """Raises Refused if resuming the run overwrites data, after a list of these steps."""
    left = job_of(run).pending_writes(run) if state(run) in LEFT_OFF else PendingWrites()
    if not left.steps:
        return
    for number, step in left.steps:
        say("   ", t("step {number} remains:", number=number), printable(step.sentence, 400))
        if step.destroys:
            say("       ", t("destroys {what}", what=step.destroys))
    unconfirmed = t("This command made no changes. If the drive is correct, confirm it:")
    again = typed("resume", run_argument(run), as_options(document.tokens)).strip()
    raise Refused(f"{left.said} {unconfirmed} {again}")
