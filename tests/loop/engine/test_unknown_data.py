"""Data on a drive on which nothing is recognised: a run waits for a decision, and what nobody read is never
discarded."""

import os
import re
from pathlib import Path

from tests.devices import MakeDrive
from tests.loop.applying import Work, diskwright, story, wish
from wizard.apply.engine.discard import sample_of
from wizard.apply.run.journal import RunState
from wizard.model.units import MIB


def put(work: Work, drive: str, at: int, size: int) -> bytes:
    """Write random bytes to a drive that the test made."""
    work.bench.own(drive)
    data = os.urandom(size)
    with Path(drive).open("r+b", buffering=0) as device:
        device.seek(at)
        device.write(data)
        os.fsync(device.fileno())
    return data


def held(work: Work, drive: str, at: int, size: int) -> bytes:
    """The bytes in the image file of a drive."""
    with work.bench.image_of(drive).open("rb") as image:
        image.seek(at)
        return image.read(size)


def test_a_run_waits_for_a_decision(work: Work, make_drive: MakeDrive) -> None:
    drive, at = make_drive(200 * MIB), 60 * MIB
    data = put(work, drive, at, MIB)
    before = work.digest(drive)
    plan = work.plan(drive, wish("ext4", None, work.place("media")))
    run, now = work.apply(plan, keep=False)
    assert now is RunState.WAITING, story(run)
    assert held(work, drive, at, MIB) == data
    where = re.search(r"at byte (\d+)", story(run))
    assert where and at <= int(where[1]) < at + MIB, story(run)
    assert diskwright(work, "undo", run.name).returncode == 0
    assert work.digest(drive) == before


def test_what_the_sample_missed_is_still_there(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(1024 * MIB)
    first, second = sample_of(1024 * MIB, 512)[100:102]
    at, size = first.end_bytes, second.start_bytes - first.end_bytes
    data = put(work, drive, at, size)
    run, now = work.apply(work.plan(drive, wish("ext4", None, work.place("media"))), keep=False)
    assert now is RunState.DONE, story(run)
    assert held(work, drive, at, size) == data
