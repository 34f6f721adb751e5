"""The report's page: complete, safe, and with text for every drawing."""

import re
from itertools import islice
from pathlib import Path
from typing import TypeVar, cast

import pytest
from msgspec import Struct
from msgspec.structs import replace

from tests.unit.apply.test_bring import BRING
from tests.unit.benchmark.trials import FASTER
from tests.unit.benchmark.trials import verdict as tried
from tests.unit.documents.test_changes import CHANGES
from tests.unit.ext4.migrations import situation
from tests.unit.machines import drive, machine, partition, partitioned
from tests.unit.report.reports import MACHINES, RECORDINGS, Page, plan_of, plans_of, verdict
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import Journal
from wizard.apply.run.runs import BRING as BRING_FILE
from wizard.apply.run.runs import CHANGES as CHANGES_FILE
from wizard.apply.run.runs import MIGRATION, MOVE, PLAN, make_run
from wizard.ext4.document import make_migration
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.host.services import Services
from wizard.model.machine import Signature
from wizard.model.moves import Moves
from wizard.model.run import Check, Event, JournalEntry
from wizard.model.said import GIB, MIB
from wizard.model.verdict import Outcome
from wizard.plan.changes import Bring, Changes, Migration, RunDocument, Way
from wizard.plan.copy import losses_of
from wizard.plan.partition.moves import planned_moves
from wizard.plan.plan import Plan
from wizard.probe.machine import load_machine
from wizard.report.anonymous import without_names
from wizard.report.gather import Report, RunRecord, Sources, StepResult, make_report, step_result
from wizard.report.page import render_page, tag
from wizard.ui.components.run_rows import checks_of
from wizard.ui.jobs.in_place import job_of

T = TypeVar("T")

HOSTILE = "<script>alert(1)</script>\"'&</svg>]]>\x1b[31m\u202etxt"


MISALIGNED = partitioned(partition(1, MIB + 63 * 512, 10 * GIB, filesystem="ext4"))


def page_of(sources: Sources) -> Page:
    return Page(render_page(make_report(sources)))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_every_recording_gives_an_offline_page_with_every_finding(path: Path) -> None:
    known = load_machine(path)
    report = make_report(Sources(machine=known, origin="Recorded.", workload="large-media"))
    text = render_page(report)
    page = Page(text)
    assert "script" not in page.tags and not {
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "image",
        "use",
    } & set(page.tags)
    assert not [
        key for _, key, _ in page.attributes if key.startswith("on") or key in ("src", "xlink:href", "action")
    ]
    assert all(value.startswith("#") for _, key, value in page.attributes if key == "href")
    assert all(value.startswith("url(#") for _, _, value in page.attributes if "url(" in value)
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style and "@import" not in style
    assert page.of("html", "lang") == ["en"] and set(page.of("th", "scope")) <= {"row", "col"}
    assert report.facts is not None
    for diagnosis in report.facts.diagnoses:
        for finding in diagnosis.findings:
            assert str(finding.sentence) in page.text and str(finding.advice) in page.text
    for one in known.drives:
        assert f"{one.path}: {one.model or 'no name'}" in page.text


@pytest.mark.parametrize("path", RECORDINGS[::4], ids=lambda path: path.stem)
def test_plan_is_included_with_every_command_and_number(path: Path) -> None:
    known = load_machine(path)
    for plan in islice(plans_of(known), 1):
        page = page_of(Sources(plan=plan, machine=known))
        for step in plan.steps:
            assert step.sentence in page.text and step.undo in page.text
            assert all(argv[-1] in page.text for argv in step.commands)
            assert all(edit in page.text for edit in step.edits)
        for slot in plan.after.partitions:
            assert f"{slot.size_bytes} bytes" in page.text


