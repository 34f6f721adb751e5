"""Read, save and show documents of any kind; confirm the drives, then start and follow a run.

A passphrase comes from the terminal or a file, and is not stored.
"""

import os
import resource
import sys
from argparse import Namespace
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.plan.run_summary import as_options
from wizard.apply.run import kinds
from wizard.apply.run.backup_store import OWN_FSTAB, Environment
from wizard.apply.run.job import Start
from wizard.apply.run_control import job_for
from wizard.cli.command import NEEDS_ROOT, NOT_FOUND, NOT_WRITTEN, given_again
from wizard.cli.output import Document, deliver, save, say, show
from wizard.cli.status import begin_heeding, narrate
from wizard.documents import files
from wizard.documents.codec import FAULT_IN, LARGEST_DOCUMENT_CHARACTERS
from wizard.documents.files import UNREADABLE
from wizard.host.services import NOTHING, Services
from wizard.model.errors import BadInput, ExitCode, Refused, printable
from wizard.model.said import Message, failing, t
from wizard.plan.changes import RunDocument
from wizard.plan.documents import PLANS
from wizard.plan.plan import LOST, Plan
from wizard.plan.request import encryption
from wizard.plan.text import WORD
from wizard.probe import pool
from wizard.process.output import no_echo
from wizard.process.program import remember
from wizard.ui.jobs.in_place import job_of
from wizard.ui.messages import WEAK
from wizard.ui.view import Blocks

NOT_GIVEN = t("No passphrase was entered. Nothing was written.")

TRIES = 3
TERMINAL = "/dev/tty"


def passphrase_for(document: RunDocument, file: str | None, *, anew: bool) -> bytes | None:
    """Return the passphrase for the encrypted volumes of a document, from `file` (`-` for stdin) or a prompt,
    twice if new (`anew`). Raises BadInput if the file is unreadable, does not apply or is invalid, Refused
    without a terminal or valid answer."""
    check_applies(document, file)
    if anew and document.encrypted:
        say(LOST)
    if not document.takes_passphrase:
        return None
    # Neither core dumps nor the probe server, a fork, may contain the passphrase.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pool.begin()
    secret = _asked(document, anew=anew) if file is None else _read(file)
    if anew and (warning := encryption.passphrase_warning(secret)):
        say(warning)
    return secret


def check_applies(document: RunDocument, file: str | None) -> None:
    """Raises BadInput for a passphrase file without use."""
    if file is not None and not document.takes_passphrase:
        raise BadInput(t("No passphrase is needed here; remove --passphrase-file."))


def _read(file: str) -> bytes:
    with failing(UNREADABLE, BadInput, file=file):
        if file == "-":
            content = sys.stdin.buffer.read(encryption.LARGEST_BYTES + 2)
        else:
            with Path(file).open("rb") as opened:
                content = opened.read(encryption.LARGEST_BYTES + 2)
    # A newline at the end does not belong to the passphrase.
    secret = content.removesuffix(b"\n")
    if fault := encryption.passphrase_fault(secret):
        raise BadInput(FAULT_IN(file=file, why=WEAK(fault=fault)))
    return secret


