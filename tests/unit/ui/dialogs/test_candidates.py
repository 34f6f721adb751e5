"""The dialog for benchmarking filesystems, without a user interface."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.benchmark.trials import FASTER, OPEN, SAME, SLOWER, rounds
from tests.unit.machines import TOOLS, drive, machine, partition, partitioned
from tests.unit.ui.person import Person
from tests.unit.ui.simulated import Simulated
from tests.verdicts import read_verdict
from wizard.benchmark.access import MeasureProgress as Told
from wizard.benchmark.candidates.compare import EndReason, Order, TrialVerdict, comparisons, speeds
from wizard.host.services import Services
from wizard.model.errors import Failed
from wizard.model.machine import Drive, Machine
from wizard.model.said import t
from wizard.plan.request.plan_request import Mode
from wizard.ui import draft
from wizard.ui.dialogs.measuring import TrialScreen
from wizard.ui.screens.plan import PlanScreen
from wizard.ui.session import Session
from wizard.ui.view import Banner, Figures, Progress, Tone


class Measuring(Simulated):
    """Services whose benchmark runs immediately or after `go`; `logs` are the rounds' log ratios."""

    def __init__(self, around: Machine, logs: Sequence[float]) -> None:
        super().__init__(around, "a test")
        self.logs, self.fault = logs, ""
        self.asked: list[Order] = []
        self.go, self.begun = threading.Event(), threading.Event()
        self.go.set()

    def measurement(
        self, order: Order, on_progress: Callable[[Told], None], stop: Callable[[], bool]
    ) -> TrialVerdict:
        self.asked.append(order)
        on_progress(Told(0.5, 90.0, (t("Round 3: XFS, extract."),)))
        self.begun.set()
        while not (self.go.wait(0.02) or stop()):
            pass
        if self.fault:
            raise Failed(self.fault)
        return verdict_of(order, self.logs)


def verdict_of(order: Order, logs: Sequence[float]) -> TrialVerdict:
    names = tuple(one.id for one in order.candidates[:2])
    had = rounds(logs, names[1])
    return TrialVerdict(
        drive=order.drive.path,
        serial=order.drive.serial,
        workload=order.workload,
        planned="ext4",
        extent=order.extent,
        loads=order.loads,
        aged=order.aged,
        advised=order.advised,
        ended=EndReason.DECIDED,
        busy=False,
        scale=1.0,
        seconds=100.0,
        written_bytes=2_000_000_000,
        memory_bytes=None,
        kernel="6.12",
        comparisons=comparisons(had, "ext4", names[1:]),
        speeds=speeds(had, names),
        not_done=(),
        candidates=order.candidates[:2],
        rounds=had,
    )


def planning(
    known: Drive, logs: Sequence[float] = FASTER, mode: Mode | None = None
) -> tuple[Person, Measuring]:
    """Return a person at the plan of one volume for small files: ext4 recommended, XFS a good alternative."""
    around = machine(known)
    services = Measuring(around, logs)
    at = Person(services)
    diagnosis = services.diagnose(around, known)
    session = Session(services=services, machine=around, drive=known, diagnosis=diagnosis, mode=mode)
    at.desk.session = draft.for_purpose(session, "small-files")
    at.desk.go(PlanScreen(at.desk))
    return at, services


def tried(logs: Sequence[float]) -> tuple[Person, Measuring]:
    at, services = planning(drive(), logs)
    at.key("c")
    at.key("enter")
    at.act("take", token0="S1")
    return at, services


def test_c_compares_filesystems_and_t_tests_the_alignment() -> None:
    at, _ = planning(drive())
    at.key("t")
    assert isinstance(at.desk.screen, TrialScreen)
    at.key("escape")
    at.key("c")
    assert at.view.place == "typing"
    assert [(field.key, field.value) for field in at.view.fields][:2] == [("xfs", "added"), ("btrfs", "")]


def test_trial_needs_the_warning_and_the_token() -> None:
    at, services = planning(drive())
    at.key("c")
    at.key("enter")
    assert "Deleted files" in at.text and "3 min" in at.text and "34.4 GB" in at.text
    for wrong in ("", "S2"):
        at.act("take", token0=wrong)
        assert at.view.place == "typing" and at.said and not services.asked
    at.act("take", token0="S1")
    (order,) = services.asked
    assert [one.id for one in order.candidates] == ["ext4", "xfs"]
    assert (
        order.extent.start_bytes == 1024 * 1024
        and order.loads == ("kernel-tree", "many-files")
        and not order.aged
    )
    assert "noatime" in order.candidates[0].mount_options


