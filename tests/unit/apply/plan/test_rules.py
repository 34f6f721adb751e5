"""Pure rules of applying: active options, comparing tables, saved regions, identity of drives."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.machines import E512, N512, drive, machine
from tests.unit.plan.layouts import plan_for, spec
from wizard.apply.block.extents import merged
from wizard.apply.plan.guard import check_operations
from wizard.apply.plan.identity_check import identity_difference
from wizard.apply.run.backup_store import Environment, table_places
from wizard.apply.steps.wipe import recognised_differences, refuse_foreign_signatures
from wizard.apply.system import mounts
from wizard.apply.system.mounts import option_differences
from wizard.apply.table.proof import disk_differences, kernel_differences
from wizard.model.errors import Failed, Refused, partition_path
from wizard.model.machine import Drive, Extent, Partition, Signature, Table
from wizard.model.said import GIB, MIB
from wizard.operations.table import WipeSignatures
from wizard.plan.dangers import known_identity
from wizard.plan.plan import Plan
from wizard.probe.host import sysfs

EXT4 = frozenset(["rw", "noatime", "errors=remount-ro", "commit=30", "data=ordered"])


@pytest.mark.parametrize(
    ("advised", "filesystem", "seen"),
    [
        (("noatime", "commit=30"), "ext4", EXT4),
        (("noatime", "nofail", "defaults", "x-systemd.growfs"), "ext4", EXT4),
        (("discard",), "btrfs", frozenset({"rw", "discard=async"})),
        (("compress=zstd",), "btrfs", frozenset({"rw", "compress=zstd:3"})),
        (("logbsize=256k",), "xfs", frozenset({"rw", "logbsize=256k"})),
        (("logbsize=262144",), "xfs", frozenset({"rw", "logbsize=256k"})),
        (("commit=30",), "btrfs", frozenset({"rw"})),
        ((), "ext4", frozenset({"rw", "relatime"})),
        (("ro",), "ext4", frozenset({"ro"})),
    ],
)
def test_options_in_force(advised: tuple[str, ...], filesystem: str, seen: frozenset[str]) -> None:
    assert option_differences(advised, filesystem, seen) == ()


@pytest.mark.parametrize(
    ("advised", "filesystem", "seen", "said"),
    [
        (
            ("noatime",),
            "ext4",
            frozenset({"rw", "relatime"}),
            "noatime was recommended, but relatime is in effect",
        ),
        (
            ("commit=30",),
            "ext4",
            EXT4 - {"commit=30"} | {"commit=5"},
            "commit=30 was recommended, but commit=5 is in effect",
        ),
        (("commit=30",), "ext4", frozenset({"rw"}), "commit=30 was recommended but is not in effect"),
        (
            ("discard",),
            "ext4",
            frozenset({"rw", "nodiscard"}),
            "discard was recommended, but nodiscard is in effect",
        ),
        (
            ("compress=zstd:1",),
            "btrfs",
            frozenset({"rw", "compress=zstd:3"}),
            "compress=zstd:1 was recommended, but compress=zstd:3 is in effect",
        ),
        (
            ("compress=zstd:1",),
            "btrfs",
            frozenset({"rw", "compress=zstd:15"}),
            "compress=zstd:1 was recommended, but compress=zstd:15 is",
        ),
        ((), "ext4", frozenset({"ro"}), "rw was recommended, but ro is in effect"),
    ],
)
def test_options_not_in_force(
    advised: tuple[str, ...], filesystem: str, seen: frozenset[str], said: str
) -> None:
    (found,) = option_differences(advised, filesystem, seen)
    assert str(found).startswith(said)


def test_mountinfo_with_a_space_in_the_mount_point() -> None:
    text = (
        "36 35 98:0 / /srv/my\\040media rw,noatime master:1 - ext4 /dev/sdb1 rw,errors=continue\n"
        "broken line\n"
    )
    (found,) = sysfs.mounts_in(text)
    assert (found.mount_point, found.source, found.filesystem) == ("/srv/my media", "/dev/sdb1", "ext4")
    assert found.options == {"rw", "noatime", "errors=continue"}


def test_device_mapper_nodes_have_the_name_used_in_plans(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With udev, Btrfs names an opened container by its dm node."""
    (tmp_path / "dm-2/dm").mkdir(parents=True)
    (tmp_path / "dm-2/dm/name").write_text("luks-films\n")
    lines = "36 35 98:0 / /srv/a rw - btrfs /dev/dm-2 rw\n37 35 98:1 / /srv/b rw - ext4 /dev/dm-7 rw\n"
    (tmp_path / "mountinfo").write_text(lines)
    monkeypatch.setattr(mounts, "SYS_BLOCK", tmp_path)
    monkeypatch.setattr(mounts, "MOUNTINFO", tmp_path / "mountinfo")
    assert [entry.source for entry in mounts.read_mounts()] == ["/dev/mapper/luks-films", "/dev/dm-7"]


