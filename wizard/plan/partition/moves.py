"""Plan moves of several partitions in turn, each into space that is free by then. Pure."""

import shlex
from collections.abc import Iterator
from itertools import chain

from msgspec.structs import replace

from wizard.documents.codec import RECREATE, Sealed
from wizard.filesystems import partition_types
from wizard.findings.alignment import find_alignment
from wizard.findings.smr_evidence import may_be_shingled
from wizard.model.drive_facts import usual_bytes_per_second
from wizard.model.errors import Refused
from wizard.model.finding import NOT_JUDGED, Recording
from wizard.model.machine import Drive, Machine, Partition
from wizard.model.moves import Move, Moves, Scheme
from wizard.model.said import KERNEL_SECTOR_BYTES, Message, Sentence, format_duration, reason_of, t
from wizard.plan.dangers import MAY_BE_SHINGLED
from wizard.plan.partition import move_target


def _move_faults(move: Move) -> Iterator[str]:
    """Yield inconsistent values of a move. A forged move could write elsewhere."""
    block = move.drive.geometry.logical_block_bytes
    hole = move.window_bytes * move.in_flight
    places = (move.before, move.after, move.span, move.journal)
    faults = {
        "number": move.number < 1,
        "in_flight": move.in_flight not in (1, move_target.IN_FLIGHT),
        "before": move.before.size_bytes <= 0 or move.before.size_bytes != move.after.size_bytes,
        "after": not move.shift_bytes,
        "span": not all(place.is_within(move.span) for place in places)
        or (move.span.start_bytes <= 0 or move.span.end_bytes > move.drive.size_bytes),
        "journal": any(place.overlaps(move.journal) for place in (move.before, move.after)),
        "window_bytes": move.window_bytes < move.drive.geometry.physical_block_bytes
        or (
            move.scheme is Scheme.DIRECT
            and (hole > move.shift_bytes or move.shift_bytes < move_target.DIRECT_BYTES)
        ),
        "head_bytes": not 0 < move.head_bytes <= move.before.size_bytes,
        "blocks": any(
            number % block
            for place in places
            for number in (place.start_bytes, place.size_bytes, move.window_bytes, move.head_bytes)
        ),
    }
    yield from (name for name, is_faulty in faults.items() if is_faulty)


def _faults(moves: Moves) -> Iterator[str]:
    numbers = {move.number for move in moves.moves}
    for move in moves.moves:
        yield from _move_faults(move)
    if (
        not numbers
        or len(numbers) != len(moves.moves)
        or any(one.drive != moves.drive for one in moves.moves)
    ):
        yield "moves"


MOVES = Sealed(
    "diskwright.move/2",
    Moves,
    RECREATE(command="move"),
    _faults,
    earlier={"diskwright.move/1": lambda body: {"moves": [body]}},
)


NO_PARTITION = Sentence("{device} is not a partition. Name one, such as /dev/sdX1.")


POWER = Sentence(
    "A power cut during the move loses no data. Until `diskwright resume` has "
    "finished the move, no computer can mount {part:and}."
)
MISALIGNED = ("alignment-physical", "alignment-4096")
"""Codes of findings about the start of a partition."""

BACK = t(
    "`diskwright undo` can revert the move at any time, until the partition is mounted after completion."
)


def misaligned_parts(drive: Drive) -> tuple[Partition, ...]:
    """Return the partitions with a start that reduces speed, in order. Empty if block sizes are unknown."""
    if drive.geometry is None:
        return ()
    grain = drive.geometry.grain_bytes
    found = (
        part
        for part in drive.partitions
        if part.start_bytes % grain and part.type not in partition_types.CONTAINERS
    )
    return tuple(sorted(found, key=lambda part: part.start_bytes))


def one_moves(
    machine: Machine,
    drive: Drive,
    part: Partition,
    start: int | None = None,
    recording: Recording = NOT_JUDGED,
) -> Moves:
    """Plan the move of one partition to `start`, or to the best aligned place. Raises Refused."""
    move = move_target.planned_move(machine, drive, part, start)
    misaligned = (
        t(
            "After this move, {finding} {cost} Use --align for an aligned start.",
            finding=one.sentence,
            cost=one.why,
        )
        for one in find_alignment(after_move(drive, move))
        if one.subject == part.path and one.code in MISALIGNED
    )
    return Moves((move,), (*misaligned, *_smr_notes(drive, recording)))


