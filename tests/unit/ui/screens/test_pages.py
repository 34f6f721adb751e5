"""Pages to read: a text, help, glossary, reasons, and a drive's health."""

import pytest
from msgspec.structs import replace

from tests.unit.ext4.migrations import situation
from tests.unit.machines import E512, drive, gpt, machine, partition
from tests.unit.ui.person import Person, texts_of_block
from wizard.ext4.document import make_migration
from wizard.host.services import Services
from wizard.model.drive_facts import Health, Smart
from wizard.model.ensure import WantedVolume
from wizard.model.errors import BadInput
from wizard.model.machine import Drive
from wizard.model.verdict import Outcome, Pair, Ratio, Verdict
from wizard.plan.changes import Way
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.wanted import spec_of
from wizard.ui.components.advice_rows import choice_page
from wizard.ui.components.measured import verdict_page
from wizard.ui.components.reasons import (
    command_blocks,
    finding_reasons,
    step_reasons,
)
from wizard.ui.dialogs.asking import question
from wizard.ui.dialogs.health import health_page
from wizard.ui.dialogs.pages import Glossary, Page, Reasons, meaning
from wizard.ui.session import Session
from wizard.ui.view import Command, Figures, ScreenStep, para


def person(*drives: Drive) -> Person:
    return Person(Services(machine(*drives), "a test", lambda: "11111111-2222-4333-8444-555555555555"))


def off_by_512() -> Drive:
    """Return a 512e drive with a partition that starts within a physical block."""
    return drive(table=gpt(), partitions=(partition(1, 63 * 512, filesystem="ext3"),), free=())


def test_page_is_left_by_enter_and_by_escape() -> None:
    at = person(drive())
    for key in ("enter", "escape"):
        page = Page(at.desk, "A title", (para("A text."),))
        page.step = ScreenStep.PLAN
        at.desk.go(page)
        assert at.view.step is ScreenStep.PLAN and "A text." in at.texts()
        at.key(key)
        assert at.view.place == "drives"


def test_help_explains_the_screen_and_every_key_with_its_blocker() -> None:
    at = person(off_by_512())
    before = at.view
    at.act("help")
    assert at.view.place == "help"
    for action in (action for action in before.actions if action.name != "help"):
        assert str(action.label) in at.text
        if action.why_not != "":
            assert str(action.why_not) in at.text
    assert all(str(text) in at.text for text in before.help)
    assert at.view.action("help") is None


def test_terms_of_the_screen_come_first_with_one_definition() -> None:
    at = person(off_by_512())
    at.act("glossary")
    assert at.view.place == "glossary"
    here = [any(str(cell.text) == "here" for cell in row.cells) for row in at.rows]
    assert any(here) and here == sorted(here, reverse=True)
    row = at.row("512e")
    at.desk.moved(row.key)
    assert str(at.view.panes[0].title) == "512e" and at.view.panes[0] == meaning("512e")
    at.key("escape")
    assert at.view.place == "drives"


def test_unknown_term_names_the_nearest() -> None:
    with pytest.raises(BadInput, match="Did you mean"):
        meaning("512")


def test_terms_of_the_screen_below_a_dialog_come_first_too() -> None:
    at = person(off_by_512())
    at.desk.go(question(at.desk, "Sure?", "About an inode.", "yes", lambda: None))
    at.desk.go(Glossary(at.desk))
    here = [str(row.cells[0].text) for row in at.rows if str(row.cells[1].text)]
    assert {"inode", "512e"} <= set(here)


def test_reasons_explain_the_selected_sentence() -> None:
    at = person(off_by_512())
    known = off_by_512()
    diagnosis = at.desk.services.diagnose(machine(known), known)
    reasons = finding_reasons(diagnosis)
    assert len(reasons) == len(diagnosis.findings) + bool(diagnosis.recording.evidence)
    at.desk.go(Reasons(at.desk, "Why", reasons))
    assert at.view.rows and str(at.view.rows.rows[0].cells[0].text) in ("danger:", "warning:")
    assert str(diagnosis.findings[0].why) in at.text
    at.desk.moved("1")
    assert at.view.rows.at == "1" and at.view.panes[0].blocks == reasons[1].behind
    at.key("enter")
    assert at.view.place == "drives"


