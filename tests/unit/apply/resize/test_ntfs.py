"""Safe ranges for writes to NTFS, by the output of its tools and its bitmap."""

import random
from itertools import pairwise

import pytest

from wizard.apply.resize.ntfs import free_in, runs_in
from wizard.model.errors import Failed
from wizard.model.machine import Extent

INFO = """Dumping attribute $STANDARD_INFORMATION (0x10) from mft record 6 (0x6)
\tResident: \t\t Yes
Dumping attribute $DATA (0x80) from mft record 6 (0x6)
\tLowest VCN\t\t 0 (0x0)
\tRunlist:\tVCN\t\tLCN\t\tLength
\t\t\t0x0\t\t0x1907\t\t0x2
\t\t\t0x2\t\t0x20\t\t0x1
Dumping attribute $BITMAP (0xb0) from mft record 6 (0x6)
\tRunlist:\tVCN\t\tLCN\t\tLength
\t\t\t0x0\t\t0x7\t\t0x1
"""


def test_only_runs_of_the_content_attribute_are_read() -> None:
    assert runs_in(INFO, 4096) == (Extent(0x1907 * 4096, 8192), Extent(0x20 * 4096, 4096))
    assert runs_in("Dumping attribute $DATA (0x80)\n\tResident: Yes\n", 4096) == ()


@pytest.mark.parametrize("seed", range(20))
def test_free_clusters_have_no_bit_set(seed: int) -> None:
    chance = random.Random(seed)
    pieces = (b"\0" * 9, b"\xff" * 5, chance.randbytes(7))
    bitmap = b"".join(chance.choice(pieces) for _ in range(30))
    count = len(bitmap) * 8 - chance.randrange(20)
    free = {number for number in range(count) if not bitmap[number // 8] >> number % 8 & 1}
    found = free_in(bitmap, count)
    assert {number for one in found for number in range(one.start_bytes, one.end_bytes)} == free
    assert all(one.end_bytes < other.start_bytes for one, other in pairwise(found))


def test_too_short_bitmap_is_refused() -> None:
    with pytest.raises(Failed, match=r"\$Bitmap"):
        free_in(bytes(10), 81)
