"""A move that was begun elsewhere, found by nothing but the drive: its journal has the whole document."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.apply.move import words
from wizard.apply.move.drive import MovedDrive
from wizard.apply.move.journal import Journal, MovingDrive, image_of
from wizard.apply.move.run import BEFORE
from wizard.apply.move.start import check_token
from wizard.apply.run.begin import check_root, settle
from wizard.apply.run.environment import Environment
from wizard.apply.run.journal import Journal as RunJournal
from wizard.apply.run.lock import lock_drives, unlock
from wizard.apply.run.runs import MOVE, called, check_room, list_runs, make_run, runs_folder
from wizard.apply.run.vault import read_kept, replace_durably
from wizard.filesystems.partitions import MOVING_TYPES
from wizard.layout.before import known_identity
from wizard.layout.moving.document import check_move, read_kept_move, render_move
from wizard.layout.moving.told import MOVE as MOVING
from wizard.layout.moving.told import READ, step_sentences
from wizard.layout.room.refusals import measured
from wizard.model.documents.move import Move, journal_places
from wizard.model.errors import Refused
from wizard.model.journal import Event
from wizard.model.machine import Extent, Partition
from wizard.model.names import partition_path
from wizard.probe.machine import probe_machine


@dataclass(frozen=True, slots=True)
class FoundMove:
    """The move, on the drive as it is called here; by which name its journal knows it; and the digest of what
    the partition held."""

    move: Move
    name: str
    content: str


def found_move(path: str) -> FoundMove:
    """What the drive's own journal tells. Raises Refused where nothing moves there, or the drive is in
    use."""
    check_root()
    machine = probe_machine([path])
    (drive,) = machine.drives
    size_bytes, geometry = measured(drive)
    block = max(geometry.logical_block_bytes, geometry.physical_block_bytes)
    with MovedDrive(drive.path) as medium:
        for part in drive.partitions:
            for at in _places(part):
                if (found := _read(medium, at, block)) is not None:
                    identity = known_identity(machine, drive, size_bytes, geometry)
                    device = partition_path(drive.path, found.move.number)
                    move = replace(found.move, drive=identity, device=device)
                    check_move(move, drive.path)
                    return replace(found, move=move)
    raise Refused(words.NOTHING_MOVES(drive=path))


def _places(part: Partition) -> Iterator[int]:
    if part.type in MOVING_TYPES:
        yield from journal_places(Extent(part.start_bytes, part.size_bytes))


def _read(medium: MovingDrive, at: int, block: int) -> FoundMove | None:
    journal = Journal(medium, at, block)
    loaded = journal.load()
    if loaded is None:
        return None
    course = loaded[0].course
    images = journal.images(course)
    if images is None:
        return None
    told = json.loads(image_of(images, course.pieces.document))
    return FoundMove(read_kept_move(told["move"], str(words.IN_JOURNAL())), course.run, str(told["content"]))


def make_found_run(found: FoundMove, tokens: Sequence[str], journal_dir: Path | None) -> Path:
    """A run's folder, by which `resume` goes on with the move, and `undo` goes back. Nothing is written to
    the drive. Raises Refused for another token, and where the run's own folder is here."""
    for run in list_runs(journal_dir):
        kept = read_kept(run / BEFORE)
        if kept is not None and json.loads(kept)["id"] == found.name:
            raise Refused(words.RUN_IS_HERE(run=called(run)))
    move = found.move
    if not tokens:
        raise Refused(words.CONFIRM_FOUND(part=move.device, token=move.drive.token))
    for token in tokens:
        check_token(move, token)
    folder = runs_folder(journal_dir)
    check_room(folder, 0, make=True)
    settle()
    locks = lock_drives((move.drive.path,))
    try:
        run = make_run(folder, (move.device,), MOVE, render_move(move), Environment())
        text = json.dumps({"content": found.content, "id": found.name})
        replace_durably(run / BEFORE, text.encode())
        journal = RunJournal(run)
        for step, sentence in enumerate(step_sentences(move)[:MOVING], READ):
            journal.add(Event.STEP_STARTED, sentence, step=step)
            if step < MOVING:
                journal.add(Event.STEP_DONE, words.READABLE(part=move.device), step=step)
        journal.close()
    finally:
        unlock(locks)
    return run
