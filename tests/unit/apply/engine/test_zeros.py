"""Large zeros are written when a run is kept, before any new signature. From then on, undo is refused."""

from pathlib import Path

import pytest

from tests.exchanged import BLOCK, SIZE, Drives, commit, keep, undo
from tests.exchanging import VolatileDrive
from wizard.apply.engine.record import Phase, load_record
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent
from wizard.model.said import KIB

ZEROS = Extent(8 * KIB, 4 * KIB)
MARKS = [([0, 1], [0, 1]), ([0], [2, 3])]


def drives(run: Path) -> Drives:
    return Drives(run, MARKS, zeros=ZEROS)


def in_zeros(made: Drives, number: int) -> bytes:
    return bytes(made.drives[number].content[ZEROS.start_bytes : ZEROS.end_bytes])


def test_old_bytes_stay_until_the_run_is_kept(tmp_path: Path) -> None:
    made = drives(tmp_path / "run")
    assert made.does(commit)
    assert all(in_zeros(made, number) == made.old[number][8 * KIB : 12 * KIB] for number in range(2))
    assert made.does(undo)
    assert made.is_old(0) and made.is_old(1)


def test_cuts_while_keeping_never_show_a_drive_without_its_zeros(tmp_path: Path) -> None:
    moment = was_refused = 0
    while True:
        made = drives(tmp_path / str(moment))
        assert made.does(commit)
        if made.does(keep, goes_at=moment):
            break
        for number in range(2):
            if any(made.shows(number, block) for block in MARKS[number][1]):
                assert not any(any(in_zeros(made, number)) for number in range(2)), f"cut at {moment}"
        if any(not any(in_zeros(made, number)[:BLOCK]) for number in range(2)):
            was_refused += 1
            with pytest.raises(Refused, match="cannot be undone"):
                made.does(undo)
            assert made.does(keep)
            assert made.is_new(0) and made.is_new(1)
        else:
            assert made.does(undo)
            assert made.is_old(0) and made.is_old(1), f"cut at {moment}"
        moment += 1
    assert was_refused > 5 and moment > was_refused
    assert made.is_new(0) and made.is_new(1)


def test_old_record_does_not_bring_undo_back(tmp_path: Path) -> None:
    made = drives(tmp_path / "run")
    assert made.does(commit)
    waiting = (made.run / "rehearsed.json").read_bytes()
    moment = 0
    while any(in_zeros(made, 1)):
        made = drives(tmp_path / str(moment))
        assert made.does(commit) and not made.does(keep, goes_at=moment)
        moment += 1
    (made.run / "rehearsed.json").write_bytes(waiting)
    with pytest.raises(Refused, match="cannot be undone"):
        made.does(undo)
    assert made.does(keep)
    assert made.is_new(0) and made.is_new(1)


def test_used_drive_is_not_zeroed_again(tmp_path: Path) -> None:
    """A keep that was cut before the last record continues, although files were written since."""
    made = drives(tmp_path / "run")
    assert made.does(commit)
    releasing = b""
    for moment in range(100):
        again = drives(tmp_path / str(moment))
        assert again.does(commit)
        if again.does(keep, goes_at=moment):
            break
        record = load_record(again.run)
        assert record is not None
        if record.phase is Phase.RELEASING:
            made, releasing = again, (again.run / "rehearsed.json").read_bytes()
    assert made.does(keep)
    (made.run / "rehearsed.json").write_bytes(releasing)
    journal = b"a block of the journal".ljust(BLOCK, b"\0")
    for drive in made.drives:
        drive.content[ZEROS.start_bytes : ZEROS.start_bytes + BLOCK] = journal
    assert made.does(keep)
    assert all(in_zeros(made, number)[:BLOCK] == journal for number in range(2))


def test_drive_that_wraps_is_noticed_before_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros that also land on other bytes, as on a counterfeit drive, stop the keep before the signatures."""
    made = drives(tmp_path / "run")
    assert made.does(commit)

    def wrapped(drive: VolatileDrive[bytearray], place: Extent) -> None:
        for start in (place.start_bytes, (place.start_bytes + 6 * KIB) % SIZE):
            drive.write(start, bytes(place.size_bytes))

    monkeypatch.setattr(VolatileDrive, "zero", wrapped)
    with pytest.raises(Failed):
        made.does(keep)
    assert not any(made.shows(number, block) for number in range(2) for block in MARKS[number][1])
