"""A saved document of any kind: read, and describe as blocks."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.apply.run.load import read_any
from wizard.cli.select_run import drive_message
from wizard.documents.codec import LARGEST_DOCUMENT_CHARACTERS
from wizard.documents.files import read_file
from wizard.ext4.ways import HOW, SUMMARIES
from wizard.model.errors import BadInput, printable
from wizard.model.ext import ExtFacts
from wizard.model.moves import Moves
from wizard.model.requests import SetOptions, Tune
from wizard.model.said import t
from wizard.plan.changes import Bring, Changes, RunDocument
from wizard.plan.check import PLANS
from wizard.plan.conversion import Migration
from wizard.plan.copy import amount_message, fstab_difference
from wizard.plan.partition.moves import preview
from wizard.plan.plan import Plan
from wizard.ui.components.reasons import command_blocks
from wizard.ui.view import GAP, Block, Command, Text, para, strong


def blocks_of(document: RunDocument) -> Iterator[Block]:
    """Describe a document that changes one drive."""
    match document:
        case Changes():
            yield from change_blocks(document)
        case Migration():
            yield from _migration_blocks(document)
        case Moves():
            yield from _move_blocks(document)
        case Bring():
            yield from _bring_blocks(document)


def warnings_of(document: RunDocument) -> tuple[Text, ...]:
    """Return the warnings to show before the start."""
    match document:
        case Changes():
            return document.doubts
        case Migration():
            return (*((HOW,) if document.way.converts else ()), *document.doubts)
        case _:
            return ()


def listed(title: Text, sentences: Sequence[Text]) -> Iterator[Block]:
    """Yield a heading and a list, or nothing for an empty list."""
    if sentences:
        yield GAP
        yield para(strong(title))
    yield from (para("-", sentence, hang=2) for sentence in sentences)


def _steps(blocks: Sequence[Block]) -> Iterator[Block]:
    yield GAP
    yield para(strong(t("Steps:")))
    yield from blocks


def change_blocks(changes: Changes) -> Iterator[Block]:
    """Show changes with reasons, notes and steps."""
    drive = drive_message(changes.drive)
    yield para(
        t(
            "Changes for {device} ({filesystem}, UUID {uuid}) on {drive}",
            device=changes.device,
            filesystem=changes.filesystem,
            uuid=changes.uuid,
            drive=drive,
        )
        if changes.filesystem
        else t("Changes for {drive}", drive=drive)
    )
    if isinstance(changes.wanted, Tune | SetOptions):
        yield para(t("The filesystem stays in use; its content is not touched."))
    yield from listed(t("Why:"), changes.reasons)
    yield from listed(t("Note:"), changes.doubts)
    yield from _steps(command_blocks(changes.steps))


def filesystem_para(device: str, before: ExtFacts) -> Block:
    """Describe an ext2 or ext3 filesystem in one line."""
    said = t(
        "{filesystem}: {kind}, {size:size}, {used:size} used, inodes of {inode} bytes, UUID {uuid}",
        filesystem=t('{device}, "{label}"', device=device, label=before.label) if before.label else device,
        kind=before.kind,
        size=before.size_bytes,
        used=(before.blocks - before.free_blocks) * before.block_bytes,
        inode=before.inode_bytes,
        uuid=before.uuid,
    )
    return para(said)


def _migration_blocks(migration: Migration) -> Iterator[Block]:
    yield filesystem_para(migration.device, migration.before)
    yield para(t("on {drive}", drive=drive_message(migration.drive)))
    way = t("Conversion {way}:", way=migration.way)
    yield para(way, SUMMARIES[migration.way], *((HOW,) if migration.way.converts else ()))
    if migration.room_bytes:
        yield para(t("Extra space: up to {room:size}.", room=migration.room_bytes))
    yield from listed(t("Gain:"), migration.gains)
    yield from listed(t("Note:"), migration.doubts)
    yield from _steps(command_blocks(migration.steps))


def _move_blocks(moves: Moves) -> Iterator[Block]:
    yield from (para(one) for one in preview(moves) if one not in moves.doubts)
    yield from listed(t("Note:"), moves.doubts)
    yield from _steps(numbered(moves.sentences))


def _bring_blocks(bring: Bring) -> Iterator[Block]:
    yield from map(para, amount_message(bring))
    for doubt in bring.doubts or (t("The copy preserves all files and attributes."),):
        yield para("-", doubt, hang=2)
    yield from (Command((line,)) for line in fstab_difference(bring))
    yield from _steps(numbered([bring.step_sentence(step) for step in bring.steps]))


def numbered(sentences: Sequence[Text]) -> tuple[Block, ...]:
    """Return a numbered list."""
    return tuple(para(f"{number}.", one, hang=3) for number, one in enumerate(sentences, 1))


def read_document(name: str) -> RunDocument:
    """Read any saved document from a file, or from stdin for `-`. Raises BadInput for other content."""
    return read_any(*read_text(name))


def read_plan_file(name: str) -> Plan:
    """Read a plan from a file. Raises BadInput with the reason."""
    return PLANS.read(*read_text(name))


def read_text(name: str) -> tuple[str, str]:
    """Return the text and the printable name of a file, or of stdin for `-`. Raises BadInput."""
    shown = str(t("The input")) if name == "-" else printable(name, 200)
    try:
        if name == "-":
            data = sys.stdin.buffer.read(LARGEST_DOCUMENT_CHARACTERS + 1)
            return data.decode("utf-8"), shown
        return read_file(Path(name), LARGEST_DOCUMENT_CHARACTERS), shown
    except FileNotFoundError:
        raise BadInput(
            t("{file} not found. Create it with `diskwright plan ... -o {file}`.", file=shown)
        ) from None
    except UnicodeDecodeError:
        raise BadInput(t("{file} is not a diskwright document: not a text file.", file=shown)) from None
