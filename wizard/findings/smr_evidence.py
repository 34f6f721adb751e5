"""Evidence of how a drive records, strongest first.

An unavailable source is a clue too, with the reason, since silence is no proof. Sources: Linux
drivers/scsi/sd.c and drivers/ata/libata-scsi.c (VPD page B1h from IDENTIFY word 69), block/blk-zoned.c
(host-aware drives report `none` from 6.8 on); SAT-4 and ACS-4 (words 69, 169, 217); smartmontools'
ataprint.cpp and drivedb.h.
"""

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum

from msgspec import Struct

from wizard.findings.geometry import Confidence, Pattern, RecordingKind, fitting
from wizard.model.finding import (
    NO_ACTION,
    Clue,
    Finding,
    Recorded,
    Recording,
    Severity,
    command,
)
from wizard.model.machine import Drive
from wizard.model.said import Message, Sentence, join, t
from wizard.model.verdict import Displaced, DisplacedVerdict

PAGE = t("SCSI VPD page B1h, byte 8, bits 5:4")
WORD = t("IDENTIFY word 69, bits 1:0")
SMARTCTL = t("smartctl, the drive's zoned capability")
DATABASE = t("smartmontools' drive database")
REPORTED = Sentence("reported as {management}")
REPORTED_FAMILY = Sentence("{family}: reported as {management}")
PROBED_LIKELY = t("written data is read from another place (this test is unconfirmed on real drives)")
NOT_PASSED = t("the drive, kernel or a USB bridge does not pass this on")
NOT_ASKED = Sentence("not available: {why}")
CLUE = Sentence("{source}: {says}")

LISTED = RecordingKind.LISTED_CONVENTIONAL.value
DRIVE, HOST_AWARE, HOST_MANAGED = "drive", "host-aware", "host-managed"
VIRTUAL_BUSES = ("loop", "virtio", "mmc", "nvme")
VIRTUAL_MODELS = ("QEMU", "VBOX", "VMware", "Virtual")


class Weight(IntEnum):
    """Strength of a clue. STATED: by the drive. PUBLISHED: by the manufacturer or smartmontools. LISTED: by
    others. HINT: indirect evidence. NONE: inconclusive."""

    NONE = 0
    HINT = 1
    LISTED = 2
    PUBLISHED = 3
    STATED = 4


class Rung(Struct, frozen=True):
    """What a source says, and the conclusion: a zone management, or None for a conventional drive.

    `exact`: False if shingling is certain but not the management. `asked`: False if the source was
    unavailable. `by_maker`: the maker lists the model as conventional.
    """

    source: Message
    says: Message
    confidence: str = "low"
    management: str | None = None
    weight: Weight = Weight.NONE
    exact: bool = True
    asked: bool = True
    by_maker: bool = False

    @property
    def is_conventional(self) -> bool:
        """True for a clue against shingling."""
        return bool(self.weight) and self.management is None

    @property
    def statement(self) -> Message:
        """The source with the statement."""
        return CLUE(source=self.source, says=self.says)


def rungs_of(
    drive: Drive, patterns: tuple[Pattern, ...], probed: DisplacedVerdict | None = None
) -> tuple[Rung, ...]:
    """Return the rungs of all sources, strongest first, the user's list entries before others. `probed`: the
    quick probe's verdict."""
    found = (
        _stated(drive),
        _smart(drive),
        _discard(drive),
        reversed(list(_listed(drive, patterns))),
        _probed(probed),
    )
    return tuple(rung for rungs in found for rung in rungs)


def _unavailable(source: Message, why: Message) -> Rung:
    return Rung(source, NOT_ASKED(why=why), asked=False)


