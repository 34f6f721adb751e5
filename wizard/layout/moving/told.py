"""Moves in words, the same on every face. Pure."""

import shlex
from collections.abc import Iterator
from itertools import chain, islice

from wizard.layout.moving import words
from wizard.model.documents.move import Move, Moves, Scheme
from wizard.model.drive_facts import usual_bytes_per_second
from wizard.model.geometry import misalignment_bytes
from wizard.model.names import printable
from wizard.model.said import Said, t
from wizard.model.units import KERNEL_SECTOR_BYTES, format_duration


def read_step(number: int) -> int:
    """The number of the step that reads the partition of this move, which counts from 0."""
    return number + 1


def move_step(moves: Moves, number: int) -> int:
    """The number of the step that moves it: all are read before the first moves."""
    return len(moves.moves) + 2 * number + 1


def compare_step(moves: Moves, number: int) -> int:
    """The number of the step that compares it."""
    return move_step(moves, number) + 1


def step_sentences(moves: Moves) -> tuple[Said, ...]:
    """What each step does."""
    reading = (
        t("All of {part} is read, to find bad sectors before anything is written.", part=move.device)
        for move in moves.moves
    )
    moving = (
        (
            t(
                "{part} moves from {before:exact} to {after:exact}.",
                part=move.device,
                before=move.before.start_bytes,
                after=move.after.start_bytes,
            ),
            t("All of {part} is read at its new place and compared.", part=move.device),
        )
        for move in moves.moves
    )
    return (*reading, *chain.from_iterable(moving))


def step_seconds(moves: Moves) -> tuple[float, ...]:
    """How long each takes, roughly: a window is read and written, and one that is logged written twice."""
    rate = usual_bytes_per_second(moves.drive.rotational)
    once = [(move.before.size_bytes / rate, 3 if move.scheme is Scheme.LOGGED else 2) for move in moves.moves]
    return (*(read for read, _ in once), *chain.from_iterable((read * times, read) for read, times in once))


def what_moves(move: Move) -> Said:
    """From where to where, in sectors of 512 bytes, as other tools count."""
    is_up = move.after.start_bytes > move.before.start_bytes
    return t(
        "{part}, {size:size} of {holds} on {drive}, moves by {shift:size} "
        "{direction}: from sector {before} to sector {after}.",
        part=move.device,
        size=move.before.size_bytes,
        holds=move.holds,
        drive=move.drive.path,
        shift=move.shift_bytes,
        direction=t("towards the end of the drive") if is_up else t("towards the beginning of the drive"),
        before=move.before.start_bytes // KERNEL_SECTOR_BYTES,
        after=move.after.start_bytes // KERNEL_SECTOR_BYTES,
    )


def journals_said(moves: Moves) -> Iterator[Said]:
    """What is written to beside the partitions, which was free."""
    for move in moves.moves:
        yield t(
            "The journal takes {size:size} of free space, {start:exact} into the drive. "
            "What deleted files left there is lost.",
            size=move.journal.size_bytes,
            start=move.journal.start_bytes,
        )


def _measured(moves: Moves) -> Iterator[Said]:
    """How what it brings is measured, of the first that is off the drive's blocks."""
    geometry = moves.drive.geometry
    if geometry.physical_block_bytes > geometry.logical_block_bytes:
        off = (move for move in moves.moves if misalignment_bytes(geometry, move.before.start_bytes))
        for move in islice(off, 1):
            yield t(
                "`sudo diskwright bench {part} --scratch --confirm {token}`, before and "
                "afterwards, measures what it brings.",
                part=move.device,
                token=shlex.quote(printable(moves.drive.token)),
            )


def preview(moves: Moves) -> Iterator[Said | str]:
    """All that is to be known before: what moves, how long that takes, what a power cut does, the way back,
    and what else is good to know."""
    yield from (what_moves(move) for move in moves.moves)
    yield t(
        "First all of it is read, then it moves, then it is read again and compared. "
        "That takes about {time}.",
        time=format_duration(sum(step_seconds(moves))),
    )
    yield words.POWER(part=moves.devices)
    yield words.BACK
    yield from journals_said(moves)
    yield from _measured(moves)
    yield from moves.doubts
