"""Changes to a mounted filesystem: everything is as shown, and undo restores everything."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import diskwright, said, story
from tests.loop.program import MIB, Event, Refused, RunState, list_runs, state, undo
from tests.loop.tune.tuning import BEFORE_IT, BEHIND_IT, BLOCKS, Used
from wizard.apply.system.edited_file import kept_as
from wizard.apply.system.mounts import is_mount_of, mounted_from
from wizard.cli.status import row_of


def test_all_changes_are_made_as_shown_and_undone(used: Used) -> None:
    changes, before = used.changes(), used.all
    (used.place / "film").write_text("It is in use.")
    with (used.place / "film").open() as film:
        run, ended = used.apply(changes)
        assert ended is RunState.DONE, story(run)
        assert (
            used.fstab
            == f"{BEFORE_IT}{used.line.replace('nodev,relatime', 'nodev,noatime,lazytime')}{BEHIND_IT}"
        )
        assert kept_as(used.work.fstab, run.name).read_text() == before[0]
        assert (
            'ATTR{queue/scheduler}="mq-deadline", ATTR{queue/read_ahead_kb}="4096"' in used.rules.read_text()
        )
        assert (used.scheduler, used.read_ahead) == ("mq-deadline", "4096")
        assert used.kept_for_root == BLOCKS // 100
        assert {"nodev", "noatime", "lazytime", "commit=30"} <= used.words
        assert len(said(run, Event.VERIFIED)) == len(changes.steps) == 6 and not said(run, Event.NOT_VERIFIED)
        shown = [argv for step in changes.steps for argv in step.commands]
        assert [entry.command for entry in said(run, Event.COMMAND)] == shown
        undo(run)
        assert film.read() == "It is in use."
    assert used.all == before and state(run) is RunState.UNDONE


def test_commands_from_advice_to_undo(used: Used) -> None:
    before, file = used.fstab, used.work.folder / "better.json"
    own = ("--fstab", str(used.work.fstab))
    tuned = diskwright(used.work, "tune", used.drive, "--workload", "large-media", "-o", str(file), *own)
    assert tuned.returncode == 0 and used.fstab == before, tuned.stderr
    assert (
        f"diskwright apply {file} --confirm {Path(used.drive).name} --fstab {used.work.fstab}" in tuned.stderr
    )
    shown = diskwright(used.work, "show", str(file))
    new = used.line.replace("nodev,relatime", "nodev,noatime")
    lines = [line.strip().replace("        /", "\t/") for line in shown.stdout.splitlines()]
    assert lines[lines.index(f"-{used.line}") + 1] == f"+{new}", shown.stdout
    done = diskwright(used.work, "apply", str(file), "--confirm", Path(used.drive).name, *own)
    assert done.returncode == 0 and new in used.fstab and "noatime" in used.words, done.stderr
    undone = diskwright(used.work, "undo")
    assert undone.returncode == 0 and used.fstab == before and "relatime" in used.words, undone.stderr
    (run,) = list_runs(used.work.runs)
    row = row_of(run)
    assert (row.state, row.drive, row.steps_done) == (RunState.UNDONE, used.drive, row.steps)


def test_dev_root_is_recognised_as_the_drive(used: Used, make_drive: MakeDrive) -> None:
    mounted = mounted_from(used.drive, str(used.place))
    assert mounted is not None
    as_root = replace(mounted, source="/dev/root")
    assert is_mount_of(as_root, used.drive) and not is_mount_of(as_root, make_drive(MIB))


def test_mounted_line_of_several_is_changed(used: Used) -> None:
    uuid = used.line.split()[0]
    used.work.fstab.write_text(f"{uuid} /elsewhere ext4 noatime 0 2\n{used.line}\n")
    changes = used.changes()
    assert any("at /elsewhere, which remain unchanged" in doubt for doubt in map(str, changes.doubts))
    run, end = used.apply(changes)
    assert end is RunState.DONE, story(run)
    new = used.line.replace("nodev,relatime", "nodev,noatime,lazytime")
    assert used.fstab == f"{uuid} /elsewhere ext4 noatime 0 2\n{new}\n"


def changed_fstab(used: Used) -> None:
    used.work.fstab.write_text(used.fstab + "\n")


def changed_rules(used: Used) -> None:
    used.rules.write_text("# mine\n")


def changed_queue(used: Used) -> None:
    (used.queue / "read_ahead_kb").write_text("256")


def changed_mount(used: Used) -> None:
    tool("mount", "-o", "remount,nosuid,nodev", used.drive, str(used.place))


def changed_superblock(used: Used) -> None:
    tool("tune2fs", "-r", "7", used.drive)


def another_filesystem(used: Used) -> None:
    """Replace the filesystem with a new one that has the same settings."""
    tool("umount", str(used.place))
    tool("mkfs.ext4", "-q", "-F", "-b", "1024", "-m", "5", used.drive)
    tool("mount", "-o", "nodev,relatime", used.drive, str(used.place))


@pytest.mark.parametrize(
    "change",
    [changed_fstab, changed_rules, changed_queue, changed_mount, changed_superblock, another_filesystem],
)
def test_changed_filesystem_is_refused(used: Used, change: object) -> None:
    changes = used.changes()
    assert callable(change)
    change(used)
    found = used.fstab
    with pytest.raises(Refused, match="Nothing was written"):
        used.start(changes)
    assert used.fstab == found and not list(used.work.runs.glob("*/changes.json"))
