"""Effect of a move on GRUB, which a BIOS starts from fixed sectors."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import gpt, machine, mbr, partition, partitioned
from wizard.filesystems import partition_types
from wizard.findings.alignment import find_alignment
from wizard.model.drive_facts import Loader
from wizard.model.errors import Refused
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive
from wizard.model.moves import Moves
from wizard.model.said import GIB, MIB
from wizard.plan.partition.move_target import why_not_move
from wizard.plan.partition.moves import MOVES, after_move, one_moves, planned_moves, preview
from wizard.probe.content.notices import next_of

SECTOR = 512
ROOT = partition(1, 63 * SECTOR, 10 * GIB, filesystem="ext4", attributes=0x80)


def on_mbr(*loaders: Loader) -> Drive:
    return replace(partitioned(ROOT, table=mbr()), loaders=loaders)


def told(drive: Drive) -> tuple[Moves, str]:
    moves = one_moves(machine(drive), drive, ROOT)
    return moves, "\n".join(map(str, preview(moves)))


def boot_image(sector: int) -> bytes:
    """Return the checked parts of a boot sector by grub-install (boot.img of GRUB 2.06)."""
    code = bytearray(512)
    code[0x5C:0x64] = sector.to_bytes(8, "little")
    code[0x180:0x18B] = b"GRUB \0Geom\0"
    code[510:] = b"\x55\xaa"
    return bytes(code)


def test_continuation_of_grub_is_read_from_its_first_sector() -> None:
    assert next_of(boot_image(1)) == SECTOR
    assert next_of(boot_image(5_000_000_000)) == 5_000_000_000 * SECTOR
    assert next_of(bytes(510) + b"\x55\xaa") is None
    assert next_of(boot_image(1)[:400]) is None


def test_grub_before_the_first_partition_needs_no_action() -> None:
    moves, said = told(on_mbr(Loader(0, SECTOR)))
    assert not moves.moves[0].then and "grub" not in said.lower() and "bootable" not in said


def test_active_partition_without_grub_may_need_a_new_loader() -> None:
    _, said = told(on_mbr())
    assert "does not boot afterwards" in said


@pytest.mark.parametrize(("at", "where"), [(0, "/dev/sda"), (63 * SECTOR, "/dev/sda1")])
def test_grub_in_a_file_shows_the_command_to_reinstall_it(at: int, where: str) -> None:
    moves, said = told(on_mbr(Loader(at, 63 * SECTOR + GIB)))
    (then,) = moves.moves[0].then
    assert str(then) in said and f"chroot /mnt grub-install --force {where} && umount -R /mnt" in said
    assert "mount /dev/sda1 /mnt && mount --bind /dev" in said
    assert MOVES.read(MOVES.render(moves), "here") == moves


def test_grub_in_another_partition_is_not_mentioned() -> None:
    other = partition(2, 20 * GIB, GIB, filesystem="ext4")
    drive = replace(partitioned(ROOT, other, table=mbr()), loaders=(Loader(0, 20 * GIB + MIB),))
    moves, _ = told(drive)
    assert not moves.moves[0].then


def test_no_partition_moves_over_grub_before_the_first_one() -> None:
    root = partition(1, 2048 * SECTOR, 10 * GIB, filesystem="ext4")
    drive = replace(partitioned(root, table=mbr()), loaders=(Loader(0, SECTOR),))
    with pytest.raises(Refused, match="must fit between"):
        one_moves(machine(drive), drive, root, 63 * SECTOR)
    free = replace(drive, loaders=())
    assert one_moves(machine(free), free, root, 63 * SECTOR).moves[0].after.start_bytes == 63 * SECTOR


@pytest.mark.parametrize(
    ("physical", "sector", "warned"),
    [
        (4096, 63, "alignment-physical"),
        (512, 63, "alignment-4096"),
        (4096, 2049, "alignment-physical"),
        (4096, 64, ""),
        (4096, 4096, ""),
        (512, 4096, ""),
    ],
)
def test_move_to_a_misaligned_start_warns(physical: int, sector: int, warned: str) -> None:
    root = partition(1, 2048 * SECTOR, 10 * GIB, filesystem="ext4")
    drive = replace(partitioned(root, table=mbr()), geometry=Geometry(512, physical, 0, physical, 0))
    moves = one_moves(machine(drive), drive, root, sector * SECTOR)
    (after,) = after_move(drive, moves.moves[0]).partitions
    found = [one for one in find_alignment(replace(drive, partitions=(after,))) if one.code == warned]
    notes = [note for note in map(str, moves.doubts) if "--align" in note]
    assert len(notes) == len(found) == bool(warned)
    assert all(str(one.sentence) in note for one, note in zip(found, notes, strict=True))
    assert all(note in preview(MOVES.read(MOVES.render(moves), "here")) for note in moves.doubts)


def test_bios_boot_partition_stays_with_any_content() -> None:
    boot = partition(1, 34 * SECTOR, 2014 * SECTOR, filesystem="btrfs", type=partition_types.BIOS_BOOT_GPT)
    root = partition(2, 2049 * SECTOR, 10 * GIB, filesystem="ext4")
    drive = replace(partitioned(boot, root, table=gpt()), loaders=(Loader(0, 34 * SECTOR),))
    assert "The partition is not moved" in str(why_not_move(drive, boot))
    moves = planned_moves(machine(drive), drive)
    assert [move.number for move in moves.moves] == [2] and not moves.moves[0].then
    assert any("BIOS boots GRUB from /dev/sda1" in str(remark) for remark in moves.remarks)