def applied(plan: Plan) -> Drive:
    """Return the plan's drive with exactly the planned table."""
    partitions = tuple(
        Partition(
            path=partition_path(plan.drive.path, slot.number),
            number=slot.number,
            start_bytes=slot.start_bytes,
            size_bytes=slot.size_bytes,
            type=slot.type,
            name=slot.name,
            kernel_start_bytes=slot.start_bytes,
            kernel_size_bytes=slot.size_bytes,
        )
        for slot in plan.after.partitions
    )
    return replace(drive(), table=Table("gpt"), partitions=partitions)


def test_table_as_planned_has_no_differences() -> None:
    plan = plan_for(drive(), spec("ext4", size_bytes=GIB), spec("xfs"))
    assert disk_differences(plan.after, applied(plan)) == ()
    assert kernel_differences(plan.after, applied(plan)) == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"start_bytes": 2 * MIB}, "partition 1: start is 2097152, not 1048576"),
        ({"size_bytes": GIB - 512}, "partition 1: size is 1073741312"),
        ({"type": "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f"}, "partition 1: type"),
        ({"name": "other"}, "partition 1: name is 'other'"),
        ({"attributes": 4}, "partition 1: flags is '0x4', not '0x0'"),
        ({"number": 3}, "partition 1 is missing"),
    ],
)
def test_every_difference_in_a_table_is_reported(change: dict[str, object], said: str) -> None:
    plan = plan_for(drive(), spec("ext4", size_bytes=GIB))
    seen = applied(plan)
    partition = replace(seen.partitions[0], **change)
    assert any(said in text for text in disk_differences(plan.after, replace(seen, partitions=(partition,))))


def test_partitions_missed_by_the_kernel_are_reported() -> None:
    plan = plan_for(drive(), spec("ext4", size_bytes=GIB))
    seen = applied(plan)
    for change, said in (
        ({"kernel_start_bytes": None}, "partition 1 is missing"),
        ({"kernel_start_bytes": 512}, "partition 1: start is 512, not 1048576"),
        ({"kernel_size_bytes": 512}, "partition 1: size is 512, not "),
    ):
        partition = replace(seen.partitions[0], **change)
        assert kernel_differences(plan.after, replace(seen, partitions=(partition,)))[0].startswith(said)


def test_regions_are_joined_whole_blocks_within_the_drive() -> None:
    found = merged(
        [Extent(5000, 10), Extent(0, 4096), Extent(100_000, 999_999), Extent(-10, 5)], 4096, 106_496
    )
    assert found == (Extent(0, 8192), Extent(98_304, 8192))


def test_regions_exclude_preserved_partitions() -> None:
    assert Extent(0, 100).without([Extent(10, 20), Extent(90, 50)]) == (Extent(0, 10), Extent(30, 60))
    assert Extent(0, 100).without([Extent(0, 100)]) == ()
    assert Extent(0, 100).without([Extent(100, 5)]) == (Extent(0, 100),)


