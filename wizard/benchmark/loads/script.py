"""Scripts of file operations, one per thread, with their totals. All random choices are made in advance: a
running script is a list of steps. Also ages a volume in seconds: allocates files without writing their data,
and deletes half of them again."""

import ctypes
import errno
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from random import Random
from threading import Thread
from typing import NamedTuple

from wizard.model.said import KIB, MIB

SPAN_BYTES = 8 * MIB
"""Longer files repeat these, beyond the window of any filesystem's compression."""

BLOCK_BYTES = 4 * KIB
CHUNK_BYTES = 128 * KIB
"""Buffer size of cp and cat."""

GAMMA = 1.5
"""Of FileBench's distribution of sizes."""

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_CLOEXEC

MODIFIED_NS = 1_262_304_000_000_000_000
"""Of copied files: 1 January 2010."""

Pieces = Sequence[memoryview]
"""Contents of a file, one write(2) each."""

Step = Callable[[int], object]
"""An operation on the volume with this root descriptor. Raises OSError."""


class Unit(StrEnum):
    """Unit of a phase's amount."""

    BYTES = "bytes"
    FILES = "files"
    OPERATIONS = "operations"


class Contents:
    """Incompressible bytes for one file after another."""

    def __init__(self, seed: int) -> None:
        self._all = memoryview(Random(seed).randbytes(SPAN_BYTES))
        self._at = self._laps = 0

    def take(self, size_bytes: int, record_bytes: int = CHUNK_BYTES) -> Pieces:
        """Return the next bytes in pieces."""
        if size_bytes > SPAN_BYTES:
            return self._long(size_bytes, record_bytes)
        pieces = []
        while size_bytes > 0:
            length = min(size_bytes, record_bytes)
            if self._at + length > SPAN_BYTES:
                self._laps += 1
                # Each lap starts at another offset, so that no two files have equal blocks.
                self._at = self._laps * 1021 % BLOCK_BYTES
            pieces.append(self._all[self._at : self._at + length])
            self._at += length
            size_bytes -= length
        return tuple(pieces)

    def _long(self, size_bytes: int, record_bytes: int) -> Pieces:
        """Reuse slices: a gibibyte in 1 KiB records would be a million objects."""
        once = tuple(self._all[at : at + record_bytes] for at in range(0, SPAN_BYTES, record_bytes))
        whole, rest = divmod(size_bytes, record_bytes)
        pieces = (once * (whole // len(once) + 1))[:whole]
        return (*pieces, self._all[:rest]) if rest else pieces


class ScriptAccess(NamedTuple):
    """Write `piece` at `offset`, or read without one."""

    offset: int
    piece: memoryview | None


class _Opened:
    """Faster than a generator, whose time would count."""

    __slots__ = ("_file",)

    def __init__(self, name: str, flags: int, root: int) -> None:
        self._file = os.open(name, flags, 0o644, dir_fd=root)

    def __enter__(self) -> int:
        return self._file

    def __exit__(self, *_: object) -> None:
        os.close(self._file)


def _expect(done: bool, number: int, name: str) -> None:
    if not done:
        raise OSError(number, os.strerror(number), name)


class Draft:
    """Random draws and file sizes of a load. `scale` multiplies all counts."""

    def __init__(self, seed: int, scale: float = 1.0) -> None:
        self.seed = seed
        self.random = Random(seed)
        self.contents = Contents(seed)
        self.sizes: dict[str, int] = {}
        self.scale = scale
        self.phases: list[LoadPhase] = []

    def count(self, number: float, least: int = 1) -> int:
        """Return a count at this scale."""
        return max(least, round(number * self.scale))

    def gamma_size(self, mean_bytes: int) -> int:
        """Return a random size with FileBench's distribution."""
        return max(1, int(self.random.gammavariate(GAMMA, mean_bytes / GAMMA)))

    @cached_property
    def log_entry(self) -> Pieces:
        """An entry appended by several threads, in one write, so that the order does not matter."""
        return self.contents.take(16 * KIB)

    def phase(
        self, name: str, unit: Unit = Unit.FILES, buffer_bytes: int = CHUNK_BYTES, amount: int | None = None
    ) -> "Script":
        """Add a phase and return its empty script. `amount` defaults to the total of all scripts."""
        self.phases.append(LoadPhase(name, unit, amount))
        return Script(self, self.phases[-1], buffer_bytes)


class LoadPhase:
    """A phase, on a volume mounted for it. Does `amount` units, in one thread for each script."""

    def __init__(self, name: str, unit: Unit, amount: int | None) -> None:
        self.name, self.unit, self._amount = name, unit, amount
        self.scripts: list[Script] = []

    @property
    def amount(self) -> int:
        """Units of work."""
        if self._amount is not None:
            return self._amount
        return sum(script.amounts[self.unit] for script in self.scripts)

    def act(self, root: int) -> None:
        """Run all scripts. If a step fails, other threads stop at their next step. Raises OSError."""
        failed: list[OSError] = []

        def run(steps: Sequence[Step]) -> None:
            try:
                for step in steps:
                    if failed:
                        return
                    step(root)
            except OSError as error:
                failed.append(error)

        first, *others = (script.steps for script in self.scripts)
        threads = [Thread(target=run, args=(steps,)) for steps in others]
        for thread in threads:
            thread.start()
        run(first)
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]


class Script:
    """Operations of a thread in order, and their totals without folders."""

    def __init__(self, draft: Draft, phase: LoadPhase, buffer_bytes: int) -> None:
        self.steps: list[Step] = []
        self.buffer = memoryview(bytearray(buffer_bytes))
        self.amounts = dict.fromkeys(Unit, 0)
        self._draft, self._phase = draft, phase
        phase.scripts.append(self)

    def beside(self) -> "Script":
        """Return a script of the same phase for another thread."""
        return Script(self._draft, self._phase, len(self.buffer))

    def spread(self, total: int, threads: int) -> Iterator[tuple["Script", int]]:
        """Yield a script and an even share of `total` for each thread."""
        for thread in range(threads):
            yield self.beside() if thread else self, total // threads + (thread < total % threads)

    def make_folder(self, name: str) -> None:
        """Create an empty folder."""
        self.steps.append(lambda root: os.mkdir(name, dir_fd=root))

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        self.steps.append(lambda root: os.rmdir(name, dir_fd=root))

    def sync_folder(self, name: str) -> None:
        """Wait until renames in the folder are durable."""
        self._in_folder(name, lambda folder: os.fsync(folder))

    def list_folder(self, name: str) -> None:
        """Read all names in a folder."""
        self._in_folder(name, lambda folder: list(os.scandir(folder)))

    def _in_folder(self, name: str, work: Step) -> None:
        def step(root: int) -> None:
            with _Opened(name, READ | os.O_DIRECTORY, root) as folder:
                work(folder)

        self.steps.append(step)

    def create(
        self, name: str, size_bytes: int, record_bytes: int = CHUNK_BYTES, *, sync: bool = False
    ) -> None:
        """Write a new file. With `sync`, wait until durable."""
        self._write(name, NEW, self._draft.contents.take(size_bytes, record_bytes), sync=sync)

    def append(self, name: str, pieces: Pieces, *, sync: bool = False) -> None:
        """Append to a file, created if missing."""
        self._write(name, APPEND, pieces, sync=sync)

    def _write(self, name: str, flags: int, pieces: Pieces, *, sync: bool) -> None:
        def step(root: int) -> None:
            with _Opened(name, flags, root) as file:
                for piece in pieces:
                    _expect(os.write(file, piece) == len(piece), errno.ENOSPC, name)
                if sync:
                    os.fsync(file)

        self._count(step, files=1, moved_bytes=self._grow(name, sum(map(len, pieces))))

    def read(self, name: str) -> None:
        """Read a whole file. The step raises OSError if the size is wrong."""
        size_bytes, into = self._draft.sizes[name], [self.buffer]

        def step(root: int) -> None:
            left = size_bytes
            with _Opened(name, READ, root) as file:
                while got := os.readv(file, into):
                    left -= got
            _expect(not left, errno.EIO, name)

        self._count(step, files=1, moved_bytes=size_bytes)

    def copy(self, source: str, target: str, *, append: bool = False) -> None:
        """Copy or append a file, by read and write, as before filesystems shared blocks."""
        size_bytes, buffer, flags = self._draft.sizes[source], self.buffer, APPEND if append else NEW

        def step(root: int) -> None:
            into, left = [buffer], size_bytes
            with _Opened(source, READ, root) as file, _Opened(target, flags, root) as output:
                while got := os.readv(file, into):
                    _expect(os.write(output, buffer[:got]) == got, errno.ENOSPC, target)
                    left -= got
            _expect(not left, errno.EIO, source)

        self._count(step, files=1, moved_bytes=2 * self._grow(target, size_bytes))

    def access(self, name: str, moves: Iterable[ScriptAccess], *, sync: bool = False) -> None:
        """Read or write inside a file. Reads have the buffer's size. With `sync`, wait for each write."""
        accesses, into, size_bytes = tuple(moves), [self.buffer], len(self.buffer)

        def step(root: int) -> None:
            with _Opened(name, os.O_RDWR | os.O_CLOEXEC, root) as file:
                for offset, piece in accesses:
                    if piece is None:
                        _expect(os.preadv(file, into, offset) == size_bytes, errno.EIO, name)
                        continue
                    _expect(os.pwrite(file, piece, offset) == len(piece), errno.ENOSPC, name)
                    if sync:
                        os.fdatasync(file)

        moved = sum(size_bytes if move.piece is None else len(move.piece) for move in accesses)
        self._count(step, moved_bytes=moved, operations=len(accesses))

    def look(self, name: str) -> None:
        """Read a file's size and times."""
        self._count(lambda root: os.stat(name, dir_fd=root), files=1)

    def date(self, name: str) -> None:
        """Set the times of a copied file."""
        self._count(lambda root: os.utime(name, ns=(MODIFIED_NS, MODIFIED_NS), dir_fd=root))

    def rename(self, old: str, new: str) -> None:
        """Replace a file by another."""
        self._draft.sizes[new] = self._draft.sizes.pop(old)
        self._count(lambda root: os.replace(old, new, src_dir_fd=root, dst_dir_fd=root))

    def delete(self, name: str) -> None:
        """Delete a file."""
        del self._draft.sizes[name]
        self._count(lambda root: os.unlink(name, dir_fd=root), files=1)

    def _grow(self, name: str, size_bytes: int) -> int:
        self._draft.sizes[name] = self._draft.sizes.get(name, 0) + size_bytes
        return size_bytes

    def _count(self, step: Step, *, files: int = 0, moved_bytes: int = 0, operations: int = 1) -> None:
        self.steps.append(step)
        self.amounts[Unit.OPERATIONS] += operations
        self.amounts[Unit.FILES] += files
        self.amounts[Unit.BYTES] += moved_bytes


SHARE = 0.85
"""Used share of the free space at the end."""
FILES = 3000
FILLS = 3
SPREAD = 1.6
AGED_A_FOLDER = 75


def aged(root: int, free_bytes: int, seed: int) -> int:
    """Fill 85 % of `free_bytes` three times, deleting half in between, so that free space is fragmented
    between about 3,000 files. Returns their bytes. Raises OSError, with EOPNOTSUPP if the filesystem cannot
    allocate without writing."""
    random = Random(seed)
    left = int(free_bytes * SHARE)
    have: list[tuple[str, int]] = []
    made = 0
    for fill in range(FILLS):
        if fill:
            random.shuffle(have)
            for name, size_bytes in have[: len(have) // 2]:
                os.unlink(name, dir_fd=root)
                left += size_bytes
            del have[: len(have) // 2]
        for size_bytes in _sizes(random, FILES - len(have), left):
            folder = f"aged{made // AGED_A_FOLDER}"
            if made % AGED_A_FOLDER == 0:
                os.mkdir(folder, dir_fd=root)
            name = f"{folder}/{made}"
            made += 1
            if not _allocate(name, size_bytes, root):
                break
            have.append((name, size_bytes))
            left -= size_bytes
    return sum(size_bytes for _, size_bytes in have)


def _sizes(random: Random, count: int, together_bytes: int) -> Sequence[int]:
    weights = [random.lognormvariate(0, SPREAD) for _ in range(count)]
    unit = together_bytes / sum(weights)
    return [
        int(weight * unit) // BLOCK_BYTES * BLOCK_BYTES for weight in weights if weight * unit >= BLOCK_BYTES
    ]


def _allocate(name: str, size_bytes: int, root: int) -> bool:
    """Return False without space. posix_fallocate would write zeros if the filesystem cannot allocate."""
    with _Opened(name, NEW, root) as file:
        error = _fallocate(file, size_bytes)
    if error == 0:
        return True
    os.unlink(name, dir_fd=root)
    if error == errno.ENOSPC:
        return False
    raise OSError(error, os.strerror(error), name)


def _fallocate(file: int, size_bytes: int) -> int:
    """Return 0 or an errno of the 64-bit fallocate(2)."""
    library = ctypes.CDLL(None, use_errno=True)
    # musl has only this variant, under the plain name.
    call = library.fallocate64 if hasattr(library, "fallocate64") else library.fallocate
    while call(file, 0, ctypes.c_int64(0), ctypes.c_int64(size_bytes)):
        if (error := ctypes.get_errno()) != errno.EINTR:
            return error
    return 0
