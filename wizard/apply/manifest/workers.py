"""Sharing work out among processes of our own: an interpreter runs on one processor, and small files are
mostly the interpreter's work.

The processes are forked for the one piece of work, and inherit it. Numbers of portions lie in a pipe from
which each takes the next; what comes of them comes back as lines. If this process is killed, nobody reads
their lines any more, which ends them too.
"""

import os
import signal
import struct
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector
from typing import NoReturn, TypeVar

from wizard.model.errors import DiskwrightError, Failed
from wizard.model.said import t

T = TypeVar("T")

SMALLEST_PORTION, MOST_PORTIONS = 16, 1024
"""As many numbers as fit into the smallest pipe."""

FAULT = b"!"
"""How a line begins that tells why a process could not go on."""

Say = Callable[[bytes], None]
"""Send a line, without its end."""


def share_out(work: Sequence[T], workers: int, do: Callable[[T, Say], None]) -> Generator[bytes]:
    """Do all of it, in about its order, in so many processes; what they say, as it comes.

    Raises Failed with the sentence where one of them raised an error of ours, and where one ended before its
    time.
    """
    portion = max(SMALLEST_PORTION, -(-len(work) // MOST_PORTIONS))
    starts = range(0, len(work), portion)
    take, give = os.pipe2(os.O_CLOEXEC)
    children: dict[int, int] = {}
    try:
        os.write(give, b"".join(struct.pack("=I", start) for start in starts))
        os.close(give)
        for _ in range(min(workers, len(starts))):
            lines, pid = _fork(
                take, tuple(children), lambda start, say: _do_portion(work[start : start + portion], do, say)
            )
            children[lines] = pid
        yield from _lines(children)
    finally:
        os.close(take)
        for lines, pid in children.items():
            os.close(lines)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _do_portion(portion: Sequence[T], do: Callable[[T, Say], None], say: Say) -> None:
    for piece in portion:
        do(piece, say)


def _fork(take: int, others: Sequence[int], do: Callable[[int, Say], None]) -> tuple[int, int]:
    """Where the lines of a new process can be read, and its number."""
    lines, says = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        for end in (lines, *others):
            os.close(end)
        _be_worker(take, says, do)
    os.close(says)
    return lines, pid


def _be_worker(take: int, says: int, do: Callable[[int, Say], None]) -> NoReturn:
    """The life of the new process. Nothing of what it inherited is to run at its end."""
    status = 1
    try:
        for number in (signal.SIGPIPE, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        with os.fdopen(says, "wb", buffering=1 << 16) as out:
            try:
                while number_read := os.read(take, 4):
                    do(struct.unpack("=I", number_read)[0], lambda line: _say(out.write, line))
                    out.flush()
            except DiskwrightError as error:
                _say(out.write, FAULT + str(error).encode(errors="surrogateescape"))
        status = 0
    finally:
        os._exit(status)


def _say(write: Callable[[bytes], int], line: bytes) -> None:
    write(line + b"\n")


def _lines(children: dict[int, int]) -> Iterator[bytes]:
    """Whole lines of all of them, until each has ended; ended ones are taken out."""
    held = dict.fromkeys(children, b"")
    with DefaultSelector() as selector:
        for lines in children:
            selector.register(lines, EVENT_READ)
        while held:
            for key, _ in selector.select():
                got = os.read(key.fd, 1 << 16)
                if not got:
                    selector.unregister(key.fd)
                    del held[key.fd]
                    _see_off(key.fd, children)
                    continue
                *whole, held[key.fd] = (held[key.fd] + got).split(b"\n")
                for line in whole:
                    if line.startswith(FAULT):
                        raise Failed(line.removeprefix(FAULT).decode(errors="surrogateescape"))
                    yield line


def _see_off(lines: int, children: dict[int, int]) -> None:
    os.close(lines)
    _, status = os.waitpid(children.pop(lines), 0)
    if status:
        raise Failed(t("A process that read files ended before its time."))