def test_table_places_include_both_ends_and_an_old_middle_copy() -> None:
    head = bytearray(2 * 512)
    head[512:520] = b"EFI PART"
    head[512 + 32 : 512 + 40] = (70 * MIB // 512 - 1).to_bytes(8, "little")
    places = table_places(128 * MIB, bytes(head), 512, [Extent(63 * 512, 8 * MIB)])
    assert places == (Extent(0, 63 * 512), Extent(127 * MIB, MIB), Extent(70 * MIB - 512, 512))
    head[512 + 32 : 512 + 40] = (1 << 63).to_bytes(8, "little")
    assert len(table_places(128 * MIB, bytes(head), 512, [])) == 2


def test_identity_by_permanent_properties_of_a_drive() -> None:
    with_serial = drive(serial="A1", wwn=None, diskseq=5)
    assert with_serial.size_bytes is not None and with_serial.geometry is not None
    one = known_identity(machine(with_serial), with_serial)
    assert identity_difference(one, with_serial) is None
    assert identity_difference(one, replace(with_serial, diskseq=9)) is None, "a restart counts anew"

    def difference(now: Drive) -> str:
        return str(identity_difference(one, now))

    assert difference(replace(with_serial, serial="A2")) == "the serial number is A2, not A1"
    assert difference(replace(with_serial, serial=None)) == "the serial number is none, not A1"
    assert difference(replace(with_serial, wwn="0x5")) == "the WWN is 0x5, not none"
    assert identity_difference(one, replace(with_serial, size_bytes=5)) is not None
    other = E512 if with_serial.geometry != E512 else N512
    assert difference(replace(with_serial, geometry=other)) == "the block sizes differ"
    assert "\x1b" not in difference(replace(with_serial, serial="\x1b[2J"))


def test_operations_stay_on_their_drive() -> None:
    plan = plan_for(drive(), spec("ext4"))
    check_operations(plan, Environment())
    check_operations(plan, Environment(only=frozenset({plan.drive.path})))
    with pytest.raises(Refused, match="may not touch"):
        check_operations(plan, Environment(only=frozenset({"/dev/loop7"})))
    foreign = replace(plan.steps[-1], operation=WipeSignatures("/dev/elsewhere", ()))
    with pytest.raises(Refused, match="also names /dev/elsewhere"):
        check_operations(replace(plan, steps=(*plan.steps, foreign)), Environment())


def test_recognised_content_must_be_the_created_one() -> None:
    made = Signature("ext4", "filesystem", "media", "u-1")
    assert recognised_differences((made,), "ext4", "u-1", "media") == ()
    assert [*map(str, recognised_differences((made,), "xfs", "u-2", "music"))] == [
        "type is 'ext4', not 'xfs'",
        "UUID is 'u-1', not 'u-2'",
        "label is 'media', not 'music'",
    ]
    two = (made, Signature("btrfs", "filesystem"))
    for found, said in (
        (two, "found ext4, btrfs instead of exactly one filesystem"),
        ((), "found nothing instead of exactly one filesystem"),
    ):
        assert [*map(str, recognised_differences(found, "ext4", "u-1", "media"))] == [said]


def test_wipe_refuses_a_device_with_other_content() -> None:
    refuse_foreign_signatures(
        WipeSignatures("/dev/x1", ("linux_raid_member",)), ["ext4", "linux_raid_member"]
    )
    refuse_foreign_signatures(WipeSignatures("/dev/x1", ("ext4",)), [])
    refuse_foreign_signatures(WipeSignatures("/dev/x1", ()), ["ext4"])
    refuse_foreign_signatures(WipeSignatures("/dev/x", ("gpt",)), ["gpt", "PMBR"])
    with pytest.raises(Failed, match="contains xfs instead of ext4"):
        refuse_foreign_signatures(WipeSignatures("/dev/x1", ("ext4",)), ["xfs"])
