"""`show` and `apply` with changes instead of a plan: output, and checks before the first change."""

import json
import os
from pathlib import Path

import pytest

from tests.unit.documents.test_changes import CHANGES, LINE, TEXT
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import FILE as JOURNAL
from wizard.apply.run.runs import CHANGES as CHANGES_FILE
from wizard.apply.run.runs import make_run
from wizard.cli import main
from wizard.cli.main import parser_of
from wizard.cli.start import environment_of
from wizard.cli.status import show_entry
from wizard.documents.codec import to_json
from wizard.model.run import Event, JournalEntry


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "c.json").write_text(TEXT)
    return str(tmp_path / "c.json")


def test_every_step_shows_its_command_lines_and_undo(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["show", file]) == 0
    shown = capsys.readouterr().out
    flat = " ".join(shown.split())
    assert all(
        " ".join(step.sentence.split()) in flat and f"Undo: {step.undo}" in flat for step in CHANGES.steps
    )
    assert "tune2fs -r 10 /dev/sda1" in shown and "serial S1" in flat and "It is a test. (test(1))" in flat
    assert f"-{' '.join(LINE.split())}" in flat
    assert main.main(["show", file, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == to_json(CHANGES.steps)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "Nothing was written. This would change /dev/sda"),
        (["--confirm", "S2"], "add --confirm S1, each exactly once"),
        (["--confirm", "S1", "--confirm", "S1"], "each exactly once"),
        (["--confirm", "S1"], "This requires root. Nothing was written."),
    ],
)
def test_no_change_without_token_and_root(
    file: str,
    words: list[str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert main.main(["apply", file, *words]) == 3
    said = " ".join(capsys.readouterr().err.split())
    assert says in said
    assert ("sudo diskwright apply" in said and "--confirm S1" in said) is (words == ["--confirm", "S1"])


@pytest.mark.parametrize("words", [["--confirm", "S1"], ["--dry-run"]])
def test_changes_need_no_passphrase(
    file: str, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert main.main(["apply", file, *words, "--passphrase-file", "/nowhere"]) == 2
    assert "No passphrase is needed here" in " ".join(capsys.readouterr().err.split())


def test_changes_are_no_plan(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["report", "--plan", file, "--json"]) == 2
    assert "is a diskwright.changes/2, not a diskwright.plan" in " ".join(capsys.readouterr().err.split())


def test_run_of_changes_resumes_without_a_passphrase(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "runs"
    runs.mkdir(mode=0o700)
    run = make_run(runs, (CHANGES.device,), CHANGES_FILE, TEXT, Environment(fstab=tmp_path / "fstab"))
    (run / JOURNAL).touch()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert main.main(["resume", str(run), "--passphrase-file", "/nowhere"]) == 2
    assert "No passphrase is needed here" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("output", "line"),
    [("", "passed Label is a"), ("Label is a", "passed Label is a"), ("b", "passed Label is a: b")],
)
def test_a_check_names_its_result_once(output: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    show_entry(JournalEntry("2026-11-21T00:00:00+00:00", Event.VERIFIED, 1, "Label is a", (), output), 1)
    assert capsys.readouterr().out.rstrip() == line


def test_every_command_that_starts_a_run_has_an_environment() -> None:
    for words in (["move", "/dev/sda1"], ["label", "/dev/sda1", "films"], ["unmount", "/dev/sda1"]):
        arguments = parser_of(words[0]).read(words[1:])
        assert environment_of(arguments).fstab == Path("/etc/fstab")