def test_hostile_names_remain_text() -> None:
    signature = Signature("ext4", "filesystem", label=HOSTILE, uuid=HOSTILE)
    bad = partitioned(
        partition(size_bytes=GIB, name=HOSTILE, mount_points=(f"/mnt/{HOSTILE}",), signatures=(signature,)),
        model=HOSTILE,
        serial=HOSTILE,
    )
    report = make_report(Sources(machine=machine(bad), origin=HOSTILE))
    sane = make_report(Sources(machine=machine(replace(bad, model="a", serial="b")), origin="c"))
    text = render_page(report)
    page = Page(text)
    assert "script" not in page.tags and "<script" not in text
    assert page.tags == Page(render_page(sane)).tags, "a name made an element"
    assert page.text.count("<script>alert(1)</script>\"'&</svg>]]>?[31m?txt") >= 5
    assert not [char for char in text if not char.isprintable() and char != "\n"]


def test_attribute_cannot_be_escaped() -> None:
    page = Page(tag("p", "text", title=f'" onclick="alert(1) {HOSTILE}'))
    assert page.tags == ["p"] and [key for _, key, _ in page.attributes] == ["title"]
    assert page.of("p", "title")[0].startswith('" onclick="alert(1) <script>')


def test_missing_section_is_named_with_the_reason() -> None:
    report = make_report(Sources(machine=machine()))
    assert {absence.part for absence in report.absent} == {"advice", "plan", "measurement", "run"}
    text = Page(render_page(report)).text
    assert all(f"{absence.part}: {absence.why}" in text for absence in report.absent)
    assert "Recommendations and reasons" not in text and "The plan" not in text and "Verification" not in text


def test_facts_of_another_drive_are_not_used_for_the_plan() -> None:
    plan = plan_of(machine(), drive())
    report = make_report(Sources(plan=plan, machine=machine(drive(serial="OTHER"))))
    assert report.facts is None and not report.advice and report.plan is not None
    (facts,) = [absence.why for absence in report.absent if absence.part == "facts"]
    assert "is now a different drive" in facts and "OTHER" in facts
    gone = make_report(Sources(plan=plan, machine=machine(drive(path="/dev/sdz"))))
    assert gone.facts is None and any("/dev/sda is not among" in absence.why for absence in gone.absent)


def test_bar_is_to_scale_and_described_in_words() -> None:
    old = partitioned(
        partition(1, size_bytes=250 * 10**9, filesystem="ext4"),
        partition(2, start_bytes=300 * 10**9, size_bytes=GIB),
    )
    page = page_of(Sources(plan=plan_of(machine(old), old), machine=machine(old)))
    said = {*page.cells}
    assert {"1 ext4 250 GB used space unknown (lost)", "50.0 GB free", "photographs xfs 500 GB (new)"} <= said
    assert "1 ext4 250 GB used space unknown" in said, "before the plan, nothing is lost"
    wide = [float(value.removeprefix("width: ").rstrip("%")) for value in page.of("span", "style")]
    assert any(49 < width < 51 for width in wide), "half of the drive is half of the bar"


def test_every_figure_of_the_ranking_is_shown() -> None:
    report = make_report(Sources(plan=plan_of(machine(), drive()), machine=machine()))
    page = Page(render_page(report))
    ranked = [choice for advice in report.advice for choice in advice.choices if choice.ranked]
    cards = {card for choice in ranked for card in choice.evidence}
    assert cards
    for card in cards:
        assert str(card.title) in page.text and str(card.era) in page.text
        assert all(f"{value:g}" in page.cells for _, value in card.figures)


def test_unranked_and_unsupported_filesystems_have_one_line() -> None:
    machine = load_machine(MACHINES / "control.json")
    advice = advise(
        machine,
        machine.drives[0],
        diagnose(machine, machine.drives[0], load_patterns()).recording,
        find_workload("mail"),
    )
    page = page_of(Sources(machine=machine, origin="A recording.", workload="mail"))
    said = " ".join(" ".join(page.words).split())
    unranked = [choice for choice in advice.choices if not choice.ranked]
    assert unranked and advice.unmade
    for choice in unranked:
        assert (str(choice.sentence) in said) == (choice.filesystem != "swap")
    for one in advice.unmade:
        assert one.title in said and one.why_not in said and one.way_off in said


