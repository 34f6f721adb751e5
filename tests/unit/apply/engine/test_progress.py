"""Progress of a run from 0 to 100 % while bytes are saved, written and compared."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.exchanged import PLACES, SIZE, Drives
from wizard.apply.engine.changes import kept
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.stores import FOLDER, Store, old_file
from wizard.apply.run.progress_log import Progress

Act = Callable[[Exchange, Progress], None]
MARKS = [((1, 2), (3, 4)), ((5,), (6,))]


def told(drives: Drives, act: Act) -> list[float]:
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
