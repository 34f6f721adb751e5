"""A plain user's way to root: which program is here to ask for it, and what it is to run.

That program starts this very package with this very interpreter, as root, in Python's isolated mode: what it
runs is `wizard.apply.root.server`, which first throws away whatever else it inherited, and then does what it
is asked through its standard input. Nothing a plan says stands on the command line.

Where a package of the distribution brought this copy, what is started is a program beside it that takes no
argument, and does the same. Its path is fixed, so polkit has an action for it, and says in its question what
root is wanted for.

What stays in the hands of the plain user is the program itself, where it lies in a folder of theirs: so it is
for `sudo ./diskwright`.

sudo asks on the terminal itself, whatever the standard streams are. Since those are pipes here, it then
starts its command in the background and reads no keys, also where it gives the command a terminal of its own
(sudo, src/exec_pty.c): the wizard keeps the keyboard.

sudo and pkexec are tried with the one file (tests/media/test_rights.py), pkexec with the installed copy, too
(packaging/debian/check.sh). run0 needs a running systemd: it was tried by hand, with the one file in a
container of Debian 13 (systemd 257). run0 runs its command as a service of its own, whose processes end
with the first of them: the relay therefore never ends before the run does.
"""

import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.root import words
from wizard.apply.run.module import PACKAGE_FOLDER
from wizard.apply.run.process import module_argv
from wizard.tools.program import find

RELAY = "wizard.apply.root.server"

HELPER = "as-root"
"""The program that is started as root, beside the package of an installed copy."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What decides whether a program can ask: a terminal of this process, a graphical session, and the
    system's message bus."""

    terminal: bool
    session: bool
    bus: bool
    systemd: bool


@dataclass(frozen=True, slots=True)
class Way:
    """A program that gives root, and how it is begun."""

    name: str
    prefix: tuple[str, ...]

    @property
    def argv(self) -> tuple[str, ...]:
        """The whole argument list."""
        return (*self.prefix, *relay_argv())


def relay_argv(folder: Path = PACKAGE_FOLDER) -> tuple[str, ...]:
    """What is started as root: the fixed program of an installed copy, whose package lies in `folder`, or
    else the module itself. One that others than root could have put there is none.
    """
    helper = folder / HELPER
    with suppress(OSError):
        status = helper.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_uid == 0 and not status.st_mode & 0o022:
            return (str(helper),)
    return module_argv(RELAY, writes_bytecode=False)


def way_to_root(
    find_program: Callable[[str], str | None] = find, around: Surroundings | None = None
) -> Way | None:
    """sudo, run0 or pkexec, the first that is here and has something to ask by; None where there is none.

    sudo asks on the terminal. run0 leaves asking to the session's polkit agent, as its standard input is not
    the terminal here. pkexec asks through the agent, too, or else on the terminal. sudo without a terminal
    works for those who need no password; it comes last.
    """
    now = around or look_around(os.environ)
    sudo, run0, pkexec = (find_program(name) for name in ("sudo", "run0", "pkexec"))
    if sudo and now.terminal:
        # It puts the name of whose password it wants for %p (sudo(8), --prompt).
        return Way("sudo", (sudo, f"--prompt={words.PROMPT}", "--"))
    if run0 and now.systemd and now.bus and now.session:
        return Way("run0", (run0, "--background=", "--"))
    if pkexec and now.bus and (now.session or now.terminal) and _is_setuid(pkexec):
        return Way("pkexec", (pkexec,))
    return Way("sudo", (sudo, "--non-interactive", "--")) if sudo else None


def look_around(environ: Mapping[str, str]) -> Surroundings:
    """What this process has to ask by."""
    return Surroundings(
        terminal=_has_terminal(),
        session=bool(environ.get("WAYLAND_DISPLAY") or environ.get("DISPLAY")),
        bus=Path("/run/dbus/system_bus_socket").exists(),
        systemd=Path("/run/systemd/system").is_dir(),
    )


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def _is_setuid(program: str) -> bool:
    with suppress(OSError):
        return bool(Path(program).stat().st_mode & stat.S_ISUID)
    return False
