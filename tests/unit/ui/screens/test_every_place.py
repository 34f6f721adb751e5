"""Every screen of the wizard on every recorded machine: no failures, no unexplained refusals, and no
started runs."""

import re
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.daily import one_in
from tests.machines import name_of, recordings
from tests.unit.machines import SIZE_BYTES, machine, partition, partitioned
from tests.unit.ui.person import Person
from tests.unit.ui.screens.explorer import Explorer, Watched, texts
from wizard.model.errors import DiskwrightError, printable, why_not
from wizard.model.machine import Drive
from wizard.model.said import MIB
from wizard.plain.app import PlainSession
from wizard.plain.prompt import LONGEST_PARAGRAPH, Dialogue
from wizard.plan.refusals import refuse_drive
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.probe.machine import load_machine
from wizard.ui.screens.plan import PlanScreen
from wizard.ui.view import View
from wizard.ui.wizard import Wizard

SETS_UP = frozenset({"purpose", "plan", "filesystem", "options", "volume", "spread"})
"""Places in which a drive is set up: none of them is for one that is in use."""
SENTENCE = re.compile(r"[^a-z].*[.:?!]|.*\.", re.DOTALL)


def check_view(person: Person) -> None:
    """Check the rules for every view."""
    view = person.view
    typed = {field.value for field in view.fields}
    for text in texts(view):
        assert text.isprintable() or text in typed, (view.place, text)
        assert "Traceback" not in text and "Error(" not in text, (view.place, text)
    for action in view.actions:
        assert str(action.label).strip(), (view.place, action.name)
        check_refusal(view, str(action.why_not))
    if view.rows is not None:
        keys = [row.key for row in view.rows.rows]
        assert len(set(keys)) == len(keys), (view.place, keys)
        assert view.rows.at in keys or not keys, (view.place, view.rows.at)
        for row in view.rows.rows:
            check_refusal(view, str(row.why_not))
    assert view.said is None or str(view.said.text).strip(), view.place
    check_told(person)
    check_drives(person)
    check_planner(person)


def check_refusal(view: View, why_not: str) -> None:
    """Check that a refusal is a sentence."""
    assert not why_not or SENTENCE.fullmatch(why_not), (view.place, why_not)


def check_told(person: Person) -> None:
    """Check that the line-by-line wizard refuses with the same text. Lines can break within long words."""
    view, out = person.view, StringIO()
    refusals = [view.said.text] if view.said else []
    refusals += [row.why_not for row in view.rows.rows if row.why_not != ""] if view.rows else []
    # What Enter does is refused by what is said of it.
    entered = {action.name for action in view.actions if action.key == "enter"}
    refusals += [one.why_not for one in view.actions if one.why_not != "" and one.name not in entered]
    if not refusals:
        return
    lines = PlainSession(Wizard(person.desk.services), Dialogue(BytesIO(), out, width=78, ascii_only=False))
    lines.tell(person.desk.screen, view)
    lines.explain(view, "")
    told = _solid(out.getvalue())
    for refusal in refusals:
        assert _solid(printable(str(refusal), LONGEST_PARAGRAPH)) in told, (view.place, str(refusal))


def _solid(text: str) -> str:
    return "".join(text.split())


def check_drives(person: Person) -> None:
    """Check that unavailable drives never reach the screens of setting up."""
    if person.view.place in SETS_UP:
        for drive in person.desk.session.drives:
            assert not why_not(refuse_drive, drive), (person.view.place, drive.path)


def check_planner(person: Person) -> None:
    """Check that the plan continues exactly if the planner makes one, and refuses with the planner's text."""
    view, session = person.view, person.desk.selected
    if (
        view.place != "plan"
        or session is None
        or session.part
        or session.arrangement.stripe
        or not session.specs
        or session.mode is None
    ):
        return
    why_not = ""
    try:
        person.desk.services.plan(
            session.machine, session.drives, NewVolumes(session.specs, session.mode, session.arrangement)
        )
    except DiskwrightError as error:
        why_not = str(error)
    review = view.action("review")
    assert review is not None and str(review.why_not) == why_not, (view.place, why_not)


EVERY = [path for path in recordings() if name_of(path) != "loops/crowded"]
"""That one is as `loops/many`, and takes as long as all others together; its places are drawn in looks."""


@pytest.mark.parametrize("path", one_in(2, EVERY), ids=name_of)
def test_every_screen_of_every_machine(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    services = Watched(load_machine(path))
    explorer = Explorer(services, check_view)
    explorer.explore()
    assert not services.attempts
    assert explorer.visited["drives"]


def full_drive() -> Drive:
    """Return a drive without free space."""
    part = partition(1, MIB, SIZE_BYTES - 4 * MIB, filesystem="ext4")
    return partitioned(part, free=())


def test_refusal_of_the_planner_is_shown_literally() -> None:
    services = Watched(machine(full_drive()))
    person = Person(services)
    person.act("actions", "/dev/sda")
    free = person.row("use-free")
    assert free.why_not != ""
    person.act("do", "use-free")
    assert person.view.place == "actions" and person.said == str(free.why_not)
    person.act("do", "set-up")
    person.act("plan", "large-media")
    session = person.desk.session
    assert session.machine is not None and session.drive is not None
    with pytest.raises(DiskwrightError) as refused:
        services.plan(session.machine, session.drives, NewVolumes(session.specs, Mode.USE_FREE))
    turn = person.view.action("turn")
    assert turn is not None and str(turn.why_not) == str(refused.value)
    # Over it all the same, as a plan that was made before something else came would be.
    person.desk.session = replace(session, mode=Mode.USE_FREE)
    person.desk.go(PlanScreen(person.desk))
    review = person.view.action("review")
    assert review is not None and str(review.why_not) == str(refused.value)
    check_view(person)
    person.key("enter")
    assert person.view.place == "plan" and person.said == str(refused.value)
