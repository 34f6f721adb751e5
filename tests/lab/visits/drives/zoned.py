"""Job: zoned drives. Reports of inspect, advise and the benchmark are true: they match kernel and tools,
possible uses work, impossible ones fail, and Btrfs is planned and applied."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet, ModuleDrive, Zones
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SHARED, SLOW, confirmed, diskwright, loaded, node_of, shown, sysfs, tool
from wizard.advice.ranking import advise
from wizard.advice.workloads import Profile, find_workload
from wizard.advice.zones import OTHER, PLACE
from wizard.benchmark.alignment import run_alignment_trial
from wizard.benchmark.scratch import scratch_extents
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import Pattern, load_patterns
from wizard.model.advice import Ability, Advice, ZonedUse
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Drive, Machine
from wizard.model.run import Check
from wizard.model.verdict import Outcome
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec
from wizard.probe.machine import probe_machine
from wizard.process.program import run

SOLID = EmulatedDrive(
    "zoned-nvme",
    Bus.NVME,
    serial="LAB-ZONED-NVME",
    logical_block_bytes=4096,
    physical_block_bytes=4096,
    size_bytes=2048 * MIB,
    zones=Zones(64 * MIB, 62 * MIB, open_at_once=16),
)
"""Zones with a capacity below their size, all sequential."""

ORDINARY = EmulatedDrive(
    "ordinary",
    Bus.VIRTIO,
    serial="LAB-ORDINARY",
    logical_block_bytes=4096,
    physical_block_bytes=4096,
    size_bytes=256 * MIB,
)
"""A second drive, required by some filesystems."""

DISK = ("zone_size_mb=16", "zone_nr_conv=2", "dev_size_mb=384")
MANAGED = ModuleDrive(
    "managed-disk", "scsi_debug", ("zbc=managed", *DISK), 512, 512, size_bytes=384 * MIB, zoned="host-managed"
)
AWARE = ModuleDrive(
    "aware-disk", "scsi_debug", ("zbc=aware", *DISK), 512, 512, size_bytes=384 * MIB, zoned="host-aware"
)
ZONED_FLEET = Fleet("zoned", (SOLID, ORDINARY), (MANAGED, AWARE))

HOST_MANAGED_TYPE = "20"
"""SCSI device type 14h."""

VPD_ZONED = {"host-managed": 0, "host-aware": 1}
IN_PLACE = {"ext4": ("-q", "-F"), "jfs": ("-q",), "nilfs2": ("-f", "-q")}
FILE_BYTES = 5 * MIB
SCSI_MODULES = ("sd_mod",)


def zones(fleet: Fleet) -> Iterator[Check]:
    """Check every kind of zoned drive."""
    other = node_of(ORDINARY)
    yield from _managed(SOLID.name, node_of(SOLID), other)
    tool("modprobe", *SCSI_MODULES)
    for disk in fleet.loadable:
        with loaded(disk) as node:
            if disk.zoned == "host-managed":
                yield from _managed(disk.name, node, other)
            else:
                yield from _aware(disk.name, node)


def _managed(name: str, node: str, other: str) -> Iterator[Check]:
    _, drive, advice, codes = _read(node)
    yield from _as_others_see(name, node, drive)
    yield Check(f"{name}: the finding is reported", "recording-zoned-host-managed" in codes, shown(codes))
    able = [choice.filesystem for choice in advice.choices if not choice.obstacles]
    chosen = advice.chosen.filesystem if advice.chosen else None
    yield Check(
        f"{name}: only Btrfs is possible and recommended",
        (able, chosen) == (["btrfs"], "btrfs"),
        shown(able),
    )
    for use in advice.zoned:
        if use.commands:
            yield from _is_true(name, node, other, use)
    for kind, quietly in IN_PLACE.items():
        if kind != "ext4" and drive.bus == "nvme":
            continue
        commands = [["mkfs." + kind, *quietly, node], ["mount", "-t", kind, node, PLACE]]
        yield Check(f"{name}: {kind} fails, as reported", not _lives(commands), "")
        _empty(node)
    yield from _takes_no_partitions(name, node, drive)
    _empty(node)
    # Data without a signature, in the last zone.
    tool(
        "dd",
        "if=/dev/zero",
        f"of={node}",
        "bs=4096",
        "count=1",
        f"seek={_last_zone_bytes(drive) // 4096}",
        "oflag=direct",
        "status=none",
    )
    yield from _planned_and_applied(name, node)
    yield from _measured(name, drive)


def _aware(name: str, node: str) -> Iterator[Check]:
    _, drive, advice, codes = _read(node)
    yield from _as_others_see(name, node, drive)
    yield Check(f"{name}: the finding is reported", "recording-zoned-host-aware" in codes, shown(codes))
    takes = drive.zones is not None and drive.zones.takes_partitions is not False
    told = (bool(advice.zoned), advice.chosen is not None)
    yield Check(f"{name}: recommended if the kernel allows partitions", told == (False, takes), f"{told}")
    if not takes:
        yield _refused(f"{name}: plan refuses without partitions", node, None, "accepts no partitions")
    commands = [["mkfs.ext4", "-q", "-F", node], ["mount", "-t", "ext4", node, PLACE]]
    yield Check(f"{name}: ext4 works, as any write is accepted", _lives(commands), "")
    tool("wipefs", "-a", "-q", node)
    yield from _takes_no_partitions(name, node, drive)
    tool("wipefs", "-a", "-q", node)
    free = scratch_extents(drive)
    yield Check(f"{name}: the benchmark may write", bool(free), shown(free))


def _read(node: str) -> tuple[Machine, Drive, Advice, list[str]]:
    """Return facts and diagnosis of a drive."""
    machine = probe_machine([node], seconds=SLOW)
    (drive,) = machine.drives
    patterns, profile = _profiles()
    diagnosis = diagnose(machine, drive, patterns)
    advice = advise(machine, drive, diagnosis.recording, profile)
    return machine, drive, advice, sorted(finding.code for finding in diagnosis.findings)


@cache
def _profiles() -> tuple[tuple[Pattern, ...], Profile]:
    """Load the profiles once, which takes seconds here."""
    return load_patterns(), find_workload("large-media")


def _as_others_see(name: str, node: str, drive: Drive) -> Iterator[Check]:
    """Compare the zones with the kernel, lsblk, blkzone and SCSI."""
    yield Check(
        f"{name}: zone model matches queue/zoned",
        drive.zoned == sysfs(node, "queue/zoned"),
        shown(drive.zoned),
    )
    zones = drive.zones
    assert zones is not None, f"{name} has no zones"
    listed = tool("lsblk", "-d", "-b", "-n", "-o", "zoned,zone-sz,zone-nr,zone-omax,zone-amax", node).split()
    known = [drive.zoned, *map(str, (zones.size_bytes, zones.count, zones.most_open, zones.most_active))]
    yield Check(f"{name}: zones match lsblk", listed == known, f"{listed}, not {known}")
    report = [line for line in tool("blkzone", "report", node).splitlines() if "start:" in line]
    free = sum("CONVENTIONAL" in line or "SEQ_WRITE_PREFERRED" in line for line in report)
    capacity = min(int(line.split("cap ")[1].split(",")[0], 16) for line in report) * 512
    seen = (len(report), free, capacity, sum("(nw)" not in line and "(em)" not in line for line in report))
    ours = [zones.count, zones.conventional, zones.capacity_bytes, zones.written]
    yield Check(f"{name}: zones match blkzone", list(seen) == ours, f"{seen}, not {ours}")
    if drive.bus == "nvme":
        return
    page = run(["sg_vpd", "--page=0xb1", "--hex", "--hex", "--hex", node], seconds=SLOW).output.split()
    bits = int(page[8], 16) >> 4 & 3
    yield Check(
        f"{name}: zone model matches sg_vpd",
        bits == drive.vpd_zoned == VPD_ZONED[drive.zoned or ""],
        f"{bits}",
    )
    kind = sysfs(node, "device/type")
    yield Check(
        f"{name}: the SCSI type matches", (kind == HOST_MANAGED_TYPE) == (drive.zoned == "host-managed"), kind
    )


def _is_true(name: str, node: str, other: str, use: ZonedUse) -> Iterator[Check]:
    """Check that the commands of a possible use work, and those of an impossible one fail."""
    commands = [command.replace(OTHER, other).split() for command in use.commands]
    lives = _lives(commands)
    told = use.ability is Ability.CAN
    yield Check(
        f"{name}: {use.title} {'works' if told else 'fails'}, as reported",
        use.ability is not Ability.DOUBT and lives == told,
        use.sentence,
    )
    _empty(node)
    run(["wipefs", "-a", "-q", other], seconds=SLOW, accept=range(256))


def _lives(commands: Sequence[Sequence[str]]) -> bool:
    """Return True if the commands create and mount a filesystem that keeps a file over a remount."""
    content = Random(PLACE).randbytes(FILE_BYTES)
    place = Path(PLACE, "file")
    try:
        for command in commands:
            run(command, seconds=SLOW)
        with suppress(OSError):
            place.write_bytes(content)
        run(["umount", PLACE], seconds=SLOW)
        run(commands[-1], seconds=SLOW)
    except Failed:
        return False
    try:
        return place.read_bytes() == content
    except OSError:
        return False
    finally:
        tool("umount", PLACE)


def _last_zone_bytes(drive: Drive) -> int:
    """Return the start of the last zone."""
    assert drive.zones is not None and drive.zones.count and drive.zones.size_bytes
    return (drive.zones.count - 1) * drive.zones.size_bytes


def _empty(node: str) -> None:
    """Reset every zone, and erase signatures in conventional ones."""
    tool("blkzone", "reset", node)
    run(["wipefs", "-a", "-q", node], seconds=SLOW, accept=range(256))


def _takes_no_partitions(name: str, node: str, drive: Drive) -> Iterator[Check]:
    """Check that the kernel has partitions after writing a table exactly if reported before."""
    run(
        ["sfdisk", "-q", "--wipe", "always", node],
        seconds=SLOW,
        accept=range(256),
        stdin=b"label: gpt\nstart=32MiB\n",
    )
    run(["partx", "-a", node], seconds=SLOW, accept=range(256))
    there = any((folder / "partition").exists() for folder in Path("/sys/block", Path(node).name).iterdir())
    told = drive.zones.takes_partitions if drive.zones else None
    yield Check(
        f"{name}: the kernel accepts {'partitions' if told else 'no partitions'}, as reported",
        there is told,
        f"told {told}, found {there}",
    )


def _planned_and_applied(name: str, node: str) -> Iterator[Check]:
    """Set up a drive with contents: refused, planned with --replace, applied, with a file that survives a
    remount by the new fstab line."""
    yield _refused(f"{name}: plan without --replace refuses a drive with data", node, None, "not empty")
    place = Path("/srv") / name
    plan = _plan(node, Mode.REPLACE, place)
    file = SHARED / f"plan-{name}.json"
    file.write_text(PLANS.render(plan))
    told = diskwright("apply", str(file), *confirmed(plan), "--keep", accept=range(256))
    yield Check(
        f"{name}: apply succeeds",
        told.status == 0,
        f"{told.status}: {told.output[-1500:]} {told.errors[-1500:]}",
    )
    if told.status:
        return
    content = Random(name).randbytes(FILE_BYTES)
    (place / "file").write_bytes(content)
    tool("umount", str(place))
    tool("mount", str(place))
    whole = (place / "file").read_bytes() == content
    yield Check(
        f"{name}: fstab mounts the volume again, with the file intact",
        whole,
        shown(sorted(place.iterdir())),
    )
    (volume,) = plan.volumes
    found = json.loads(tool("findmnt", "-J", "-o", "SOURCE,FSTYPE,UUID,LABEL", str(place)))["filesystems"][0]
    wanted = {"source": node, "fstype": "btrfs", "uuid": volume.uuid, "label": volume.label}
    yield Check(f"{name}: findmnt matches the plan", found == wanted, shown(found))
    profiles = [line.split(":")[0] for line in tool("btrfs", "filesystem", "df", str(place)).splitlines()]
    once = ["Data, single", "System, single", "Metadata, single"]
    yield Check(f"{name}: data and metadata have one copy", profiles[:3] == once, shown(profiles))
    yield _refused(f"{name}: plan refuses a mounted drive", node, Mode.REPLACE, "in use")
    tool("umount", str(place))
    yield _refused(f"{name}: plan refuses a drive with Btrfs", node, None, "btrfs on the whole drive")
    checked = run(["btrfs", "check", "--readonly", node], seconds=SLOW, accept=range(256))
    yield Check(f"{name}: btrfs check finds no errors", checked.status == 0, checked.errors[-500:])


def _plan(node: str, mode: Mode | None, place: Path) -> Plan:
    """Return the plan of `diskwright plan`, without the seconds of starting a process here."""
    machine, drive, advice, _ = _read(node)
    choice = advice.chosen or advice.choices[0]
    return make_plan(
        machine, (drive,), NewVolumes((VolumeSpec(choice, advice.workload, None, "zones", str(place)),), mode)
    )


def _refused(what: str, node: str, mode: Mode | None, word: str) -> Check:
    try:
        _plan(node, mode, Path("/srv/refused"))
    except Refused as error:
        return Check(what, word in str(error), str(error))
    return Check(what, False, "planned")


def _measured(name: str, drive: Drive) -> Iterator[Check]:
    """Check that the benchmark reports that misalignment is impossible, and writes nothing."""
    verdict = run_alignment_trial(drive, write=False, on_progress=lambda _: None, stop=lambda: False)
    yield Check(
        f"{name}: the benchmark reports misalignment as impossible",
        verdict.outcome is Outcome.NOT_POSSIBLE,
        verdict.sentence,
    )
    refused = ""
    with suppress(Refused):
        refused = shown(scratch_extents(drive))
    yield Check(f"{name}: the benchmark writes nowhere", not refused, refused)


JOBS = {"zones": zones}
VISITS = (
    Visit(
        "zoned drives: reports match the kernel and tools, and Btrfs works",
        ZONED_FLEET,
        ("zones",),
        700,
        udev=False,
    ),
)
