"""The new place of a moved partition, and refusals: rules on recorded drives."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, gpt, machine, mbr, partition, partitioned
from wizard.documents.codec import digest_of, render_document, to_json
from wizard.model.errors import BadInput, Refused
from wizard.model.finding import Recorded, Recording
from wizard.model.geometry import Identity
from wizard.model.machine import Drive, Extent, Partition, Signature, Use
from wizard.model.moves import Move, Moves, Scheme
from wizard.model.said import GIB, MIB
from wizard.plan.partition.move_target import planned_move, why_not_move
from wizard.plan.partition.moves import (
    MOVES,
    after_move,
    one_moves,
    planned_again,
    planned_moves,
    preview,
    step_seconds,
)

SECTOR = 512
EARLIER = "diskwright.move/1"
MISALIGNED = partition(1, 63 * SECTOR, 10 * GIB, filesystem="ext4")


def moved(on: Drive, start: int | None = None, number: int = 1) -> Move:
    part = next(part for part in on.partitions if part.number == number)
    return planned_move(machine(on), on, part, start)


def test_enough_space_makes_a_log_unnecessary() -> None:
    move = moved(partitioned(MISALIGNED, rotational=False))
    assert move.scheme is Scheme.DIRECT and move.after.start_bytes % MIB == 0
    assert 64 * MIB <= move.shift_bytes < 66 * MIB
    # Three windows fit into the hole while their records lag.
    assert move.in_flight == 3 and 60 * MIB < 3 * move.window_bytes <= move.shift_bytes
    assert move.journal.start_bytes >= move.after.end_bytes
    assert move.span == Extent(63 * SECTOR, move.journal.end_bytes - 63 * SECTOR)


def test_hard_disk_flushes_twice_for_windows_of_the_whole_hole() -> None:
    move = moved(partitioned(MISALIGNED, rotational=True))
    assert move.in_flight == 1 and move.shift_bytes // 2 < move.window_bytes <= move.shift_bytes


def test_partition_before_a_neighbour_moves_down() -> None:
    low = partition(1, 200 * MIB + SECTOR, 10 * GIB, filesystem="xfs")
    wall = partition(2, low.end_bytes, GIB)
    move = moved(partitioned(low, wall))
    assert move.after.start_bytes < low.start_bytes and move.scheme is Scheme.DIRECT
    assert move.journal.end_bytes <= move.after.start_bytes or move.journal.start_bytes >= low.end_bytes


def test_little_space_needs_a_log() -> None:
    wall = partition(2, MISALIGNED.end_bytes + 20 * MIB, GIB)
    move = moved(partitioned(MISALIGNED, wall))
    assert move.scheme is Scheme.LOGGED and move.after.start_bytes == MIB
    assert move.journal.end_bytes <= wall.start_bytes


def test_move_without_enough_space_is_refused() -> None:
    wall = partition(2, MISALIGNED.end_bytes + 2 * MIB, GIB)
    with pytest.raises(Refused, match="Not enough space"):
        moved(partitioned(MISALIGNED, wall))


def test_exact_start_is_used_or_refused() -> None:
    on = partitioned(MISALIGNED)
    assert moved(on, 64 * SECTOR).after.start_bytes == 64 * SECTOR
    for start, why in ((63 * SECTOR, "already"), (1000, "blocks"), (on.size_bytes or 0, "must fit between")):
        with pytest.raises(Refused, match=why):
            moved(on, start)


def test_aligned_partition_stays() -> None:
    with pytest.raises(Refused, match="already starts at"):
        moved(partitioned(partition(1, MIB, GIB, filesystem="ext4")))


@pytest.mark.parametrize(
    ("on", "why"),
    [
        (partitioned(MISALIGNED, zoned="host-managed"), "zone"),
        (partitioned(MISALIGNED, uses=(Use("mounted", "/dev/sda1", "/home"),)), "/home"),
        (partitioned(MISALIGNED, table=gpt(backup="damaged")), "Repair it first"),
        (partitioned(MISALIGNED, table=mbr(kind="hybrid")), "hybrid"),
        (partitioned(replace(MISALIGNED, signatures=())), "contains unrecognised data"),
        (partitioned(replace(MISALIGNED, signatures=(Signature("zfs_member", "filesystem"),))), "zfs_member"),
        (partitioned(replace(MISALIGNED, signatures=(Signature("BitLocker", "crypto"),))), "BitLocker"),
        (partitioned(partition(1, 63 * SECTOR, MIB // 2, filesystem="ext4")), "smaller"),
        (partitioned(replace(MISALIGNED, type="0x05"), table=mbr()), "logical"),
        (partitioned(MISALIGNED, read_only=True), "read-only"),
    ],
)
def test_immovable_partition_gives_the_reason(on: Drive, why: str) -> None:
    assert why in str(why_not_move(on, on.partitions[0]))


def holding(kind: str, table_type: str, attributes: int = 0) -> Partition:
    """Return the misaligned partition with this content."""
    marks = (Signature(kind, "filesystem"),)
    return replace(MISALIGNED, type=table_type, signatures=marks, attributes=attributes)


def test_bootable_content_is_reported() -> None:
    efi = holding("vfat", "c12a7328-f81f-11d2-ba4b-00a0c93ec93b")
    assert any("firmware" in str(said) for said in moved(partitioned(efi)).doubts)
    windows = holding("ntfs", "0x07")
    assert any("Windows" in str(said) for said in moved(partitioned(windows, table=mbr())).doubts)
    active = holding("ext4", "0x83", 0x80)
    assert any("boot loader" in str(said) for said in moved(partitioned(active, table=mbr())).doubts)


def test_move_survives_its_document_and_a_forged_one_does_not() -> None:
    move = moved(partitioned(MISALIGNED))
    moves = Moves((move,))
    assert MOVES.read(MOVES.render(moves), "it") == moves
    forged = (
        replace(move, after=move.before),
        replace(move, span=Extent(move.span.start_bytes + SECTOR, move.span.size_bytes)),
        replace(move, journal=Extent(move.after.start_bytes + MIB, move.journal.size_bytes)),
        replace(move, window_bytes=2 * move.shift_bytes),
        replace(move, window_bytes=move.shift_bytes // 2),
        replace(move, in_flight=2),
        replace(move, head_bytes=move.before.size_bytes + SECTOR),
        replace(move, span=Extent(0, drive().size_bytes or 0)),
    )
    for one in forged:
        with pytest.raises(BadInput):
            MOVES.check(Moves((one,)), "it")


def test_effect_of_a_power_cut_is_one_sentence() -> None:
    move = moved(partitioned(MISALIGNED))
    assert any("power cut during the move loses no data" in str(said) for said in preview(Moves((move,))))
    reading, moving, comparing = step_seconds(Moves((move,)))
    assert moving == 2 * reading == 2 * comparing


def several(*parts: Partition, size_bytes: int | None = None) -> Moves:
    on = partitioned(*parts) if size_bytes is None else partitioned(*parts, size_bytes=size_bytes)
    return planned_moves(machine(on), on)


def off(number: int, start: int, size: int = 10 * GIB, filesystem: str = "ext4") -> Partition:
    return partition(number, start + 63 * SECTOR, size, filesystem=filesystem)


def test_several_move_as_one_job_into_space_of_earlier_ones() -> None:
    first, second = off(1, 0), off(2, 10 * GIB)
    aligned = partition(3, 20 * GIB + 100 * MIB, GIB, filesystem="xfs")
    moves = several(first, second, aligned)
    assert [move.number for move in moves.moves] == [2, 1] and len(moves.remarks) == 1
    assert all(move.after.start_bytes % MIB == 0 for move in moves.moves)
    # The last one goes far, and so makes room for the first to go without a log.
    assert [move.scheme for move in moves.moves] == [Scheme.DIRECT, Scheme.DIRECT]
    assert moves.moves[1].span.end_bytes <= moves.moves[0].after.start_bytes
    assert moves.moves[0].span.end_bytes <= aligned.start_bytes
    assert moves.device == "/dev/sda" and moves.devices == ("/dev/sda2", "/dev/sda1")


def test_immovable_ones_of_several_stay_with_a_reason() -> None:
    strange = replace(off(1, 0), signatures=())
    moves = several(strange, off(2, 20 * GIB))
    assert [move.number for move in moves.moves] == [2]
    why, _ = moves.remarks
    assert "/dev/sda1 contains unrecognised data" in str(why) and why in moves.doubts
    with pytest.raises(Refused, match="contains unrecognised data"):
        several(strange)
    with pytest.raises(Refused, match="no misaligned partitions"):
        several(partition(1, MIB, GIB, filesystem="ext4"))


def test_several_moves_survive_the_document_and_old_ones_are_read() -> None:
    moves = several(off(1, 0), off(2, 20 * GIB))
    assert MOVES.read(MOVES.render(moves), "it") == moves
    for forged in (
        replace(moves, moves=()),
        replace(moves, moves=(moves.moves[0], moves.moves[0])),
        replace(moves, moves=(moves.moves[0], replace(moves.moves[1], drive=drive_of_another()))),
    ):
        with pytest.raises(BadInput):
            MOVES.check(forged, "it")
    body = to_json(moves.moves[0], derived=False)
    text = render_document(EARLIER, {"digest": digest_of(body, EARLIER), **body})
    assert MOVES.read_kept(text, "it") == Moves((moves.moves[0],))


def drive_of_another() -> Identity:
    on = replace(partitioned(MISALIGNED), serial="ANOTHER")
    return planned_move(machine(on), on, on.partitions[0]).drive


def test_same_moves_are_recomputed_or_refused() -> None:
    on = partitioned(off(1, 0), off(2, 10 * GIB))
    moves = planned_moves(machine(on), on)
    assert planned_again(machine(on), on, moves) == moves
    now = after_move(on, moves.moves[0])
    with pytest.raises(Refused, match="already starts at"):
        planned_again(machine(now), now, moves)
    gone = replace(on, partitions=on.partitions[:1])
    with pytest.raises(Refused, match="is not a partition"):
        planned_again(machine(gone), gone, moves)


def test_shingled_drive_warns_of_a_long_duration() -> None:
    on = partitioned(off(1, 0), off(2, 10 * GIB), rotational=True)
    shingled = Recording("shingled", "drive", Recorded.LIKELY, "medium")
    for moves in (
        planned_moves(machine(on), on, shingled),
        one_moves(machine(on), on, on.partitions[1], recording=shingled),
    ):
        assert any("many times as long" in str(said) for said in preview(moves))
        assert planned_again(machine(on), on, moves) == moves
    unknown = planned_moves(machine(on), on)
    assert any("Unknown if the drive is shingled" in str(said) for said in unknown.doubts)
    solid = replace(on, rotational=False, kernel_rotational=False)
    assert not planned_moves(
        machine(solid), solid, Recording("none", None, Recorded.NOT_APPLICABLE, "high")
    ).doubts
