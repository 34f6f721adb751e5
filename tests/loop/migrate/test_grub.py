"""Conversions of filesystems that GRUB boots from: GRUB's own driver must read the result like Linux,
otherwise the conversion stops."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, carry_out, said, stand_in, story
from tests.loop.migrate.migrating import System
from tests.loop.program import MIB, Event, Purpose, RunState, Way, make_migration, state
from wizard.apply.conversion import boot

MakeSystem = Callable[[str, str], System]


@pytest.fixture
def make_system(work: Work, make_drive: MakeDrive) -> MakeSystem:
    """A function `make_system(folder, etc)` that creates an ext3 with GRUB's folder and kernels, and
    optional settings in /etc."""

    def made(folder: str, etc: str) -> System:
        tree, drive = work.folder / "tree", make_drive(32 * MIB)
        below = tree / folder.lstrip("/")
        (below / "i386-pc").mkdir(parents=True)
        (below / "grub.cfg").write_text("menuentry old {}\n" * 500)
        (below / "a name with spaces").touch()
        for number, name in enumerate(("vmlinuz-6.1.0-9", "vmlinuz-6.1.0-10", "vmlinuz-5.10")):
            (below.parent / name).write_bytes(os.urandom(3 * MIB))
            os.utime(below.parent / name, (1_600_000_000 + number, 1_600_000_000 + number))
        (below.parent / "vmlinuz").symlink_to("vmlinuz-5.10")
        if etc:
            (tree / "etc/default").mkdir(parents=True)
            (tree / "etc/default/grub").write_text(etc)
            (tree / "etc/dracut.conf").touch()
        work.bench.own(drive)
        tool("mke2fs", "-q", "-F", "-t", "ext3", "-I", "128", "-b", "1024", "-d", str(tree), drive)
        return System(work, drive)

    return made


def checked(run: Path, event: Event) -> list[str]:
    return [one.sentence for one in said(run, event) if "GRUB" in one.sentence]


@pytest.mark.parametrize("folder", ["/boot/grub", "/grub"])
def test_grub_reads_the_result_like_linux(make_system: MakeSystem, folder: str) -> None:
    old = make_system(folder, "")
    migration = make_migration(old.look(), Way.FULL)
    (told,) = [doubt for doubt in map(str, migration.doubts) if "must support ext4" in doubt]
    assert f"must read {folder} and a kernel as Linux does" in told
    assert ("contains / of" if folder.startswith("/boot/") else "contains /boot of") in told
    run = old.migrate(migration)
    assert state(run) is RunState.DONE, story(run)
    # The newest by its date, and no link.
    paths = (f"{folder}/grub.cfg", f"{folder.removesuffix('/grub')}/vmlinuz-5.10")
    read = [f"GRUB's own driver and Linux read the same data from {path}" for path in paths]
    assert checked(run, Event.VERIFIED) == [
        f"GRUB's own driver and Linux list the same files in {folder}",
        *read,
    ]
    commands = [
        entry.command for entry in said(run, Event.COMMAND) if entry.command and "fstest" in entry.command[0]
    ]
    assert [command[2] for command in commands] == ["ls", "cmp", "cmp"]


@pytest.mark.parametrize(
    ("word", "wrong"),
    [("ls", "list the same"), ("grub.cfg", "from /boot/grub/grub.cfg"), ("vmlinuz", "from /boot/vmlinuz")],
)
def test_result_unreadable_for_grub_is_undone(
    make_system: MakeSystem, monkeypatch: pytest.MonkeyPatch, word: str, wrong: str
) -> None:
    old = make_system("/boot/grub", "")
    before, migration = old.digest, make_migration(old.look(), Way.LIGHT)
    program = boot.reader()
    real = tool("sh", "-c", f"PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v {program}").strip()
    script = (
        f'case "$*" in *" ls "*{word}*|*" {word} "*) exit 0;; *{word}*) echo no such thing; exit 1;; esac\n'
        f'exec {real} "$@"'
    )
    stand_in(old.work.folder / "bin", monkeypatch, program, script)
    run = old.migrate(migration)
    assert state(run) is RunState.FAILED and "1 check failed" in story(run)
    (failed,) = checked(run, Event.NOT_VERIFIED)
    assert wrong in failed
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before


def test_missing_grub_driver_is_reported_and_skips_the_check(
    make_system: MakeSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = make_system("/boot/grub", 'GRUB_CMDLINE_LINUX="rootfstype=ext3"\n')
    monkeypatch.setattr(boot, "READERS", ())
    found = old.look()
    assert (found.boot.place, found.boot.root_type, found.boot.initramfs) == ("/", "ext3", "dracut")
    migration = make_migration(found, Way.LIGHT)
    assert any("grub-fstest is not installed" in doubt for doubt in map(str, migration.doubts))
    run = old.migrate(migration)
    assert state(run) is RunState.DONE and not checked(run, Event.VERIFIED), story(run)