def _stated(drive: Drive) -> Iterator[Rung]:
    """Yield the drive's own statements: the kernel's attribute, the SCSI page and the ATA word."""
    source = t("the kernel's queue/zoned")
    if drive.zoned in (HOST_AWARE, HOST_MANAGED):
        yield Rung(source, join(drive.zoned), "high", drive.zoned, Weight.STATED)
    elif drive.zoned is not None:
        yield Rung(source, t("{zoned}, as drive-managed drives also report", zoned=drive.zoned))
    else:
        yield _unavailable(source, NOT_PASSED)
    if drive.vpd_zoned is not None:
        yield _bits(PAGE, drive.vpd_zoned, "drive-managed")
    elif drive.bus not in VIRTUAL_BUSES:
        yield _unavailable(PAGE, NOT_PASSED)
    if drive.ata is not None:
        yield _bits(WORD, drive.ata.zoned, "device-managed")
    elif why := drive.why_unread("ata"):
        yield _unavailable(WORD, why)
    elif drive.bus == "usb" or is_ata(drive):
        yield _unavailable(WORD, NOT_PASSED)


def _bits(source: Message, bits: int | None, drive_managed: str) -> Rung:
    """The page and the word have the same values."""
    management = {1: HOST_AWARE, 2: DRIVE}.get(bits or 0)
    if management is None:
        return Rung(source, t("not reported"))
    shown = drive_managed if management == DRIVE else management
    stated = t("{bits}: {management}", bits=bits or 0, management=shown)
    return Rung(source, stated, "high", management, Weight.STATED)


def _smart(drive: Drive) -> Iterator[Rung]:
    smart = drive.smart
    says = {"device_managed": DRIVE, "host_aware": HOST_AWARE}.get(smart.zoned_capability or "")
    if says:
        yield Rung(SMARTCTL, join(smart.zoned_capability or ""), "high", says, Weight.STATED)
    family, source = smart.model_family or "", DATABASE
    if re.search(r"\(SMR\b", family):
        yield Rung(source, join(family), "high", DRIVE, Weight.PUBLISHED, exact=False)
    elif re.search(r"\(CMR\b", family):
        yield Rung(source, join(family), "medium", None, Weight.LISTED)
    elif family:
        yield Rung(source, t("{family}, stating neither", family=family))
    elif why := drive.why_unread("smart"):
        yield _unavailable(source, why)


def _discard(drive: Drive) -> Iterator[Rung]:
    own = (drive.ata is not None and drive.ata.trims is True) or drive.smart.trim_supported is True
    kernels = drive.discards and is_ata(drive)
    if (own or kernels) and drive.rotational and not is_emulated(drive):
        yield Rung(
            t("rotational, and discard (TRIM)"),
            t("hard disks that are not shingled do not need TRIM"),
            "medium",
            DRIVE,
            Weight.HINT,
            exact=False,
        )


def is_emulated(drive: Drive) -> bool:
    """Return True for drives of a virtual machine."""
    models = (drive.model, drive.ata.model if drive.ata else None, drive.smart.model_name)
    return any((model or "").startswith(VIRTUAL_MODELS) for model in models)


def is_ata(drive: Drive) -> bool:
    """Return True behind the kernel's ATA driver, where discard is the drive's own."""
    return drive.bus in ("ata", "sata") or (drive.bus == "scsi" and (drive.vendor or "").strip() == "ATA")


def _listed(drive: Drive, patterns: tuple[Pattern, ...]) -> Iterator[Rung]:
    managements = {
        RecordingKind.DRIVE_MANAGED: DRIVE,
        RecordingKind.HOST_AWARE: HOST_AWARE,
        RecordingKind.HOST_MANAGED: HOST_MANAGED,
    }
    weights = {
        Confidence.HIGH: Weight.PUBLISHED,
        Confidence.MEDIUM: Weight.LISTED,
        Confidence.LOW: Weight.HINT,
    }
    for pattern in fitting(drive, patterns):
        if pattern.kind is RecordingKind.MEDIA_CACHE:
            continue
        management, family = pattern.kind.value.removeprefix("listed-"), pattern.family
        # Entries of low confidence are only "reported".
        says = join(management)
        if pattern.confidence is Confidence.LOW:
            says = REPORTED(management=management)
            if family:
                says = REPORTED_FAMILY(family=family, management=management)
        elif family:
            says = CLUE(source=family, says=management)
        # Lists rarely state the management, so `drive-managed` is only a default.
        yield Rung(
            t("model list from {source}", source=pattern.source or t("the user's own list")),
            says,
            pattern.confidence.value,
            managements.get(pattern.kind),
            weights[pattern.confidence],
            exact=pattern.kind is not RecordingKind.DRIVE_MANAGED,
            by_maker=pattern.kind is RecordingKind.LISTED_CONVENTIONAL,
        )