def _asked(document: RunDocument, *, anew: bool) -> bytes:
    devices = document.encrypted
    try:
        os.close(os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        raise Refused(
            t(
                "No terminal is available for the passphrase of {devices:and}. Use --passphrase-file FILE.",
                devices=devices,
            )
        ) from None
    for _ in range(TRIES):
        secret = _typed(t("Passphrase for {devices:list} (hidden):", devices=devices))
        if fault := encryption.passphrase_fault(secret):
            say(WEAK(fault=fault))
        elif anew and _typed(t("Repeat the passphrase:")) != secret:
            say(t("The passphrases do not match."))
        else:
            return secret
    raise Refused(NOT_GIVEN)


def _typed(prompt: Message) -> bytes:
    """Prompt on the terminal without echo, even if the streams are redirected."""
    with Path(TERMINAL).open("r+b", buffering=0) as terminal:
        with no_echo(terminal):
            terminal.write(f"{prompt} ".encode())
            line = terminal.readline()
        terminal.write(b"\n")
    if not line:
        raise Refused(NOT_GIVEN)
    return line.removesuffix(b"\n")


def page_of(document: RunDocument, *, keep: bool = False) -> Blocks:
    """Yield the text of a document. `keep`: as with `apply --keep`."""
    return job_of(Services(NOTHING), document, keep=keep).page()


def show_document(arguments: Namespace) -> Document:
    """Check and describe a document of any kind."""
    document = kinds.read_any(*read_text(arguments.plan))
    return kinds.kind_for(document).documents.render_shown(document), page_of(document)


def read_plan_file(name: str) -> Plan:
    """Read a plan. Raises BadInput."""
    return PLANS.read(*read_text(name))


def read_text(name: str, command: str = "plan") -> tuple[str, str]:
    """Return text and printable name of a file, or of stdin for `-`. `command` saves such files. Raises
    BadInput."""
    shown = str(t("The input")) if name == "-" else printable(name, 200)
    try:
        if name == "-":
            data = sys.stdin.buffer.read(LARGEST_DOCUMENT_CHARACTERS + 1)
            return remember(data.decode("utf-8")), shown
        return remember(files.read_file(Path(name), LARGEST_DOCUMENT_CHARACTERS)), shown
    except FileNotFoundError:
        raise BadInput(NOT_FOUND(file=shown, command=command)) from None
    except UnicodeDecodeError:
        raise BadInput(files.NO_DOCUMENT(file=shown)) from None


def environment_of(arguments: Namespace) -> Environment:
    """Return the environment with the fstab from `--fstab`, which `move` lacks."""
    return Environment(fstab=Path(getattr(arguments, "fstab", OWN_FSTAB)).absolute())


def offer(document: RunDocument, arguments: Namespace) -> ExitCode:
    """Show a document. With a token or as a dry run, continue as `apply` does."""
    request = ApplyRequest(document, arguments)
    text = kinds.render_any(document)
    if (file := getattr(arguments, "output", None)) is not None:
        save(file, text)
    deliver(arguments, text, request.job.page())
    if arguments.dry_run:
        return request.check()
    if arguments.confirm:
        return request.start()
    say(NOT_WRITTEN)
    say(f"    {given_again(arguments)} {as_options(document.tokens)}")
    return ExitCode.DONE


def apply(arguments: Namespace) -> ExitCode:
    """Check, start and follow a document of any kind."""
    document = kinds.read_any(*read_text(arguments.plan))
    check_applies(document, arguments.passphrase_file)
    job_for(document).check_document(document)
    request = ApplyRequest(document, arguments)
    if arguments.dry_run:
        show(request.job.page())
        return request.check()
    request.check_confirmed()
    show(request.job.consequences(), sys.stderr)
    return request.start()


class ApplyRequest:
    """A document to apply, with the options of the command."""

    def __init__(self, document: RunDocument, arguments: Namespace) -> None:
        keep, tokens = getattr(arguments, "keep", False), tuple(arguments.confirm or ())
        self._arguments = arguments
        self._how = Start(tokens, arguments.journal, environment_of(arguments), keep=keep)
        self._run_job = job_for(document)
        if isinstance(document, Plan):
            document = document.with_current_texts(self._how.environment.fstab)
        self.document = document
        services = Services(environment=self._how.environment, journal_dir=arguments.journal)
        self.job = job_of(services, self.document, keep=keep)

    def check(self) -> ExitCode:
        """Run all checks that the user's privileges allow."""
        if os.geteuid() != 0:
            self._run_job.preflight_unprivileged(self.document, self._how)
            say(t("The drive's content and use were not checked: this requires root. Nothing was written."))
            return ExitCode.DONE
        self._run_job.preflight(self.document, self._how)
        if self.job.rehearses():
            room = self.job.room()
            if not room.fits:
                undoable = t("Nothing was written. To continue without undo, confirm that too:")
                raise Refused(f"{room.sentence} {undoable} {as_options((WORD,))}")
            say(room.sentence)
        say(t("All preliminary checks passed. Nothing was written."))
        return ExitCode.DONE

    def check_confirmed(self) -> None:
        """Raises Refused without the tokens, or without root."""
        if not self._how.tokens:
            said = t(
                "Nothing was written. This would change {drives:list}; `diskwright show` lists every step. "
                "To continue, confirm with:",
                drives=tuple(drive.path for drive in self.document.drives),
            )
            raise Refused(f"{said} {self.job.confirmation}")
        self._run_job.check_confirmed(self.document, self._how)
        check_is_root(self._arguments)

    def start(self) -> ExitCode:
        """Start and follow the run. Raises as `check_confirmed` does."""
        self.check_confirmed()
        file = getattr(self._arguments, "passphrase_file", None)
        how = replace(self._how, secret=passphrase_for(self.document, file, anew=True))
        return narrate(begin_heeding(partial(self._run_job.start, self.document, how)))


def check_is_root(arguments: Namespace) -> None:
    """Raises Refused with the command line for root."""
    if os.geteuid() != 0:
        raise Refused(f"{NEEDS_ROOT}  {given_again(arguments)}")
