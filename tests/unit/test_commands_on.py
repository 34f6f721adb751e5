"""Which commands `status` names for a run, by where it stands."""

from pathlib import Path

import pytest

from wizard.apply.decide import LEFT_OFF, commands_on
from wizard.apply.engine.record import Change, Phase, Record, save_record
from wizard.apply.run.journal import RunState
from wizard.apply.run.process import UNDOING

FORWARD_ONLY = (Phase.RELEASED, Phase.KEPT)
BACK_ONLY = (Phase.CLEARING_BACK, Phase.REPLACING_BACK, Phase.RELEASING_BACK)
OVER = (Phase.UNDONE, Phase.LEFT)


def ways(run: Path, now: RunState) -> list[str]:
    """The commands without the run's name."""
    named = commands_on(run, now)
    assert all(str(run) in command for command in named)
    return [command.split()[2] for command in named]


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("now", sorted(LEFT_OFF))
def test_a_run_that_was_left_off_names_a_way_on_from_every_phase(
    tmp_path: Path, phase: Phase, now: RunState
) -> None:
    """Unless it is over: nobody is left in front of a drive without a word."""
    save_record(tmp_path, Record(phase))

    wanted = ["resume", "undo"]
    if phase in FORWARD_ONLY:
        wanted = ["resume"]
    elif phase in BACK_ONLY:
        wanted = ["undo"]
    elif phase in OVER:
        wanted = []
    assert ways(tmp_path, now) == wanted


def test_once_undoing_was_begun_there_is_no_way_forward(tmp_path: Path) -> None:
    """Whatever the phase was then."""
    save_record(tmp_path, Record(Phase.SAVED))
    (tmp_path / UNDOING).touch()

    assert ways(tmp_path, RunState.INTERRUPTED) == ["undo"]


@pytest.mark.parametrize("now", sorted(LEFT_OFF))
def test_a_drive_that_held_something_waits_on_whatever_failed_since(tmp_path: Path, now: RunState) -> None:
    """As after `keep` while the drive was not attached: what can be kept is not named as half done."""
    change = Change("/dev/sdx", 4096, (), (), (), "", "", "", blank=False)
    save_record(tmp_path, Record(Phase.BARRED, (change,)))

    assert ways(tmp_path, now) == ["keep", "undo"]


def test_a_run_that_waits_is_kept_or_undone(tmp_path: Path) -> None:
    """And one that is at work, or over, wants nothing."""
    save_record(tmp_path, Record(Phase.BARRED))

    assert ways(tmp_path, RunState.WAITING) == ["keep", "undo"]
    for now in (RunState.RUNNING, RunState.DONE, RunState.KEPT, RunState.UNDONE):
        assert ways(tmp_path, now) == []
