"""A migration to a fresh ext4 on another drive: copied, compared, journalled; the old one and everybody
else's drives are left alone."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, carry_out, diskwright, ended, said, story, without_power
from tests.loop.migrate.migrating import Old, everything, old_filesystem
from tests.loop.program import (
    MIB,
    Event,
    Migration,
    Purpose,
    Refused,
    RunState,
    keep,
    read_entries,
    resume,
    state,
    undo,
)
from wizard.apply.conversion.guard import preflight_migration, start_migration
from wizard.apply.tree.mount_read_only import mounted_read_only
from wizard.model.migration import MakeFresh


@pytest.fixture
def old(work: Work, make_drive: MakeDrive) -> Old:
    return old_filesystem(work, make_drive)


@pytest.fixture
def target(make_drive: MakeDrive) -> str:
    """An empty drive."""
    return make_drive(64 * MIB)


def start(old: Old, migration: Migration) -> Path:
    for drive in (migration.drive, migration.written):
        old.work.bench.own(drive.path)
    return start_migration(
        migration, migration.written.token, journal_dir=old.work.runs, environment=old.work.environment
    )


def uuid_of(migration: Migration) -> str:
    (made,) = [step.operation for step in migration.steps if isinstance(step.operation, MakeFresh)]
    return made.uuid


def test_everything_is_on_the_fresh_one_and_the_old_one_as_it_was(old: Old, target: str) -> None:
    before, lines = old.digest, old.fstab
    with mounted_read_only(old.drive) as top:
        files = without_inodes(everything(top))
    migration = old.to_fresh(target)
    run = start(old, migration)
    assert ended(run) is RunState.DONE, story(run)
    assert (old.digest, old.fstab) == (before, lines)
    with mounted_read_only(target) as top:
        assert without_inodes(everything(top)) == files
    # The line that is told mounts the copy where the old one was.
    (line,) = [doubt.split("`")[1] for doubt in map(str, migration.doubts) if "line 3 of" in doubt]
    old.work.fstab.write_text(line + "\n")
    old.work.place("old").mkdir(parents=True, exist_ok=True)
    assert tool(
        "findmnt", "--fstab", "--tab-file", str(old.work.fstab), "-n", "-o", "SOURCE,TARGET,FSTYPE,OPTIONS"
    ).split() == [
        f"UUID={uuid_of(migration)}",
        str(old.work.place("old")),
        "ext4",
        "defaults,noatime",
    ]
    assert tool("blkid", "-o", "value", "-s", "TYPE", "-s", "UUID", "-s", "LABEL", target).split("\n") == [
        "old films",
        uuid_of(migration),
        "ext4",
        "",
    ]
    checked = [entry.sentence for entry in said(run, Event.VERIFIED)]
    assert not said(run, Event.NOT_VERIFIED) and any("folders and links match" in one for one in checked)
    assert f"{old.drive} was only read" in read_entries(run)[-1].sentence
    for refused, why in (
        (undo, "No undo needed"),
        (keep, "Keep does not apply"),
        (resume, "no steps remain to resume"),
    ):
        with pytest.raises(Refused, match=why):
            refused(run)
    assert state(run) is RunState.DONE


def without_inodes(found: dict[str, Any]) -> dict[str, object]:
    """Without what a copy has of its own."""
    return {name: (mode, ids[1:], *rest) for name, (mode, ids, *rest) in found.items()}


def test_after_a_power_cut_in_either_step_it_is_begun_anew(
    old: Old, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migration = old.to_fresh(target)
    run = old.begin(migration)
    for step in (1, 2):
        without_power(monkeypatch, Event.STEP_DONE, step, lambda: carry_out(run, Purpose.APPLY, ()))
        assert state(run) is RunState.INTERRUPTED
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert [entry.step for entry in said(run, Event.STEP_STARTED)] == [1, 1, 2, 2]


def test_what_is_not_as_it_was_seen_is_not_touched(old: Old, target: str, make_drive: MakeDrive) -> None:
    migration = old.to_fresh(target)

    def refused(why: str, changed: Migration = migration) -> None:
        with pytest.raises(Refused, match=why):
            preflight_migration(changed, journal_dir=old.work.runs, environment=old.work.environment)

    assert migration.target is not None
    refused("This run may not write to", replace_target(migration, "/dev/loop9999"))
    preflight_migration(migration, journal_dir=old.work.runs, environment=old.work.environment)
    with pytest.raises(Refused, match=f"{target} becomes a new ext4 .* for {target}"):
        start_migration(
            migration, migration.drive.token, journal_dir=old.work.runs, environment=old.work.environment
        )
    tool("mkfs.ext2", "-q", "-F", target)
    refused(f"{target} was not changed: the target contains ext2")
    was = old.work.digest(target)
    done = diskwright(
        old.work, "migrate", old.drive, "--way=fresh", "--to", target, "--fstab", str(old.work.fstab)
    )
    assert done.returncode == 3 and "contains ext2" in done.stderr
    assert old.work.digest(target) == was


def test_the_command_shows_both_drives_and_asks_for_the_one_that_is_written(old: Old, target: str) -> None:
    plan = old.work.folder / "fresh.json"
    words = (
        "migrate",
        old.drive,
        "--way=fresh",
        "--to",
        target,
        "--fstab",
        str(old.work.fstab),
        "-o",
        str(plan),
    )
    shown = diskwright(old.work, *words)
    assert shown.returncode == 0, shown.stderr
    assert f"to a volume on {target}" in shown.stdout
    token, other = (drive.removeprefix("/dev/") for drive in (target, old.drive))
    assert f"--confirm {token}" in shown.stderr
    applied = diskwright(old.work, "apply", str(plan), "--fstab", str(old.work.fstab), "--confirm", other)
    assert applied.returncode == 3 and f"--confirm {token}" in applied.stderr
    applied = diskwright(old.work, "apply", str(plan), "--fstab", str(old.work.fstab), "--confirm", token)
    assert applied.returncode == 0, applied.stderr
    assert f"{target} is an ext4 copy of {old.drive}" in applied.stdout + applied.stderr


def replace_target(migration: Migration, path: str) -> Migration:
    assert migration.target is not None
    return replace(migration, target=replace(migration.target, path=path))
