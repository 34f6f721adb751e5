"""Whole runs from a plan to mounted filesystems, checked with other tools than the tools that created
them."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import (
    GPT_DATA,
    OLD_FSTAB,
    Work,
    diskwright,
    fill,
    old_gpt,
    said,
    spec,
    story,
    touched,
)
from tests.loop.program import MIB, PLANS, Event, Mode, RunState
from tests.loop.runs.published import kept_schemas


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_three_volumes_end_mounted_as_planned(work: Work, make_drive: MakeDrive, block_bytes: int) -> None:
    drive = make_drive(1536 * MIB, block_bytes)
    plan = work.plan(
        drive,
        spec("ext4", 200 * MIB, work.place("small"), ("noatime", "commit=30")),
        spec("xfs", 400 * MIB, work.place("large"), ("noatime", "logbsize=256k")),
        spec("btrfs", None, work.place("root"), ("noatime", "compress=zstd:1", "discard=async")),
    )
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    assert said(run, Event.VERIFIED) and not said(run, Event.NOT_VERIFIED)
    assert kept_schemas(run.parent) >= {"plan", "run", "rehearsed", "journal-entry", "facts"}

    table = json.loads(tool("sfdisk", "--json", drive))["partitiontable"]
    slots = plan.after.partitions
    assert table["label"] == "gpt"
    assert [(part["start"] * block_bytes, part["size"] * block_bytes) for part in table["partitions"]] == [
        (slot.start_bytes, slot.size_bytes) for slot in slots
    ]
    assert {part["type"].lower() for part in table["partitions"]} == {GPT_DATA}
    assert [part.get("attrs") for part in table["partitions"]] == [None] * 3
    for volume in plan.volumes:
        seen = dict(
            line.split("=", 1) for line in tool("blkid", "-p", "-o", "export", volume.path).splitlines()
        )
        assert (seen["TYPE"], seen["UUID"], seen["LABEL"]) == (volume.filesystem, volume.uuid, volume.label)
        place = str(volume.mount_point)
        shown = tool("findmnt", "--noheadings", "--output", "SOURCE,FSTYPE", "--mountpoint", place).split()
        assert [shown[0].partition("[")[0], shown[1]] == [volume.path, volume.filesystem]
        (Path(place) / "a file").write_text("written by the person it was made for")

    lines = work.fstab.read_text().splitlines()
    assert lines[:2] == OLD_FSTAB.splitlines()
    assert [line.split()[:2] for line in lines[2:]] == [
        [f"UUID={volume.uuid}", volume.mount_point] for volume in plan.volumes
    ]
    assert all("nofail" in line.split()[3].split(",") for line in lines[2:])
    assert work.fstab.stat().st_mode & 0o777 == 0o640
    kept = list(work.folder.glob("fstab.diskwright-*"))
    assert [path.read_text() for path in kept] == [OLD_FSTAB]


@pytest.mark.parametrize("label", ["gpt", "dos"])
@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_free_space_is_used_and_other_bytes_stay(
    work: Work, make_drive: MakeDrive, block_bytes: int, label: str
) -> None:
    drive = make_drive(128 * MIB, block_bytes)
    fill(drive, work.bench)
    # The first partition lies where old tools put it, just behind the table and off every boundary.
    first = 34 * 512 // block_bytes + 2
    head = f"label: {label}\n" + (f"first-lba: {first}\n" if label == "gpt" else "")
    script = (
        f"{head}start={first},size={8 * MIB // block_bytes}\n"
        f"start={100 * MIB // block_bytes},size={4 * MIB // block_bytes}\n"
    )
    tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --no-reread --wipe always {drive} || true")
    tool("partx", "--update", drive)
    tool("mkfs.ext4", "-q", f"{drive}p1")
    tool("blockdev", "--flushbufs", drive)
    plan = work.plan(drive, spec("ext4", 32 * MIB), mode=Mode.USE_FREE)
    before = work.bench.image_of(drive).read_bytes()
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    tool("blockdev", "--flushbufs", drive)
    after = work.bench.image_of(drive).read_bytes()
    kept = [slot for slot in plan.after.partitions if slot.kept]
    assert len(kept) == 2
    places = touched(plan)
    for (_, end), (begin, _) in pairwise(places):
        assert before[end:begin] == after[end:begin], f"bytes between {end} and {begin} changed"
    for slot in kept:
        assert before[slot.start_bytes : slot.end_bytes] == after[slot.start_bytes : slot.end_bytes]
    new = next(slot for slot in plan.after.partitions if not slot.kept)
    if label == "dos":
        line = range(446 + 16 * (new.number - 1), 446 + 16 * new.number)
        assert [at for at in range(512) if before[at] != after[at] and at not in line] == []
    assert tool("blkid", "-p", "-o", "value", "-s", "UUID", f"{drive}p{new.number}").strip() == new.uuid


def test_old_signatures_do_not_survive(work: Work, make_drive: MakeDrive) -> None:
    """Check that signatures of a whole-drive btrfs and of a RAID member at the end do not survive a new
    GPT."""
    drive = make_drive(256 * MIB)
    tool("mkfs.btrfs", "-q", "-f", drive)
    plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
    assert plan.before.signatures == ("btrfs",)
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    assert "btrfs" not in tool("wipefs", "--no-act", "--json", drive)


def test_apply_shows_commands_and_checks_everything(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    plan = work.plan(drive, spec("ext4", None, work.place("media")), mode=Mode.REPLACE)
    file = work.folder / "plan.json"
    file.write_text(PLANS.render(plan))
    before = work.digest(drive)

    dry = diskwright(work, "apply", str(file), "--dry-run", "--fstab", str(work.fstab))
    assert dry.returncode == 0, dry.stderr
    assert all(" ".join(argv) in dry.stdout for step in plan.steps for argv in step.commands)
    assert "Nothing was written" in dry.stderr
    asked = diskwright(work, "apply", str(file), "--fstab", str(work.fstab))
    assert (asked.returncode, asked.stdout) == (3, "")
    assert f"--confirm {plan.drive.token}" in asked.stderr
    wrong = diskwright(
        work, "apply", str(file), "--confirm", plan.drive.token + "x", "--fstab", str(work.fstab)
    )
    assert wrong.returncode == 3
    assert work.digest(drive) == before
    assert work.fstab.read_text() == OLD_FSTAB
    assert not work.runs.exists()

    token = ("--confirm", plan.drive.token, "--keep")
    done = diskwright(work, "apply", str(file), *token, "--fstab", str(work.fstab))
    assert done.returncode == 0, done.stderr
    assert 'ext4 "old"' in done.stderr, "the loss is not named"
    shown = [str(step.sentence).replace("/etc/fstab", str(work.fstab)) for step in plan.steps]
    assert all(sentence in done.stderr for sentence in shown)
    assert done.stdout.count("passed ") == len(done.stdout.splitlines()) >= 7
    assert "Traceback" not in done.stdout + done.stderr

    listed = json.loads(diskwright(work, "status", "--json").stdout)
    assert listed["schema"] == "diskwright.runs/2"
    assert [(row["state"], row["drive"], row["steps_done"]) for row in listed["runs"]] == [
        ("done", drive, len(plan.steps))
    ]
    refused = diskwright(work, "undo", next(work.runs.glob("0*")).name)
    assert refused.returncode == 3
    assert "Undo is no longer possible" in refused.stderr
