"""What the detached process does with moves, and how it ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from wizard.apply.block.devices import forget_caches, tell_kernel, wait_for
from wizard.apply.move import words
from wizard.apply.move.carrying import Carrying
from wizard.apply.move.guard import check_left, check_new, check_own, check_same
from wizard.apply.move.located import moves_here
from wizard.apply.move.mover.drive import MovedDrive
from wizard.apply.move.noted import Noted, load_notes, save_notes
from wizard.apply.move.of_run import load_moves
from wizard.apply.move.on_drive import OnDrive
from wizard.apply.move.returning import refuse_used, return_all
from wizard.apply.move.unread.told import back_but, bad_listed
from wizard.apply.run.journal import begun_steps, read_entries
from wizard.apply.run.kinds import Outcome, Work
from wizard.apply.run.runs import called, load_environment
from wizard.layout.moving.told import move_step
from wizard.model.documents.move import Move, Moves
from wizard.model.errors import Refused
from wizard.model.geometry import grain_bytes
from wizard.model.journal import Event
from wizard.model.machine import Drive
from wizard.model.said import Said, Sentence, in_a_row, t
from wizard.probe.machine import probe_drive


def carry_out(work: Work) -> Outcome:
    """Go on from where it stands: how the run ended. Raises DiskwrightError."""
    run, moves = work.run, moves_here(work.run)
    check_own(moves, load_environment(run))
    # What has not begun to move may have been used since it was read.
    notes = tuple(noted if noted.is_begun else replace(noted, content="") for noted in load_notes(run, moves))
    if any(noted.is_begun for noted in notes):
        check_same(run, moves)
        begun = begun_steps(read_entries(run))
        check_left(moves, sum(move_step(moves, number) in begun for number in range(len(moves.moves))))
    else:
        check_new(moves)
    save_notes(run, notes)
    with _held(moves) as drive:
        carrying = Carrying(work, moves, drive, notes)
        if (ended := carrying.all_read() or carrying.all_moved()) is not None:
            return ended
    return _verified(work, moves)


@contextmanager
def _held(moves: Moves) -> Iterator[MovedDrive]:
    """The drive, for this process alone; the kernel reads its table again at the end, whatever became."""
    forget_caches(moves.drive.path)
    drive = MovedDrive(moves.drive.path)
    try:
        with drive:
            yield drive
    finally:
        tell_kernel(moves.drive.path, anew=True)


def _verified(work: Work, moves: Moves) -> Outcome:
    """What the kernel and libblkid say of it now."""
    wait_for(moves.devices)
    drive = probe_drive(moves.drive.path)
    for move in moves.moves:
        failing = False
        for said, holds, seen in _checks(drive, move):
            event = Event.VERIFIED if holds else Event.NOT_VERIFIED
            work.journal.add(event, str(said).rstrip("."), output="" if holds else str(seen))
            failing = failing or not holds
        if failing:
            return Event.FAILED, str(words.CHECKS_FAIL(part=move.device, way=""))
    return Event.DONE, str(_done_said(work.run, moves))


def _checks(drive: Drive, move: Move) -> tuple[tuple[Said, bool, Said | str], ...]:
    """What must hold of a moved partition, whether it does, and what is seen instead."""
    part = drive.partition(move.device)
    start = part.kernel_start_bytes if part else None
    found = (part.filesystem if part else None) or ""
    return (
        (
            t("The kernel has {part} at {start:exact}.", part=move.device, start=move.after.start_bytes),
            start == move.after.start_bytes,
            t("the kernel has it at {start:exact}", start=start or 0),
        ),
        (
            t("{part} holds {holds}, as before.", part=move.device, holds=move.holds),
            found == move.holds,
            t("it holds {found}", found=found or "?"),
        ),
    )


def _done_said(run: Path, moves: Moves) -> Said:
    """How it ended, and what is left to be done."""
    left = (said for move in moves.moves for said in move.then if isinstance(said, Said))
    return in_a_row(_at_new_places(run, moves), *left)


def _at_new_places(run: Path, moves: Moves) -> Said:
    if len(moves.moves) > 1:
        return t(
            "{parts:and} are at their new places now. `diskwright undo {run}` moves them "
            "back, until one is used.",
            parts=moves.devices,
            run=called(run),
        )
    (move,) = moves.moves
    aligned = move.after.start_bytes % grain_bytes(move.drive.geometry) == 0
    done = (
        Sentence(
            "{part} starts at {start:exact} now, and is aligned. `diskwright undo {run}` "
            "moves it back, until it is used."
        )
        if aligned
        else Sentence(
            "{part} starts at {start:exact} now. `diskwright undo {run}` moves it back, until it is used."
        )
    )
    return done(part=move.device, start=move.after.start_bytes, run=called(run))


def check_takes_back(run: Path) -> None:
    """Raises Refused where nothing was written yet."""
    if not any(noted.is_begun for noted in load_notes(run, load_moves(run))):
        raise Refused(t("{run} has written nothing, so nothing needs to be undone.", run=run.name))


def check_unused(run: Path, moves: Moves, *, over_bad_sectors: bool) -> None:
    """Raises Refused where they cannot be taken back: the drive is another, its journal is gone, or what was
    moved was used since, or nobody can tell, because of sectors that the run knows of then. Only reads the
    drive."""
    check_same(run, moves)
    forget_caches(moves.drive.path)
    notes = load_notes(run, moves)
    if over_bad_sectors:
        notes = tuple(noted.giving_up for noted in notes)
    with MovedDrive(moves.drive.path) as drive:
        refuse_used(OnDrive(run, moves, drive, notes))


def take_back(work: Work) -> Outcome:
    """Move all back from wherever they are: how that ended. Raises DiskwrightError."""
    run, moves = work.run, moves_here(work.run)
    check_own(moves, load_environment(run))
    check_same(run, moves)
    with _held(moves) as drive:
        return_all(OnDrive(run, moves, drive, load_notes(run, moves)))
    return Event.UNDONE, str(in_a_row(*_back_said(moves, load_notes(run, moves))))


def _back_said(moves: Moves, notes: tuple[Noted, ...]) -> Iterator[Said]:
    whole = [move for move, noted in zip(moves.moves, notes, strict=True) if not noted.bad]
    if len(whole) == 1:
        yield t(
            "{part} starts at {start:exact} again, bit for bit as it was.",
            part=whole[0].device,
            start=whole[0].before.start_bytes,
        )
    elif whole:
        yield t("{parts:and} are where they were, bit for bit.", parts=tuple(move.device for move in whole))
    for move, noted in zip(moves.moves, notes, strict=True):
        if noted.bad:
            yield back_but(move, noted.bad)
            yield from bad_listed(move, noted.bad)
