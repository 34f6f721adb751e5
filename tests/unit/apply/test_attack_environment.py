"""Influence of the environment on commands: search paths, full disks, locale."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wizard.cli import main
from wizard.process.program import find, run, search_path

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("path", ["", ":/usr/bin", ".:/usr/bin", "bin:/usr/bin:", "/usr/bin::/bin"])
def test_current_folder_provides_no_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    for folder in (tmp_path, tmp_path / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "mkfs.planted").write_text("#!/bin/sh\n")
        (folder / "mkfs.planted").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path)
    assert find("mkfs.planted") is None
    assert all(folder.startswith("/") for folder in search_path().split(os.pathsep))


def test_environment_does_not_affect_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """mke2fs reads defaults from MKE2FS_CONFIG, so the filesystem would differ from the plan."""
    for name in ("MKE2FS_CONFIG", "E2FSPROGS_UNDO_DIR", "LIBMOUNT_FSTAB", "BLKID_FILE", "LANGUAGE"):
        monkeypatch.setenv(name, "/planted")
    said = run(["env"], seconds=10).output
    assert "/planted" not in said
    assert "LC_ALL=C\n" in said and f"PATH={search_path()}\n" in said


@pytest.mark.parametrize(
    "words",
    [
        ["show", "a", "\x1b[31mb"],
        ["--\x1b]0;x\x07"],
        ["inspect", "--machine", "/none\x1b[2J\u202e\n"],
        ["\x1b"],
    ],
    ids=ascii,
)
def test_untrusted_text_is_shown_safely(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main.main(words)
    except SystemExit as ended:
        code = int(ended.code or 0)
    said = capsys.readouterr().err
    assert code == 2
    assert said.strip()
    assert all(char == "\n" or char.isprintable() for char in said), ascii(said)


def test_full_disk_behind_the_output_is_a_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        argv = [sys.executable, "-m", "wizard", "workloads", "--json"]
        said = subprocess.run(
            argv, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    assert said.returncode == 1
    assert said.stderr.startswith("diskwright: Cannot use stdout: ")
