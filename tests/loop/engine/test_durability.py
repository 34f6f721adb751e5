"""Data reported as written is durable: on drives, by the kernel's count of flushes; saved bytes of a
rehearsal, by the system calls."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devices import Bench, MakeDrive, tool
from tests.lasting import LastingFolder, watch
from tests.loop.applying import Work, fill, spec
from tests.loop.program import MIB, Journal, Mode
from tests.made_runs import new_run
from wizard.apply.block.devices import write_bytes
from wizard.apply.block.extents import HeldDrive
from wizard.apply.engine.stores import notice_file, old_file
from wizard.apply.plan.rehearse import rehearse
from wizard.apply.run.job import RunWork
from wizard.apply.run.process import Purpose
from wizard.apply.run.progress_log import FILE

DATA = bytes(range(256)) * 16
FLUSHES = 15
"""Where a device's stat has the number of flushes that it was asked for (Linux,
Documentation/admin-guide/iostats.rst)."""


def flushes(drive: str) -> int:
    """Return the number of cache flushes since the drive was attached."""
    return int(Path("/sys/block", Path(drive).name, "stat").read_text().split()[FLUSHES])


def by_itself(drive: str) -> None:
    write_bytes(drive, MIB, DATA)


def flushed_held(drive: str) -> None:
    held = HeldDrive(drive)
    held.write(MIB, DATA)
    held.flush()
    held.close()


@pytest.mark.parametrize("write", [by_itself, flushed_held])
def test_drive_is_flushed_after_writes(
    bench: Bench, make_drive: MakeDrive, write: Callable[[str], None]
) -> None:
    drive = make_drive(8 * MIB)
    bench.own(drive)
    cache = Path("/sys/block", Path(drive).name, "queue/write_cache").read_text().strip()
    assert cache == "write back", "without a cache the kernel has nothing to flush, and the test says nothing"
    before = flushes(drive)
    write(drive)
    assert flushes(drive) > before
    assert bench.image_of(drive).read_bytes()[MIB:][: len(DATA)] == DATA


def test_rehearsed_data_is_durable_before_the_drive_is_written(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that old bytes, including those replaced by the notice, new bytes and the notice are durable."""
    drive = make_drive(40 * MIB)
    fill(drive, work.bench)
    tool("mkfs.ext4", "-q", "-F", "-E", "nodiscard", drive)
    plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
    work.runs.mkdir(mode=0o700)
    run = new_run(work.runs, plan, work.environment)
    before = work.digest(drive)
    lasting, journal = LastingFolder(run), Journal(run)
    try:
        with monkeypatch.context() as patched:
            watch(patched, lasting, lambda _name, _given: None)
            record = rehearse(plan, RunWork(run, Purpose.APPLY, journal, ()), work.environment)
        assert work.digest(drive) == before
        states = list(lasting.states())
    finally:
        journal.close()
        lasting.close()
    # How far it is, is told to whoever watches, and need not outlive a power cut.
    kept = [{name: held for name, held in state.items() if name != FILE} for state in states]
    assert kept.count(kept[0]) == len(kept), "the power can still take away a part of what is kept"
    (change,) = record.changes
    assert change.notice is not None and notice_file(run, 0).exists()
    old = states[0][os.path.relpath(old_file(run, 0), run)]
    assert any(old[change.notice.start_bytes : change.notice.end_bytes]), "the test has nothing to lose there"
    image = work.bench.image_of(drive).read_bytes()
    for place in change.places:
        assert old[place.start_bytes : place.end_bytes] == image[place.start_bytes : place.end_bytes]
