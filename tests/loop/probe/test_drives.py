"""Real tables and filesystems on loop devices, compared field by field with sfdisk and blkid."""

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from tests.devices import MakeDrive, forget_partitions, tool, write_table
from tests.loop.program import MIB, Drive, Partition, probe_drive
from tests.unit.probe.gptimage import LINUX, Image
from wizard.filesystems import partition_types
from wizard.probe.interpret import machine_of
from wizard.probe.machine import load_facts, load_machine, save_machine, survey

Own = Callable[[str], None]

GPT = """label: gpt
start={a}, size={m}, type=L, name="first one"
start={b}, size={m}, type=S, name="naïve"
start={c}, size={m}, type=U, attrs="LegacyBIOSBootable"
"""
MBR = """label: dos
label-id: 0x1234abcd
start={a}, size={m}, type=83, bootable
start={b}, size={x}, type=5
start={c}, size={m}, type=82
start={d}, size={m}, type=83
"""


def partition(path: str, script: str) -> None:
    """Write a table with sfdisk, with starts and sizes in logical sectors, and without partition nodes."""
    block = int(Path(f"/sys/block/{Path(path).name}/queue/logical_block_size").read_text())
    unit = MIB // block
    write_table(path, script.format(a=unit, b=3 * unit, c=4 * unit, d=6 * unit, m=unit, x=8 * unit))


def add_nodes(path: str) -> None:
    tool("partx", "--add", path)


def sfdisk(path: str) -> dict[str, object]:
    table: dict[str, object] = json.loads(tool("sfdisk", "--json", path))["partitiontable"]
    return table


def blkid(path: str) -> dict[str, str]:
    lines = tool("blkid", "--probe", "--output", "export", path).splitlines()
    return {
        key.lower(): value.replace("\\ ", " ") for key, _, value in (line.partition("=") for line in lines)
    }


def by_number(drive: Drive) -> dict[int, Partition]:
    return {part.number: part for part in drive.partitions}


@pytest.mark.parametrize("block_bytes", [512, 4096])
@pytest.mark.parametrize("script", [GPT, MBR], ids=["gpt", "mbr"])
def test_table_fields_match_sfdisk_and_the_kernel(
    make_drive: MakeDrive, own: Own, block_bytes: int, script: str
) -> None:
    path = make_drive(64 * MIB, block_bytes)
    own(path)
    partition(path, script)
    # partx cannot make a node for an extended partition on blocks of 4096.
    for numbers in ("1:1", "3:6") if script is MBR and block_bytes == 4096 else ("1:6",):
        tool("partx", "--add", "--nr", numbers, path)
    drive, said = probe_drive(path), sfdisk(path)
    assert drive.table is not None and drive.geometry is not None
    assert drive.table.kind == {"gpt": "gpt", "dos": "mbr"}[str(said["label"])]
    assert drive.geometry.logical_block_bytes == block_bytes
    assert (drive.table.uuid or "") == str(said["id"]).lower().removeprefix("0x")
    entries = said["partitions"]
    assert isinstance(entries, list) and len(entries) == len(drive.partitions) >= 3
    for entry, part in zip(entries, drive.partitions, strict=True):
        assert part.path == entry["node"]
        assert part.start_bytes == entry["start"] * block_bytes
        assert part.size_bytes == entry["size"] * block_bytes
        assert (part.name or "") == entry.get("name", "")
        if script is GPT:
            assert part.type == entry["type"].lower()
            assert part.part_uuid == entry["uuid"].lower()
            assert part.attributes == (4 if "attrs" in entry else 0)
        else:
            assert part.type == f"0x{int(entry['type'], 16):02x}"
            assert part.part_uuid == f"1234abcd-{part.number:02x}"
            assert part.attributes == (0x80 if entry.get("bootable") else 0)
        if part.type == "0x05" and block_bytes == 4096:
            continue
        assert (part.kernel_start_bytes, part.kernel_size_bytes) == (part.start_bytes, part.size_bytes)
        seen = Path(f"/sys/class/block/{Path(part.path).name}/start")
        assert int(seen.read_text()) * 512 == part.start_bytes
    if script is GPT:
        assert drive.table.first_usable_bytes == int(str(said["firstlba"])) * block_bytes
        assert drive.table.end_usable_bytes == (int(str(said["lastlba"])) + 1) * block_bytes
        assert (drive.table.primary, drive.table.backup) == ("ok", "ok")
    assert drive.free[-1].end_bytes == drive.table.end_usable_bytes
    assert drive.content_digest is not None and not drive.unread and not drive.uses


