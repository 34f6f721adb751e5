"""Where two sources say different things of one drive: who says what, which is believed, and why. Nothing is
settled in silence."""

from collections.abc import Iterator, Sequence

from wizard.diagnose.recording import speaks_for_conventional, strongest
from wizard.diagnose.rungs import VIRTUAL_BUSES, Rung
from wizard.diagnose.words import recording as words
from wizard.model.finding import Finding, Recorded, Recording, Severity
from wizard.model.machine import Drive
from wizard.model.said import Said


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
    said = tuple(
        words.SOURCE_SAYS(source=rung.clue.source, says=rung.clue.says) for rung in (*shingled, *conventional)
    )
    best = strongest(shingled)
    assert best is not None
    if several and not conventional:
        believed = words.HIGHEST_BELIEVED(source=best.clue.source)
    elif recording.verdict is Recorded.YES:
        believed = words.BELIEVED(source=best.clue.source)
    elif recording.verdict is Recorded.LIKELY:
        believed = words.BELIEVED_FOR_NOW(source=best.clue.source)
    else:
        believed = words.NONE_BELIEVED
    yield Finding(
        "recording-contradiction",
        Severity.WARNING,
        drive.path,
        words.CONTRADICTION(drive=drive.path, clues=said),
        believed,
        words.CONTRADICTION_SOURCE,
        words.CONTRADICTION_REMEDY,
    )


def _rotation(drive: Drive) -> Iterator[Finding]:
    rate, kernels = drive.rotation_rate, drive.kernel_rotational
    if rate is None or kernels is None or (rate > 1) == kernels:
        return
    yield Finding(
        "recording-contradiction",
        Severity.INFO,
        drive.path,
        words.TURNS_AS_DISK(drive=drive.path, rate=rate)
        if rate > 1
        else words.SOLID_AS_DISK(drive=drive.path),
        words.ROTATION_WHY,
        words.ROTATION_SOURCE,
        words.ROTATION_REMEDY(turns=int(rate > 1), name=drive.path.removeprefix("/dev/")),
    )


def _blocks(drive: Drive) -> Iterator[Finding]:
    """The kernel has its word from the drive too, but through whatever lies between them."""
    if drive.ata is None or drive.geometry is None:
        return
    physical, shift = drive.ata.physical_block_bytes, drive.ata.alignment_offset_bytes
    block, offset = drive.geometry.physical_block_bytes, drive.geometry.alignment_offset_bytes
    if physical is not None and physical > block:
        larger = words.LARGER_BLOCKS(drive=drive.path, own=physical, kernels=block)
        yield _geometry(drive, larger, words.LARGER_BLOCKS_WHY, words.LARGER_BLOCKS_REMEDY)
    elif shift is not None and shift != offset and offset >= 0:
        shifted = words.SHIFTED(drive=drive.path, own=shift, kernels=offset)
        yield _geometry(drive, shifted, words.SHIFTED_WHY, words.SHIFTED_REMEDY(drive=drive.path))


def _geometry(drive: Drive, sentence: Said, why: Said, remedy: Said) -> Finding:
    return Finding(
        "geometry-contradiction",
        Severity.WARNING,
        drive.path,
        sentence,
        why,
        words.BLOCKS_SOURCE,
        remedy,
    )
