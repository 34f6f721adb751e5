"""The fingerprint of a device covers all bytes, for any size."""

import hashlib
import os

import pytest
from wizard.apply.conversion.direct import PIECE_BYTES, fingerprint

from tests.devices import Bench, MakeDrive


@pytest.mark.parametrize(
    "size_bytes", [3 * 512, PIECE_BYTES, 2 * PIECE_BYTES, 2 * PIECE_BYTES + 3 * 512, 5 * PIECE_BYTES - 512]
)
def test_fingerprint_covers_all_bytes_once_in_order(
    bench: Bench, make_drive: MakeDrive, size_bytes: int
) -> None:
    drive = make_drive(size_bytes)
    held = os.urandom(size_bytes)
    bench.own(drive)
    bench.image_of(drive).write_bytes(held)
    shares: list[float] = []
    assert fingerprint(drive, shares.append) == hashlib.sha256(held).hexdigest()
    assert shares == sorted(shares) and shares[-1] == 1.0