@pytest.mark.parametrize("nodes", [True, False], ids=["with nodes", "without nodes"])
def test_filesystems_match_blkid(make_drive: MakeDrive, own: Own, nodes: bool) -> None:
    path = make_drive(400 * MIB)
    own(path)
    write_table(path, ",100M\n,150M\n,100M\n", "--label", "gpt")
    add_nodes(path)
    tool("mkfs.ext4", "-q", "-F", "-L", "a label", f"{path}p1")
    tool("mkfs.btrfs", "-q", "-L", "grün", f"{path}p2")
    tool("mkswap", "-L", "swap", f"{path}p3")
    expected = [blkid(f"{path}p{number}") for number in (1, 2, 3)]
    if not nodes:
        forget_partitions(path)
    partitions = probe_drive(path).partitions
    for part, said in zip(partitions, expected, strict=True):
        assert part.filesystem == said["type"]
        assert (part.signatures[0].uuid, part.signatures[0].usage) == (said["uuid"], said["usage"])
        assert (part.kernel_start_bytes is not None) is nodes
    assert [part.signatures[0].label for part in partitions] == ["a label", "grün", "swap"]


def test_filesystem_on_the_whole_drive(make_drive: MakeDrive, own: Own) -> None:
    path = make_drive(400 * MIB, 4096)
    own(path)
    tool("mkfs.xfs", "-q", "-L", "whole", path)
    drive = probe_drive(path)
    assert drive.table is not None and drive.table.kind == "none"
    assert [(mark.kind, mark.label, mark.offset_bytes) for mark in drive.signatures] == [("xfs", "whole", 0)]
    assert drive.free == () and drive.is_empty is False


def test_empty_drive_is_entirely_free(make_drive: MakeDrive) -> None:
    drive = probe_drive(make_drive(64 * MIB))
    assert drive.is_empty is True
    assert [(extent.start_bytes, extent.size_bytes) for extent in drive.free] == [(0, 64 * MIB)]
    assert (drive.bus, drive.model, drive.token) == ("loop", None, drive.path.removeprefix("/dev/"))


@pytest.mark.parametrize("whole", [True, False])
def test_files_without_a_superblock_are_detected(
    make_drive: MakeDrive, own: Own, tmp_path: Path, whole: bool
) -> None:
    path = make_drive(64 * MIB)
    own(path)
    place = 0
    if not whole:
        partition(path, "label: gpt\nstart={a}, size=40MiB\n")
        place = MIB
    tool("mke2fs", "-q", "-F", "-t", "ext3", "-b", "1024", "-E", f"offset={place}", path, "30M")
    with Path(path).open("r+b") as device:
        device.seek(place)
        device.write(bytes(4096))
    drive = probe_drive(path)
    holder = drive if whole else drive.partitions[0]
    assert not holder.signatures and holder.superblock_copy_bytes == 8193 * 1024
    save_machine(tmp_path / "machine.json", survey([path]))
    (again,) = load_machine(tmp_path / "machine.json").drives
    assert (again if whole else again.partitions[0]).superblock_copy_bytes == 8193 * 1024
    if whole:
        # What mkfs put there since counts, and no old copy.
        tool("mkfs.ext4", "-q", "-F", path)
        assert probe_drive(path).superblock_copy_bytes is None


def test_two_signatures_on_one_device_are_listed_as_ambiguous(make_drive: MakeDrive, own: Own) -> None:
    path = make_drive(200 * MIB)
    own(path)
    tool("mkfs.btrfs", "-q", "-f", path)
    with Path(path).open("r+b") as drive_file:
        drive_file.seek(4086)
        own(path)
        drive_file.write(b"SWAPSPACE2")
        drive_file.seek(1024)
        drive_file.write((1).to_bytes(4, "little") + (1000).to_bytes(4, "little"))
    marks = probe_drive(path).signatures
    assert {mark.kind: mark.offset_bytes for mark in marks} == {"btrfs": 65600, "swap": 4086}
    assert all(mark.ambivalent for mark in marks)
    wiped = tool("wipefs", "--noheadings", "--output", "TYPE", path).split()
    assert sorted(wiped) == ["btrfs", "swap"]


