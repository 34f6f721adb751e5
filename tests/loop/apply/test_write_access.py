"""Write access to a new drive, tested with real processes, uids and filesystems."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, fill, old_gpt, said, spec, stand_in, story
from tests.loop.program import (
    MIB,
    Event,
    Mode,
    RunState,
    Stripe,
    Subvolume,
    VolumeSpec,
    keep,
    probe_machine,
    undo,
)
from wizard.filesystems.registry import MADE
from wizard.model.layout import EVERYONE, ROOT, Writer

SIZE = 400 * MIB
"""Enough for XFS."""
ANNA = Writer("person", "anna", 12345, 12346)
FAMILY = Writer("group", "family", 0, 12347)
OTHER = 54321

WRITES = """
import pathlib, sys
file = pathlib.Path(sys.argv[1], "written")
file.write_text("mine")
file.unlink()
"""


def can_write(place: Path, uid: int, gid: int, groups: Sequence[int] = ()) -> bool:
    """Return True if a process with these ids can write and delete a file there."""
    done = subprocess.run(
        ["/usr/bin/python3", "-c", WRITES, str(place)],
        user=uid,
        group=gid,
        extra_groups=list(groups),
        capture_output=True,
        text=True,
        cwd="/",
        check=False,
    )
    assert done.returncode == 0 or "PermissionError" in done.stderr, done.stderr
    return done.returncode == 0


def volume(filesystem: str, place: Path | None, writer: Writer) -> VolumeSpec:
    if not probe_machine([]).kernel.filesystems.intersection(MADE[filesystem].kernel_names):
        pytest.skip(f"the kernel has no {filesystem}")
    return replace(spec(filesystem, None, place), writer=writer)


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", "btrfs", "f2fs", "exfat", "vfat", "ntfs"])
def test_only_the_owner_can_write(
    plain_folder: Path, work: Work, make_drive: MakeDrive, filesystem: str
) -> None:
    place = plain_folder / "media"
    run, now = work.apply(work.plan(make_drive(SIZE), volume(filesystem, place, ANNA)))
    assert now is RunState.DONE, story(run)
    assert can_write(place, ANNA.uid, ANNA.gid)
    assert not can_write(place, OTHER, OTHER) and not can_write(place, OTHER, OTHER, [ANNA.gid])
    assert f"anna can write to {place}" in [entry.sentence for entry in said(run, Event.VERIFIED)]
    assert said(run, Event.DONE)[0].sentence.startswith(f"417 MB ready at {place}, writable by anna.")
    assert not list(place.glob(".diskwright*"))


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", "btrfs", "exfat"])
def test_group_can_write_and_files_keep_the_group(
    plain_folder: Path, work: Work, make_drive: MakeDrive, filesystem: str
) -> None:
    place = plain_folder / "media"
    run, now = work.apply(work.plan(make_drive(SIZE), volume(filesystem, place, FAMILY)))
    assert now is RunState.DONE, story(run)
    assert can_write(place, OTHER, OTHER, [FAMILY.gid]) and can_write(place, OTHER + 1, FAMILY.gid)
    assert not can_write(place, OTHER, OTHER)
    if MADE[filesystem].holds.owners:
        assert tool("stat", "--format", "%u:%g %a", str(place)).strip() == f"0:{FAMILY.gid} 2775"
    assert f"the group family can write to {place}" in [one.sentence for one in said(run, Event.VERIFIED)]


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", "btrfs", "exfat"])
def test_everyone_can_write(plain_folder: Path, work: Work, make_drive: MakeDrive, filesystem: str) -> None:
    place = plain_folder / "media"
    run, now = work.apply(work.plan(make_drive(SIZE), volume(filesystem, place, EVERYONE)))
    assert now is RunState.DONE, story(run)
    assert can_write(place, OTHER, OTHER) and can_write(place, ANNA.uid, ANNA.gid)
    if MADE[filesystem].holds.owners:
        assert tool("stat", "--format", "%u:%g %a", str(place)).strip() == "0:0 1777"


def test_only_root_can_write_if_requested(plain_folder: Path, work: Work, make_drive: MakeDrive) -> None:
    place = plain_folder / "media"
    run, now = work.apply(work.plan(make_drive(SIZE), volume("ext4", place, ROOT)))
    assert now is RunState.DONE, story(run)
    assert not can_write(place, OTHER, OTHER)
    assert not [one for one in said(run, Event.VERIFIED) if "can write" in one.sentence]


def test_each_subvolume_is_writable(plain_folder: Path, work: Work, make_drive: MakeDrive) -> None:
    top, home = plain_folder / "top", plain_folder / "top/home"
    parts = (Subvolume("@home", str(home)), Subvolume("@kept"))
    asked = replace(volume("btrfs", top, ANNA), subvolumes=parts)
    run, now = work.apply(work.plan(make_drive(SIZE), asked))
    assert now is RunState.DONE, story(run)
    for place in (top, home, top / "@kept"):
        assert can_write(place, ANNA.uid, ANNA.gid) and not can_write(place, OTHER, OTHER)
    checked = [one.sentence for one in said(run, Event.VERIFIED) if "can write" in one.sentence]
    assert checked == [f"anna can write to {top}", f"anna can write to {home}"]


def test_each_volume_has_its_own_writer(plain_folder: Path, work: Work, make_drive: MakeDrive) -> None:
    """Check that every volume has its own writer, by mkfs option, separate step or mount option."""
    known = probe_machine([]).kernel.filesystems
    asked = [
        (writer, replace(spec(kind, size * MIB, plain_folder / f"{number}"), writer=writer))
        for number, (kind, size, writer) in enumerate(
            [
                ("vfat", 40, ROOT),
                ("ext4", 40, ROOT),
                ("ext4", 40, ANNA),
                ("btrfs", 128, FAMILY),
                ("vfat", 40, ANNA),
            ]
        )
        if known.intersection(MADE[kind].kernel_names)
    ]
    run, now = work.apply(work.plan(make_drive(SIZE), *(one for _, one in asked)))
    assert now is RunState.DONE, story(run)
    for writer, one in asked:
        place = Path(str(one.mount_point))
        found = place.stat()
        assert (found.st_uid, found.st_gid) == (writer.uid, writer.gid), place
        assert can_write(place, writer.uid or OTHER, OTHER, [writer.gid]) is (writer is not ROOT)


def test_volume_over_several_drives_is_writable(
    plain_folder: Path, work: Work, make_drive: MakeDrive
) -> None:
    place, drives = plain_folder / "media", [make_drive(SIZE), make_drive(SIZE)]
    run, now = work.apply(work.striped(drives, volume("btrfs", place, ANNA), Stripe("btrfs")))
    assert now is RunState.DONE, story(run)
    assert can_write(place, ANNA.uid, ANNA.gid) and not can_write(place, OTHER, OTHER)
    assert f"anna can write to {place}" in [one.sentence for one in said(run, Event.VERIFIED)]


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", "btrfs"])
def test_undo_and_keep_include_write_access(
    plain_folder: Path, work: Work, make_drive: MakeDrive, filesystem: str
) -> None:
    drive, place = make_drive(SIZE), plain_folder / "media"
    fill(drive, work.bench)
    old_gpt(drive)
    before = work.digest(drive)
    for settle in (undo, keep):
        asked = volume(filesystem, place, FAMILY)
        run, now = work.apply(work.plan(drive, asked, mode=Mode.REPLACE), keep=False)
        assert now is RunState.WAITING, story(run)
        assert not [one for one in said(run, Event.VERIFIED) if "can write" in one.sentence]
        settled = settle(run)
        if settle is undo:
            assert work.digest(drive) == before
    assert settled.startswith(f"417 MB ready at {place}, writable by the group family.")
    assert can_write(place, OTHER, OTHER, [FAMILY.gid]) and not can_write(place, OTHER, OTHER)


@pytest.mark.parametrize("writer", [ANNA, FAMILY, EVERYONE])
def test_wrong_owner_is_reported(
    plain_folder: Path,
    work: Work,
    make_drive: MakeDrive,
    monkeypatch: pytest.MonkeyPatch,
    writer: Writer,
) -> None:
    """Change the owner in another program directly after the mount."""
    place = plain_folder / "media"
    real = tool("sh", "-c", "PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v mount").strip()
    taking = f'case "$*" in *{place}) chown 0:0 {place}; chmod 755 {place} ;; esac'
    stand_in(work.folder / "bin", monkeypatch, "mount", f'{real} "$@" || exit\n{taking}')
    run, now = work.apply(work.plan(make_drive(SIZE), volume("ext4", place, writer)))
    assert now is RunState.FAILED, story(run)
    (found,) = said(run, Event.NOT_VERIFIED)
    assert f"can write to {place}" in found.sentence and found.output == "Permission denied"
    assert "ready at" not in story(run)


def test_failed_chown_is_reported_before_the_drive_is_written(
    plain_folder: Path, work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(SIZE)
    before = work.digest(drive)
    stand_in(work.folder / "bin", monkeypatch, "chown", "exit 0")
    run, now = work.apply(work.plan(drive, volume("xfs", plain_folder / "media", ANNA)))
    assert now is RunState.FAILED, story(run)
    assert "Cannot make anna the owner" in story(run)
    assert work.digest(drive) == before


def test_mounted_volume_is_writable_for_the_calling_user(
    plain_folder: Path, work: Work, make_drive: MakeDrive
) -> None:
    """Check that the calling user can write with only the workload given, and that existing files stay."""
    drive = make_drive(SIZE)
    work.bench.own(drive)
    (plain_folder / "media").mkdir()
    (plain_folder / "media/mine").write_text("here before")
    written = work.folder / "plan.json"
    changes = {"SUDO_UID": "1", "DISKWRIGHT_PLACES": str(plain_folder)}
    words = ("plan", drive, "--workload", "large-media", "--fs", "ext4", "-o", str(written))
    planned = diskwright(work, *words, **changes)
    assert planned.returncode == 0, planned.stderr
    place = plain_folder / "media-2"
    told = "".join(planned.stderr.split())
    assert f"at{place}" in told and "Writablebydaemon" in told, planned.stderr
    token = drive.removeprefix("/dev/")
    done = diskwright(work, "apply", str(written), "--confirm", token, "--fstab", str(work.fstab))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"417 MB ready at {place}, writable by daemon." in done.stdout + done.stderr
    assert can_write(place, 1, 1) and not can_write(place, OTHER, OTHER)
    assert f"ready at {place}, writable by daemon." in diskwright(work, "status").stdout
    assert str(place) in work.fstab.read_text()
    assert (plain_folder / "media/mine").read_text() == "here before"


def test_plan_shows_who_can_write_and_refuses_unknown_users(
    plain_folder: Path, work: Work, make_drive: MakeDrive
) -> None:
    drive = make_drive(SIZE)
    places = {"DISKWRIGHT_PLACES": str(plain_folder)}
    words = ("plan", drive, "--volume", "workload=large-media,fs=ext4,mount=none,writable=group:daemon")
    planned = diskwright(work, *words, **places)
    assert planned.returncode == 0, planned.stderr
    assert '"mount-' not in planned.stdout and '"kind": "mount"' not in planned.stdout
    assert "Writable by the group daemon" in planned.stderr
    refused = diskwright(work, *words[:3], "workload=large-media,writable=nobody-here", **places)
    assert refused.returncode == 2 and "'nobody-here' is no user or group here" in refused.stderr
    assert not any(plain_folder.iterdir())
