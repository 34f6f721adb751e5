"""An ordinary user's plan for a drive that only root can read warns first and does not recommend `apply`."""

import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.program import MIB
from tests.loop.root.rooting import as_nobody

ROOT = Path(__file__).parents[3]
UNREAD = "was not read, so this plan cannot be applied."
WORDS = ("--workload", "large-media", "--label", "it's")


@pytest.fixture
def photos(make_drive: MakeDrive) -> str:
    """A drive with an ext4, unreadable for an ordinary user."""
    drive = make_drive(320 * MIB)
    tool("mkfs.ext4", "-q", "-F", "-L", "photos", drive)
    return drive


def wizard(python: Sequence[str], *words: str) -> subprocess.CompletedProcess[str]:
    argv = [*python, "-m", "wizard", *words]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def as_plain(*words: str) -> subprocess.CompletedProcess[str]:
    return wizard(as_nobody(), *words)


def as_root(*words: str) -> subprocess.CompletedProcess[str]:
    return wizard([sys.executable], *words)


def on_terminal(*words: str) -> str:
    """Return the terminal output of a command run by an ordinary user."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*as_nobody(), "-m", "wizard", *words],
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ):
        os.close(theirs)
        seen = b""
        # A terminal that nobody writes to any more ends with EIO.
        with suppress(OSError):
            while piece := os.read(ours, 65536):
                seen += piece
        os.close(ours)
    return seen.decode()


def test_first_line_warns_with_the_full_command(photos: str, plain_folder: Path) -> None:
    plain_folder.chmod(0o777)
    file = plain_folder / "p.json"
    done = as_plain("plan", photos, "--replace", *WORDS, "-o", str(file))
    assert done.returncode == 0, done.stderr
    first, second, *rest = done.stderr.splitlines()
    assert first == f"{photos} {UNREAD} Create the plan again as root, when the drive is readable."
    assert shlex.split(second) == ["sudo", "diskwright", "plan", photos, "--replace", *WORDS, "-o", str(file)]
    told = "\n".join(rest)
    assert "diskwright apply" not in told and "this plan cannot be applied" in told
    assert "nothing recognised" not in told and "no filesystem" not in told
    shown = as_plain("show", str(file)).stdout
    assert "The drive was not read" in shown.split("\n\n")[1]
    for words in (["--dry-run"], ["--confirm", Path(photos).name], []):
        refused = as_plain("apply", str(file), *words)
        assert (refused.returncode, refused.stdout) == (3, "")
        assert (
            "was not read, so this plan cannot be applied" in refused.stderr
            and "as root:  " not in refused.stderr
        )
    by_root = as_root("apply", str(file), "--confirm", Path(photos).name)
    assert by_root.returncode == 3 and UNREAD in by_root.stderr


def test_same_command_as_root_creates_a_usable_plan(photos: str, tmp_path: Path) -> None:
    done = as_root("plan", photos, "--replace", *WORDS, "-o", str(tmp_path / "p.json"))
    assert done.returncode == 0 and "was not read" not in done.stderr
    assert f"sudo diskwright apply {tmp_path / 'p.json'} --confirm" in done.stderr


@pytest.mark.parametrize("mode", [[], ["--use-free"]], ids=["unsaid", "use-free"])
def test_refusal_recommends_root_and_no_command_that_fails(photos: str, mode: list[str]) -> None:
    done = as_plain("plan", photos, *mode, *WORDS)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(
        f"{photos} {UNREAD} Create the plan again as root, when the drive is readable.\n"
    )
    assert "Reading this needs root" in done.stderr and "--replace" not in done.stderr


def test_inspect_reports_unread_drive_in_pipe_and_terminal(photos: str) -> None:
    piped = as_plain("inspect", photos)
    seen = on_terminal("inspect", photos)
    assert piped.returncode == 0
    for told in (" ".join(piped.stdout.split()), " ".join(seen.split())):
        assert " not read " in told and "Reading this needs root." in told
        assert "no filesystem" not in told and "nothing recognised" not in told


def test_plan_on_a_terminal_warns_first(photos: str, plain_folder: Path) -> None:
    plain_folder.chmod(0o777)
    seen = on_terminal("plan", photos, "--replace", *WORDS, "-o", str(plain_folder / "p.json"))
    assert seen.startswith(f"{photos} {UNREAD}"), seen
