"""Conversions interrupted during commit, resumed and on a device with another name."""

from pathlib import Path
from shutil import copyfile

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.exchanging import Power, PowerCut, differing, save_chunks, unheard
from tests.loop.applying import carry_out, diskwright, story
from tests.loop.migrate.migrating import Old
from tests.loop.migrate.transaction.test_hidden import CutDevice
from tests.loop.program import (
    Event,
    Journal,
    Phase,
    Purpose,
    Refused,
    RunState,
    load_record,
    read_entries,
    state,
    undo,
)
from wizard.apply.block.devices import forget_caches
from wizard.apply.block.extents import DeviceMedium, HeldDrive
from wizard.apply.conversion.commit import EARLIER, FILE, Committer, locate, migration_now
from wizard.apply.conversion.job import JOB
from wizard.apply.engine import exchange
from wizard.apply.engine.record import Record, save_record
from wizard.apply.engine.stores import old_file
from wizard.apply.run.job import JobRequest
from wizard.cli.status import row_of
from wizard.operations.fstab import EditFstab


def sealed(old: Old) -> Path:
    """Return a run with its steps done on a plain copy, and the change saved."""
    migration = old.migration()
    run = old.begin(migration)
    before, after = old.work.folder / "before.img", old.work.folder / "after.img"
    forget_caches(old.drive)
    for image in (before, after):
        copyfile(old.work.bench.image_of(old.drive), image)
    journal = Journal(run)
    for number, step in enumerate(migration.steps, 1):
        if not isinstance(step.operation, EditFstab):
            journal.add(Event.STEP_STARTED, step.sentence, step=number)
            for argv in step.operation.commands(str(after)):
                tool("sh", "-c", '"$@"; [ $? -le 1 ]', "sh", *argv)
            journal.add(Event.STEP_DONE, "Done.", step=number)
    journal.close()
    with DeviceMedium(old.drive) as medium:
        save_chunks(run, old.drive, medium, differing(before.read_bytes(), after.read_bytes()))
    return run


def written_to(old: Old, kind: str) -> None:
    old.restarted()
    place = old.mount("-t", kind)
    (place / "new").write_text("It must not be lost.")
    tool("umount", str(place))


def cut_off(run: Path, node: str, moment: int) -> None:
    """Cut the power after this many writes of the commit."""
    with CutDevice(node, Power(moment)) as medium, pytest.raises(PowerCut):
        Committer(run, node, medium, unheard).commit(lambda share: None)
    forget_caches(node)


@pytest.mark.parametrize("moment", [0, 3])
def test_interrupted_commit_resumes_and_can_be_undone(old: Old, moment: int) -> None:
    before, fstab = old.digest, old.fstab
    files = old.files("ext3")
    run = sealed(old)
    cut_off(run, old.drive, moment)
    told = row_of(run)
    assert (
        told.state is RunState.INTERRUPTED
        and "could not be mounted" in told.sentence
        and "diskwright resume" in told.sentence
    )
    said = diskwright(old.work, "keep", run.name).stderr
    assert "Content: " in said and "bit for bit" not in said, (
        "the words of a plan's run are not a migration's"
    )
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and "power cut now" not in row_of(run).sentence
    assert (
        tool("blkid", "-p", "-s", "TYPE", "-o", "value", old.drive).strip() == "ext4"
        and "  ext4\t" in old.fstab
    )
    assert old.files("ext4") == files
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest, old.fstab) == (RunState.UNDONE, before, fstab)
    assert not old.saved


def test_interrupted_commit_is_undone_without_resume(old: Old) -> None:
    before, fstab = old.digest, old.fstab
    run = sealed(old)
    cut_off(run, old.drive, 3)
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest, old.fstab) == (RunState.UNDONE, before, fstab)


def test_writable_mount_prevents_undo_but_not_keep(old: Old) -> None:
    run = sealed(old)
    carry_out(run, Purpose.APPLY, ())
    old.restarted()
    old.mount("-t", "ext4")
    tool("umount", str(old.work.place("old")))
    used = old.digest
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest) == (RunState.REFUSED, used)
    JOB.check_possible(run, JobRequest(Purpose.KEEP))
    carry_out(run, Purpose.KEEP, ())
    assert state(run) is RunState.KEPT
    assert not old.saved


def test_files_written_before_the_commit_are_not_damaged(old: Old) -> None:
    """Use the filesystem after a power cut between saving the change and the commit."""
    run, lines = sealed(old), old.fstab
    place = old.mount()
    (place / "new").write_text("It must not be lost.")
    tool("umount", str(place))
    used = old.digest
    carry_out(run, Purpose.APPLY, ())
    assert (state(run), old.digest, old.fstab) == (RunState.REFUSED, used, lines), story(run)
    assert "was modified since" in row_of(run).sentence and not old.saved
    # Not even anew: what was shown was for the filesystem as it was then.
    carry_out(run, Purpose.APPLY, ())
    assert (state(run), old.digest, old.fstab) == (RunState.REFUSED, used, lines), story(run)
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest) == (RunState.UNDONE, used)


