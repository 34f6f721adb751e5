"""Texts about a benchmark of filesystems, and its document."""

import re
import shlex
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.unit.benchmark.trials import EXTENT, FASTER, OPEN, SAME, SLOWER, candidate, verdict
from tests.unit.machines import drive
from tests.verdicts import read_verdict
from wizard.benchmark.candidates.compare import (
    MOST,
    Bounds,
    EndReason,
    NotDone,
    Order,
    TrialFinding,
    TrialVerdict,
    announcement,
    caveats,
    phase_speeds,
    rate,
    sentence_for,
)
from wizard.benchmark.loads.script import Unit
from wizard.benchmark.results import render_verdict
from wizard.cli.main import parser_of
from wizard.cli.measure import _check_limits
from wizard.model.errors import BadInput
from wizard.model.said import GIB, Message, parse_size


def sentences(shown: TrialVerdict) -> list[Message]:
    return [sentence_for(shown, one) for one in shown.comparisons]


@pytest.mark.parametrize(
    ("shown", "pieces"),
    [
        (verdict(FASTER), ("ext4 was 1.31x faster", "(1.26-1.36)", "6 of 6", "Plan confirmed")),
        (verdict((*FASTER, -0.05, 0.3), advised=False), ("1.26x", "(1.09-1.46)", "7 of 8", "Plan confirmed")),
        (verdict(FASTER, advised=False), ("6 of 6", "Plan confirmed")),
        (verdict(SLOWER), ("XFS was 1.31x faster", "6 of 6", "Use XFS?")),
        (verdict(SAME), ("no measurable difference", "(0.98-1.03, 6 rounds)")),
        (verdict(OPEN), ("undecided after 6 rounds", "(0.63-1.87)")),
        (verdict(()), ("undecided", "0 of at least 6")),
        (verdict(SAME, aged=True), ("aged", "no measurable difference")),
    ],
)
def test_verdict_in_a_sentence(shown: TrialVerdict, pieces: tuple[str, ...]) -> None:
    [sentence] = map(str, sentences(shown))
    assert all(piece in sentence for piece in pieces), sentence


@pytest.mark.parametrize("ended", list(EndReason))
@pytest.mark.parametrize("logs", [OPEN, OPEN[:2], OPEN * 4])
def test_undecided_trial_names_the_next_step(ended: EndReason, logs: tuple[float, ...]) -> None:
    shown = verdict(logs, ended=ended)
    said = " ".join(map(str, caveats(shown)))
    commands = re.findall("run a longer trial: `sudo diskwright trial ([^`]*)`", said)
    assert ("Choose either" in said, len(commands)) == ((True, 0) if len(logs) == MOST else (False, 1))
    for command in commands:
        asked = parser_of("trial").read(shlex.split(command))
        _check_limits(asked, "trial")
        assert asked.rounds is None or 6 <= asked.rounds <= MOST
        assert (asked.device, asked.workload, asked.fs) == (shown.drive, shown.workload, shown.planned)
        assert (asked.others, asked.misaligned, asked.aged) == ("xfs", False, False)
        assert asked.seconds > shown.seconds and parse_size(asked.most_bytes) > shown.written_bytes


def test_better_filesystem_is_named_only_if_proven() -> None:
    assert (better := verdict(SLOWER).better) and better.id == "xfs"
    assert [verdict(logs).better for logs in (FASTER, SAME, OPEN, ())] == [None] * 4


def test_filesystem_against_itself_is_labelled() -> None:
    shown = verdict(SAME)
    (one,) = shown.comparisons
    again = replace(
        shown,
        candidates=(candidate("ext4"), candidate("ext4", "ext4-again")),
        comparisons=(replace(one, candidate="ext4-again"),),
    )
    assert "between ext4 and ext4 again" in str(sentences(again)[0])


def misaligned(logs: Sequence[float]) -> TrialVerdict:
    """Return a verdict that compares XFS with itself on a misaligned partition."""
    shown = verdict(logs)
    (one,) = shown.comparisons
    other = replace(candidate("xfs", "xfs-misaligned"), shift_bytes=1024)
    return replace(
        shown,
        planned="xfs",
        candidates=(candidate("xfs"), other),
        comparisons=(replace(one, candidate="xfs-misaligned"),),
    )


def test_misaligned_start_is_described_as_alignment() -> None:
    assert [str(sentences(misaligned(logs))[0]) for logs in (FASTER, SLOWER, SAME)] == [
        "small files: XFS was 1.31x faster than misaligned XFS (1.26-1.36), 6 of 6 rounds. Alignment "
        "matters here.",
        "small files: misaligned XFS was 1.31x faster than XFS (1.26-1.36), 6 of 6 rounds. The cause must be "
        "something other than alignment.",
        "small files: no measurable difference between XFS and misaligned XFS (0.98-1.03, 6 rounds).",
    ]


def test_no_plan_uses_a_misaligned_candidate() -> None:
    assert misaligned(SLOWER).better is None


def test_candidates_have_equal_size_within_the_extent() -> None:
    pair = misaligned(SAME).candidates
    order = Order(drive(), "small-files", EXTENT, pair, ("kernel-tree",), Bounds(180.0, 32 * GIB, 24))
    first, second = order.extents
    assert (first.start_bytes, second.start_bytes) == (EXTENT.start_bytes, EXTENT.start_bytes + 1024)
    assert first.size_bytes == second.size_bytes and second.end_bytes <= EXTENT.end_bytes
    alone = replace(order, candidates=(candidate("ext4"), candidate("xfs")))
    assert alone.extents == (EXTENT,)


def test_limits_of_a_verdict_are_reported() -> None:
    shown = verdict(OPEN, busy=True, ended=EndReason.TIME, known=drive(path="/dev/loop3"))
    shown = replace(shown, not_done=tuple(NotDone))
    said = [str(one) for one in caveats(shown)]
    assert len(said) == 8
    for word in (
        "loop device",
        "machine is busy",
        "time limit was reached",
        "Cannot limit memory",
        "does not report the machine's load",
    ):
        assert any(word in one for one in said), word
    assert list(caveats(verdict(FASTER, ended=EndReason.TIME))) == []


def test_speeds_have_the_unit_of_their_phase() -> None:
    rows = list(phase_speeds(verdict(SAME)))
    assert [(load, phase, [one.candidate for one in found]) for load, phase, found in rows] == [
        ("kernel-tree", "extract", ["ext4", "xfs"]),
        ("large-file", "write", ["ext4", "xfs"]),
    ]
    assert str(rate(Unit.FILES, 210.4)) == "210 files/s"
    assert str(rate(Unit.BYTES, 15_000_000)) == "15 MB/s"
    assert str(rate(Unit.OPERATIONS, 3.14)) == "3.1 operations/s"


def test_trial_announces_its_limits_and_the_data_loss() -> None:
    pair = (candidate("ext4"), candidate("xfs"))
    order = Order(drive(), "small-files", EXTENT, pair, ("kernel-tree",), Bounds(180.0, 32 * GIB, 24))
    said = " ".join(map(str, announcement(order)))
    for word in (
        "ext4 and XFS",
        "3 min",
        "34.4 GB",
        "Deleted files cannot be recovered",
        "partitions do not change",
    ):
        assert word in said


def test_document_contains_every_round() -> None:
    shown = verdict(OPEN)
    text = render_verdict(shown)
    assert read_verdict(text, "it", TrialVerdict) == shown and '"diskwright.trial/1"' in text
    assert shown.comparisons[0].finding is TrialFinding.OPEN
    with pytest.raises(BadInput):
        read_verdict(text.replace("trial/1", "trial/2"), "it", TrialVerdict)
