"""Whole runs with two drives, two volumes and three logical partitions: all are treated like the first."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, ended, fill, old_gpt, spec, story
from tests.loop.program import (
    MIB,
    Failed,
    Mode,
    Phase,
    Plan,
    Refused,
    RunState,
    Stripe,
    keep,
    load_record,
    preflight,
    undo,
)
from wizard.model.layout import Writer

LOGICAL = """label: dos
start=1MiB, size=8MiB, type=83
start=9MiB, size=30MiB, type=5
start=10MiB, size=8MiB, type=83
start=19MiB, size=8MiB, type=83
start=28MiB, size=8MiB, type=83
"""


def check(work: Work, plan: Plan, tokens: tuple[str, ...] | None = None) -> None:
    given = plan.tokens if tokens is None else tokens
    preflight(plan, *given, journal_dir=work.runs, environment=work.environment)


@contextmanager
def written(work: Work, drive: str, byte: int) -> Iterator[None]:
    """Write a block to a drive like another program, and restore it at the end."""
    work.bench.own(drive)
    with Path(drive).open("r+b", buffering=0) as device:
        old = os.pread(device.fileno(), 4096, byte)
        os.pwrite(device.fileno(), os.urandom(4096), byte)
        os.fsync(device.fileno())
        yield
        os.pwrite(device.fileno(), old, byte)
        os.fsync(device.fileno())


def test_two_drives(work: Work, make_drive: MakeDrive) -> None:
    drives = make_drive(160 * MIB), make_drive(192 * MIB)
    for drive in drives:
        fill(drive, work.bench, every=16)
        old_gpt(drive)
    before = [work.digest(drive) for drive in drives]

    def planned() -> Plan:
        asked = Stripe("btrfs", level="raid1")
        return work.striped(drives, spec("btrfs", None, work.place("media")), asked, Mode.REPLACE)

    plan = planned()
    first, second = plan.tokens
    for tokens in ((), (first,), (second,), (first, first), (second, second), (first, second, first)):
        with pytest.raises(Refused):
            check(work, plan, tokens)
    check(work, plan, (second, first))
    for drive in drives:
        held = plan
        tool("tune2fs", "-L", "theirs", f"{drive}p1")
        with pytest.raises(Refused):
            check(work, held)
        tool("tune2fs", "-L", "old", f"{drive}p1")
        plan = planned()
    before = [work.digest(drive) for drive in drives]

    run, end = work.apply(plan, keep=False)
    assert end is RunState.WAITING, story(run)
    record = load_record(run)
    assert record is not None
    for drive, change in zip(drives, record.changes, strict=True):
        theirs = max(change.places, key=lambda place: place.size_bytes)
        assert tool("sh", "-c", f"blkid --probe -o value -s TYPE {drive} || true") == "", "it is hidden"
        with written(work, drive, theirs.end_bytes - 4096), pytest.raises((Refused, Failed)):
            keep(run)
        now = load_record(run)
        assert now is not None and now.phase is Phase.HIDDEN
    undo(run)
    assert [work.digest(drive) for drive in drives] == before

    run, end = work.apply(planned(), keep=False)
    assert end is RunState.WAITING, story(run)
    keep(run)
    shown = tool("btrfs", "filesystem", "show", str(work.place("media")))
    assert all(f"path {drive}p1" in shown for drive in drives) and "Total devices 2" in shown


def test_two_volumes_next_to_three_logical_partitions(
    plain_folder: Path, work: Work, make_drive: MakeDrive
) -> None:
    drive = make_drive(104 * MIB)
    fill(drive, work.bench)
    tool("sh", "-c", f"printf '{LOGICAL}' | sfdisk --quiet --no-reread --wipe always {drive} || true")
    tool("partx", "--add", drive)
    kept = {5: "five", 6: "six", 7: "seven"}
    for number, label in kept.items():
        tool("mkfs.ext4", "-q", "-L", label, f"{drive}p{number}")
    before = work.digest(drive)
    inside = {number: Path(f"{drive}p{number}").read_bytes() for number in (1, *kept)}
    specs = [
        replace(
            spec("ext4", size, plain_folder / name),
            label=name,
            writer=Writer("person", name, uid, uid + 1),
        )
        for name, size, uid in (("one", 24 * MIB, 1234), ("two", None, 2345))
    ]
    plan = work.plan(drive, *specs, mode=Mode.USE_FREE)
    run, end = work.apply(plan, keep=False)
    assert end is RunState.WAITING, story(run)
    undo(run)
    assert work.digest(drive) == before

    run = work.start(work.plan(drive, *specs, mode=Mode.USE_FREE), keep=True)
    assert ended(run) is RunState.DONE, story(run)
    tool("blockdev", "--flushbufs", drive)
    assert {number: Path(f"{drive}p{number}").read_bytes() for number in (1, *kept)} == inside
    lines = work.fstab.read_text().splitlines()
    for (name, uid), volume in zip((("one", 1234), ("two", 2345)), plan.volumes, strict=True):
        place = plain_folder / name
        assert place.is_mount() and place.stat().st_uid == uid and place.stat().st_gid == uid + 1
        assert tool("findmnt", "-no", "LABEL", str(place)).strip() == name
        assert sum(str(place) in line for line in lines) == 1, volume.path
