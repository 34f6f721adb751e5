"""Work shared among processes: every portion is processed, and one error ends all processes."""

import os
import signal
from pathlib import Path

import pytest
from psutil import Process

from wizard.apply.tree.manifest import share_out
from wizard.model.errors import Failed


@pytest.mark.parametrize("count", [0, 1, 17, 20_000])
@pytest.mark.parametrize("workers", [1, 3])
def test_every_piece_is_done_once(count: int, workers: int) -> None:
    assert sorted(share_out(range(count), workers, lambda piece: piece)) == list(range(count))


def test_failure_of_one_worker_ends_the_others() -> None:
    def fail(piece: int) -> None:
        if piece == 100:
            raise Failed("/a\udcff cannot be read")
        if piece > 100:
            signal.pause()

    before = Process().children()
    with pytest.raises(Failed, match="/a\udcff cannot be read"):
        list(share_out(range(200), 2, fail))
    assert Process().children() == before


def test_killed_worker_is_noticed() -> None:
    with pytest.raises(Failed, match="ended unexpectedly"):
        list(share_out([1], 2, lambda _piece: os.kill(os.getpid(), signal.SIGKILL)))


def fail_by_mistake(_piece: int) -> None:
    raise ZeroDivisionError


def test_workers_run_no_code_of_the_parent(tmp_path: Path) -> None:
    try:
        with pytest.raises(Failed, match="ended unexpectedly"):
            list(share_out([1], 1, fail_by_mistake))
    finally:
        with (tmp_path / "ends").open("a") as file:
            file.write(f"{os.getpid()}\n")
    assert (tmp_path / "ends").read_text() == f"{os.getpid()}\n"
