"""A power cut during the release with damaged old bytes: they are not needed to detect foreign writes."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.exchanged import BLOCK, SIZE, Drives, commit, keep
from wizard.apply.engine.record import Phase, load_record, save_record
from wizard.apply.engine.stores import old_file

ONE = (((2, 1), (9, 8, 1)),)
"""A drive with old marks in blocks 1 and 2, and new ones in 8, 9 and 1; 1 decides."""
USED = 5
"""A block that is no mark."""


def cut_before_noted(run: Path) -> Drives:
    """Return drives with all signatures written but not yet recorded, and with damaged old bytes."""
    drives = Drives(run / "0001-x", ONE)
    assert drives.does(commit) and drives.does(keep)
    record = load_record(drives.run)
    assert record is not None and record.phase is Phase.RELEASED and drives.is_new(0)
    save_record(drives.run, replace(record, phase=Phase.RELEASING))
    old_file(drives.run, 0).write_bytes(b"x" * SIZE)
    return drives


def test_content_used_since_is_unchanged(tmp_path: Path) -> None:
    drives = cut_before_noted(tmp_path)
    theirs = b"a file" * BLOCK
    for block in (1, USED):
        drives.drives[0].content[block * BLOCK : (block + 1) * BLOCK] = theirs[:BLOCK]
    assert drives.does(keep)
    record = load_record(drives.run)
    assert record is not None and record.phase is Phase.RELEASED
    for block in (1, USED):
        assert drives.drives[0].content[block * BLOCK : (block + 1) * BLOCK] == theirs[:BLOCK]


@pytest.mark.parametrize("cut", [True, False])
def test_unused_content_is_finished(tmp_path: Path, cut: bool) -> None:
    drives = cut_before_noted(tmp_path)
    if cut:
        for block in (8, 1):
            drives.drives[0].content[block * BLOCK : (block + 1) * BLOCK] = bytes(BLOCK)
    assert drives.does(keep)
    assert drives.is_new(0)
