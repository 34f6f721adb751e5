"""Existing groups, arrays and Btrfs compared with the desired ones, by the output of mdadm 4.2, LVM 2.03
and btrfs-progs 6.2."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive
from wizard.apply.ensure import layers
from wizard.apply.ensure.layers import reaching_faults
from wizard.model.errors import Failed
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


@pytest.mark.parametrize(
    ("physical", "volumes", "why"),
    [
        (FIRST, (MAIL, FILMS), ""),
        (FIRST, (FILMS, MAIL), ""),
        (FIRST, (MAIL, lv("films", 100)), ""),
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
    def asked(kind: str, fields: Sequence[str], what: str, do: object) -> Rows:
        return volumes if kind == "lvs" else physical if what == "--all" else physical[:1]

    monkeypatch.setattr(layers, "asked", asked)
    found = said([*layers.group_faults({"mail": 400 * MIB, "films": 96 * MIB}, "/dev/sda1")])
    assert why in found and bool(found) is bool(why)


def member(path: str, kind: str, uuid: str, **changes: object) -> Drive:
    part = Partition(f"{path}1", 1, MIB, 128 * MIB, signatures=(Signature(kind, "raid", uuid=uuid),))
    return drive(path=path, partitions=(part,), **changes)


ARRAY = {"level": "raid1", "raid_disks": "2", "array_state": "clean", "degraded": "0"}
"""Attributes of a mirror in sysfs."""


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("array_state", "read-auto", ""),
        ("size", "125", ""),
        ("offset", "", ""),
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
    now = ARRAY | {"size": "127", "offset": "1", "slaves": "sda1 sdb1", name: value}
    (tmp_path / "md").mkdir()
    for attribute in ARRAY:
        (tmp_path / "md" / attribute).write_text(now[attribute] + "\n")
    for slave in now["slaves"].split():
        (tmp_path / "slaves" / slave).mkdir(parents=True)
    monkeypatch.setattr(layers, "sysfs_folder", lambda node: tmp_path)
    size, offset = int(now["size"]) * MIB, int(now["offset"]) * MIB if now["offset"] else None
    array = Layer("md raid1", "/dev/md5", PARTS[0], size_bytes=size, offset_bytes=offset)
    drives = [
        member(part[:-1], "linux_raid_member", "u", layers=(replace(array, below=part),)) for part in PARTS
    ]
    found = said([*layers.md_faults(Stripe("md", "/dev/md127", level="raid1"), PARTS, drives)])
    assert why in found and bool(found) is bool(why)


def test_room_of_an_array() -> None:
    assert room_bytes("md", "raid1", (5, 4)) == 4 and room_bytes("md", "raid0", (5, 4)) == 9


MIRRORED, STRIPED = Stripe("btrfs", level="raid1", metadata="raid1"), Stripe("btrfs", metadata="raid1")
MIRROR = "DATA|RAID1 METADATA|RAID1 SYSTEM|RAID1"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, ""),
        ({"stripe": STRIPED}, "DATA RAID1 instead of DATA RAID0"),
        ({"stripe": STRIPED, "chunks": "DATA|RAID0 METADATA|RAID1 SYSTEM|RAID1"}, ""),
        ({"uuids": "u v"}, "different volumes"),
        ({"numbers": "1 3 9 2 3 9"}, "devices is 3"),
        ({"numbers": "1 2 9 2 1 9"}, "devices is 1"),
        ({"numbers": "1 2 9 1 2 9"}, "the same Btrfs device ID"),
        ({"numbers": "1 2 9 2 2 8"}, "/dev/sdb1 missed the latest writes"),
        # Between the superblocks of one commit.
        ({"numbers": "1 2 9 2 2 8", "used": "sda1 sdb1"}, ""),
        ({"numbers": "1 2 7 2 2 9", "used": "sda1 sdb1"}, "/dev/sda1 missed the latest writes"),
        ({"used": "sda1"}, "lacks /dev/sdb1"),
        ({"used": "sda1 sdb1 sdc1"}, "also contains /dev/sdc1"),
        ({"used": "sda1 sdb1", "missing": "1"}, "the mounted Btrfs is missing a device"),
        ({"chunks": "DATA|single METADATA|RAID1"}, "DATA SINGLE instead of DATA RAID1"),
        ({"chunks": "DATA|RAID1 DATA|single"}, "DATA RAID1+SINGLE instead"),
        ({"chunks": "DATA|RAID1 METADATA|DUP"}, "METADATA DUP instead"),
        ({"chunks": "DATA|RAID1 SYSTEM|RAID0"}, "SYSTEM RAID0 instead of SYSTEM RAID1"),
        ({"chunks": "DATA|METADATA|RAID1"}, "DATA+METADATA RAID1"),
    ],
)
def test_each_drift_of_a_btrfs_is_a_difference(
    changes: dict[str, Any], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = {"numbers": "1 2 9 2 2 9", "uuids": "u u", "chunks": MIRROR, "used": "", "missing": "0"} | changes
    # Device ID, devices and generation of each partition.
    names, each = ("dev_item.devid", "num_devices", "generation"), now["numbers"].split()
    known = dict(zip(PARTS, (each[:3], each[3:]), strict=True))

    def output(argv: Sequence[str]) -> Result:
        said = "".join(f"CHUNK_ITEM 1) x\n\tlength 1 owner 2 type {kind}\n" for kind in now["chunks"].split())
        if argv[2] == "dump-super":
            said = "".join(f"{name}\t{n}\n" for name, n in zip(names, known[argv[-1]], strict=True))
        elif argv[1] == "filesystem":
            kinds = [kind.replace("|", ", ") for kind in now["chunks"].split()]
            said = "".join(f"{kind}: total=1, used=1\n" for kind in (*kinds, "GlobalReserve, single"))
        return Result(0, said, "", 0.0)

    monkeypatch.setattr(sysfs, "SYS", tmp_path)
    monkeypatch.setattr(layers, "run", output)
    for name in (*(f"devices/{name}" for name in now["used"].split()), "devinfo/2"):
        (tmp_path / "fs/btrfs/u" / name).mkdir(parents=True)
    (tmp_path / "fs/btrfs/u/devinfo/2/missing").write_text(now["missing"])
    uses = (Use("mounted", PARTS[0], "/mnt"),) if now["used"] else ()
    pairs = zip(PARTS, now["uuids"].split(), strict=True)
    drives = [member(part[:-1], "btrfs", uuid, uses=uses) for part, uuid in pairs]
    found = said([*layers.btrfs_faults(changes.get("stripe", MIRRORED), PARTS, drives)])
    assert why in found and bool(found) is bool(why)


PVS = '{"report": [{"pv": [%s]}]}'
ROW = '{"pv_name":"%s","vg_name":"%s","pv_missing":"%s"}'


def told(drives: Sequence[Drive], said: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the faults for the output in `said`, by program. pvs reports a single row per device."""

    def look(argv: Sequence[str]) -> Result:
        words = said.get(argv[0])
        if argv[0] == "pvs" and argv[-1] != "--all" and words and "pv_name" in words:
            group = "" if '"vg_name":""' in words else "g"
            words = PVS % (ROW % (argv[-1], group, ""))
        assert words is not None, argv
        return Result(0, words, "", 0.0)

    monkeypatch.setattr(layers, "run", look)
    return " ".join(map(str, reaching_faults(drives)))


