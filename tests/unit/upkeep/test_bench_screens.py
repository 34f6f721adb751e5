"""The basis of screen measurements: a machine of many recorded drives, and a program observed on a
terminal."""

import sys

import pytest

from tests.bench.crowd import COUNT, crowd
from tests.bench.screens import MINIMAL, MINIMAL_SHOWN, percentile_95
from tests.bench.terminal import Watched, showing
from wizard.probe.interpret import machine_of


def test_many_recorded_drives_make_one_machine() -> None:
    machine = machine_of(crowd())
    assert len({drive.path for drive in machine.drives}) == COUNT
    assert not any(drive.layers for drive in machine.drives)
    for drive in machine.drives:
        assert all(part.path.startswith(drive.path) for part in drive.partitions)
        # A partition that took its contents along under the new name has them.
        assert all(part.kernel_start_bytes is not None for part in drive.partitions if part.signatures)
    assert sum(bool(part.signatures) for drive in machine.drives for part in drive.partitions) > 20
    assert sum(bool(drive.uses) for drive in machine.drives) <= 1


def test_key_is_timed_until_the_screen_shows_its_effect() -> None:
    with Watched(MINIMAL) as watched:
        watched.when(showing(MINIMAL_SHOWN))
        before = watched.settle()
        assert watched.key(b"x", showing("1 keys")) > 0
        assert watched.key(b"x", showing("2 keys")) > 0
        assert len(watched.received) > before
        with pytest.raises(TimeoutError, match="ready to be read"):
            watched.when(showing("3 keys"), limit_seconds=0.2)


def test_ended_or_busy_program_causes_no_endless_wait() -> None:
    with Watched((sys.executable, "-c", "print('bye')")) as watched, pytest.raises(TimeoutError, match="bye"):
        watched.when(showing("hello"))
    busy = (sys.executable, "-c", "while True: print('more')")
    with Watched(busy) as watched, pytest.raises(TimeoutError, match="never came to rest"):
        watched.settle(limit_seconds=0.2)


def test_95th_percentile_is_between_the_slowest_and_the_rest() -> None:
    assert 0.01 <= percentile_95([0.01] * 95 + [1.0] * 5) < 1.0
    assert percentile_95([0.01] * 90 + [1.0] * 10) == 1.0
