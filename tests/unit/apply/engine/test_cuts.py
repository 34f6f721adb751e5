"""The order of writes with a power cut or a kill at each, damaged old bytes, and progress."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.exchanged import BLOCK, PLACES, SIZE, Act, Drives, commit, keep, undo
from tests.exchanging import Power, VolatileDrive
from wizard.apply.engine.changes import kept
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.record import Phase, load_record, save_record
from wizard.apply.engine.stores import FOLDER, Store, old_file
from wizard.apply.run.progress_log import Progress
from wizard.model.errors import Failed


class Killed(BaseException):
    """The program was killed."""


class Killing(Power):
    """A kill that leaves pending writes in the drive's cache, unlike a power cut."""

    def go(self) -> None:
        raise Killed


Shape = Sequence[tuple[Sequence[int], Sequence[int]]]
TWO: Shape = (((2, 1), (9, 8, 1)), ((2, 1), (9, 8, 1)))
"""Two drives with a table, whose first block decides, and volumes before and after."""


def every_moment(
    folder: Path, shape: Shape, alike: Sequence[tuple[int, int]], before: Sequence[Act], act: Act
) -> list[Drives]:
    """Return the drives after a power cut at each write of `act`, which follows the acts `before`."""
    found: list[Drives] = []
    while True:
        drives = Drives(folder / f"{len(found):04}-x", shape, alike)
        for earlier in before:
            assert drives.does(earlier)
        ended = drives.does(act, len(found))
        found.append(drives)
        if ended:
            return found


def test_all_content_is_written_before_any_drive_is_complete(tmp_path: Path) -> None:
    """md starts a mirror as soon as one half is complete."""
    states = every_moment(tmp_path, TWO, (), [commit], keep)
    assert all(states[-1].is_new(number) for number in (0, 1))
    half = 0
    for drives in states:
        for complete, other in ((0, 1), (1, 0)):
            if drives.is_new(complete):
                assert all(drives.shows(other, block) for block in (9, 8))
                half += not drives.is_new(other)
    assert half, "no state had one drive complete and the other one not"


def test_undo_erases_visible_signatures_before_content(tmp_path: Path) -> None:
    """Undo two new drives. One has a block that is the same before and after, like a protective MBR. On
    the other, old signatures overlap new content."""
    shape: Shape = (((2, 1), (9, 0, 1)), ((12, 7), (9, 1)))
    states = every_moment(tmp_path, shape, [(0, 2)], [commit, keep], undo)
    assert all(states[-1].is_old(number) for number in (0, 1))
    for drives in states:
        if drives.shows(1, 1):
            assert drives.shows(1, 12) and drives.shows(1, 7), "content is missing behind a visible signature"


@pytest.mark.parametrize("way", [keep, undo])
def test_signature_in_the_drive_cache_of_a_killed_program_lasts(tmp_path: Path, way: Act) -> None:
    """The cached signature reads correctly, but a power cut would erase the change."""
    moments = every_moment(tmp_path / "cut", TWO, (), [commit], way)
    for number in range(len(moments) - 1):
        drives = Drives(tmp_path / f"{number:04}-x", TWO, power=Killing())
        assert drives.does(commit)
        with pytest.raises(Killed):
            drives.does(way, number)
        assert drives.does(way)
        record = load_record(drives.run)
        assert record is not None and record.phase is (Phase.RELEASED if way is keep else Phase.UNDONE)
        ended = drives.is_new if way is keep else drives.is_old
        assert ended(0) and ended(1), f"killed at moment {number}: the result is only in the cache"


def test_erased_signature_within_new_content_is_rewritten(tmp_path: Path) -> None:
    """The erased signature is within 4096 bytes of identical old and new content."""
    drives = Drives(tmp_path / "0001-x", (((24, 1), (9, 8, 1)),), [(0, block) for block in range(24, 32)])
    assert drives.does(commit) and drives.does(keep)
    assert drives.is_new(0)


ONE = (((2, 1), (9, 8, 1)),)
"""A drive with old marks in blocks 1 and 2, and new ones in 8, 9 and 1; 1 decides."""
USED = 5
"""A block that is no mark."""