def test_label_with_invalid_text_causes_no_error(make_drive: MakeDrive, own: Own) -> None:
    path = make_drive(64 * MIB)
    own(path)
    tool("mkfs.ext4", "-q", "-F", "-O", "^metadata_csum", path)
    with Path(path).open("r+b") as drive_file:
        drive_file.seek(1024 + 120)
        drive_file.write(b"caf\xe9\x1b[31m")
    [mark] = probe_drive(path).signatures
    assert (mark.kind, mark.label) == ("ext4", "caf\ufffd\x1b[31m")


def test_stale_whole_drive_signature_is_reported_next_to_the_table(make_drive: MakeDrive, own: Own) -> None:
    path = make_drive(200 * MIB)
    own(path)
    tool("mkfs.btrfs", "-q", path)
    write_table(path, ",100M\n", "--label", "gpt", "--wipe", "never")
    drive = probe_drive(path)
    assert drive.table is not None and drive.table.kind == "gpt"
    assert [mark.kind for mark in drive.signatures] == ["btrfs"]


def test_signature_inside_a_partition_belongs_only_to_the_partition(make_drive: MakeDrive, own: Own) -> None:
    path = make_drive(64 * MIB)
    own(path)
    write_table(path, "label: gpt\nfirst-lba: 34\nstart=34,size=40000\n")
    add_nodes(path)
    tool("mkfs.ext4", "-q", "-F", f"{path}p1")
    drive = probe_drive(path)
    assert drive.signatures == ()
    assert drive.partitions[0].filesystem == "ext4" and drive.partitions[0].start_bytes == 34 * 512


def test_saved_facts_describe_the_same_machine(make_drive: MakeDrive, own: Own, tmp_path: Path) -> None:
    first, second = make_drive(64 * MIB), make_drive(64 * MIB, 4096)
    for path, script in ((first, MBR), (second, GPT)):
        own(path)
        partition(path, script)
    facts = survey([first, second])
    saved = tmp_path / "machine.json"
    machine = save_machine(saved, facts)
    assert load_facts(saved) == facts
    assert load_machine(saved) == machine == machine_of(facts)
    assert [drive.path for drive in machine.drives] == [first, second]
    assert all(drive.partitions for drive in machine.drives)


def test_digest_changes_only_with_the_table_or_signatures(make_drive: MakeDrive, own: Own) -> None:
    path = make_drive(200 * MIB)
    own(path)
    write_table(path, ",100M\n", "--label", "gpt")
    add_nodes(path)
    tool("mkfs.ext4", "-q", "-F", "-L", "one", f"{path}p1")
    digests = [probe_drive(path).content_digest for _ in range(2)]
    tool("e2label", f"{path}p1", "two")
    digests.append(probe_drive(path).content_digest)
    write_table(path, ",10M\n", "--append")
    digests.append(probe_drive(path).content_digest)
    assert digests[0] == digests[1] is not None
    assert len(set(digests)) == 3, "the label changed it, and so did the table"


@pytest.mark.parametrize("whole", [True, False], ids=["whole drive", "partition"])
@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_writing_to_a_mounted_filesystem_preserves_the_digest(
    make_drive: MakeDrive, own: Own, tmp_path: Path, kind: str, whole: bool
) -> None:
    path = make_drive(500 * MIB)
    own(path)
    if not whole:
        write_table(path, ",450M\n", "--label", "gpt")
        add_nodes(path)
    node = path if whole else f"{path}p1"
    tool(f"mkfs.{kind}", *(["-q", "-F"] if kind == "ext4" else ["-q"]), node)
    before = probe_drive(path).content_digest
    place = tmp_path / "place"
    place.mkdir()
    tool("mount", node, str(place))
    try:
        (place / "file").write_bytes(random.Random(1).randbytes(3 * MIB))
        os.sync()
        during = probe_drive(path)
        assert [(use.kind, use.subject, use.by) for use in during.uses] == [("mounted", node, str(place))]
    finally:
        tool("umount", str(place))
    after = probe_drive(path)
    assert before == during.content_digest == after.content_digest is not None
    assert after.uses == ()


