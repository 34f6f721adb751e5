"""Concurrent changes to one fstab by several runs and an editor: no line is lost."""

import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from tests.unit.ext4.migrations import identity_of
from tests.unit.machines import drive
from wizard.apply.settings import states
from wizard.apply.settings.system import RunningSystem
from wizard.apply.system import edited_file
from wizard.apply.system.edited_file import edit, kept_as
from wizard.apply.system.fstab import add_line
from wizard.model.errors import Failed
from wizard.operations.fstab import EditFstab, LineEdit, digest_of_text
from wizard.operations.mounts import AddFstabLine

ROOT = Path(__file__).parents[4]
RUNS, ROUNDS = 4, 40
OLD = "# mounts at boot\nUUID=abc / ext4 defaults 0 1\n"

WRITER = """
import sys
from pathlib import Path
from wizard.apply.system.fstab import add_line
from wizard.operations.mounts import AddFstabLine
fstab, me, rounds, barrier = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.stdin.readline()
for turn in range(rounds):
    one = AddFstabLine(f"{me:08}-0000-4000-8000-{turn:012}", f"/srv/{me}-{turn}", "ext4", ("nofail",), 2)
    keep = fstab.with_name(f"kept-{me}-{turn}")
    add_line(fstab, one, keep)
"""


def line_of(who: int, turn: int) -> AddFstabLine:
    return AddFstabLine(f"{who:08}-0000-4000-8000-{turn:012}", f"/srv/{who}-{turn}", "ext4", ("nofail",), 2)


def test_concurrent_runs_lose_no_line(tmp_path: Path) -> None:
    """Each process adds a line per round."""
    fstab = tmp_path / "fstab"
    fstab.write_text(OLD)
    argvs = [(sys.executable, "-c", WRITER, str(fstab), str(who), str(ROUNDS)) for who in range(RUNS)]
    writers = [
        subprocess.Popen(argv, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        for argv in argvs
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        _, said = writer.communicate()
        assert writer.returncode == 0, said
    wanted = {line_of(who, turn).line for who in range(RUNS) for turn in range(ROUNDS)}
    text = fstab.read_text()
    assert text.startswith(OLD)
    assert sorted(text.removeprefix(OLD).splitlines()) == sorted(wanted)
    assert not list(tmp_path.glob(".fstab*"))


def test_editor_without_locking_loses_no_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The editor saves just after the new file was written and before the rename."""
    fstab = tmp_path / "fstab"
    fstab.write_text(OLD)
    write = edited_file._write
    saved: list[Path] = []

    def write_late(path: Path, text: str, like: Path | None) -> None:
        write(path, text, like)
        if path.name.startswith(".fstab") and not saved:
            saved.append(path)
            fstab.write_text(f"{fstab.read_text()}UUID=def /home ext4 defaults 0 2\n")

    monkeypatch.setattr(edited_file, "_write", write_late)
    add_line(fstab, line_of(1, 1), kept_as(fstab, "run"))
    assert saved
    assert fstab.read_text() == f"{OLD}UUID=def /home ext4 defaults 0 2\n{line_of(1, 1).line}\n"


def test_concurrently_changed_line_is_unchanged(tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text(f"# one more line\n{OLD}")
    line = LineEdit(2, "UUID=abc / ext4 defaults 0 1", "UUID=abc / ext4 noatime 0 1")
    change = EditFstab(str(fstab), digest_of_text(OLD), (line,))
    with pytest.raises(Failed, match="was changed since"):
        states.write(change, RunningSystem(identity_of(drive()), (change,), run_name="run"), new=True)
    assert fstab.read_text() == f"# one more line\n{OLD}"
    assert not kept_as(fstab, "run").exists()


def test_constantly_changing_file_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text(OLD)
    write, turns = edited_file._write, count()

    def write_late(path: Path, text: str, like: Path | None) -> None:
        write(path, text, like)
        fstab.write_text(f"# {next(turns)}\n{OLD}")

    monkeypatch.setattr(edited_file, "_write", write_late)
    with pytest.raises(Failed, match="repeatedly changes"):
        edit(fstab, lambda text: text + "more\n")
    assert fstab.read_text() == f"# {next(turns) - 1}\n{OLD}"
    assert not list(tmp_path.glob(".fstab*"))
