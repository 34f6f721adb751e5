"""A drive that tells no serial number, attached anew before a run, or while one on it was interrupted."""

import os
import signal
from pathlib import Path

import pytest

from tests.devices import MakeDrive, backing_file, forget_partitions, tool
from tests.loop.applying import Work, diskwright, fill, gate, old_gpt, spec, stand_in, until
from tests.loop.attack.attacking import unharmed
from tests.loop.program import MIB, Mode, Refused, RunState, preflight, state, undo

pytestmark = pytest.mark.alone
"""Between the two, another test could take the name."""


def detach(work: Work, drive: str) -> Path:
    """Pull the drive out; the file behind it."""
    image = work.bench.image_of(drive)
    forget_partitions(drive)
    tool("losetup", "--detach", drive)
    # What the killed process had started holds it for a moment.
    until(lambda: backing_file(drive) is None)
    return image


def attach(work: Work, drive: str, image: Path) -> None:
    """Plug it in again, by the same name; the kernel counts it again and reads its table."""
    before = Path(f"/sys/block/{Path(drive).name}/diskseq").read_text()
    tool("losetup", drive, str(image))
    work.bench.images[drive] = image
    work.bench.own(drive)
    assert Path(f"/sys/block/{Path(drive).name}/diskseq").read_text() != before
    forget_partitions(drive)
    tool("sh", "-c", f"partx --add {drive} || true")


@pytest.fixture
def old(make_drive: MakeDrive, work: Work) -> str:
    drive = make_drive(96 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    return drive


def test_run_does_not_start_on_a_reattached_drive(work: Work, old: str) -> None:
    plan = work.plan(old, spec("ext4"), mode=Mode.REPLACE)
    attach(work, old, detach(work, old))
    with (
        unharmed(work, old),
        pytest.raises(Refused, match=r"reattached after planning.*Make a new plan"),
    ):
        preflight(plan, *plan.tokens, journal_dir=work.runs, environment=work.environment)


def test_run_without_writes_can_be_undone_after_reattachment(
    work: Work, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was killed while it was tried out on a stand-in."""
    before = work.digest(old)
    opened = work.folder / "opened"
    stand_in(work.folder / "bin", monkeypatch, "wipefs", gate("wipefs", opened))
    run = work.start(work.plan(old, spec("ext4"), mode=Mode.REPLACE))
    until(Path(f"{opened}.reached").exists)
    os.kill(int((run / "pid").read_text()), signal.SIGKILL)
    opened.touch()
    until(lambda: state(run) is RunState.INTERRUPTED)
    attach(work, old, detach(work, old))
    (work.folder / "bin/wipefs").unlink()
    refused = diskwright(work, "resume", str(run), "--confirm", Path(old).name)
    assert refused.returncode == 3 and "Nothing was written" in refused.stderr
    listed = diskwright(work, "status", str(run)).stdout
    assert f"diskwright undo {run}" in listed and "diskwright resume" not in listed, listed
    undo(run)
    assert (state(run), work.digest(old)) == (RunState.UNDONE, before)
