"""Valid but unusual tables. Adding partitions would overwrite data at the usual location of tables."""

import os
import struct
import zlib
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import GPT_DATA, Work, fill, spec
from tests.loop.attack.attacking import fails, unharmed
from tests.loop.program import MIB, Mode, Refused, probe_drive

BLOCK = 512
ENTRIES = 128 * 128


def move_entries(drive: str, to_lba: int, first_usable_lba: int) -> None:
    """Move the primary entries like `sgdisk --move-main-table` for boards that boot from block 16, and
    update both headers."""
    fd = os.open(drive, os.O_RDWR)
    try:
        last = os.lseek(fd, 0, os.SEEK_END) // BLOCK - 1
        for lba in (1, last):
            header = bytearray(os.pread(fd, BLOCK, lba * BLOCK))
            entries_lba = struct.unpack_from("<Q", header, 72)[0]
            struct.pack_into("<Q", header, 40, first_usable_lba)
            if lba == 1:
                os.pwrite(fd, os.pread(fd, ENTRIES, entries_lba * BLOCK), to_lba * BLOCK)
                struct.pack_into("<Q", header, 72, to_lba)
            header[16:20] = bytes(4)
            struct.pack_into(
                "<I", header, 16, zlib.crc32(bytes(header[: struct.unpack_from("<I", header, 12)[0]]))
            )
            os.pwrite(fd, bytes(header), lba * BLOCK)
        os.fsync(fd)
    finally:
        os.close(fd)


@pytest.fixture
def moved(work: Work, make_drive: MakeDrive) -> str:
    """A drive full of a pattern, with primary GPT entries at block 2048 and a partition after them. A boot
    loader uses blocks 3 to 33."""
    drive = make_drive(96 * MIB)
    fill(drive, work.bench)
    script = f"label: gpt\\nstart=4096,size=8MiB,type={GPT_DATA}\\n"
    tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --no-reread --wipe never {drive} || true")
    move_entries(drive, 2048, 3)
    tool("partx", "--update", drive)
    return drive


def test_plan_adds_no_partition_if_entries_are_at_an_unusual_place(work: Work, moved: str) -> None:
    table = probe_drive(moved).table
    assert table is not None and (table.kind, table.primary, table.backup) == ("gpt", "ok", "ok"), (
        "the attack is none"
    )
    with unharmed(work, moved), pytest.raises(Refused, match="unusual location"):
        work.plan(moved, spec("ext4", 32 * MIB), mode=Mode.USE_FREE)


def test_forged_plan_that_adds_a_partition_is_refused(
    work: Work, moved: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that a plan that adds a partition is refused, for example a plan by hand or by another
    version."""
    with monkeypatch.context() as patch:
        patch.setattr("wizard.plan.refusals.refuse_table", lambda _: None)
        plan = work.plan(moved, spec("ext4", 32 * MIB), mode=Mode.USE_FREE)
    with unharmed(work, moved):
        fails(work, plan, "unusual location")


def test_erasing_the_whole_drive_is_still_possible(work: Work, moved: str) -> None:
    plan = work.plan(moved, spec("ext4"), mode=Mode.REPLACE)
    _, now = work.apply(plan)
    assert now == "done"
    assert Path(plan.volumes[0].path).is_block_device()
