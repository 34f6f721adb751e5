"""Where two sources say different things of one drive: who says what, which is believed, and why. Nothing is
settled in silence."""

from collections.abc import Iterator, Sequence

from wizard.diagnose.recording import speaks_for_conventional, strongest
from wizard.diagnose.rungs import VIRTUAL_BUSES, Rung, own_rotation_rate
from wizard.model.finding import Finding, Recorded, Recording, Severity
from wizard.model.machine import Drive


def find_contradictions(drive: Drive, recording: Recording, rungs: Sequence[Rung]) -> Iterator[Finding]:
    """How it records, whether it turns, and how its blocks lie."""
    yield from _recording(drive, recording, rungs)
    yield from _rotation(drive)
    yield from _blocks(drive)


def _recording(drive: Drive, recording: Recording, rungs: Sequence[Rung]) -> Iterator[Finding]:
    shingled = [rung for rung in rungs if rung.weight and rung.management]
    conventional = [rung for rung in rungs if speaks_for_conventional(rung)]
    several = len({rung.management for rung in shingled if rung.exact}) > 1
    if not shingled or not (conventional or several) or drive.bus in VIRTUAL_BUSES:
        return
    said = "; ".join(f"{rung.clue.source} says {rung.clue.says}" for rung in (*shingled, *conventional))
    best = strongest(shingled)
    assert best is not None
    if recording.verdict is Recorded.YES:
        believed = (
            f"{best.clue.source} is believed: the drive's own word counts most, then its maker's and "
            "smartmontools', then others'."
        )
    elif recording.verdict is Recorded.LIKELY:
        believed = f"{best.clue.source} is believed for now, as the stronger of the two, and not as a proof."
    else:
        believed = (
            "None is believed: they are equally strong, so that the drive counts as unknown. One model "
            "number can be of either kind."
        )
    if several and not conventional:
        believed = (
            f"{best.clue.source} is believed: it stands highest of those that say who manages the zones."
        )
    yield Finding(
        "recording-contradiction",
        Severity.WARNING,
        drive.path,
        f"The sources contradict each other about how {drive.path} records: {said}.",
        believed,
        "the ladder of clues, each shown with its confidence by `diskwright inspect --json`",
        "Read the label for the exact model number and look it up at its maker. Until it is known, treat the "
        "drive as shingled: that costs little if it is not.",
    )


def _rotation(drive: Drive) -> Iterator[Finding]:
    rate = own_rotation_rate(drive)
    if rate is None or drive.rotational is None or (rate > 1) == drive.rotational:
        return
    own = f"turns {rate} times a minute" if rate > 1 else "is a solid-state drive"
    kernels = "a hard disk" if drive.rotational else "a drive without moving parts"
    yield Finding(
        "recording-contradiction",
        Severity.INFO,
        drive.path,
        f"The kernel takes {drive.path} for {kernels}, and the drive says of itself that it {own}.",
        "The drive is believed: enclosures and controllers often leave it out, and queue/rotational can be "
        "set by anybody who is root.",
        "queue/rotational in sysfs, against IDENTIFY word 217 or smartctl",
        f"`echo {int(rate > 1)} > /sys/block/{drive.path.removeprefix('/dev/')}/queue/rotational` puts the "
        "kernel right until the next start; what is concluded about the recording does not depend on it.",
    )


def _blocks(drive: Drive) -> Iterator[Finding]:
    """The kernel has its word from the drive too, but through whatever lies between them."""
    if drive.ata is None or drive.geometry is None:
        return
    physical, shift = drive.ata.physical_block_bytes, drive.ata.alignment_offset_bytes
    if physical is not None and physical > drive.geometry.physical_block_bytes:
        yield _geometry(
            drive,
            f"The kernel knows blocks of {drive.geometry.physical_block_bytes} bytes, the drive itself says "
            f"{physical}",
            "Something between them hides the larger blocks; a partition that is aligned for the kernel may "
            "not be for the drive.",
            "Nothing needs to be done for layouts made here, which start on a whole MiB; give other tools "
            "starts in MiB.",
        )
    elif (
        shift is not None
        and shift != drive.geometry.alignment_offset_bytes
        and drive.geometry.alignment_offset_bytes >= 0
    ):
        yield _geometry(
            drive,
            f"The kernel lets physical blocks begin {drive.geometry.alignment_offset_bytes} bytes from the "
            f"drive's start, the drive itself says {shift}",
            "Something between them hides the shift, which a jumper on the drive causes; every partition the "
            "kernel calls aligned then lies across two physical blocks.",
            "Take the jumper off before anything is stored, or attach the drive without the bridge. "
            f"`diskwright bench {drive.path}` measures which of the two is right.",
        )


def _geometry(drive: Drive, sentence: str, why: str, remedy: str) -> Finding:
    source = "physical_block_size and alignment_offset in sysfs, against IDENTIFY words 106 and 209"
    return Finding(
        "geometry-contradiction",
        Severity.WARNING,
        drive.path,
        f"{drive.path}: {sentence[:1].lower()}{sentence[1:]}.",
        why,
        source,
        remedy,
    )
