"""Btrfs subvolumes from a plan to their mounts, and runs killed at one of their steps."""

import os
import signal
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import OLD_FSTAB, Work, ended, gate, said, spec, stand_in, story, until
from tests.loop.program import MIB, Event, RunState, Subvolume, VolumeSpec, lock_drive, resume, state

NAMES = ["@", "@home", "@snapshots", "@snapshots/old"]


def subdivided(work: Work) -> VolumeSpec:
    system, home = str(work.place("system")), str(work.place("system/home"))
    subvolumes = (
        Subvolume("@", system),
        Subvolume("@home", home),
        Subvolume("@snapshots"),
        Subvolume("@snapshots/old"),
    )
    return replace(spec("btrfs", None, None, ("noatime", "compress=zstd:1")), subvolumes=subvolumes)


def check_made(work: Work, uuid: str) -> None:
    """Check with findmnt, btrfs and a file."""
    for place, name in (("system", "@"), ("system/home", "@home")):
        shown = tool(
            "findmnt", "--noheadings", "--output", "FSROOT,OPTIONS", "--mountpoint", str(work.place(place))
        ).split()
        assert shown[0] == f"/{name}"
        assert {"noatime", "compress=zstd:1"} <= set(shown[1].split(","))
        (work.place(place) / "a file").write_text("written by the person it was made for")
    listed = tool("btrfs", "subvolume", "list", str(work.place("system"))).splitlines()
    assert sorted(line.rpartition(" path ")[2] for line in listed) == NAMES
    lines = work.fstab.read_text().splitlines()[len(OLD_FSTAB.splitlines()) :]
    assert [line.split()[:2] for line in lines] == [
        [f"UUID={uuid}", str(work.place(place))] for place in ("system", "system/home")
    ]
    assert [line.split()[3].split(",")[-2:] for line in lines] == [
        ["subvol=/@", "nofail"],
        ["subvol=/@home", "nofail"],
    ]
    assert not Path("/run/diskwright", uuid).exists()


def test_each_subvolume_is_created_mounted_and_in_fstab(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(256 * MIB)
    plan = work.plan(drive, subdivided(work))
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    assert said(run, Event.VERIFIED) and not said(run, Event.NOT_VERIFIED)
    check_made(work, plan.volumes[0].uuid)


@pytest.mark.parametrize("words", ["btrfs subvolume create */@home", "umount"])
def test_run_killed_during_creation_creates_the_missing_subvolumes(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    """Kill the run after the first subvolume, and after all with the filesystem still at its private mount
    point."""
    drive = make_drive(256 * MIB)
    plan = work.plan(drive, subdivided(work))
    opened = work.folder / "gate"
    program, _, pattern = words.partition(" ")
    real = tool("sh", "-c", f"PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v {program}").strip()
    script = gate(program, opened)
    if pattern:
        script = f'case "$*" in {pattern.replace(" ", "?")}) ;; *) exec {real} "$@" ;; esac\n{script}'
    stand_in(work.folder / "bin", monkeypatch, program, script)
    run = work.start(plan)
    until(lambda: Path(f"{opened}.reached").exists())
    os.kill(int((run / "pid").read_text()), signal.SIGKILL)
    until(lambda: state(run) is not RunState.RUNNING)
    opened.touch()
    os.close(lock_drive(drive, wait_seconds=20))
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert not said(run, Event.NOT_VERIFIED)
    check_made(work, plan.volumes[0].uuid)


def test_missing_subvolume_is_reported_at_the_end(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Delete a subvolume between its creation and the last verification."""
    drive = make_drive(256 * MIB)
    plan = work.plan(drive, subdivided(work))
    real = tool("sh", "-c", "PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v mount").strip()
    home, top = work.place("system/home"), work.folder / "top"
    top.mkdir()
    deleting = (
        f"{real} {plan.volumes[0].path} {top} && btrfs subvolume delete {top}/@snapshots/old; umount {top}"
    )
    script = f'{real} "$@" || exit\ncase "$*" in *{home}) {deleting} ;; esac'
    stand_in(work.folder / "bin", monkeypatch, "mount", script)
    run, now = work.apply(plan)
    assert now is RunState.FAILED, story(run)
    assert [entry.output for entry in said(run, Event.NOT_VERIFIED)] == ["@snapshots/old is missing"]
