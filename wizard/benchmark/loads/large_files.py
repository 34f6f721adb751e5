"""Loads inside large files: random accesses, record sizes and sequential writes."""

from collections.abc import Sequence
from functools import partial

from wizard.benchmark.loads.script import (
    CHUNK_BYTES,
    Draft,
    LoadPhase,
    Script,
    ScriptAccess,
    Unit,
    phase,
    shares,
)
from wizard.model.said import KIB, MIB
from wizard.process.program import run

NAME = "file"
RANDOM_FILE_BYTES = 128 * MIB
WRITES = 0.25
"""Share of writes among random accesses, as in Randomio."""


def _written(draft: Draft, size_bytes: int, record_bytes: int = MIB, name: str = NAME) -> Script:
    """Return a script that writes one large file, of whole MiB."""
    script = draft.script()
    script.create(name, draft.count(size_bytes // MIB) * MIB, record_bytes)
    return script


def _random(draft: Draft, count: int, access_bytes: int, writes: float) -> list[ScriptAccess]:
    """Return random accesses to the file, with this share of writes. No two overlap, so the order of threads
    does not change the result."""
    places = draft.random.sample(range(draft.sizes[NAME] // access_bytes), count)
    return [
        ScriptAccess(
            place * access_bytes,
            draft.contents.take(access_bytes, access_bytes)[0] if draft.random.random() < writes else None,
        )
        for place in places
    ]


def random_io(draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose Randomio's load: ten threads, 2 KiB each. Randomio synced one write in a hundred and bypassed
    the page cache. This load never syncs and uses the cache, as most programs do."""
    fill, count = _written(draft, RANDOM_FILE_BYTES), draft.count(1000)
    moves = _random(draft, count, 2 * KIB, WRITES)
    scripts = []
    for mine in shares(count, min(10, count)):
        scripts.append(draft.script(2 * KIB))
        scripts[-1].access(NAME, moves[:mine])
        del moves[:mine]
    return phase("fill", Unit.BYTES, fill), phase("access", Unit.OPERATIONS, *scripts)


def random_sync(draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose the load of a small database: pages of 8 KiB, each write synced."""
    fill, script = _written(draft, RANDOM_FILE_BYTES), draft.script(8 * KIB)
    script.access(NAME, _random(draft, draft.count(500), 8 * KIB, WRITES), sync=True)
    return phase("fill", Unit.BYTES, fill), phase("access", Unit.OPERATIONS, script)


def fio_random(draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose random accesses of 4 KiB by fio."""
    fill, count = _written(draft, RANDOM_FILE_BYTES), draft.count(900)
    act = partial(_run_fio, draft.sizes[NAME], count, draft.seed)
    return phase("fill", Unit.BYTES, fill), LoadPhase("access", Unit.OPERATIONS, count, act)


def _run_fio(size_bytes: int, count: int, seed: int, root: int) -> None:
    """Run fio. Raises Failed."""
    options = (
        "--name=access",
        f"--filename=/proc/self/fd/{root}/{NAME}",
        "--thread",
        "--scramble_buffers=0",
        "--ioengine=psync",
        "--rw=randrw",
        "--rwmixread=75",
        "--bs=4096",
        f"--size={size_bytes}",
        f"--number_ios={count}",
        f"--randseed={seed}",
        "--allow_file_create=0",
        "--fallocate=none",
        "--invalidate=0",
        "--output-format=terse",
    )
    run(("fio", *options), seconds=600.0, keep_open=(root,))


RECORD_BYTES = 64 * KIB
STRIDE_RECORDS = 17
"""IOzone's: read one record, skip 16."""


def patterns(draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose IOzone's rewrites, backward and strided reads."""
    fill = _written(draft, 48 * MIB)
    offsets = range(0, draft.sizes[NAME], RECORD_BYTES)
    strides = [offset for first in range(STRIDE_RECORDS) for offset in offsets[first::STRIDE_RECORDS]]
    same = [draft.random.choice(offsets)] * len(offsets)
    return (
        phase("fill", Unit.BYTES, fill),
        phase("rewrite", Unit.BYTES, _records(draft, offsets, write=True)),
        phase("backwards", Unit.BYTES, _records(draft, offsets[::-1], write=False)),
        phase("strides", Unit.BYTES, _records(draft, strides, write=False)),
        phase("record-again", Unit.BYTES, _records(draft, same, write=True)),
    )


def _records(draft: Draft, offsets: Sequence[int], *, write: bool) -> Script:
    take, script = draft.contents.take, draft.script(RECORD_BYTES)
    script.access(
        NAME,
        [ScriptAccess(offset, take(RECORD_BYTES, RECORD_BYTES)[0] if write else None) for offset in offsets],
    )
    return script


RECORDS = (
    ("4k", 4 * KIB, 64),
    ("16k", 16 * KIB, 64),
    ("64k", 64 * KIB, 56),
    ("256k", 256 * KIB, 48),
    ("1m", MIB, 32),
)
"""Name, size and count. Larger records are fewer, so that each phase takes about as long."""


def record_sizes(draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose IOzone's random reads and writes of records of several sizes."""
    phases = [phase("fill", Unit.BYTES, _written(draft, RANDOM_FILE_BYTES))]
    for label, record_bytes, number in RECORDS:
        count = min(draft.count(number), draft.sizes[NAME] // record_bytes)
        for name, writes in (("read", 0.0), ("write", 1.0)):
            script = draft.script(record_bytes)
            script.access(NAME, _random(draft, count, record_bytes, writes))
            phases.append(phase(f"{name}-{label}", Unit.BYTES, script))
    return tuple(phases)


def dd(record_bytes: int, draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose a file written and read in records of this size."""
    write, read = _written(draft, 512 * MIB, record_bytes), draft.script(record_bytes)
    read.read(NAME)
    return phase("write", Unit.BYTES, write), phase("read", Unit.BYTES, read)


def large_file(draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose a film that is written, copied within the volume and deleted."""
    write, copy, delete = _written(draft, 320 * MIB, CHUNK_BYTES, "film"), draft.script(), draft.script()
    copy.copy("film", "copy")
    delete.delete("film")
    delete.delete("copy")
    return (
        phase("write", Unit.BYTES, write),
        phase("copy", Unit.BYTES, copy),
        phase("delete", Unit.FILES, delete),
    )
