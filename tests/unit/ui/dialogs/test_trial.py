"""The dialog for the alignment benchmark, without a user interface."""

import threading
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from tests.unit.machines import N512, drive, machine
from tests.unit.ui.dialogs.sides import session_on
from tests.unit.ui.person import Person
from tests.unit.ui.simulated import Simulated
from tests.verdicts import read_verdict
from wizard.benchmark.access import MeasureProgress as Measured
from wizard.host.services import Services
from wizard.model.errors import Failed
from wizard.model.machine import Drive
from wizard.model.said import t
from wizard.model.verdict import Outcome, Pair, Ratio, Verdict
from wizard.ui.dialogs.measuring import TrialScreen
from wizard.ui.view import Banner, Figures, Progress


class Measuring(Simulated):
    """Services whose benchmark runs immediately or after `go`."""

    def __init__(self, known: Drive) -> None:
        super().__init__(machine(known), "a test")
        self.asked: list[tuple[bool, int | None]] = []
        self.go, self.begun = threading.Event(), threading.Event()
        self.go.set()
        self.stopped = False
        self.fault = ""

    def measurement(
        self,
        drive: Drive,
        *,
        write: bool,
        assume_physical_bytes: int | None = None,
        on_progress: Callable[[Measured], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        self.asked.append((write, assume_physical_bytes))
        on_progress(Measured(0.5, 15.0, (t("120 pairs so far: 1.80 times as long misaligned."),)))
        self.begun.set()
        while not (self.go.wait(0.02) or stop()):
            pass
        self.stopped = stop()
        if self.fault:
            raise Failed(self.fault)
        access = "write" if write else "read"
        ratio = Ratio(1.8, 1.6, 2.0, 0.95, 300)
        pairs = (Pair(100_000, 180_000),) * 3
        sentence = "Aligned is 1.8x faster (1.6-2.0, 95 %)."
        return Verdict(
            drive.path, access, Outcome.ALIGNED_FASTER, ratio, sentence, ("A test.",), 4096, 512, 30.0, pairs
        )


def trial(known: Drive | None = None) -> tuple[Person, Measuring]:
    measured = known or drive()
    services = Measuring(measured)
    at = Person(services)
    at.desk.session = session_on(measured)
    at.desk.go(TrialScreen(at.desk, measured))
    return at, services


def begin(at: Person, services: Measuring) -> None:
    """Start the benchmark and wait until running."""
    services.go.clear()
    at.desk.act("measure")
    assert services.begun.wait(20)


def test_enter_measures_by_reading_and_the_result_stays() -> None:
    at, services = trial()
    at.key("enter")
    assert services.asked == [(False, None)]
    assert [block for block in at.view.above if isinstance(block, Banner)]
    assert [block for block in at.view.panes[0].blocks if isinstance(block, Figures)]
    assert "A test." in at.texts()
    at.key("escape")
    at.desk.go(TrialScreen(at.desk, drive()))
    assert "Aligned is 1.8x faster (1.6-2.0, 95 %)." in at.texts()
    at.desk.back()
    at.desk.go(TrialScreen(at.desk, drive(path="/dev/sdb", serial="S2")))
    assert "Aligned is 1.8x faster (1.6-2.0, 95 %)." not in at.texts()


def test_running_trial_shows_progress_and_cannot_be_left() -> None:
    at, services = trial()
    begin(at, services)
    shown = [block for block in at.view.panes[0].blocks if isinstance(block, Progress)]
    assert at.view.busy and shown[0].share == 0.5
    assert "120 pairs so far: 1.80 times as long misaligned." in at.texts()
    at.desk.act("back")
    assert at.view.place == "trial" and at.said == "Measuring the drive. Press S to stop."
    assert not at.desk.screen.may_leave
    at.key("S")
    assert services.stopped and not at.view.busy and at.desk.screen.may_leave


def test_trial_ends_with_its_screen() -> None:
    at, services = trial()
    begin(at, services)
    at.desk.end()
    assert at.desk.wait(20)
    for _ in range(200):
        if services.stopped:
            break
        threading.Event().wait(0.02)
    assert services.stopped


def test_writing_needs_the_token() -> None:
    at, services = trial()
    at.act("write")
    assert at.view.over
    for wrong in ("", "S2"):
        at.act("take", token0=wrong)
        assert at.view.place == "typing" and at.said and not services.asked
    at.act("take", token0="S1")
    assert services.asked == [(True, None)] and at.view.place == "trial"


def test_larger_blocks_are_assumed_only_for_claimed_small_ones() -> None:
    at, services = trial()
    at.act("as-large")
    assert not services.asked and "512-byte blocks" in at.said
    at, services = trial(drive(geometry=N512))
    at.act("as-large")
    assert services.asked == [(False, 4096)]


def test_writing_is_refused_without_free_space() -> None:
    at, services = trial(replace(drive(), read_only=True))
    assert "Cannot measure by writing:" in at.texts()
    at.act("write")
    assert "read-only" in at.said and at.view.place == "trial" and not services.asked


def test_failure_is_reported_and_can_be_retried() -> None:
    at, services = trial()
    services.fault = "The drive does not answer."
    at.key("enter")
    assert at.said == "The drive does not answer." and not at.view.busy
    services.fault = ""
    at.key("enter")
    assert "Aligned is 1.8x faster (1.6-2.0, 95 %)." in at.texts()


def test_result_is_saved_and_has_its_reasons(tmp_path: Path) -> None:
    at, _ = trial()
    at.key("enter")
    at.key("s")
    path = tmp_path / "sda-benchmark.json"
    at.act("take", file=str(path))
    assert read_verdict(path.read_text(), "it", Verdict).outcome is Outcome.ALIGNED_FASTER
    assert at.said.startswith("The result was saved to ")
    at.key("w")
    assert at.view.place == "page" and "1.80 times as long misaligned" in at.text


def test_impossible_measurement_is_reported() -> None:
    known = drive()
    at = Person(Services(machine(known), "a test"))
    at.desk.go(TrialScreen(at.desk, known))
    assert "Not possible here:" in at.texts() and "drives cannot be measured" in at.text
    at.act("measure")
    assert "drives cannot be measured" in at.said
    at.key("enter")
    assert at.view.place == "drives"
