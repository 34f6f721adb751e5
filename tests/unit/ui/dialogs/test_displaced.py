"""The dialog for the quick shingled test, without a user interface: its key, its warning, and use of the
result."""

import threading
from collections.abc import Callable
from pathlib import Path

from tests.unit.benchmark.shingled.displaced import NOTHING, likely_verdict
from tests.unit.machines import drive, machine
from tests.unit.ui.person import Person
from tests.unit.ui.simulated import Simulated
from tests.verdicts import read_verdict
from wizard.benchmark.access import MeasureProgress
from wizard.benchmark.smr_probe import IDLING
from wizard.host.services import Services
from wizard.model.errors import Refused
from wizard.model.machine import Drive
from wizard.model.verdict import DisplacedVerdict
from wizard.ui.view import Banner, Figures, Progress


class Measuring(Simulated):
    """Services whose test runs immediately or after `go`."""

    def __init__(self, known: Drive) -> None:
        super().__init__(machine(known), "a test")
        self.asked: list[str] = []
        self.verdict = likely_verdict()
        self.fault = ""
        self.go, self.begun = threading.Event(), threading.Event()
        self.go.set()

    def measurement(
        self,
        drive: Drive,
        *,
        on_progress: Callable[[MeasureProgress], None],
        stop: Callable[[], bool],
        patterns: object,
    ) -> DisplacedVerdict:
        self.asked.append(drive.path)
        on_progress(MeasureProgress(0.75, 12.0, (IDLING,)))
        self.begun.set()
        while not (self.go.wait(0.02) or stop()):
            pass
        if self.fault:
            raise Refused(self.fault)
        return self.verdict


def person(known: Drive | None = None) -> tuple[Person, Measuring]:
    services = Measuring(known or drive())
    return Person(services), services


def test_key_is_next_to_the_doubt_and_shows_the_duration() -> None:
    at, _ = person()
    action = at.view.action("shingled")
    assert action and (action.key, str(action.label), action.why_not) == ("p", "test, about 40 s", "")
    assert [
        block for pane in at.view.panes for block in pane.blocks if getattr(block, "key", "") == "shingled"
    ]
    at, _ = person(drive(zoned="host-aware"))
    assert at.view.action("shingled") is None, "there is no doubt"
    at, _ = person(drive(bus="loop", path="/dev/loop0"))
    assert at.view.action("shingled") is None


def test_impossible_test_has_a_grey_key_with_the_reason() -> None:
    for known, said in (
        (drive(read_only=True), "read-only"),
        (drive(bus="usb", rotational=None), "does not report rotation"),
        (drive(model="HGST HUS726040ALE614"), "media cache"),
    ):
        at, services = person(known)
        at.key("p")
        assert said in at.said and at.view.place == "drives" and not services.asked
    at = Person(Services(machine(drive()), "a test"))
    at.key("p")
    assert "recording" in at.said and at.view.place == "drives"


def test_start_warns_asks_and_adds_its_result_to_the_evidence() -> None:
    at, services = person()
    assert "Shingled unknown" in " ".join(at.text.split())
    at.key("p")
    for word in ("456 small blocks", "1824 KiB", "about 40 s", "unconfirmed on real drives", "cannot prove"):
        assert word in at.text
    at.key("enter")
    assert at.view.place == "typing" and not services.asked and "No byte changes" in at.text
    for wrong in ("", "S2"):
        at.act("take", token0=wrong)
        assert at.view.place == "typing" and at.said and not services.asked
    at.act("take", token0="S1")
    assert at.view.place == "displaced" and at.desk.measured_by_writing
    assert "try again" in at.text and len(services.asked) == 1
    (banner,) = [block for block in at.view.above if isinstance(block, Banner)]
    assert "likely shingled" in str(banner.text) and "unconfirmed on real" in str(banner.detail[0])
    assert [block for block in at.view.panes[0].blocks if isinstance(block, Figures)]
    at.key("enter")
    assert at.view.place == "drives" and "/dev/sda is likely shingled" in at.text
    at.key("p")
    assert "likely shingled" in at.text


def test_negative_result_is_no_proof_and_the_doubt_stays() -> None:
    at, services = person()
    services.verdict = NOTHING
    at.key("p")
    at.key("enter")
    at.act("take", token0="S1")
    assert "does not prove" in at.text
    at.key("escape")
    assert at.view.action("shingled") is not None
    at.key("w")
    assert "the quick test" in at.text or at.view.place == "reasons"


def test_running_test_shows_its_work_and_can_be_stopped() -> None:
    at, services = person()
    at.key("p")
    at.act("test")
    services.go.clear()
    at.desk.act("take", "", {"token0": "S1"})
    assert services.begun.wait(20)
    (shown,) = [block for block in at.view.panes[0].blocks if isinstance(block, Progress)]
    assert shown.share == 0.75 and "Leaving the drive idle" in at.text
    assert not at.desk.screen.may_leave
    at.key("S")
    assert not at.view.busy and at.desk.screen.may_leave


def test_failure_is_reported_and_can_be_retried() -> None:
    at, services = person()
    services.fault = "The drive is in use."
    at.key("p")
    at.key("enter")
    at.act("take", token0="S1")
    assert at.said == "The drive is in use." and not at.view.busy and at.view.action("test")


def test_result_is_saved_with_every_time_and_has_its_reasons(tmp_path: Path) -> None:
    at, _ = person()
    at.key("p")
    at.key("enter")
    at.act("take", token0="S1")
    at.key("s")
    path = tmp_path / "sda-shingled-test.json"
    at.act("take", file=str(path))
    assert read_verdict(path.read_text(), "it", DisplacedVerdict) == likely_verdict()
    at.key("w")
    assert at.view.place == "page"
