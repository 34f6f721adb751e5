"""Two drives, one with writes by another program: no phase overwrites those, and keep and undo are refused
for both."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from tests.exchanged import BLOCK, Act, Drives, commit, keep, undo
from wizard.apply.engine.record import UNTOUCHED, Phase, load_record
from wizard.apply.engine.stores import new_file, old_file
from wizard.model.errors import Failed, Refused

TWO = (((2, 1), (9, 8, 1)), ((3, 1), (7, 6, 1)))
"""For each drive the blocks of its old and its new marks; the last one decides."""
PLAIN = 5
"""A block that is no mark of either."""
THEIRS = b"a file's" * (BLOCK // 8)

WAYS: tuple[tuple[Act, ...], ...] = ((commit,), (commit, keep), (commit, undo), (commit, keep, undo))


def states(folder: Path, before: tuple[Act, ...], act: Act, start: int) -> Iterator[Drives]:
    """Yield the drives after a cut at every third write of `act` from `start`, and after the end."""
    for moment in count(start, 3):
        drives = Drives(folder / f"{moment:04}-x", TWO)
        for earlier in before:
            assert drives.does(earlier)
        ended = drives.does(act, moment)
        yield drives
        if ended:
            return


def phase_of(drives: Drives) -> Phase:
    record = load_record(drives.run)
    assert record is not None
    return record.phase


def write(drives: Drives, number: int, block: int) -> None:
    drives.drives[number].content[block * BLOCK : (block + 1) * BLOCK] = THEIRS


def holds(drives: Drives, number: int, block: int) -> bool:
    return drives.drives[number].content[block * BLOCK : (block + 1) * BLOCK] == THEIRS


@pytest.mark.parametrize("number", [0, 1], ids=["first", "second"])
@pytest.mark.parametrize("then", [commit, keep, undo], ids=["resume", "keep", "undo"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(act.__name__ for act in way))
def test_changes_by_another_program_are_not_overwritten(
    tmp_path: Path, way: tuple[Act, ...], then: Act, number: int
) -> None:
    *before, act = way
    phases = set()
    for at, block in enumerate((PLAIN, TWO[number][1][0])):
        for drives in states(tmp_path / str(block), tuple(before), act, at):
            phases.add(phase_of(drives))
            write(drives, number, block)
            with suppress(Refused, Failed):
                drives.does(then)
            assert holds(drives, number, block), f"{phase_of(drives)}: block {block}"
    assert len(phases) > 1


@pytest.mark.parametrize("number", [0, 1], ids=["first", "second"])
def test_changed_drive_since_rehearsal_blocks_both(tmp_path: Path, number: int) -> None:
    drives = Drives(tmp_path / "0001-x", TWO)
    write(drives, number, PLAIN)
    before = [bytes(drive.content) for drive in drives.drives]
    with pytest.raises(Refused):
        drives.does(commit)
    assert [bytes(drive.content) for drive in drives.drives] == before
    assert phase_of(drives) in UNTOUCHED


@pytest.mark.parametrize("number", [0, 1], ids=["first", "second"])
@pytest.mark.parametrize(
    ("file", "acts", "then"),
    [
        (old_file, (), commit),
        (new_file, (), commit),
        (new_file, (commit,), keep),
        (old_file, (commit,), undo),
        (old_file, (commit, keep), undo),
    ],
)
def test_saved_bytes_of_both_drives_are_checked_before_writing(
    tmp_path: Path, file: type, acts: tuple[Act, ...], then: Act, number: int
) -> None:
    drives = Drives(tmp_path / "0001-x", TWO)
    for act in acts:
        assert drives.does(act)
    before = [bytes(drive.content) for drive in drives.drives]
    with file(drives.run, number).open("r+b") as store:
        store.seek(PLAIN * BLOCK)
        store.write(THEIRS)
    with pytest.raises(Refused):
        drives.does(then)
    assert [bytes(drive.content) for drive in drives.drives] == before


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(act.__name__ for act in way))
def test_both_drives_end_as_planned_or_as_before(tmp_path: Path, way: tuple[Act, ...]) -> None:
    """Both by repeating the interrupted act and by undo."""
    *before, act = way
    for then in {act, undo}:
        for drives in states(tmp_path / then.__name__, tuple(before), act, 2):
            assert drives.does(then)
            if then is commit:
                assert drives.does(keep)
            ended = drives.is_old if then is undo else drives.is_new
            assert ended(0) and ended(1)


def test_no_drive_shows_old_content_once_partly_lost(tmp_path: Path) -> None:
    """A half-written drive must not be mountable."""
    half = 0
    for drives in states(tmp_path, (), commit, 1):
        for number, (marks, _) in enumerate(TWO):
            now, old = drives.drives[number].content, drives.old[number]
            blocks = [slice(at, at + BLOCK) for at in range(0, len(old), BLOCK)]
            kept = [now[block] == old[block] for block in blocks]
            if not all(same for at, same in enumerate(kept) if at not in marks):
                half += 1
                assert not any(kept[mark] for mark in marks)
    assert half
