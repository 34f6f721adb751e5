"""Show a document, confirm its drive, start the run and follow it to the end."""

import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from wizard.apply.plan.guard import check_read
from wizard.apply.plan.run_summary import as_options, confirmation
from wizard.apply.plan.start import preflight_unprivileged, why_direct
from wizard.apply.plan.undo_space import measure
from wizard.apply.run.backup_store import OWN_FSTAB, Environment
from wizard.apply.run.job import Start, check_tokens
from wizard.apply.run.load import SEALED, kind_for, render_any
from wizard.apply.run.runs import doubts_about
from wizard.apply.run_control import job_for
from wizard.cli.command import given_again
from wizard.cli.documents import blocks_of, read_document, warnings_of
from wizard.cli.output import deliver, page_width, say, show, tell
from wizard.cli.passphrase import ONLY_ENCRYPTED, passphrase_for
from wizard.cli.select_run import NEEDS_ROOT, drive_message
from wizard.cli.status import begin_heeding, narrate
from wizard.documents.files import write_file
from wizard.model.errors import BadInput, ExitCode, Refused, printable
from wizard.model.said import t, tn
from wizard.plan.changes import RunDocument
from wizard.plan.plan import Plan
from wizard.plan.preview import danger_of, preview_lines
from wizard.plan.raid.striping import mirror_note
from wizard.plan.steps import described_for_fstab, direct_reason
from wizard.plan.undo_policy import WORD, lost_when, promise, shows_nothing
from wizard.ui.components.reasons import command_blocks

NOT_WRITTEN = t("Nothing was written. To apply, exactly as shown:")
PASSED = t("All preliminary checks passed. Nothing was written.")


def environment_of(arguments: Namespace) -> Environment:
    """Return the environment with the fstab from `--fstab`, which `move` lacks."""
    return Environment(fstab=Path(getattr(arguments, "fstab", OWN_FSTAB)).absolute())


def offer(document: RunDocument, arguments: Namespace) -> ExitCode:
    """Show a document. With a token or as a dry run, continue as `diskwright apply` does. `-o` saves the
    document."""
    text = render_any(document)
    if (file := getattr(arguments, "output", None)) is not None:
        write_file(Path(file), text, str(t("The document")))
    if arguments.json or not arguments.dry_run:
        deliver(arguments, text, blocks_of(document))
    if arguments.confirm or arguments.dry_run:
        return begin(document, arguments)
    for warning in warnings_of(document):
        say(warning)
    say(NOT_WRITTEN)
    say(f"    {given_again(arguments)} {as_options(document.tokens)}")
    return ExitCode.DONE


def begin(document: RunDocument, arguments: Namespace) -> ExitCode:
    """Start the run of a document for one drive and follow it, or run all checks. Raises Refused without root
    or the right token."""
    how = Start(tuple(arguments.confirm or ()), arguments.journal, environment_of(arguments))
    for warning in warnings_of(document):
        say(warning)
    if arguments.dry_run:
        show(blocks_of(document))
        if os.geteuid() != 0:
            say(t("Changes since planning were not checked: this requires root. Nothing was written."))
            return ExitCode.DONE
        job_for(document).preflight(document, how)
        say(PASSED)
        return ExitCode.DONE
    if not how.tokens:
        raise unconfirmed(document, as_options(document.tokens))
    if len(how.tokens) > 1:
        raise Refused(
            t(
                "The document is for one drive: confirm once, with {option}. Nothing was written.",
                option=as_options(document.tokens),
            )
        )
    check_tokens(document, how.tokens)
    check_is_root(arguments)
    for doubt in doubts_about(how.folder):
        say(doubt)
    return narrate(begin_heeding(partial(job_for(document).start, document, how)))


def check_is_root(arguments: Namespace) -> None:
    """Raises Refused for other users, with the command line for root."""
    if os.geteuid() != 0:
        raise Refused(f"{NEEDS_ROOT}  {given_again(arguments)}")


def unconfirmed(document: RunDocument, options: str) -> Refused:
    """Return the refusal of a run that was not confirmed."""
    drives = tuple(drive.path for drive in document.drives)
    said = tn(
        "Nothing was written. This would change {drives:list}; `diskwright show` lists every step. To "
        "continue, confirm the drive with:",
        "Nothing was written. This would change {drives:list}; `diskwright show` lists every step. To "
        "continue, confirm each drive with:",
        drives=drives,
        count=len(drives),
    )
    return Refused(f"{said} {options}")


def apply(arguments: Namespace) -> ExitCode:
    """Check the plan, start the run and follow the run."""
    plan = read_document(arguments.plan)
    if not isinstance(plan, Plan):
        if arguments.passphrase_file is not None:
            raise BadInput(ONLY_ENCRYPTED)
        return begin(plan, arguments)
    how = Start(
        tuple(arguments.confirm or ()), arguments.journal, environment_of(arguments), keep=arguments.keep
    )
    plan = described_for_fstab(plan, str(how.environment.fstab))
    check_read(plan)
    if arguments.dry_run:
        return _dry_run(plan, how)
    if arguments.confirm is None:
        raise unconfirmed(plan, confirmation(plan))
    if os.geteuid() != 0:
        check_tokens(plan, arguments.confirm)
        check_is_root(arguments)
    for line in destroyed(plan, why_direct(plan, how.folder), keep=how.keep):
        say(line)
    for doubt in doubts_about(how.folder):
        say(doubt)
    how = replace(how, secret=passphrase_for(plan, arguments.passphrase_file, anew=True))
    return narrate(begin_heeding(partial(job_for(plan).start, plan, how)))


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
            "no recognised data: no table, partition or signature was found. Unrecognised bytes are "
            "overwritten."
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
                "The steps are rehearsed on a scratch copy first. With --keep, the result is used as soon "
                "as written; the old content is then lost."
            )
        )
    else:
        yield printable(promise(plan, why_direct), 1000)


def _dry_run(plan: Plan, how: Start) -> ExitCode:
    """Print every step, and run all checks that the user's privileges allow."""
    # Scratch copies require root. Without root, only the plan explains a direct run.
    why = why_direct(plan, how.folder) if os.geteuid() == 0 else direct_reason(plan)
    for line in destroyed(plan, why, keep=how.keep):
        say(line)
    show(command_blocks(plan.steps))
    if os.geteuid() != 0:
        preflight_unprivileged(plan, environment=how.environment)
        say(t("The drive's content and use were not checked: this requires root. Nothing was written."))
        return ExitCode.DONE
    job_for(plan).preflight(plan, how)
    if not why:
        room = measure(plan, how.folder, how.environment)
        if not room.fits:
            undoable = t("Nothing was written. To continue without undo, confirm that too:")
            raise Refused(f"{room.sentence} {undoable} {as_options((WORD,))}")
        say(room.sentence)
    say(PASSED)
    return ExitCode.DONE


def show_document(arguments: Namespace) -> ExitCode:
    """Check and print a document of any kind."""
    document = read_document(arguments.plan)
    if arguments.json:
        sys.stdout.write(SEALED[kind_for(document)].render_shown(document))
    elif isinstance(document, Plan):
        tell(preview_lines(document, page_width(sys.stdout)))
    else:
        show(blocks_of(document))
    return ExitCode.DONE
