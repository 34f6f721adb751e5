"""The ladder: everything that may tell how a drive records, one clue a rung, the strongest first.

A rung that could not be asked is a clue too, with its reason, since what was not heard is no proof of
anything. Sources: Linux drivers/scsi/sd.c and drivers/ata/libata-scsi.c (VPD page B1h from IDENTIFY word 69),
block/blk-zoned.c (host-aware drives read `none` from 6.8 on); SAT-4 and ACS-4 (words 69, 169, 217);
smartmontools' ataprint.cpp and drivedb.h.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from wizard.diagnose.patterns import Confidence, Kind, Pattern, fitting
from wizard.diagnose.words import recording as words
from wizard.model.displaced import Displaced, DisplacedVerdict
from wizard.model.finding import Clue
from wizard.model.machine import Drive
from wizard.model.said import Said

DRIVE, HOST_AWARE, HOST_MANAGED = "drive", "host-aware", "host-managed"
VIRTUAL_BUSES = ("loop", "virtio", "mmc", "nvme")
VIRTUAL_MODELS = ("QEMU", "VBOX", "VMware", "Virtual")


class Weight(IntEnum):
    """How far a clue carries. STATED: the drive itself says so; PUBLISHED: its maker or smartmontools do, and
    nothing else is known against it; LISTED: others do; HINT: it only speaks for it."""

    HINT = 1
    LISTED = 2
    PUBLISHED = 3
    STATED = 4


@dataclass(frozen=True, slots=True)
class Rung:
    """One clue and what it speaks for: a management, or with None for a conventional drive; no weight where
    it is silent.

    `exact` is false where it says that a drive is shingled, and not who manages that; `asked` where it could
    not be asked.
    """

    clue: Clue
    management: str | None = None
    weight: Weight | None = None
    exact: bool = True
    asked: bool = True


def rungs_of(
    drive: Drive, patterns: tuple[Pattern, ...], probed: DisplacedVerdict | None = None
) -> tuple[Rung, ...]:
    """Every rung that is there to be asked, in the ladder's order; of the list's entries the last, which is
    the user's, first. `probed` is what the quick probe said of this drive."""
    found = (
        _zoned(drive),
        _vpd(drive),
        _word(drive),
        _smart(drive),
        _discard(drive),
        reversed(list(_listed(drive, patterns))),
        _probed(probed),
    )
    return tuple(rung for rungs in found for rung in rungs)


def _unasked(source: Said, why: Said) -> Rung:
    return Rung(Clue(source, words.NOT_ASKED(why=why), "low"), asked=False)


def _zoned(drive: Drive) -> Iterator[Rung]:
    source = words.KERNEL
    if drive.zoned in (HOST_AWARE, HOST_MANAGED):
        clue = Clue(source, words.STATED(management=drive.zoned), "high")
        yield Rung(clue, drive.zoned, Weight.STATED)
    elif drive.zoned is not None:
        yield Rung(Clue(source, words.AS_MANAGED_TOO(zoned=drive.zoned), "low"))
    else:
        yield _unasked(source, words.NO_ZONES)


def _vpd(drive: Drive) -> Iterator[Rung]:
    source = words.PAGE
    match drive.vpd_zoned:
        case 1:
            stated = words.STATED_BITS(bits=1, management=HOST_AWARE)
            yield Rung(Clue(source, stated, "high"), HOST_AWARE, Weight.STATED)
        case 2:
            stated = words.STATED_BITS(bits=2, management="drive-managed")
            yield Rung(Clue(source, stated, "high"), DRIVE, Weight.STATED)
        case int(bits):
            yield Rung(Clue(source, words.BITS_NOT_REPORTED(bits=bits), "low"))
        case None if drive.bus == "usb":
            yield _unasked(source, words.BRIDGE_NOT_ASKED)
        case None if drive.bus not in VIRTUAL_BUSES:
            yield _unasked(source, words.NO_PAGE)


def _word(drive: Drive) -> Iterator[Rung]:
    source = words.WORD
    if drive.ata is not None:
        match drive.ata.zoned:
            case 1:
                stated = words.STATED_BITS(bits=1, management=HOST_AWARE)
                yield Rung(Clue(source, stated, "high"), HOST_AWARE, Weight.STATED)
            case 2:
                stated = words.STATED_BITS(bits=2, management="device-managed")
                yield Rung(Clue(source, stated, "high"), DRIVE, Weight.STATED)
            case _:
                yield Rung(Clue(source, words.NOT_REPORTED, "low"))
    elif why := next((unread.why for unread in drive.unread if unread.what == "ata"), None):
        yield _unasked(source, why)
    elif drive.bus == "usb":
        yield _unasked(source, words.BRIDGE_SILENT)
    elif is_ata(drive):
        yield _unasked(source, words.KERNEL_SILENT)


