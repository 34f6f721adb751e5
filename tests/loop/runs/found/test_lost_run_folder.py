"""Lost run folders with a waiting drive: the drive's notice identifies it, never as empty, and lets the
user finish the run."""

import json
import shutil
from pathlib import Path

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, fill, old_gpt, spec, story
from tests.loop.program import (
    GIB,
    MIB,
    Extent,
    Mode,
    Refused,
    RunState,
    Stripe,
    keep,
    load_record,
    probe_drive,
    state,
    undo,
)
from wizard.apply.plan.recover import found_on, make_found_run
from wizard.apply.run.runs import run_argument
from wizard.plan.text import losses


def waiting_run(work: Work, drive: str, filesystem: str = "ext4", mode: Mode = Mode.REPLACE) -> Path:
    """Return a waiting run on a full drive."""
    plan = work.plan(drive, spec(filesystem, 136 * MIB, work.place("media")), mode=mode)
    run, end = work.apply(plan, keep=False)
    assert end is RunState.WAITING, story(run)
    return run


def notice_on(run: Path) -> Extent:
    record = load_record(run)
    assert record is not None and record.changes[0].notice is not None
    return record.changes[0].notice


def finish(work: Work, drive: str) -> Path:
    """Keep the result with only the notice, and return the run."""
    work.bench.own(drive)
    found = found_on(drive)
    run = make_found_run(found, found.plan.tokens, work.folder / "other", work.environment)
    keep(run)
    assert state(run) is RunState.KEPT, story(run)
    return run


