"""Asking for a passphrase on the terminal, or reading it from a file. It is handed on, and kept nowhere."""

import os
import sys
from pathlib import Path

from wizard.faces.showing.console import say
from wizard.layout.wishes.encryption import LOST
from wizard.layout.wishes.passphrase import LARGEST_BYTES, from_file, passphrase_fault, passphrase_warning
from wizard.model.errors import BadInput, Refused
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.model.said import Said, t, tn
from wizard.tools.unseen import unseen

NOT_GIVEN = t("No passphrase was given. Nothing was written.")

TRIES = 3
TERMINAL = "/dev/tty"


def passphrase_for(plan: Plan, file: str | None, *, anew: bool) -> bytes | None:
    """The passphrase of what the plan encrypts, None where it takes none; from `file` (`-` is the input), or
    asked for, twice where it is given `anew`. Raises BadInput or Refused where there is none to be had, or
    what is given cannot be one.
    """
    if file is not None and not plan.takes_passphrase:
        raise BadInput(
            t("The plan names the file with its key; leave --passphrase-file out.")
            if plan.key_file
            else t("--passphrase-file is for a plan that encrypts, and this one does not.")
        )
    if anew and plan.containers:
        say(LOST)
    if not plan.takes_passphrase:
        return None
    secret = _asked(plan, anew=anew) if file is None else _read(file)
    if anew and (warning := passphrase_warning(secret)):
        say(warning)
    return secret


def _read(file: str) -> bytes:
    try:
        if file == "-":
            content = sys.stdin.buffer.read(LARGEST_BYTES + 2)
        else:
            with Path(file).open("rb") as opened:
                content = opened.read(LARGEST_BYTES + 2)
    except OSError as error:
        raise BadInput(
            t("{file} cannot be read: {why}.", file=printable(file, 200), why=error.strerror or "")
        ) from None
    secret = from_file(content)
    if fault := passphrase_fault(secret):
        raise BadInput(
            t(
                "The passphrase in {file} {fault}. Nothing was written.",
                file=printable(file, 200),
                fault=fault,
            )
        )
    return secret


def _asked(plan: Plan, *, anew: bool) -> bytes:
    devices = tuple(printable(one.device) for one in plan.containers)
    if not _has_terminal():
        raise Refused(
            tn(
                "{devices:and} is encrypted, and there is no terminal to ask for the "
                "passphrase. Give it by --passphrase-file FILE.",
                "{devices:and} are encrypted, and there is no terminal to ask for the "
                "passphrase. Give it by --passphrase-file FILE.",
                devices=devices,
                count=len(devices),
            )
        )
    for _ in range(TRIES):
        secret = _typed(t("Passphrase for {devices:list} (it is not shown):", devices=devices))
        if fault := passphrase_fault(secret):
            say(t("This passphrase {fault}.", fault=fault))
        elif anew and _typed(t("The same once more:")) != secret:
            say(t("That was not the same."))
        else:
            return secret
    raise Refused(NOT_GIVEN)


def _has_terminal() -> bool:
    try:
        os.close(os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _typed(prompt: Said) -> bytes:
    """What is typed on the terminal, to the byte, whatever the streams are."""
    with Path(TERMINAL).open("r+b", buffering=0) as terminal:
        with unseen(terminal):
            terminal.write(f"{prompt} ".encode())
            line = terminal.readline()
        terminal.write(b"\n")
    if not line:
        raise Refused(NOT_GIVEN)
    return line.removesuffix(b"\n")