def planned_moves(machine: Machine, drive: Drive, recording: Recording = NOT_JUDGED) -> Moves:
    """Plan moves of misaligned partitions to aligned places, as many as fit: fast ones first, last on the
    drive first. Raises Refused if no partition is misaligned or none can move."""
    left = [*misaligned_parts(drive)]
    if not left:
        raise Refused(t("{drive} has no misaligned partitions.", drive=drive))
    moves: list[Move] = []
    now, refused = drive, dict[int, Refused]()
    while left:
        found, refused = list[Move](), {}
        for part in reversed(left):
            try:
                found.append(move_target.planned_move(machine, now, part))
            except Refused as refusal:
                refused[part.number] = refusal
        if not found:
            break
        move = next((one for one in found if one.scheme is Scheme.DIRECT), found[0])
        moves.append(move)
        now = after_move(now, move)
        left = [part for part in left if part.number != move.number]
    if not moves:
        raise refused[left[0].number]
    remarks = (*(reason_of(refused[part.number]) for part in left), *_smr_notes(drive, recording))
    return Moves(tuple(replace(move, drive=moves[0].drive) for move in moves), remarks)


def _smr_notes(drive: Drive, recording: Recording) -> Iterator[Message]:
    if recording.is_shingled:
        yield t(
            "{drive} is shingled (SMR), or probably so. Long writes slow such drives "
            "down: this may take many times as long.",
            drive=drive,
        )
    elif may_be_shingled(drive, recording):
        yield MAY_BE_SHINGLED


def planned_again(machine: Machine, drive: Drive, moves: Moves) -> Moves:
    """Plan the same moves for the current drive. Raises Refused if one is no longer possible."""
    now, again = drive, list[Move]()
    for move in moves.moves:
        part = next((one for one in now.partitions if one.number == move.number), None)
        if part is None:
            raise Refused(NO_PARTITION(device=move.device))
        again.append(move_target.planned_move(machine, now, part, move.after.start_bytes))
        now = after_move(now, again[-1])
    return replace(moves, moves=tuple(again))


def after_move(drive: Drive, move: Move) -> Drive:
    """Return the drive with the partition at its new place."""
    start = move.after.start_bytes
    return replace(
        drive,
        partitions=tuple(
            replace(part, start_bytes=start, kernel_start_bytes=start) if part.number == move.number else part
            for part in drive.partitions
        ),
    )


def move_step(moves: Moves, number: int) -> int:
    """Return the number of the step that moves a partition, counted from 0. All partitions are read before
    the first move."""
    return len(moves.moves) + 2 * number + 1


def compare_step(moves: Moves, number: int) -> int:
    """Return the number of the step that compares a partition."""
    return move_step(moves, number) + 1


def step_seconds(moves: Moves) -> tuple[float, ...]:
    """Estimate the duration of each step. Each window is read and written, and written twice if logged."""
    rate = usual_bytes_per_second(moves.drive.rotational)
    once = [(move.before.size_bytes / rate, 3 if move.scheme is Scheme.LOGGED else 2) for move in moves.moves]
    return (*(read for read, _ in once), *chain.from_iterable((read * times, read) for read, times in once))


def what_moves(move: Move) -> Message:
    """Describe a move, in 512-byte sectors as other tools count."""
    return t(
        "{part} ({size:size}, {holds}) on {drive} moves by {shift:size} {direction}: "
        "from sector {before} to sector {after}.",
        part=move.device,
        size=move.before.size_bytes,
        holds=move.holds,
        drive=move.drive,
        shift=move.shift_bytes,
        direction=move_target.direction(move.after.start_bytes - move.before.start_bytes),
        before=move.before.start_bytes // KERNEL_SECTOR_BYTES,
        after=move.after.start_bytes // KERNEL_SECTOR_BYTES,
    )


def journals_message(moves: Moves) -> Iterator[Message]:
    """Describe the free space used by journals."""
    for move in moves.moves:
        yield t(
            "The journal uses {size:size} of free space, {start:exact} into the drive. "
            "Remains of deleted files there are lost.",
            size=move.journal.size_bytes,
            start=move.journal.start_bytes,
        )


def preview(moves: Moves) -> Iterator[Message | str]:
    """Yield all facts to know before a move: partitions, duration, power cuts, undo and notes."""
    yield from map(what_moves, moves.moves)
    yield t(
        "All data is read, moved, then read again and compared. This takes about {time}.",
        time=format_duration(sum(step_seconds(moves))),
    )
    yield POWER(part=moves.devices)
    yield BACK
    yield from journals_message(moves)
    geometry = moves.drive.geometry
    off = [move.device for move in moves.moves if geometry.misalignment_bytes(move.before.start_bytes)]
    if off and geometry.physical_block_bytes > geometry.logical_block_bytes:
        yield t(
            "To measure the gain, run `sudo diskwright bench {part} --scratch --confirm {token}` before and "
            "after.",
            part=off[0],
            token=shlex.quote(moves.drive.token),
        )
    yield from moves.doubts
