"""`diskwright apply`: apply a plan exactly as shown, and follow the run until it is verified."""

import os
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from wizard.apply.plan.guard import check_read
from wizard.apply.plan.job import measure
from wizard.apply.plan.run_summary import as_options, confirmation, exit_code_of
from wizard.apply.plan.start import preflight, preflight_unprivileged, start_run, why_direct
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import check_tokens, request_stop
from wizard.apply.run.journal import RunState, follow, state
from wizard.apply.run.load import load
from wizard.apply.run.progress_log import ProgressPrinter, journal_fault, known_so_far, read_progress
from wizard.apply.run.runs import doubts_about, run_argument, runs_folder
from wizard.cli.command import CommandParser, plain, root
from wizard.cli.confirm_start import begin_heeding
from wizard.cli.passphrase import out, passphrase_for, say
from wizard.cli.select_run import NEEDS_ROOT, OTHER_FSTAB, drive_message
from wizard.documents.codec import LARGEST_DOCUMENT_CHARACTERS, kind_in
from wizard.documents.files import read_file
from wizard.model.errors import BadInput, ExitCode, Failed, Refused, printable
from wizard.model.ext import Event, JournalEntry
from wizard.model.said import Sentence, t, tn
from wizard.plan.check import read_plan
from wizard.plan.plan import Plan
from wizard.plan.preview import danger_of
from wizard.plan.raid.striping import mirror_note
from wizard.plan.rehearsed import direct_reason
from wizard.plan.steps.render import described_for_fstab
from wizard.plan.undo_policy import WORD, lost_when, promise, shows_nothing

NO_ROOM = t("Nothing was written. To continue without undo, confirm that too:")
NOT_FOLLOWED = Sentence("Run {run} can no longer be followed.")
CUT_OFF = t("The background process ended before the run was complete.")
RESUME = Sentence("`diskwright resume {run}` continues.")

FSTAB = "/etc/fstab"


