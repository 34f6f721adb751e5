"""The write probe for shingled recording on simulated drives: its results, its limits, and the places of
writes."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.benchmark.shingled.slowing import (
    CACHE_BYTES,
    Buffered,
    Controller,
    Disturbed,
    DisturbedToTheEnd,
    FullAlready,
    HardDisk,
    Judged,
    Merciful,
    Shingled,
    Simulated,
    SolidState,
    judged,
    probed,
)
from tests.unit.machines import drive
from tests.unit.pages import page_lines
from tests.verdicts import read_verdict
from wizard.benchmark.results import render_verdict
from wizard.benchmark.smr_cliff import (
    FALL,
    PIECE_BYTES,
    STRETCH_BYTES,
    caveats_for,
    draw_batches,
    find_cliff,
    judge_cliff,
    lay_ground,
    run_shingled_trial,
    sentence_for,
)
from wizard.model.errors import BadInput, Refused
from wizard.model.machine import Drive, Extent
from wizard.model.said import GIB, KIB, MIB
from wizard.model.verdict import CliffDoubt, CliffOutcome, CliffVerdict, WritePhase, WriteWindow
from wizard.ui.components.measured import verdict_blocks

# The rule


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", [Shingled, Merciful])
def test_cliff_of_a_shingled_drive_is_found_at_the_end_of_its_cache(kind: type[Simulated], seed: int) -> None:
    doubt, cliff = judged(kind(seed))
    assert doubt is None
    assert cliff is not None and CACHE_BYTES * 0.9 < cliff.after_bytes < CACHE_BYTES * 1.1
    assert cliff.factor > (50 if kind is Shingled else 20)
    assert cliff.after_seconds == pytest.approx(CACHE_BYTES / PIECE_BYTES * 0.0025, rel=0.2)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", [HardDisk, Buffered, Disturbed])
def test_hard_disk_has_no_cliff_within_the_written_range(kind: type[Simulated], seed: int) -> None:
    found = judged(kind(seed))
    assert found == (None, None)


@pytest.mark.parametrize(
    ("subject", "kind", "doubt"),
    [
        (SolidState(), drive(rotational=False, bus="nvme"), CliffDoubt.SOLID_STATE),
        (SolidState(), drive(rotational=None, bus="usb"), CliffDoubt.SEQUENTIAL_TOO),
        (Shingled(), drive(rotational=False, bus="usb"), CliffDoubt.SOLID_STATE),
        (Shingled(), drive(bus="loop"), CliffDoubt.NOT_A_DRIVE),
        (Shingled(), drive(removable=True, bus="usb"), CliffDoubt.REMOVABLE),
        (Controller(), drive(bus="scsi"), CliffDoubt.AS_FAST_AS_SEEKING),
        (DisturbedToTheEnd(), drive(), CliffDoubt.SEQUENTIAL_TOO),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Simulated) else None,
)
def test_fall_with_another_explanation_is_no_claim(
    subject: Simulated, kind: Drive, doubt: CliffDoubt
) -> None:
    found, cliff = judged(subject, kind)
    assert found is doubt and cliff is not None
    assert cliff.factor >= FALL


def test_drive_with_a_full_cache_is_not_called_fine() -> None:
    assert judged(FullAlready(), most_bytes=256 * MIB) == (CliffDoubt.SLOW_FROM_THE_START, None)


def series(*rates_and_counts: tuple[float, int], phase: WritePhase = WritePhase.RANDOM) -> list[WriteWindow]:
    return [WriteWindow(phase, int(rate), 1.0) for rate, count in rates_and_counts for _ in range(count)]


def test_fall_at_the_very_end_is_inconclusive() -> None:
    for slow in (2, 5, 7):
        found = judge_cliff(series((9e6, 20), (1e5, slow)), drive())
        assert found == (CliffDoubt.LATE, None)


def test_few_windows_claim_no_cliff() -> None:
    assert judge_cliff(series((9e6, 6), (1e5, 3)), drive())[0] is CliffDoubt.TOO_LITTLE
    assert judge_cliff([], drive())[0] is CliffDoubt.TOO_LITTLE


def test_fall_must_repeat_together_with_sequential_writes() -> None:
    fallen = series((9e6, 20), (1e5, 20))
    assert judge_cliff(fallen, drive())[0] is CliffDoubt.NO_COMPARISON
    kept = [
        *series((8e7, 3), phase=WritePhase.SEQUENTIAL_BEFORE),
        *fallen,
        *series((6e7, 3), phase=WritePhase.SEQUENTIAL_AFTER),
    ]
    doubt, cliff = judge_cliff(kept, drive())
    assert doubt is None and cliff


def test_hiccup_before_the_cliff_does_not_reduce_it() -> None:
    hiccup = [*series((9e6, 5)), WriteWindow(WritePhase.RANDOM, 100_000, 30.0), *series((9e6, 5), (1e5, 20))]
    found = find_cliff(hiccup)
    assert found is not None and found.factor == pytest.approx(90)
    assert found.after_bytes == 90_100_000 and found.after_seconds == 40


@pytest.mark.parametrize(
    "windows",
    [
        series((9e6, 40)),
        series((9e6, 20), (1e5, 8), (9e6, 20)),
        series((9e6, 20), (3e6, 20)),
        series((9e6, 3), (1e5, 40)),
        series((9e6, 400), (1e5, 30)),
        series(*[(9e6, 1), (1e5, 1)] * 30),
        [],
    ],
    ids=["level", "recovered", "a third", "one burst", "not lasting", "to and fro", "nothing"],
)
def test_series_without_a_cliff(windows: list[WriteWindow]) -> None:
    assert find_cliff(windows) is None


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**8), st.floats(0, 100)), max_size=60))
def test_cliff_is_always_a_lasting_fall_by_a_large_factor(raw: list[tuple[int, float]]) -> None:
    windows = [WriteWindow(WritePhase.RANDOM, size, seconds) for size, seconds in raw]
    cliff = find_cliff(windows)
    if cliff is not None:
        assert cliff.factor >= FALL
        assert 0 < cliff.after_bytes <= sum(size for size, _ in raw)
    judge_cliff(windows, drive())


# The writer


def test_run_ends_soon_after_the_cliff_and_within_its_bytes() -> None:
    subject = Shingled()
    probe, told = probed(subject, most_bytes=4 * GIB)
    assert subject.written_bytes < CACHE_BYTES * 1.1
    assert told and str(told[0].said[0]).startswith("Wrote 0 B of at most 4.3 GB")
    assert {window.phase for window in probe.windows} == set(WritePhase)
    plain = HardDisk()
    probe, _ = probed(plain, most_bytes=300 * MIB)
    assert probe.written_bytes <= 300 * MIB and probe.written_bytes == sum(size for _, size in plain.pieces)
    assert probe.written_bytes > 290 * MIB


def test_run_ends_on_request() -> None:
    subject, asked = HardDisk(), 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 200

    probe, _ = probed(subject, stop=stop)
    assert 0 < len(subject.pieces) < 200
    assert WritePhase.SEQUENTIAL_AFTER not in {window.phase for window in probe.windows}


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 40 * GIB), st.integers(0, 2 * GIB)), min_size=1, max_size=4),
    st.sampled_from([0, 3584, 4096]),
    st.integers(0, 100),
)
def test_pieces_are_unique_and_apart_within_free_space(
    raw: list[tuple[int, int]], offset: int, seed: int
) -> None:
    starts = sorted(start for start, _ in raw)
    gaps = [*(later - start for start, later in pairwise(starts)), 2 * GIB]
    extents = [Extent(start, min(gap, size)) for start, gap, (_, size) in zip(starts, gaps, raw, strict=True)]
    ground = lay_ground(extents, offset, 64 * MIB)
    if ground is None:
        assert max(extent.size_bytes for extent in extents) < 128 * MIB
        return
    drawn = [start + piece for batch in draw_batches(ground, 10**15, Random(seed)) for start, piece in batch]
    assert len(set(drawn)) == len(drawn) and len(drawn) * PIECE_BYTES == ground.random_bytes
    assert all((start - offset) % PIECE_BYTES == 0 for start in drawn)
    ordered = {start + piece for start in ground.ordered for piece in range(0, STRETCH_BYTES, PIECE_BYTES)}
    assert not ordered & set(drawn)
    for start in [*drawn[:: max(1, len(drawn) // 500)], *ordered]:
        assert any(
            extent.start_bytes <= start and start + PIECE_BYTES <= extent.end_bytes for extent in extents
        )
    assert sum(abs(one - other) == PIECE_BYTES for one, other in pairwise(drawn)) <= 2


def test_no_more_places_are_drawn_than_requested() -> None:
    ground = lay_ground([Extent(0, 20_000 * GIB)], 0, 64 * MIB)
    assert ground is not None
    assert PIECE_BYTES * sum(len(batch) for batch in draw_batches(ground, 100 * MIB, Random(1))) == 100 * MIB


def test_too_little_free_space_is_refused() -> None:
    small = drive(size_bytes=60 * MIB)
    assert lay_ground([Extent(0, 60 * MIB)], 0, 16 * MIB) is None
    for wrong in (drive(zoned="host-managed"), drive(read_only=True)):
        with pytest.raises(Refused, match="Nothing was written"):
            run_shingled_trial(
                wrong, seconds=10, most_bytes=GIB, on_progress=lambda _: None, stop=lambda: False
            )
    assert small.is_empty


# What is said


def verdict(
    judgement: Judged, *, saw_data: bool = True, subject: Drive | None = None, ended: bool = False
) -> CliffVerdict:
    the_drive, (doubt, cliff) = subject or drive(), judgement
    outcome = (
        CliffOutcome.INCONCLUSIVE if doubt else CliffOutcome.FOUND if cliff else CliffOutcome.NONE_WITHIN
    )
    made = CliffVerdict(
        the_drive.path,
        outcome,
        doubt,
        cliff,
        8.5e7,
        8.4e7,
        "",
        caveats_for(the_drive, outcome, saw_data=saw_data, all_used=False, ended=ended),
        PIECE_BYTES,
        GIB,
        60.0,
        tuple(probed(Shingled())[0].windows),
    )
    return replace(made, sentence=sentence_for(made))


def test_found_cliff_states_position_size_and_meaning() -> None:
    said = verdict(judged(Shingled())).sentence
    for word in (
        "write cliff found",
        "of random writes",
        "fell from",
        "sequential writing stayed at 84.0 MB/s",
        "likely shingled",
    ):
        assert word in said
    assert "never" not in said and "is shingled." not in said


def test_missing_cliff_is_never_called_conventional() -> None:
    found = verdict((None, None))
    assert (
        "no write cliff within 1.1 GB" in found.sentence
        and "may still be shingled" in found.sentence
        and "larger cache" in found.sentence
    )
    assert any("discarded or unwritten" in caveat for caveat in found.caveats)
    assert any("zeros" in caveat for caveat in verdict((None, None), saw_data=False).caveats)


@pytest.mark.parametrize("doubt", CliffDoubt)
def test_every_doubt_has_its_sentence(doubt: CliffDoubt) -> None:
    fallen = judged(Shingled())[1]
    plain = (CliffDoubt.TOO_LITTLE, CliffDoubt.LATE, CliffDoubt.SLOW_FROM_THE_START)
    found = verdict((doubt, None if doubt in plain else fallen))
    assert ": inconclusive" in found.sentence and "likely" not in found.sentence


def test_chart_is_plain_and_shows_the_fall() -> None:
    lines = page_lines(verdict_blocks(verdict(judged(Shingled()))))
    assert "\n".join(lines).isascii() and max(map(len, lines)) < 100
    random, sequential = (lines.index(line) for line in ("Random writes, from:", "Sequential writes:"))
    rows = [line.count("#") for line in lines[random + 1 : sequential] if "/s" in line]
    assert 4 < len(rows) <= 16 and rows[0] > 10 * rows[-1] >= 10
    assert sum("sequential, " in line for line in lines) == 2


def test_cliff_verdict_survives_its_document() -> None:
    found = verdict(judged(Shingled()))
    text = render_verdict(found)
    assert text.startswith('{\n  "schema": "diskwright.cliff/1"')
    assert read_verdict(text, "c.json", CliffVerdict) == found
    with pytest.raises(BadInput, match=r"c\.json"):
        read_verdict(text.replace('"cliff-found"', '"roof"'), "c.json", CliffVerdict)


def test_pieces_are_a_multiple_of_every_block() -> None:
    assert PIECE_BYTES % (64 * KIB) == 0 and STRETCH_BYTES % MIB == 0
