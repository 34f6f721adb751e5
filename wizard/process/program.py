"""Run external tools: argument list, no shell, LC_ALL=C, time limit, all output captured."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Thread
from time import monotonic, strftime
from types import FrameType
from typing import TypeVar

from msgspec import Struct

from wizard.model.errors import Failed, printable
from wizard.model.said import Message, Sentence, t

T = TypeVar("T")

VARIABLE = "DISKWRIGHT_DEBUG_LOG"
"""Environment variable with the debug log's path for child processes. The command line clears any inherited
value, so that only diskwright itself sets the path."""

MOST_BYTES = 160_000
KEPT_BYTES = 20_000
"""Reserved for exceptions and the end of the log."""

LONGEST_LINE = 2000
COMMAND, PROBE, EXCEPTION, END = "command", "probe", "exception", "end"

seen: list[object] = []
"""Facts and texts of documents that this process used, for anonymising: they contain the names of drives and
people."""


def note(kind: str, text: str) -> None:
    """Append an entry to the debug log. Does nothing without a log or on errors."""
    file = os.environ.get(VARIABLE)
    if file is None:
        return
    lines = "\n    ".join(printable(line, LONGEST_LINE) for line in text.splitlines())
    data = f"{strftime('%H:%M:%S')} {os.getpid()} {kind}: {lines}\n".encode(errors="replace")
    room = MOST_BYTES if kind in (EXCEPTION, END) else MOST_BYTES - KEPT_BYTES
    # The file is gone once the log is finished. Processes that outlive us do not create it again.
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
    """Append the current exception to the debug log."""
    if VARIABLE in os.environ:
        from traceback import format_exc

        note(EXCEPTION, format_exc())


def remember(facts: T) -> T:
    """Keep facts, or the text of a document, until the debug log is finished, and return them."""
    if VARIABLE in os.environ:
        seen.append(facts)
    return facts


@contextmanager
def ended_by_signal() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns True after Ctrl+C or a termination signal. A second one ends the
    process."""
    ended = False
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    old_handlers = {number: signal.getsignal(number) for number in numbers}

    def end(number: int, _frame: FrameType | None) -> None:
        nonlocal ended
        ended = True
        signal.signal(number, old_handlers[signal.Signals(number)])

    for number in numbers:
        signal.signal(number, end)
    try:
        yield lambda: ended
    finally:
        for number in numbers:
            signal.signal(number, old_handlers[number])


SPARE = ("/run", "/dev/shm")
"""Folders that are usually writable even on a read-only system."""


def scratch_folder() -> str:
    """Return the usual temporary folder, or a spare one. Raises Failed if none is writable."""
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
"""Environment variables passed to commands. Others can change a command's effect invisibly: MKE2FS_CONFIG and
E2FSPROGS_UNDO_DIR (mke2fs(8)), LIBMOUNT_FSTAB (mount(8))."""

ALWAYS = {"LC_ALL": "C", "SYSTEMD_IGNORE_CHROOT": "1", "BLKID_FILE": "/dev/null"}
"""Environment of every command.

Without SYSTEMD_IGNORE_CHROOT, udevadm does nothing in a chroot, such as on a rescue medium (systemd,
ENVIRONMENT.md). With libblkid's cache (BLKID_FILE), mkfs.btrfs refuses a UUID even of a removed device
(libblkid(3)).
"""

AFTERWARDS_SECONDS = 2.0
"""Time to wait for the last lines of a finished command."""


FAILS_AGAIN: Mapping[re.Pattern[str], Message] = {
    re.compile("resize2fs: New size results in too many block group descriptors"): t(
        "the filesystem's blocks are too small for that size"
    ),
    re.compile("resize2fs: Illegal doubly indirect block"): t(
        "the filesystem has too little space reserved for growing"
    ),
    re.compile("seek_relative: Invalid argument"): t("the filesystem is larger than its device"),
}
"""Known causes by pattern in the output: a repeated command fails too. e2image reports the last one."""

