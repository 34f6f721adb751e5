"""The fingerprint that tests use to compare drives."""

import os
from pathlib import Path

import pytest

from tests.fingerprint import PIECE_BYTES, fingerprint

SIZE = 5 * PIECE_BYTES + 1000


def held(path: Path, pieces: dict[int, bytes], size: int = SIZE) -> str:
    """Return the fingerprint of a file with these pieces and a hole elsewhere."""
    with path.open("wb") as file:
        for at, data in pieces.items():
            file.seek(at)
            file.write(data)
        file.truncate(size)
    return fingerprint(path)


@pytest.mark.parametrize("at", [0, 4095, PIECE_BYTES - 1, PIECE_BYTES, 3 * PIECE_BYTES + 7, SIZE - 1])
def test_one_byte_changes_the_fingerprint_anywhere(tmp_path: Path, at: int) -> None:
    whole = os.urandom(SIZE)
    changed = bytearray(whole)
    changed[at] ^= 1
    assert held(tmp_path / "was", {0: whole}) != held(tmp_path / "now", {0: bytes(changed)})
    assert held(tmp_path / "empty", {}) != held(tmp_path / "one", {at: b"\1"})


def test_hole_equals_zeros(tmp_path: Path) -> None:
    mark = {2 * PIECE_BYTES - 3: b"marked"}
    sparse = held(tmp_path / "sparse", mark)
    (tmp_path / "whole").write_bytes((tmp_path / "sparse").read_bytes())
    assert fingerprint(tmp_path / "whole") == sparse


def test_position_and_size_count(tmp_path: Path) -> None:
    place = held(tmp_path / "place", {0: b"1" * PIECE_BYTES})
    assert held(tmp_path / "other", {PIECE_BYTES: b"1" * PIECE_BYTES}) != place
    assert held(tmp_path / "longer", {0: b"1" * PIECE_BYTES}, SIZE + 1) != place
