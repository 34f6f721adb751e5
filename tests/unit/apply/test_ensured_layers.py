"""An existing volume group, md array or Btrfs compared with the desired one, as the tools report it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.machines import drive
from wizard.apply.ensure import layers
from wizard.model.layout import Stripe
from wizard.model.machine import Drive, Layer, Partition, Signature, Use
from wizard.model.said import MIB, Message
from wizard.plan.raid.striping import room_bytes
from wizard.probe.host import sysfs
from wizard.process.program import Result

Rows = tuple[dict[str, str], ...]
PARTS = ("/dev/sda1", "/dev/sdb1")


def said(faults: Sequence[Message]) -> str:
    return " ".join(map(str, faults))


def lv(name: str, size_mib: int, kind: str = "linear") -> dict[str, str]:
    return {"lv_name": name, "lv_size": str(size_mib * MIB), "segtype": kind}


def pv(name: str, missing: str = "") -> dict[str, str]:
    return {"pv_name": name, "vg_name": "g", "pv_missing": missing}


MAIL, FILMS = lv("mail", 400), lv("films", 96)
FIRST = (pv("/dev/sda1"),)


def group(monkeypatch: pytest.MonkeyPatch, physical: Rows, volumes: Rows) -> str:
    def asked(kind: str, fields: Sequence[str], what: str, do: object) -> Rows:
        return volumes if kind == "lvs" else physical if what == "--all" else physical[:1]

    monkeypatch.setattr(layers, "asked", asked)
    return said([*layers.group_faults({"mail": 400 * MIB, "films": 96 * MIB}, "/dev/sda1")])


def test_group_as_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    for volumes in ((MAIL, FILMS), (FILMS, MAIL), (MAIL, lv("films", 100))):
        assert group(monkeypatch, FIRST, volumes) == ""


@pytest.mark.parametrize(
    ("physical", "volumes", "why"),
    [
        ((), (MAIL, FILMS), "no volume group on /dev/sda1"),
        ((*FIRST, pv("/dev/sdc1")), (MAIL, FILMS), "also contains /dev/sdc1"),
        ((*FIRST, pv("[unknown]")), (MAIL, FILMS), "[unknown]"),
        ((pv("/dev/sda1", "missing"),), (MAIL, FILMS), "missing a device"),
        (FIRST, (MAIL, FILMS, lv("more", 1)), "also contains more"),
        (FIRST, (MAIL,), "lacks films"),
        (FIRST, (MAIL, lv("films", 80)), "films has"),
        (FIRST, (MAIL, lv("films", 96, "raid1")), "raid1 instead of linear"),
        (FIRST, (MAIL, lv("films", 96, "thin")), "thin instead of linear"),
        # Of two segments the last one is as wanted.
        (FIRST, (lv("films", 96, "striped"), MAIL, FILMS), "striped instead of linear"),
    ],
)
def test_each_drift_of_a_group_is_a_difference(
    physical: Rows, volumes: Rows, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert why in group(monkeypatch, physical, volumes)


def member(path: str, kind: str, uuid: str, **changes: object) -> Drive:
    part = Partition(f"{path}1", 1, MIB, 128 * MIB, signatures=(Signature(kind, "raid", uuid=uuid),))
    return drive(path=path, partitions=(part,), **changes)


def array(folder: Path, monkeypatch: pytest.MonkeyPatch, **changes: str) -> str:
    """Return the faults of a mirror whose attributes in sysfs differ. `size` and `offset`: in MiB."""
    usual = {"level": "raid1", "raid_disks": "2", "array_state": "clean", "degraded": "0", "size": "127"}
    now = usual | {"offset": "1", "slaves": "sda1 sdb1"} | changes
    (folder / "md").mkdir()
    for name in ("level", "raid_disks", "array_state", "degraded"):
        (folder / "md" / name).write_text(now[name] + "\n")
    for slave in now["slaves"].split():
        (folder / "slaves" / slave).mkdir(parents=True)
    monkeypatch.setattr(layers, "sysfs_folder", lambda node: folder)
    size, offset = int(now["size"]) * MIB, int(now["offset"]) * MIB if now["offset"] else None
    drives = []
    for path in ("/dev/sda", "/dev/sdb"):
        layer = Layer("md raid1", "/dev/md5", f"{path}1", size_bytes=size, offset_bytes=offset)
        drives.append(member(path, "linux_raid_member", "u", layers=(layer,)))
    return said([*layers.md_faults(Stripe("md", "/dev/md127", level="raid1"), PARTS, drives)])


@pytest.mark.parametrize("changes", [{}, {"array_state": "read-auto"}, {"size": "125"}, {"offset": ""}])
def test_array_as_wanted_under_any_number(
    changes: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert array(tmp_path, monkeypatch, **changes) == ""
    assert room_bytes("md", "raid1", (5, 4)) == 4 and room_bytes("md", "raid0", (5, 4)) == 9


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("array_state", "inactive", "the contents of /dev/sda1 and /dev/sdb1 are unknown"),
        ("array_state", "clear", "are unknown"),
        ("array_state", "broken", "are unknown"),
        ("level", "raid0", "RAID0 instead of RAID1"),
        ("level", "", "instead of RAID1"),
        ("raid_disks", "3", "the number of devices is 3 instead of 2"),
        ("raid_disks", "3 (2)", "devices is 3 (2)"),
        ("degraded", "1", "is missing a drive"),
        ("slaves", "sda1", "lacks /dev/sdb1"),
        ("slaves", "sda1 sdb1 sdc1", "also contains /dev/sdc1"),
        ("size", "100", "instead of"),
    ],
)
def test_each_drift_of_an_array_is_a_difference(
    name: str, value: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert why in array(tmp_path, monkeypatch, **{name: value})


MIRRORED, STRIPED = Stripe("btrfs", level="raid1", metadata="raid1"), Stripe("btrfs", metadata="raid1")
MIRROR = "DATA|RAID1 METADATA|RAID1 SYSTEM|RAID1"


class Btrfs:
    """A Btrfs on two partitions. Each has a device ID, the number of devices and the generation."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.folder, self.numbers = folder, {PARTS[0]: [1, 2, 9], PARTS[1]: [2, 2, 9]}
        self.uuids, self.chunks, self.used = ["u", "u"], MIRROR, ""
        monkeypatch.setattr(sysfs, "SYS", folder)
        monkeypatch.setattr(layers, "run", lambda argv: Result(0, self.output(argv), "", 0.0))

    def output(self, argv: Sequence[str]) -> str:
        if argv[2] == "dump-super":
            names = ("dev_item.devid", "num_devices", "generation")
            return "".join(f"{name}\t{n}\n" for name, n in zip(names, self.numbers[argv[-1]], strict=True))
        if argv[1] == "filesystem":
            # Reserved metadata, and a type without chunks.
            spaces = [kind.replace("|", ", ") for kind in self.chunks.split()]
            return "".join(f"{one}: total=1, used=1\n" for one in spaces) + "GlobalReserve, single: total=1\n"
        return "".join(f"CHUNK_ITEM 1) x\n\tlength 1 owner 2 type {kind}\n" for kind in self.chunks.split())

    def faults(self, stripe: Stripe = MIRRORED) -> str:
        for name in self.used.split():
            (self.folder / "fs/btrfs/u/devices" / name).mkdir(parents=True)
        uses = (Use("mounted", PARTS[0], "/mnt"),) if self.used else ()
        drives = [
            member(part[:-1], "btrfs", uuid, uses=uses) for part, uuid in zip(PARTS, self.uuids, strict=True)
        ]
        return said([*layers.btrfs_faults(stripe, PARTS, drives)])


