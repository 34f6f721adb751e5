"""Which drives the quick probe is for: whole hard disks that turn, and that no layer stands before."""

from collections.abc import Sequence

from wizard.diagnose.patterns import Kind, Pattern, fitting
from wizard.diagnose.rungs import is_ata, is_emulated
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Extent
from wizard.model.names import printable
from wizard.model.said import Said, t
from wizard.trial.displaced.pairs import LEAST_FREE_BYTES, free_bytes
from wizard.trial.displaced.told import known_sentence
from wizard.trial.scratch import refused, scratch_extents

BUSES = ("ata", "sata", "sas", "usb")
LARGEST_BLOCK_BYTES = 64 * 1024
LEAST_BLOCK_BYTES = 4096


def probe_extents(drive: Drive) -> tuple[Extent, ...]:
    """Where the probe may write; raises Refused with the reason where it is not possible."""
    if reason := _no_hard_disk(drive):
        raise refused(reason)
    extents = scratch_extents(drive)
    if free_bytes(extents) < LEAST_FREE_BYTES:
        raise Refused(
            str(
                t(
                    "{drive} has too little free space for the quick test: it takes "
                    "{least:exact}. Nothing was written.",
                    drive=drive.path,
                    least=LEAST_FREE_BYTES,
                )
            )
        )
    return extents


def quick_test_obstacle(drive: Drive, patterns: Sequence[Pattern]) -> str:
    """Why the probe cannot be made, or could not tell, in a sentence; empty where it can."""
    try:
        probe_extents(drive)
    except Refused as error:
        return str(error)
    family = media_cache_family(drive, patterns)
    return "" if family is None else known_sentence(drive.path, family)


def media_cache_family(drive: Drive, patterns: Sequence[Pattern]) -> str | None:
    """The family of a model that is known for a media cache, so that the probe cannot tell; None for all
    others."""
    found = next((one for one in fitting(drive, patterns) if one.kind is Kind.MEDIA_CACHE), None)
    return None if found is None else printable(str(found.family) or drive.model or "", 80)


def block_bytes(drive: Drive) -> int:
    """What is read and written at once: a whole physical block, and 4 KiB at least."""
    assert drive.geometry is not None
    return max(LEAST_BLOCK_BYTES, drive.geometry.physical_block_bytes)


def _no_hard_disk(drive: Drive) -> Said | None:
    """Why it is not for this drive, in a sentence."""
    if drive.bus not in BUSES and not is_ata(drive):
        return t(
            "The quick test is for SATA, SAS and USB hard disks; {drive} ({bus}) is "
            "none. It may move what is written.",
            drive=drive.path,
            bus=drive.bus or "?",
        )
    if is_emulated(drive):
        return t("{drive} is emulated: what would be timed is not a drive's platters.", drive=drive.path)
    if drive.rotational is False:
        return t("{drive} has no platters, so that no tracks can overlap.", drive=drive.path)
    if drive.rotational is None:
        return t(
            "{drive} does not say that it turns. Behind some USB bridges only smartctl can tell.",
            drive=drive.path,
        )
    if drive.geometry is not None and block_bytes(drive) > LARGEST_BLOCK_BYTES:
        return t(
            "{drive} reports physical blocks of {size} bytes, which cannot be meant.",
            drive=drive.path,
            size=drive.geometry.physical_block_bytes,
        )
    return None
