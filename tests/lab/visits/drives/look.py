"""Job: the report about every drive matches its construction, the kernel and other tools."""

import json
from collections.abc import Iterator
from typing import Any

from tests.lab.drives.fleet import Bus, EmulatedDrive, Fleet, ModuleDrive
from tests.lab.drives.members import BUS_FLEET, SATA_FLEET
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import diskwright, shown, sysfs, tool
from tests.lab.visits.drives.portraits import diagnosis_of, file_of, said, surveyed, unlike
from wizard.findings.geometry import load_patterns
from wizard.model.machine import Drive
from wizard.model.run import Check
from wizard.probe.interpret import machine_of
from wizard.probe.machine import load_facts
from wizard.process.program import run

Member = EmulatedDrive | ModuleDrive

BLOCKDEV = ("--getss", "--getpbsz", "--getalignoff", "--getiomin", "--getioopt", "--getsize64")
GEOMETRY = ("log-sec", "phy-sec", "alignment", "min-io", "opt-io", "size")
LSBLK = (*GEOMETRY, "rota", "ro", "rm", "zoned", "disc-gran", "disc-max", "model", "serial", "sched")
BUSES = {
    Bus.SATA: ("sata", "ata"),
    Bus.SCSI: ("scsi", "virtio"),
    Bus.VIRTIO: ("virtio",),
    Bus.NVME: ("nvme",),
    Bus.USB: ("usb",),
    Bus.UAS: ("usb",),
}


def look(fleet: Fleet) -> Iterator[Check]:
    """Run several checks per drive."""
    patterns = load_patterns()
    for member, raw in surveyed(fleet):
        (drive,) = machine_of(raw).drives
        if drive.geometry is None:
            yield Check(
                f"{member.name}: the geometry is read",
                False,
                shown([f"{one.what}: {one.why}" for one in drive.unread]),
            )
            continue
        yield _as_made(member, drive)
        if isinstance(member, EmulatedDrive):
            yield from _as_named(member, drive)
        yield from _as_others_see(member, drive)
        if member.expected is not None:
            trouble = unlike(member.expected, diagnosis_of(raw, patterns))
            yield Check(f"{member.name}: the verdict and the findings are right", not trouble, trouble)
        recorded = file_of(member.name)
        if recorded.exists():
            live, kept = said(raw, patterns), said(load_facts(recorded), patterns)
            yield Check(
                f"{member.name}: the same as recorded",
                live == kept,
                f"{shown(live)}, recorded: {shown(kept)}" * (live != kept),
            )


def inspect(fleet: Fleet) -> Iterator[Check]:
    """Check that the command reports the same as its parts."""
    by_serial = {
        drive["serial"]: drive for drive in json.loads(diskwright("inspect", "--json").output)["drives"]
    }
    for drive in fleet.drives:
        found = by_serial.get(drive.serial, {})
        codes = sorted({finding["code"] for finding in found.get("findings", ())})
        wanted = sorted(drive.expected.findings) if drive.expected else codes
        yield Check(
            f"{drive.name}: inspect lists the expected findings",
            bool(found) and codes == wanted,
            shown(codes),
        )


def _as_made(member: Member, drive: Drive) -> Check:
    geometry = drive.geometry
    assert geometry is not None
    seen = (
        geometry.logical_block_bytes,
        geometry.physical_block_bytes,
        geometry.alignment_offset_bytes,
        drive.size_bytes,
    )
    made = (
        member.logical_block_bytes,
        member.physical_block_bytes,
        member.alignment_offset_bytes,
        member.size_bytes,
    )
    return Check(f"{member.name}: geometry matches the emulation", seen == made, f"{seen}, made {made}")


def _as_named(member: EmulatedDrive, drive: Drive) -> Iterator[Check]:
    seen: dict[str, tuple[object, object]] = {"serial": (drive.serial, member.serial)}
    if member.bus is not Bus.NVME:
        rate = member.rotation_rate
        seen["rotational"] = (drive.rotational, None if not rate else rate != 1)
    if member.model is not None:
        seen["model"] = (drive.model, member.model)
    if member.wwn is not None:
        seen["wwn"] = (drive.wwn, f"0x{member.wwn:x}")
    if member.optimal_io_bytes is not None and drive.geometry is not None:
        seen["optimal I/O"] = (drive.geometry.optimal_io_bytes, member.optimal_io_bytes)
    wrong = {what: values for what, values in seen.items() if values[0] != values[1]}
    right_bus = drive.bus in BUSES[member.bus]
    yield Check(
        f"{member.name}: {', '.join(seen)} and bus match the emulation",
        not wrong and right_bus,
        shown(wrong or drive.bus),
    )