def parser() -> ArgumentParser:
    """`diskwright apply PLAN.json --confirm TOKEN [--dry-run] [--passphrase-file FILE] [--journal DIR]
    [--fstab FILE]`."""
    made = CommandParser(
        "apply",
        (
            plain("apply", "media.json", "--dry-run"),
            root("apply", "media.json", "--confirm", "WD-WX11A2345678"),
            root("apply", "media.json", "--confirm", "sdb", "--journal", "/media/stick"),
            root("apply", "media.json", "--confirm", "WD-WX11A2345678", "--keep"),
            root("apply", "private.json", "--confirm", "sdb", "--passphrase-file", "/run/passphrase"),
            root("apply", "striped.json", "--confirm", "WD-WX11A2345678", "--confirm", "WD-WX11A2345679"),
            root("apply", "better.json", "--confirm", "WD-WX11A2345678"),
        ),
        (
            t(
                "TOKEN is the drive's serial number, or the device name if the drive has "
                "none. `diskwright show media.json` displays the token. A plan for several "
                "drives needs the token of each drive."
            ),
            t(
                "All checks run again before the first write, and a changed drive is "
                "refused. The steps are rehearsed on a scratch copy, the old bytes are "
                "saved, then the drive is written."
            ),
            t(
                "An empty drive is used right away. A drive with data waits: `diskwright "
                "keep` makes the result permanent, `diskwright undo` restores the old "
                "content, bit for bit. --keep skips the wait and makes undo impossible."
            ),
            t(
                "Plans for zoned drives write directly to the drive, as announced. Undo then "
                "works until the first filesystem is created."
            ),
            t(
                "`apply` and `keep` ask for the passphrase of encrypted volumes, unless "
                "--passphrase-file is given."
            ),
            t(
                "A background process does the work, even if you close the terminal. Ctrl+C "
                "stops it before the next step. `diskwright status` shows progress."
            ),
        ),
    )
    made.add_argument("plan", metavar="PLAN.json", help=str(t("a file saved with -o")))
    made.add_argument(
        "--confirm",
        metavar="TOKEN",
        action="append",
        help=str(t("the drive's serial number, to confirm the right drive; one for each drive")),
    )
    made.add_argument(
        "--keep", action="store_true", help=str(t("do not wait for `keep`; undo is then impossible"))
    )
    made.add_argument(
        "--dry-run",
        action="store_true",
        help=str(t("run all checks and print all commands, without writing")),
    )
    made.add_argument(
        "--passphrase-file",
        metavar="FILE",
        help=str(t("read the passphrase from this file, or from stdin for -; a final newline is ignored")),
    )
    made.add_journal(t("folder for runs, not on the target drive (/var/lib/diskwright/runs)"))
    made.add_argument("--fstab", metavar="FILE", default=FSTAB, help=str(OTHER_FSTAB))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Check the plan, start the run and follow the run."""
    text, shown = read_document(Path(arguments.plan))
    if (begin := _other_than_plan(text, shown)) is not None:
        if arguments.passphrase_file is not None:
            raise BadInput(t("--passphrase-file applies only to plans and runs that encrypt."))
        begun = begin(arguments, partial(as_root, arguments))
        return begun if isinstance(begun, ExitCode) else narrate(begun)
    journal_dir = arguments.journal
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    plan = described_for_fstab(read_plan(text, shown), str(environment.fstab))
    check_read(plan)
    if arguments.dry_run:
        return dry_run(plan, journal_dir, environment, keep=arguments.keep)
    if arguments.confirm is None:
        said = tn(
            "Nothing was written. This would change {drives:list}; `diskwright show` "
            "lists the losses. To continue, confirm the drive with:",
            "Nothing was written. This would change {drives:list}; `diskwright show` "
            "lists the losses. To continue, confirm each drive with:",
            drives=plan.paths,
            count=len(plan.paths),
        )
        raise Refused(f"{said} {confirmation(plan)}")
    if os.geteuid() != 0:
        check_tokens(plan, arguments.confirm)
        raise Refused(f"{NEEDS_ROOT}  {as_root(arguments)}")
    for line in destroyed(plan, why_direct(plan, runs_folder(journal_dir)), keep=arguments.keep):
        say(line)
    for doubt in doubts_about(runs_folder(journal_dir)):
        say(doubt)
    secret = passphrase_for(plan, arguments.passphrase_file, anew=True)
    begin = partial(
        start_run,
        plan,
        *arguments.confirm,
        journal_dir=journal_dir,
        environment=environment,
        secret=secret,
        keep=arguments.keep,
    )
    return narrate(begin_heeding(begin))


Begin = Callable[[Namespace, Callable[[], str]], Path | ExitCode]
"""Function that starts the run of a document other than a plan, or returns the exit code of a dry run.
Receives a function that words the command for root."""


def _other_than_plan(text: str, shown: str) -> Begin | None:
    """Return the function that starts a document other than a plan. Imports only the modules of that kind."""
    match kind_in(text):
        case "diskwright.changes":
            from wizard.cli.plan_options import apply_changes
            from wizard.plan.settings.tuning import read_changes

            return partial(apply_changes, read_changes(text, shown))
        case "diskwright.migration":
            from wizard.cli.conversion import apply_migration
            from wizard.ext4.check import read_migration

            return partial(apply_migration, read_migration(text, shown))
        case "diskwright.move":
            from wizard.cli.confirm_start import apply_move
            from wizard.plan.partition.moves import read_moves

            return partial(apply_move, read_moves(text, shown))
        case "diskwright.bring":
            from wizard.cli.confirm_start import apply_bring
            from wizard.plan.copy import read_bring

            return partial(apply_bring, read_bring(text, shown))
        case _:
            return None


def as_root(arguments: Namespace) -> str:
    """Return the current command line with sudo, quoted for the shell."""
    typed = [
        "sudo",
        "diskwright",
        "apply",
        str(Path(arguments.plan)),
        *(f"--confirm={token}" for token in arguments.confirm or ()),
    ]
    if arguments.keep:
        typed.append("--keep")
    if arguments.journal:
        typed.append(f"--journal={arguments.journal}")
    if arguments.passphrase_file:
        typed.append(f"--passphrase-file={arguments.passphrase_file}")
    if arguments.fstab != FSTAB:
        typed.append(f"--fstab={arguments.fstab}")
    return " ".join(shlex.quote(printable(word, 400)) for word in typed)


def read_plan_file(path: Path) -> Plan:
    """Read a plan from a file. Raises BadInput with the reason."""
    return read_plan(*read_document(path))


def read_document(path: Path) -> tuple[str, str]:
    """Return a file's text and printable name. Raises BadInput as `read_plan_file` does."""
    shown = printable(str(path), 200)
    if path.is_dir():
        raise BadInput(
            t(
                "{file} is a directory; name a plan, such as one saved by `diskwright plan "
                "... -o plan.json`.",
                file=shown,
            )
        )
    try:
        return read_file(path, LARGEST_DOCUMENT_CHARACTERS), shown
    except FileNotFoundError:
        raise BadInput(
            t("{file} not found. Create it with `diskwright plan ... -o {file}`.", file=shown)
        ) from None


