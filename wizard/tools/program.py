"""The one runner for commands outside: an argument list, never a shell; LC_ALL=C; a time limit; all output
kept."""

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Thread
from time import monotonic

from wizard.model.errors import Failed
from wizard.model.said import Sentence, t
from wizard.tools import words
from wizard.tools.debuglog import COMMAND, note

TOO_LONG = Sentence("{program} did not finish within {seconds:.0f} s and was ended.")

SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin")

HANDED_ON = ("HOME", "USER", "LOGNAME", "TMPDIR", "TERM", "TZ", "LD_LIBRARY_PATH")
"""What commands get of the environment. Others steer programs past what is shown: MKE2FS_CONFIG and
E2FSPROGS_UNDO_DIR (mke2fs(8)), LIBMOUNT_FSTAB (mount(8)).
"""

ALWAYS = {"LC_ALL": "C", "SYSTEMD_IGNORE_CHROOT": "1", "BLKID_FILE": "/dev/null"}
"""What every command gets. udevadm does nothing in a chroot, such as a rescue medium's, unless it is told
that udev is heard there, too (systemd, ENVIRONMENT.md). mkfs.btrfs refuses a UUID that libblkid's cache
remembers, also of a device that is gone (libblkid(3)).
"""

AFTERWARDS_SECONDS = 2.0
"""How long the last lines of a command that has ended are waited for."""


ELSEWHERE = "dmesg(1)"
"""How the line begins that mount(8) of util-linux 2.38 and newer says behind every error."""


class NotInstalled(Failed):
    """A program that is wanted is not there."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a command did. `output` is stdout, `errors` stderr, both decoded with replacement characters for
    bytes that are no UTF-8."""

    status: int
    output: str
    errors: str
    seconds: float

    @property
    def last_words(self) -> str:
        """The last line the command said, errors first: what a person wants to read about a failure. Where
        else one might look (mount(8) has a line for that) is no such line."""
        said = (self.output + "\n" + self.errors).splitlines()
        lines = [line for line in said if line.strip() and not line.strip().startswith(ELSEWHERE)]
        return lines[-1].strip() if lines else str(words.SILENT)


def search_path() -> str:
    """PATH with the system directories appended, which a plain user's PATH often lacks. What is relative is
    left out: a folder that somebody prepared and one happens to be in brings no programs.
    """
    named = [
        folder
        for folder in os.environ.get("PATH", "/usr/bin:/bin").split(os.pathsep)
        if folder.startswith("/")
    ]
    return os.pathsep.join(dict.fromkeys([*named, *SBIN]))


def find(name: str) -> str | None:
    """The path of a program, or None."""
    return shutil.which(name, path=search_path())


def run(
    argv: Sequence[str],
    *,
    seconds: float,
    accept: Sequence[int] = (0,),
    stdin: bytes | None = None,
    keep_open: Sequence[int] = (),
    on_begin: Callable[[int], None] = lambda _pid: None,
) -> Result:
    """Run `argv` to its end. Raises Failed where it is missing, overruns `seconds` or ends with a status not
    in `accept`.

    The command gets a process group of its own, so that an overrun ends its children too. `keep_open` are
    descriptors that it inherits: the drive's lock must live as long as anything that writes. `on_begin` hears
    the number of its process.
    """
    program = _program(argv)
    begun = monotonic()
    with subprocess.Popen(
        [program, *argv[1:]],
        stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
        start_new_session=True,
        pass_fds=tuple(keep_open),
    ) as process:
        on_begin(process.pid)
        try:
            out, err = process.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            note(COMMAND, f"{shlex.join(argv)}: ended after {seconds:g} s")
            raise Failed(TOO_LONG(program=argv[0], seconds=seconds)) from None
    result = Result(
        process.returncode,
        out.decode(errors="replace"),
        err.decode(errors="replace"),
        monotonic() - begun,
    )
    note(COMMAND, f"{shlex.join(argv)}: status {result.status} after {result.seconds:.3f} s")
    if result.status not in accept:
        raise Failed(words.ENDED(program=argv[0], status=result.status, last_words=result.last_words))
    return result


def stream(argv: Sequence[str], *, seconds: float, on_line: Callable[[str], None]) -> Result:
    """Run `argv` to its end, which may be long, and hand on each line that it says as it comes; errors are
    among the `output`. Raises Failed where it is missing or overruns `seconds`; any status is taken.
    """
    begun = monotonic()
    lines: list[str] = []
    process = subprocess.Popen(
        [_program(argv), *argv[1:]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=_environment(),
        start_new_session=True,
    )

    def read() -> None:
        for line in process.stdout or ():
            lines.append(line.decode(errors="replace").rstrip())
            on_line(lines[-1])

    # What it leaves running in the background may hold its output open for ever, which is not waited for.
    reader = Thread(target=read, daemon=True)
    reader.start()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        note(COMMAND, f"{shlex.join(argv)}: ended after {seconds:g} s")
        raise Failed(TOO_LONG(program=argv[0], seconds=seconds)) from None
    reader.join(AFTERWARDS_SECONDS)
    took = monotonic() - begun
    note(COMMAND, f"{shlex.join(argv)}: status {process.returncode} after {took:.3f} s")
    return Result(process.returncode, "\n".join(lines), "", took)


def _program(argv: Sequence[str]) -> str:
    """Where the program is; raises NotInstalled where it is missing."""
    program = find(argv[0])
    if program is None:
        note(COMMAND, f"{shlex.join(argv)}: not installed")
        raise NotInstalled(t("{program} is not installed.", program=argv[0]))
    return program


def _environment() -> dict[str, str]:
    handed_on = {name: os.environ[name] for name in HANDED_ON if name in os.environ}
    return {**handed_on, **ALWAYS, "PATH": search_path()}
