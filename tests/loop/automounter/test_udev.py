"""Events of a real udev during and after a run, and an automounter that listens to them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.devices import MakeDrive, in_own_namespace
from tests.loop.applying import ROOT, Work
from tests.loop.automounter.under_udev import UDEVD
from tests.loop.program import MIB
from wizard.process.program import ALWAYS


@pytest.fixture
def udev() -> None:
    if Path(UDEVD).exists() and shutil.which("udevadm"):
        return
    reason = "udev is not installed"
    pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


@pytest.mark.alone
def test_udev_sees_old_partitions_before_the_new_one_is_mounted(
    udev: None, work: Work, make_drive: MakeDrive
) -> None:
    drive = make_drive(96 * MIB)
    program = (sys.executable, "-B", "-m", "tests.loop.automounter.under_udev")
    argv = in_own_namespace("unshare", "--net", *program, drive, str(work.folder))
    # In a chroot, too, udev is to be asked.
    environ = {**os.environ, **ALWAYS}
    done = subprocess.run(
        argv, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["automounted_before"] == [f"{work.folder}/auto/{drive.removeprefix('/dev/')}p1"], (
        "the automounter is at work"
    )
    assert seen["state"] == "done", seen["story"]
    told = seen["told"]
    removed = [line for line in told if line.startswith("remove ")]
    assert removed and all(line.endswith("mounted=0") for line in removed), told
    assert seen["mounted"] == [f"{work.folder}/media"], told
    assert "Another program" not in seen["story"]
    # What is said for the moment in which the table changes does not last.
    assert any("ignore=1" in line for line in told) and "ignore=1" not in told[-1], told
    assert seen["rules"] == ["10-automounter.rules"]
