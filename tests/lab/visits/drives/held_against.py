"""Compare facts about the drives of `ladder` with the kernel and other tools."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests.lab.drives.fleet import EmulatedDrive
from tests.lab.guest.inside import node_of, shown, sysfs, tool
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import Pattern
from wizard.model.finding import Diagnosis
from wizard.model.machine import Drive, Machine
from wizard.model.run import Check
from wizard.probe.drive.reports import vital_page
from wizard.probe.facts import RawDrive
from wizard.probe.interpret import machine_of
from wizard.probe.machine import survey

PATIENCE = 120.0
"""Seconds for a survey of all drives. smartctl alone may take several per drive."""
REPORTED_SHINGLED = {"word", "contradicted"}

Seen = dict[str, tuple[Machine, Drive, RawDrive]]


def diagnosed(seen: tuple[Machine, Drive, RawDrive], patterns: tuple[Pattern, ...]) -> Diagnosis:
    """Return the diagnosis with these patterns."""
    machine, drive, _ = seen
    return diagnose(machine, drive, patterns)


def against_the_kernel(seen: Seen) -> Iterator[Check]:
    """Compare with the kernel: drives logged as shingled, and alignment offsets."""
    log = tool("dmesg")
    logged = {
        name
        for name, (_, drive, _) in seen.items()
        if f"[{Path(drive.path).name}] Drive-managed SMR disk" in log
    }
    yield Check(
        "the kernel logs exactly the drive-managed drives",
        logged == REPORTED_SHINGLED,
        shown(sorted(logged)),
    )
    for name, (_, drive, _) in seen.items():
        kernel = int(sysfs(drive.path, "alignment_offset"))
        ours = (drive.ata.alignment_offset_bytes or 0) if drive.ata else 0
        made = 3584 if name == "jumpered" else 0
        yield Check(
            f"{name}: word 209 matches the kernel's alignment offset",
            kernel == ours == made,
            f"kernel {kernel}, word 209 {ours}",
        )


def against_other_tools(name: str, drive: Drive, raw: RawDrive) -> Iterator[Check]:
    """Compare the page in sysfs with IDENTIFY DEVICE from hdparm, page B1h with sg_vpd, and meanings with
    smartctl."""
    page = vital_page(raw, "89")
    ours = [int.from_bytes(page[at : at + 2], "little") for at in range(60, len(page), 2)]
    theirs = [
        int(word, 16)
        for line in tool("hdparm", "--Istdout", drive.path).splitlines()
        if ":" not in line
        for word in line.split()
    ]
    unlike = [number for number, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other]
    yield Check(
        f"{name}: all 256 words match hdparm",
        len(ours) == len(theirs) == 256 and not unlike,
        shown(unlike or [len(ours), len(theirs)]),
    )
    dump = [
        line.split()[1:17]
        for line in tool("sg_vpd", "--page=0xb1", "--hex", drive.path).splitlines()
        if line[:4].strip() == "00"
    ]
    zoned = int(dump[0][8], 16) >> 4 & 3 if dump and len(dump[0]) == 16 else None
    made = 2 if name in REPORTED_SHINGLED else 0
    yield Check(
        f"{name}: page B1h matches sg_vpd",
        zoned == drive.vpd_zoned == made,
        f"sg_vpd {zoned}, ours {drive.vpd_zoned}",
    )
    said = json.loads(raw.smart or "{}")
    theirs_mean = (
        said.get("zoned_device", {}).get("capabilities"),
        bool(said.get("trim", {}).get("supported")),
        said.get("rotation_rate"),
        said.get("model_name"),
    )
    ata = drive.ata
    zones = {1: "host_aware", 2: "device_managed"}
    ours_mean = ata and (
        zones.get(ata.zoned or 0),
        ata.trims,
        ata.rotation_rate if ata.rotation_rate != 1 else 0,
        ata.model,
    )
    yield Check(
        f"{name}: zones, TRIM, rotation and model match smartctl",
        ours_mean == theirs_mean,
        f"{ours_mean}, smartctl {theirs_mean}",
    )


def formats_of(made: EmulatedDrive, seen: Seen) -> Iterator[Check]:
    """Compare the formats of an NVMe drive with nvme's list, and change to the better one."""
    _, drive, _ = seen["nvme"]
    said = json.loads(tool("nvme", "id-ns", drive.path, "-o", "json"))
    theirs = [
        (number, 1 << one["ds"], one["ms"], one["rp"])
        for number, one in enumerate(said["lbafs"])
        if one["ds"]
    ]
    ours = [(one.number, one.data_bytes, one.metadata_bytes, one.performance) for one in drive.nvme_formats]
    yield Check(
        "nvme: the formats match nvme id-ns",
        ours == theirs and len(ours) > 1,
        f"{ours}, nvme {theirs}",
    )
    text = [line for line in tool("nvme", "id-ns", drive.path).splitlines() if "(in use)" in line]
    used = [one.number for one in drive.nvme_formats if one.in_use]
    yield Check(
        "nvme: the format in use matches nvme id-ns",
        [f"{number}" for number in used] == [line.split()[1] for line in text],
        shown(text),
    )
    controller = json.loads(tool("nvme", "id-ctrl", drive.path, "-o", "json"))
    scope = "none" if not controller["oacs"] & 2 else "all" if controller["fna"] & 1 else "namespace"
    yield Check(
        "nvme: the scope of a format matches nvme id-ctrl",
        drive.nvme_format_scope == scope,
        f"{drive.nvme_format_scope}, nvme {scope}",
    )
    found = [
        " ".join(one.commands[0].argv)
        for one in diagnosed(seen["nvme"], ()).findings
        if one.code == "geometry-nvme-formats"
    ]
    yield Check("nvme: the better format is reported", len(found) == 1, shown(found))
    if found:
        command = found[0].split()
        # --force only skips the ten seconds for changing one's mind.
        tool(*command, "--force")
        machine = machine_of(survey((node_of(made),), seconds=PATIENCE))
        after = machine.drives[0]
        codes = [one.code for one in diagnose(machine, after, ()).findings]
        block = after.geometry.logical_block_bytes if after.geometry else None
        right = block == 4096 and "geometry-nvme-formats" not in codes and "geometry-4kn" in codes
        yield Check(
            f"nvme: `{' '.join(command)}` sets the format, and no better one is reported",
            right,
            f"{block}, {shown(codes)}",
        )
