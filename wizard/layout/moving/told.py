"""A move in words, the same on every face. Pure."""

from collections.abc import Iterator

from wizard.layout.moving import words
from wizard.model.documents.move import Move, Scheme
from wizard.model.drive_facts import usual_bytes_per_second
from wizard.model.said import Said
from wizard.model.units import KERNEL_SECTOR_BYTES, format_duration

READ, MOVE, COMPARE = 1, 2, 3
"""The steps, by their numbers."""


def step_sentences(move: Move) -> tuple[Said, ...]:
    """What each step does."""
    return (
        words.READS(part=move.device),
        words.MOVING(part=move.device, before=move.before.start_bytes, after=move.after.start_bytes),
        words.COMPARES(part=move.device),
    )


def step_seconds(move: Move) -> tuple[float, ...]:
    """How long each takes, roughly: a window is read and written, and one that is logged written twice."""
    once = move.before.size_bytes / usual_bytes_per_second(move.drive.rotational)
    return once, once * (3 if move.scheme is Scheme.LOGGED else 2), once


def what_moves(move: Move) -> Said:
    """From where to where, in sectors of 512 bytes, as other tools count."""
    is_up = move.after.start_bytes > move.before.start_bytes
    return words.MOVES(
        part=move.device,
        size=move.before.size_bytes,
        holds=move.holds,
        drive=move.drive.path,
        shift=move.shift_bytes,
        direction=words.UP() if is_up else words.DOWN(),
        before=move.before.start_bytes // KERNEL_SECTOR_BYTES,
        after=move.after.start_bytes // KERNEL_SECTOR_BYTES,
    )


def journal_said(move: Move) -> Said:
    """What is written to beside the partition, which was free."""
    return words.JOURNAL(size=move.journal.size_bytes, start=move.journal.start_bytes)


def preview(move: Move) -> Iterator[Said | str]:
    """All that is to be known before: what moves, how long that takes, what a power cut does, the way back,
    and what else is good to know."""
    yield what_moves(move)
    yield words.TAKES(time=format_duration(sum(step_seconds(move))))
    yield words.POWER(part=move.device)
    yield words.BACK()
    yield journal_said(move)
    yield from move.doubts