@pytest.fixture
def btrfs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Btrfs:
    return Btrfs(monkeypatch, tmp_path)


def test_btrfs_as_wanted_has_no_differences(btrfs: Btrfs) -> None:
    assert btrfs.faults() == ""
    assert "DATA RAID1 instead" in btrfs.faults(STRIPED)
    btrfs.chunks = "DATA|RAID0 METADATA|RAID1 SYSTEM|RAID1"
    assert btrfs.faults(STRIPED) == ""


def test_mounted_btrfs_as_wanted_has_no_differences(btrfs: Btrfs) -> None:
    # Between the superblocks of one commit.
    btrfs.used, btrfs.numbers[PARTS[1]] = "sda1 sdb1", [2, 2, 8]
    assert btrfs.faults() == ""


@pytest.mark.parametrize(
    ("numbers", "used", "why"),
    [
        ([1, 3, 9, 2, 3, 9], "", "devices is 3"),
        ([1, 2, 9, 2, 1, 9], "", "devices is 1"),
        ([1, 2, 9, 1, 2, 9], "", "the same Btrfs device ID"),
        ([1, 2, 9, 2, 2, 9], "sda1", "lacks /dev/sdb1"),
        ([1, 2, 9, 2, 2, 9], "sda1 sdb1 sdc1", "also contains /dev/sdc1"),
        ([1, 2, 9, 2, 2, 8], "", "/dev/sdb1 missed the latest writes"),
        ([1, 2, 7, 2, 2, 9], "sda1 sdb1", "/dev/sda1 missed the latest writes"),
    ],
)
def test_each_drift_of_a_btrfs_is_a_difference(numbers: list[int], used: str, why: str, btrfs: Btrfs) -> None:
    btrfs.numbers, btrfs.used = {PARTS[0]: numbers[:3], PARTS[1]: numbers[3:]}, used
    assert why in btrfs.faults()


def test_other_or_missing_members_are_differences(btrfs: Btrfs) -> None:
    btrfs.uuids = ["u", "v"]
    assert "different volumes" in btrfs.faults()
    btrfs.uuids, btrfs.used = ["u", "u"], "sda1 sdb1"
    (btrfs.folder / "fs/btrfs/u/devinfo/2").mkdir(parents=True)
    (btrfs.folder / "fs/btrfs/u/devinfo/2/missing").write_text("1\n")
    assert "the mounted Btrfs is missing a device" in btrfs.faults()


@pytest.mark.parametrize(
    ("chunks", "why"),
    [
        ("DATA|single METADATA|RAID1", "DATA SINGLE instead of DATA RAID1"),
        ("DATA|RAID1 DATA|single", "DATA RAID1+SINGLE instead"),
        ("DATA|RAID1 METADATA|DUP", "METADATA DUP instead"),
        ("DATA|RAID1 SYSTEM|RAID0", "SYSTEM RAID0 instead of SYSTEM RAID1"),
        ("DATA|METADATA|RAID1", "DATA+METADATA RAID1"),
    ],
)
def test_each_other_profile_is_a_difference(chunks: str, why: str, btrfs: Btrfs) -> None:
    btrfs.chunks = chunks
    assert why in btrfs.faults()
