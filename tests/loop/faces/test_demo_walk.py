"""`diskwright demo`: automatic, and interrupted in every way."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.devices import MakeDrive, attached_in
from tests.looks.terminals.terminal import Terminal

REPO = Path(__file__).resolve().parents[3]
FSTAB = Path("/etc/fstab")
COMMAND = (sys.executable, "-m", "wizard", "demo")


@pytest.fixture
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The parent folder of the demo's folder. Afterwards it must have no files, loop devices or mounts."""
    folder = tmp_path / "demos"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("PYTHONPATH", str(REPO))
    monkeypatch.setenv("TERM", "xterm-256color")
    before = FSTAB.read_bytes() if FSTAB.exists() else None
    yield folder
    assert wait_until(lambda: not traces(folder)), f"left behind: {traces(folder)}"
    assert (FSTAB.read_bytes() if FSTAB.exists() else None) == before


def traces(folder: Path) -> list[str]:
    backing = attached_in(folder)
    mounted = [
        line.split()[4]
        for line in Path("/proc/self/mountinfo").read_text().splitlines()
        if str(folder) in line.split()[4]
    ]
    return [*backing, *mounted, *(path.name for path in folder.iterdir())]


def wait_until(holds: Callable[[], bool], seconds: float = 40.0) -> bool:
    end = monotonic() + seconds
    while monotonic() < end:
        if holds():
            return True
        sleep(0.05)
    return holds()


def test_unattended_demo_passes_and_changes_no_other_drive(parent: Path, make_drive: MakeDrive) -> None:
    other = make_drive(64 << 20)
    before = sha256(Path(other).read_bytes()).hexdigest()
    done = subprocess.run(
        COMMAND, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    told = [
        "deleted when you choose Keep",
        "are restored bit for bit.",
        " ready at ",
        "The demo passed: set up, undone, set up again, kept and used.",
    ]
    shown = " ".join(done.stdout.split())
    places = [shown.index(said) for said in told]
    assert places == sorted(places)
    assert "old-data" in shown[places[1] :], "the old partitions are listed again after undo"
    assert done.stderr == ""
    assert sha256(Path(other).read_bytes()).hexdigest() == before


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("moment", ["Step 5 of 5: Work", "Done, not in use yet"])
def test_demo_ended_during_apply_leaves_no_trace(parent: Path, number: signal.Signals, moment: str) -> None:
    with subprocess.Popen(
        COMMAND, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout is not None
        assert any(moment in line for line in demo.stdout), "it never came to apply"
        demo.send_signal(number)
        _, errors = demo.communicate(timeout=90)
    assert "Traceback" not in errors
    assert demo.returncode != 0


def test_demo_that_ends_early_fails(parent: Path) -> None:
    code = (
        "import sys, wizard.cli.open_wizard as demo\n"
        "demo.SET_UP = ('1', 'A', 'b')\n"
        "from wizard.cli.main import main\n"
        "sys.exit(main(['demo', '--by-itself']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode and "The demo passed" not in done.stdout


def opened(parent: Path) -> Terminal:
    """Return a terminal with the wizard on the demo drive."""
    window = Terminal(program=COMMAND, TERM="xterm-256color", TMPDIR=str(parent))
    window.until("loop")
    return window


def test_closed_window_leaves_no_trace(parent: Path) -> None:
    window = opened(parent)
    assert traces(parent)
    os.close(window.fd)
    os.waitpid(window.pid, 0)


def test_ctrl_c_in_the_wizard_leaves_no_trace(parent: Path) -> None:
    with opened(parent) as window:
        window.press("\x03")
        sleep(0.5)
        window.press("\x03")
        assert window.ended() == 130
