"""Real commands on a real drive: killed at seeded moments, then continued as recommended."""

import os
import re
import signal
from contextlib import suppress
from pathlib import Path
from random import Random
from time import sleep

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, fill, old_gpt, spec, story, until
from tests.loop.program import MIB, Mode, Phase, RunState, is_locked, load_record, state

SEEDS = 100 if os.environ.get("DISKWRIGHT_EVERY_FILESYSTEM") else 12
WAY = re.compile(r"diskwright (resume|undo|keep)")
OVER = (RunState.KEPT, RunState.DONE, RunState.UNDONE)


def stop(run: Path) -> None:
    """Kill the process of the run."""
    with suppress(FileNotFoundError, ProcessLookupError, ValueError):
        if is_locked(run):
            os.kill(int((run / "pid").read_text()), signal.SIGKILL)
    until(lambda: not is_locked(run))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_run_killed_at_any_moment_resumes_as_recommended(
    seed: int, work: Work, make_drive: MakeDrive
) -> None:
    dice = Random(seed)
    drive = make_drive(96 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    before = work.digest(drive)
    plan = work.plan(drive, spec("ext4"), mode=dice.choice((Mode.REPLACE, Mode.USE_FREE)))
    run = work.start(plan, keep=False)
    for _ in range(dice.randrange(1, 4)):
        sleep(dice.random() * dice.choice((0.2, 1.0, 3.0)))
        stop(run)
        # The command that follows it is killed with the run, as a power cut would.
        command = dice.choice(("resume", "undo"))
        work.bench.own(drive)
        if state(run) in OVER or (record := load_record(run)) is None or record.phase is Phase.UNDONE:
            break
        done = diskwright(work, command, str(run))
        assert done.returncode == 0 or WAY.search(done.stderr) or "no steps remain" in done.stderr, (
            done.stderr
        )
    stop(run)
    wanted = dice.choice((("undo",), ("resume", "keep")))
    for _ in range(3):
        for command in wanted:
            said = diskwright(work, command, str(run))
            if "being undone" in said.stderr:
                wanted = ("undo",)
        if state(run) in OVER:
            break
    assert state(run) in OVER, f"{said.stderr}\n{story(run)}"
    record = load_record(run)
    assert record is not None
    if record.phase is Phase.UNDONE:
        assert work.digest(drive) == before
    else:
        assert record.phase is Phase.KEPT
        tool("e2fsck", "-fn", plan.volumes[0].path)
    two = [diskwright(work, command, str(run)) for command in ("undo", "resume")]
    assert all(one.returncode for one in two), "it is over"
