"""Use of the quick test's verdict: evidence, command and report."""

import json
from argparse import Namespace
from pathlib import Path

import pytest

from tests.unit.benchmark.shingled.displaced import NOTHING, UNTOLD, likely_verdict
from tests.unit.machines import drive, machine
from tests.unit.pages import page_lines
from tests.verdicts import read_verdict
from wizard.benchmark.results import read_any, render_verdict
from wizard.benchmark.smr_probe import sentence_for
from wizard.cli import measure
from wizard.cli.main import parser_of
from wizard.cli.start import read_text
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import Confidence, Pattern, RecordingKind
from wizard.model.errors import BadInput, ExitCode
from wizard.model.finding import Recorded
from wizard.model.machine import Drive
from wizard.model.said import ProfileText, format_nanoseconds
from wizard.model.verdict import Basis, DisplacedVerdict
from wizard.report.gather import Sources, make_report, render_report
from wizard.report.page import render_page
from wizard.ui.components.measured import medians, verdict_blocks


def codes(subject: Drive, probed: DisplacedVerdict | None, *patterns: Pattern) -> dict[str, str]:
    found = diagnose(machine(subject), subject, patterns, probed)
    return {one.code: str(one.sentence) for one in found.findings if one.code.startswith("recording")}


def test_result_joins_the_evidence_with_low_confidence() -> None:
    found = diagnose(machine(drive()), drive(), (), likely_verdict()).recording
    assert (found.verdict, found.management, found.confidence) == (Recorded.LIKELY, "drive", "low")
    said = codes(drive(), likely_verdict())["recording-shingled-likely"]
    assert "the quick test" in said and "unconfirmed on real drives" in said


def test_negative_or_inconclusive_result_leaves_the_doubt() -> None:
    for verdict in (NOTHING, UNTOLD):
        found = diagnose(machine(drive()), drive(), (), verdict).recording
        assert found.verdict is Recorded.UNKNOWN
        assert "quick test" in str(found.evidence[-1].source)
        assert "recording-unknown" in codes(drive(), verdict)
    assert "which is not proof" in str(
        diagnose(machine(drive()), drive(), (), NOTHING).recording.evidence[-1].says
    )


def test_result_never_outweighs_published_sources() -> None:
    conventional = Pattern(
        "Example HDD 500", RecordingKind.CONVENTIONAL, Confidence.MEDIUM, source=ProfileText("it")
    )
    found = codes(drive(), likely_verdict(), conventional)
    assert "recording-contradiction" in found and "recording-shingled-likely" not in found
    shingled = Pattern("Example HDD 500", confidence=Confidence.HIGH, source=ProfileText("it"))
    recording = diagnose(machine(drive()), drive(), (shingled,), NOTHING).recording
    assert (recording.verdict, recording.confidence) == (Recorded.YES, "high")


def test_model_with_a_media_cache_leaves_recording_unknown() -> None:
    listed = Pattern("Example HDD 500", RecordingKind.MEDIA_CACHE, source=ProfileText("it"))
    assert codes(drive(), None, listed).keys() == {"recording-unknown"}


@pytest.mark.parametrize("basis", Basis)
def test_every_verdict_is_a_sentence_and_none_claims_not_shingled(basis: Basis) -> None:
    if basis in (Basis.ALIKE, Basis.MEDIA_CACHE):
        assert "does not prove that the drive is conventional" in NOTHING.sentence
        return
    sure = basis in (Basis.STAYS, Basis.REWRITES, Basis.UNWRITTEN)
    said = sentence_for("/dev/sda", basis, likely_verdict().timings, 58)
    assert ("likely shingled" in said) is sure and (": inconclusive; " in said) is not sure
    assert "conventional" not in said and said.endswith(".")


def options(*words: str) -> Namespace:
    return parser_of("bench").read(("/dev/sda", *words))


@pytest.mark.parametrize(
    "words",
    [
        ("--quick",),
        ("--quick", "--scratch", "--confirm", "S1"),
        ("--quick", "--shingled"),
        ("--quick", "--shingled", "--scratch"),
        ("--quick", "--shingled", "--scratch", "--confirm", "S1", "--seconds", "30"),
        ("--quick", "--shingled", "--scratch", "--confirm", "S1", "--most-bytes", "1G"),
        ("--quick", "--shingled", "--scratch", "--confirm", "S1", "--assume-physical", "4096"),
    ],
    ids=" ".join,
)
def test_conflicting_options_are_bad_input_before_probing(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "probe_drive", lambda _: pytest.fail("probed"))
    with pytest.raises(BadInput):
        measure.bench(options(*words))


def test_command_prints_the_verdict_or_its_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measure, "probe_drive", lambda _: drive())
    monkeypatch.setattr("wizard.benchmark.smr_probe.run_smr_probe", lambda *_, **__: likely_verdict())
    words = ("--scratch", "--shingled", "--quick", "--confirm", "S1")
    assert measure.bench(options(*words)) is ExitCode.DONE
    out = capsys.readouterr().out
    assert out.startswith("/dev/sda is likely shingled") and "unconfirmed on real drives" in out
    assert measure.bench(options(*words, "--json")) is ExitCode.DONE
    out = capsys.readouterr().out
    assert json.loads(out)["schema"] == "diskwright.displaced/1"
    assert read_verdict(out, "it", DisplacedVerdict) == likely_verdict()


def test_bars_show_the_medians_and_are_plain() -> None:
    lines = page_lines(verdict_blocks(likely_verdict()))
    assert sum(line.startswith("  written, in order") and "#" in line for line in lines) == 1
    assert "\n".join(lines).isascii() and max(map(len, lines)) < 100


def test_report_contains_every_time_and_no_serial_number(tmp_path: Path) -> None:
    kept = tmp_path / "test.json"
    kept.write_text(render_verdict(likely_verdict()))
    assert "S1" not in json.loads(kept.read_text()).values()
    measured = read_any(*read_text(str(kept), "bench"))
    assert isinstance(measured, DisplacedVerdict)
    report = make_report(Sources(machine=machine(drive()), measured=measured))
    assert report.facts is not None and report.facts.diagnoses[0].recording.verdict is Recorded.LIKELY
    look = measured.timings.look_after_idle or measured.timings.look
    assert look is not None
    page = render_page(report)
    assert measured.sentence in page
    assert all(format_nanoseconds(time) in page for _, time in medians(look))
    document = json.loads(render_report(report))
    assert document["displaced"]["timings"]["writes"] == list(measured.timings.writes)
    assert not [one for one in report.absent if one.part == "measurement"]


def test_result_of_another_drive_does_not_join_the_evidence() -> None:
    other = drive(model="Another HDD")
    report = make_report(Sources(machine=machine(other), measured=likely_verdict()))
    assert report.facts is not None and report.facts.diagnoses[0].recording.verdict is Recorded.UNKNOWN
