"""The power goes at any moment of an undoing: whatever the drive and the run's folder hold then, undoing
again brings all of it back."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.devices import MakeDrive, forget_partitions, tool
from tests.lasting import Files, LastingFolder, watch
from tests.loop.applying import Work, carry_out, fill, old_gpt, story, wish
from tests.loop.program import MIB, Mode, Purpose, RunState, load_plan, state
from tests.loop.runs.test_undo import stopped_before_formatting
from wizard.apply.plan.start import lock_all

SECTOR_BYTES = 512
Write = tuple[int, bytes]


@dataclass
class Cuts:
    """What a power cut can leave at each moment of an undoing: the files, and what of the drive's writes has
    arrived."""

    drive: str
    lasting: LastingFolder
    dice: Random = field(default_factory=lambda: Random(1))
    flushed: list[Write] = field(default_factory=list)
    pending: list[Write] = field(default_factory=list)
    found: list[tuple[Files, tuple[Write, ...]]] = field(default_factory=list)

    def moment(self, call: str, given: tuple[Any, ...]) -> None:
        """A call was made."""
        if call in ("pwritev", "pwrite", "write", "fsync") and Path(
            f"/proc/self/fd/{given[0]}"
        ).readlink() == Path(self.drive):
            assert call in ("pwritev", "fsync"), "how else the drive is written to, this does not see"
            if call == "pwritev":
                self.pending.append((given[2], b"".join(bytes(part) for part in given[1])))
            else:
                self.flushed, self.pending = [*self.flushed, *self.pending], []
        for files in self.lasting.states():
            for arrived in self._arrived():
                if (files, arrived) not in self.found:
                    self.found.append((files, arrived))

    def _arrived(self) -> Iterator[tuple[Write, ...]]:
        yield tuple(self.flushed)
        if self.pending:
            yield (*self.flushed, *self.pending)
            sectors = [
                (offset + at, data[at : at + SECTOR_BYTES])
                for offset, data in self.pending
                for at in range(0, len(data), SECTOR_BYTES)
            ]
            yield (*self.flushed, *(sector for sector in sectors if self.dice.random() < 0.5))


def lay(drive: str, writes: tuple[Write, ...]) -> None:
    """Put these on a drive whose table the kernel then reads as at a start."""
    forget_partitions(drive)
    with Path(drive).open("r+b", buffering=0) as device:
        for offset, data in writes:
            device.seek(offset)
            device.write(data)
        os.fsync(device.fileno())
    tool("blockdev", "--flushbufs", drive)
    tool("sh", "-c", f"partx --add {drive} || true")


def lay_out(run: Path, files: Files) -> None:
    """The run's folder holds these files."""
    shutil.rmtree(run)
    for folder in (run, run / "saved"):
        folder.mkdir(mode=0o700)
    for name, data in files.items():
        (run / name).write_bytes(data)
        (run / name).chmod(0o600)


@pytest.mark.usefixtures("direct")
def test_power_cut_at_every_moment_of_an_undoing(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    before = work.digest(drive)
    plan = work.plan(drive, wish("ext4", None, work.place("media")), mode=Mode.REPLACE)
    run = stopped_before_formatting(work, plan, monkeypatch)
    tool("blockdev", "--flushbufs", drive)
    ended_as = work.bench.image_of(drive).read_bytes()
    cuts = Cuts(drive, LastingFolder(run))
    with monkeypatch.context() as watched:
        locks = lock_all(load_plan(run))
        watch(watched, cuts.lasting, cuts.moment)
        carry_out(run, Purpose.UNDO, locks)
    cuts.lasting.close()
    assert state(run) is RunState.UNDONE and work.digest(drive) == before
    changed = tuple((offset, ended_as[offset : offset + len(data)]) for offset, data in cuts.flushed)
    stuck = []
    # The drive tells no serial number, and the kernel counts anew: it is known by what is on it.
    monkeypatch.setattr("wizard.apply.plan.identity_check.boot_id", lambda: "after the restart")
    for number, (files, arrived) in enumerate(cuts.found):
        lay_out(run, files)
        lay(drive, (*changed, *arrived))
        if state(run) is not RunState.UNDONE:
            carry_out(run, Purpose.UNDO, lock_all(load_plan(run)))
        if state(run) is not RunState.UNDONE or work.digest(drive) != before:
            stuck.append(f"{number}, {len(arrived)} writes, {sorted(files)}: {story(run).splitlines()[-1]}")
    assert not stuck, f"{len(stuck)} of {len(cuts.found)}\n" + "\n".join(stuck[:10])
    assert len(cuts.found) >= 20