def test_measurement_is_shown_with_its_interval_and_every_range() -> None:
    page = page_of(Sources(machine=machine(), measured=verdict()))
    text = page.text.partition("Measurements")[2]
    assert all(number in text for number in ("1.81 times", "1.40 to 2.20", "95 %", "Few pairs."))
    rows = dict(zip(page.cells, page.cells[2:], strict=False))
    assert [rows[name] for name in ("0.95 to 1.05", "1.05 to 1.25", "1.25 to 2", "over 4")] == list("1021")


def test_measurement_of_another_drive_is_labelled() -> None:
    (doubt,) = [
        one.why
        for one in make_report(Sources(machine=machine(), measured=verdict("/dev/sdq"))).absent
        if one.part == "measurement"
    ]
    assert "/dev/sdq" in doubt and "/dev/sda" in doubt
    assert "measurement" not in {
        one.part for one in make_report(Sources(machine=machine(), measured=verdict())).absent
    }


def test_impossible_measurement_is_reported() -> None:
    none = replace(verdict(), outcome=Outcome.NOT_POSSIBLE, ratio=None, pairs=())
    page = page_of(Sources(machine=machine(), measured=none))
    assert none.sentence in page.text and "times as long" not in page.text.partition("Measurements")[2]


def test_trial_of_filesystems_is_drawn_with_its_intervals() -> None:
    page = page_of(Sources(machine=machine(), measured=tried(FASTER)))
    assert "ext4 was 1.31x faster than XFS (1.26-1.36), 6 of 6 rounds. Plan confirmed." in page.text
    assert "1.31 (1.26-1.36)" in page.cells and "kernel-tree, extract" in page.text
    assert "undecided: 0 of at least 6 rounds" in page_of(Sources(machine=machine(), measured=tried(()))).text


def entries(*told: tuple[Event, int, int]) -> tuple[JournalEntry, ...]:
    return tuple(
        JournalEntry(f"2026-11-20T10:00:{second:02}.500+00:00", event, step, f"{event} {step}.")
        for event, step, second in told
    )


def test_repeated_step_counts_by_its_last_attempt() -> None:
    told = entries(
        (Event.STARTED, 0, 0),
        (Event.STEP_STARTED, 1, 1),
        (Event.STEP_DONE, 1, 3),
        (Event.STEP_STARTED, 2, 3),
        (Event.STEP_FAILED, 2, 4),
        (Event.NOT_VERIFIED, 0, 5),
        (Event.STARTED, 0, 20),
        (Event.STEP_STARTED, 2, 21),
        (Event.STEP_DONE, 2, 28),
        (Event.STEP_STARTED, 3, 29),
        (Event.VERIFIED, 0, 30),
    )
    results = [step_result(number, told) for number in range(1, 5)]
    assert [(one.state, one.seconds) for one in results] == [
        ("done", 2.0),
        ("done", 7.0),
        ("begun", None),
        ("not begun", None),
    ]
    assert [check.holds for check in checks_of(told)] == [True], (
        "the checks of before it was resumed do not count"
    )


def finished(report: Report) -> Report:
    assert report.plan is not None
    told = entries(
        (Event.STARTED, 0, 0), (Event.STEP_STARTED, 1, 1), (Event.STEP_FAILED, 1, 4), (Event.FAILED, 0, 5)
    )
    steps = tuple(step_result(number, told) for number in range(1, len(report.plan.steps) + 1))
    return replace(
        report,
        run=RunRecord("20261120-sda", "failed", told[0].at, told[-1].at, "It failed.", steps, (), told),
    )


def test_failed_run_shows_done_and_remaining_steps() -> None:
    page = Page(
        render_page(finished(make_report(Sources(plan=plan_of(machine(), drive()), machine=machine()))))
    )
    assert "It failed." in page.text and "2026-11-20 10:00:05 UTC" in page.text
    assert re.search(r"\[!\] 1\. [^\[]*3\.00 s", page.text) and "[ ] 2." in page.text
    assert "passed" not in page.text.partition("Execution")[2], "nothing was checked"


