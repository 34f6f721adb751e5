"""Moves resume and undo only on their own drive: after a reboot, and with another drive in its place. Loop
devices have no serial numbers."""

from pathlib import Path
from shutil import copyfile
from time import sleep

import pytest
from msgspec.structs import replace

from tests.daily import one_in
from tests.devices import MakeDrive
from tests.loop.applying import Work, ended, said, story
from tests.loop.bring.swapping import clone, put_in, swap
from tests.loop.move.test_move import SECTOR, begin, digest, kill, misaligned, part_of, planned
from tests.loop.program import MIB, Event, Refused, RunState, resume, state, undo
from wizard.apply.run import kinds
from wizard.apply.run.runs import MOVE
from wizard.plan.partition.moves import MOVES

SIZE = 256 * MIB


def restarted(run: Path) -> None:
    """Change the recorded boot, because the kernel numbers drives differently after a reboot."""
    moves = kinds.MOVE.load(run)
    earlier = tuple(replace(one, drive=replace(one.drive, boot_id="earlier")) for one in moves.moves)
    (run / MOVE).write_text(MOVES.render(replace(moves, moves=earlier)))


def half_moved(work: Work, path: str) -> Path:
    """Return a run killed during its move."""
    run = begin(work, planned(path), rest=0.2)
    while not any(one.step == 2 for one in said(run, Event.STEP_STARTED)):
        sleep(0.01)
    sleep(0.5)
    kill(run)
    assert state(run) is RunState.INTERRUPTED, story(run)
    return run


@pytest.mark.parametrize("way", one_in(2, ("resume", "undo")))
def test_resume_and_undo_work_after_a_reboot(work: Work, make_drive: MakeDrive, way: str) -> None:
    path = misaligned(work, make_drive, size=SIZE)
    before = digest(f"{path}p1")
    run = half_moved(work, path)
    restarted(run)
    if way == "resume":
        resume(run)
        assert ended(run) is RunState.DONE, story(run)
        assert part_of(path, 1).start_bytes != 63 * SECTOR and digest(f"{path}p1") == before
        restarted(run)
    undo(run)
    assert state(run) is RunState.UNDONE, story(run)
    assert part_of(path, 1).start_bytes == 63 * SECTOR and digest(f"{path}p1") == before


@pytest.mark.parametrize("is_restarted", one_in(2, (True, False)))
def test_replacement_drive_is_left_unchanged(work: Work, make_drive: MakeDrive, is_restarted: bool) -> None:
    """Check a clone with the same table and content as before the move."""
    path = misaligned(work, make_drive, size=SIZE)
    other, own = (work.bench.folder / name for name in ("other", "own"))
    copyfile(work.bench.image_of(path), other)
    run = half_moved(work, path)
    if is_restarted:
        restarted(run)
    copyfile(work.bench.image_of(path), own)
    put_in(work.bench, path, other)
    was = work.digest(path)
    for way in (resume, undo):
        with pytest.raises(Refused):
            way(run)
        assert work.digest(path) == was, story(run)
    put_in(work.bench, path, own)
    undo(run)
    assert state(run) is RunState.UNDONE and part_of(path, 1).start_bytes == 63 * SECTOR, story(run)


@pytest.mark.alone
def test_move_resumes_under_another_node(work: Work, make_drive: MakeDrive) -> None:
    path, other = misaligned(work, make_drive, size=SIZE), make_drive(SIZE)
    before = digest(f"{path}p1")
    run = half_moved(work, path)
    swap(work.bench, path, other)
    restarted(run)
    was = work.digest(path)
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert part_of(other, 1).start_bytes != 63 * SECTOR and digest(f"{other}p1") == before
    undo(run)
    assert part_of(other, 1).start_bytes == 63 * SECTOR and digest(f"{other}p1") == before
    assert work.digest(path) == was


def test_two_drives_with_the_same_journal_are_not_written(work: Work, make_drive: MakeDrive) -> None:
    path, other = misaligned(work, make_drive, size=SIZE), make_drive(SIZE)
    run = half_moved(work, path)
    clone(work.bench, path, other)
    was = work.digest(path)
    for way in (resume, undo):
        with pytest.raises(Refused, match=f"{path}.*{other}"):
            way(run)
    assert work.digest(path) == was
