"""The repeated study: stored results are complete, the table matches them, and its statements are true."""

import filecmp
import tarfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.lab.errands.visit import visits
from tests.lab.restudy import study, table, trials
from tests.lab.restudy.timings import (
    ALIGNED,
    CONTROL,
    MISALIGNED,
    STUDIED_THEN,
    Instruments,
    Operation,
    Series,
    Timing,
    all_series,
    as_text,
    at,
    ratio,
    read_instruments,
    read_series,
    rounds_of,
)
from wizard.advice.evidence import EvidenceFile
from wizard.documents.profiles import read_profile


@pytest.fixture(scope="module")
def kept() -> list[Series]:
    return all_series(table.FILESYSTEMS)


@pytest.fixture(scope="module")
def instruments() -> Instruments:
    return read_instruments()


@pytest.fixture(scope="module")
def evidence() -> EvidenceFile:
    return read_profile(table.STUDY, EvidenceFile)


def test_table_matches_the_results() -> None:
    assert table.main(["--check"]) == 0


def test_other_results_give_another_table(
    kept: list[Series], instruments: Instruments, evidence: EvidenceFile
) -> None:
    slower = replace(
        kept[0],
        timings=tuple(
            replace(one, seconds=one.seconds * (1 + one.start_sector % 3)) for one in kept[0].timings
        ),
    )
    assert table.render([slower, *kept[1:]], instruments, evidence) != table.render(
        kept, instruments, evidence
    )


def test_every_figure_of_the_study_is_in_the_table(
    kept: list[Series], instruments: Instruments, evidence: EvidenceFile
) -> None:
    text = table.render(kept, instruments, evidence)
    rows = [line for line in text.splitlines() if line.startswith("| ") and ", Linux " in line.split("|")[1]]
    for card in evidence.measurements:
        for name, value in card.figures:
            assert any(table._machine(card) in row and f"{value:.2f}" in row for row in rows), (card.id, name)
    # The two drives on which reading was one figure stand beside both kinds of reading.
    assert len(rows) == len(evidence.measurements) + 2


def test_every_saved_trial_is_in_the_table(
    kept: list[Series], instruments: Instruments, evidence: EvidenceFile
) -> None:
    text = table.render(kept, instruments, evidence)
    for name in trials.FILESYSTEMS:
        verdict = trials.kept(trials.of_start(name))
        assert verdict
        (one,) = verdict.comparisons
        assert one.ratio and trials.judged(name, verdict).holds
        row = f"| {table.NAMES.get(name, name)} | **{one.ratio.estimate:.2f}**"
        assert row in text, row


def test_every_filesystem_has_equal_measurements_per_partition(kept: list[Series]) -> None:
    assert [one.filesystem for one in kept] == [*table.FILESYSTEMS]
    for series in kept:
        rounds = rounds_of(series)
        assert rounds >= 3
        for operation in Operation:
            for start in (MISALIGNED, ALIGNED, CONTROL):
                assert [one.round for one in at(series, operation, start)] == [*range(rounds)], (
                    series.filesystem,
                    operation,
                    start,
                )
        assert len(series.timings) == rounds * len(Operation) * 3


def test_results_match_the_current_code(kept: list[Series], instruments: Instruments) -> None:
    """Changed drives, files or commands require new results."""
    for setting in (
        *(one.setting for one in kept),
        replace(instruments.setting, small_bytes=kept[0].setting.small_bytes),
    ):
        drive = study.STUDIED
        assert (setting.requests_per_second, setting.charges_rewrites) == (
            study.PACE.requests_per_second,
            study.PACE.charges_rewrites,
        )
        assert (setting.logical_block_bytes, setting.physical_block_bytes) == (
            drive.logical_block_bytes,
            drive.physical_block_bytes,
        )
        assert (setting.small_files, setting.large_bytes) == (study.SMALL_FILES, study.LARGE_BYTES)
        assert (setting.partition_bytes, setting.small_bytes) == (
            study.PARTITION_BYTES,
            kept[0].setting.small_bytes,
        )
    for series in kept:
        assert series.make == study.MAKERS[series.filesystem]
        assert series.setting.request_kib == study.REQUEST_KIB


def test_statements_next_to_the_table_are_true(kept: list[Series], instruments: Instruments) -> None:
    for series in kept:
        middles = {operation: ratio(series, operation).middle for operation in Operation}
        assert 0.9 < middles[Operation.READ_SMALL] < 1.1, series.filesystem
        if series.filesystem in STUDIED_THEN:
            assert middles[Operation.WRITE_SMALL] > 1.3, series.filesystem
    assert instruments.bench_low * 0.9 <= instruments.fio <= instruments.bench_high * 1.1


def test_ratio_is_computed_per_round() -> None:
    times = [
        (0, MISALIGNED, 2.0),
        (0, ALIGNED, 1.0),
        (1, MISALIGNED, 9.0),
        (1, ALIGNED, 3.0),
        (2, ALIGNED, 1.0),
        (2, MISALIGNED, 8.0),
    ]
    timings = tuple(
        Timing(number, start, Operation.DELETE, seconds, 0, 0, 0) for number, start, seconds in times
    )
    series = replace(all_series(["ext4"])[0], timings=timings)
    found = ratio(series, Operation.DELETE)
    assert (found.least, found.middle, found.most) == (2.0, 3.0, 8.0)


def test_results_are_read_as_written(kept: list[Series]) -> None:
    for series in kept:
        assert read_series(as_text(series), "here") == series


def test_files_are_identical_every_time(tmp_path: Path, kept: list[Series]) -> None:
    folders = tmp_path / "one", tmp_path / "other"
    for folder in folders:
        folder.mkdir()
        assert study.write_sources(folder) == kept[0].setting.small_bytes
    for name in (study.TREE, study.LARGE):
        assert filecmp.cmp(folders[0] / name, folders[1] / name, shallow=False)
    with tarfile.open(folders[0] / study.TREE) as archive:
        sizes = [member.size for member in archive]
    assert len(sizes) == study.SMALL_FILES
    assert sum(sizes) == kept[0].setting.small_bytes


def test_each_filesystem_has_a_visit_in_full_runs_only() -> None:
    found = visits("study")
    assert [visit.jobs for visit in found] == [(name,) for name in (*study.MAKERS, study.INSTRUMENTS)]
    assert all(visit.full_only for visit in found)
    assert {*study.MAKERS} == {*table.FILESYSTEMS}
