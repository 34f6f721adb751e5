"""Parts of a plan that another tool's format cannot express, and its spelling of names."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, mbr, partition, partitioned
from tests.unit.plan.layouts import plan_for, spec
from tests.unit.plan.raid.stripes import MD
from tests.unit.plan.raid.test_grouped import grouped
from tests.unit.plan.test_encryption import planned, secret
from wizard.model.errors import BadInput
from wizard.model.layout import NO_PLACE, Subvolume
from wizard.model.said import GIB
from wizard.plan.export import lacking, member_of, repart_files, repart_lacks, sfdisk_dump
from wizard.plan.plan import Plan
from wizard.plan.request.plan_request import Mode


def told(plan: Plan, *, repart: bool = False) -> str:
    return "\n".join(map(str, lacking(plan, repart=repart)))


def test_layers_between_a_partition_and_its_filesystem_are_listed() -> None:
    encrypted = planned(secret())
    assert "Not written: the ext4 in LUKS2 'private' on /dev/sda1" in told(encrypted)
    in_group = grouped(drive(), spec("ext4", size_bytes=GIB), spec("xfs"))
    said = told(in_group, repart=True)
    assert "the LVM volume group" in said and "the ext4" in said
    assert "Format=" not in "".join(repart_files(in_group, in_group.members[0]).values())


def test_repart_gets_containers_subvolumes_and_mounts() -> None:
    volumes = (
        secret(key="/etc/keys/m.key", mount_point="/srv/my media: b", size_bytes=GIB),
        replace(
            spec("btrfs", size_bytes=GIB, mount_point="/srv/b"),
            label="b",
            subvolumes=(Subvolume("@home", "/srv/b/home"), Subvolume("@home/old")),
        ),
        spec("swap", size_bytes=GIB, mount_point=NO_PLACE),
    )
    plan = planned(*volumes)
    container, btrfs, swap = (text.splitlines() for text in repart_files(plan, plan.members[0]).values())
    (held,) = plan.containers
    assert {"Format=ext4", "Encrypt=key-file"} <= {*container}
    assert f"EncryptedVolume={held.name}:/etc/keys/m.key:luks,nofail" in container
    assert "MountPoint=/srv/my\\x5c040media\\x3a\\x5c040b:noatime,nofail" in container
    assert {"MakeDirectories=/@home /@home/old", "Subvolumes=/@home /@home/old"} <= {*btrfs}
    mounts = [line for line in btrfs if line.startswith("MountPoint=/srv/b")]
    assert len(mounts) == 2 and mounts[1].startswith("MountPoint=/srv/b/home:")
    assert "subvol=/@home" in mounts[1].split(",")
    assert not any(line.startswith("MountPoint") for line in swap)
    said = told(plan, repart=True)
    assert "--key-file" in said and held.uuid in said and "the fstab line for swap" in said
    assert "--generate-fstab" in said and "systemd-repart 255" in said
    assert "the subvolumes" not in said and "the encrypted container" not in said


def test_one_of_several_drives_is_named() -> None:
    plan = MD
    with pytest.raises(BadInput, match="--device"):
        member_of(plan, None)
    with pytest.raises(BadInput, match="--device"):
        member_of(plan, "/dev/sdz")
    second = plan.members[1]
    assert member_of(plan, second.drive.path) is second
    assert f"device: {second.drive.path}" in sfdisk_dump(second) and "the md array" in told(plan)


def test_unsupported_properties_for_sfdisk() -> None:
    plan = plan_for(drive(), spec("ext4", mount_point="/srv/a"))
    said = told(plan)
    assert "the ext4 'media' on /dev/sda1" in said and "mount" in said


def test_name_cannot_end_a_value_or_a_line() -> None:
    plan = plan_for(drive(), spec("ext4"))
    (slot,) = plan.after.partitions
    name = 'a"\nType=swap ä\\'
    member = replace(
        plan.members[0], after=replace(plan.after, slots=(replace(slot, name=name, attributes=1),))
    )
    assert 'name="a\\x22\\x0aType=swap \\xc3\\xa4\\x5c"' in sfdisk_dump(member)
    (text,) = repart_files(plan, member).values()
    assert "swap" not in text and "Label=" not in text
    said = "\n".join(map(str, repart_lacks(member)))
    assert "Not written: the name" in said and "the attributes 0x1" in said


def test_mbr_keeps_its_identifier_and_is_not_exported_to_repart() -> None:
    kept = partition(1, GIB, GIB, type="0x83", part_uuid="1a2b3c4d-01", attributes=0x80)
    plan = plan_for(partitioned(kept, table=mbr()), spec("ext4"), mode=Mode.USE_FREE)
    dump = sfdisk_dump(plan.members[0])
    assert "label: dos\nlabel-id: 0x1a2b3c4d\n" in dump and "type=83, bootable" in dump
    with pytest.raises(BadInput, match="creates only GPT"):
        repart_files(plan, plan.members[0])
