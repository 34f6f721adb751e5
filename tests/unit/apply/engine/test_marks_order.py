"""The order of writing and erasing signatures, with a power cut or a killed program at every write."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.exchanged import Act, Drives, commit, keep, undo
from tests.exchanging import Power
from wizard.apply.engine.record import Phase, load_record


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
            assert drives.shows(1, 12) and drives.shows(1, 7), "it shows, and a part of it is gone"


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
        assert ended(0) and ended(1), f"killed at moment {number}: what is said to be there is in a cache"


def test_erased_signature_within_new_content_is_rewritten(tmp_path: Path) -> None:
    """The erased signature is within 4096 bytes of identical old and new content."""
    drives = Drives(tmp_path / "0001-x", (((24, 1), (9, 8, 1)),), [(0, block) for block in range(24, 32)])
    assert drives.does(commit) and drives.does(keep)
    assert drives.is_new(0)