def _smart(drive: Drive) -> Iterator[Rung]:
    smart = drive.smart
    says = {"device_managed": DRIVE, "host_aware": HOST_AWARE}.get(smart.zoned_capability or "")
    if says:
        stated = words.STATED(management=smart.zoned_capability or "")
        yield Rung(Clue(words.SMARTCTL, stated, "high"), says, Weight.STATED)
    family, source = smart.model_family or "", words.DATABASE
    if re.search(r"\(SMR\b", family):
        yield Rung(Clue(source, words.FAMILY(family=family), "high"), DRIVE, Weight.PUBLISHED, exact=False)
    elif re.search(r"\(CMR\b", family):
        yield Rung(Clue(source, words.FAMILY(family=family), "medium"), None, Weight.LISTED)
    elif family:
        yield Rung(Clue(source, words.FAMILY_SILENT(family=family), "low"))
    elif why := next((unread.why for unread in drive.unread if unread.what == "smart"), None):
        yield _unasked(words.SMARTCTL_AND_DATABASE, why)


def _discard(drive: Drive) -> Iterator[Rung]:
    own = (drive.ata is not None and drive.ata.trims is True) or drive.smart.trim_supported is True
    kernels = drive.discard is not None and drive.discard.maximum_bytes > 0 and is_ata(drive)
    if (own or kernels) and drive.rotational and not is_emulated(drive):
        clue = Clue(words.DISCARD, words.NO_USE_FOR_TRIM, "medium")
        yield Rung(clue, DRIVE, Weight.HINT, exact=False)


def is_emulated(drive: Drive) -> bool:
    """Whether a virtual machine's host makes it up."""
    models = (drive.model, drive.ata.model if drive.ata else None, drive.smart.model_name)
    return any((model or "").startswith(VIRTUAL_MODELS) for model in models)


def is_ata(drive: Drive) -> bool:
    """Whether the kernel's own ATA driver speaks to it: discard is then the drive's, not a file's, a thin
    volume's or a bridge's."""
    return drive.bus in ("ata", "sata") or (drive.bus == "scsi" and (drive.vendor or "").strip() == "ATA")


def _listed(drive: Drive, patterns: tuple[Pattern, ...]) -> Iterator[Rung]:
    managements = {
        Kind.DRIVE_MANAGED: DRIVE,
        Kind.HOST_AWARE: HOST_AWARE,
        Kind.HOST_MANAGED: HOST_MANAGED,
        Kind.CONVENTIONAL: None,
    }
    for pattern in fitting(drive, patterns):
        if pattern.kind is Kind.MEDIA_CACHE:
            continue
        weight = {
            Confidence.HIGH: Weight.PUBLISHED,
            Confidence.MEDIUM: Weight.LISTED,
            Confidence.LOW: Weight.HINT,
        }[pattern.confidence]
        clue = Clue(
            words.MODELS(source=pattern.source or words.OWN_LIST),
            _said_of(pattern),
            pattern.confidence.value,
        )
        # Lists rarely say who manages it: `drive-managed` is what stands there where nothing more is known.
        yield Rung(clue, managements[pattern.kind], weight, exact=pattern.kind is not Kind.DRIVE_MANAGED)


def _probed(verdict: DisplacedVerdict | None) -> Iterator[Rung]:
    """Of low confidence, whatever it found: only simulated drives have confirmed the probe so far."""
    if verdict is None:
        return
    source = words.QUICK_TEST
    match verdict.outcome:
        case Displaced.LIKELY:
            yield Rung(Clue(source, words.PROBED_LIKELY(), "low"), DRIVE, Weight.HINT, exact=False)
        case Displaced.NOTHING_FOUND:
            yield Rung(Clue(source, words.PROBED_NOTHING, "low"))
        case Displaced.CANNOT_TELL:
            yield _unasked(source, words.PROBED_IN_VAIN)


def _said_of(pattern: Pattern) -> Said:
    """What an entry of the list says; of low confidence it is only reported."""
    kind, family, only_reported = pattern.kind.value, pattern.family, pattern.confidence is Confidence.LOW
    if family:
        named = words.REPORTED_FAMILY if only_reported else words.LISTED_FAMILY
        return named(family=family, management=kind)
    return (words.REPORTED if only_reported else words.LISTED)(management=kind)
