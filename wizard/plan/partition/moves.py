"""Plan moves of several partitions in turn, each into space that is free by then. Pure."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

from wizard.documents.codec import Sealed
from wizard.filesystems.kind import CONTAINER_TYPES
from wizard.findings.smr_evidence import may_be_shingled
from wizard.model.drive_facts import usual_bytes_per_second
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.finding import NOT_JUDGED, Recorded, Recording
from wizard.model.geometry import grain_bytes, misalignment_bytes
from wizard.model.machine import Drive, Extent, Machine, Partition
from wizard.model.migration import Move, Moves, Scheme
from wizard.model.said import KERNEL_SECTOR_BYTES, Message, Sentence, format_duration, t
from wizard.plan.messages import MAY_BE_SHINGLED
from wizard.plan.partition.move_target import DIRECT_BYTES, IN_FLIGHT, planned_move

NOT_TOGETHER = Sentence("{where}: {what} is inconsistent with the rest.")


def check_move(move: Move, where: str) -> None:
    """Raises BadInput where the numbers of a move do not hold together: a forged one would write
    elsewhere."""
    block = move.drive.geometry.logical_block_bytes
    hole = move.window_bytes * move.in_flight
    places = (move.before, move.after, move.span, move.journal)
    wrong = {
        "number": move.number < 1,
        "in_flight": move.in_flight not in (1, IN_FLIGHT),
        "before": move.before.size_bytes <= 0 or move.before.size_bytes != move.after.size_bytes,
        "after": not move.shift_bytes,
        "span": not all(place.is_within(move.span) for place in places)
        or _within_drive(move.span, move.drive.size_bytes),
        "journal": any(place.overlaps(move.journal) for place in (move.before, move.after)),
        "window_bytes": move.window_bytes < move.drive.geometry.physical_block_bytes
        or (move.scheme is Scheme.DIRECT and (hole > move.shift_bytes or move.shift_bytes < DIRECT_BYTES)),
        "head_bytes": not 0 < move.head_bytes <= move.before.size_bytes,
        "blocks": any(
            number % block
            for place in places
            for number in (place.start_bytes, place.size_bytes, move.window_bytes, move.head_bytes)
        ),
    }
    if what := next((name for name, is_wrong in wrong.items() if is_wrong), None):
        raise BadInput(NOT_TOGETHER(where=where, what=what))


def _within_drive(span: Extent, size_bytes: int) -> bool:
    return span.start_bytes <= 0 or span.end_bytes > size_bytes


def check_moves(moves: Moves, where: str) -> None:
    """Raises BadInput where there is none, or one of them does not hold together, or they are of several
    drives, or one partition moves twice."""
    if not moves.moves:
        raise BadInput(NOT_TOGETHER(where=where, what="moves"))
    for move in moves.moves:
        check_move(move, where)
    numbers = {move.number for move in moves.moves}
    if len(numbers) != len(moves.moves) or any(move.drive != moves.drive for move in moves.moves):
        raise BadInput(NOT_TOGETHER(where=where, what="moves"))


MOVES = Sealed(
    "diskwright.move/2",
    Moves,
    t("Recreate it with `diskwright move`."),
    check_moves,
    earlier={"diskwright.move/1": lambda body: {"moves": [body]}},
)
MOVES_SCHEMA, render_moves, read_moves, read_kept_moves = (
    MOVES.schema,
    MOVES.render,
    MOVES.read,
    MOVES.read_kept,
)


# Why not.
NO_PARTITION = Sentence("{device} is not a partition. Name one, such as /dev/sdX1.")

# What is good to know.

# The document, and the preview.
POWER = Sentence(
    "A power cut during the move loses no data. Until `diskwright resume` has "
    "finished the move, no computer can mount {part:and}."
)
BACK = t(
    "`diskwright undo` can revert the move at any time, until the partition is mounted after completion."
)


# The steps.


def misaligned_parts(drive: Drive) -> tuple[Partition, ...]:
    """The partitions that start where it costs speed, by their places; none where blocks are unknown."""
    if drive.geometry is None:
        return ()
    grain = grain_bytes(drive.geometry)
    found = (
        part for part in drive.partitions if part.start_bytes % grain and part.type not in CONTAINER_TYPES
    )
    return tuple(sorted(found, key=lambda part: part.start_bytes))


def one_moves(
    machine: Machine,
    drive: Drive,
    part: Partition,
    start: int | None = None,
    recording: Recording = NOT_JUDGED,
) -> Moves:
    """One partition to a start, or to the best aligned place. Raises Refused where it cannot be."""
    return Moves((planned_move(machine, drive, part, start),), tuple(_of_recording(drive, recording)))


def planned_moves(machine: Machine, drive: Drive, recording: Recording = NOT_JUDGED) -> Moves:
    """Every misaligned partition to an aligned place, as many as there is room for: those that go fast first,
    and of these the last on the drive. Raises Refused where none is misaligned, or none can move."""
    left = [*misaligned_parts(drive)]
    if not left:
        raise Refused(t("All partitions of {drive} are already aligned.", drive=drive.path))
    moves: list[Move] = []
    now, refused = drive, dict[int, Refused]()
    while left:
        found, refused = _possible(machine, now, left)
        if not found:
            break
        move = next((one for one in found if one.scheme is Scheme.DIRECT), found[0])
        moves.append(move)
        now = after_move(now, move)
        left = [part for part in left if part.number != move.number]
    if not moves:
        raise refused[left[0].number]
    remarks = (*(_why(refused[part.number]) for part in left), *_of_recording(drive, recording))
    return Moves(tuple(replace(move, drive=moves[0].drive) for move in moves), remarks)


def _of_recording(drive: Drive, recording: Recording) -> Iterator[Message]:
    if recording.verdict in (Recorded.YES, Recorded.LIKELY):
        yield t(
            "{drive} is shingled (SMR), or probably so. Long writes slow such drives "
            "down: this may take many times as long.",
            drive=drive.path,
        )
    elif may_be_shingled(drive, recording):
        yield MAY_BE_SHINGLED


def _possible(
    machine: Machine, drive: Drive, parts: Iterable[Partition]
) -> tuple[list[Move], dict[int, Refused]]:
    """What could move now, the last on the drive first; and why the others cannot, by their numbers."""
    found: list[Move] = []
    refused: dict[int, Refused] = {}
    for part in parts:
        try:
            found.insert(0, planned_move(machine, drive, part))
        except Refused as refusal:
            refused[part.number] = refusal
    return found, refused


def _why(refusal: Refused) -> Message | str:
    return refusal.said if isinstance(refusal.said, Message) else str(refusal)


def planned_again(machine: Machine, drive: Drive, moves: Moves) -> Moves:
    """The same moves, worked out for the drive as it is now. Raises Refused where one would no longer be
    made."""
    return replace(moves, moves=tuple(_each_again(machine, drive, moves)))


def _each_again(machine: Machine, drive: Drive, moves: Moves) -> Iterator[Move]:
    now = drive
    for move in moves.moves:
        part = next((one for one in now.partitions if one.number == move.number), None)
        if part is None:
            raise Refused(NO_PARTITION(device=move.device))
        again = planned_move(machine, now, part, move.after.start_bytes)
        yield again
        now = after_move(now, again)


def after_move(drive: Drive, move: Move) -> Drive:
    """The drive with the partition at its new place."""
    start = move.after.start_bytes
    return replace(
        drive,
        partitions=tuple(
            replace(part, start_bytes=start, kernel_start_bytes=start) if part.number == move.number else part
            for part in drive.partitions
        ),
    )


def taken_back(move: Move) -> Move:
    """The move from the new place to the old one. What was free beside both is free still."""
    return replace(move, before=move.after, after=move.before)


def read_step(number: int) -> int:
    """The number of the step that reads the partition of this move, which counts from 0."""
    return number + 1


def move_step(moves: Moves, number: int) -> int:
    """The number of the step that moves it: all are read before the first moves."""
    return len(moves.moves) + 2 * number + 1


def compare_step(moves: Moves, number: int) -> int:
    """The number of the step that compares it."""
    return move_step(moves, number) + 1


def step_sentences(moves: Moves) -> tuple[Message, ...]:
    """What each step does."""
    reading = (
        t("Read all of {part} to find bad sectors before the first write.", part=move.device)
        for move in moves.moves
    )
    moving = (
        (
            t(
                "Move {part} from {before:exact} to {after:exact}.",
                part=move.device,
                before=move.before.start_bytes,
                after=move.after.start_bytes,
            ),
            t("Read all of {part} at its new location and compare.", part=move.device),
        )
        for move in moves.moves
    )
    return (*reading, *chain.from_iterable(moving))


def step_seconds(moves: Moves) -> tuple[float, ...]:
    """How long each takes, roughly: a window is read and written, and one that is logged written twice."""
    rate = usual_bytes_per_second(moves.drive.rotational)
    once = [(move.before.size_bytes / rate, 3 if move.scheme is Scheme.LOGGED else 2) for move in moves.moves]
    return (*(read for read, _ in once), *chain.from_iterable((read * times, read) for read, times in once))


def what_moves(move: Move) -> Message:
    """From where to where, in sectors of 512 bytes, as other tools count."""
    is_up = move.after.start_bytes > move.before.start_bytes
    return t(
        "{part} ({size:size}, {holds}) on {drive} moves by {shift:size} {direction}: "
        "from sector {before} to sector {after}.",
        part=move.device,
        size=move.before.size_bytes,
        holds=move.holds,
        drive=move.drive.path,
        shift=move.shift_bytes,
        direction=t("towards the end of the drive") if is_up else t("towards the start of the drive"),
        before=move.before.start_bytes // KERNEL_SECTOR_BYTES,
        after=move.after.start_bytes // KERNEL_SECTOR_BYTES,
    )


def journals_said(moves: Moves) -> Iterator[Message]:
    """What is written to beside the partitions, which was free."""
    for move in moves.moves:
        yield t(
            "The journal uses {size:size} of free space, {start:exact} into the drive. "
            "Remains of deleted files there are lost.",
            size=move.journal.size_bytes,
            start=move.journal.start_bytes,
        )


def _measured(moves: Moves) -> Iterator[Message]:
    """How what it brings is measured, of the first that is off the drive's blocks."""
    geometry = moves.drive.geometry
    if geometry.physical_block_bytes > geometry.logical_block_bytes:
        off = (move for move in moves.moves if misalignment_bytes(geometry, move.before.start_bytes))
        for move in islice(off, 1):
            yield t(
                "To measure the gain, run `sudo diskwright bench {part} --scratch --confirm "
                "{token}` before and after.",
                part=move.device,
                token=shlex.quote(printable(moves.drive.token)),
            )


def preview(moves: Moves) -> Iterator[Message | str]:
    """All that is to be known before: what moves, how long that takes, what a power cut does, the way back,
    and what else is good to know."""
    yield from (what_moves(move) for move in moves.moves)
    yield t(
        "All data is read, moved, then read again and compared. This takes about {time}.",
        time=format_duration(sum(step_seconds(moves))),
    )
    yield POWER(part=moves.devices)
    yield BACK
    yield from journals_said(moves)
    yield from _measured(moves)
    yield from moves.doubts
