"""Drives passed as files, and closed standard streams: no accidental write to a drive."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.devices import MakeDrive
from tests.loop.applying import ROOT, Work, diskwright, old_gpt, spec
from tests.loop.attack.attacking import fails, unharmed
from tests.loop.program import MIB, PLANS, Environment, Mode


@pytest.fixture
def old(make_drive: MakeDrive) -> str:
    drive = make_drive(128 * MIB)
    old_gpt(drive)
    return drive


@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "--save", "{drive}"),
        ("inspect", "{drive}", "--save", "{drive}p1"),
        ("inspect", "--machine", "{drive}"),
        ("plan", "{drive}", "--replace", "--workload", "large-media", "-o", "{drive}"),
        ("bench", "{drive}", "--seconds", "1", "-o", "{drive}"),
        ("show", "{drive}"),
        ("apply", "{drive}", "--confirm", "x"),
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_output_to_a_drive_is_refused(work: Work, old: str, words: tuple[str, ...]) -> None:
    """Check that output to a drive is refused. `inspect --save /dev/sdb` is an easy mistake."""
    with unharmed(work, old):
        said = diskwright(work, *(word.format(drive=old) for word in words))
    assert said.returncode == 2, said.stderr
    assert Path(old).is_block_device()


def test_drive_as_fstab_is_refused(work: Work, make_drive: MakeDrive, old: str) -> None:
    plan = work.plan(make_drive(96 * MIB), spec("ext4", None, work.place("media")))
    with unharmed(work, plan.drive.path, old):
        elsewhere = Environment(Path(old), frozenset(work.bench.images))
        fails(work, plan, "is not a regular file", elsewhere)
    assert Path(old).is_block_device()


def test_saved_fstab_keeps_the_mode(work: Work, make_drive: MakeDrive) -> None:
    """Check that the saved fstab has the mode of the real one. It may contain passwords of network mounts."""
    work.fstab.chmod(0o600)
    work.apply(work.plan(make_drive(96 * MIB), spec("ext4", None, work.place("media"))))
    (kept,) = work.fstab.parent.glob("fstab.diskwright-*")
    assert kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_output_of_closed_streams_does_not_reach_the_drive(
    work: Work, old: str, closed: tuple[int, ...]
) -> None:
    """Check commands with closed streams. The next opened file reuses the descriptor and would receive the
    output."""
    file = work.folder / "plan.json"
    file.write_text(PLANS.render(work.plan(old, spec("ext4"), mode=Mode.REPLACE)))

    def close() -> None:
        for number in closed:
            os.close(number)

    argv = [sys.executable, "-m", "wizard"]
    with unharmed(work, old):
        for words in (
            ("inspect", old),
            ("apply", str(file), "--dry-run"),
            ("show", str(file)),
            ("bench", old, "--seconds", "1"),
        ):
            said = subprocess.run(
                [*argv, *words],
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
                preexec_fn=close,
            )
            assert said.returncode == 0, (words, said.stderr)
            assert "Traceback" not in said.stderr
