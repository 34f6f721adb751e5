"""Run external tools: argument list, no shell, LC_ALL=C, time limit, all output captured."""

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Thread
from time import monotonic, strftime
from types import FrameType
from typing import TypeVar

from wizard.model.errors import Failed, printable
from wizard.model.said import Sentence, t

T = TypeVar("T")

VARIABLE = "DISKWRIGHT_DEBUG_LOG"
"""Names the file to the processes that we start. The command line forgets what it finds there: nobody else
names a file for us."""

MOST_BYTES = 160_000
KEPT_BYTES = 20_000
"""What is kept of the file for how it ended."""

LONGEST_LINE = 2000
COMMAND, PROBE, EXCEPTION, END = "command", "probe", "exception", "end"

seen: list[object] = []
"""Facts that this process worked with: they know which words of the log name a drive or a person."""


def note(kind: str, text: str) -> None:
    """Append what happened, with the time and the process; nothing where no log was asked for, or it cannot
    be written."""
    file = os.environ.get(VARIABLE)
    if file is None:
        return
    lines = "\n    ".join(printable(line, LONGEST_LINE) for line in text.splitlines())
    data = f"{strftime('%H:%M:%S')} {os.getpid()} {kind}: {lines}\n".encode(errors="replace")
    room = MOST_BYTES if kind in (EXCEPTION, END) else MOST_BYTES - KEPT_BYTES
    # It is gone when the log is finished, and what goes on without us makes no new one.
    with suppress(OSError):
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            left = room - os.fstat(descriptor).st_size
            if left > 0:
                os.write(
                    descriptor,
                    data if len(data) <= left else data[:left] + b"\n(From here on lines are left out.)\n",
                )
        finally:
            os.close(descriptor)


def note_exception() -> None:
    """Append the exception that is being handled."""
    if VARIABLE in os.environ:
        from traceback import format_exc

        note(EXCEPTION, format_exc())


def remember(facts: T) -> T:
    """The same facts, kept until the log is finished."""
    if VARIABLE in os.environ:
        seen.append(facts)
    return facts


@contextmanager
def ended_by_signal() -> Iterator[Callable[[], bool]]:
    """Turns the first Ctrl+C or request to end into an answer of true; a second one ends at once."""
    ended = False
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}

    def end(number: int, _frame: FrameType | None) -> None:
        nonlocal ended
        ended = True
        signal.signal(number, before[signal.Signals(number)])

    for number in numbers:
        signal.signal(number, end)
    try:
        yield lambda: ended
    finally:
        for number in numbers:
            signal.signal(number, before[number])


SPARE = ("/run", "/dev/shm")
"""Where a medium has all of its own read-only, something may still be written here."""


def scratch_folder() -> str:
    """$TMPDIR or where temporary files usually lie, or else a spare one. Raises Failed where nothing can be
    written anywhere."""
    try:
        return tempfile.gettempdir()
    except FileNotFoundError:
        pass
    for folder in SPARE:
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    raise Failed(t("No folder accepts temporary files. Set TMPDIR to a writable folder."))


ENDED = Sentence("{program} ended with status {status}: {last_words}")
SILENT = t("no output")


TOO_LONG = Sentence("{program} did not finish within {seconds:.0f} s and was stopped.")

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
        return lines[-1].strip() if lines else str(SILENT)


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
        raise Failed(ENDED(program=argv[0], status=result.status, last_words=result.last_words))
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