def cut_off_before(run: Path, node: str, phase: Phase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the power after the last write, before its record."""

    def save(run: Path, record: Record) -> None:
        if record.phase is phase:
            raise PowerCut
        save_record(run, record)

    tool("blockdev", "--setrw", node)
    with monkeypatch.context() as patch, HeldDrive(node) as medium, pytest.raises(PowerCut):
        patch.setattr(exchange, "save_record", save)
        change = Committer(run, node, medium, unheard)
        (change.commit if phase is Phase.RELEASED else change.undo)(lambda share: None)
    forget_caches(node)


def test_commit_finishes_after_a_writable_mount_before_its_record(
    old: Old, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = sealed(old)
    cut_off_before(run, old.drive, Phase.RELEASED, monkeypatch)
    written_to(old, "ext4")
    used = old.digest
    with pytest.raises(Refused, match=f"undo is no longer possible. `diskwright resume {run}`"):
        undo(run)
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and old.digest == used and "  ext4\t" in old.fstab, story(run)
    with pytest.raises(Refused, match=f"undo is no longer possible. `diskwright keep {run}`"):
        undo(run)
    carry_out(run, Purpose.KEEP, ())
    assert (state(run), old.digest) == (RunState.KEPT, used) and not old.saved


def test_commit_finishes_after_a_writable_mount_before_fstab(old: Old) -> None:
    run = sealed(old)
    with HeldDrive(old.drive) as medium:
        Committer(run, old.drive, medium, unheard).commit(lambda share: None)
    written_to(old, "ext4")
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and "  ext4\t" in old.fstab, story(run)


def test_undo_interrupted_before_its_record_reports_later_use(
    old: Old, monkeypatch: pytest.MonkeyPatch
) -> None:
    fstab = old.fstab
    run = sealed(old)
    carry_out(run, Purpose.APPLY, ())
    cut_off_before(run, old.drive, Phase.UNDONE, monkeypatch)
    written_to(old, "ext3")
    used = old.digest
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest, old.fstab) == (RunState.UNDONE, used, fstab), story(run)
    assert "prevent a bit-for-bit comparison" in read_entries(run)[-1].sentence


def test_undo_with_damaged_saved_bytes_is_refused_and_leaves_fstab_correct(old: Old) -> None:
    run = sealed(old)
    carry_out(run, Purpose.APPLY, ())
    found, lines = old.digest, old.fstab
    kept = old_file(run, 0)
    kept.write_bytes(bytes(kept.stat().st_size))
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest, old.fstab) == (RunState.REFUSED, found, lines), story(run)
    assert "was changed or damaged" in row_of(run).sentence


def test_run_of_an_earlier_version_is_left_unchanged(old: Old) -> None:
    run = sealed(old)
    before, fstab = old.digest, old.fstab
    (run / FILE).rename(run / EARLIER[0])
    for words in (("resume",), ("undo",), ("keep",)):
        told = diskwright(old.work, *words, run.name)
        said = told.stdout + told.stderr
        assert told.returncode not in (0, 1) and "Traceback" not in said, said
    assert "earlier version of diskwright" in diskwright(old.work, "undo", run.name).stderr
    assert diskwright(old.work, "status").returncode == 0
    assert (old.digest, old.fstab) == (before, fstab)


@pytest.mark.alone
def test_hidden_filesystem_is_found_under_another_name(old: Old, make_drive: MakeDrive) -> None:
    run = sealed(old)
    cut_off(run, old.drive, 3)
    image = old.work.bench.image_of(old.drive)
    # Another drive has the name now, and the filesystem's drive another one.
    other = image.with_name("other.img")
    copyfile(image, other)
    with other.open("r+b") as file:
        file.truncate(other.stat().st_size - (1 << 20))
    assert locate(run) == [old.drive]
    tool("losetup", "--detach", old.drive)
    tool("losetup", old.drive, str(other))
    new = tool("losetup", "--find", "--show", str(image)).strip()
    old.work.bench.images[new] = image
    old.work.bench.images[old.drive] = other
    assert locate(run) == [new]
    record = load_record(run)
    assert record is not None
    # A rehearsal that was cut off begins again.
    for phase in (record.phase, Phase.REHEARSING):
        save_record(run, replace(record, phase=phase))
        found = migration_now(run)
        assert (phase, found.device, found.drive.path) == (phase, new, new)
