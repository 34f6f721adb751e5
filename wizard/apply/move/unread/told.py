"""Sectors that could not be read while a partition moved, in words. Pure."""

from collections.abc import Iterable, Iterator

from wizard.apply.move import words as move_words
from wizard.apply.move.content import uncompared_bytes
from wizard.apply.move.noted import Bad, Noted
from wizard.apply.move.unread import words
from wizard.model.documents.move import Move, Moves
from wizard.model.said import Said, in_a_row


def bad_listed(move: Move, bad: Iterable[Bad]) -> Iterator[Said]:
    """Each place: where it was on the drive, and where it is in the partition."""
    block = move.drive.geometry.logical_block_bytes
    for one in bad:
        says = words.ZEROS_AT if one.is_zeros else words.KEPT_AT if one.is_kept else words.UNREAD_AT
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


def stopped_said(move: Move, bad: tuple[Bad, ...], run: str) -> Said:
    """Why a move stopped on its way, and how it goes on, or back."""
    says = words.STOPPED_BEFORE if all(one.is_kept for one in bad) else words.STOPPED
    return says(count=len(bad), part=move.device, size=_size(bad), run=run)


def stopped_back_said(move: Move, bad: tuple[Bad, ...], run: str) -> Said:
    """The places at which the way back stops, and how it goes on."""
    if all(one.is_kept for one in bad):
        said = words.USED_UNKNOWN(part=move.device, run=run)
    else:
        said = words.STOPPED_BACK(count=len(bad), part=move.device, size=_size(bad), run=run)
    return in_a_row(*bad_listed(move, bad), said)


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