def _probed(verdict: DisplacedVerdict | None) -> Iterator[Rung]:
    """Confidence is always low: only simulated drives confirmed the probe."""
    if verdict is None:
        return
    source = t("the quick test")
    match verdict.outcome:
        case Displaced.LIKELY:
            yield Rung(source, PROBED_LIKELY, "low", DRIVE, Weight.HINT, exact=False)
        case Displaced.NOTHING_FOUND:
            yield Rung(source, t("no evidence found, which is not proof"))
        case Displaced.CANNOT_TELL:
            yield _unavailable(source, t("inconclusive"))


def judge_recording(drive: Drive, rungs: Sequence[Rung]) -> Recording:
    """Return the verdict with all clues. A conventional clue as strong as the shingled one makes the verdict
    `unknown`, unless the drive states shingling. The verdict is never `no`."""
    evidence = tuple(Clue(rung.source, rung.says, rung.confidence) for rung in rungs)
    shingled = strongest(rungs)
    conventional = max((rung.weight for rung in rungs if rung.is_conventional), default=Weight.NONE)
    if shingled is not None and drive.bus == "nvme":
        return Recording("not-applicable", shingled.management, Recorded.NOT_APPLICABLE, "high", evidence)
    if shingled is not None and (shingled.weight == Weight.STATED or shingled.weight > conventional):
        sure = shingled.weight >= Weight.PUBLISHED
        verdict = Recorded.YES if sure else Recorded.LIKELY
        confidence = shingled.confidence if not conventional else "low" if not sure else "medium"
        return Recording("shingled", shingled.management, verdict, confidence, evidence)
    if drive.rotational is False:
        source = (
            t("the kernel's view in sysfs")
            if drive.rotation_rate is None
            else t("the drive's rotation rate (IDENTIFY word 217, or smartctl)")
        )
        solid = Clue(source, t("no rotation, so no overlapping tracks"), "high")
        return Recording("not-applicable", None, Recorded.NOT_APPLICABLE, "high", (solid, *evidence))
    listed = shingled is None and any(rung.by_maker for rung in rungs)
    return Recording(LISTED if listed else "unknown", None, Recorded.UNKNOWN, "none", evidence)


def strongest(rungs: Sequence[Rung]) -> Rung | None:
    """Return the strongest clue for shingling."""
    speaking = [rung for rung in rungs if rung.management and rung.weight]
    return max(speaking, key=lambda rung: (rung.weight, rung.exact), default=None)


