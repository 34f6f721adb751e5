"""Loads inside large files: random accesses, record sizes and sequential writes.

Random I/O follows Randomio: ten threads, 2 KiB each, a quarter of them writes. Randomio synced one write in a
hundred and bypassed the page cache. This load never syncs and uses the cache, as most programs do.
"""

from collections.abc import Callable, Sequence
from functools import partial

from wizard.benchmark.loads.load import CHUNK_BYTES, Load, LoadPhase, Unit, scaled, shares
from wizard.benchmark.loads.script import Draft, Script, ScriptAccess, phase
from wizard.model.said import KIB, MIB
from wizard.process.program import run

FILE_BYTES = 128 * MIB
THREADS = 10
ACCESSES = 1000
ACCESS_BYTES = 2 * KIB
WRITES = 0.25
NAME = "file"


def _random_io_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    fill = filled(draft, NAME, scaled(FILE_BYTES // MIB, scale) * MIB)
    count = scaled(ACCESSES, scale)
    moves = _moves_within(draft, NAME, count, ACCESS_BYTES, WRITES)
    scripts = []
    for mine in shares(count, min(THREADS, count)):
        script = draft.script(ACCESS_BYTES)
        script.access(NAME, moves[:mine])
        del moves[:mine]
        scripts.append(script)
    return phase("fill", Unit.BYTES, fill), phase("access", Unit.OPERATIONS, *scripts)


def filled(draft: Draft, name: str, size_bytes: int) -> Script:
    """Return a script that writes one large file."""
    script = draft.script()
    script.create(name, size_bytes, MIB)
    return script


def _moves_within(
    draft: Draft, name: str, count: int, access_bytes: int, writes: float
) -> list[ScriptAccess]:
    """Return random accesses to a file, with this share of writes. No two overlap, so the order of threads
    does not change the result."""
    places = draft.random.sample(range(draft.sizes[name] // access_bytes), count)
    return [
        ScriptAccess(
            place * access_bytes,
            draft.contents.take(access_bytes, access_bytes)[0] if draft.random.random() < writes else None,
        )
        for place in places
    ]


RANDOM_IO_LOAD = Load("random-io", _random_io_phases)


FIO_RANDOM_ACCESSES = 900
FIO_RANDOM_ACCESS_BYTES = 4 * KIB
FIO_RANDOM_NAME = "file"
SECONDS = 600.0


def _fio_random_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    size_bytes = scaled(FILE_BYTES // MIB, scale) * MIB
    fill = filled(draft, FIO_RANDOM_NAME, size_bytes)
    count = scaled(FIO_RANDOM_ACCESSES, scale)
    act = partial(_run_fio, size_bytes, count, seed)
    return (
        phase("fill", Unit.BYTES, fill),
        LoadPhase("access", Unit.OPERATIONS, count, act, writes_bytes=count * FIO_RANDOM_ACCESS_BYTES),
    )


def _run_fio(size_bytes: int, count: int, seed: int, root: int) -> None:
    """Run fio. Raises Failed."""
    options = (
        "--name=access",
        f"--filename=/proc/self/fd/{root}/{FIO_RANDOM_NAME}",
        "--thread",
        "--scramble_buffers=0",
        "--ioengine=psync",
        "--rw=randrw",
        "--rwmixread=75",
        f"--bs={FIO_RANDOM_ACCESS_BYTES}",
        f"--size={size_bytes}",
        f"--number_ios={count}",
        f"--randseed={seed}",
        "--allow_file_create=0",
        "--fallocate=none",
        "--invalidate=0",
        "--output-format=terse",
    )
    run(("fio", *options), seconds=SECONDS, keep_open=(root,))


FIO_RANDOM_LOAD = Load("fio-random", _fio_random_phases, programs=("fio",))


RANDOM_SYNC_ACCESSES = 500
PAGE_BYTES = 8 * KIB
RANDOM_SYNC_NAME = "database"


def _random_sync_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    fill = filled(draft, RANDOM_SYNC_NAME, scaled(FILE_BYTES // MIB, scale) * MIB)
    script = draft.script(PAGE_BYTES)
    moves = _moves_within(draft, RANDOM_SYNC_NAME, scaled(RANDOM_SYNC_ACCESSES, scale), PAGE_BYTES, WRITES)
    script.access(RANDOM_SYNC_NAME, moves, sync=True)
    return phase("fill", Unit.BYTES, fill), phase("access", Unit.OPERATIONS, script)


RANDOM_SYNC_LOAD = Load("random-sync", _random_sync_phases)


SEQUENTIAL_FILE_BYTES = 48 * MIB
RECORD_BYTES = 64 * KIB
STRIDE_RECORDS = 17
"""IOzone's: read one record, skip 16."""


def _patterns_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    fill = filled(draft, NAME, scaled(SEQUENTIAL_FILE_BYTES // MIB, scale) * MIB)
    offsets = range(0, draft.sizes[NAME], RECORD_BYTES)
    strides = [offset for first in range(STRIDE_RECORDS) for offset in offsets[first::STRIDE_RECORDS]]
    same = draft.random.choice(offsets)
    return (
        phase("fill", Unit.BYTES, fill),
        phase("rewrite", Unit.BYTES, _moves(draft, offsets, write=True)),
        phase("backwards", Unit.BYTES, _moves(draft, offsets[::-1], write=False)),
        phase("strides", Unit.BYTES, _moves(draft, strides, write=False)),
        phase("record-again", Unit.BYTES, _moves(draft, [same] * len(offsets), write=True)),
    )


def _moves(draft: Draft, offsets: Sequence[int], *, write: bool) -> Script:
    take = draft.contents.take
    script = draft.script(RECORD_BYTES)
    script.access(
        NAME,
        [ScriptAccess(offset, take(RECORD_BYTES, RECORD_BYTES)[0] if write else None) for offset in offsets],
    )
    return script


PATTERNS_LOAD = Load("patterns", _patterns_phases)


RECORD_SIZES_FILE_BYTES = 128 * MIB
RECORDS = (
    ("4k", 4 * KIB, 64),
    ("16k", 16 * KIB, 64),
    ("64k", 64 * KIB, 56),
    ("256k", 256 * KIB, 48),
    ("1m", MIB, 32),
)
"""Name, size and count. Larger records are fewer, so that each phase takes about as long."""


def _record_sizes_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    phases = [
        phase("fill", Unit.BYTES, filled(draft, NAME, scaled(RECORD_SIZES_FILE_BYTES // MIB, scale) * MIB))
    ]
    for label, record_bytes, number in RECORDS:
        count = min(scaled(number, scale), draft.sizes[NAME] // record_bytes)
        for name, writes in (("read", 0.0), ("write", 1.0)):
            script = draft.script(record_bytes)
            script.access(NAME, _moves_within(draft, NAME, count, record_bytes, writes))
            phases.append(phase(f"{name}-{label}", Unit.BYTES, script))
    return tuple(phases)


RECORD_SIZES_LOAD = Load("record-sizes", _record_sizes_phases)


DD_1K_FILE_BYTES = 512 * MIB


def _by_records(record_bytes: int) -> Callable[[float, int], tuple[LoadPhase, ...]]:
    """Return the phases of a load that writes and reads a file in records of this size."""
    return partial(_dd_1k_phases, record_bytes)


def _dd_1k_phases(record_bytes: int, scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    write, read = draft.script(), draft.script(record_bytes)
    write.create(NAME, scaled(DD_1K_FILE_BYTES // MIB, scale) * MIB, record_bytes)
    read.read(NAME)
    return phase("write", Unit.BYTES, write), phase("read", Unit.BYTES, read)


DD_1K_LOAD = Load("dd-1k", _by_records(KIB))


LARGE_FILE_FILE_BYTES = 320 * MIB
FILE, COPY = "film", "copy"


def _large_file_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    write, copy, delete = draft.script(), draft.script(), draft.script()
    write.create(FILE, scaled(LARGE_FILE_FILE_BYTES // MIB, scale) * MIB, CHUNK_BYTES)
    copy.copy(FILE, COPY)
    delete.delete(FILE)
    delete.delete(COPY)
    return (
        phase("write", Unit.BYTES, write),
        phase("copy", Unit.BYTES, copy),
        phase("delete", Unit.FILES, delete),
    )


LARGE_FILE_LOAD = Load("large-file", _large_file_phases)


DD_1M_LOAD = Load("dd-1m", _by_records(MIB))
