"""Power cuts, failures and other users' changes between changes to a filesystem in use: resume and undo
work."""

import pytest

from tests.devices import tool
from tests.loop.applying import carry_out, said, stand_in, story, without_power
from tests.loop.program import (
    Event,
    Failed,
    Journal,
    Purpose,
    Refused,
    RunState,
    read_entries,
    resume,
    state,
    undo,
)
from tests.loop.tune.tuning import BLOCKS, Used


def test_interrupted_undo_is_repeated(used: Used, monkeypatch: pytest.MonkeyPatch) -> None:
    before, changes = used.all, used.changes()
    run, _ = used.apply(changes)
    Journal(run).add(Event.STARTED, "Undoing.")
    without_power(monkeypatch, Event.COMMAND, 3, lambda: carry_out(run, Purpose.UNDO, ()))
    assert state(run) is RunState.INTERRUPTED
    with pytest.raises(Refused, match="is unfinished"):
        resume(run)
    undo(run)
    assert used.all == before


def test_settings_changed_by_others_since_are_left_unchanged(used: Used) -> None:
    before = used.all
    run, _ = used.apply(used.changes())
    mine = used.rules.read_text().replace("4096", "2048")
    used.rules.write_text(mine)
    (used.queue / "read_ahead_kb").write_text("2048")
    used.work.fstab.write_text(f"{used.fstab}\nUUID=new /new ext4 defaults 0 0\n")
    undo(run)
    assert used.rules.read_text() == mine and used.read_ahead == "2048"
    assert used.fstab == f"{before[0]}\nUUID=new /new ext4 defaults 0 0\n"
    assert (used.scheduler, used.kept_for_root) == (before[2], before[4])
    last = read_entries(run)[-1].sentence
    assert last.count("Left unchanged because of an external change") == 2, last


def test_fstab_line_changed_by_others_is_left_unchanged(used: Used) -> None:
    run, _ = used.apply(used.changes())
    theirs = used.fstab.replace("lazytime", "commit=5")
    used.work.fstab.write_text(theirs)
    undo(run)
    assert (
        used.fstab == theirs and "was changed since and is left unchanged" in read_entries(run)[-1].sentence
    )


def test_ineffective_remount_is_reverted_before_fstab_changes(
    used: Used, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check a kernel that applies other options."""
    before = used.all
    real = tool("sh", "-c", "PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v mount").strip()
    script = (
        f'case "$*" in *noatime*) exec {real} -o remount,nodev,nosuid,noatime "$3" "$4";; esac\n'
        f'exec {real} "$@"'
    )
    stand_in(used.work.folder / "bin", monkeypatch, "mount", script)
    run, end = used.apply(used.changes())
    assert end is RunState.FAILED, story(run)
    assert (
        "The change did not take effect: mounted with rw,nosuid,nodev,noatime"
        in said(run, Event.STEP_FAILED)[0].sentence
    )
    assert (used.fstab, used.words) == (before[0], before[5])
    undo(run)
    assert used.all == before


def test_files_are_restored_if_the_drive_has_other_content(used: Used) -> None:
    before = used.fstab
    run, _ = used.apply(used.changes())
    tool("umount", str(used.place))
    used.work.bench.own(used.drive)
    tool("mkfs.ext4", "-q", "-F", "-b", "1024", "-m", "1", used.drive)
    with pytest.raises(Failed, match="no longer contains the ext4"):
        undo(run)
    assert used.fstab == before and not used.rules.exists()
    assert used.kept_for_root == BLOCKS // 100
