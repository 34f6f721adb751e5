"""Keep writes large zeros before any new signature. After that, undo is refused."""

from pathlib import Path

import pytest

from tests.exchanged import BLOCK, SIZE, Drives, commit, keep, undo
from tests.exchanging import VolatileDrive
from wizard.apply.engine import exchange
from wizard.apply.engine.record import Phase, Record, load_record, save_record
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
            with pytest.raises(Refused, match="can no longer restore"):
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
    with pytest.raises(Refused, match="can no longer restore"):
        made.does(undo)
    assert made.does(keep)
    assert made.is_new(0) and made.is_new(1)


JOURNAL = b"a block of the journal".ljust(BLOCK, b"\0")
RECORDS = ("saved", "clearing", "replacing", "barred", "releasing", "released")


@pytest.fixture
def used(tmp_path: Path) -> tuple[Drives, dict[str, bytes]]:
    """Two kept drives with a used journal, and the records of all earlier phases."""
    made, records = drives(tmp_path / "run"), dict[str, bytes]()

    def save(run: Path, record: Record) -> None:
        save_record(run, record)
        records[record.phase.value] = (run / "rehearsed.json").read_bytes()

    with pytest.MonkeyPatch.context() as patched:
        records["saved"] = (made.run / "rehearsed.json").read_bytes()
        patched.setattr(exchange, "save_record", save)
        assert made.does(commit) and made.does(keep)
    for drive in made.drives:
        drive.content[ZEROS.start_bytes : ZEROS.start_bytes + BLOCK] = JOURNAL
    return made, records


def is_used(made: Drives) -> bool:
    return all(in_zeros(made, number)[:BLOCK] == JOURNAL for number in range(2))


@pytest.mark.parametrize("record", RECORDS)
def test_used_drives_are_neither_zeroed_nor_undone(
    used: tuple[Drives, dict[str, bytes]], record: str
) -> None:
    """An older record, as in a snapshot of the system, makes no difference."""
    made, records = used
    (made.run / "rehearsed.json").write_bytes(records[record])
    with pytest.raises(Refused, match="can no longer restore"):
        made.does(undo)
    assert is_used(made)
    (made.run / "rehearsed.json").write_bytes(records[record])
    assert made.does(commit if record in ("saved", "clearing", "replacing") else keep)
    now = load_record(made.run)
    assert now is not None and now.phase is Phase.RELEASED and is_used(made)


def test_rest_can_be_restored_on_request(tmp_path: Path) -> None:
    """A keep that cannot go on, as with a bad block in the zeros, is no dead end."""
    made = drives(tmp_path / "run")
    assert made.does(commit)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(exchange, "write_zeros", failing)
        with pytest.raises(Failed):
            made.does(keep)
    with pytest.raises(Refused, match="can no longer restore"):
        made.does(undo)
    exchange.mark_over_changes(made.run, True)
    lost = []

    def undone(one: exchange.Exchange) -> None:
        one.undo(lambda share: None)
        lost.append(one.record.lost_bytes)

    assert made.does(undone) and lost == [2 * ZEROS.size_bytes]
    for number, old in enumerate(made.old):
        now = bytes(made.drives[number].content)
        assert now[: ZEROS.start_bytes] == old[: ZEROS.start_bytes] and now[12 * KIB :] == old[12 * KIB :]


def failing(side: object) -> None:
    raise Failed("Input/output error.")


def test_request_that_does_nothing_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then zeros are written as any other bytes."""
    made = drives(tmp_path / "run")
    assert made.does(commit)
    monkeypatch.setattr(VolatileDrive, "zero", lambda drive, place: None)
    assert made.does(keep)
    assert made.is_new(0) and made.is_new(1)


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
