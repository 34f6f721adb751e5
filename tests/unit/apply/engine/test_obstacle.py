"""Blockers on a machine without loop devices, or with an unloaded loop module."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from wizard.apply.block import scratch_device
from wizard.apply.engine.scratch_copies import blocker


@pytest.fixture
def control(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Missing loop control device, with a modprobe that loads nothing."""
    control, programs = tmp_path / "loop-control", tmp_path / "bin"
    programs.mkdir()
    (programs / "modprobe").write_text("#!/bin/sh\nexit 1\n")
    (programs / "modprobe").chmod(0o755)
    monkeypatch.setattr(scratch_device, "CONTROL", str(control))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return control


def test_without_udev_the_module_is_loaded_first(control: Path) -> None:
    (control.parent / "bin/modprobe").write_text(f'#!/bin/sh\n[ "$2" = loop ] && : > {control}\n')
    assert blocker(control.parent, [1024]) == ""


def test_kernel_without_the_module_is_reported(control: Path) -> None:
    assert blocker(control.parent, [1024]) == f"{control} is not available (No such file or directory)"


def test_concurrent_checks_do_not_interfere(control: Path) -> None:
    """The wizard checks from several threads, and a false blocker would disable undo."""
    control.touch()
    with ThreadPoolExecutor(4) as pool:
        said = set(pool.map(lambda _: blocker(control.parent, [1024]), range(2000)))
    assert said == {""}
    assert not any(path.name.startswith((".size", "tmp")) for path in control.parent.iterdir())
