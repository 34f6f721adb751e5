"""`diskwright bench`: options, output of a verdict, and interruption."""

import os
import signal
from argparse import Namespace
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.benchmark.test_alignment import VERDICT
from tests.unit.machines import KN4, drive, partition, partitioned
from tests.verdicts import read_verdict
from wizard.cli import measure
from wizard.cli.main import parser_of
from wizard.cli.output import BAR_COLUMNS
from wizard.model.errors import BadInput, ExitCode, Refused
from wizard.model.machine import Drive
from wizard.model.verdict import Outcome, Verdict


def options(*words: str) -> Namespace:
    return parser_of("bench").read(words)


def shown(verdict: Verdict, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what the command prints if the measurement has this result."""
    monkeypatch.setattr(measure, "probe_drive", lambda _: drive())
    monkeypatch.setattr(measure, "run_alignment_trial", lambda *_, **__: verdict)
    assert measure.bench(options("/dev/sda")) is ExitCode.DONE
    return capsys.readouterr().out.splitlines()


def test_chart_is_to_scale_and_plain(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown(VERDICT, monkeypatch, capsys)
    aligned, misaligned = (
        next(line for line in lines if line.startswith(f"  {name}")) for name in ("aligned", "misaligned")
    )
    assert aligned.count("#") * 2 == misaligned.count("#") == BAR_COLUMNS
    assert "\n".join(lines).isascii() and max(map(len, lines)) < 100
    assert lines[0] == "It is so." and lines[-1] == "But."


@pytest.mark.parametrize(
    "words",
    [
        ("--scratch",),
        ("--confirm", "S1"),
        ("--seconds", "0"),
        ("--seconds", "nan"),
        ("-o", "/"),
        ("-o", "/no/such/x"),
    ],
    ids=" ".join,
)
def test_conflicting_options_are_bad_input_before_probing(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "probe_drive", lambda _: pytest.fail("probed"))
    with pytest.raises(BadInput):
        measure.bench(options("/dev/sda", *words))


def test_wrong_token_is_refused_before_any_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "probe_drive", lambda _: drive())
    monkeypatch.setattr(measure, "run_alignment_trial", lambda *_, **__: pytest.fail("ran"))
    with pytest.raises(Refused):
        measure.bench(options("/dev/sda", "--scratch", "--confirm", "S2"))


def test_ctrl_c_prints_the_measurements_so_far(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def interrupted(_: Drive, *, stop: object, **__: object) -> Verdict:
        assert callable(stop) and not stop()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop()
        return VERDICT

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(measure, "probe_drive", lambda _: drive())
    monkeypatch.setattr(measure, "run_alignment_trial", interrupted)
    assert measure.bench(options("/dev/sda", "-o", str(tmp_path / "v.json"))) is ExitCode.ENDED_BY_USER
    assert "It is so." in capsys.readouterr().out
    assert read_verdict((tmp_path / "v.json").read_text(), "v", Verdict) == VERDICT
    assert signal.getsignal(signal.SIGINT) is before


def test_json_is_alone_on_stdout(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(measure, "probe_drive", lambda _: drive(geometry=KN4))
    assert measure.bench(options("/dev/sda", "--json")) is ExitCode.DONE
    assert read_verdict(capsys.readouterr().out, "stdout", Verdict).outcome is Outcome.NOT_POSSIBLE


def test_partition_is_measured_at_its_own_place(monkeypatch: pytest.MonkeyPatch) -> None:
    part, asked = partition(2, 63 * 512), []
    monkeypatch.setattr(measure, "nodes_of", lambda _: ("/dev/sda2", "/dev/sda"))
    monkeypatch.setattr(measure, "probe_drive", lambda _: partitioned(part))

    def measured(_: Drive, **how: object) -> Verdict:
        asked.append(how["part"])
        return VERDICT

    monkeypatch.setattr(measure, "run_alignment_trial", measured)
    assert measure.bench(options("/dev/sda2")) is ExitCode.DONE
    assert asked == [part]
    with pytest.raises(BadInput, match="requires a whole drive"):
        measure.bench(options("/dev/sda2", "--scratch", "--shingled", "--confirm", drive().token))


def test_aligned_place_is_not_called_misaligned(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown(replace(VERDICT, shift_bytes=0), monkeypatch, capsys)
    assert not any(line.startswith("  misaligned") for line in lines)
