"""How well a drive is, and all that is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wizard.desk.asides.pages import Page
from wizard.desk.asides.words import health as words
from wizard.desk.parts.drive_rows import recording_piece, short
from wizard.desk.parts.reasons import clue_blocks
from wizard.desk.parts.runs import impediment
from wizard.desk.view import GAP, Block, Piece, Text, Tone, muted, para, strong
from wizard.diagnose.health.judge import Verdict, is_told, judge_health
from wizard.diagnose.told import contents_words, layer_words, partition_words, size_words, tuning_words
from wizard.diagnose.use import named_field
from wizard.model.said import Said, Value

if TYPE_CHECKING:
    from wizard.desk.desk import Desk
    from wizard.desk.place import Place
    from wizard.model.finding import Diagnosis
    from wizard.model.machine import Drive

TONES = {
    Verdict.GOOD: Tone.GOOD,
    Verdict.WORN: Tone.WARN,
    Verdict.FAILING: Tone.DANGER,
    Verdict.UNKNOWN: Tone.WARN,
}


def health_page(desk: Desk, drive: Drive, diagnosis: Diagnosis | None = None) -> Place:
    """SMART in words, what the drive is and holds, and how it records with every clue."""
    known = diagnosis or desk.services.diagnose(desk.session.machine, drive)
    parts = (
        _health(drive, impediment(desk.services, desk.runs, drive)),
        _identity(drive),
        _contents(drive),
        _recording(known),
        _unread(drive),
    )
    blocks = [block for part in map(tuple, parts) if part for block in (*part, GAP)][:-1]
    return Page(desk, words.TITLE(drive=short(drive.path)), blocks, place="health")


def _health(drive: Drive, impediment: Text) -> Iterator[Block]:
    if not is_told(drive):
        yield para(words.NOT_TOLD())
    else:
        judged = judge_health(drive)
        yield para(Piece(judged.said[0], TONES[judged.verdict]))
        yield from (para(said, indent=2) for said in judged.said[1:])
    if impediment:
        yield para(Piece(words.NOT_SET_UP(), Tone.WARN), impediment, hang=2)


def _identity(drive: Drive) -> Iterator[Block]:
    yield para(strong(words.WHAT()))
    rows: tuple[tuple[Said, Text], ...] = (
        (words.NAME(), drive.model or words.NO_NAME()),
        (words.SERIAL(), drive.serial or words.NONE()),
        (words.WWN(), drive.wwn or words.NONE()),
        (words.FIRMWARE(), drive.revision or words.UNKNOWN()),
        (words.BUS(), drive.bus or words.UNKNOWN()),
        (words.SIZE(), size_words(drive)),
        (words.BLOCKS(), _blocks(drive)),
        (words.ZONES(), _zones(drive)),
        (words.DISCARD(), _discard(drive)),
    )
    yield from (para(muted(caption), text, indent=2, hang=2) for caption, text in rows)


def _blocks(drive: Drive) -> Said:
    geometry = drive.geometry
    if geometry is None:
        return words.UNKNOWN()
    parts: list[Value] = [geometry.sector_format]
    if geometry.alignment_offset_bytes < 0:
        parts.append(words.MISALIGNED())
    elif geometry.alignment_offset_bytes:
        parts.append(words.OFFSET(offset=geometry.alignment_offset_bytes))
    parts.append(words.AT_LEAST(least=geometry.minimum_io_bytes))
    if geometry.optimal_io_bytes:
        parts.append(words.BEST(best=geometry.optimal_io_bytes))
    return words.COMMAS(parts=tuple(parts))


def _zones(drive: Drive) -> Said:
    zones = drive.zones
    if zones is None or zones.count is None or zones.size_bytes is None:
        return words.UNKNOWN() if zones or drive.zoned is None else words.NONE()
    parts = [words.ZONES_OF(count=zones.count, managed=drive.zoned or "", size=zones.size_bytes)]
    if zones.conventional is not None:
        parts.append(words.ANY_WRITE(count=zones.conventional))
    if zones.written:
        parts.append(words.WRITTEN(count=zones.written))
    if limits := [most for most in (zones.most_open, zones.most_active) if most]:
        parts.append(words.MOST_OPEN(count=min(limits)))
    return words.COMMAS(parts=tuple(parts))


def _discard(drive: Drive) -> Said:
    if drive.discard is None:
        return words.UNKNOWN()
    return words.YES() if drive.discard.maximum_bytes else words.NONE()


def _contents(drive: Drive) -> Iterator[Block]:
    yield para(strong(words.HOLDS_TITLE()))
    yield para(contents_words(drive), indent=2, hang=2)
    yield from (para(partition_words(drive, part), indent=2, hang=2) for part in drive.partitions)
    yield from (para(layer_words(layer), indent=2, hang=2) for layer in drive.layers)
    if better := tuning_words(drive):
        yield para(better, indent=2, hang=2)


def _recording(diagnosis: Diagnosis) -> Iterator[Block]:
    yield para(strong(words.RECORDS()), recording_piece(diagnosis))
    yield from (block for clue in diagnosis.recording.evidence for block in clue_blocks(clue))


def _unread(drive: Drive) -> Iterator[Block]:
    if drive.unread:
        yield para(strong(words.UNREAD()))
    for one in drive.unread:
        yield para(muted(words.UNREAD_ROW(what=named_field(one.what))), one.why, indent=2, hang=2)
