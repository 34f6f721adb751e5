"""Conversions: files stay the same, verification passes, and undo restores the device bit for bit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, carry_out, diskwright, said, story
from tests.loop.migrate.migrating import Old, old_filesystem
from tests.loop.program import (
    MIB,
    Environment,
    Event,
    Purpose,
    Refused,
    RunState,
    Way,
    keep,
    make_migration,
    read_entries,
    resume,
    state,
    undo,
)
from tests.loop.runs.published import kept_schemas
from wizard.apply.block.devices import facts_on
from wizard.apply.conversion.job import JOB
from wizard.apply.run.job import Start
from wizard.cli.status import row_of


def test_full_conversion_keeps_every_file_and_undo_is_bit_for_bit(old: Old) -> None:
    before, lines, files = old.digest, old.fstab, old.files("ext3")
    run, now = old.migrate(manifest=True)
    assert now is RunState.DONE, story(run)
    assert kept_schemas(run.parent) >= {"migration", "run", "journal-entry"}
    after = facts_on(old.drive)
    assert {"extent", "64bit", "metadata_csum", "extra_isize"} <= after.features and after.inode_bytes == 256
    assert old.files("ext4") == files
    assert old.fstab == lines.replace("  ext3\t", "  ext4\t") and "ext4\tdefaults" in old.fstab
    checked = [entry.output for entry in said(run, Event.VERIFIED)]
    assert not said(run, Event.NOT_VERIFIED) and any("entries match" in one for one in checked)
    (share,) = [one for one in checked if "use extents" in one]
    assert share.split()[0] == share.split()[2] and int(share.split()[0]) > 400
    undo(run)
    assert state(run) is RunState.UNDONE and (old.digest, old.fstab) == (before, lines), story(run)
    assert "bit for bit" in read_entries(run)[-1].sentence and not old.saved


def test_light_conversion_leaves_existing_files_unchanged(old: Old) -> None:
    before, files = old.digest, old.files("ext3")
    run = old.migrate_here(Way.LIGHT, manifest=True)
    after = facts_on(old.drive)
    assert state(run) is RunState.DONE and old.files("ext4") == files, story(run)
    assert "extent" in after.features and after.inode_bytes == 128 and "metadata_csum" not in after.features
    old.files("ext4")
    carry_out(run, Purpose.UNDO, ())
    # It was mounted to look, which leaves the way back open.
    assert old.digest == before, story(run)


@pytest.mark.parametrize(
    "options",
    [
        ("-I", "256", "-b", "4096"),
        ("-b", "1024", "-g", "256", "-O", "^sparse_super,^resize_inode"),
        ("-b", "1024", "-O", "^has_journal"),
    ],
)
def test_light_conversion_reads_and_writes_only_metadata(
    work: Work, make_drive: MakeDrive, options: tuple[str, ...]
) -> None:
    old = old_filesystem(work, make_drive, options, 256 * MIB)
    before, run = old.digest, old.begin(old.migration(Way.LIGHT))
    reads = sectors_read(old.drive)
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and old.digest != before, story(run)
    assert sectors_read(old.drive) - reads < 128 * MIB // 512
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before and "bit for bit" in said(run, Event.UNDONE)[-1].sentence, story(run)


def sectors_read(node: str) -> int:
    return int(Path(f"/sys/block/{Path(node).name}/stat").read_text().split()[2])


def test_journal_entries_survive_conversion_and_undo(old: Old) -> None:
    """Check a filesystem with journal entries left by a power cut."""
    place = old.mount()
    (place / "late").write_bytes(b"late" * 5000)
    tool("sync", str(place / "late"))
    cut = old.work.bench.image_of(old.drive).read_bytes()
    tool("umount", str(place))
    old.work.bench.own(old.drive)
    Path(old.drive).write_bytes(cut)
    before = old.digest
    assert facts_on(old.drive).needs_recovery
    run = old.migrate_here(manifest=True)
    assert state(run) is RunState.DONE and "late" in old.files("ext4"), story(run)
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before and facts_on(old.drive).needs_recovery, story(run)


def test_mount_method_changes_only_the_fstab_line(old: Old) -> None:
    before, lines = old.digest, old.fstab
    run = old.migrate_here(Way.MOUNT)
    assert (
        state(run) is RunState.DONE
        and old.digest == before
        and old.fstab == lines.replace("  ext3\t", "  ext4\t")
    ), story(run)
    undo(run)
    assert (old.digest, old.fstab) == (before, lines)


def test_kept_conversion_cannot_be_undone_and_frees_its_space(old: Old) -> None:
    run = old.migrate_here()
    assert sum(file.stat().st_blocks * 512 for file in old.saved) > MIB
    assert "Deleted the undo data" in keep(run) and state(run) is RunState.KEPT and not old.saved
    for again in (undo, resume, keep):
        with pytest.raises(Refused, match="kept"):
            again(run)
    assert row_of(run).state is RunState.KEPT and "extent" in facts_on(old.drive).features


def test_kept_filesystem_is_mounted_by_its_fstab_line(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    run = old.migrate_here(Way.LIGHT)
    old.work.place("old").mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(Environment, "is_running_system", True)
    carry_out(run, Purpose.KEEP, ())
    assert tool("findmnt", "-n", "-o", "SOURCE,FSTYPE", str(old.work.place("old"))).split() == [
        old.drive,
        "ext4",
    ], story(run)
    assert "noatime" in tool("findmnt", "-n", "-o", "VFS-OPTIONS", str(old.work.place("old")))
    command = read_entries(run)[-1].sentence.split("`")[1]
    assert command == f"diskwright tune {old.drive} --workload ID"
    advised = diskwright(
        old.work, *command.replace(" ID", " small-files").split()[1:], "--fstab", str(old.work.fstab)
    )
    assert advised.returncode == 0 and "mount" in advised.stdout, advised.stderr


def written_to(old: Old) -> None:
    old.restarted()
    place = old.mount("-t", "ext4")
    (place / "new").write_text("It must not be lost.")
    tool("umount", str(place))


def marked(old: Old) -> None:
    old.restarted()
    tool("tune2fs", "-L", "mine", old.drive)


def made_anew(old: Old) -> None:
    old.restarted()
    tool("mke2fs", "-q", "-F", "-t", "ext4", old.drive)


def mounted(old: Old) -> None:
    old.mount("-t", "ext4", "-o", "ro,noload")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (written_to, "was mounted for writing"),
        (marked, "was written to since"),
        (made_anew, "does not contain the filesystem"),
        (mounted, "in use"),
    ],
)
def test_harmful_undo_is_refused(old: Old, change: Callable[[Old], None], why: str) -> None:
    run = old.migrate_here(Way.LIGHT)
    old.work.bench.own(old.drive)
    change(old)
    found, lines = old.digest, old.fstab
    with pytest.raises(Refused, match=why):
        undo(run)
    assert (old.digest, old.fstab) == (found, lines) and state(run) is RunState.DONE


def changed_fstab(old: Old) -> None:
    old.work.fstab.write_text(old.fstab + "\n")


@pytest.mark.parametrize("change", [written_to, made_anew, mounted, changed_fstab])
def test_changed_filesystem_is_refused(old: Old, change: Callable[[Old], None]) -> None:
    migration = old.migration()
    old.work.bench.own(old.drive)
    change(old)
    found = old.digest
    with pytest.raises(Refused, match="Nothing was written"):
        JOB.preflight(migration, Start((), old.work.runs, old.work.environment))
    run = old.begin(migration)
    carry_out(run, Purpose.APPLY, ())
    assert old.digest == found and state(run) is RunState.REFUSED, story(run)


def test_commands_from_plan_to_undo(old: Old) -> None:
    before, file = old.digest, old.work.folder / "films.json"
    own = ("--fstab", str(old.work.fstab))
    old.planned_by_command(file)
    shown = diskwright(old.work, "show", str(file))
    assert "tune2fs -I 256" in shown.stdout and "A power cut loses no data" in shown.stdout, shown.stderr
    wrong = diskwright(old.work, "apply", str(file), "--confirm", "other", *own)
    assert wrong.returncode == 3 and old.digest == before
    dry = diskwright(old.work, "apply", str(file), "--dry-run", *own)
    assert dry.returncode == 0 and "Nothing was written" in dry.stderr and old.digest == before, dry.stderr
    done = diskwright(old.work, "apply", str(file), "--confirm", Path(old.drive).name, *own)
    assert done.returncode == 0 and "passed" in done.stdout and "diskwright keep" in done.stderr, done.stderr
    undone = diskwright(old.work, "undo")
    assert undone.returncode == 0 and "bit for bit" in undone.stderr and old.digest == before, undone.stderr
    assert diskwright(old.work, "keep").returncode == 3


def damaged(old: Old) -> None:
    """Create two files that claim the same block."""
    old.work.bench.own(old.drive)
    block = tool("debugfs", "-R", "bmap /holes 0", old.drive).strip()
    tool("debugfs", "-w", "-R", f"set_inode_field /fixed block[0] {block}", old.drive)


def test_damage_is_repaired_only_if_agreed_and_returns_on_undo(old: Old) -> None:
    damaged(old)
    before = old.digest
    run = old.migrate_here()
    assert (
        state(run) is RunState.FAILED
        and "is damaged; no repairs were made" in said(run, Event.STEP_FAILED)[0].sentence
    ), story(run)
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before
    # Its warning must be the same when the conversion starts, without a second check.
    tool("debugfs", "-w", "-R", "set_super_value error_count 3", old.drive)
    before = old.digest
    run = old.begin(make_migration(old.look(), Way.FULL, repairs=True))
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE, story(run)
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before, story(run)
