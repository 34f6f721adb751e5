"""Read a passphrase from the terminal or a file, without storing it."""

import os
import sys
from pathlib import Path

from wizard.cli.output import say
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, Refused
from wizard.model.run import Document
from wizard.model.said import Message, t, tn
from wizard.plan.request import encryption
from wizard.process.output import no_echo
from wizard.ui.messages import WEAK

NOT_GIVEN = t("No passphrase was entered. Nothing was written.")

TRIES = 3
TERMINAL = "/dev/tty"


def passphrase_for(document: Document, file: str | None, *, anew: bool) -> bytes | None:
    """Return the passphrase for the encrypted volumes of a document, from `file` (`-` for stdin) or a prompt,
    twice if new (`anew`). Raises BadInput if the file is unreadable, does not apply or is invalid, Refused
    without a terminal or valid answer."""
    check_applies(document, file)
    if anew and document.encrypted:
        say(encryption.LOST)
    if not document.takes_passphrase:
        return None
    secret = _asked(document, anew=anew) if file is None else _read(file)
    if anew and (warning := encryption.passphrase_warning(secret)):
        say(warning)
    return secret


def check_applies(document: Document, file: str | None) -> None:
    """Raises BadInput for a passphrase file without use."""
    if file is not None and not document.takes_passphrase:
        raise BadInput(
            t("The plan specifies a key file; remove --passphrase-file.")
            if document.key_file
            else t("--passphrase-file applies only to plans and runs that encrypt.")
        )


def _read(file: str) -> bytes:
    try:
        if file == "-":
            content = sys.stdin.buffer.read(encryption.LARGEST_BYTES + 2)
        else:
            with Path(file).open("rb") as opened:
                content = opened.read(encryption.LARGEST_BYTES + 2)
    except OSError as error:
        raise BadInput(UNREADABLE(file=file, why=error.strerror or "")) from None
    # A newline at the end does not belong to the passphrase.
    secret = content.removesuffix(b"\n")
    if fault := encryption.passphrase_fault(secret):
        raise BadInput(t("The passphrase in {file} {fault}. Nothing was written.", file=file, fault=fault))
    return secret


def _asked(document: Document, *, anew: bool) -> bytes:
    devices = document.encrypted
    if not _has_terminal():
        raise Refused(
            tn(
                "{devices:and} requires a passphrase, but no terminal is available. Use --passphrase-file "
                "FILE.",
                "{devices:and} require a passphrase, but no terminal is available. Use --passphrase-file "
                "FILE.",
                devices=devices,
                count=len(devices),
            )
        )
    for _ in range(TRIES):
        secret = _typed(t("Passphrase for {devices:list} (hidden):", devices=devices))
        if fault := encryption.passphrase_fault(secret):
            say(WEAK(fault=fault))
        elif anew and _typed(t("Repeat the passphrase:")) != secret:
            say(t("The passphrases do not match."))
        else:
            return secret
    raise Refused(NOT_GIVEN)


def _has_terminal() -> bool:
    try:
        os.close(os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


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
