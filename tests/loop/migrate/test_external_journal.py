"""Filesystems with an external journal: mounting as ext4 works, and other methods are refused with a
remedy."""

import shlex

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, carry_out, story
from tests.loop.migrate.migrating import Old, old_filesystem
from tests.loop.program import MIB, Purpose, Refused, RunState, Way, state
from wizard.apply.block.devices import facts_on


@pytest.fixture
def journal(make_drive: MakeDrive, work: Work) -> str:
    """A drive that contains an external journal."""
    drive = make_drive(8 * MIB)
    work.bench.own(drive)
    tool("mke2fs", "-q", "-F", "-O", "journal_dev", "-b", "1024", drive)
    return drive


@pytest.fixture
def old(work: Work, make_drive: MakeDrive, journal: str) -> Old:
    return old_filesystem(work, make_drive, ("-I", "128", "-b", "1024", "-J", f"device={journal}"))


def test_mount_method_needs_no_other_journal(old: Old, journal: str) -> None:
    before, lines, files = old.digest, old.fstab, old.files("ext3")
    run = old.migrate_here(Way.MOUNT)
    assert state(run) is RunState.DONE and old.fstab == lines.replace("  ext3\t", "  ext4\t"), story(run)
    assert old.digest == before and old.files("ext4") == files
    place = old.mount("-t", "ext4")
    (place / "new").write_text("It is written by way of the journal.")
    tool("umount", str(place))
    carry_out(run, Purpose.UNDO, ())
    assert old.fstab == lines and facts_on(old.drive).journal_device


def test_filesystem_is_converted_after_removing_the_journal(old: Old, journal: str) -> None:
    before, files = old.digest, old.files("ext3")
    for way in (Way.LIGHT, Way.FULL):
        with pytest.raises(Refused, match="is on another device") as refused:
            old.migration(way)
    assert old.digest == before
    command = str(refused.value).split("`")[1]
    assert command.endswith(old.drive)
    old.work.bench.own(journal)
    tool(*shlex.split(command))
    free = old.work.digest(journal)
    before = old.digest
    run = old.migrate_here()
    after = facts_on(old.drive)
    assert state(run) is RunState.DONE and old.files("ext4") == files, story(run)
    assert {"has_journal", "extent", "metadata_csum"} <= after.features and not after.journal_device
    carry_out(run, Purpose.UNDO, ())
    assert (old.digest, old.work.digest(journal)) == (before, free), story(run)
