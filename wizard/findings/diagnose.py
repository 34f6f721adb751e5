"""Diagnose a drive: health verdict with at most five short sentences, and all findings. Pure.

A pending sector or a failed self-test means unreadable data. A reallocated sector means that the drive copes.
Drives with either fail far more often than others (Pinheiro, Weber, Barroso: Failure Trends in a Large Disk
Drive Population, FAST 2007). NVMe's percentage used is the vendor's estimate. 100 means the end of the rated
life, not a failure (Base Specification 2.0, log page 02h).
"""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from wizard.filesystems.kind import UUID_TABLES, WRITTEN_UUIDS
from wizard.filesystems.registry import KINDS
from wizard.findings import alignment, contents, drive_faults, geometry, smr_evidence, tables, use
from wizard.model.drive_facts import Health
from wizard.model.finding import Commands, Diagnosis, Finding, FindingCommand, Severity, command
from wizard.model.machine import Drive, Machine, Signature
from wizard.model.said import Message, join, t, tn
from wizard.model.verdict import DisplacedVerdict

MOST_SENTENCES = 5
NEARLY_USED_PERCENT = 90
FEW_SPARES = 1 << 0
"""In NVMe's critical warning: spares below the vendor's threshold. Drives that do not count spares report
0."""

HOURS_A_YEAR = 24 * 365.25
TEST_CLOCK_HOURS = 1 << 16
"""ATA self-test logs count hours in 16 bits."""


class DriveVerdict(StrEnum):
    """Health in one word."""

    GOOD = "good"
    WORN = "worn"
    FAILING = "failing"
    UNKNOWN = "unknown"


class HealthReport(Struct, frozen=True):
    """The verdict with at most five sentences, the most important first."""

    verdict: DriveVerdict
    said: tuple[Message, ...]


def judge_health(drive: Drive) -> HealthReport:
    """Judge the drive's own report. A silent drive is unknown, not good."""
    smart, health = drive.smart, drive.smart.health
    lost, worn = tuple(_unreadable(health)), tuple(_worn(health))
    if smart.passed is False or health.failing or lost:
        verdict, first = DriveVerdict.FAILING, t("Failing: copy all data off the drive now.")
    elif worn:
        verdict, first = DriveVerdict.WORN, t("Worn but working: plan to replace the drive.")
    elif smart.passed and drive.size_bytes:
        verdict, first = DriveVerdict.GOOD, t("Good: the drive reports no problem.")
    else:
        why = drive.why_unread("smart")
        verdict, first = DriveVerdict.UNKNOWN, t("Unknown: the drive does not report its health.")
        if why:
            first = t("Unknown: {why}", why=why)
    sentences = (first, *_failing(drive), *lost, *worn, *_remarks(health))
    return HealthReport(verdict, sentences[:MOST_SENTENCES])


def has_health(drive: Drive) -> bool:
    """Return False for devices without SMART, such as loop devices."""
    return (
        drive.smart.passed is not None
        or drive.smart.health != Health()
        or drive.why_unread("smart") is not None
    )


def _failing(drive: Drive) -> Iterator[Message]:
    if drive.smart.passed is False:
        yield t("The drive's SMART health check failed.")
    if names := drive.smart.health.failing:
        yield tn(
            "{names:and} has fallen to the manufacturer's limit.",
            "{names:and} have fallen to the manufacturer's limit.",
            names=names,
            count=len(names),
        )


def _unreadable(health: Health) -> Iterator[Message]:
    # Both count the same sectors, one in use, the other in scans.
    if count := max(health.pending or 0, health.lost or 0):
        yield tn(
            "One sector is unreadable; its data may be lost.",
            "{count} sectors are unreadable; their data may be lost.",
            count=count,
        )
    if health.test_passed is False:
        yield t("The last self-test found errors.")


def _worn(health: Health) -> Iterator[Message]:
    if health.media_errors:
        yield tn(
            "The drive failed to return stored data once.",
            "The drive failed to return stored data {count} times.",
            count=health.media_errors,
        )
    if health.reallocated:
        yield tn(
            "One bad sector was replaced with a spare.",
            "{count} bad sectors were replaced with spares.",
            count=health.reallocated,
        )
    if health.used_percent is not None and health.used_percent >= NEARLY_USED_PERCENT:
        yield t("{percent} % of the rated write endurance is used.", percent=health.used_percent)
    if health.spare_percent is not None and (health.alarms or 0) & FEW_SPARES:
        yield t("Only {percent} % of the spare blocks remain.", percent=health.spare_percent)


