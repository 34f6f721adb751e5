"""Data without a signature, and filesystems with a lost partition table: detected, and listed as losses of
a plan."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devices import MakeDrive, forget_partitions, tool
from tests.loop.applying import Work, spec
from tests.loop.program import MIB, make_plan, partition_path, probe_drive, probe_machine
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.errors import Refused
from wizard.model.machine import Obstacle
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.text import losses
from wizard.probe.machine import load_machine, save_machine, survey

NOISE = random.Random(29)
KINDS = {
    "ext4": ("mkfs.ext4", "-q", "-F", "-L", "photos"),
    "xfs": ("mkfs.xfs", "-q", "-f", "-L", "photos"),
    "btrfs": ("mkfs.btrfs", "-q", "-f", "-L", "photos"),
    "ntfs": ("mkfs.ntfs", "-q", "-F", "-f", "-L", "photos"),
    "crypto_LUKS": ("cryptsetup", "-q", "luksFormat", "--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000"),
    "LVM2_member": ("pvcreate", "-q", "-y"),
    "swap": ("mkswap", "-L", "photos"),
}


def make(kind: str, node: str, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("secret")
    tool(*KINDS[kind], node, *([str(key)] if kind == "crypto_LUKS" else []))


def codes(path: str) -> set[str]:
    machine = probe_machine([path])
    return {one.code for one in diagnose(machine, machine.drives[0], load_patterns()).findings}


def refused(path: str, mode: Mode | None) -> None:
    """Check that a plan for the drive is refused."""
    machine = probe_machine([path])
    with pytest.raises(Refused):
        make_plan(machine, (machine.drives[0],), NewVolumes((spec("ext4"),), mode))


def write(path: str, at: int, data: bytes) -> None:
    with Path(path).open("r+b") as device:
        device.seek(at)
        device.write(data)


@pytest.mark.parametrize("at", [0, 5, 512 * MIB - 3], ids=["start", "fifth byte", "end"])
@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_drive_with_one_piece_of_data_is_not_empty(
    make_drive: MakeDrive, own: Callable[[str], None], block_bytes: int, at: int
) -> None:
    path = make_drive(512 * MIB, block_bytes)
    own(path)
    assert probe_drive(path).is_empty
    write(path, at, b"\x80")
    drive = probe_drive(path)
    assert drive.data_at_bytes == at and drive.is_empty is False and drive.free == ()
    assert "contents-unrecognised" in codes(path)


@pytest.mark.parametrize("start", [0, 300 * MIB], ids=["everywhere", "second half"])
def test_unrecognised_data_must_be_accepted_as_a_loss(
    work: Work, make_drive: MakeDrive, start: int, tmp_path: Path
) -> None:
    path = make_drive(600 * MIB)
    for at in range(start, 600 * MIB, 2 * MIB):
        write(path, at, NOISE.randbytes(2 * MIB))
    for mode in (None, Mode.USE_FREE):
        refused(path, mode)
    plan = work.plan(path, spec("ext4"), mode=Mode.REPLACE)
    assert plan.before.unmarked and losses(plan)
    save_machine(tmp_path / "machine.json", survey([path]))
    (again,) = load_machine(tmp_path / "machine.json").drives
    (now,) = probe_machine([path]).drives
    assert again.content_digest == now.content_digest and again.data_at_bytes == now.data_at_bytes
    write(path, now.data_at_bytes or 0, NOISE.randbytes(4096))
    assert probe_drive(path).content_digest != now.content_digest


def test_partition_with_unrecognised_data_is_not_empty(make_drive: MakeDrive) -> None:
    path = make_drive(64 * MIB)
    tool("sh", "-c", f"printf '1MiB,20MiB\\n30MiB,20MiB\\n' | sfdisk --quiet --label gpt --no-reread {path}")
    write(path, 31 * MIB, NOISE.randbytes(MIB))
    empty, full = probe_drive(path).partitions
    assert empty.data_at_bytes is None and full.data_at_bytes is not None and full.data_at_bytes >= MIB


@pytest.mark.parametrize("block_bytes", [512, 4096])
@pytest.mark.parametrize("kind", list(KINDS))
def test_filesystem_is_found_without_its_table(
    work: Work, make_drive: MakeDrive, kind: str, block_bytes: int, tmp_path: Path
) -> None:
    path = make_drive(900 * MIB, block_bytes)
    tool("sh", "-c", f"printf '1MiB,400MiB\\n,\\n' | sfdisk --quiet --label gpt --no-reread {path}")
    tool("partx", "--add", path)
    for number in (1, 2):
        make(kind, partition_path(path, number), tmp_path)
    before = probe_drive(path).partitions
    forget_partitions(path)
    tool("wipefs", "--all", "--quiet", path)
    drive = probe_drive(path)
    assert drive.table is not None and drive.table.kind == "none" and drive.is_empty is False
    sized = kind not in ("crypto_LUKS", "swap")
    found = [(part.filesystem, part.start_bytes, part.signatures[0].uuid) for part in drive.lost]
    wanted = [(kind, part.start_bytes, part.signatures[0].uuid) for part in before]
    assert found == (wanted if sized else wanted[:1])
    assert "table-lost" in codes(path)
    refused(path, None)
    plan = work.plan(path, spec("ext4"), mode=Mode.REPLACE)
    assert len(plan.before.unmarked) == len(found) and losses(plan)


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_backup_gpt_alone_names_the_partitions(make_drive: MakeDrive, block_bytes: int) -> None:
    path = make_drive(600 * MIB, block_bytes)
    script = "37MiB,200MiB,,\\n300MiB,250MiB\\n"
    tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --label gpt --no-reread {path}")
    tool("partx", "--add", path)
    tool("mkfs.ext4", "-q", "-F", "-L", "photos", partition_path(path, 2))
    before = probe_drive(path).partitions
    forget_partitions(path)
    write(path, 0, bytes(MIB))
    lost = probe_drive(path).lost
    assert [(part.extent, part.part_uuid, part.filesystem) for part in lost] == [
        (part.extent, part.part_uuid, part.filesystem) for part in before
    ]


@pytest.mark.parametrize(("made", "seen"), [(4096, 512), (512, 4096)])
@pytest.mark.parametrize("kind", ["ext4", "ntfs", "vfat", "xfs", "btrfs"])
def test_mbr_for_another_block_size_is_not_trusted(
    work: Work, make_drive: MakeDrive, kind: str, made: int, seen: int
) -> None:
    path = make_drive(1200 * MIB, made)
    size = 800 * MIB // made
    script = f"label: dos\\nstart={16 * MIB // made},size={size}\\n"
    tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --no-reread {path}")
    tool("partx", "--add", path)
    argv = KINDS.get(kind, ("mkfs.vfat",))
    tool(*argv, partition_path(path, 1))
    assert probe_drive(path).partitions[0].filesystem == kind
    forget_partitions(path)
    image = work.bench.image_of(path)
    other = make_drive(1200 * MIB, seen)
    work.bench.own(other)
    tool("dd", f"if={image}", f"of={other}", "bs=1M", "conv=sparse,fsync", "status=none")
    drive = probe_drive(other)
    assert drive.free == () and any(one.obstacle is Obstacle.OTHER_BLOCKS for one in drive.unread)
    assert "drive-unread" in codes(other) and not {
        one for one in codes(other) if one.startswith("table-")
    } - {"table-outside"}
    for mode in (None, Mode.USE_FREE):
        refused(other, mode)


@pytest.mark.parametrize("block_bytes", [512, 4096])
@pytest.mark.parametrize("partition", ["100MiB", "540MiB"], ids=["fits", "cut off"])
def test_table_of_a_larger_drive_is_not_damaged(
    work: Work, make_drive: MakeDrive, block_bytes: int, partition: str
) -> None:
    path, smaller = make_drive(600 * MIB, block_bytes), make_drive(500 * MIB, block_bytes)
    tool("sh", "-c", f"echo '1MiB,{partition}' | sfdisk --quiet --label gpt --no-reread {path}")
    work.bench.own(smaller)
    with work.bench.image_of(path).open("rb") as image:
        write(smaller, 0, image.read(4 * MIB))
    found = codes(smaller)
    assert not {"table-both-damaged", "table-primary-damaged"} & found and "drive-unread" in found
    assert ("table-outside" in found) == (partition == "540MiB")
    (part,) = probe_drive(smaller).partitions
    assert part.start_bytes == MIB and probe_drive(smaller).table is not None
    with pytest.raises(Refused):
        work.plan(smaller, spec("ext4"), mode=Mode.USE_FREE)