KINDS: tuple[RunDocument, ...] = (
    plan_of(machine(), drive()),
    CHANGES,
    make_migration(situation(), Way.FULL),
    planned_moves(machine(MISALIGNED), MISALIGNED),
    replace(BRING, doubts=losses_of(BRING)),
)
ENDING = (Event.DONE, Event.FAILED, Event.STOPPED, Event.REFUSED, Event.WAITING, Event.KEPT, Event.UNDONE)


@pytest.mark.parametrize("document", KINDS, ids=lambda one: type(one).__name__)
def test_every_kind_of_run_is_shown_as_the_wizard_does(document: RunDocument, tmp_path: Path) -> None:
    job = job_of(Services(machine(), ""), document)
    run = make_run(tmp_path, ("/dev/sda",), FILES[type(document)], job.saved()[0], Environment())
    Journal(run).add(Event.STARTED, "Begun.")
    Journal(run).add(Event.STEP_STARTED, "First.", step=1)
    for event in ENDING:
        Journal(run).add(event, f"This run: {event}.")
        report = make_report(Sources(run=run, machine=machine(drive())))
        text = Page(render_page(report)).text
        assert report.document == document and f"This run: {event}." in text and str(job.title) in text
        shown = (*job.sentences, *job.brief, *job.undo_texts(), *job.doubts)
        assert not [one for one in map(str, shown) if one not in text]
        Page(render_page(without_names(report)))


@pytest.mark.parametrize("document", KINDS, ids=lambda one: type(one).__name__)
def test_hostile_names_of_every_kind_of_run_remain_text(document: RunDocument) -> None:
    sane = replace(with_document(document), run=record(document, "said"))
    report = replace(with_document(hostile(document)), run=record(document, HOSTILE))
    for one, plain in ((report, sane), (without_names(report), without_names(sane))):
        text = render_page(one)
        assert "<script" not in text and not [c for c in text if not c.isprintable() and c != "\n"]
        assert Page(text).tags == Page(render_page(plain)).tags, "a name made an element"
    assert "&lt;script&gt;" in render_page(report)


FILES = {Plan: PLAN, Changes: CHANGES_FILE, Migration: MIGRATION, Moves: MOVE, Bring: BRING_FILE}
NAMES = {"label", "model", "serial", "wwn", "sentence", "undo", "mount_point", "folder", "place"}


def with_document(document: RunDocument) -> Report:
    return replace(
        make_report(Sources(machine=machine())),
        plan=document if isinstance(document, Plan) else None,
        changes=document if isinstance(document, Changes) else None,
        migration=document if isinstance(document, Migration) else None,
        move=document if isinstance(document, Moves) else None,
        bring=document if isinstance(document, Bring) else None,
    )


def hostile(value: T) -> T:
    """Append hostile text to every name in a document."""
    if isinstance(value, tuple):
        return cast(T, tuple(map(hostile, value)))
    if not isinstance(value, Struct):
        return value
    changed = {}
    for name in value.__struct_fields__:
        inner = getattr(value, name)
        named = isinstance(inner, str) and name in NAMES
        changed[name] = f"{inner}{HOSTILE}" if named else hostile(inner)
    return cast(T, replace(value, **changed))


def record(document: RunDocument, said: str) -> RunRecord:
    told = (
        JournalEntry(said, Event.STARTED, 0, said),
        JournalEntry(said, Event.COMMAND, 1, said, command=(said, said), output=said),
    )
    steps = tuple(
        StepResult(number, "done", said, 1.0, said) for number, _ in enumerate(document.sentences, 1)
    )
    checks = (Check(said, False, said), Check(said, True, said))
    return RunRecord(said, said, said, said, said, steps, checks, told, said, (said,))
