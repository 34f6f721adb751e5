"""A migration on the device itself: every file stays what it was, every check holds, and undoing gives the old device to the bit."""

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, said, story
from tests.loop.migrating import Old, old_filesystem
from wizard.apply.ext_blocks import facts_on
from wizard.apply.journal import RunState, read_entries, state
from wizard.apply.migrating import undo_migration
from wizard.model.journal import Event


@pytest.fixture
def old(work: Work, make_drive: MakeDrive) -> Old:
    return old_filesystem(work, make_drive)


def test_the_full_way_keeps_every_file_and_goes_back_to_the_bit(old: Old) -> None:
    before, lines, files = old.digest, old.fstab, old.files("ext3")
    run, now = old.migrate(manifest=True)
    assert now is RunState.DONE, story(run)
    after = facts_on(old.drive)
    assert {"extent", "64bit", "metadata_csum", "extra_isize"} <= after.features and after.inode_bytes == 256
    assert old.files("ext4") == files
    assert old.fstab == lines.replace("  ext3\t", "  ext4\t") and "ext4\tdefaults" in old.fstab
    assert not said(run, Event.NOT_VERIFIED) and any("are mapped by extents" in entry.output for entry in said(run, Event.VERIFIED))
    assert any("entries are the same" in entry.output for entry in said(run, Event.VERIFIED))
    tool("e2fsck", "-f", "-n", old.drive)
    undo_migration(run)
    assert state(run) is RunState.UNDONE and (old.digest, old.fstab) == (before, lines), story(run)
    assert "bit for bit" in read_entries(run)[-1].sentence and not list(old.undo_dir.glob("*"))
