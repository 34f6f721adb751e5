"""Whether a drive is shingled, from the ladder's clues (rungs.py). Silence proves nothing, so that `no` is
never concluded."""

from collections.abc import Iterator, Sequence

from wizard.diagnose.rungs import (
    HOST_AWARE,
    HOST_MANAGED,
    NOT_ASKED,
    VIRTUAL_BUSES,
    Rung,
    Weight,
    own_rotation_rate,
    turns,
)
from wizard.model.finding import Clue, Finding, Recorded, Recording, Severity
from wizard.model.machine import Drive


def judge_recording(drive: Drive, rungs: Sequence[Rung]) -> Recording:
    """The verdict with every clue, also those that contradict it and those that could not be had.

    A conventional drive's clue turns a weaker or equal one for shingles into `unknown`, but for the drive's
    own word; it never becomes `no`.
    """
    evidence = tuple(rung.clue for rung in rungs)
    shingled = strongest(rungs)
    against = max((weight_of(rung) for rung in rungs if speaks_for_conventional(rung)), default=0)
    if shingled is not None and drive.bus == "nvme":
        return Recording("not-applicable", shingled.management, Recorded.NOT_APPLICABLE, "high", evidence)
    if shingled is not None and (weight_of(shingled) == Weight.STATED or weight_of(shingled) > against):
        sure = weight_of(shingled) >= Weight.PUBLISHED
        verdict = Recorded.YES if sure else Recorded.LIKELY
        confidence = shingled.clue.confidence if not against else "low" if not sure else "medium"
        return Recording("shingled", shingled.management, verdict, confidence, evidence)
    if turns(drive) is False:
        return Recording("not-applicable", None, Recorded.NOT_APPLICABLE, "high", (_solid(drive), *evidence))
    return Recording("unknown", None, Recorded.UNKNOWN, "none", evidence)


def strongest(rungs: Sequence[Rung]) -> Rung | None:
    """What speaks most for shingles: by weight, then those that name who manages them, then by the ladder's
    order."""
    speaking = [rung for rung in rungs if rung.management and rung.weight]
    return max(speaking, key=lambda rung: (weight_of(rung), rung.exact), default=None)


def weight_of(rung: Rung) -> int:
    """0 for a rung that is silent."""
    return rung.weight or 0


def speaks_for_conventional(rung: Rung) -> bool:
    """Whether it says that the drive is not shingled."""
    return rung.weight is not None and rung.management is None


def _solid(drive: Drive) -> Clue:
    own = own_rotation_rate(drive) is not None
    source = (
        "the drive's own rotation rate (IDENTIFY word 217, or smartctl)"
        if own
        else "/sys/block/*/queue/rotational"
    )
    return Clue(source, "nothing turns, so that there are no tracks to overlap", "high")


WHY_SHINGLED = (
    "Tracks overlap, so that random writes are gathered in a cache and rewritten in whole bands later; once "
    "the cache is full they crawl. In ten hours of a backup's file operations ext4 did 172,668 on a shingled "
    "drive, against 466,044 on a conventional one."
)
STUDY = "a comparison of filesystems on a Seagate ST8000AS0002 and a conventional Toshiba"


def find_recording(drive: Drive, recording: Recording, rungs: Sequence[Rung]) -> Iterator[Finding]:
    """What the verdict means for the person. Where clues cancel each other out, contradictions.py says so
    instead."""
    if recording.verdict is Recorded.LIKELY:
        yield _shingled(drive, recording, "recording-shingled-likely", "is likely shingled")
    elif recording.management == HOST_MANAGED:
        yield _host_managed(drive, recording)
    elif recording.management == HOST_AWARE:
        yield _shingled(drive, recording, "recording-zoned-host-aware", "is shingled and host-aware")
    elif recording.verdict is Recorded.YES:
        yield _shingled(drive, recording, "recording-shingled", "is shingled, and manages that by itself")
    elif (
        recording.verdict is Recorded.UNKNOWN
        and turns(drive)
        and drive.bus not in VIRTUAL_BUSES
        and strongest(rungs) is None
    ):
        yield _unknown(drive, rungs)


def _unknown(drive: Drive, rungs: Sequence[Rung]) -> Finding:
    conventional = [rung.clue for rung in rungs if speaks_for_conventional(rung)]
    unasked = [rung.clue for rung in rungs if NOT_ASKED in rung.clue.says]
    silent = "; ".join(clue.source for clue in unasked)
    sentence = f"Nothing tells whether {drive.path} is shingled."
    if conventional:
        said = "; ".join(f"{clue.source}: {clue.says}" for clue in conventional)
        sentence = f"Nothing says that {drive.path} is shingled, and it is listed as conventional ({said})."
    elif unasked:
        sentence = f"Nothing that could be asked tells whether {drive.path} is shingled; not heard: {silent}."
    why = (
        "Shingled drives that say nothing of it exist (ST8000AS0002, MQ04UBB400): silence is no proof of a "
        "conventional drive."
    )
    if unasked:
        why += " Not heard: " + "; ".join(f"{clue.source} ({clue.says})" for clue in unasked) + "."
    return Finding(
        "recording-unknown",
        Severity.INFO,
        drive.path,
        sentence,
        why,
        "the kernel, VPD page B1h, IDENTIFY data, smartctl, discard and the list of models, as far as they "
        "could be asked",
        "Look the model up at its maker, and put what you learn into /etc/diskwright/drives; one line is "
        f"enough. With free space on it, `diskwright bench {drive.path} --scratch --shingled` looks for the "
        "fall in speed by which such a drive shows itself.",
    )


def _host_managed(drive: Drive, recording: Recording) -> Finding:
    return Finding(
        "recording-zoned-host-managed",
        Severity.DANGER,
        drive.path,
        f"{drive.path} is host-managed: its zones can only be written from their start on, in order "
        f"({_clues(recording)}).",
        "The kernel refuses partitions on it, and ext4 cannot live there; writes out of order fail.",
        "Linux, block/partitions/core.c and Documentation/block (zoned devices)",
        "Give the whole drive to Btrfs in its zoned mode, without partitions: `diskwright advise "
        f"{drive.path} --workload ID` says whether this kernel and these tools can, and what else could live "
        "there.",
    )


def _shingled(drive: Drive, recording: Recording, code: str, what: str) -> Finding:
    return Finding(
        code,
        Severity.WARNING,
        drive.path,
        f"{drive.path} {what} ({_clues(recording)}).",
        WHY_SHINGLED,
        STUDY,
        "The recording itself cannot be changed. Use it for large files written once, mount it with noatime, "
        "and keep databases, virtual machines and parity arrays off it.",
    )


def _clues(recording: Recording) -> str:
    """The clues that say something, for a sentence."""
    return "; ".join(
        f"{clue.source}: {clue.says}"
        for clue in recording.evidence
        if clue.confidence != "low" or "reported as" in clue.says
    )
