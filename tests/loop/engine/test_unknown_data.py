"""Unrecognised data on a drive: the run waits for a decision, and unread data is never discarded."""

import os
import re
from pathlib import Path

from tests.devices import MakeDrive
from tests.loop.applying import Work, diskwright, fill, old_gpt, spec, story
from tests.loop.program import GIB, MIB, Mode, RunState, Stripe
from wizard.apply.engine.changes import sample_of


def put(work: Work, drive: str, at: int, size: int) -> bytes:
    """Write random bytes to a test drive."""
    work.bench.own(drive)
    data = os.urandom(size)
    with Path(drive).open("r+b", buffering=0) as device:
        device.seek(at)
        device.write(data)
        os.fsync(device.fileno())
    return data


def held(work: Work, drive: str, at: int, size: int) -> bytes:
    """Return bytes from a drive's image file."""
    with work.bench.image_of(drive).open("rb") as image:
        image.seek(at)
        return image.read(size)


def between_samples(size: int) -> tuple[int, int]:
    """Return offset and size of a range between samples, in the middle of a drive."""
    first, second = sample_of(size, 512)[100:102]
    return first.end_bytes, second.start_bytes - first.end_bytes


def test_a_run_waits_for_a_decision(work: Work, make_drive: MakeDrive) -> None:
    drive, at = make_drive(200 * MIB), 60 * MIB
    data = put(work, drive, at, MIB)
    before = work.digest(drive)
    plan = work.plan(drive, spec("ext4", None, work.place("media")))
    run, now = work.apply(plan, keep=False)
    assert now is RunState.WAITING, story(run)
    assert held(work, drive, at, MIB) == data
    where = re.search(r"at byte (\d+)", story(run))
    assert where and at <= int(where[1]) < at + MIB, story(run)
    assert diskwright(work, "undo", run.name).returncode == 0
    assert work.digest(drive) == before


def test_data_between_the_samples_is_not_discarded(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(GIB)
    at, size = between_samples(GIB)
    data = put(work, drive, at, size)
    run, now = work.apply(work.plan(drive, spec("ext4", None, work.place("media"))), keep=False)
    assert now is RunState.DONE, story(run)
    assert held(work, drive, at, size) == data


def test_empty_drive_next_to_a_used_one_is_not_discarded(work: Work, make_drive: MakeDrive) -> None:
    empty, used = make_drive(GIB), make_drive(GIB)
    old_gpt(used)
    at, size = between_samples(GIB)
    data = put(work, empty, at, size)
    plan = work.striped([empty, used], spec("btrfs"), Stripe("btrfs", level="raid1"), Mode.REPLACE)
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    assert f"free space in the new volumes on {used}." in story(run) and held(work, empty, at, size) == data


def test_only_new_volumes_are_discarded(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(200 * MIB)
    fill(drive, work.bench)
    inside, outside = 60 * MIB, 150 * MIB
    free = held(work, drive, outside, 20 * MIB)
    run, now = work.apply(work.plan(drive, spec("ext4", 128 * MIB), mode=Mode.REPLACE))
    assert now is RunState.DONE, story(run)
    assert held(work, drive, inside, MIB) == bytes(MIB)
    assert held(work, drive, outside, 20 * MIB) == free != bytes(20 * MIB)
