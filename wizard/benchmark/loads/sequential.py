"""IOzone's other patterns, on one file by records of 64 KiB.

It is rewritten, read backwards and in strides, and one record is written again and again.
"""

from collections.abc import Callable, Sequence
from functools import partial

from wizard.benchmark.loads.load import CHUNK_BYTES, Load, LoadPhase, Unit, scaled
from wizard.benchmark.loads.random import filled, moves_within
from wizard.benchmark.loads.script import Draft, Script, ScriptAccess, phase
from wizard.model.said import KIB, MIB

FILE_BYTES = 48 * MIB
RECORD_BYTES = 64 * KIB
STRIDE_RECORDS = 17
"""IOzone's: one record is read, and 16 are passed over."""
NAME = "file"


def _patterns_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    fill = filled(draft, NAME, scaled(FILE_BYTES // MIB, scale) * MIB)
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
"""Name, size, and how many: fewer of the larger, so that each phase takes about as long."""


def _record_sizes_phases(scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    phases = [
        phase("fill", Unit.BYTES, filled(draft, NAME, scaled(RECORD_SIZES_FILE_BYTES // MIB, scale) * MIB))
    ]
    for label, record_bytes, number in RECORDS:
        count = min(scaled(number, scale), draft.sizes[NAME] // record_bytes)
        for name, writes in (("read", 0.0), ("write", 1.0)):
            script = draft.script(record_bytes)
            script.access(NAME, moves_within(draft, NAME, count, record_bytes, writes))
            phases.append(phase(f"{name}-{label}", Unit.BYTES, script))
    return tuple(phases)


RECORD_SIZES_LOAD = Load("record-sizes", _record_sizes_phases)


DD_1K_FILE_BYTES = 512 * MIB


def by_records(record_bytes: int) -> Callable[[float, int], tuple[LoadPhase, ...]]:
    """The phases of a load that handles its file in records of this size."""
    return partial(_dd_1k_phases, record_bytes)


def _dd_1k_phases(record_bytes: int, scale: float, seed: int) -> tuple[LoadPhase, ...]:
    draft = Draft(seed)
    write, read = draft.script(), draft.script(record_bytes)
    write.create(NAME, scaled(DD_1K_FILE_BYTES // MIB, scale) * MIB, record_bytes)
    read.read(NAME)
    return phase("write", Unit.BYTES, write), phase("read", Unit.BYTES, read)


DD_1K_LOAD = Load("dd-1k", by_records(KIB))


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


DD_1M_LOAD = Load("dd-1m", by_records(MIB))
