"""Conversions of filesystems with an installed system: its own fstab names ext4 afterwards, and the old
type after undo."""

import os
import shlex
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, carry_out, diskwright, said, story
from tests.loop.migrate.migrating import System
from tests.loop.program import MIB, Event, Purpose, RunState, Way, make_migration, state
from wizard.apply.run.runs import list_runs
from wizard.operations.ext4 import SetOwnFstabType

UUID = f"0d2c3b7a-3333-4000-8000-{os.getpid():012x}"
"""Another one in each process of the tests: beside each other, two would be clones."""

FSTAB = (
    b"# caf\xe9, not UTF-8\n" + b"# and long\n" * 120 + b"/dev/sda9 /home ext3 defaults 0 2\n"
    b"UUID=%s\t/\text3 errors=remount-ro,ext3=no 0 1\nLABEL=system /again  ext2\nproc /proc proc\n"
    % UUID.encode()
)
"""The lines that are changed lie in the second block, of 1024 bytes."""

NEW = FSTAB.replace(b"/\text3 errors", b"/\text4 errors").replace(b"/again  ext2\n", b"/again  ext4\n")


def system(work: Work, make_drive: MakeDrive, fstab: bytes = FSTAB) -> System:
    """Create an ext3 with an old system."""
    tree, drive = work.folder / "tree", make_drive(32 * MIB)
    (tree / "etc").mkdir(parents=True)
    (tree / "etc/fstab").write_bytes(fstab)
    os.utime(tree / "etc/fstab", (1_000_000_000, 1_000_000_000))
    work.bench.own(drive)
    tool(
        "mke2fs",
        "-q",
        "-F",
        "-t",
        "ext3",
        "-I",
        "128",
        "-b",
        "1024",
        "-L",
        "system",
        "-U",
        UUID,
        "-d",
        str(tree),
        drive,
    )
    return System(work, drive)


@pytest.mark.parametrize("way", [Way.LIGHT, Way.FULL])
def test_own_fstab_is_converted_and_restored(work: Work, make_drive: MakeDrive, way: Way) -> None:
    old = system(work, make_drive)
    before, migration = old.digest, make_migration(old.look(), way, manifest=way is Way.FULL)
    changed = [step for step in migration.steps if isinstance(step.operation, SetOwnFstabType)]
    assert (
        len(changed) == 2 and changed[0].edits[-1] == f"+UUID={UUID}\t/\text4 errors=remount-ro,ext3=no 0 1"
    )
    assert old.digest == before
    run = old.migrate(migration)
    assert state(run) is RunState.DONE, story(run)
    assert old.file("/etc/fstab") == NEW
    assert any("Line 123 of its own /etc/fstab" in one.sentence for one in said(run, Event.VERIFIED))
    assert "mtime: 0x3b9aca00" in tool("debugfs", "-c", "-R", "stat /etc/fstab", old.drive)
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before and old.file("/etc/fstab") == FSTAB


def test_system_in_use_is_refused_with_a_command_for_another_system(
    work: Work, make_drive: MakeDrive
) -> None:
    old = system(work, make_drive)
    work.fstab.write_text(f"UUID={UUID} /usr ext3 defaults 0 1\n")
    before, place, token = old.digest, work.place("old"), old.drive.removeprefix("/dev/")
    own = ("--fstab", str(work.fstab), "--way", "full")
    place.mkdir(parents=True)
    tool("mount", "-o", "ro,noload", old.drive, str(place))
    try:
        plan = work.folder / "plan.json"
        refused = diskwright(work, "migrate", old.drive, *own, "-o", str(plan))
        told = [one.removeprefix("sudo ") for one in " ".join(refused.stderr.split()).split("`")]
        there, here = (one for one in told if one.startswith("diskwright migrate"))
        assert refused.returncode == 3 and not plan.exists(), refused.stderr
        changed = diskwright(work, *shlex.split(here)[1:], "--fstab", str(work.fstab), "--confirm", token)
        assert changed.returncode == 0 and " /usr ext4 " in work.fstab.read_text(), changed.stderr
    finally:
        tool("umount", str(place))
    # The other system knows nothing of this one but what lies on the filesystem.
    work.fstab.write_text("")
    words = shlex.split(there)[1:]
    assert words[1] == f"/dev/disk/by-uuid/{UUID}" and words[-2] == "--journal", words
    link = Path(words[1]) if Path(words[1]).exists() else work.folder / "link"
    if not link.exists():
        link.symlink_to(old.drive)
    there_words = ("migrate", str(link), *words[2:-2], "--fstab", str(work.fstab))
    shown = diskwright(work, *there_words)
    assert shown.returncode == 0 and f"--confirm {token}" in " ".join(shown.stderr.split())
    assert old.digest == before
    work.bench.own(old.drive)
    done = diskwright(work, *there_words, "--confirm", token)
    assert done.returncode == 0 and old.file("/etc/fstab") == NEW, done.stderr
    undone = diskwright(work, "undo", list_runs(work.runs)[-1].name)
    assert undone.returncode == 0 and old.digest == before, undone.stderr


