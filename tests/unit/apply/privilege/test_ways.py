"""Programs that can start a process as root, and handling of their replies."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wizard.apply.privilege.ask import (
    HELPER,
    RELAY,
    Answer,
    RootProgram,
    Say,
    as_line,
    find_root_program,
    relay_argv,
)
from wizard.apply.privilege.client import Elevated
from wizard.apply.run.journal import RunState
from wizard.host.services import Services
from wizard.model.errors import Failed, Refused
from wizard.process import module
from wizard.process.module import module_argv

DESKTOP_FILES = Path(__file__).parents[4] / "packaging" / "desktop"
DESKTOP = {"terminal", "session", "bus", "systemd"}
CONSOLE = {"terminal", "bus", "systemd"}
LAUNCHED = {"session", "bus", "systemd"}


def patch_programs(patch: pytest.MonkeyPatch, folder: Path, here: str, around: set[str]) -> None:
    """Install the programs `here` in a folder, and set what can ask for root."""
    programs = {name: str(folder / name) for name in here.split()}
    patch.setattr("wizard.apply.privilege.ask.find", programs.get)
    patch.setattr("wizard.apply.privilege.ask._look_around", lambda: around)


@pytest.mark.parametrize(
    ("here", "around", "chosen"),
    [
        ("sudo run0 pkexec", DESKTOP, "sudo"),
        ("sudo run0 pkexec", CONSOLE, "sudo"),
        ("sudo", {"terminal"}, "sudo"),
        ("run0 pkexec", DESKTOP, "run0"),
        # run0 has no terminal to ask on where its standard input is not one.
        ("run0", CONSOLE, None),
        ("run0 pkexec", CONSOLE, "pkexec"),
        ("sudo run0 pkexec", LAUNCHED, "run0"),
        ("sudo pkexec", LAUNCHED, "pkexec"),
        ("pkexec", {"terminal"}, None),
        ("run0", DESKTOP - {"systemd"}, None),
        ("sudo pkexec", set(), "sudo, asking nobody"),
        ("", DESKTOP, None),
    ],
)
def test_first_available_prompt_is_chosen(
    here: str, around: set[str], chosen: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in here.split():
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o4755)
    patch_programs(monkeypatch, tmp_path, here, around)
    found = find_root_program()
    assert (
        found and f"{found.name}{', asking nobody' if '--non-interactive' in found.prefix else ''}"
    ) == chosen
    if found:
        assert found.argv[0] == str(tmp_path / found.name)
        assert found.argv[len(found.prefix)] == sys.executable and "-I" in found.argv


def test_pkexec_without_its_setuid_bit_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pkexec").touch(0o755)
    patch_programs(monkeypatch, tmp_path, "pkexec", DESKTOP)
    assert find_root_program() is None


def test_root_starts_a_file_of_this_package() -> None:
    argv = RootProgram("sudo", ("sudo", "--")).argv
    assert "-c" not in argv and argv[-1] == RELAY
    assert Path(argv[-2]) == Path(module.__file__) and argv[2:4] == (sys.executable, "-I")


def test_root_runs_only_modules_of_this_package(tmp_path: Path) -> None:
    (tmp_path / "wizard").mkdir()
    (tmp_path / "wizard" / "__init__.py").write_text("print('not ours')")
    for name in ((), ("http.server",), ("wizardry",)):
        ran = subprocess.run(
            (sys.executable, "-I", module.__file__, *name), cwd=tmp_path, capture_output=True, check=False
        )
        assert (ran.returncode, ran.stdout) == (module.WRONG_USAGE, b"")
    ours = subprocess.run(
        (*module_argv("wizard.probe.nothing"),), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "not ours" not in ours.stdout and "wizard.probe.nothing" in ours.stderr


def test_installed_copy_has_a_fixed_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    helper = tmp_path / HELPER
    assert relay_argv(tmp_path)[-1] == RELAY
    shutil.copy(DESKTOP_FILES / HELPER, helper)
    helper.chmod(0o755)
    if os.geteuid() == 0:
        assert relay_argv(tmp_path) == (str(helper),)
        helper.chmod(0o775)
        assert relay_argv(tmp_path)[-1] == RELAY
        helper.chmod(0o755)
        os.chown(helper, 1000, 1000)
    # Of somebody else it is none.
    assert relay_argv(tmp_path)[-1] == RELAY
    refused = subprocess.run((helper, "-c", "print(1)"), capture_output=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, b"")


def saying(name: str, *lines: bytes, status: int = 0) -> RootProgram:
    """Return a root program that prints these lines and exits."""
    code = f"import sys; sys.stdout.buffer.write({b''.join(lines)!r}); sys.stdout.flush(); sys.exit({status})"
    return RootProgram(name, (sys.executable, "-I", "-c", code))


@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        (
            saying("sudo", status=1),
            "Root access was not granted: sudo ended with status 1. Nothing was written.",
        ),
        (
            saying("sudo", b"Sorry, try again.\n", status=1),
            "Root access was not granted: sudo ended with status 1. Nothing was written.",
        ),
        (
            saying("pkexec", status=126),
            "Root access was not granted: the request was dismissed. Nothing was written.",
        ),
        (
            saying("run0", as_line(Answer(Say.REFUSED, sentence="No."))),
            "Root access was not granted: run0 ended with status 0. Nothing was written.",
        ),
        (RootProgram("sudo", ("/nonexistent/sudo",)), "sudo did not start"),
    ],
)
def test_denied_root_is_a_sentence(way: RootProgram, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        Elevated(way)


def test_silent_run_is_not_called_ended() -> None:
    run = Path("/var/lib/diskwright/runs/20260314-150926-sda")
    root = Elevated(saying("sudo", as_line(Answer(Say.ROOT)), as_line(Answer(Say.BEGAN, run=str(run)))))
    with pytest.raises(Failed, match=f"diskwright status {run.name}"):
        list(root.follow(run))
    assert root.gone and root.state(run) is RunState.RUNNING


def test_wizard_reports_a_missing_prompt_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("wizard.apply.privilege.ask.find_root_program", lambda: None)
    services = Services()
    assert services.apply_obstacle == services.obstacle != "" and not services.asks_for_root
    with pytest.raises(Refused, match="Neither sudo, run0 nor pkexec"):
        services.obtain_root()


def test_root_needs_no_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    services = Services()
    services.obtain_root()
    assert services.apply_obstacle == "" and not services.asks_for_root
