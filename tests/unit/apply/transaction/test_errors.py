"""A transaction on a drive with an error at any single write or flush: completed work is durable, and
incomplete work can be finished or undone."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from tests.exchanging import ErringDrive, Fault
from tests.unit.apply.transaction.committed import Case
from tests.unit.apply.transaction.committed import saving_takes_time as saving_takes_time
from wizard.apply.engine.record import UNTOUCHED, Phase
from wizard.model.errors import Failed, Refused

DONE = {"commit": Phase.RELEASED, "undo": Phase.UNDONE}
ROUNDS = 3
FAULTS = [Fault.LOST, Fault.TORN, Fault.KEPT, Fault.DROPPED]


class ErringCase(Case):
    """A transaction on a drive with a single error."""

    def __init__(self, folder: Path, block_bytes: int, fault: Fault, seed: int = 0) -> None:
        super().__init__(folder, block_bytes, seed)
        power, content = self.drive.power, self.drive.content
        self.erring = ErringDrive(content, power, Random(seed), block_bytes, fault=fault)
        self.drive = self.erring

    def errs(self, what: str, at: int | None) -> bool:
        """Return True if the work is reported as done despite an error at this write or flush."""
        self.erring.errs_at, self.erring.asked = at, 0
        try:
            if self.phase is Phase.REHEARSING:
                self.save()
            with closing(self.committing()) as committer:
                getattr(committer, what)(lambda share: None)
        except (Failed, Refused):
            return False
        finally:
            self.erring.errs_at = None
        return self.phase is DONE[what]

    def wanted(self, what: str) -> bytes:
        return self.after if what == "commit" else self.before

    def goes_without_power(self) -> None:
        """Lose the unflushed writes in the drive's cache."""
        self.drive.cached.clear()


def cases(folder: Path, what: str, fault: Fault, block_bytes: int) -> Iterator[tuple[ErringCase, bool]]:
    """Yield a case with an error at each write and flush, and True if the work was reported as done."""
    whole = ErringCase(folder / "whole", block_bytes, fault)
    assert what == "commit" or whole.commit()
    assert whole.errs(what, None)
    for seed in range(ROUNDS * whole.erring.asked):
        case = ErringCase(folder / f"at{seed}", block_bytes, fault, seed)
        assert what == "commit" or case.commit()
        yield case, case.errs(what, seed // ROUNDS)


@pytest.mark.parametrize("block_bytes", [512, 4096])
@pytest.mark.parametrize("what", list(DONE))
@pytest.mark.parametrize("fault", FAULTS)
def test_work_done_after_an_error_is_durable(
    tmp_path: Path, fault: Fault, what: str, block_bytes: int
) -> None:
    """A retry finishes the work, and a later power cut changes no byte."""
    erred = 0
    for case, done in cases(tmp_path, what, fault, block_bytes):
        erred += not done
        assert done or case.errs(what, None), "an error that has passed holds nobody up"
        case.goes_without_power()
        assert case.content == case.wanted(what)
    assert erred >= ROUNDS


@pytest.mark.parametrize("block_bytes", [512, 4096])
@pytest.mark.parametrize("way_on", list(DONE))
@pytest.mark.parametrize("fault", FAULTS)
def test_power_cut_after_an_error(tmp_path: Path, fault: Fault, way_on: str, block_bytes: int) -> None:
    """The failed work is retried or undone with another power cut. A half-replaced filesystem is never
    mountable, and the work still finishes."""
    for number, (case, done) in enumerate(cases(tmp_path, "commit", fault, block_bytes)):
        if done or case.phase in UNTOUCHED:
            continue
        case.goes_on(way_on, number)
        case.goes_without_power()
        assert case.content == case.wanted(way_on)


@pytest.mark.parametrize("block_bytes", [512, 4096])
@pytest.mark.parametrize("what", list(DONE))
def test_wrongly_written_blocks_are_not_called_equal(tmp_path: Path, what: str, block_bytes: int) -> None:
    for case, done in cases(tmp_path, what, Fault.WRONG, block_bytes):
        for _ in range(2):
            if done:
                break
            done = case.errs(what, None)
        if done:
            with closing(case.committing()) as committer:
                assert not committer.is_as_put or case.content == case.wanted(what)