def cut_before_noted(run: Path) -> Drives:
    """Return drives with all signatures written but not yet recorded, and with damaged old bytes."""
    drives = Drives(run / "0001-x", ONE)
    assert drives.does(commit) and drives.does(keep)
    record = load_record(drives.run)
    assert record is not None and record.phase is Phase.RELEASED and drives.is_new(0)
    save_record(drives.run, replace(record, phase=Phase.RELEASING))
    old_file(drives.run, 0).write_bytes(b"x" * SIZE)
    return drives


def test_content_used_since_is_unchanged(tmp_path: Path) -> None:
    drives = cut_before_noted(tmp_path)
    theirs = b"a file" * BLOCK
    for block in (1, USED):
        drives.drives[0].content[block * BLOCK : (block + 1) * BLOCK] = theirs[:BLOCK]
    assert drives.does(keep)
    record = load_record(drives.run)
    assert record is not None and record.phase is Phase.RELEASED
    for block in (1, USED):
        assert drives.drives[0].content[block * BLOCK : (block + 1) * BLOCK] == theirs[:BLOCK]


@pytest.mark.parametrize("cut", [True, False])
def test_unused_content_is_finished(tmp_path: Path, cut: bool) -> None:
    drives = cut_before_noted(tmp_path)
    if cut:
        for block in (8, 1):
            drives.drives[0].content[block * BLOCK : (block + 1) * BLOCK] = bytes(BLOCK)
    assert drives.does(keep)
    assert drives.is_new(0)


MARKS = [((1, 2), (3, 4)), ((5,), (6,))]


def told(drives: Drives, act: Callable[[Exchange, Progress], None]) -> list[float]:
    """Return the progress reported during an act."""
    heard: list[float] = []
    one = Exchange(drives.run, drives.drives)
    try:
        act(one, heard.append)
    finally:
        one.close()
    return heard


@pytest.mark.parametrize("acts", [("commit", "release"), ("commit", "undo"), ("commit", "release", "undo")])
def test_every_phase_reports_progress_to_its_end(tmp_path: Path, acts: tuple[str, ...]) -> None:
    """Reading for comparison counts as well, since it takes as long as writing."""
    drives = Drives(tmp_path / "run", MARKS)
    for name in acts:
        heard = told(drives, getattr(Exchange, name))
        assert heard == sorted(heard) and heard[0] < 0.3 and heard[-1] == 1.0, (name, heard)
        assert len(set(heard)) >= 4


def test_saving_the_old_bytes_reports_progress(tmp_path: Path) -> None:
    drives = Drives(tmp_path / "run", MARKS)
    heard: list[float] = []

    (tmp_path / "other" / FOLDER).mkdir(parents=True)
    with Store(old_file(tmp_path / "other", 0), make_bytes=SIZE) as old:
        kept(
            "/dev/sd0",
            drives.drives[0],
            PLACES,
            lambda start, size: bytes(size),
            old,
            (),
            (),
            blank=False,
            progress=heard.append,
        )
    assert heard == sorted(heard) and heard[0] <= 0.5 and heard[-1] == 1.0 and len(heard) >= 4


def test_unwritable_change_is_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the commit nor the undo can write one block of the drive."""
    drives = Drives(tmp_path / "0001-x", ONE)
    write, bad = VolatileDrive.write, 20 * BLOCK

    def failing(drive: VolatileDrive[bytearray], offset_bytes: int, data: bytes) -> None:
        if offset_bytes <= bad < offset_bytes + len(data):
            raise Failed("/dev/sdx could not be written.")
        write(drive, offset_bytes, data)

    monkeypatch.setattr(VolatileDrive, "write", failing)
    with pytest.raises(Failed, match="could not be written"):
        drives.does(commit)
    assert drives.drives[0].read(0, SIZE) != drives.old[0]
    assert drives.does(undo)
    record = load_record(drives.run)
    assert record is not None and record.phase is Phase.UNDONE
    assert drives.is_old(0)