def _remarks(health: Health) -> Iterator[Message]:
    """Yield what does not affect the verdict. The count of cable errors never falls, even after replacing the
    cable."""
    if health.cable_errors:
        yield tn(
            "One transfer was corrupted on the cable; replace the cable if this continues.",
            "{count} transfers were corrupted on the cable; replace the cable if this continues.",
            count=health.cable_errors,
        )
    if health.hours is not None:
        years = round(health.hours / HOURS_A_YEAR, 1)
        yield (
            t("Powered on for {years} years ({count} hours).", years=years, count=health.hours)
            if years >= 1
            else tn("Powered on for one hour.", "Powered on for {count} hours.", count=health.hours)
        )
    if health.celsius is not None:
        yield t("Temperature: {celsius} °C.", celsius=health.celsius)
    if health.test_passed and health.hours is not None and health.test_hours is not None:
        yield tn(
            "The last self-test passed one power-on hour ago.",
            "The last self-test passed {count} power-on hours ago.",
            count=(health.hours - health.test_hours) % TEST_CLOCK_HOURS,
        )


def find_health(drive: Drive) -> Iterator[Finding]:
    """Yield a failed health check, unreadable sectors and wear."""
    health = drive.smart.health
    failing = t("The drive expects to lose data soon, or already has.")
    unreadable = t("More sectors usually fail later, with loss of files.")
    worn = t("Worn drives fail more often than others.")
    for code, severity, why, found in (
        ("health-failing", Severity.DANGER, failing, _failing(drive)),
        ("health-unreadable", Severity.DANGER, unreadable, _unreadable(health)),
        ("health-worn", Severity.WARNING, worn, _worn(health)),
    ):
        if sentences := tuple(found):
            yield Finding(
                code,
                severity,
                drive.path,
                t("{drive}: {sentences:row}", drive=drive, sentences=sentences),
                why,
                t("smartctl: the drive's counters and self-tests"),
                t("Copy important data elsewhere and replace the drive. smartctl shows all details."),
                command("smartctl", "-x", drive.path),
            )


SOURCE = t("serial number and WWN of every attached drive")


def diagnose(
    machine: Machine,
    drive: Drive,
    patterns: tuple[geometry.Pattern, ...],
    probed: DisplacedVerdict | None = None,
) -> Diagnosis:
    """Return the verdict on recording and all findings, the most severe first. `probed`: the quick probe's
    verdict."""
    rungs = smr_evidence.rungs_of(drive, patterns, probed)
    recording = smr_evidence.judge_recording(drive, rungs)
    findings = [
        *alignment.find_alignment(drive),
        *tables.find_tables(drive),
        *contents.find_contents(drive),
        *contents.find_shared(machine, drive),
        *geometry.find_geometry(drive),
        *drive_faults.find_no_size(drive),
        *drive_faults.find_nvme(drive),
        *smr_evidence.find_recording(drive, recording, rungs),
        *drive_faults.find_contradictions(drive, recording, rungs),
        *drive_faults.find_rotation(drive),
        *drive_faults.find_blocks(drive),
        *find_health(drive),
        *_find_identity(machine, drive),
        *_find_copies(machine, drive),
        *use.find_use(drive),
    ]
    order = list(Severity)
    return Diagnosis(
        drive.path, recording, tuple(sorted(findings, key=lambda finding: order.index(finding.severity)))
    )


def _sharing(machine: Machine, drive: Drive) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the other drives with the same numbers: those that may be this drive, and distinct ones."""
    sizes = {one.path: one.size_bytes or drive.size_bytes for one in machine.drives}
    same = drive.same_wwn if drive.serial is None else drive.same_serial
    distinct = tuple(
        path
        for path in same
        if sizes.get(path, drive.size_bytes) != drive.size_bytes
        or (drive.serial is not None and drive.wwn is not None and path not in drive.same_wwn)
    )
    return tuple(path for path in same if path not in distinct), distinct


def _find_identity(machine: Machine, drive: Drive) -> Iterator[Finding]:
    indistinct, distinct = _sharing(machine, drive)
    if maps := _maps_of(drive):
        others = tuple(one.path for one in machine.drives if one is not drive and maps & _maps_of(one))
        yield Finding(
            "identity-same-drive",
            Severity.INFO,
            drive.path,
            t(
                "{paths:list}: paths to the same drive, {maps:list}.",
                paths=(drive.path, *others),
                maps=tuple(sorted(maps)),
            ),
            t("Every path reads and writes the same bytes."),
            t("device-mapper multipath"),
            t("Use the multipath device. diskwright sets up drives with a single path."),
        )
    elif indistinct:
        yield Finding(
            "identity-same-drive",
            Severity.WARNING,
            drive.path,
            t(
                "{drive} and {others:list} report the same identifiers: possibly one drive "
                "with several names, or a copy.",
                drive=drive,
                others=indistinct,
            ),
            t(
                "If this is one drive, writes under one name appear under the other. With a "
                "copy, the intended drive is unknown."
            ),
            SOURCE,
            t("Compare the connections. If this is one drive, multipath combines the paths. Detach a copy."),
            command("lsblk", "-o", "NAME,SIZE,HCTL,WWN", drive.path, *indistinct),
        )
    if distinct:
        yield Finding(
            "identity-same-serial",
            Severity.INFO,
            drive.path,
            t(
                "{drive} and {others:list} report the same serial number, {serial}.",
                drive=drive,
                others=distinct,
                serial=drive.serial or drive.wwn or "",
            ),
            t(
                "Volumes of one array, namespaces of one NVMe drive and some enclosures "
                "share a serial number. The number does not distinguish them."
            ),
            SOURCE,
            t(
                "No action needed. diskwright asks you to confirm with the name, {name}.",
                name=drive.path.removeprefix("/dev/"),
            ),
        )


def _maps_of(drive: Drive) -> frozenset[str]:
    return frozenset(layer.path for layer in drive.layers if layer.kind == "multipath")


JOINED = frozenset({"btrfs", "bcachefs", "zfs_member"})
"""Filesystems whose devices share a UUID."""


def _is_member(mark: Signature) -> bool:
    return mark.usage == "raid" and mark.kind != "LVM2_member"


def _uuids_of(drive: Drive) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield identifiers with the device. Array members show the array's content; disc images are copies."""
    alone = not any(mark.kind == "iso9660" or _is_member(mark) for mark in drive.signatures)
    if alone and drive.table and drive.table.kind in UUID_TABLES and drive.table.uuid:
        yield ("MBR" if drive.table.kind == "mbr" else "GPT", drive.table.uuid), drive.path
    for device, marks in drive.signatures_by_device if alone else ((drive.path, drive.signatures),):
        members = tuple(filter(_is_member, marks))
        for mark in members or marks:
            joined = bool(members) or mark.kind in JOINED
            if mark.uuid and not mark.ambivalent and mark.kind != "iso9660" and (mark.member or not joined):
                yield (mark.kind, mark.uuid, mark.member or ""), device