def test_complete_local_group_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("btrfs", "linux_raid_member", "LVM2_member"):
        both = member("/dev/sda", kind, "u"), member("/dev/sdb", kind, "u")
        rows = ",".join(ROW % (f"{one.path}1", "g", "") for one in both)
        said = {"btrfs": "num_devices\t\t2\n", "mdadm": "MD_LEVEL=raid1\nMD_DEVICES=2\n", "pvs": PVS % rows}
        assert told(both, said, monkeypatch) == ""
        assert told((drive(), member("/dev/sda", "ext4", "u")), {}, monkeypatch) == ""


@pytest.mark.parametrize("kind", ["btrfs", "linux_raid_member", "LVM2_member"])
def test_part_of_a_larger_group_is_reported(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ",".join(ROW % (name, "g", "") for name in ("/dev/sda1", "/dev/sdz1"))
    said = {"btrfs": "num_devices\t\t2\n", "mdadm": "MD_LEVEL=raid1\nMD_DEVICES=2\n", "pvs": PVS % rows}
    one = member("/dev/sda", kind, "u")
    assert "/dev/sda1 is one of 2 devices" in told((one,), said, monkeypatch)
    # Another of the same kind is not the other part.
    strange = member("/dev/sdb", kind, "v")
    assert "/dev/sda1 is one of 2 devices" in told((one, strange), said, monkeypatch)


@pytest.mark.parametrize("kind", ["zfs_member", "isw_raid_member", "bcache", "jbd"])
def test_part_of_an_unknown_group_is_a_doubt(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = told((drive(), member("/dev/sda", kind, "u")), {}, monkeypatch)
    assert f"/dev/sda1 is a {kind}" in said and "no data is replaced" in said


def test_incomplete_tool_output_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, said in (
        ("btrfs", {"btrfs": "csum\t1\n"}),
        ("linux_raid_member", {"mdadm": "MD_LEVEL=raid1\n"}),
        ("LVM2_member", {"pvs": "WARNING\n"}),
    ):
        with pytest.raises(Failed):
            told((member("/dev/sda", kind, "u"),), said, monkeypatch)


def test_physical_volume_without_a_group_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    one = member("/dev/sda", "LVM2_member", "u")
    assert told((one,), {"pvs": PVS % (ROW % ("/dev/sda1", "", ""))}, monkeypatch) == ""


def test_second_signature_on_a_physical_volume_is_a_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    one = member("/dev/sda", "LVM2_member", "u")
    part = one.partitions[0]
    both = (*part.signatures, replace(part.signatures[0], kind="zfs_member"))
    two = replace(one, partitions=(replace(part, signatures=both),))
    said = told((two,), {"pvs": PVS % (ROW % ("/dev/sda1", "g", ""))}, monkeypatch)
    assert "/dev/sda1 is a zfs_member" in said and "no data is replaced" in said
