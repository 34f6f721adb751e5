"""Impossible partitions: over the table, without blocks, outside the extended one. From a drive's bytes to
findings, free space and plans."""

import pytest

from tests.unit.machines import partition, partitioned
from tests.unit.plan.layouts import plan_for, spec
from tests.unit.probe import rawfacts
from tests.unit.probe.gptimage import Image, header
from wizard.findings.diagnose import diagnose
from wizard.model.errors import Refused
from wizard.model.finding import Finding, Severity
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive
from wizard.model.said import GIB, MIB
from wizard.plan.request.plan_request import Mode
from wizard.probe.interpret import machine_of

SIZE = 64 * MIB
LINUX = 0x83


def seen(image: Image, kind: str) -> Drive:
    """Return the drive with these bytes."""
    sysfs = rawfacts.SYSFS | {"size": str(image.size_bytes // 512)}
    chunks = (rawfacts.chunk(0, image.read(0, image.size_bytes)),)
    raw = rawfacts.drive(sysfs=sysfs, chunks=chunks, table_kind=kind)
    return machine_of(rawfacts.machine(raw)).drives[0]


def found(drive: Drive, code: str) -> list[Finding]:
    machine = machine_of(rawfacts.machine())
    return [one for one in diagnose(machine, drive, ()).findings if one.code == code]


def upon_entries(*, first_usable: int) -> Image:
    """Return a valid GPT whose only partition starts at block 8, within the entries in blocks 2 to 33."""
    image = Image(SIZE)
    image.protective()
    image.gpt((8, 4095, "upon"))
    last = image.last_lba
    table = image.read(1024, 16384)
    image.put(512, header(1, last, first_usable, last - 33, 2, table))
    image.put(last * 512, header(last, 1, first_usable, last - 33, last - 32, table))
    return image


@pytest.mark.parametrize("first_usable", [34, 8])
def test_partition_over_the_table_entries_is_a_danger_for_any_header(first_usable: int) -> None:
    drive = seen(upon_entries(first_usable=first_usable), "gpt")
    (finding,) = found(drive, "table-covered")
    assert finding.severity is Severity.DANGER and finding.subject == "/dev/sda1"
    assert "13312 bytes from byte 4096" in str(finding.sentence)
    assert not found(drive, "alignment-ok")
    with pytest.raises(Refused):
        plan_for(drive, spec("ext4", size_bytes=16 * MIB), mode=Mode.USE_FREE)


def test_no_repair_is_offered_that_would_overwrite_the_partition() -> None:
    """mkfs on the partition destroys the entries, and a repair by gdisk would overwrite the new files."""
    image = upon_entries(first_usable=8)
    image.put(8 * 512, b"files" * 1000)
    drive = seen(image, "gpt")
    assert drive.table is not None and drive.table.primary == "damaged"
    (finding,) = found(drive, "table-primary-damaged")
    assert "gdisk" not in str(finding.advice) and "/dev/sda1" in str(finding.advice)
    sound = Image(SIZE)
    sound.protective()
    sound.gpt((2048, 4095, "beside"))
    sound.put(512, b"\0" * 512)
    (finding,) = found(seen(sound, "gpt"), "table-primary-damaged")
    assert "gdisk" in str(finding.advice)


def test_no_backup_table_is_offered_over_a_partition() -> None:
    image = Image(SIZE)
    image.protective()
    image.gpt((2048, 128 * 1024 - 10, "to the end"), last_usable=128 * 1024 - 2)
    image.put(SIZE - 512, b"\0" * 512)
    (finding,) = found(seen(image, "gpt"), "table-backup-missing")
    assert "sgdisk" not in str(finding.advice) and "/dev/sda1" in str(finding.advice)


def test_entry_without_bytes_is_reported_and_blocks_additions() -> None:
    image = Image(SIZE)
    image.protective()
    image.gpt((2048, 8191, "sound"), (16384, 16383, "empty"))
    drive = seen(image, "gpt")
    (finding,) = found(drive, "table-no-bytes")
    assert finding.subject == "/dev/sda2" and "sfdisk --delete /dev/sda 2" in str(finding.advice)
    with pytest.raises(Refused):
        plan_for(drive, spec("ext4", size_bytes=16 * MIB), mode=Mode.USE_FREE)


def logical(start: int, blocks: int) -> Drive:
    """Return a drive with an extended partition of blocks 2048 to 65535 and a logical one, described at
    2048."""
    image = Image(SIZE)
    image.mbr((0x05, 2048, 63488))
    image.mbr((LINUX, start - 2048, blocks), at=2048 * 512)
    return seen(image, "dos")


def test_logical_partition_outside_the_extended_one_is_reported() -> None:
    assert not found(logical(4096, 8192), "table-outside")
    for start, blocks in ((81920, 8192), (61440, 8192)):
        drive = logical(start, blocks)
        (finding,) = found(drive, "table-outside")
        assert finding.subject == "/dev/sda5" and "extended partition /dev/sda1" in str(finding.sentence)
        with pytest.raises(Refused):
            plan_for(drive, spec("ext4", size_bytes=16 * MIB), mode=Mode.USE_FREE)


def test_logical_partition_over_its_own_record_is_reported() -> None:
    (finding,) = found(logical(2048, 8192), "table-covered")
    assert finding.subject == "/dev/sda5"
    assert not found(logical(2049, 8192), "table-covered")


@pytest.mark.parametrize(
    ("geometry", "start", "size", "told"),
    [
        (Geometry(512, 4096, 0, 4096, 0), MIB, GIB, False),
        (Geometry(512, 4096, 0, 4096, 0), MIB, GIB - 512, True),
        (Geometry(512, 4096, 3584, 4096, 0), MIB + 3584, GIB, False),
        (Geometry(512, 4096, 3584, 4096, 0), MIB + 3584, GIB - 3584, True),
        (Geometry(512, 16384, 0, 16384, 0), MIB, GIB - 4096, True),
        (Geometry(512, 512, 0, 512, 0), MIB, GIB - 512, False),
        (Geometry(512, 4096, 0, 4096, 0), MIB + 512, GIB, False),
    ],
)
def test_end_within_a_physical_block_is_reported(
    geometry: Geometry, start: int, size: int, told: bool
) -> None:
    drive = partitioned(partition(1, start, size), geometry=geometry)
    assert bool(found(drive, "alignment-end")) is told
