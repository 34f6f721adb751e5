"""The report of a real run: drive, steps, verification and result."""

import json

import pytest

from tests.devices import MakeDrive
from tests.loop.applying import Work, diskwright, ended, old_gpt, said, spec, stand_in, story
from tests.loop.migrate.migrating import old_filesystem
from tests.loop.program import MIB, Event, Failed, Mode, RunState, start_run
from tests.loop.tune.tuning import Used
from tests.unit.report.reports import Page
from wizard.apply.run.backup_store import FILE
from wizard.report.gather import Sources, make_report
from wizard.report.page import write_report


def test_finished_run_is_reported_with_every_check(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(400 * MIB)
    old_gpt(drive)
    plan = work.plan(drive, spec("ext4", None, work.place("shared pictures")), mode=Mode.REPLACE)
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)

    file = work.folder / "report.html"
    done = diskwright(work, "report", run.name, "-o", str(file), "--json")
    assert done.returncode == 0, done.stderr
    document, page = json.loads(done.stdout), Page(file.read_text())
    checks = said(run, Event.VERIFIED)
    assert [check["what"] for check in document["run"]["checks"]] == [entry.sentence for entry in checks]
    assert all(entry.sentence in page.text for entry in checks)
    assert f"All {len(checks)} checks passed" in page.text and said(run, Event.DONE)[0].sentence in page.text
    assert [step["state"] for step in document["run"]["steps"]] == ["done"] * len(plan.steps)
    assert all(step["seconds"] >= 0 for step in document["run"]["steps"])
    (seen,) = document["facts"]["drives"]
    assert [part["filesystem"] for part in document["plan"]["before"]["slots"] if part["number"]] == [
        "ext4",
        None,
    ]
    assert [mark["label"] for part in seen["partitions"] for mark in part["signatures"]] == ["old"], (
        "the facts are those of before the run"
    )
    assert "before the first write" in document["facts"]["origin"]
    assert [absence["part"] for absence in document["absent"]] == ["measurement"]

    hidden = work.folder / "hidden.html"
    done = diskwright(work, "report", "--without-serials", "-o", str(hidden), "--json")
    assert done.returncode == 0, done.stderr
    Page(hidden.read_text())
    text = hidden.read_text() + done.stdout
    names = {
        work.bench.image_of(drive).name,
        "shared pictures",
        "shared\\040pictures",
        *(volume.uuid for volume in plan.volumes),
    }
    names |= {part["part_uuid"] for part in seen["partitions"]} | {
        seen["table"]["uuid"],
        seen["content_digest"],
    }
    names |= {mark["uuid"] for part in seen["partitions"] for mark in part["signatures"]}
    assert None not in names and all(
        name in file.read_text() + json.dumps(document) for name in names - {"shared\\040pictures"}
    )
    assert not [name for name in names if name.casefold() in text.casefold()]


def test_failed_run_is_reported_up_to_the_failure(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(work.folder / "bin", monkeypatch, "mkfs.ext4", "echo it cannot be made >&2; exit 1")
    plan = work.plan(make_drive(64 * MIB), spec("ext4", None, work.place("none")))
    run, now = work.apply(plan)
    assert now is RunState.FAILED, story(run)
    file = work.folder / "report.json"
    write_report(make_report(Sources(run=run)), file)
    told = json.loads(file.read_text())["run"]
    states = [step["state"] for step in told["steps"]]
    kinds = [step.operation.kind for step in plan.steps]
    assert told["state"] == "failed" and states[kinds.index("make-filesystem")] == "failed"
    assert set(states[: kinds.index("make-filesystem")]) == {"done"} and set(
        states[kinds.index("make-filesystem") + 1 :]
    ) == {"not begun"}
    assert not told["checks"] and "it cannot be made" in json.dumps(told["journal"])


def test_missing_facts_do_not_block_a_run_or_its_report(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_words: object, **_more: object) -> None:
        raise Failed("The drive did not answer.")

    monkeypatch.setattr("wizard.apply.run.backup_store.survey", fails)
    plan = work.plan(make_drive(64 * MIB), spec("ext4"))
    run = start_run(plan, *plan.tokens, journal_dir=work.runs, environment=work.environment)
    assert ended(run) is RunState.DONE, story(run)
    assert not (run / FILE).exists()
    file = work.folder / "report.json"
    write_report(make_report(Sources(run=run)), file)
    facts = json.loads(file.read_text())["facts"]
    assert "saved no drive information" in facts["origin"] and facts["drives"][0]["partitions"]


def test_settings_are_reported_and_names_can_be_hidden(used: Used) -> None:
    own = ("--fstab", str(used.work.fstab))
    token = ("--confirm", used.drive.removeprefix("/dev/"))
    done = diskwright(used.work, "label", used.drive, "summer films", *own, *token)
    assert done.returncode == 0, done.stderr
    file = used.work.folder / "report.html"
    told = diskwright(used.work, "report", "-o", str(file), "--json")
    assert told.returncode == 0, told.stderr
    document, page = json.loads(told.stdout), Page(file.read_text())
    assert document["plan"] is None and document["changes"]["wanted"]["label"] == "summer films"
    assert [step["state"] for step in document["run"]["steps"]] == ["done"]
    assert f"Change {used.drive}" in page.text and "Check passed" in page.text
    assert "tune2fs -L 'summer films'" in page.text
    again = diskwright(used.work, "label", used.drive, "winter", *own, *token)
    assert again.returncode == 0, again.stderr
    hidden = diskwright(used.work, "report", "--without-serials", "--json")
    assert hidden.returncode == 0 and "summer films" not in hidden.stdout, hidden.stderr


def test_waiting_and_failed_conversions_are_reported(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = old_filesystem(work, make_drive)
    with monkeypatch.context() as broken:
        stand_in(work.folder / "bin", broken, "e2fsck", "echo it does not run >&2; exit 8")
        failed = old.migrate_here()
    file = work.folder / "report.html"
    for run, state in ((failed, "failed"), (old.migrate_here(), "done")):
        told = diskwright(work, "report", run.name, "-o", str(file), "--json")
        assert told.returncode == 0, told.stderr
        document, page = json.loads(told.stdout), Page(file.read_text())
        assert document["run"]["state"] == state and document["migration"]["device"] == old.drive
        assert len(document["run"]["steps"]) == len(document["migration"]["steps"])
        assert f"{old.drive} to ext4" in page.text and "On power loss" in page.text
    assert f"sudo diskwright keep {run}" in page.text, "it waits"


def test_run_with_a_damaged_document_is_reported_from_its_journal(used: Used) -> None:
    run, _ = used.apply(used.changes())
    (run / "changes.json").write_text("{}")
    told = diskwright(used.work, "report", run.name, "--json")
    assert told.returncode == 0, told.stderr
    document = json.loads(told.stdout)
    assert {one["part"] for one in document["absent"]} >= {"plan", "facts"}
    assert any(entry["event"] == "done" for entry in document["run"]["journal"])
