"""The screen of methods for conversion to ext4, without a user interface."""

import threading

import pytest
from msgspec.structs import replace

from tests.unit.ext4.migrations import EXT3, situation
from tests.unit.machines import machine, partition, partitioned
from tests.unit.ui.dialogs.sides import session_on
from tests.unit.ui.person import Person
from tests.unit.ui.simulated import Simulated
from wizard.ext4.assessment import Situation
from wizard.ext4.document import prospect_of
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.plan.changes import Way
from wizard.ui.screens.ways import WaysScreen
from wizard.ui.view import Banner, Tone

DRIVE = partitioned(partition(1, filesystem="ext3"))
DEVICE = "/dev/sda1"


class Services(Simulated):
    """Services with a synthetic filesystem to inspect."""

    def __init__(self, found: Situation) -> None:
        super().__init__(machine(DRIVE), "a test")
        self.found = found
        self.asked: list[str] = []
        self.fault: DiskwrightError | None = None
        self.rootless, self.gives_root, self.roots = False, True, 0
        self.go = threading.Event()
        self.go.set()

    @property
    def asks_for_root(self) -> bool:
        return self.rootless

    def obtain_root(self) -> None:
        self.roots += 1
        if not self.gives_root:
            raise Refused("Root was not given. Nothing was written.")
        self.rootless = False

    def look_at_ext(self, device: str) -> Situation:
        self.asked.append(device)
        self.go.wait(20)
        if self.fault:
            raise self.fault
        return self.found


def ways(found: Situation | None = None, services: Services | None = None) -> tuple[Person, Services]:
    services = services or Services(found or situation())
    at = Person(services)
    at.desk.session = session_on(DRIVE)
    at.desk.go(WaysScreen(at.desk, DEVICE))
    at.wait()
    return at, services


def test_recommended_way_is_selected_and_described_completely() -> None:
    at, services = ways()
    assert [row.key for row in at.rows] == [way.value for way in Way]
    assert at.view.rows and at.view.rows.at == "full"
    assert "recommended" in [str(cell.text) for cell in at.row("full").cells]
    offer = next(one for one in prospect_of(services.found).offers if one.way is Way.FULL)
    assert all(said in at.text for said in (*offer.gains, *offer.costs, offer.undone))
    at.desk.moved("mount")
    assert "Mounts with the ext4 driver" in at.text
    assert all(command in at.text for command in ("`diskwright plan --fs ext4`", "`diskwright bring`"))


def test_other_actions_wait_for_the_survey() -> None:
    services = Services(situation())
    services.go.clear()
    at = Person(services)
    at.desk.session = session_on(DRIVE)
    at.desk.go(WaysScreen(at.desk, DEVICE))
    assert at.view.busy and at.view.rows is None
    at.desk.act("again")
    assert "Checking" in at.said
    services.go.set()
    at.wait()
    assert not at.view.busy and len(services.asked) == 1


def test_root_is_asked_before_the_survey_and_again_after_a_no() -> None:
    services = Services(situation())
    services.rootless, services.gives_root = True, False
    at, _ = ways(services=services)
    assert at.said == "Root was not given. Nothing was written." and not services.asked
    services.gives_root = True
    at.key("r")
    assert len(services.asked) == 1 and services.roots == 2 and at.rows


def test_blocker_of_the_survey_is_reported_and_can_be_retried() -> None:
    services = Services(situation())
    services.fault = BadInput("/dev/sda1 holds no ext filesystem.")
    at, _ = ways(services=services)
    assert "/dev/sda1 holds no ext filesystem." in at.text and not at.rows
    services.fault = None
    at.key("r")
    assert at.rows and "holds no ext" not in at.text


def test_comparison_is_optional_if_there_is_a_choice() -> None:
    at, _ = ways()
    assert "Every file is compared before and after" in at.text and "28 min" in at.text
    at.key("c")
    assert "Files are not compared individually" in at.text
    at.desk.moved("mount")
    assert at.view.action("compare") is None


def test_repair_is_offered_only_for_damage() -> None:
    at, _ = ways()
    assert at.view.action("repair") is None
    at, _ = ways(situation(replace(EXT3, has_errors=True)))
    assert "Damage is not repaired." in at.text
    at.key("x")
    assert "Damage may be repaired." in at.text


def test_impossible_way_gives_the_reason_and_is_not_planned() -> None:
    at, services = ways(situation(mounts=("/srv",)))
    refused = next(row for row in at.rows if row.why_not)
    at.desk.moved(refused.key)
    assert "cannot" in [str(cell.text) for cell in refused.cells]
    at.act("review", refused.key)
    assert at.said == str(refused.why_not) and len(services.asked) == 1


def test_enter_plans_the_way_and_opens_its_review() -> None:
    pytest.importorskip("wizard.ui.screens.review")
    at, _ = ways()
    at.key("c")
    at.key("enter", "light")
    assert at.view.place == "review"
    planned = at.desk.session.migration
    assert planned is not None and planned.way is Way.LIGHT and not planned.manifest


def test_planning_error_is_reported_among_the_ways() -> None:
    at, services = ways()
    services.fault = Refused("Another program changed it. Nothing was written.")
    at.key("enter")
    assert at.view.place == "ways" and at.said == "Another program changed it. Nothing was written."
    services.fault = None
    assert at.rows


def test_review_calls_protected_data_safe() -> None:
    at, _ = ways()
    at.key("enter", "full")
    (banner,) = [block for block in at.view.above if isinstance(block, Banner)]
    assert banner.tone is Tone.GOOD and "Nothing is lost." in str(banner.text)


def test_way_without_a_scratch_copy_is_unavailable() -> None:
    at, _ = ways(situation(no_copy="/dev/fuse is not available"))
    refused = [row.key for row in at.rows if row.why_not]
    assert {"light", "full"} <= set(refused)
