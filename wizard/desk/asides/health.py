"""How well a drive is, and all that is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wizard.desk.asides.pages import Page
from wizard.desk.parts.drive_rows import recording_piece, short
from wizard.desk.parts.reasons import clue_blocks
from wizard.desk.parts.runs import impediment
from wizard.desk.view import GAP, Block, Piece, Text, Tone, muted, para, strong
from wizard.diagnose.health.judge import Verdict, is_told, judge_health
from wizard.diagnose.told import contents_words, layer_words, partition_words, size_words, tuning_words
from wizard.diagnose.use import named_field
from wizard.model.said import Said, Sentence, Value, t, tn

if TYPE_CHECKING:
    from wizard.desk.desk import Desk
    from wizard.desk.place import Place
    from wizard.model.finding import Diagnosis
    from wizard.model.machine import Drive

NONE = t("none")
UNKNOWN = t("unknown")
COMMAS = Sentence("{parts:list}")

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
    return Page(desk, t("Health of {drive}", drive=short(drive.path)), blocks, place="health")


def _health(drive: Drive, impediment: Text) -> Iterator[Block]:
    if not is_told(drive):
        yield para(t("It tells nothing of its health."))
    else:
        judged = judge_health(drive)
        yield para(Piece(judged.said[0], TONES[judged.verdict]))
        yield from (para(said, indent=2) for said in judged.said[1:])
    if impediment:
        yield para(Piece(t("Cannot be set up now:"), Tone.WARN), impediment, hang=2)


def _identity(drive: Drive) -> Iterator[Block]:
    yield para(strong(t("What it is")))
    rows: tuple[tuple[Said, Text], ...] = (
        (t("Name:"), drive.model or t("no name")),
        (t("Serial:"), drive.serial or NONE),
        (t("WWN:"), drive.wwn or NONE),
        (t("Firmware:"), drive.revision or UNKNOWN),
        (t("Bus:"), drive.bus or UNKNOWN),
        (t("Size:"), size_words(drive)),
        (t("Blocks:"), _blocks(drive)),
        (t("Zones:"), _zones(drive)),
        (t("Discard:"), _discard(drive)),
    )
    yield from (para(muted(caption), text, indent=2, hang=2) for caption, text in rows)


def _blocks(drive: Drive) -> Said:
    geometry = drive.geometry
    if geometry is None:
        return UNKNOWN
    parts: list[Value] = [geometry.sector_format]
    if geometry.alignment_offset_bytes < 0:
        parts.append(t("misaligned in itself"))
    elif geometry.alignment_offset_bytes:
        parts.append(t("offset {offset} bytes", offset=geometry.alignment_offset_bytes))
    parts.append(t("I/O of at least {least:exact}", least=geometry.minimum_io_bytes))
    if geometry.optimal_io_bytes:
        parts.append(t("best {best:exact}", best=geometry.optimal_io_bytes))
    return COMMAS(parts=tuple(parts))


def _zones(drive: Drive) -> Said:
    zones = drive.zones
    if zones is None or zones.count is None or zones.size_bytes is None:
        return UNKNOWN if zones or drive.zoned is None else NONE
    parts = [
        tn(
            "{count} {managed} zone of {size:exact}",
            "{count} {managed} zones of {size:exact}",
            count=zones.count,
            managed=drive.zoned or "",
            size=zones.size_bytes,
        )
    ]
    if zones.conventional is not None:
        parts.append(
            tn("{count} of them takes any write", "{count} of them take any write", count=zones.conventional)
        )
    if zones.written:
        parts.append(tn("{count} holds something", "{count} hold something", count=zones.written))
    if limits := [most for most in (zones.most_open, zones.most_active) if most]:
        parts.append(t("at most {count} written to at a time", count=min(limits)))
    return COMMAS(parts=tuple(parts))


def _discard(drive: Drive) -> Said:
    if drive.discard is None:
        return UNKNOWN
    return t("yes") if drive.discard.maximum_bytes else NONE


def _contents(drive: Drive) -> Iterator[Block]:
    yield para(strong(t("What it holds")))
    yield para(contents_words(drive), indent=2, hang=2)
    yield from (para(partition_words(drive, part), indent=2, hang=2) for part in drive.partitions)
    yield from (para(layer_words(layer), indent=2, hang=2) for layer in drive.layers)
    if better := tuning_words(drive):
        yield para(better, indent=2, hang=2)


def _recording(diagnosis: Diagnosis) -> Iterator[Block]:
    yield para(strong(t("How it records")), recording_piece(diagnosis))
    yield from (block for clue in diagnosis.recording.evidence for block in clue_blocks(clue))


def _unread(drive: Drive) -> Iterator[Block]:
    if drive.unread:
        yield para(strong(t("What could not be read")))
    for one in drive.unread:
        yield para(muted(t("{what}:", what=named_field(one.what))), one.why, indent=2, hang=2)
