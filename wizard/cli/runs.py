"""`diskwright keep`, `undo`, `resume` and `look`: find a run and show the drives, then end,
continue or inspect it."""

import shlex
import sys
from argparse import Namespace
from contextlib import suppress
from pathlib import Path

from wizard.apply import run_control
from wizard.apply.engine.record import GOING_BACK, Phase, is_untouched, load_record
from wizard.apply.move.run import found_move
from wizard.apply.move.run import make_found_run as make_found_move
from wizard.apply.plan import recover
from wizard.apply.plan.identity_check import identity_difference
from wizard.apply.plan.readonly_look import looked_at
from wizard.apply.plan.rehearsed import next_commands
from wizard.apply.plan.run_drives import later_runs
from wizard.apply.plan.run_summary import DIRECT, as_options
from wizard.apply.run import journal
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.run.job import LEFT_OFF, check_root, check_tokens
from wizard.apply.run.kinds import load
from wizard.apply.run.progress_log import check_noted
from wizard.apply.run.runs import check_owner, find_run, list_runs, run_argument, runs_folder
from wizard.cli.command import typed
from wizard.cli.output import say
from wizard.cli.start import passphrase_for
from wizard.cli.status import narrate, waiting_words
from wizard.filesystems.registry import MADE
from wizard.findings.contents import contents_words
from wizard.model.errors import BadInput, DiskwrightError, ExitCode, Failed, Refused
from wizard.model.geometry import Identity
from wizard.model.said import Message, t
from wizard.plan.partition.moves import what_moves
from wizard.plan.request.encryption import OPENED_TO_KEEP
from wizard.probe.machine import probe_drive
from wizard.ui.components.drive_rows import who

OVER = frozenset({journal.RunState.UNDONE, journal.RunState.KEPT})

SETTLED_PHASES = frozenset({Phase.RELEASED, Phase.KEPT, Phase.UNDONE, Phase.LEFT})

MADE_THERE = {
    Phase.HIDDEN: t("The result of this run is waiting: everything except the signatures is written."),
    **dict.fromkeys(
        (Phase.CLEARING, Phase.REPLACING, Phase.RELEASING),
        t("The run's output is incomplete, so no tool recognises it."),
    ),
    **dict.fromkeys(GOING_BACK, t("The old content is not fully restored, so no tool recognises it.")),
}
"""Content of the drive in phases in which probing shows too little."""


def choose_run(name: str | None, command: str, journal_dir: Path | None) -> Path:
    """Return the named run, or the only open run that `command` can mean. `keep` ignores runs that wrote
    nothing, and so does `resume` if a run is half done. Raises BadInput without runs, Refused unless exactly
    one is open; several are listed with their commands."""
    newest = find_run(name, journal_dir)
    if name is not None:
        return newest
    where = runs_folder(journal_dir)
    found = [run for run in list_runs(journal_dir) if is_open(run, command)]
    wrote = [run for run in found if not _wrote_nothing(run)]
    # Not for undo, so that another run is not undone by mistake.
    if command == "keep" or (command == "resume" and not all(map(_waits, wrote))):
        found = wrote
    if not found and command == "look":
        raise Refused(
            t(
                "No run in {folder} is waiting. To inspect a filesystem converted to ext4, mount it "
                "read-only; `diskwright status` shows the command. Nothing was written.",
                folder=where,
            )
        )
    if not found and run_control.job_of(newest).is_direct(newest):
        raise Refused(DIRECT(name=newest.name))
    if not found:
        raise Refused(
            t(
                "Cannot {command}: no run in {folder} is open (newest: {newest}, {state}). `diskwright "
                "status` lists all runs. Nothing was written.",
                command=command,
                folder=where,
                newest=newest.name,
                state=journal.state(newest),
            )
        )
    if len(found) > 1:
        for run in found:
            say(f"{typed(command, run_argument(run))}    {_brief(run)}")
        raise Refused(
            t("{runs} runs are open. Use a command listed above. Nothing was written.", runs=len(found))
        )
    return found[0]


def _wrote_nothing(run: Path) -> bool:
    with suppress(BadInput):
        ended = journal.state(run) in (journal.RunState.FAILED, journal.RunState.REFUSED)
        return ended and is_untouched(run)
    return False


def _waits(run: Path) -> bool:
    with suppress(BadInput):
        return journal.state(run) is journal.RunState.WAITING
    return False


def is_open(run: Path, command: str) -> bool:
    """Return True if `command` could mean this run. Unreadable runs always match."""
    with suppress(BadInput):
        now = journal.state(run)
        return now not in OVER and run_control.job_of(run).is_meant(run, command, now)
    return True


def _brief(run: Path) -> str:
    try:
        document = load(run)
        done = len(journal.done_steps(journal.read_entries(run)))
        said = t("{done} of {steps} steps", done=done, steps=len(document.sentences))
        return f"{'; '.join(str(who(drive)) for drive in document.drives)}: {journal.state(run)}, {said}"
    except BadInput as error:
        return str(error)


def tell_drives(run: Path) -> None:
    """Print the run, the drives and their content. Raises Refused if a user other than root could have
    created the run, or the journal is not writable."""
    check_owner(run)
    check_noted(run)
    say(t("Run {run}:", run=run_argument(run)))
    waits = journal.state(run) is journal.RunState.WAITING
    # Conversions describe a hidden result themselves.
    job = run_control.job_of(run)
    known = job.phase(run)
    phase = Phase.HIDDEN if waits else known
    there, set_up_later = MADE_THERE.get(phase) if phase else None, later_runs(run)
    made = str(there) if there and not set_up_later else ""
    moved = job.relocated(run)
    for drive in load(run).drives:
        say(f"    {who(drive)}")
        now = moved[drive.path] if drive.path in moved else _content(drive, made)
        say(f"    {now}")
    for later in set_up_later:
        record = load_record(later)
        if record is not None and record.phase not in SETTLED_PHASES:
            say(
                t(
                    "Run {name} was started later and wrote to the same drive. First run `diskwright undo "
                    "{run}` or `diskwright keep {run}`.",
                    name=later.name,
                    run=run_argument(later),
                )
            )
    if known and made and not waits:
        say(next_commands(run))


