"""Sectors that could not be read while a partition moved, in words. Pure."""

from collections.abc import Iterable, Iterator

from wizard.apply.move import words as move_words
from wizard.apply.move.content import uncompared_bytes
from wizard.apply.move.noted import Bad, Noted
from wizard.apply.move.unread import words
from wizard.model.documents.move import Move, Moves
from wizard.model.said import Said


def bad_listed(move: Move, bad: Iterable[Bad]) -> Iterator[Said]:
    """Each place: where it was on the drive, and where it is in the partition."""
    block = move.drive.geometry.logical_block_bytes
    for one in bad:
        says = words.ZEROS_AT if one.is_zeros else words.UNREAD_AT
        yield says(
            drive=move.drive.path,
            part=move.device,
            first=one.drive_bytes // block,
            last=(one.drive_bytes + one.content.size_bytes) // block - 1,
            own_first=one.content.start_bytes // block,
            own_last=one.content.end_bytes // block - 1,
            begin=one.content.start_bytes,
            size=one.content.size_bytes,
        )


def stops_of(moves: Moves, notes: Iterable[Noted]) -> tuple[Said, ...]:
    """All places that a run stops at now."""
    pairs = zip(moves.moves, notes, strict=True)
    return tuple(said for move, noted in pairs for said in bad_listed(move, noted.stops))


def same_said(move: Move, bad: tuple[Bad, ...]) -> Said:
    """What was compared: all, or all but the pieces around what was lost."""
    if not bad:
        return move_words.SAME(part=move.device)
    apart = uncompared_bytes(move.before.size_bytes, (one.content for one in bad))
    return words.SAME_BUT(part=move.device, size=_size(bad), apart=apart)


def back_but(move: Move, bad: tuple[Bad, ...]) -> Said:
    """Where it is again, and what is not as it was."""
    apart = uncompared_bytes(move.before.size_bytes, (one.content for one in bad))
    return words.BACK_BUT(part=move.device, start=move.before.start_bytes, size=_size(bad), apart=apart)


def _size(bad: Iterable[Bad]) -> int:
    return sum(one.content.size_bytes for one in bad)
