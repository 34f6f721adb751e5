"""Zones of a drive, and support by the kernel and tools, from recorded texts."""

import fcntl
import os
from pathlib import Path

import pytest
from msgspec.structs import astuple, replace

from tests.unit.probe import rawfacts
from wizard.model.drive_facts import Zones
from wizard.model.errors import Refused
from wizard.model.machine import Program
from wizard.plan.refusals import refuse_content
from wizard.probe.drive import ioctls as zonereport
from wizard.probe.drive.ioctls import zones_of
from wizard.probe.facts import RawContent, RawSignature, RawZones
from wizard.probe.interpret import drive_of, machine_of

MIB = 1024 * 1024
MANAGED = {
    "queue/zoned": "host-managed",
    "queue/chunk_sectors": "524288",
    "queue/nr_zones": "55880",
    "queue/max_open_zones": "128",
    "queue/max_active_zones": "0",
    "ext_range": "256",
}
LISTED = """Filesystem features available:
mixed-bg            - mixed data and metadata block groups (compat=2.6.37, safe=2.6.37)
zoned               - support zoned devices (compat=5.12)"""


def test_zones_of_a_host_managed_disk() -> None:
    runs = (RawZones(524, 1, 256 * MIB, 256 * MIB), RawZones(55356, 2, 256 * MIB, 256 * MIB, written=7))
    seen = zones_of(rawfacts.drive(sysfs=rawfacts.SYSFS | MANAGED, zones=runs))
    assert seen == Zones(
        256 * MIB, 55880, 524, 256 * MIB, most_open=128, most_active=0, takes_partitions=False, written=7
    )


def test_partial_capacity_zones_and_a_drive_without_random_writes() -> None:
    facts = rawfacts.drive(sysfs=rawfacts.SYSFS | MANAGED, zones=(RawZones(32, 2, 64 * MIB, 62 * MIB),))
    seen = zones_of(facts)
    assert seen is not None and (seen.conventional, seen.capacity_bytes) == (0, 62 * MIB)


def test_drive_with_written_zones_is_not_empty_without_signatures() -> None:
    """Programs can write to zones directly, without a filesystem."""
    digests = set()
    for written in (0, 1, 2):
        facts = rawfacts.drive(
            sysfs=rawfacts.SYSFS | MANAGED, zones=(RawZones(32, 2, 64 * MIB, 62 * MIB, written),)
        )
        seen = drive_of(facts, rawfacts.machine(facts))
        assert (seen.is_empty, seen.unrecognised_zones) == (written == 0, written)
        digests.add(seen.content_digest)
        if written:
            says = "1 written zone with" if written == 1 else f"{written} written zones with"
            with pytest.raises(Refused, match=says):
                refuse_content(seen, chosen=False)
        aware = replace(facts, sysfs=facts.sysfs | {"queue/zoned": "host-aware"})
        assert drive_of(aware, rawfacts.machine(aware)).is_empty is True
    assert len(digests) == 3 and None not in digests


def test_recognised_content_of_zones_counts_no_written_zones() -> None:
    seen = [
        drive_of(facts, rawfacts.machine(facts))
        for written in (1, 2)
        for facts in [
            rawfacts.drive(
                sysfs=rawfacts.SYSFS | MANAGED,
                contents={"sda": RawContent((RawSignature("btrfs", "filesystem", offset_bytes=64),))},
                zones=(RawZones(32, 2, 64 * MIB, 62 * MIB, written),),
            )
        ]
    ]
    assert [drive.unrecognised_zones for drive in seen] == [0, 0]
    assert seen[0].content_digest == seen[1].content_digest, "a mounted filesystem writes to zones"


def test_zones_visible_to_an_ordinary_user() -> None:
    seen = zones_of(rawfacts.drive(sysfs=rawfacts.SYSFS | MANAGED))
    assert seen is not None and (seen.count, seen.conventional, seen.capacity_bytes) == (55880, None, None)


