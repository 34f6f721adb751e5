"""What the detached process does with a move: read all of it, move it, compare; and taking it back. All of it
is in the journal."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import sleep
from uuid import uuid4

from wizard.apply.block.devices import forget_caches, tell_kernel, wait_for
from wizard.apply.move import words
from wizard.apply.move.content import content_digest
from wizard.apply.move.drive import MovedDrive
from wizard.apply.move.guard import check_new, check_own, check_same
from wizard.apply.move.journal import Journal
from wizard.apply.move.mover import Mover
from wizard.apply.move.moving import Stopped
from wizard.apply.move.of_run import load_move
from wizard.apply.move.prepare import prepared
from wizard.apply.move.state import Phase, Side
from wizard.apply.run.journal import begun_steps, done_steps, read_entries
from wizard.apply.run.kinds import Outcome, Work
from wizard.apply.run.process import STOP, UNDOING
from wizard.apply.run.progress import noting
from wizard.apply.run.runs import called, load_environment
from wizard.apply.run.vault import mark_durably, read_kept, replace_durably
from wizard.layout.moving.document import render_move
from wizard.layout.moving.told import COMPARE, MOVE, READ, step_sentences
from wizard.model.documents.move import Move
from wizard.model.errors import Failed, Refused
from wizard.model.geometry import grain_bytes
from wizard.model.journal import Event
from wizard.model.said import Said
from wizard.probe.machine import probe_drive

BEFORE = "before.json"
"""What the partition held, as a digest, and by which name the journal on the drive knows the run."""

MOST_REST_SECONDS = 60.0
THROTTLE = "throttle"
"""A file in the run with the seconds of rest after each window, for whoever wants to use the machine."""


def carry_out(work: Work) -> Outcome:
    """Go on from where it stands: how the run ended. Raises DiskwrightError."""
    run, move = work.run, load_move(work.run)
    check_own(move, load_environment(run))
    if MOVE in begun_steps(read_entries(run)):
        check_same(move)
    else:
        check_new(move)
        # It may have been used since it was read.
        (run / BEFORE).unlink(missing_ok=True)
    with _held(move) as drive:
        if (ended := _read_all(work, move, drive)) is not None:
            return ended
        mover = _mover(work, move, drive)
        if (ended := _moved(work, move, mover)) is not None:
            return ended
        same = _compared(work, move, drive)
        if same is None:
            return Event.STOPPED, str(words.STOPPED(run=called(run)))
    return _verified(work, move, same=same)


@contextmanager
def _held(move: Move) -> Iterator[MovedDrive]:
    """The drive, for this process alone; the kernel reads its table again at the end, whatever became."""
    forget_caches(move.drive.path)
    drive = MovedDrive(move.drive.path)
    try:
        with drive:
            yield drive
    finally:
        tell_kernel(move.drive.path, anew=True)


def _read_all(work: Work, move: Move, drive: MovedDrive) -> Outcome | None:
    """Find bad sectors before anything is written, and note what it holds."""
    if read_kept(work.run / BEFORE) is not None:
        return None
    work.journal.add(Event.STEP_STARTED, step_sentences(move)[READ - 1], step=READ)
    try:
        digest = content_digest(
            drive,
            move,
            move.before.start_bytes,
            noting(work.run, READ, size_bytes=move.before.size_bytes),
            lambda: _is_stopped(work.run),
        )
    except Failed as error:
        work.journal.add(Event.STEP_FAILED, str(error), step=READ)
        return Event.FAILED, str(words.BAD_SECTOR(why=str(error)))
    if digest is None:
        return Event.STOPPED, str(words.STOPPED_EARLY(run=called(work.run)))
    text = json.dumps({"content": digest, "id": uuid4().hex})
    replace_durably(work.run / BEFORE, text.encode())
    work.journal.add(Event.STEP_DONE, words.READABLE(part=move.device), step=READ)
    return None


def _is_stopped(run: Path) -> bool:
    return (run / STOP).exists()


def _noted(run: Path) -> tuple[str, str]:
    """The digest and the name in the drive's journal."""
    text = read_kept(run / BEFORE)
    if text is None:
        return "", ""
    noted = json.loads(text)
    return str(noted["content"]), str(noted["id"])


def _journal_of(move: Move, drive: MovedDrive) -> Journal:
    geometry = move.drive.geometry
    block = max(geometry.physical_block_bytes, geometry.logical_block_bytes)
    return Journal(drive, move.journal.start_bytes, block)


def _mover(work: Work, move: Move, drive: MovedDrive) -> Mover:
    """The move by the drive's journal; a new one where it was not begun."""
    digest, name = _noted(work.run)
    journal = _journal_of(move, drive)
    loaded = journal.load()
    told = partial(_telling, work, move, lambda: _is_stopped(work.run))
    if loaded is not None and loaded[0].course.run == name:
        return Mover(drive, journal, *loaded, told(loaded[0].moved_to(Side.NEW)))
    if MOVE in begun_steps(read_entries(work.run)):
        raise Refused(words.NO_JOURNAL(run=work.run.name, drive=move.drive.path))
    document = json.dumps({"move": render_move(move), "content": digest, "run": work.run.name})
    state, images = prepared(drive, move, name, _padded(document, move))
    journal.prepare(state, images)
    return Mover(drive, journal, state, b"", told())


