"""Putting back: the whole drive is to the bit what it was, or nothing is put back at all."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.devices import MakeDrive, forget_partitions, tool
from tests.loop.applying import (
    OLD_FSTAB,
    SECONDS,
    Work,
    diskwright,
    ended,
    fill,
    gate,
    old_gpt,
    said,
    stand_in,
    story,
    until,
    wish,
)
from tests.loop.program import (
    MIB,
    Arrangement,
    Event,
    Failed,
    Mode,
    Plan,
    Refused,
    RunState,
    probe_drive,
    read_entries,
    request_stop,
    resume,
    state,
    undo,
)
from wizard.apply.block.devices import partition_nodes
from wizard.apply.run.process import UNDOING
from wizard.plan.planner import PLAIN

pytestmark = pytest.mark.usefixtures("direct")


def stopped_before_formatting(work: Work, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that stops when its table is written and the first filesystem is about to be made."""
    kinds = [step.operation.kind for step in plan.steps]
    wipes = kinds[: kinds.index("make-filesystem")].count("wipe-signatures")
    opened, count = work.folder / "gate", work.folder / "count"
    counting = (
        f'if [ "$1" = --all ]; then echo >> {count}; fi\n'
        f'if [ "$1" = --all ] && [ $(wc -l < {count}) = {wipes} ]; then :; else exec '
    )
    script = gate("wipefs", opened)
    real = script.splitlines()[-1].removeprefix("exec ")
    stand_in(work.folder / "bin", monkeypatch, "wipefs", f"{counting}{real}; fi\n{script}")
    run = work.start(plan)
    until(lambda: Path(f"{opened}.reached").exists() or state(run) is not RunState.RUNNING)
    request_stop(run)
    opened.touch()
    assert ended(run) is RunState.STOPPED, story(run)
    assert [entry.step for entry in said(run, Event.STEP_DONE)] == list(
        range(1, kinds.index("make-filesystem") + 1)
    )
    (work.folder / "bin/wipefs").unlink()
    return run


@pytest.mark.parametrize(
    ("block_bytes", "arrangement"), [(512, PLAIN), (4096, PLAIN), (4096, Arrangement("mbr"))]
)
def test_a_replaced_table_comes_back_to_the_bit(
    work: Work,
    make_drive: MakeDrive,
    monkeypatch: pytest.MonkeyPatch,
    block_bytes: int,
    arrangement: Arrangement,
) -> None:
    drive = make_drive(160 * MIB, block_bytes)
    fill(drive, work.bench)
    old_gpt(drive, "start=1MiB,size=8MiB,name=first\nstart=9MiB,size=128MiB,name=second\n")
    tool("mkfs.btrfs", "-q", "-f", f"{drive}p2")
    tool("blockdev", "--flushbufs", f"{drive}p2")
    plan = work.plan(
        drive, wish("ext4", None, work.place("media")), mode=Mode.REPLACE, arrangement=arrangement
    )
    before, content = work.digest(drive), probe_drive(drive).content_digest
    run = stopped_before_formatting(work, plan, monkeypatch)
    assert work.digest(drive) != before
    done = diskwright(work, "undo")
    assert done.returncode == 0, done.stderr
    assert "is restored byte for byte" in done.stderr
    assert state(run) is RunState.UNDONE
    assert work.digest(drive) == before
    after = probe_drive(drive)
    assert after.content_digest == content
    assert [(part.kernel_start_bytes, part.kernel_size_bytes) for part in after.partitions] == [
        (MIB, 8 * MIB),
        (9 * MIB, 128 * MIB),
    ]
    assert work.fstab.read_text() == OLD_FSTAB
    again = diskwright(work, "undo")
    assert (again.returncode, ", undone)" in again.stderr) == (3, True)
    assert work.digest(drive) == before