def _content(known: Identity, made: str) -> Message | str:
    try:
        drive = probe_drive(known.path, seconds=LOOK_SECONDS)
    except DiskwrightError as error:
        return t("Unknown content: {why}", why=str(error))
    if difference := identity_difference(known, drive):
        return t("{path} is now a different drive: {difference}.", path=known, difference=difference)
    return made or t("Content: {what}.", what=contents_words(drive))


def _shown_run(arguments: Namespace) -> Path:
    """Raises as `choose_run` and `tell_drives` do, and Refused without root."""
    run = choose_run(arguments.run, arguments.words[0], arguments.journal)
    check_root()
    tell_drives(run)
    return run


def keep_run(arguments: Namespace) -> None:
    """Keep the run, or finish one from a drive's recovery label."""
    file = arguments.passphrase_file
    if arguments.from_drive is not None:
        _keep_from_drive(arguments)
        return
    run = _shown_run(arguments)
    document = load(run)
    opens = document.takes_passphrase and run_control.job_of(run).wants_passphrase(run, keeps=True)
    if opens and file is None:
        say(OPENED_TO_KEEP)
    secret = passphrase_for(document, file, anew=False) if opens or file is not None else None
    say(run_control.keep(run, secret))


def _keep_from_drive(arguments: Namespace) -> None:
    """Show the run and every range to write. Without tokens, stop there. Raises Refused without tokens or if
    the run's folder is here, and as `found_on` and `keep` do."""
    tokens = arguments.confirm or ()
    found = recover.found_on(arguments.from_drive, arguments.journal)
    recover.refuse_known(found, arguments.journal)
    say(waiting_words(found.labels[0].notice, found.plan.devices))
    for line in (*(who(member.drive) for member in found.plan.members), *found.differences):
        say(f"    {line}")
    say(
        t(
            "To finish, the bytes held back until now are written, and the recovery label is overwritten. "
            "Both are read back:"
        )
    )
    for path, place in found.written():
        size, start = place.size_bytes, place.start_bytes
        say(t("    {path}: {size:exact} at byte {start}", path=path, size=size, start=start))
    say(
        t(
            "No other bytes are written, and no volume is mounted. Undo is then impossible: the old content "
            "was in the run's folder. If you find that folder again, `undo` with it restores every bit."
        )
    )
    secret = passphrase_for(found.plan, arguments.passphrase_file, anew=False) if tokens else None
    run = recover.make_found_run(found, tokens, arguments.journal, Environment())
    say(t("Run {run}:", run=run.name))
    say(run_control.keep(run, secret))
    say(
        t(
            "No volume was mounted, and no fstab line was added. The old content was lost with the folder "
            "of run {found}. `diskwright status {run}` shows all checks.",
            found=found.run,
            run=run_argument(run),
        )
    )


def undo_run(arguments: Namespace) -> None:
    """Show the drives, then undo the run."""
    run, tokens = _shown_run(arguments), arguments.confirm or []
    say(run_control.undo(run, over_changes=arguments.over_changes, tokens=tokens))


def look(arguments: Namespace) -> None:
    """Show the result of a waiting run until Enter is pressed."""
    run = choose_run(arguments.run, "look", arguments.journal)
    check_root()
    with looked_at(run) as shown:
        say(t("Result of run {run}, read-only:", run=run.name))
        for real, one in zip(shown.plan.filesystems, shown.there.filesystems, strict=True):
            say(
                t(
                    "    {node}: scratch copy of {device}, {filesystem}",
                    node=one.device,
                    device=real.device,
                    filesystem=one.filesystem,
                )
            )
            if MADE[one.filesystem].mounts:
                options = ",".join(("ro", *(f"device={device}" for device in one.others)))
                say(f"        {shlex.join(('sudo', 'mount', '-o', options, one.device, '/mnt'))}")
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


def resume_run(arguments: Namespace) -> ExitCode:
    """Resume and follow the run, or a move from the journal on the drive."""
    tokens, file = tuple(arguments.confirm or ()), arguments.passphrase_file
    if arguments.from_drive is not None:
        found = found_move(arguments.from_drive)
        say(what_moves(found.move))
        run = make_found_move(found, tokens, arguments.journal)
        run_control.resume(run)
        return narrate(run)
    run = _shown_run(arguments)
    seen = len(journal.read_entries(run))
    document, job = load(run), run_control.job_of(run)
    if tokens:
        check_tokens(document, tokens)
    elif journal.state(run) in LEFT_OFF and (left := job.pending_writes(run)).steps:
        for number, step in left.steps:
            say("   ", t("step {number} remains:", number=number), step.sentence)
            if step.destroys:
                say("       ", t("destroys {what}", what=step.destroys))
        unconfirmed = t("This command made no changes. If the drive is correct, confirm it:")
        again = typed("resume", run_argument(run), as_options(document.tokens)).strip()
        raise Refused(f"{left.said} {unconfirmed} {again}")
    secret = None
    if file is not None or job.wants_passphrase(run):
        # The rehearsal creates encrypted volumes again.
        secret = passphrase_for(document, file, anew=job.phase(run) is Phase.REHEARSING)
    run_control.resume(run, secret)
    return narrate(run, seen)