def _padded(document: str, move: Move) -> bytes:
    data, block = document.encode(), move.drive.geometry.logical_block_bytes
    return data.ljust(-(-len(data) // block) * block)


def _telling(
    work: Work, move: Move, stop: Callable[[], bool], moved_before: int = 0
) -> Callable[[int], bool]:
    """Hears of bytes that have moved, rests where that is wanted, and says whether to stop."""
    size = move.before.size_bytes
    progress, done = noting(work.run, MOVE, (moved_before / size, 1.0), size - moved_before), 0

    def told(moved_bytes: int) -> bool:
        nonlocal done
        done += moved_bytes
        progress(min(done / max(size - moved_before, 1), 1.0))
        with suppress(ValueError):
            sleep(min(max(float(read_kept(work.run / THROTTLE) or 0), 0.0), MOST_REST_SECONDS))
        return stop()

    return told


def _moved(work: Work, move: Move, mover: Mover) -> Outcome | None:
    if MOVE in done_steps(read_entries(work.run)) and mover.state.phase is Phase.DONE:
        return None
    if _is_stopped(work.run):
        return Event.STOPPED, str(words.STOPPED(run=called(work.run)))
    work.journal.add(Event.STEP_STARTED, step_sentences(move)[MOVE - 1], step=MOVE)
    try:
        mover.go(Side.NEW)
    except Stopped:
        return Event.STOPPED, str(words.STOPPED(run=called(work.run)))
    except Failed as error:
        work.journal.add(Event.STEP_FAILED, str(error), step=MOVE)
        return Event.FAILED, str(words.FAILED(why=str(error), run=called(work.run)))
    work.journal.add(Event.STEP_DONE, words.MOVED(part=move.device), step=MOVE)
    return None


def _compared(work: Work, move: Move, drive: MovedDrive) -> bool | None:
    """Whether it holds what it held; None where somebody stopped the comparing."""
    work.journal.add(Event.STEP_STARTED, step_sentences(move)[COMPARE - 1], step=COMPARE)
    digest = content_digest(
        drive,
        move,
        move.after.start_bytes,
        noting(work.run, COMPARE, size_bytes=move.before.size_bytes),
        lambda: _is_stopped(work.run),
    )
    if digest is None:
        return None
    work.journal.add(Event.STEP_DONE, words.COMPARED(part=move.device), step=COMPARE)
    return digest == _noted(work.run)[0]


def _verified(work: Work, move: Move, *, same: bool) -> Outcome:
    """What the kernel and libblkid say of it now."""
    wait_for((move.device,))
    part = probe_drive(move.drive.path).partition(move.device)
    start = part.kernel_start_bytes if part else None
    found = (part.filesystem if part else None) or ""
    checks: tuple[tuple[Said, bool, Said | str], ...] = (
        (words.SAME(part=move.device), same, ""),
        (
            words.STARTS(part=move.device, start=move.after.start_bytes),
            start == move.after.start_bytes,
            words.STARTS_ELSEWHERE(start=start or 0),
        ),
        (
            words.RECOGNISED(part=move.device, holds=move.holds),
            found == move.holds,
            words.HOLDS(found=found or "?"),
        ),
    )
    for said, holds, seen in checks:
        event = Event.VERIFIED if holds else Event.NOT_VERIFIED
        work.journal.add(event, str(said).rstrip("."), output="" if holds else str(seen))
    if not all(holds for _, holds, _ in checks):
        way = words.NOT_SAME(part=move.device, run=called(work.run)) if not same else ""
        return Event.FAILED, str(words.CHECKS_FAIL(part=move.device, way=way))
    aligned = move.after.start_bytes % grain_bytes(move.drive.geometry) == 0
    done = words.DONE if aligned else words.DONE_THERE
    return Event.DONE, str(done(part=move.device, start=move.after.start_bytes, run=called(work.run)))


def check_takes_back(run: Path) -> None:
    """Raises Refused where nothing was written yet."""
    if MOVE not in begun_steps(read_entries(run)):
        raise Refused(words.WROTE_NOTHING(run=run.name))


def check_unused(run: Path, move: Move) -> None:
    """Raises Refused where it cannot be taken back: the drive is another, its journal is gone, or what was
    moved was used since. Only reads."""
    check_same(move)
    forget_caches(move.drive.path)
    with MovedDrive(move.drive.path) as drive:
        _taking_back(run, move, drive)


def _taking_back(run: Path, move: Move, drive: MovedDrive, work: Work | None = None) -> Mover:
    """The move by its journal; raises Refused as `check_unused` says."""
    journal = _journal_of(move, drive)
    loaded = journal.load()
    if loaded is None or loaded[0].course.run != _noted(run)[1]:
        raise Refused(words.NO_JOURNAL(run=run.name, drive=move.drive.path))
    told = _telling(work, move, lambda: False, loaded[0].moved_to(Side.OLD)) if work else lambda _: False
    mover = Mover(drive, journal, *loaded, told)
    if mover.state.phase is Phase.DONE and mover.state.target is Side.NEW:
        _refuse_used(move, mover)
    return mover


def take_back(work: Work) -> Outcome:
    """Move it back from wherever it is: how that ended. Raises DiskwrightError."""
    run, move = work.run, load_move(work.run)
    check_own(move, load_environment(run))
    check_same(move)
    with _held(move) as drive:
        mover = _taking_back(run, move, drive, work)
        mark_durably(run / UNDOING)
        mover.go(Side.OLD)
        digest = content_digest(drive, move, move.before.start_bytes, noting(run), lambda: False)
    if digest != _noted(run)[0]:
        raise Failed(words.NOT_SAME(part=move.device, run=called(run)))
    return Event.UNDONE, str(words.BACK(part=move.device, start=move.before.start_bytes))


def _refuse_used(move: Move, mover: Mover) -> None:
    """What was mounted for writing has another head than the journal knows: that one must not come back."""
    start = move.before.start_bytes
    if not mover.stands(Side.NEW):
        raise Refused(words.USED_SINCE(part=move.device, start=start))
    if not mover.has_table(Side.NEW):
        raise Refused(words.TABLE_SINCE(part=move.device, drive=move.drive.path, start=start))
