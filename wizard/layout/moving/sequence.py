"""Partitions of a drive that move one after another, each into the room that is there by then. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wizard.diagnose.recording import may_be_shingled
from wizard.filesystems.partitions import CONTAINER_TYPES
from wizard.layout.moving import words
from wizard.layout.moving.planned import planned_move
from wizard.layout.words import MAY_BE_SHINGLED
from wizard.model.documents.move import Move, Moves, Scheme
from wizard.model.errors import Refused
from wizard.model.finding import NOT_JUDGED, Recorded, Recording
from wizard.model.geometry import grain_bytes
from wizard.model.machine import Drive, Machine, Partition
from wizard.model.said import Said, t


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
        raise Refused(t("Every partition of {drive} is aligned already.", drive=drive.path))
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


def _of_recording(drive: Drive, recording: Recording) -> Iterator[Said]:
    if recording.verdict in (Recorded.YES, Recorded.LIKELY):
        yield t(
            "{drive} is shingled, or likely so. Such drives slow down under long "
            "writing: this may take many times as long.",
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


def _why(refusal: Refused) -> Said | str:
    return refusal.said if isinstance(refusal.said, Said) else str(refusal)


def planned_again(machine: Machine, drive: Drive, moves: Moves) -> Moves:
    """The same moves, worked out for the drive as it is now. Raises Refused where one would no longer be
    made."""
    return replace(moves, moves=tuple(_each_again(machine, drive, moves)))


def _each_again(machine: Machine, drive: Drive, moves: Moves) -> Iterator[Move]:
    now = drive
    for move in moves.moves:
        part = next((one for one in now.partitions if one.number == move.number), None)
        if part is None:
            raise Refused(words.NO_PARTITION(device=move.device))
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
