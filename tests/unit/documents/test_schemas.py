"""Documents from the program match the published JSON Schemas.

tests/loop/runs/published.py checks the files in a run's folder.
"""

import json
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.schemas.documents import DOCUMENTS, RUN, Document
from tests.schemas.valid import ENTRY, faults, faults_of, validator_of
from tests.unit.apply.test_bring import BRING, TAKES
from tests.unit.benchmark.shingled.displaced import NOTHING, likely_verdict
from tests.unit.benchmark.shingled.slowing import Shingled, judged
from tests.unit.benchmark.shingled.test_cliff import verdict as cliff_verdict
from tests.unit.benchmark.trials import verdict as trial_verdict
from tests.unit.documents.test_changes import CHANGES
from tests.unit.ext4.migrations import situation
from tests.unit.machines import partitioned
from tests.unit.plan.desired_state.test_ensured import HEAD, VOLUME
from tests.unit.plan.settings.test_moving import MISALIGNED, moved
from tests.unit.report.reports import MACHINES, RECORDINGS, plans_of
from wizard.apply.ensure.look import DriveAssessment
from wizard.benchmark.results import render_verdict
from wizard.cli import ensure
from wizard.cli.changes import PROSPECT_SCHEMA
from wizard.cli.inspect import SCHEMA as MACHINE
from wizard.cli.main import main
from wizard.documents.codec import render_document, to_json
from wizard.ext4.document import MIGRATIONS, prospect_of
from wizard.model.ensure import ENSURED_SCHEMA, Ensured
from wizard.model.moves import Moves
from wizard.plan.changes import SETTINGS
from wizard.plan.copy import BRINGS
from wizard.plan.desired_state.document import read_wanted
from wizard.plan.documents import PLANS
from wizard.plan.partition.moves import MOVES
from wizard.probe.machine import load_machine

RECORDED = Path(__file__).parents[2] / "looks" / "recorded"
MOVING = Path(__file__).parents[2] / "looks" / "recorded_moving"
JUMPERED = str(MACHINES / "jumpered.json")


@pytest.mark.parametrize("one", DOCUMENTS, ids=lambda one: one.name)
def test_each_schema_names_its_document(one: Document) -> None:
    schema = one.schema
    assert schema["title"] and schema["$id"].startswith("urn:diskwright:")
    kept = json.dumps(schema)
    assert all(f"#/$defs/{name}" in kept for name in schema["$defs"]), "a definition that nothing refers to"


@pytest.mark.parametrize("name", [MACHINE, "diskwright.move/2", "diskwright.journal-entry/1"])
def test_schemas_are_valid_json_schemas(name: str) -> None:
    """All schemas share the same code."""
    Draft202012Validator.check_schema(validator_of(name).schema)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_every_recorded_machine(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert faults_of(path.read_text(encoding="utf-8")) == ""
    assert main(["inspect", "--json", "--machine", str(path)]) == 0
    assert faults_of(capsys.readouterr().out) == ""


@pytest.mark.parametrize(
    "words",
    [
        ("workloads",),
        ("glossary",),
        ("options", "--machine", JUMPERED),
        ("advise", "/dev/sdi", "--workload", "large-media", "--machine", JUMPERED),
        ("report", "--machine", JUMPERED, "--plan", "PLAN"),
        ("report", "--machine", JUMPERED, "--workload", "large-media"),
        ("status", "--journal", "EMPTY"),
    ],
    ids=lambda words: words[0],
)
def test_command_output(words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = load_machine(Path(JUMPERED))
    plan = tmp_path / "plan.json"
    plan.write_text(PLANS.render(next(plans_of(known))), encoding="utf-8")
    named = {"PLAN": str(plan), "EMPTY": str(tmp_path)}
    assert main([*(named.get(word, word) for word in words), "--json"]) == 0
    assert faults_of(capsys.readouterr().out) == ""


def test_plans_of_some_machines() -> None:
    plans = [plan for path in RECORDINGS[::3] for plan in list(plans_of(load_machine(path)))[:1]]
    assert len(plans) > 5
    for plan in plans:
        assert faults_of(PLANS.render(plan)) == "" and faults_of(PLANS.render_shown(plan)) == ""


def written() -> dict[str, str]:
    """Return a document of every other kind."""
    move = Moves((moved(partitioned(MISALIGNED)),))
    migration = MIGRATIONS.read_kept((MOVING / "migration.json").read_text(encoding="utf-8"), "it")
    texts = (
        SETTINGS.render(CHANGES),
        SETTINGS.render_shown(CHANGES),
        MIGRATIONS.render(migration),
        MIGRATIONS.render_shown(migration),
        render_document(PROSPECT_SCHEMA, to_json(prospect_of(situation()))),
        MOVES.render(move),
        MOVES.render_shown(move),
        BRINGS.render(BRING),
        BRINGS.render_shown(TAKES),
        (RECORDED / "verdict-write.json").read_text(encoding="utf-8"),
        render_verdict(cliff_verdict(judged(Shingled()))),
        render_verdict(likely_verdict()),
        render_verdict(NOTHING),
        render_verdict(trial_verdict((0.1, 0.2, 0.3))),
    )
    return {json.loads(text)["schema"]: text for text in texts}


def test_every_other_document() -> None:
    assert {name: faults_of(text) for name, text in written().items()} == dict.fromkeys(written(), "")


@pytest.mark.parametrize("folder", [RECORDED, MOVING], ids=["plan", "migration"])
def test_journals(folder: Path) -> None:
    lines = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines and not [found for line in lines if (found := faults(json.loads(line), ENTRY))]


def test_ensure_requests_and_results() -> None:
    text = HEAD + VOLUME
    assert faults(tomllib.loads(text), "diskwright.wanted/1") == ""
    look = DriveAssessment(read_wanted(text, "w.toml").drive[0], ("No drive.",))
    assert (
        faults_of(render_document(ENSURED_SCHEMA, to_json(Ensured(True, True, (ensure._result(look)[0],)))))
        == ""
    )
    assert faults(tomllib.loads(text.replace("serial", "number")), "diskwright.wanted/1")


def test_invalid_documents_are_rejected() -> None:
    plan = json.loads(PLANS.render(next(plans_of(load_machine(Path(JUMPERED))))))
    step = {**plan["steps"][0], "operation": {**plan["steps"][0]["operation"], "kind": "burn"}}
    for wrong in (
        {**plan, "comment": "mine"},
        {name: value for name, value in plan.items() if name != "after"},
        {**plan, "drive": {**plan["drive"], "size_bytes": "2T"}},
        {**plan, "digest": "0"},
        {**plan, "steps": [step]},
    ):
        assert faults_of(json.dumps(wrong))
    assert "diskwright.plan/2" in faults_of(json.dumps({**plan, "comment": "mine"}))


def test_no_schema_is_missing() -> None:
    """All kinds are written here, except documents in a run's folder and on its drive."""
    printed = {
        "wanted",
        "ensured",
        "workloads",
        "glossary",
        "options",
        "advice",
        "report",
        "runs",
        "machine",
        "facts",
    }
    here = written().keys() | {"diskwright.plan/2", "diskwright.plan-shown/2"}
    others = {one.name for one in DOCUMENTS if one.comes_from not in (RUN, "the drive")} - here
    assert {name.removeprefix("diskwright.").partition("/")[0] for name in others} == printed
