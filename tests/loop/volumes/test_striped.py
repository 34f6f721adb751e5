"""One Btrfs over several drives, from plan to mount: made, refused, killed, taken back. md and LVM are tried
in the lab's guests."""

import os
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.apply.test_interrupted import kill
from tests.loop.applying import (
    OLD_FSTAB,
    Work,
    diskwright,
    ended,
    fill,
    gate,
    old_gpt,
    said,
    spec,
    stand_in,
    story,
    touched,
    until,
)
from tests.loop.program import (
    MIB,
    PLANS,
    BadInput,
    Event,
    Mode,
    Plan,
    Refused,
    RunState,
    Stripe,
    keep,
    lock_drive,
    preflight,
    resume,
    start_run,
    state,
    undo,
)

BTRFS = Stripe("btrfs")


def planned(
    work: Work, make_drive: MakeDrive, *sizes: int, block_bytes: int = 512, place: Path | None = None
) -> Plan:
    """A Btrfs over new drives of these sizes in MiB."""
    drives = [make_drive(size * MIB, block_bytes) for size in sizes]
    return work.striped(drives, spec("btrfs", None, place), BTRFS)


@pytest.mark.parametrize(("sizes", "block_bytes"), [((256, 256), 512), ((256, 320, 256), 4096)])
def test_btrfs_over_several_drives_ends_mounted(
    work: Work, make_drive: MakeDrive, sizes: tuple[int, ...], block_bytes: int
) -> None:
    place = work.place("media")
    plan = planned(work, make_drive, *sizes, block_bytes=block_bytes, place=place)
    before = [work.bench.image_of(path).read_bytes() for path in plan.devices]
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    assert said(run, Event.VERIFIED) and not said(run, Event.NOT_VERIFIED)
    (volume,) = plan.volumes
    (place / "letter").write_bytes(os.urandom(3 * MIB))
    shown = tool("btrfs", "filesystem", "show", "--raw", volume.uuid)
    assert f"Total devices {len(sizes)} " in shown and all(f"path {path}p1" in shown for path in plan.devices)
    usage = tool("btrfs", "filesystem", "df", str(place))
    assert "Data, RAID0" in usage and "Metadata, RAID1" in usage
    for path in plan.devices:
        seen = dict(
            line.split("=", 1) for line in tool("blkid", "-p", "-o", "export", f"{path}p1").splitlines()
        )
        assert (seen["TYPE"], seen["UUID"], seen["LABEL"]) == ("btrfs", volume.uuid, volume.label)
    assert {int(Path(f"/sys/class/block/{Path(path).name}p1/size").read_text()) for path in plan.devices} == {
        plan.after.partitions[0].size_bytes // 512
    }
    assert work.fstab.read_text() == f"{OLD_FSTAB}\nUUID={volume.uuid} {place} btrfs noatime,nofail 0 0\n"
    tool("umount", str(place))
    for member, old in zip(plan.members, before, strict=True):
        tool("blockdev", "--flushbufs", member.drive.path)
        new = work.bench.image_of(member.drive.path).read_bytes()
        for (_, end), (begin, _) in pairwise(touched(replace(plan, drive=member.drive, after=member.after))):
            assert old[end:begin] == new[end:begin]


def test_command_requires_the_token_of_every_drive(work: Work, make_drive: MakeDrive) -> None:
    one, two = make_drive(256 * MIB), make_drive(256 * MIB)
    file = work.folder / "striped.json"
    made = diskwright(
        work, "plan", one, two, "--stripe", "btrfs", "--workload", "large-media", "-o", str(file)
    )
    assert made.returncode == 0, made.stderr
    assert "If any drive fails, everything on all drives is lost" in " ".join(made.stderr.split())
    plan = PLANS.read(file.read_text(), str(file))
    assert f"--confirm {plan.tokens[0]} --confirm {plan.tokens[1]}" in made.stderr
    before = [work.digest(path) for path in plan.devices]
    for tokens in (
        (plan.tokens[0],),
        (plan.tokens[1],),
        (plan.tokens[0], plan.tokens[0]),
        (*plan.tokens, "more"),
        (),
    ):
        words = [word for token in tokens for word in ("--confirm", token)]
        wrong = diskwright(work, "apply", str(file), *words, "--fstab", str(work.fstab))
        assert wrong.returncode == 3, tokens
    assert [work.digest(path) for path in plan.devices] == before and not work.runs.exists()
    dry = diskwright(work, "apply", str(file), "--dry-run", "--fstab", str(work.fstab))
    assert dry.returncode == 0, dry.stderr
    assert all(" ".join(argv) in dry.stdout for step in plan.steps for argv in step.commands)
    done = diskwright(
        work,
        "apply",
        str(file),
        "--confirm",
        plan.tokens[1],
        "--confirm",
        plan.tokens[0],
        "--fstab",
        str(work.fstab),
    )
    assert done.returncode == 0, done.stderr
    listed = diskwright(work, "status")
    assert f"{one}, {two}" in listed.stdout


