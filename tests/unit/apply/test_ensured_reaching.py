"""Content on drives outside the file is never lost through drives in the file. Output is that of mdadm
4.2, LVM 2.03 and btrfs-progs 6.2."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive
from wizard.apply.ensure import layers
from wizard.apply.ensure.layers import reaching_faults
from wizard.model.errors import Failed
from wizard.model.machine import Drive, Partition, Signature
from wizard.process.program import Result

PVS = '{"report": [{"pv": [%s]}]}'
ROW = '{"pv_name":"%s","vg_name":"%s","pv_missing":"%s"}'


def holding(path: str, kind: str, uuid: str = "u") -> Drive:
    part = Partition(f"{path}1", 1, 2**20, 2**27, signatures=(Signature(kind, "raid", uuid=uuid),))
    return replace(drive(path=path), partitions=(part,))


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
        both = holding("/dev/sda", kind), holding("/dev/sdb", kind)
        rows = ",".join(ROW % (f"{one.path}1", "g", "") for one in both)
        said = {"btrfs": "num_devices\t\t2\n", "mdadm": "MD_LEVEL=raid1\nMD_DEVICES=2\n", "pvs": PVS % rows}
        assert told(both, said, monkeypatch) == ""
        assert told((drive(), holding("/dev/sda", "ext4")), {}, monkeypatch) == ""


@pytest.mark.parametrize("kind", ["btrfs", "linux_raid_member", "LVM2_member"])
def test_part_of_a_larger_group_is_reported(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ",".join(ROW % (name, "g", "") for name in ("/dev/sda1", "/dev/sdz1"))
    said = {"btrfs": "num_devices\t\t2\n", "mdadm": "MD_LEVEL=raid1\nMD_DEVICES=2\n", "pvs": PVS % rows}
    one = holding("/dev/sda", kind)
    assert "/dev/sda1 is one of 2 devices" in told((one,), said, monkeypatch)
    # Another of the same kind is not the other part.
    strange = holding("/dev/sdb", kind, "v")
    assert "/dev/sda1 is one of 2 devices" in told((one, strange), said, monkeypatch)


@pytest.mark.parametrize("kind", ["zfs_member", "isw_raid_member", "bcache", "jbd"])
def test_part_of_an_unknown_group_is_a_doubt(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = told((drive(), holding("/dev/sda", kind)), {}, monkeypatch)
    assert f"/dev/sda1 is a {kind}" in said and "no data is replaced" in said


def test_incomplete_tool_output_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, said in (
        ("btrfs", {"btrfs": "csum\t1\n"}),
        ("linux_raid_member", {"mdadm": "MD_LEVEL=raid1\n"}),
        ("LVM2_member", {"pvs": "WARNING\n"}),
    ):
        with pytest.raises(Failed):
            told((holding("/dev/sda", kind),), said, monkeypatch)


def test_physical_volume_without_a_group_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    one = holding("/dev/sda", "LVM2_member")
    assert told((one,), {"pvs": PVS % (ROW % ("/dev/sda1", "", ""))}, monkeypatch) == ""


def test_second_signature_on_a_physical_volume_is_a_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    one = holding("/dev/sda", "LVM2_member")
    part = one.partitions[0]
    both = (*part.signatures, replace(part.signatures[0], kind="zfs_member"))
    two = replace(one, partitions=(replace(part, signatures=both),))
    said = told((two,), {"pvs": PVS % (ROW % ("/dev/sda1", "g", ""))}, monkeypatch)
    assert "/dev/sda1 is a zfs_member" in said and "no data is replaced" in said
