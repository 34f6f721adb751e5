"""Who called, and who is meant by a name: looked up once, when it is planned."""

import grp
import os
import pwd
from contextlib import suppress
from pathlib import Path

from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.model.operations.writer import EVERYONE, ROOT, Writer
from wizard.model.said import Sentence

LOGIN_UID = Path("/proc/self/loginuid")
NOBODY_LOGGED_IN = 2**32 - 1
"""What the kernel says where a process descends from no login (audit, login_uid)."""

GROUP = "group:"


def caller() -> Writer:
    """Who called: whoever asked for root by sudo or pkexec, else whoever logged in, else who runs this. Root
    where that is nobody whom this system knows."""
    for told in (os.environ.get("SUDO_UID"), os.environ.get("PKEXEC_UID"), _login_uid(), str(os.getuid())):
        if told is not None and told.isascii() and told.isdecimal() and int(told) < NOBODY_LOGGED_IN:
            with suppress(KeyError, OverflowError):
                return _person(pwd.getpwuid(int(told)))
    return ROOT


def _login_uid() -> str | None:
    try:
        return LOGIN_UID.read_text().strip()
    except OSError:
        return None


def writer_named(text: str) -> Writer:
    """Who is meant by `anna`, `group:family`, `everyone` or `root`; raises BadInput for a name that this
    system does not know."""
    if text == EVERYONE.kind:
        return EVERYONE
    name = text.removeprefix(GROUP)
    try:
        if name == text:
            return _person(pwd.getpwnam(name))
        found = grp.getgrnam(name)
    except (KeyError, ValueError):
        unknown = (
            Sentence("There is no user {name} here; say a user's name, group:NAME, everyone or root.")
            if name == text
            else Sentence("There is no group {name} here; say a user's name, group:NAME, everyone or root.")
        )
        raise BadInput(str(unknown(name=repr(printable(name, 40))))) from None
    return Writer("group", found.gr_name, 0, found.gr_gid) if found.gr_gid else ROOT


def _person(found: pwd.struct_passwd) -> Writer:
    return Writer("person", found.pw_name, found.pw_uid, found.pw_gid) if found.pw_uid else ROOT