def _as_others_see(member: Member, drive: Drive) -> Iterator[Check]:
    geometry = drive.geometry
    assert geometry is not None
    ours = (
        geometry.logical_block_bytes,
        geometry.physical_block_bytes,
        geometry.alignment_offset_bytes,
        geometry.minimum_io_bytes,
        geometry.optimal_io_bytes,
        drive.size_bytes,
    )
    theirs = tuple(int(line) for line in tool("blockdev", *BLOCKDEV, drive.path).split())
    yield Check(f"{member.name}: geometry matches blockdev", ours == theirs, f"{ours}, blockdev {theirs}")
    lsblk = json.loads(tool("lsblk", "-J", "-d", "-b", "-o", ",".join(LSBLK), drive.path))["blockdevices"][0]
    wrong = dict(_unlike_lsblk(ours, drive, lsblk))
    yield Check(f"{member.name}: {len(LSBLK)} columns match lsblk", not wrong, shown(wrong))
    kernel = {"zoned": sysfs(drive.path, "queue/zoned"), "rotational": sysfs(drive.path, "queue/rotational")}
    seen = {"zoned": drive.zoned, "rotational": str(int(bool(drive.kernel_rotational)))}
    yield Check(f"{member.name}: zones and rotation match sysfs", kernel == seen, f"{seen}, kernel {kernel}")
    yield _as_the_drive_says(member, drive)


def _unlike_lsblk(
    ours: tuple[int | None, ...], drive: Drive, lsblk: dict[str, Any]
) -> Iterator[tuple[str, object]]:
    """Return each column of lsblk that differs, with both values."""
    discard = drive.discard
    wanted = dict(zip(GEOMETRY, ours, strict=True)) | {
        "rota": drive.kernel_rotational,
        "ro": drive.read_only,
        "rm": drive.removable,
        "zoned": drive.zoned,
        "disc-gran": discard.granularity_bytes if discard else None,
        "disc-max": discard.maximum_bytes if discard else None,
        "sched": drive.scheduler,
    }
    yield from ((key, (value, lsblk[key])) for key, value in wanted.items() if lsblk[key] != value)
    # Without udev, lsblk has only the kernel's value, truncated to 16 characters.
    for key, value in (("model", drive.model), ("serial", drive.serial)):
        theirs = " ".join((lsblk[key] or "").split())
        if theirs and theirs not in (value or ""):
            yield key, (value, theirs)


def _as_the_drive_says(member: Member, drive: Drive) -> Check:
    """Compare with the drive itself, by nvme or by sg_readcap, bypassing the kernel's block layer;
    otherwise with fdisk."""
    geometry = drive.geometry
    assert geometry is not None
    ours: tuple[int, ...]
    if drive.bus == "nvme":
        formats = json.loads(tool("nvme", "id-ns", drive.path, "-o", "json"))
        theirs: tuple[int, ...] = (1 << formats["lbafs"][formats["flbas"] & 15]["ds"],)
        ours, asked = (geometry.logical_block_bytes,), "nvme id-ns"
    elif isinstance(member, EmulatedDrive) and member.bus is Bus.VIRTIO:
        lines = tool("fdisk", "-l", drive.path).splitlines()
        words = next(line for line in lines if line.startswith("Sector size")).split(":")[1].split()
        theirs, ours, asked = (
            (int(words[0]), int(words[3])),
            (geometry.logical_block_bytes, geometry.physical_block_bytes),
            "fdisk -l",
        )
    else:
        told = run(["sg_readcap", "--16", drive.path], seconds=60, accept=range(256)).output
        theirs, ours, asked = (
            capacity(told),
            (geometry.logical_block_bytes, geometry.physical_block_bytes),
            "sg_readcap --16",
        )
        if geometry.alignment_offset_bytes:
            ours = (*ours, geometry.alignment_offset_bytes)
        else:
            theirs = theirs[:2]
    return Check(f"{member.name}: geometry matches {asked}", ours == theirs, f"{ours}, {asked}: {theirs}")


def capacity(told: str) -> tuple[int, ...]:
    """Return logical and physical block size and alignment offset in bytes, from sg_readcap's READ
    CAPACITY (16)."""
    found = {
        key.strip(): value
        for key, _, value in (line.partition("=") for line in told.replace(",", "\n").splitlines())
    }
    numbers = {key: int(value.split()[0]) for key, value in found.items() if value.strip()[:1].isdigit()}
    logical = numbers.get("Logical block length", 0)
    exponent = next((value for key, value in numbers.items() if "physical block exponent" in key), 0)
    lowest = next((value for key, value in numbers.items() if key.startswith("Lowest aligned")), 0)
    return logical, logical << exponent, lowest * logical


JOBS = {"look": look, "inspect": inspect}

VISITS = (
    Visit(
        "SATA drives: inspect matches emulation, kernel, other tools and recording",
        SATA_FLEET,
        ("look", "judge-all"),
        900,
        udev=False,
        alone=True,
    ),
    Visit(
        "NVMe, virtio, SCSI, USB and kernel-module drives: inspect matches emulation, "
        "other tools and recording",
        BUS_FLEET,
        ("look", "judge-all"),
        900,
        udev=True,
        alone=True,
    ),
)