def _is_one_drive(drive: Drive, other: Drive) -> bool:
    """Loop devices, and paths to one drive, show the same bytes as another drive."""
    nodes = (other.backing_file, *other.nodes)
    by_loop = drive.backing_file is not None and drive.backing_file in nodes
    return by_loop or not _maps_of(drive).isdisjoint(_maps_of(other))


def _copy_remedy(drive: Drive, devices: set[str]) -> tuple[Message, Commands]:
    """Return how to give the drive's copies new identifiers. vgimportclone needs all devices of a group."""
    said = [t("Detach the copy, or give the copy new identifiers.")]
    commands: list[FindingCommand] = []
    for device in drive.nodes:
        kind, uuid = drive.content_on(device) or ("", "")
        used = any(kind in UUID_TABLES or one.subject == device for one in drive.uses)
        if device not in devices or not uuid or used or drive.read_only:
            continue
        if kind == "LVM2_member":
            (mark,) = drive.signatures_on(device)
            if not mark.group:
                continue
            if mark.devices != 1:
                said.append(
                    t(
                        "{device} has one of {count} physical volumes of a group. Run vgimportclone with all "
                        "of one copy at once.",
                        device=device,
                        count=mark.devices or 0,
                    )
                )
                continue
            said.append(t("vgimportclone also renames the volume group, and diskwright cannot undo that."))
            commands.append(*command("vgimportclone", device, unused=device))
        elif kind in WRITTEN_UUIDS or (kind in KINDS and KINDS[kind].set_uuid):
            commands.append(*command("diskwright", "new-uuid", device))
    return join(*dict.fromkeys(said)), tuple(commands)


def copies_of(machine: Machine, drive: Drive) -> tuple[tuple[str, str, str], ...]:
    """Return kind, device and other device of contents with the same UUID."""
    same_drive, _ = _sharing(machine, drive)
    return tuple(
        (key[0], device, twin)
        for other in machine.attached
        if other.path not in same_drive
        and (other == drive or not (_is_one_drive(drive, other) or _is_one_drive(other, drive)))
        for key, device in _uuids_of(drive)
        for same, twin in _uuids_of(other)
        if same == key and (other != drive or device < twin)
    )


def _find_copies(machine: Machine, drive: Drive) -> Iterator[Finding]:
    copies = copies_of(machine, drive)
    if not copies:
        return
    devices = {node for _, *nodes in copies for node in nodes}
    unread = {node for other in machine.unprobed for _, node in _uuids_of(other)}
    pairs = tuple(
        t("{device} and {other} ({kind}, according to udev)", device=device, other=twin, kind=kind)
        if twin in unread
        else t("{device} and {other} ({kind})", device=device, other=twin, kind=kind)
        for kind, device, twin in copies
    )
    yield Finding(
        "identity-same-filesystem",
        Severity.WARNING,
        copies[0][1],
        join(
            t("Same UUIDs: {copies:list}.", copies=pairs),
            *(
                use.USES["mounted"][0](device=one.subject, by=one.by)
                for other in machine.drives
                for one in other.uses
                if one.kind == "mounted" and one.subject in devices
            ),
        ),
        t("A mount by UUID may use either. The kernel refuses to mount a second XFS; Btrfs may mix both."),
        t("superblocks and the partition table"),
        *_copy_remedy(drive, devices),
    )