def test_drive_without_zones_has_none() -> None:
    assert zones_of(rawfacts.drive()) is None
    assert zones_of(rawfacts.drive(sysfs={})) is None


@pytest.mark.parametrize(("ext_range", "takes"), [("1", False), ("256", True), (None, None), ("many", None)])
def test_host_aware_drive_has_partitions_if_the_kernel_allows_minors(
    ext_range: str | None, takes: bool | None
) -> None:
    sysfs = rawfacts.SYSFS | {"queue/zoned": "host-aware"} | ({"ext_range": ext_range} if ext_range else {})
    seen = zones_of(rawfacts.drive(sysfs=sysfs))
    assert seen is not None and seen.takes_partitions is takes


def test_zone_support_of_programs_and_kernel_configuration() -> None:
    raw = rawfacts.machine(
        rawfacts.drive(),
        config="CONFIG_DM_ZONED=m\n# CONFIG_XFS_RT is not set\nCONFIG_F2FS_FS=y",
        said={
            "mkfs.btrfs --version": "mkfs.btrfs, part of btrfs-progs v6.2",
            "mkfs.btrfs -O list-all": LISTED,
            "mkfs.xfs -V": "mkfs.xfs version 6.1.0",
            "mkfs.f2fs -V": "mkfs.f2fs 1.15.0 (2022-05-13)",
        },
    )
    seen = machine_of(raw)
    assert dict(seen.kernel.options) == {"DM_ZONED": True, "XFS_RT": False, "F2FS_FS": True}
    assert seen.program("mkfs.btrfs") == Program("mkfs.btrfs", (6, 2), frozenset({"mixed-bg", "zoned"}))
    assert seen.program("mkfs.xfs") == Program("mkfs.xfs", (6, 1))
    assert seen.program("mkfs.f2fs") == Program("mkfs.f2fs", (1, 15))
    assert seen.program("mkzonefs") is None


def test_kernel_zone_report_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two replies of the ioctl, a full one and the rest. The last zone is smaller."""
    node = tmp_path / "drive"
    node.touch()
    length, total = 128, zonereport.ASKED_AT_ONCE + 3
    # One closed behind its start, one full (its pointer says nothing), one open at its start, one offline.
    conditions = {5: (4, 5 * length + 8), 6: (14, 0), 7: (3, 7 * length), 8: (15, 2**63)}
    zones = [
        (index * length, 64 if index == total - 1 else length, 1 if index < 2 else 2)
        for index in range(total)
    ]

    def report(_: int, request: int, buffer: bytearray) -> int:
        assert request == zonereport.BLKREPORTZONE
        sector, wanted, _ = zonereport.HEAD.unpack_from(buffer)
        given = [zone for zone in zones if zone[0] >= sector][:wanted]
        zonereport.HEAD.pack_into(buffer, 0, sector, len(given), zonereport.HAS_CAPACITY)
        for index, (start, size, kind) in enumerate(given):
            condition, pointer = conditions.get(start // length, (1, start))
            fields = (start, size, pointer, kind, condition, 0, 0, size - 8)
            zonereport.ZONE.pack_into(buffer, zonereport.HEAD.size + index * zonereport.ZONE.size, *fields)
        return 0

    monkeypatch.setattr(fcntl, "ioctl", report)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    assert [astuple(run) for run in zonereport.read_zones(str(node))] == [
        (2, 1, 65536, 61440, 0),
        (total - 3, 2, 65536, 61440, 2),
        (1, 2, 32768, 28672, 0),
    ]
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_nonsensical_report_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    node = tmp_path / "drive"
    node.touch()

    def report(_: int, __: int, buffer: bytearray) -> int:
        zonereport.HEAD.pack_into(buffer, 0, 0, 5, 0)
        return 0

    monkeypatch.setattr(fcntl, "ioctl", report)
    assert zonereport.read_zones(str(node)) == []