MAY_SUCCEED: Mapping[re.Pattern[str], Message] = {
    re.compile("mount: .*: wrong fs type, bad option, bad superblock on"): t(
        "the kernel rejects the filesystem or an option; `dmesg` shows the reason"
    ),
}

ASIDES = re.compile(
    r"(?ms)^Usage: .*"
    r"|^[ \t]*(?:dmesg\(1\)|Please run |after the aborted|\(i\.e\., without |Try '|For more )[^\n]*"
)
"""Help and advice after an error, such as mount(8)'s reference to dmesg."""


class NotInstalled(Failed):
    """A required program is missing."""


class Result(Struct, frozen=True):
    """Result of a command. Invalid UTF-8 becomes replacement characters."""

    status: int
    output: str
    errors: str
    seconds: float

    @property
    def last_words(self) -> str:
        """The known cause of a failure, or the last line of output before help and advice."""
        texts = (self.output, self.errors)
        for pattern, cause in {**FAILS_AGAIN, **MAY_SUCCEED}.items():
            if any(map(pattern.search, texts)):
                return str(cause)
        lines = [line.strip() for text in texts for line in ASIDES.sub("", text).splitlines() if line.strip()]
        return lines[-1] if lines else str(SILENT)


def search_path() -> str:
    """Return PATH with the system directories. Drops relative folders, so that a prepared current folder
    cannot supply programs."""
    named = [
        folder
        for folder in os.environ.get("PATH", "/usr/bin:/bin").split(os.pathsep)
        if folder.startswith("/")
    ]
    return os.pathsep.join(dict.fromkeys([*named, *SBIN]))


def find(name: str) -> str | None:
    """Return the path of a program, or None."""
    return shutil.which(name, path=search_path())


def run(
    argv: Sequence[str],
    *,
    seconds: float = 60.0,
    accept: Sequence[int] = (0,),
    stdin: bytes | None = None,
    keep_open: Sequence[int] = (),
) -> Result:
    """Run `argv` to the end. Raises Failed if missing, after `seconds`, or for a status not in `accept`. The
    command has its own process group, so a timeout kills its children too. `keep_open` are inherited
    descriptors: the drive's lock must outlive all writers."""
    begun = monotonic()
    with _begun(
        argv, subprocess.PIPE if stdin is not None else subprocess.DEVNULL, keep_open=keep_open
    ) as process:
        try:
            out, err = process.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise _overdue(process, argv, seconds) from None
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
    """Run a long command and pass each line of output to `on_line`. Accepts any status. Raises Failed if
    missing or after `seconds`."""
    begun = monotonic()
    lines: list[str] = []
    process = _begun(argv, subprocess.DEVNULL, stderr=subprocess.STDOUT)

    def read() -> None:
        for line in process.stdout or ():
            lines.append(line.decode(errors="replace").rstrip())
            on_line(lines[-1])

    # Background processes of the command may keep its output open. Do not wait for them.
    reader = Thread(target=read, daemon=True)
    reader.start()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        raise _overdue(process, argv, seconds) from None
    reader.join(AFTERWARDS_SECONDS)
    took = monotonic() - begun
    note(COMMAND, f"{shlex.join(argv)}: status {process.returncode} after {took:.3f} s")
    return Result(process.returncode, "\n".join(lines), "", took)


def _begun(
    argv: Sequence[str], stdin: int, *, stderr: int = subprocess.PIPE, keep_open: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    program = find(argv[0])
    if program is None:
        note(COMMAND, f"{shlex.join(argv)}: not installed")
        raise NotInstalled(t("{program} is not installed.", program=argv[0]))
    handed_on = {name: os.environ[name] for name in HANDED_ON if name in os.environ}
    return subprocess.Popen(
        [program, *argv[1:]],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**handed_on, **ALWAYS, "PATH": search_path()},
        start_new_session=True,
        pass_fds=tuple(keep_open),
    )


def _overdue(process: subprocess.Popen[bytes], argv: Sequence[str], seconds: float) -> Failed:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    note(COMMAND, f"{shlex.join(argv)}: ended after {seconds:g} s")
    return Failed(TOO_LONG(program=argv[0], seconds=seconds))
