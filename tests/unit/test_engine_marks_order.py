"""In which order marks come and go, on drives in memory whose power goes at every moment, or whose program is
killed there."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.exchanging import Power, PowerCut, VolatileDrive
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.record import Change, Mark, Phase, Record, load_record, save_record
from wizard.apply.engine.stores import FOLDER, Store, barred, digest_of, new_file, old_file
from wizard.model.machine import Extent
from wizard.model.units import KIB

SIZE, BLOCK = 16 * KIB, 512
PLACES = (Extent(0, SIZE),)

Act = Callable[[Exchange], None]


def commit(one: Exchange) -> None:
    one.commit(lambda share: None)


def keep(one: Exchange) -> None:
    one.release()


def undo(one: Exchange) -> None:
    one.undo(lambda share: None)


class Killed(BaseException):
    """The program is gone."""


class Killing(Power):
    """Only the program goes: what it handed over is in the drive's cache."""

    def go(self) -> None:
        raise Killed


class Drives:
    """A run over drives that hold one pattern and are to hold another, with these blocks as marks, the one
    that decides last; the blocks `alike` hold the same before and after."""

    def __init__(
        self,
        run: Path,
        marks: Sequence[tuple[Sequence[int], Sequence[int]]],
        alike: Sequence[tuple[int, int]] = (),
        power: Power | None = None,
    ) -> None:
        self.run = run
        (run / FOLDER).mkdir(parents=True)
        self.old = [bytes([17 + number]) * SIZE for number in range(len(marks))]
        self.new = [bytes([117 + number]) * SIZE for number in range(len(marks))]
        for number, block in alike:
            place = slice(block * BLOCK, (block + 1) * BLOCK)
            new = bytearray(self.new[number])
            new[place] = self.old[number][place]
            self.new[number] = bytes(new)
        self.marks = marks
        changes = tuple(self._change(number) for number in range(len(marks)))
        save_record(run, Record(Phase.SAVED, changes))
        self.power = power or Power()
        self.drives = [
            VolatileDrive(bytearray(old), self.power, Random(f"{run.name} {number}"))
            for number, old in enumerate(self.old)
        ]

    def _change(self, number: int) -> Change:
        old_marks, new_marks = (tuple(Mark(at * BLOCK, BLOCK) for at in each) for each in self.marks[number])
        for file, data in (
            (old_file(self.run, number), self.old[number]),
            (new_file(self.run, number), self.new[number]),
        ):
            with Store(file, make_bytes=SIZE) as store:
                store.write(0, data)
        draft = Change(f"/dev/sd{number}", SIZE, PLACES, old_marks, new_marks, "", "", "", False)
        with Store(old_file(self.run, number)) as old, Store(new_file(self.run, number)) as new:
            return replace(
                draft,
                old_digest=digest_of(PLACES, old.read),
                new_digest=digest_of(PLACES, new.read),
                barred_digest=digest_of(PLACES, barred(draft, old.read, new.read, b"")),
            )

    def does(self, act: Act, goes_at: int | None = None) -> bool:
        """Whether it came to its end before the power went."""
        self.power.goes_at, self.power.moments = goes_at, 0
        one = Exchange(self.run, self.drives)
        try:
            act(one)
        except PowerCut:
            return False
        finally:
            one.close()
        return True

    def shows(self, number: int, block: int) -> bool:
        """Whether a block of a drive is on its medium as planned."""
        place = slice(block * BLOCK, (block + 1) * BLOCK)
        return bytes(self.drives[number].content[place]) == self.new[number][place]

    def is_new(self, number: int) -> bool:
        return bytes(self.drives[number].content) == self.new[number]

    def is_old(self, number: int) -> bool:
        return bytes(self.drives[number].content) == self.old[number]


Shape = Sequence[tuple[Sequence[int], Sequence[int]]]
TWO: Shape = (((2, 1), (9, 8, 1)), ((2, 1), (9, 8, 1)))
"""Two drives with a table, whose first block decides, and volumes before and after."""


def every_moment(
    folder: Path, shape: Shape, alike: Sequence[tuple[int, int]], before: Sequence[Act], act: Act
) -> list[Drives]:
    """The drives after the power went, at each moment of an act that follows those `before`."""
    found: list[Drives] = []
    while True:
        drives = Drives(folder / f"{len(found):04}-x", shape, alike)
        for earlier in before:
            assert drives.does(earlier)
        ended = drives.does(act, len(found))
        found.append(drives)
        if ended:
            return found


def test_no_drive_of_several_is_complete_before_all_others_lack_but_what_decides(tmp_path: Path) -> None:
    """md begins to work with one half of a mirror as soon as that half is complete."""
    states = every_moment(tmp_path, TWO, (), [commit], keep)
    assert all(states[-1].is_new(number) for number in (0, 1))
    half = 0
    for drives in states:
        for complete, other in ((0, 1), (1, 0)):
            if drives.is_new(complete):
                assert all(drives.shows(other, block) for block in (9, 8))
                half += not drives.is_new(other)
    assert half, "no state had one drive complete and the other one not"


def test_while_anything_new_shows_nothing_of_it_is_taken_away(tmp_path: Path) -> None:
    """The drives hold all that is new, and go back. One of them has a block that is the same before and
    after, as a protective MBR is: it tells nothing of what is there. On the other one, old marks lie in what
    is new."""
    shape: Shape = (((2, 1), (9, 0, 1)), ((12, 7), (9, 1)))
    states = every_moment(tmp_path, shape, [(0, 2)], [commit, keep], undo)
    assert all(states[-1].is_old(number) for number in (0, 1))
    for drives in states:
        if drives.shows(1, 1):
            assert drives.shows(1, 12) and drives.shows(1, 7), "it shows, and a part of it is gone"


@pytest.mark.parametrize("way", [keep, undo])
def test_a_mark_that_a_killed_program_left_in_the_drives_cache_lasts(tmp_path: Path, way: Act) -> None:
    """It reads as it should, but only until the power goes."""
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