def destroyed(plan: Plan, why_direct: str = "", *, keep: bool = False) -> Iterator[str]:
    """Yield the losses, one line each, then how long undo works.

    `why_direct` is a clause that explains why the steps run directly on the drive. With `keep`, the run is
    kept without waiting.
    """
    lost = [step.destroys for step in plan.steps if step.destroys]
    yield from filter(None, (danger_of(plan), mirror_note(plan)))
    drives = tuple(drive_message(member.drive) for member in plan.members)
    yield str(
        t(
            "To be destroyed on {drives:semicolons}{when}:",
            drives=drives,
            when="" if keep else lost_when(plan, why_direct),
        )
    )
    bare = (
        t(
            "no recognised data: no table, partition or signature was found. "
            "Unrecognised bytes are overwritten."
        )
        if shows_nothing(plan)
        else t(
            "no recognised data: all recognised content is preserved. Bytes in free space are overwritten."
        )
    )
    yield from (f"    {text}" for text in lost or (bare,))
    if keep and not (why_direct or direct_reason(plan)):
        yield str(
            t(
                "The steps are rehearsed on a scratch copy first. With --keep, the result is "
                "used as soon as written; the old content is then lost."
            )
        )
    else:
        yield printable(promise(plan, why_direct), 1000)


def dry_run(
    plan: Plan, journal_dir: Path | None, environment: Environment, *, keep: bool = False
) -> ExitCode:
    """Print every step, and run all checks that the user's privileges allow."""
    # Scratch copies require root. Without root, only the plan explains a direct run.
    why = why_direct(plan, runs_folder(journal_dir)) if os.geteuid() == 0 else direct_reason(plan)
    for line in destroyed(plan, why, keep=keep):
        say(line)
    for number, step in enumerate(plan.steps, 1):
        out().print(f"{number}. {printable(step.sentence, 400)}")
        for edit in step.edits:
            out().print(f"       {printable(edit, 400)}", soft_wrap=True)
        for argv in step.commands:
            out().print(f"       {printable(shlex.join(argv), 2000)}", soft_wrap=True)
    if os.geteuid() == 0:
        preflight(plan, *plan.tokens, WORD, journal_dir=journal_dir, environment=environment)
        if not why:
            room = measure(plan, runs_folder(journal_dir), environment)
            if not room.fits:
                raise Refused(f"{room.sentence} {NO_ROOM} {as_options((WORD,))}")
            say(room.sentence)
        say(t("All preliminary checks passed. Nothing was written."))
    else:
        preflight_unprivileged(plan, environment=environment)
        say(t("The drive's content and use were not checked: this requires root. Nothing was written."))
    return ExitCode.DONE


def narrate(run: Path, after: int = 0) -> ExitCode:
    """Follow a run to the end: steps to stderr, checks to stdout.

    The first Ctrl+C stops the run before the next step, the second only stops following. Raises Failed if the
    journal becomes unreadable.
    """
    try:
        return _narrate(run, after)
    except BadInput as error:
        # The input was valid: the run has started.
        raise Failed(f"{NOT_FOLLOWED(run=run.name)} {error}") from None


def _narrate(run: Path, after: int) -> ExitCode:
    total = len(load(run).sentences)
    say(t("Run {run}.", run=run.name))
    seen = after
    stopping = False
    telling = ProgressPrinter(partial(read_progress, run), say)
    while True:
        try:
            for entry in follow(run, seen, telling):
                seen += 1
                telling.handle(entry)
                show(entry, total)
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
            say(t("Stopping after the current step, so that no step is left half done."))
    now = state(run)
    if now is RunState.INTERRUPTED:
        on = journal_fault(run) or f"{known_so_far(run)} {RESUME(run=run_argument(run))}"
        say(f"{CUT_OFF} {on}")
    return exit_code_of(now)


def show(entry: JournalEntry, total: int) -> None:
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
            out().print(f"{holds}{sentence}: {printable(entry.output, 400)}", soft_wrap=True)
        case _:
            say(sentence)
