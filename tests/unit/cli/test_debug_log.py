"""`--debug`: a log to attach to bug reports."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.machines import FOLDER
from wizard.cli.main import own_words, parser_of
from wizard.cli.start import read_text
from wizard.cli.table import COMMANDS
from wizard.model.errors import ExitCode
from wizard.probe.machine import load_machine
from wizard.process import program
from wizard.process.program import run
from wizard.report.debug import LARGEST_BYTES, debugged

RECORDED = FOLDER / "ssd.json"


def wizard(tmp_path: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "wizard", *words],
        env={**os.environ, "TMPDIR": str(tmp_path), **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def log_in(folder: Path) -> str:
    """Return the text of the only log in the folder."""
    (file,) = folder.glob("diskwright-debug-*")
    assert file.suffix == ".log"
    assert file.stat().st_mode & 0o777 == 0o600
    return file.read_text()


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Active debug log."""
    file = tmp_path / "log"
    file.touch()
    monkeypatch.setenv(program.VARIABLE, str(file))
    return file


def test_log_records_versions_command_and_exit_code(tmp_path: Path) -> None:
    plain = wizard(tmp_path, "inspect", "--machine", str(RECORDED))
    done = wizard(tmp_path, "inspect", "--machine", str(RECORDED), "--debug")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    said = log_in(tmp_path)
    assert f"Python {sys.version.split()[0]}, Linux {os.uname().release}" in said
    assert "textual" in said and "inspect --machine" in said
    assert "end: exit code 0" in said
    assert f"Log: {next(tmp_path.glob('*.log'))}" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("options", [["--debug"], ["--debug", "--with-serials"]])
def test_log_contains_full_errors_and_a_serial_only_on_request(tmp_path: Path, options: list[str]) -> None:
    serial = load_machine(RECORDED).drives[0].serial
    assert serial is not None and len(serial) > 4
    done = wizard(tmp_path, *options, "inspect", f"/dev/{serial}", "--machine", str(RECORDED))
    assert done.returncode == ExitCode.USAGE
    assert f"Drive /dev/{serial} is not among" in done.stderr.splitlines()[-2]
    said = log_in(tmp_path)
    assert "Traceback" in said and "BadInput" in said and "end: exit code 2" in said
    assert (serial in said) == ("--with-serials" in options)
    assert ("SERIAL-1" in said) != ("--with-serials" in options)


def test_token_on_the_command_line_counts_as_serial_number(tmp_path: Path) -> None:
    wizard(
        tmp_path, "apply", "none.json", "--confirm", "WD-WX11A2345678", "--confirm=WD-WX11A2345679", "--debug"
    )
    said = log_in(tmp_path)
    assert "--confirm" in said and "WX11A234567" not in said


