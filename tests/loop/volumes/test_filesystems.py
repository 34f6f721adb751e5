"""Each filesystem made on a real partition: its planned UUID and label, its type in the table, its own check,
and its way into use."""

import os
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, ended, said, spec, stand_in, story
from tests.loop.program import (
    MIB,
    Event,
    Mode,
    RunState,
    Volume,
    VolumeSpec,
    probe_machine,
    read_entries,
    resume,
)
from wizard.advice.missing import obstacles
from wizard.filesystems.kind import MadeKind
from wizard.filesystems.registry import MADE
from wizard.model.layout import NO_PLACE
from wizard.process.program import find

SIZE = 288 * MIB
"""Enough for any of them."""
USED_ELSEWHERE = ("ext4", "xfs", "btrfs")
"""Made by most tests of applying."""
KINDS = {name: kind for name, kind in MADE.items() if name not in USED_ELSEWHERE}


@pytest.fixture
def kinds() -> tuple[MadeKind, ...]:
    """Those whose programs are here; in CI all must be. mkfs.nilfs2 looks into /etc/mtab, which a system has
    that was ever started."""
    missing = {program for kind in KINDS.values() for program in kind.programs if find(program) is None}
    if missing and os.environ.get("CI"):
        pytest.fail(f"not installed: {', '.join(sorted(missing))}")
    without = {"nilfs2"} if not Path("/etc/mtab").exists() else set()
    return tuple(
        kind
        for name, kind in KINDS.items()
        if name not in without and not missing.intersection(kind.programs)
    )


def kernel_has(kind: MadeKind) -> bool:
    return bool(probe_machine([]).kernel.filesystems.intersection(kind.kernel_names))


def blkid(device: str, what: str) -> str:
    """What the blkid of util-linux says, which is none of our own code."""
    return tool("blkid", "--probe", "--output", "value", "--match-tag", what, device).strip()


def wished(kind: MadeKind, work: Work, size: int = SIZE) -> VolumeSpec:
    """A volume that is put to use where the kernel can do that."""
    place = work.place(kind.name) if kernel_has(kind) else None if kind.mounts else Path(NO_PLACE)
    return spec(kind.name, size, place, options=("noatime",) if place and kind.mounts else ())


def is_swapped_to(device: str) -> bool:
    return device in Path("/proc/swaps").read_text().split()


def check_made(volume: Volume, work: Work) -> None:
    kind = MADE[volume.filesystem]
    found = {what: blkid(volume.path, what) for what in ("TYPE", "UUID", "LABEL", "PART_ENTRY_TYPE")}
    assert found == {
        "TYPE": kind.name,
        "UUID": volume.uuid,
        "LABEL": volume.label,
        "PART_ENTRY_TYPE": kind.gpt_type,
    }
    lines = [line for line in work.fstab.read_text().splitlines() if line.startswith(f"UUID={volume.uuid} ")]
    if volume.mount_point is None:
        assert lines == []
    elif kind.mounts:
        assert lines == [
            f"UUID={volume.uuid} {volume.mount_point} {kind.kernel_names[0]} noatime,nofail 0 "
            f"{kind.fsck_pass}"
        ]
        assert Path(volume.mount_point).is_mount()
    else:
        assert lines == [f"UUID={volume.uuid} none swap sw,nofail 0 0"]
        assert is_swapped_to(volume.path)


@pytest.mark.parametrize("block", [512, 4096])
def test_each_filesystem_is_created_and_used_as_planned(
    block: int, kinds: tuple[MadeKind, ...], make_drive: MakeDrive, work: Work
) -> None:
    # Those with a serial number reckon in the drive's own blocks; the others always in 4096 bytes.
    some = [kind for kind in kinds if block == 512 or kind.serial_digits]
    drive = make_drive(len(some) * SIZE + 4 * MIB, block)
    plan = work.plan(drive, *(wished(kind, work) for kind in some))
    run, end = work.apply(plan)
    assert end is RunState.DONE, story(run)
    for volume in plan.volumes:
        check_made(volume, work)
    # The checkers ran on the scratch copy. Its bytes were then compared with the drive.
    rehearsed = [one for one in said(run, Event.STEP_DONE) if "reports a clean filesystem" in one.sentence]
    assert len(rehearsed) == sum(bool(MADE[one.filesystem].clean_check) for one in plan.volumes)
    again = " ".join(one.sentence for one in said(run, Event.VERIFIED) if "clean filesystem" in one.sentence)
    assert not any(f"{one.path} " in again for one in plan.volumes if one.mount_point is None)