def find_recording(drive: Drive, recording: Recording, rungs: Sequence[Rung]) -> Iterator[Finding]:
    """Yield the finding for a verdict. `find_contradictions` reports clues that cancel each other."""
    if recording.verdict is Recorded.LIKELY:
        yield _shingled(drive, recording, "recording-shingled-likely", t("likely shingled"))
    elif recording.management == HOST_MANAGED:
        yield Finding(
            "recording-zoned-host-managed",
            Severity.DANGER,
            drive.path,
            t(
                "{drive} is host-managed: each zone requires sequential writes from the start "
                "({clues:semicolons}).",
                drive=drive,
                clues=_clues(recording),
            ),
            t(
                "The kernel refuses partitions on this drive, and ext4 does not support zones. "
                "Out-of-order writes fail."
            ),
            t("Linux, block/partitions/core.c and Documentation/block (zoned devices)"),
            t(
                "Use the whole drive for Btrfs in zoned mode, without partitions. `advise` checks support in "
                "this kernel and tools, and lists alternatives."
            ),
            command("diskwright", "advise", drive.path, "--workload", "ID"),
        )
    elif recording.management == HOST_AWARE:
        yield _shingled(drive, recording, "recording-zoned-host-aware", t("shingled and host-aware"))
    elif recording.verdict is Recorded.YES:
        yield _shingled(drive, recording, "recording-shingled", t("shingled and drive-managed"))
    elif recording.kind == LISTED:
        yield Finding(
            "recording-listed-conventional",
            Severity.INFO,
            drive.path,
            t("The manufacturer lists {drive} as conventional, not shingled.", drive=drive),
            t("The list names model lines. The drive itself does not confirm this."),
            next(rung.source for rung in rungs if rung.by_maker),
            NO_ACTION,
        )
    elif may_be_shingled(drive, recording) and strongest(rungs) is None:
        conventional = tuple(rung.statement for rung in rungs if rung.is_conventional)
        unavailable = tuple(
            t("{source} ({says})", source=rung.source, says=rung.says) for rung in rungs if not rung.asked
        )
        sentence = (
            t(
                "No source reports {drive} as shingled (SMR), and it is listed as conventional "
                "({clues:semicolons}).",
                drive=drive,
                clues=conventional,
            )
            if conventional
            else t("Unknown if {drive} is shingled (SMR): no source reports this.", drive=drive)
        )
        yield Finding(
            "recording-unknown",
            Severity.INFO,
            drive.path,
            sentence,
            join(
                t(
                    "Some shingled drives do not report this (ST8000AS0002, MQ04UBB400): a "
                    "missing report does not prove a conventional drive."
                ),
                *([t("Unavailable sources: {clues:semicolons}.", clues=unavailable)] if unavailable else []),
            ),
            t("the kernel, VPD page B1h, IDENTIFY data, smartctl, discard and the model list, if available"),
            t(
                "Look up the model at the manufacturer and add the result to "
                "/etc/diskwright/drives; one line is enough. A test in free space takes a minute."
            ),
            command("diskwright", "bench", drive.path, "--scratch", "--shingled", "--quick"),
        )


def may_be_shingled(drive: Drive, recording: Recording) -> bool:
    """Return True for a possible hard disk with an unknown method. Excludes removable media without known
    rotation, virtual drives, and models listed as conventional."""
    unknown_rotation = drive.rotational is None and drive.kernel_rotational is not None
    can_turn = drive.rotational or (unknown_rotation and not drive.removable)
    unknown = recording.verdict is Recorded.UNKNOWN and recording.kind != LISTED
    return unknown and can_turn and drive.bus not in VIRTUAL_BUSES


def _shingled(drive: Drive, recording: Recording, code: str, how: Message) -> Finding:
    return Finding(
        code,
        Severity.WARNING,
        drive.path,
        t("{drive} is {how} ({clues:semicolons}).", drive=drive, how=how, clues=_clues(recording)),
        t(
            "Tracks overlap: random writes are cached, and later rewritten in whole "
            "bands. When the cache is full, writes become very slow. As a file server, "
            "ext4 reached 52.7 operations a second on a shingled drive, and 142.3 on a "
            "conventional one."
        ),
        t("a comparison of 2015 (Linux 3.16, Seagate ST8000AS0002, conventional Toshiba MD04ACA400)"),
        t(
            "Good for large files written once, mounted with noatime. Slow for databases, "
            "virtual machines and parity arrays."
        ),
    )


def _clues(recording: Recording) -> tuple[Message, ...]:
    reported = {one.english for one in (REPORTED, REPORTED_FAMILY, PROBED_LIKELY)}
    return tuple(
        CLUE(source=clue.source, says=clue.says)
        for clue in recording.evidence
        if clue.confidence != "low" or clue.says.english in reported
    )
