"""IOzone's other patterns, on one file by records of 64 KiB.

It is rewritten, read backwards and in strides, and one record is written again and again.
"""

from collections.abc import Sequence

from wizard.model.units import KIB, MIB
from wizard.trial.loads.actions import Move
from wizard.trial.loads.drawn import scaled
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.random_io import filled
from wizard.trial.loads.script import Draft, Script, phase

FILE_BYTES = 48 * MIB
RECORD_BYTES = 64 * KIB
STRIDE_RECORDS = 17
"""IOzone's: one record is read, and 16 are passed over."""
NAME = "file"


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
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
        [Move(offset, take(RECORD_BYTES, RECORD_BYTES)[0] if write else None) for offset in offsets],
    )
    return script


LOAD = Load("patterns", _phases)
