"""Undo of a conversion: how to read the filesystem without losing undo, and how a writable mount, which
ends undo, is detected."""

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.devices import tool
from tests.loop.applying import carry_out, diskwright, story
from tests.loop.migrate.migrating import Old
from tests.loop.migrate.transaction.test_resumed import cut_off_before, sealed, written_to
from tests.loop.program import Phase, Purpose, Refused, RunState, Way, read_entries, state, undo
from wizard.apply.block.devices import facts_on, is_protected
from wizard.apply.run.job import Rollback
from wizard.cli.status import row_of


def test_recommended_read_only_mount_preserves_undo(old: Old) -> None:
    before = old.digest
    run = old.migrate_here(Way.LIGHT)
    told = read_entries(run)[-1].sentence
    command = told.split("`")[1]
    assert command == f"mount -o ro,noload {old.drive} /mnt"
    place = old.work.place("looked")
    place.mkdir(parents=True)
    tool(*command.replace(" /mnt", f" {place}").split())
    assert (place / "fixed").read_text() == "It cannot be changed."
    with pytest.raises(Refused, match=f"in use: .*{place}"):
        undo(run)
    tool("umount", str(place))
    assert row_of(run).way_back is Rollback.OPEN
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest, row_of(run).way_back) == (RunState.UNDONE, before, None), story(run)


def test_waiting_filesystem_rejects_writes(old: Old) -> None:
    """Check that a waiting filesystem mounts read-only by default and rejects tools, until `undo`."""
    before = old.digest
    run = old.migrate_here(Way.LIGHT)
    assert "Writes are blocked" in read_entries(run)[-1].sentence
    waiting = old.digest
    assert subprocess.run(("tune2fs", "-L", "mine", old.drive), capture_output=True, check=False).returncode
    place = old.mount()
    assert os.statvfs(place).f_flag & os.ST_RDONLY
    tool("umount", str(place))
    assert (old.digest, row_of(run).way_back) == (waiting, Rollback.OPEN)
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest) == (RunState.UNDONE, before), story(run)
    written_to(old, "ext3")


def test_refused_undo_leaves_the_filesystem_locked(old: Old) -> None:
    """Check that a refused undo leaves the filesystem locked, and `keep` unlocks it."""
    run = old.migrate_here(Way.LIGHT)
    place = old.mount("-o", "ro,noload")
    with pytest.raises(Refused, match="in use"):
        undo(run)
    tool("umount", str(place))
    assert is_protected(old.drive)
    carry_out(run, Purpose.KEEP, ())
    assert state(run) is RunState.KEPT and not is_protected(old.drive), story(run)


def test_keep_during_a_read_only_mount_explains_write_access(old: Old) -> None:
    run = old.migrate_here(Way.LIGHT)
    place = old.mount("-o", "ro,noload")
    carry_out(run, Purpose.KEEP, ())
    assert (
        state(run) is RunState.KEPT
        and f"read-only at {place}. For write access, run `umount {place}`" in read_entries(run)[-1].sentence
    ), story(run)


def test_writable_mount_is_detected_and_reported_by_status(old: Old) -> None:
    run = old.migrate_here(Way.LIGHT)
    assert row_of(run).way_back is Rollback.OPEN
    written_to(old, "ext4")
    found = old.digest
    told = status(old, run)
    mounted = datetime.fromtimestamp(facts_on(old.drive).mounted, UTC)
    assert (told["way_back"], datetime.fromisoformat(told["mounted"])) == ("closed", mounted)
    for word in (f"{mounted:%Y-%m-%d %H:%M} UTC", "undo is no longer possible", f"diskwright keep {run}"):
        assert word in told["sentence"]
    assert old.digest == found
    carry_out(run, Purpose.KEEP, ())
    assert (state(run), row_of(run).way_back) == (RunState.KEPT, None)


def status(old: Old, run: Path) -> dict[str, Any]:
    (told,) = json.loads(diskwright(old.work, "status", run.name, "--json").stdout)["runs"]
    assert isinstance(told, dict)
    return told


def test_change_without_a_mount_is_detected(old: Old) -> None:
    run = old.migrate_here(Way.LIGHT)
    row = row_of(run)
    assert row.state in (RunState.WAITING, RunState.DONE) and row.commands == (
        f"sudo diskwright keep {run}",
        f"sudo diskwright undo {run}",
    )
    old.restarted()
    tool("tune2fs", "-L", "mine", old.drive)
    row = row_of(run)
    assert (row.way_back, row.mounted) == (Rollback.CLOSED, None) and "was written to since" in row.sentence
    assert row.commands == (f"sudo diskwright keep {run}",)


def test_writable_mount_after_a_commit_is_detected(old: Old) -> None:
    run = sealed(old)
    carry_out(run, Purpose.APPLY, ())
    assert (
        row_of(run).way_back is Rollback.OPEN
        and f"mount -o ro,noload {old.drive}" in read_entries(run)[-1].sentence
    )
    written_to(old, "ext4")
    row = row_of(run)
    assert row.way_back is Rollback.CLOSED and "was mounted for writing on" in row.sentence


def test_unfinished_run_is_directed_to_resume(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    run = sealed(old)
    cut_off_before(run, old.drive, Phase.RELEASED, monkeypatch)
    assert row_of(run).way_back is Rollback.OPEN
    written_to(old, "ext4")
    row = row_of(run)
    assert row.way_back is Rollback.CLOSED and f"diskwright resume {run}" in row.sentence
    carry_out(run, Purpose.APPLY, ())
    assert (
        "undo is no longer possible" in read_entries(run)[-1].sentence
        and "mount -o" not in read_entries(run)[-1].sentence
    )


def test_missing_or_unreadable_drive_is_no_error(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    run = old.migrate_here(Way.LIGHT)
    real = Path.open

    def denied(
        self: Path,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
    ) -> object:
        if str(self) == old.drive:
            raise PermissionError
        return real(self, mode, buffering, encoding, errors)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", denied)
        row = row_of(run)
    assert (row.way_back, row.state) == (
        Rollback.UNKNOWN,
        RunState.DONE,
    ) and "cannot be read" in row.sentence
    old.restarted()
    tool("losetup", "--detach", old.drive)
    row = row_of(run)
    assert row.way_back is Rollback.UNKNOWN and f"{old.drive} does not contain the filesystem" in row.sentence
