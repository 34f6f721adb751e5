"""Whether a drive is shingled, from the ladder's clues (rungs.py). Silence proves nothing, so that `no` is
never concluded."""

from collections.abc import Iterator, Sequence

from wizard.diagnose.rungs import (
    HOST_AWARE,
    HOST_MANAGED,
    VIRTUAL_BUSES,
    Rung,
    Weight,
)
from wizard.diagnose.words import recording as words
from wizard.model.finding import Clue, Finding, Recorded, Recording, Severity
from wizard.model.machine import Drive
from wizard.model.said import Said, Sentence, in_a_row


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
    if drive.rotational is False:
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
    source = words.KERNELS_ROTATION if drive.rotation_rate is None else words.OWN_ROTATION
    return Clue(source, words.NOTHING_TURNS, "high")


def find_recording(drive: Drive, recording: Recording, rungs: Sequence[Rung]) -> Iterator[Finding]:
    """What the verdict means for the person. Where clues cancel each other out, contradictions.py says so
    instead."""
    if recording.verdict is Recorded.LIKELY:
        yield _shingled(drive, recording, "recording-shingled-likely", words.LIKELY)
    elif recording.management == HOST_MANAGED:
        yield _host_managed(drive, recording)
    elif recording.management == HOST_AWARE:
        yield _shingled(drive, recording, "recording-zoned-host-aware", words.HOST_AWARE)
    elif recording.verdict is Recorded.YES:
        yield _shingled(drive, recording, "recording-shingled", words.SHINGLED)
    elif may_be_shingled(drive, recording) and strongest(rungs) is None:
        yield _unknown(drive, rungs)


def may_be_shingled(drive: Drive, recording: Recording) -> bool:
    """Whether that is in doubt: of a hard disk, and of what does not tell whether it is one, unless it is a
    stick or a card, or only a program's."""
    untold = drive.rotational is None and drive.kernel_rotational is not None
    can_turn = drive.rotational or (untold and not drive.removable)
    return recording.verdict is Recorded.UNKNOWN and can_turn and drive.bus not in VIRTUAL_BUSES


def _unknown(drive: Drive, rungs: Sequence[Rung]) -> Finding:
    conventional = [rung.clue for rung in rungs if speaks_for_conventional(rung)]
    unasked = [rung.clue for rung in rungs if not rung.asked]
    if conventional:
        said = tuple(words.CLUE(source=clue.source, says=clue.says) for clue in conventional)
        sentence = words.UNKNOWN_LISTED(drive=drive.path, clues=said)
    elif unasked:
        sentence = words.UNKNOWN_UNHEARD(drive=drive.path, sources=tuple(clue.source for clue in unasked))
    else:
        sentence = words.UNKNOWN(drive=drive.path)
    unheard = tuple(words.SOURCE_AND_WHY(source=clue.source, says=clue.says) for clue in unasked)
    return Finding(
        "recording-unknown",
        Severity.INFO,
        drive.path,
        sentence,
        in_a_row(words.UNKNOWN_WHY, *([words.UNHEARD(clues=unheard)] if unheard else [])),
        words.UNKNOWN_SOURCE,
        words.UNKNOWN_REMEDY(drive=drive.path),
    )


def _host_managed(drive: Drive, recording: Recording) -> Finding:
    return Finding(
        "recording-zoned-host-managed",
        Severity.DANGER,
        drive.path,
        words.HOST_MANAGED(drive=drive.path, clues=_clues(recording)),
        words.HOST_MANAGED_WHY,
        words.HOST_MANAGED_SOURCE,
        words.HOST_MANAGED_REMEDY(drive=drive.path),
    )


def _shingled(drive: Drive, recording: Recording, code: str, sentence: Sentence) -> Finding:
    return Finding(
        code,
        Severity.WARNING,
        drive.path,
        sentence(drive=drive.path, clues=_clues(recording)),
        words.WHY_SHINGLED,
        words.STUDY,
        words.SHINGLED_REMEDY,
    )


def _clues(recording: Recording) -> tuple[Said, ...]:
    """The clues that say something, for a sentence."""
    reported = (words.REPORTED, words.REPORTED_FAMILY, words.PROBED_LIKELY)
    return tuple(
        words.CLUE(source=clue.source, says=clue.says)
        for clue in recording.evidence
        if clue.confidence != "low" or any(map(clue.says.is_of, reported))
    )
