"""How far e2fsck is, from what it says while it works; and what is counted of its last words."""

import os
import sys
from pathlib import Path
from queue import Queue

import pytest

from wizard.apply.growth import watched_growth
from wizard.apply.migrating_steps import Heed, share_of
from wizard.apply.migrating_verify import extent_share
from wizard.apply.progress import StepProgress
from wizard.tools.listening import Listener
from wizard.tools.run import run


def test_the_passes_add_up_and_never_go_back() -> None:
    told = [share_of(turn, done, 10) for turn in range(1, 6) for done in range(11)]
    assert told == sorted(told) and told[0] == 0.0 and told[-1] == 1.0
    assert share_of(1, 5, 10) == pytest.approx(0.35) and share_of(2, 0, 0) == pytest.approx(0.9)


def test_lines_on_progress_are_told_with_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 10.0, 10.1, 20.0])
    monkeypatch.setattr("wizard.apply.migrating_steps.monotonic", lambda: next(now))
    told: list[StepProgress] = []
    heed = Heed(told.append, 4)
    for line in ("1 5 10 /dev/sda1", "1 6 10 /dev/sda1", "no progress", "2 5 10 old films"):
        heed(line)
    assert [one.step for one in told] == [4, 4]
    assert [one.share for one in told] == pytest.approx([0.35, 0.8])
    assert [one.seconds_left for one in told] == pytest.approx([10 * 0.65 / 0.35, 5.0])


def test_a_command_is_heard_through_a_pipe_of_its_own(tmp_path: Path) -> None:
    lines: list[str] = []
    with Listener(lines.append) as listener:
        code = f"import os; os.write({listener.end}, b'1 2 3 x\\n4 5'); print('found'); os.write({listener.end}, b' 6 y')"
        done = run([sys.executable, "-I", "-c", code], seconds=60, keep_open=(listener.end,))
    assert lines == ["1 2 3 x", "4 5 6 y"] and done.output == "found\n"
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(listener.end)


def test_how_far_a_silent_program_is_by_its_undo_file(tmp_path: Path) -> None:
    heard: Queue[float] = Queue()
    with watched_growth(tmp_path, 1000, heard.put, 0.001):
        assert heard.get(timeout=60) == 0.0
        (tmp_path / "file.e2undo").write_bytes(bytes(250))
        while (share := heard.get(timeout=60)) == 0.0:
            pass
        assert share == 0.25
        (tmp_path / "file.e2undo").write_bytes(bytes(5000))
        while (share := heard.get(timeout=60)) == 0.25:
            pass
        assert share in (0.0, 0.99)


SAID = """
             # of inodes with ind/dind/tind blocks: 0/0/0
             Extent depth histogram: {depths}
        1201 regular files
           {folders}
           0 links
           {links}
"""


@pytest.mark.parametrize(
    ("depths", "folders", "links", "share"),
    [
        ("1230/3", "32 directories", "0 symbolic links (0 fast symbolic links)", (1233, 1233)),
        ("1200/3", "1 directory", "2 symbolic links (1 fast symbolic link)", (1203, 1203)),
        ("1200", "2 directories", "0 symbolic links (0 fast symbolic links)", (1200, 1203)),
    ],
)
def test_the_share_of_files_that_are_mapped_by_extents(depths: str, folders: str, links: str, share: tuple[int, int]) -> None:
    assert extent_share(SAID.format(depths=depths, folders=folders, links=links)) == share


def test_without_extents_nothing_is_mapped_by_them() -> None:
    said = "1201 regular files\n 2 directories\n 0 symbolic links (0 fast symbolic links)"
    assert extent_share(said) == (0, 1203)