def test_missing_kernel_support_is_reported_as_an_obstacle(
    kinds: tuple[MadeKind, ...], make_drive: MakeDrive
) -> None:
    machine = probe_machine([make_drive(SIZE)])
    for kind in kinds:
        sentences = [
            one
            for one in obstacles(kind, machine, machine.drives[0], SIZE)
            if one.startswith("The running kernel")
        ]
        assert bool(sentences) == (kind.mounts and not kernel_has(kind)), kind.name
        assert all(
            f"does not support {kind.title}. Boot another kernel" in sentence for sentence in sentences
        )


def test_partition_types_in_an_mbr(make_drive: MakeDrive, work: Work) -> None:
    drive = make_drive(600 * MIB)
    tool(
        "sh",
        "-c",
        f"printf 'label: dos\nstart=1MiB,size=8MiB,type=83\n' | sfdisk --quiet --no-reread {drive} || true",
    )
    tool("partx", "--update", drive)
    specs = [
        spec(name, size, options=())
        for name, size in (("vfat", 300 * MIB), ("exfat", 64 * MIB), ("swap", 16 * MIB))
    ]
    plan = work.plan(drive, *specs, mode=Mode.USE_FREE)
    run, end = work.apply(plan)
    assert end is RunState.DONE, story(run)
    types = {blkid(volume.path, "TYPE"): blkid(volume.path, "PART_ENTRY_TYPE") for volume in plan.volumes}
    assert types == {"vfat": "0xc", "exfat": "0x7", "swap": "0x82"}
    assert blkid(f"{drive}p1", "PART_ENTRY_TYPE") == "0x83"


def test_filesystem_that_fails_its_check_is_not_written(
    make_drive: MakeDrive, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is recognised as planned, and a block that is in use counts as free."""
    drive = make_drive(64 * MIB)
    tool("mkfs.ext4", "-q", "-F", "-L", "old", drive)
    before = work.digest(drive)
    real = find("mkfs.ext4")
    spoil = 'for node; do true; done; debugfs -w -R "clri <11>" "$node"'
    stand_in(work.folder / "bin", monkeypatch, "mkfs.ext4", f'{real} "$@" || exit; {spoil}')
    run, end = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE))
    assert end is RunState.FAILED, story(run)
    last = read_entries(run)[-1].sentence
    assert "reports a clean filesystem" in last and "e2fsck" in last, last
    assert work.digest(drive) == before
    (work.folder / "bin/mkfs.ext4").unlink()
    resume(run)
    assert ended(run) is RunState.DONE, story(run)


def test_interrupted_run_with_active_swap_resumes(
    make_drive: MakeDrive, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(64 * MIB)
    plan = work.plan(
        drive, spec("swap", 16 * MIB, Path(NO_PLACE), options=()), spec("ext4", None, work.place("media"))
    )
    stand_in(work.folder / "bin", monkeypatch, "mount", "echo no >&2; exit 1")
    run, end = work.apply(plan)
    assert end is RunState.FAILED
    assert is_swapped_to(plan.volumes[0].path)
    (work.folder / "bin/mount").unlink()
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    for volume in plan.volumes:
        check_made(volume, work)


def test_partitions_with_ntfs_exfat_and_a_table_are_replaced(make_drive: MakeDrive, work: Work) -> None:
    drive = make_drive(96 * MIB)
    tool(
        "sh",
        "-c",
        "printf 'label: gpt\nstart=1MiB,size=16MiB\nsize=16MiB\nsize=16MiB\n"
        f"' | sfdisk --quiet --no-reread {drive} || true",
    )
    tool("partx", "--update", drive)
    tool("mkntfs", "--quick", "--quiet", "--force", f"{drive}p1")
    tool("mkfs.exfat", f"{drive}p2")
    tool("sh", "-c", f"printf 'label: gpt\nsize=1MiB\n' | sfdisk --quiet --no-reread {drive}p3")
    plan = work.plan(drive, spec("swap", 16 * MIB, options=()), spec("ext4"), mode=Mode.REPLACE)
    run, end = work.apply(plan)
    assert end is RunState.DONE, story(run)
    for volume in plan.volumes:
        check_made(volume, work)
        assert tool("wipefs", "--noheadings", "--output", "TYPE", volume.path).split() == [volume.filesystem]