def test_damaged_tables_on_a_real_drive(make_drive: MakeDrive, own: Own) -> None:
    path = make_drive(64 * MIB)
    own(path)
    partition(path, GPT)
    sound = probe_drive(path)
    with Path(path).open("r+b") as file:
        own(path)
        file.seek(64 * MIB - 512)
        file.write(bytes(512))
    drive = probe_drive(path)
    assert drive.table is not None and (drive.table.primary, drive.table.backup) == ("ok", "missing")
    assert drive.partitions == sound.partitions and drive.content_digest != sound.content_digest
    partition(path, GPT)
    with Path(path).open("r+b") as file:
        own(path)
        file.seek(512)
        file.write(bytes(92))
    drive = probe_drive(path)
    assert drive.table is not None and (drive.table.kind, drive.table.primary, drive.table.backup) == (
        "gpt",
        "damaged",
        "ok",
    )
    assert [part.name for part in drive.partitions] == ["first one", "naïve", None]


def put(path: str, image: Image, own: Own) -> None:
    """Write an image to a test drive."""
    own(path)
    with Path(path).open("r+b") as file:
        file.write(image.data)
        file.flush()
        os.fsync(file.fileno())


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_invalid_entries_are_listed_like_sfdisk_does(
    make_drive: MakeDrive, own: Own, block_bytes: int
) -> None:
    path = make_drive(16 * MIB, block_bytes)
    image = Image(16 * MIB, block_bytes)
    unit = MIB // block_bytes
    image.protective()
    image.gpt((unit, 4 * unit - 1, "a"), (3 * unit, 6 * unit - 1, "b"), (15 * unit, 20 * unit - 1, "far"))
    put(path, image, own)
    found = [
        (part.number, part.start_bytes, part.size_bytes, part.name) for part in probe_drive(path).partitions
    ]
    assert found == [(1, MIB, 3 * MIB, "a"), (2, 3 * MIB, 3 * MIB, "b"), (3, 15 * MIB, 5 * MIB, "far")]
    entries = sfdisk(path)["partitions"]
    assert isinstance(entries, list)
    assert [(entry["start"] * block_bytes, entry["size"] * block_bytes) for entry in entries] == [
        place[1:3] for place in found
    ]


@pytest.mark.parametrize("kind", [LINUX, UUID(partition_types.MOVING_GPT)])
def test_entries_outside_the_drive_affect_only_themselves(
    make_drive: MakeDrive, own: Own, kind: UUID
) -> None:
    path = make_drive(4 * MIB)
    for first, last in ((1 << 62, (1 << 63) - 1), (1 << 54, (1 << 54) + 5000), (3000, 1 << 40)):
        image = Image(4 * MIB)
        image.protective()
        image.gpt((first, last, "x"), kind=kind)
        put(path, image, own)
        drive = probe_drive(path, seconds=5)
        assert drive.size_bytes == 4 * MIB and not [one for one in drive.unread if one.what == "drive"]


def test_garbage_affects_only_its_own_drive(make_drive: MakeDrive, own: Own) -> None:
    chance = random.Random(20261121)
    path = make_drive(4 * MIB)
    for _ in range(12):
        image = Image(4 * MIB)
        image.protective(
            *(
                (chance.getrandbits(8), chance.getrandbits(32), chance.getrandbits(32))
                for _ in range(chance.randrange(3))
            )
        )
        image.gpt(
            *((chance.getrandbits(64), chance.getrandbits(64), "x") for _ in range(chance.randrange(1, 40)))
        )
        for _ in range(chance.randrange(4)):
            image.put(chance.randrange(34 * 512), chance.randbytes(chance.randrange(1, 600)))
        put(path, image, own)
        drive = probe_drive(path, seconds=5)
        assert drive.size_bytes == 4 * MIB and not [one for one in drive.unread if one.what == "drive"]
        assert drive.table is not None