def test_findings_show_published_figures() -> None:
    at = person(off_by_512())
    known = off_by_512()
    worst = finding_reasons(at.desk.services.diagnose(machine(known), known))[0]
    figures = [block for block in worst.behind if isinstance(block, Figures)]
    assert figures and all(text == f"{value:g}" for one in figures for _, value, text in one.values)
    assert "is better" in str(figures[0].unit)
    said = [str(piece.text) for block in worst.behind for piece in getattr(block, "pieces", ())]
    sources = [text for text in said if text.startswith("Linux on 4 KB")]
    assert len(sources) == len(set(sources))


def test_list_without_reasons_says_so() -> None:
    at = person(drive())
    at.desk.go(Reasons(at.desk, "Why", ()))
    assert "No further details." in at.texts()


def test_page_of_a_choice_includes_options_and_unavailable_ones() -> None:
    services, known = person(drive()).desk.services, drive()
    session = Session(services, machine(known), known, services.diagnose(machine(known), known))
    advice = session.advise("large-media")
    for choice in advice.choices:
        said = [text for block in choice_page(choice, advice) for text in texts_of_block(block)]
        explained = [
            *(one.why for one in (*choice.mkfs, *choice.mount)),
            *(one.reason for one in choice.withheld),
        ]
        wanted = (*choice.obstacles, *([] if choice.obstacles else explained), *advice.doubts, *advice.notes)
        assert {str(choice.sentence), *map(str, wanted)} <= set(said)


def test_every_step_of_a_plan_has_its_commands_and_reasons() -> None:
    services, known = person(drive()).desk.services, drive()
    around = machine(known)
    recording = services.diagnose(around, known).recording
    spec = spec_of(around, known, recording, WantedVolume("large-media"))
    plan = services.plan(around, (known,), NewVolumes((spec,), Mode.REPLACE))
    blocks = command_blocks(plan.steps)
    commands = [block.argv for block in blocks if isinstance(block, Command)]
    assert commands == [argv for step in plan.steps for argv in step.commands]
    reasons = step_reasons(plan, (spec,))
    assert len(reasons) == len(plan.steps) + len(plan.doubts)
    assert [reason.cells[1] for reason in reasons[: len(plan.steps)]] == [
        step.sentence for step in plan.steps
    ]


def test_every_step_of_a_migration_shows_its_undo() -> None:
    migration = make_migration(situation(), Way.FULL)
    said = " ".join(
        str(piece.text) for block in command_blocks(migration.steps) for piece in getattr(block, "pieces", ())
    )
    assert all(step.undo in said for step in migration.steps)


def verdict() -> Verdict:
    return Verdict(
        "/dev/sda",
        "read",
        Outcome.ALIGNED_FASTER,
        Ratio(1.8, 1.6, 2.0, 0.95, 300),
        "Aligned is 1.8x faster (1.6-2.0, 95 %).",
        ("It is a test.",),
        4096,
        512,
        30.0,
        (Pair(100_000, 180_000),) * 3,
    )


def test_verdict_has_its_figures_and_each_caveat() -> None:
    blocks = tuple(verdict_page(verdict()))
    medians, spread, *_ = (block for block in blocks if isinstance(block, Figures))
    assert [text for *_, text in medians.values] == ["100 us", "180 us"]
    assert sum(value for _, value, _ in spread.values) == 3
    assert any("It is a test." in texts_of_block(block) for block in blocks)


def test_verdict_without_pairs_reports_no_measurement() -> None:
    blocks = verdict_page(replace(verdict(), pairs=(), ratio=None))
    assert any("No measurements." in texts_of_block(block) for block in blocks)


def test_health_starts_with_the_verdict_and_names_the_drive() -> None:
    failing = drive(smart=Smart(passed=False, health=Health(hours=20_000, pending=3)))
    at = person(failing)
    at.desk.go(health_page(at.desk, failing, at.desk.services.diagnose(machine(failing), failing)))
    assert at.view.place == "health"
    said = [text for text in at.texts() if text]
    assert said[1].startswith("Failing: copy all data off the drive now.")
    for known in ("S1", "naa.5000000000000001", "Example HDD 500", "SATA", E512.sector_format):
        assert known in at.text


def test_drive_without_health_data_is_not_called_healthy() -> None:
    at = person(drive())
    known = drive()
    at.desk.go(health_page(at.desk, known, at.desk.services.diagnose(machine(known), known)))
    assert "No health data available." in at.texts() and "Good" not in at.text