def test_a_drive_without_a_table_has_none_again(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(160 * MIB)
    tool("mkfs.btrfs", "-q", "-f", drive)
    plan = work.plan(drive, wish("ext4"), mode=Mode.REPLACE)
    before = work.digest(drive)
    undo(stopped_before_formatting(work, plan, monkeypatch))
    assert work.digest(drive) == before
    assert not list(Path(f"/sys/class/block/{Path(drive).name}").glob(f"{Path(drive).name}p*"))
    place = work.place("old")
    place.mkdir(parents=True)
    tool("mount", drive, str(place))
    tool("umount", str(place))


def test_an_old_gpt_whose_copy_lies_in_the_middle(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A drive that was grown: libparted clears the old copy's header where it lies, in the middle of the
    drive."""
    drive = make_drive(64 * MIB)
    old_gpt(drive)
    forget_partitions(drive)
    image = work.bench.image_of(drive)
    with image.open("r+b") as file:
        file.truncate(128 * MIB)
    tool("losetup", "--set-capacity", drive)
    tool("partx", "--update", drive)
    plan = work.plan(drive, wish("ext4"), mode=Mode.REPLACE)
    before = work.digest(drive)
    undo(stopped_before_formatting(work, plan, monkeypatch))
    assert work.digest(drive) == before


@pytest.mark.parametrize("label", ["gpt", "dos"])
def test_added_partitions_go_and_what_stayed_keeps_what_was_written_since(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, label: str
) -> None:
    """The partition that stays begins right behind the table, within the first MiB: its newer bytes must not
    be put back to older ones."""
    drive = make_drive(128 * MIB)
    fill(drive, work.bench)
    head = f"label: {label}\n" + ("first-lba: 34\n" if label == "gpt" else "")
    tool(
        "sh",
        "-c",
        f"printf '{head}start=36,size=8MiB\\n' | sfdisk --quiet --no-reread --wipe always {drive} || true",
    )
    tool("partx", "--update", drive)
    tool("mkfs.ext4", "-q", f"{drive}p1")
    plan = work.plan(drive, wish("ext4"), mode=Mode.USE_FREE)
    table = work.bench.image_of(drive).read_bytes()[: 34 * 512]
    run = stopped_before_formatting(work, plan, monkeypatch)
    place = work.place("kept")
    place.mkdir(parents=True)
    tool("mount", f"{drive}p1", str(place))
    (place / "letter").write_text("written after the run had stopped")
    tool("umount", str(place))
    undo(run)
    tool("blockdev", "--flushbufs", drive)
    assert work.bench.image_of(drive).read_bytes()[: 34 * 512] == table
    tool("e2fsck", "-fn", f"{drive}p1")
    tool("mount", f"{drive}p1", str(place))
    assert (place / "letter").read_text() == "written after the run had stopped"


def test_a_partition_that_somebody_looks_at_for_a_moment_is_waited_for(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As udev looks at every partition that appears: what the kernel believes is put right as soon as nobody
    has it open."""
    drive = make_drive(96 * MIB)
    before = work.digest(drive)
    run = stopped_before_formatting(work, work.plan(drive, wish("ext4")), monkeypatch)
    looking = os.open(f"{drive}p1", os.O_RDONLY)
    refused = work.folder / "refused"
    real = tool("sh", "-c", "PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v partx").strip()
    stand_in(work.folder / "bin", monkeypatch, "partx", f'{real} "$@" || {{ touch {refused}; exit 1; }}')
    with ThreadPoolExecutor() as threads:
        undone = threads.submit(undo, run)
        try:
            until(lambda: refused.exists() or undone.done())
        finally:
            os.close(looking)
        undone.result(SECONDS)
    assert refused.exists() and state(run) is RunState.UNDONE
    assert work.digest(drive) == before
    assert not partition_nodes(drive)


def test_what_others_changed_since_is_not_overwritten(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    plan = work.plan(drive, wish("ext4"), mode=Mode.REPLACE)
    run = stopped_before_formatting(work, plan, monkeypatch)
    tool("mkfs.ext4", "-q", "-F", "-L", "mine", f"{drive}p1")
    before = work.digest(drive)
    with pytest.raises(Refused, match="changed at byte"):
        undo(run)
    with pytest.raises(Refused, match="changed at byte"):
        resume(run)
    assert work.digest(drive) == before


def test_a_damaged_copy_is_not_put_back(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    plan = work.plan(drive, wish("ext4"), mode=Mode.REPLACE)
    run = stopped_before_formatting(work, plan, monkeypatch)
    saved = sorted((run / "saved").glob("*.bin"))[0]
    saved.write_bytes(b"Z" + saved.read_bytes()[1:])
    before = work.digest(drive)
    with pytest.raises(Failed, match="was changed or damaged"):
        undo(run)
    assert work.digest(drive) == before


def test_a_run_that_somebody_else_could_have_planted(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    plan = work.plan(drive, wish("ext4"))
    run = stopped_before_formatting(work, plan, monkeypatch)
    os.chown(run, 65534, 65534)
    before = work.digest(drive)
    for take_up in (resume, undo):
        with pytest.raises(Refused, match="is not exclusively root's"):
            take_up(run)
    assert work.digest(drive) == before


def test_a_killed_undo_is_done_again_and_only_that(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    before = work.digest(drive)
    plan = work.plan(drive, wish("ext4"), mode=Mode.REPLACE)
    run = stopped_before_formatting(work, plan, monkeypatch)
    stand_in(work.folder / "bin", monkeypatch, "partx", f"kill -9 $(cat {run}/pid); exit 1")
    with pytest.raises(Failed, match="Undoing was interrupted"):
        undo(run)
    (work.folder / "bin/partx").unlink()
    assert state(run) is RunState.INTERRUPTED and (run / UNDOING).exists()
    with pytest.raises(Refused, match=r"undo of run .* is unfinished"):
        resume(run)
    undo(run)
    assert work.digest(drive) == before
    assert read_entries(run)[-1].event is Event.UNDONE


def test_a_run_that_wrote_nothing_has_nothing_to_undo(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    plan = work.plan(drive, wish("ext4"))
    monkeypatch.setattr("wizard.apply.plan.guard.check_content", lambda *_, **__: None)
    tool("mkfs.ext4", "-q", "-F", drive)
    run, now = work.apply(plan)
    assert now is RunState.REFUSED
    with pytest.raises(Refused, match="made no changes to undo"):
        undo(run)
