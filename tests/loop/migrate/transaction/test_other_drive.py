"""Saved bytes of a conversion are deleted only with its own filesystem attached, not with a clone."""

from pathlib import Path
from shutil import copyfile

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive, tool
from tests.loop.applying import carry_out, story
from tests.loop.bring.swapping import clone, put_in
from tests.loop.migrate.migrating import Old
from tests.loop.migrate.transaction.test_resumed import cut_off, sealed
from tests.loop.program import Purpose, Refused, RunState, keep, state
from tests.loop.runs.found.test_replugged import attach, detach


def test_saved_bytes_are_not_deleted_for_another_filesystem(old: Old) -> None:
    run = sealed(old)
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and old.saved, story(run)
    own, other = (old.work.bench.folder / name for name in ("own", "other"))
    copyfile(old.work.bench.image_of(old.drive), own)
    with other.open("wb") as file:
        file.truncate(own.stat().st_size)
    tool("mkfs.ext4", "-q", "-F", str(other))
    put_in(old.work.bench, old.drive, other)
    was = old.digest
    with pytest.raises(Refused):
        keep(run)
    carry_out(run, Purpose.KEEP, ())
    assert old.saved and old.digest == was, story(run)
    put_in(old.work.bench, old.drive, own)
    carry_out(run, Purpose.KEEP, ())
    assert state(run) is RunState.KEPT and not old.saved, story(run)


def test_clone_and_original_are_not_written(old: Old, make_drive: MakeDrive) -> None:
    before = old.digest
    run = sealed(old)
    cut_off(run, old.drive, 3)
    other = make_drive(old.work.bench.image_of(old.drive).stat().st_size)
    clone(old.work.bench, old.drive, other)
    was = old.digest
    for purpose in (Purpose.APPLY, Purpose.UNDO):
        carry_out(run, purpose, ())
        assert (old.digest, old.work.digest(other)) == (was, was), story(run)
    tool("wipefs", "--all", "--quiet", "--force", other)
    old.work.bench.own(other)
    Path(other).write_bytes(bytes(1 << 16))
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest) == (RunState.UNDONE, before), story(run)


@pytest.mark.alone
@pytest.mark.parametrize("content", one_in(3, ("true", "mkswap -q", "mkfs.ext4 -q -F")))
def test_replacement_drive_is_not_written(old: Old, make_drive: MakeDrive, content: str) -> None:
    """Check another drive without serial number, with a half-converted filesystem that cannot be mounted."""
    before = old.digest
    run = sealed(old)
    cut_off(run, old.drive, 3)
    other = make_drive(old.work.bench.image_of(old.drive).stat().st_size)
    tool(*content.split(), other)
    own = detach(old.work, old.drive)
    attach(old.work, old.drive, detach(old.work, other))
    was = old.digest
    for purpose in (Purpose.APPLY, Purpose.UNDO):
        carry_out(run, purpose, ())
        assert state(run) is not RunState.UNDONE and old.digest == was, story(run)
    assert "be another drive" in story(run), story(run)
    detach(old.work, old.drive)
    attach(old.work, old.drive, own)
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest) == (RunState.UNDONE, before), story(run)