@pytest.mark.parametrize("which", [0, 1])
def test_any_drive_can_prevent_the_run(work: Work, make_drive: MakeDrive, which: int) -> None:
    """Changed, mounted, locked or not allowed: whichever drive it is, none of them is written."""
    plan = planned(work, make_drive, 256, 256)
    path = plan.devices[which]
    before = [work.digest(other) for other in plan.devices]
    with pytest.raises(Refused, match="may not touch"):
        work.start(plan, replace(work.environment, only=frozenset({plan.devices[1 - which]})))
    with ExitStack() as held:
        held.callback(os.close, lock_drive(path))
        with pytest.raises(Refused, match=f"Another program has locked {path}"):
            work.start(plan)
    for other in plan.devices:
        os.close(lock_drive(other, wait_seconds=0))
    assert [work.digest(other) for other in plan.devices] == before
    old_gpt(path)
    before = [work.digest(other) for other in plan.devices]
    with pytest.raises(Refused, match=f"{path} differs from the plan"):
        work.start(plan)
    replacing = work.striped(plan.devices, spec("btrfs"), BTRFS, Mode.REPLACE)
    place = work.place("old")
    place.mkdir(parents=True)
    tool("mount", "-o", "ro", f"{path}p1", str(place))
    with pytest.raises(Refused, match=f"is mounted at {place}"):
        work.start(replacing)
    tool("umount", str(place))
    assert [work.digest(other) for other in plan.devices] == before


def test_plan_with_a_replaced_drive_is_refused(work: Work, make_drive: MakeDrive) -> None:
    plan, other = planned(work, make_drive, 256, 256), make_drive(256 * MIB)
    foreign = work.plan(other, spec("btrfs"))
    before = work.digest(other)
    for drive in (replace(plan.others[0].drive, path=other), foreign.drive):
        forged = replace(plan, others=(replace(plan.others[0], drive=drive),))
        with pytest.raises(BadInput, match="is inconsistent"):
            preflight(forged, *forged.tokens, journal_dir=work.runs, environment=work.environment)
    for index in range(len(plan.steps)):
        steps = (*plan.steps[:index], foreign.steps[index % len(foreign.steps)], *plan.steps[index + 1 :])
        with pytest.raises(BadInput, match="is inconsistent"):
            start_run(
                replace(plan, steps=steps), *plan.tokens, journal_dir=work.runs, environment=work.environment
            )
    assert work.digest(other) == before


def test_both_drives_wait_hidden_and_undo_is_bit_for_bit(work: Work, make_drive: MakeDrive) -> None:
    """Rehearsed on two stand-ins, and written under one record."""
    one, two = make_drive(256 * MIB), make_drive(256 * MIB, 4096)
    for drive in (one, two):
        fill(drive, work.bench)
    old_gpt(one)
    tool("mkfs.btrfs", "-q", "-f", two)
    place = work.place("media")
    plan = work.striped([one, two], spec("btrfs", None, place), BTRFS, Mode.REPLACE)
    before = [work.digest(path) for path in plan.devices]
    run, end = work.apply(plan, keep=False)
    assert end is RunState.WAITING, story(run)
    assert all(tool("wipefs", "--noheadings", path) == "" for path in plan.devices)
    undo(run)
    assert [work.digest(path) for path in plan.devices] == before
    run, end = work.apply(plan, keep=False)
    assert end is RunState.WAITING, story(run)
    keep(run)
    assert state(run) is RunState.KEPT and place.is_mount()
    (place / "letter").write_text("it is there to be written to")


def test_killed_run_with_its_volume_mounted_resumes(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The drive is in use then, by the run's own mount."""
    drive, place = make_drive(256 * MIB), work.place("media")
    opened = work.folder / "gate"
    real = gate("mount", opened).splitlines()
    script = "\n".join([real[-1].removeprefix("exec "), *real[:-1]])
    stand_in(
        work.folder / "bin",
        monkeypatch,
        "mount",
        f'case "$*" in *{place}*) ;; *) {real[-1]} ;; esac\n{script}',
    )
    run = work.start(work.plan(drive, spec("ext4", mount_point=place)))
    until(lambda: Path(f"{opened}.reached").exists() or state(run) is not RunState.RUNNING)
    kill(run)
    assert place.is_mount(), story(run)
    opened.touch()
    os.close(lock_drive(drive, wait_seconds=20))
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert place.is_mount()