def test_environment_cannot_choose_the_log_file(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("kept")
    done = wizard(
        tmp_path, "inspect", "--machine", str(tmp_path / "none.json"), **{program.VARIABLE: str(mine)}
    )
    assert done.returncode == ExitCode.USAGE
    assert mine.read_text() == "kept"


def test_crash_is_logged_and_remains_a_crash(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def crash(words: list[str]) -> int:
        assert words == ["inspect"]
        raise ZeroDivisionError("of all things")

    with pytest.raises(ZeroDivisionError):
        debugged(["--debug", "inspect"], crash)
    assert "ZeroDivisionError: of all things" in log_in(tmp_path)
    assert "Log: " in capsys.readouterr().err
    assert program.VARIABLE not in os.environ


def test_log_contains_programs_with_versions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def work(_: list[str]) -> int:
        run(["mke2fs", "-n", "-q", "/nonexistent"], seconds=10, accept=range(256))
        return 0

    debugged(["--debug"], work)
    said = log_in(tmp_path)
    assert " command: mke2fs -n -q /nonexistent: status 1 after 0." in said
    assert "\nmke2fs: mke2fs 1." in said


def test_command_is_logged_without_its_input(log: Path) -> None:
    run(["sh", "-c", "cat >/dev/null; exit 3"], seconds=10, accept=(3,), stdin=b"a passphrase")
    said = log.read_text()
    assert "exit 3': status 3 after 0." in said
    assert "passphrase" not in said


def test_log_stays_small_and_includes_the_end(log: Path) -> None:
    for number in range(5000):
        program.note(program.COMMAND, f"{number} {'x' * 200}")
    try:
        raise ZeroDivisionError("at last")
    except ZeroDivisionError:
        program.note_exception()
    said = log.read_text()
    assert len(said) <= LARGEST_BYTES
    assert said.count("lines are left out") == 1
    assert "ZeroDivisionError: at last" in said


def test_no_writes_after_the_end(log: Path) -> None:
    log.unlink()
    program.note(program.END, "late")
    assert not log.exists()


def nowhere() -> str:
    raise FileNotFoundError(2, "No usable temporary directory found")


def test_spare_folder_is_used_without_a_writable_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    monkeypatch.setattr(program, "SPARE", (str(tmp_path / "none"), str(tmp_path)))
    assert debugged(["status"], lambda words: 7) == 7
    assert "exit code 7" in log_in(tmp_path)
    monkeypatch.setattr(program, "SPARE", ())
    assert debugged(["status"], lambda words: 7) == ExitCode.FAILED
    assert "TMPDIR" in capsys.readouterr().err


def logged(
    words: list[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    does: str | None = None,
    files: Sequence[Path] = (),
) -> str:
    """Return the log of a command that reads `files`, with `does`, or all of its words, among the commands
    run."""
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr(program, "seen", [])

    def work(rest: list[str]) -> int:
        for file in files:
            read_text(str(file))
        program.note(program.COMMAND, " ".join(rest) if does is None else does)
        return 0

    debugged(["--debug", *words], work, own_words(words))
    (file,) = folder.glob("diskwright-debug-*")
    said = file.read_text()
    file.unlink()
    return said


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_values_of_options_are_replaced(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taking = [action for action in parser_of(name)._actions if action.nargs != 0 and not action.choices]
    words = [name]
    for action in taking:
        for value in ("zorka", "/srv/zorka", "zorka/plan.json", "qz", "/dev/zorka", "zorka's own"):
            option = action.option_strings[-1:]
            words += [*option, value]
            words += [f"{option[0]}={value}"] if option[:1] and option[0].startswith("--") else []
    said = logged(words, tmp_path, monkeypatch)
    assert not re.search("zorka|\\bqz\\b", said), said
    assert all(option in said for action in taking for option in action.option_strings[-1:])


def test_known_values_of_the_program_remain_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = [
        *("plan", "/dev/sdb", "/dev/nvme0n1p2", "--replace", "--table", "gpt", "--fs", "ext4"),
        *("--option", "noatime", "--chunk", "512KiB", "--mirror", "btrfs"),
    ]
    volume = "workload=large-media,size=50%,label=q,mount=/srv/zorka,writable=group:zo,subvolume=@zorka:/home"
    said = logged([*kept, "--volume", volume], tmp_path, monkeypatch)
    assert f"diskwright --debug {' '.join(kept)} --volume" in said
    assert re.search(
        r"workload=large-media,size=50%,label=NAME-\d+,mount=/FILE-\d+,writable=group:USER-\d+", said
    )
    assert "zo" not in re.sub("zone[sd]?", "", said)


def test_names_from_documents_and_environment_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = tmp_path / "wanted.toml"
    wanted.write_text(
        "schema = 'diskwright.wanted/1'\n[[drive]]\nname = 'zorkas'\nmatch = { serial = 'ZQ-77' }\n"
        "[[drive.volume]]\nworkload = 'nas'\nlabel = 'zorkaslabel'\nmount = '/srv/zorkasplace'\n"
        "writable = 'group:zorkasgroup'\n"
    )
    plan = tmp_path / "plan.json"
    plan.write_text('{"writer": {"kind": "person", "name": "zorka"}}')
    monkeypatch.setenv("SUDO_USER", "zorkadmin")
    monkeypatch.setenv("HOME", "/srv/zorkahome")
    ran = (
        "mkfs -L zorkaslabel zorkas ZQ-77 /srv/zorkasplace/x zorkasgroup zorka zorkadmin /srv/zorkahome/y nas"
    )
    said = logged(["ensure", str(wanted), str(plan)], tmp_path, monkeypatch, ran, (wanted, plan))
    assert "zorka" not in said and "ZQ-77" not in said
    assert said.count(" nas\n") == 1, "a purpose of ours"
