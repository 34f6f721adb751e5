"""The report as a document, and the command that writes it."""

import json
from pathlib import Path

import pytest

from tests.made_runs import new_run
from tests.unit.machines import drive, machine
from tests.unit.report.reports import MACHINES, assert_whole, plan_of, verdict
from wizard.apply.run.backup_store import Environment
from wizard.benchmark.results import render_verdict
from wizard.cli import open_wizard
from wizard.cli.main import main, parser_of
from wizard.model.errors import ExitCode
from wizard.plan.documents import PLANS
from wizard.report.gather import Sources, make_report, render_report

JUMPERED = str(MACHINES / "jumpered.json")


def test_report_is_read_as_written() -> None:
    report = make_report(Sources(plan=plan_of(machine(), drive()), machine=machine(), measured=verdict()))
    text = render_report(report)
    assert json.loads(text)["schema"] == "diskwright.report/2"
    assert_whole(text, report)


def test_sizes_and_starts_have_byte_names() -> None:
    def names(value: object) -> set[str]:
        if isinstance(value, dict):
            return {key for key, inner in value.items() if isinstance(inner, int)} | {
                one for inner in value.values() for one in names(inner)
            }
        return {one for inner in value for one in names(inner)} if isinstance(value, list) else set()

    found = names(
        json.loads(render_report(make_report(Sources(plan=plan_of(machine(), drive()), machine=machine()))))
    )
    assert {"size_bytes", "start_bytes", "logical_block_bytes"} <= found
    assert not [
        name
        for name in found
        if ("size" in name or "start" in name or "offset" in name) and not name.endswith("_bytes")
    ]


def written(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["report", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_page_goes_to_a_file_and_document_to_stdout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    code, out, err = written(
        capsys, "--machine", JUMPERED, "--workload", "large-media", "-o", str(page), "--json"
    )
    assert code == ExitCode.DONE and page.read_text().startswith("<!DOCTYPE html>")
    document = json.loads(out)
    assert document["facts"]["drives"][0]["serial"] == "LAB-JUMPERED" and document["advice"]
    assert f"Report saved in {page}." in err and "Missing or unknown: plan. Not specified." in err


def test_name_ending_in_json_gets_the_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "report.json"
    code, out, _ = written(capsys, "--machine", JUMPERED, "--without-serials", "-o", str(kept))
    assert code == ExitCode.DONE and not out
    assert json.loads(kept.read_text())["anonymous"] is True and "LAB-JUMPERED" not in kept.read_text()


def test_plan_and_verdict_from_files_are_in_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from wizard.probe.machine import load_machine

    known = load_machine(Path(JUMPERED))
    (tmp_path / "plan.json").write_text(PLANS.render(plan_of(known, known.drives[0])))
    (tmp_path / "verdict.json").write_text(render_verdict(verdict()))
    words = (
        "--plan",
        str(tmp_path / "plan.json"),
        "--machine",
        JUMPERED,
        "--verdict",
        str(tmp_path / "verdict.json"),
        "-o",
        "-",
    )
    code, out, _ = written(capsys, *words)
    assert code == ExitCode.DONE and "/srv/family pictures" in out and "Aligned is 1.81 times as fast." in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("20261120-sda", "--plan", "plan.json"), "--plan cannot be combined with RUN"),
        (("--plan", "plan.json", "--device", "/dev/sda"), "--device cannot be combined"),
        (("--workload", "large-media"), "--workload requires --device"),
        (("--machine", JUMPERED, "--workload", "nonsense"), "nonsense"),
        (("--machine", JUMPERED, "--device", "/dev/nothing"), "/dev/nothing"),
        (("--machine", JUMPERED, "--verdict", JUMPERED), "diskwright.facts/1"),
        (("--machine", JUMPERED, "-o", "/dev"), "not a regular file"),
    ],
)
def test_conflicting_options_are_wrong_usage(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = written(capsys, *words)
    assert code == ExitCode.USAGE and said in err and not out


def test_terminal_is_not_flooded_with_a_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    code, out, err = written(capsys, "--machine", JUMPERED)
    assert code == ExitCode.USAGE and "-o report.html" in err and not out


def test_wizard_saves_the_page_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("wizard.report.gather.probe_machine", lambda _=None: machine(drive()))
    run = new_run(tmp_path, plan_of(machine(), drive()), Environment())
    services = open_wizard._services(parser_of("").parse_args(["--journal", str(tmp_path)]))
    code, page, _ = written(capsys, run.name, "--journal", str(tmp_path), "-o", "-")
    assert code == ExitCode.DONE
    assert services.report(run).partition("<nav")[2] == page.partition("<nav")[2] != ""
