"""Run folders: their numbers, commands without a matching run, and durability by mount."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.unit.documents.test_changes import CHANGES
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import Journal
from wizard.apply.run.runs import CHANGES as FILE
from wizard.apply.run.runs import COUNTER, doubts_about, find_run, list_runs, make_run
from wizard.cli.runs import choose_run
from wizard.model.errors import Refused
from wizard.plan.changes import SETTINGS
from wizard.probe.host import sysfs

ROOT = Path(__file__).parents[4]
TEXT = SETTINGS.render(CHANGES)


def begin(runs: Path, fstab: Path, device: str = "/dev/sda") -> str:
    run = make_run(runs, (device,), FILE, TEXT, Environment(fstab=fstab))
    Journal(run).close()
    return run.name


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


@pytest.fixture
def reachable() -> Iterator[Path]:
    """Folder accessible to all users, like /var/lib; a test's own folder is private."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_unreadable_folder_is_not_called_empty(reachable: Path) -> None:
    runs = reachable / "runs"
    runs.mkdir()
    begin(runs, reachable / "fstab")
    runs.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        with pytest.raises(Refused, match=r"Only root can read .*: use sudo"):
            list_runs(runs)
    finally:
        if root:
            os.seteuid(0)
        runs.chmod(0o700)


def test_each_run_has_the_next_number(runs: Path, tmp_path: Path) -> None:
    names = [begin(runs, tmp_path / "fstab", f"/dev/sd{letter}") for letter in "cab"]
    assert names == ["0001-sdc", "0002-sda", "0003-sdb"]
    assert [run.name for run in list_runs(runs)] == names and find_run(None, runs).name == "0003-sdb"


def test_number_is_never_reused(runs: Path, tmp_path: Path) -> None:
    """Not even if the newest run was deleted, or the counter was lost or damaged."""
    begin(runs, tmp_path / "fstab")
    newest = runs / begin(runs, tmp_path / "fstab")
    for path in newest.rglob("*"):
        if path.is_file():
            path.unlink()
    newest.rmdir()
    assert begin(runs, tmp_path / "fstab") == "0003-sda"
    for damaged in ("", "no number", "-7", "\0" * 5):
        (runs / COUNTER).write_text(damaged)
        begin(runs, tmp_path / "fstab")
    (runs / COUNTER).unlink()
    assert begin(runs, tmp_path / "fstab") == "0008-sda"


def test_runs_of_older_versions_come_first(runs: Path, tmp_path: Path) -> None:
    """Including a run by a clock years ahead."""
    old = ["20200101-000000-sda", "20260101-101500-sda", "20260101-101500-sda-2", "20991231-235959-sdb"]
    for name in reversed(old):
        (runs / name).mkdir()
        Journal(runs / name).close()
    first = begin(runs, tmp_path / "fstab")
    (runs / COUNTER).write_text("9998\n")
    later = [begin(runs, tmp_path / "fstab") for _ in range(3)]
    assert later == ["9999-sda", "10000-sda", "10001-sda"]
    assert [run.name for run in list_runs(runs)] == [*old, first, *later]


def test_leftovers_of_another_run_folder_are_not_adopted(tmp_path: Path) -> None:
    """Both folders count from 1, and a run saves a copy next to fstab."""
    kept = tmp_path / "fstab.diskwright-0001-sda"
    kept.write_text("another run's\n")
    (tmp_path / "crypttab.diskwright-0002-sda").touch()
    runs = tmp_path / "runs"
    runs.mkdir()
    assert begin(runs, tmp_path / "fstab") == "0003-sda"
    assert kept.read_text() == "another run's\n"


def test_concurrent_processes_get_different_numbers(runs: Path) -> None:
    code = "import sys; from pathlib import Path; from wizard.apply.run import backup_store, runs\n"
    code += "for _ in range(25):\n"
    code += "    runs.make_run(Path(sys.argv[1]), ['/dev/sda'], 'plan.json', '', backup_store.ANY)"
    makers = [subprocess.Popen((sys.executable, "-c", code, str(runs)), cwd=ROOT) for _ in range(4)]
    assert [maker.wait() for maker in makers] == [0] * 4
    assert sorted(path.name for path in runs.iterdir() if path.is_dir()) == [
        f"{number:04}-sda" for number in range(1, 101)
    ]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("look", r"No run in .* is waiting\. .* mount it read-only"),
        ("keep", r"Cannot keep: .* \(newest: 0001-sda, interrupted\)\. `diskwright status`"),
    ],
)
def test_missing_run_argument_names_the_newest_run(tmp_path: Path, command: str, said: str) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    begin(runs, tmp_path / "fstab")
    with pytest.raises(Refused, match=said):
        choose_run(None, command, runs)


ROOT_IN_MEMORY = "31 1 0:25 / / rw - overlay root rw\n"
RUNS_ON_A_DRIVE = "37 31 259:1 /runs /var/lib/diskwright/runs rw - ext4 /dev/nvme0n1p1 rw\n"


@pytest.mark.parametrize(("mounts", "doubts"), [(ROOT_IN_MEMORY, 1), (ROOT_IN_MEMORY + RUNS_ON_A_DRIVE, 0)])
def test_folder_that_is_a_mount_point_belongs_to_that_mount(
    mounts: str, doubts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysfs, "text", lambda _: mounts)
    assert len(doubts_about(Path("/var/lib/diskwright/runs"))) == doubts


def test_folder_with_a_longer_name_is_different(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysfs, "text", lambda _: ROOT_IN_MEMORY + RUNS_ON_A_DRIVE)
    assert len(doubts_about(Path("/var/lib/diskwright/runs-of-others"))) == 1
