"""The screen for several drives: possible drives, layouts, and a question before data loss."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.machines import partition, partitioned
from tests.unit.plan.layouts import EVERYTHING
from tests.unit.plan.raid.stripes import numbered, striped
from tests.unit.ui.dialogs.sides import person_at, recorded, session_for
from tests.unit.ui.person import Person
from wizard.apply.local_runs import OpenRun
from wizard.host.services import Services
from wizard.model.machine import Drive, Use
from wizard.plan.text import losses
from wizard.ui.components.run_rows import why_not_now
from wizard.ui.desk import Desk
from wizard.ui.editors.spread import WAYS, Spread
from wizard.ui.session import Session


def used() -> Drive:
    """Return a drive in use."""
    return numbered(3, uses=(Use("swap", "/dev/sdc", "swap"),))[2]


def full() -> Drive:
    """Return a drive with old content."""
    inside = partition(1, of="/dev/sdc", filesystem="ext3")
    return partitioned(inside, path="/dev/sdc", serial="Sc", wwn="naa.c", by_id=())


def spreading(services: Services, came: list[Session], session: Session | None = None) -> Person:
    start = session or session_for(services)
    return person_at(services, start, Spread, came.append)


@pytest.mark.parametrize("way", [*WAYS][1:])
def test_every_layout_spans_the_selected_drives(way: str) -> None:
    came: list[Session] = []
    person = spreading(recorded(*numbered(2)), came)
    assert "Select another drive first." in str(person.row(way).why_not)
    person.key("enter", way)
    assert not came and person.said == "Select another drive first."
    person.desk.moved("/dev/sdb")
    person.key("space")
    assert person.row("/dev/sdb").chosen is True and person.row(way).why_not == ""
    person.key("enter", way)
    (laid,) = came
    assert [drive.path for drive in laid.drives] == ["/dev/sda", "/dev/sdb"]
    assert laid.arrangement.stripe == WAYS[way][1] and laid.plan
    assert person.view.place == "start"


def test_unavailable_drive_gives_the_reason() -> None:
    came: list[Session] = []
    person = spreading(recorded(*numbered(2), used()), came)
    person.key("enter", "/dev/sdc")
    assert "/dev/sdc is in use" in person.said and person.row("/dev/sdc").chosen is None
    assert "/dev/sdc is in use" in str(person.row("/dev/sdc").why_not)


def test_content_of_a_drive_is_shown_before_it_is_selected() -> None:
    person = spreading(recorded(*numbered(2), full()), [])
    assert "1 partition" in person.text and "empty" in person.text
    assert "/dev/sdc" not in "".join(str(pane) for pane in person.view.panes)
    person.desk.moved("/dev/sdc")
    assert "/dev/sdc" in "".join(str(pane) for pane in person.view.panes)


def test_layout_without_its_programs_gives_the_reason() -> None:
    came: list[Session] = []
    without = tuple(tool for tool in EVERYTHING if tool[0] != "mdadm")
    person = spreading(recorded(*numbered(2), tools=without), came)
    person.key("enter", "/dev/sdb")
    assert "mdadm" in str(person.row("mirror-md").why_not)
    assert "mdadm" in str(person.row("stripe-md").why_not)
    person.key("enter", "mirror-md")
    assert not came and "mdadm" in person.said


def test_data_loss_is_asked_first_and_no_changes_no_setting() -> None:
    came: list[Session] = []
    person = spreading(recorded(*numbered(2), full()), came)
    person.key("enter", "/dev/sdc")
    person.key("enter", "mirror-btrfs")
    assert person.view.place == "question" and "All data on /dev/sdc will be lost" in person.text
    person.key("enter")
    assert person.view.place == "spread" and not came
    person.key("enter", "mirror-btrfs")
    person.key("y")
    assert len(came) == 1 and person.view.place == "start"


def test_stripe_shows_its_danger_and_mirror_its_limits() -> None:
    person = spreading(recorded(*numbered(2)), [])
    person.key("enter", "/dev/sdb")
    person.desk.moved("stripe-md")
    assert "everything on all drives is lost" in person.text
    person.desk.moved("mirror-md")
    assert "is not a backup" in person.text and "/dev/sda and /dev/sdb, mirrored by md" in person.text


def test_plan_returns_to_the_first_drive_alone() -> None:
    came: list[Session] = []
    services = recorded(*numbered(2))
    person = spreading(services, came)
    person.key("enter", "/dev/sdb")
    person.key("enter", "stripe-md")
    again: list[Session] = []
    person = spreading(services, again, came[0])
    assert person.row("/dev/sdb").chosen is True and person.row("stripe-md").chosen is True
    person.key("enter", "alone")
    assert again[0].arrangement.stripe is None and again[0].others == ()


def test_selected_drive_can_be_deselected() -> None:
    person = spreading(recorded(*numbered(3)), [])
    person.key("enter", "/dev/sdb")
    assert str(person.view.actions[0].label) == "drop"
    person.key("enter", "/dev/sdb")
    assert person.row("/dev/sdb").chosen is False
    assert str(person.row("stripe-md").why_not) == "Select another drive first."


def test_headings_are_not_selectable_and_a_single_drive_has_no_choice() -> None:
    came: list[Session] = []
    person = spreading(recorded(*numbered(1)), came)
    assert "No other drive found." in person.text
    for heading in ("drives", "how"):
        person.key("enter", heading)
        assert person.said == "Choose a drive or a layout below." and not came
    person.key("enter", "alone")
    assert len(came) == 1


def test_removed_drive_is_not_selected() -> None:
    class Pulled(Services):
        gone = ""

        def is_attached(self, drive: Drive) -> bool:
            return drive.path != self.gone

    services = Pulled(recorded(*numbered(3)).machine, "a test")
    person = spreading(services, [])
    person.key("enter", "/dev/sdb")
    services.gone = "/dev/sdb"
    person.desk.screen.drives_changed()
    assert [row.key for row in person.rows if row.key.startswith("/dev")] == ["/dev/sdc"]
    assert str(person.row("stripe-md").why_not) == "Select another drive first."


def test_several_volumes_do_not_span_several_drives() -> None:
    services = recorded(*numbered(2))
    session = session_for(services)
    spec = session.specs[0]
    two = replace(session, specs=(replace(spec, size_bytes=1 << 30), spec))
    person = spreading(services, [], two)
    person.key("enter", "/dev/sdb")
    assert "Several drives form one volume" in str(person.row("mirror-md").why_not)


@pytest.mark.parametrize(("state", "ways"), [("waiting", ("keep", "undo")), ("running", ())])
def test_drive_with_a_run_is_unavailable_for_the_listed_reason(state: str, ways: tuple[str, ...]) -> None:
    services = recorded(*numbered(2))
    start = session_for(services)
    runs = (OpenRun(Path("/runs/0001-sdb"), state, ("/dev/sdb",), ways),)

    def place(desk: Desk) -> Spread:
        desk.runs = runs
        return Spread(desk)

    person = person_at(services, start, place)
    row = person.row("/dev/sdb")
    assert str(row.why_not) == str(why_not_now(runs)) and row.chosen is None
    person.key("enter", "/dev/sdb")
    assert person.row("/dev/sdb").chosen is None


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("other", ["whole", "unread", "waiting", "empty"])
def test_content_of_every_drive_of_a_plan_is_listed_as_lost(other: str, order: tuple[int, int]) -> None:
    plan = striped(numbered(2), "btrfs")
    slot = replace(plan.after.partitions[0], filesystem="ext3", label="holiday", kept=False)
    held = (
        replace(plan.after, slots=(slot,)),
        {
            "whole": replace(plan.before, signatures=("ext4",), label="photos"),
            "unread": replace(plan.before, table="unread"),
            "waiting": replace(plan.before, waiting="the run 0001-sdb"),
            "empty": plan.before,
        }[other],
    )
    first, second = (held[at] for at in order)
    plan = replace(plan, before=first, others=(replace(plan.others[0], before=second),))
    said = "".join(losses(plan))
    wanted = {
        "whole": "photos",
        "unread": f"sd{'ab'[order.index(1)]}",
        "waiting": "the run 0001-sdb",
        "empty": "",
    }[other]
    assert "holiday" in said and wanted in said