def test_other_candidates_can_be_selected_and_deselected() -> None:
    at, services = planning(drive())
    at.key("c")
    at.act("take", btrfs="added", xfs="", aged="aged")
    at.act("take", token0="S1")
    assert [one.id for one in services.asked[0].candidates] == ["ext4", "btrfs"] and services.asked[0].aged
    at.key("enter")
    at.key("c")
    at.act("take", xfs="")
    assert "Add one to 3 filesystems." in at.said and at.view.place == "typing"


def test_filesystem_with_a_missing_program_is_grey() -> None:
    known = drive()
    lacking = replace(
        machine(known), tools=tuple((tool, f"/usr/sbin/{tool}") for tool in TOOLS if tool != "mkfs.xfs")
    )
    services = Measuring(lacking, FASTER)
    at = Person(services)
    session = Session(
        services=services, machine=lacking, drive=known, diagnosis=services.diagnose(lacking, known)
    )
    at.desk.session = draft.for_purpose(session, "small-files")
    at.desk.go(PlanScreen(at.desk))
    at.key("c")
    (field,) = (field for field in at.view.fields if field.key == "xfs")
    assert field.value == "" and "mkfs.xfs" in str(field.offers[1].why_not)


def test_running_trial_shows_progress_and_cannot_be_left() -> None:
    at, services = planning(drive())
    services.go.clear()
    at.key("c")
    at.key("enter")
    at.desk.act("take", values={"token0": "S1"})
    assert services.begun.wait(20)
    shown = [block for block in at.view.panes[0].blocks if isinstance(block, Progress)]
    assert at.view.busy and shown[0].share == 0.5
    assert any("Round 3: XFS, extract" in text for text in at.texts())
    at.desk.act("back")
    assert at.said == "Measuring the drive. Press S to stop." and not at.desk.screen.may_leave
    at.key("S")
    assert not at.view.busy and at.desk.screen.may_leave


def test_enter_keeps_a_confirmed_recommendation() -> None:
    at, _ = tried(FASTER)
    (banner,) = (block for block in at.view.above if isinstance(block, Banner))
    assert banner.tone is Tone.GOOD and "1.31x faster than XFS" in str(banner.text)
    assert [block for block in at.view.panes[0].blocks if isinstance(block, Figures)]
    assert at.view.action("use") is None
    at.key("enter")
    assert at.view.place == "plan" and at.desk.session.specs[0].choice.filesystem == "ext4"


def test_better_filesystem_changes_the_plan_only_if_chosen() -> None:
    at, _ = tried(SLOWER)
    (banner,) = (block for block in at.view.above if isinstance(block, Banner))
    assert banner.tone is Tone.WARN and str(banner.text).endswith("Use XFS?")
    at.key("enter")
    assert at.desk.session.specs[0].choice.filesystem == "ext4"
    at, _ = tried(SLOWER)
    at.key("x")
    assert at.view.place == "plan" and at.desk.session.specs[0].choice.filesystem == "xfs"
    assert at.desk.session.plan is not None and at.desk.session.plan.volumes[0].filesystem == "xfs"


@pytest.mark.parametrize(("logs", "word"), [(SAME, "no measurable difference"), (OPEN, "undecided")])
def test_result_claims_no_more_than_was_found(logs: Sequence[float], word: str) -> None:
    at, _ = tried(logs)
    assert word in at.text and at.view.action("use") is None


def test_failure_is_reported_and_can_be_retried() -> None:
    at, services = planning(drive())
    services.fault = "The drive does not answer."
    at.key("c")
    at.key("enter")
    at.act("take", token0="S1")
    assert at.said == "The drive does not answer." and not at.view.busy
    services.fault = ""
    at.key("enter")
    assert "1.31x" in at.text


def test_result_is_saved(tmp_path: Path) -> None:
    at, _ = tried(OPEN)
    at.key("s")
    path = tmp_path / "sda-trial.json"
    at.act("take", file=str(path))
    assert len(read_verdict(path.read_text(), "it", TrialVerdict).rounds) == 6


def test_used_space_is_not_tested() -> None:
    known = partitioned(partition())
    at, services = planning(known, mode=Mode.REPLACE)
    at.act("try")
    assert "free space only" in at.said and not services.asked
    at, services = planning(known, mode=Mode.USE_FREE)
    at.key("c")
    assert at.view.place == "typing"


def test_impossible_trial_is_reported() -> None:
    known = drive()
    around = machine(known)
    services = Services(around, "a test")
    at = Person(services)
    session = Session(
        services=services, machine=around, drive=known, diagnosis=services.diagnose(around, known)
    )
    at.desk.session = draft.for_purpose(session, "small-files")
    at.desk.go(PlanScreen(at.desk))
    at.act("try")
    assert "drives cannot be measured" in at.said and at.view.place == "plan"