@pytest.fixture
def full(make_drive: MakeDrive, work: Work) -> str:
    drive = make_drive(400 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    return drive


@pytest.mark.parametrize(
    "filesystem", one_in(2, ["ext4", "xfs", "btrfs", "f2fs", "exfat", "ntfs", "vfat", "swap"])
)
def test_finish_without_the_run_folder_gives_the_same_result(
    work: Work, make_drive: MakeDrive, filesystem: str
) -> None:
    drive = make_drive(800 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    plan = work.plan(drive, spec(filesystem, options=()), mode=Mode.REPLACE)
    run, end = work.apply(plan, keep=False)
    assert end is RunState.WAITING, story(run)
    new = (run / "engine" / "new-0.img").read_bytes()
    record = load_record(run)
    assert record is not None
    shutil.rmtree(run)
    finish(work, drive)
    tool("blockdev", "--flushbufs", drive)
    now = work.bench.image_of(drive).read_bytes()
    for place in record.changes[0].places:
        span = slice(place.start_bytes, place.end_bytes)
        assert now[span] == new[span], f"byte {place.start_bytes} is not what was made"
    assert tool("blkid", "-p", "-o", "value", "-s", "TYPE", f"{drive}p1").strip() == filesystem


def test_waiting_drive_is_detected_and_not_called_empty(work: Work, full: str) -> None:
    run = waiting_run(work, full)
    shutil.rmtree(run)
    drive = probe_drive(full)
    assert drive.waiting is not None and drive.waiting.bare and drive.waiting.run == run_argument(run)
    assert not drive.signatures and not drive.partitions, "it looks empty"
    said = json.loads(diskwright(work, "inspect", full, "--json").stdout)
    assert "drive-waiting" in {finding["code"] for finding in said["drives"][0]["findings"]}
    # A long path is broken anywhere.
    shown = "".join(diskwright(work, "inspect", full).stdout.split())
    assert run.name in shown and f"keep--from-drive{full}" in shown
    planned = diskwright(work, "plan", full, "--workload", "large-media")
    assert planned.returncode == 3 and run.name in planned.stderr, planned.stderr
    added = diskwright(work, "plan", full, "--workload", "large-media", "--use-free")
    assert added.returncode == 3 and run.name in added.stderr, added.stderr
    scratched = diskwright(work, "bench", full, "--scratch", "--confirm", Path(full).name)
    assert scratched.returncode == 3 and run.name in scratched.stderr, scratched.stderr
    assert any(run.name in lost for lost in losses(work.plan(full, spec("ext4"), mode=Mode.REPLACE)))


def test_plan_made_before_the_waiting_result_is_refused(work: Work, make_drive: MakeDrive) -> None:
    """Check a plan made before the waiting result. The drive looks empty both times."""
    drive = make_drive(400 * MIB)
    fill(drive, work.bench)
    plan = work.plan(drive, spec("xfs"))
    run = waiting_run(work, drive)
    before = work.digest(drive)
    shutil.rmtree(run)
    with pytest.raises(Refused, match="differs from the plan: "):
        work.start(plan)
    assert work.digest(drive) == before


def test_command_shows_the_plan_and_writes_only_with_the_token(work: Work, full: str) -> None:
    run = waiting_run(work, full)
    place = notice_on(run)
    before = work.digest(full)
    here = diskwright(work, "keep", "--from-drive", full, "--confirm", Path(full).name)
    assert here.returncode == 3 and f"`diskwright undo {run}`" in " ".join(here.stderr.split()), here.stderr
    assert work.digest(full) == before
    shutil.rmtree(run)
    shown = diskwright(work, "keep", "--from-drive", full)
    assert shown.returncode == 3 and f"--confirm {Path(full).name}" in shown.stderr
    assert f"at byte {place.start_bytes}" in shown.stderr
    assert work.digest(full) == before
    old = work.bench.image_of(full).read_bytes()
    done = diskwright(work, "keep", "--from-drive", full, "--confirm", Path(full).name)
    assert done.returncode == 0, done.stderr
    assert "all checks passed" in done.stderr and "lost with the folder" in done.stderr
    tool("blockdev", "--flushbufs", full)
    now = work.bench.image_of(full).read_bytes()
    changed = [at for at in range(0, len(now), 512) if now[at : at + 512] != old[at : at + 512]]
    told = [
        (int(line.rpartition(" ")[2]), line.split(": ")[1].partition(" at ")[0])
        for line in shown.stderr.splitlines()
        if " at byte " in line
    ]
    units = {"KiB": 1024, "MiB": 1024**2}
    spans = [(at, at + int(size.split()[0]) * units.get(size.split()[1], 1)) for at, size in told]
    assert changed and all(any(start <= at < end for start, end in spans) for at in changed)
    assert not work.place("media").exists() and str(work.place("media")) not in work.fstab.read_text()
    assert probe_drive(full).waiting is None
    assert diskwright(work, "keep", "--from-drive", full, "--confirm", Path(full).name).returncode == 3


def test_drive_modified_since_is_not_finished(work: Work, full: str) -> None:
    run = waiting_run(work, full)
    record = load_record(run)
    assert record is not None
    change = record.changes[0]
    marked = {mark.start_bytes for mark in change.marks}
    place = next(
        one
        for one in change.places
        if one != change.notice and not any(one.start_bytes <= at < one.end_bytes for at in marked)
    )
    shutil.rmtree(run)
    work.bench.own(full)
    with Path(full).open("r+b", buffering=0) as device:
        device.seek(place.start_bytes)
        device.write(b"x" * 4096)
    before = work.digest(full)
    found = found_on(full)
    with pytest.raises(Refused, match="is incomplete or was modified"):
        make_found_run(found, found.plan.tokens, work.folder / "other", work.environment)
    assert work.digest(full) == before
    assert not [entry for entry in (work.folder / "other").glob("0*")]


def test_existing_run_folder_is_named(work: Work, full: str) -> None:
    run = waiting_run(work, full)
    found = found_on(full)
    with pytest.raises(Refused, match=run.name):
        make_found_run(found, found.plan.tokens, work.runs, work.environment)


def test_run_recreated_from_the_drive_cannot_be_undone(work: Work, full: str) -> None:
    shutil.rmtree(waiting_run(work, full))
    found = found_on(full)
    run = make_found_run(found, found.plan.tokens, work.folder / "other", work.environment)
    before = work.digest(full)
    with pytest.raises(Refused, match="lost with the folder"):
        undo(run)
    assert work.digest(full) == before
    keep(run)
    assert state(run) is RunState.KEPT, story(run)


def test_finish_next_to_preserved_partitions(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(GIB)
    fill(drive, work.bench)
    old_gpt(drive)
    run = waiting_run(work, drive, "ext4", Mode.USE_FREE)
    shutil.rmtree(run)
    seen = probe_drive(drive)
    assert seen.waiting is not None and seen.waiting.bare and len(seen.partitions) == 2
    finish(work, drive)
    assert tool("blkid", "-p", "-o", "value", "-s", "TYPE", f"{drive}p3").strip() == "ext4"
    assert tool("blkid", "-p", "-o", "value", "-s", "LABEL", f"{drive}p1").strip() == "old"


def test_two_drives_are_finished_together(work: Work, make_drive: MakeDrive) -> None:
    drives = [make_drive(400 * MIB) for _ in range(2)]
    for drive in drives:
        fill(drive, work.bench)
    old_gpt(drives[0])
    plan = work.striped(drives, spec("btrfs"), Stripe("btrfs"), Mode.REPLACE)
    run, end = work.apply(plan, keep=False)
    assert end is RunState.WAITING, story(run)
    shutil.rmtree(run)
    finish(work, drives[1])
    kinds = [tool("blkid", "-p", "-o", "value", "-s", "TYPE", f"{drive}p1").strip() for drive in drives]
    assert kinds == ["btrfs", "btrfs"]


def test_new_table_on_a_waiting_drive_is_reported_as_modified(work: Work, full: str) -> None:
    run = waiting_run(work, full)
    shutil.rmtree(run)
    work.bench.own(full)
    tool("sh", "-c", f"echo start=1MiB,size=8MiB | sfdisk --quiet --no-reread --wipe never {full} || true")
    waiting = probe_drive(full).waiting
    assert waiting is not None and not waiting.bare
    said = json.loads(diskwright(work, "inspect", full, "--json").stdout)
    codes = {finding["code"] for finding in said["drives"][0]["findings"]}
    assert "drive-left" in codes and "drive-waiting" not in codes
    with pytest.raises(Refused, match="the hidden blocks were modified"):
        found_on(full)


def test_waiting_drive_can_be_set_up_again_and_undone(work: Work, full: str) -> None:
    """Check that the new run ignores the old notice, and that undo restores it."""
    first = waiting_run(work, full)
    stale = notice_on(first)
    shutil.rmtree(first)
    before = work.digest(full)
    second = waiting_run(work, full, "btrfs")
    waiting = probe_drive(full).waiting
    assert waiting is not None and waiting.run == run_argument(second)
    with Path(full).open("rb") as device:
        device.seek(stale.start_bytes)
        assert b"DISKWRIGHT" not in device.read(4096) or notice_on(second).start_bytes == stale.start_bytes
    undo(second)
    assert work.digest(full) == before
    finish(work, full)