def test_kernel_options_are_read_from_the_filesystem(work: Work, make_drive: MakeDrive) -> None:
    old = system(work, make_drive, FSTAB)
    settings = work.folder / "grub.cfg"
    settings.write_text("linux /vmlinuz root=UUID=1 rootfstype=ext3 quiet\n")
    for request in ("mkdir /boot", "mkdir /boot/grub", f"write {settings} /boot/grub/grub.cfg"):
        tool("debugfs", "-w", "-R", request, old.drive)
    found = old.look().boot
    assert (found.place, found.root_type, found.grub_folder) == ("/", "ext3", "/boot/grub")


def test_changed_file_is_left_and_everything_can_be_undone(work: Work, make_drive: MakeDrive) -> None:
    old = system(work, make_drive)
    migration = make_migration(old.look(), Way.LIGHT)
    # The superblock tells nothing of it.
    tool("debugfs", "-w", "-R", "zap_block -f /etc/fstab -o 2 -l 1 -p 0x58 0", old.drive)
    before = old.digest
    run = old.migrate(migration)
    assert state(run) is RunState.FAILED and "does not have the planned contents" in story(run)
    assert old.file("/etc/fstab") == FSTAB[:2] + b"X" + FSTAB[3:]
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before


@pytest.mark.parametrize("how", ["symlink", "hard link", "not read"])
def test_unchangeable_fstab_is_reported_in_the_plan(work: Work, make_drive: MakeDrive, how: str) -> None:
    old = system(work, make_drive, b"UUID=1 / ext3 0 x\n" if how == "not read" else FSTAB)
    if how == "symlink":
        for command in ("rm /etc/fstab", "symlink /etc/fstab elsewhere"):
            tool("debugfs", "-w", "-R", command, old.drive)
    if how == "hard link":
        for command in ("ln /etc/fstab /etc/other", "set_inode_field /etc/fstab links_count 2"):
            tool("debugfs", "-w", "-R", command, old.drive)
    migration = make_migration(old.look(), Way.FULL)
    assert not any(isinstance(step.operation, SetOwnFstabType) for step in migration.steps)
    (told,) = [doubt for doubt in map(str, migration.doubts) if "/etc/fstab is not changed: " in doubt]
    assert {
        "symlink": "only one name",
        "hard link": "only one name",
        "not read": "not an entry mount can read",
    }[how] in told


def test_data_filesystem_and_mounted_one_have_no_own_fstab(work: Work, make_drive: MakeDrive) -> None:
    old = system(work, make_drive, b"UUID=0d2c3b7a-3333-4000-8000-00000000000f / ext3\n/dev/sda1 /srv ext3\n")
    found = old.look()
    assert found.own is not None and not found.own.lines and not found.own.fault
    place = work.place("old")
    place.mkdir(parents=True)
    tool("mount", "-o", "ro,noload", old.drive, str(place))
    try:
        assert old.look().own is None
    finally:
        tool("umount", str(place))
    tool("debugfs", "-w", "-R", "rm /etc/fstab", old.drive)
    assert old.look().own is None
