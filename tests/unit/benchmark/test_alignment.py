"""The alignment benchmark without a drive: its places, refusals and text."""

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.machines import E512, KN4, N512, drive, gpt, mbr, partition, partitioned, unread
from tests.verdicts import read_verdict
from wizard.benchmark.access import Clock, MeasureProgress, OnProgress, TimedDrive
from wizard.benchmark.alignment import run_alignment_trial, sentence_for
from wizard.benchmark.measure import (
    PAUSED_PAIRS,
    WARM_UP_UNITS,
    Grid,
    PairedMeasurement,
    draw_places,
)
from wizard.benchmark.results import render_verdict
from wizard.benchmark.scratch import MARGIN_BYTES, Watch, confirm_scratch, scratch_extents
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Extent, Layer, Signature, Use
from wizard.model.said import GIB, KIB, MIB
from wizard.model.verdict import Outcome, Pair, Ratio, Verdict

GRID = Grid(4096, 512, 0)


# Where


@settings(max_examples=60, deadline=None)
@given(
    extents=st.lists(st.tuples(st.integers(0, 40 * GIB), st.integers(0, 4 * GIB)), min_size=1, max_size=4),
    grid=st.sampled_from([GRID, Grid(4096, 512, 3584), Grid(8192, 4096, 0), Grid(65536, 512, 0)]),
    seed=st.integers(0, 1000),
)
def test_places_are_whole_aligned_and_apart_within_their_extent(
    extents: list[tuple[int, int]], grid: Grid, seed: int
) -> None:
    given_extents = [Extent(start, size) for start, size in extents]
    drawn = draw_places(given_extents, grid, Random(seed))
    for _ in range(50):
        place = next(drawn, None)
        if place is None:
            assert all(extent.size_bytes < 34 * MIB for extent in given_extents)
            return
        ends = [(start, start + grid.block_bytes) for start in place]
        assert any(
            all(e.start_bytes <= start and end <= e.end_bytes for start, end in ends) for e in given_extents
        )
        aligned, other = place
        assert (aligned - grid.offset_bytes) % grid.block_bytes == 0
        assert (other - grid.offset_bytes) % grid.block_bytes == grid.shift_bytes
        assert abs(aligned - other) > 2 * grid.block_bytes


def test_places_are_unused_until_all_regions_were_used() -> None:
    drawn = draw_places([Extent(0, GIB)], GRID, Random(1))
    regions = [next(drawn)[0] // MIB for _ in range(1024)]
    assert len(set(regions)) == 1024


# How


class Simulated:
    """A drive with aligned accesses of one millisecond and misaligned ones of `ratio` milliseconds."""

    def __init__(self, ratio: float, seed: int = 0) -> None:
        self.ratio, self.random = ratio, Random(seed)
        self.prepared: set[int] = set()
        self.was_aligned: list[bool] = []

    def prepare(self, starts: Sequence[int]) -> None:
        self.prepared = set(starts)

    def access(self, start_bytes: int) -> int:
        assert start_bytes in self.prepared
        aligned = start_bytes % 4096 == 0
        self.was_aligned.append(aligned)
        return int(1e6 * self.random.lognormvariate(0, 0.2) * (1 if aligned else self.ratio))


def clock(
    seconds: float = 30.0, stop_after: int | None = None, on_progress: OnProgress = lambda _: None
) -> Clock:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return stop_after is not None and asked > stop_after

    return Clock(seconds, stop, on_progress)


def measured(subject: Simulated, the_clock: Clock) -> PairedMeasurement:
    return PairedMeasurement(subject.prepare, subject.access, [Extent(0, GIB)], GRID, Random(7)).run(
        the_clock
    )


def test_penalty_is_measured_and_ends_early() -> None:
    told: list[MeasureProgress] = []
    the_clock = clock(on_progress=told.append)
    found = measured(Simulated(2.0), the_clock)
    assert found.ratio is not None and 1.9 < found.ratio.estimate < 2.1
    assert len(found.pairs) < 2000 and the_clock.left > 20
    assert told and told[0].said == () and told[0].seconds_left <= 30


def test_orders_are_balanced_within_units_and_random_between_them() -> None:
    subject = Simulated(1.0)
    measured(subject, clock())
    counted = subject.was_aligned[4 * WARM_UP_UNITS + 2 * PAUSED_PAIRS :]
    assert all(one != other for one, other in zip(counted[::2], counted[1::2], strict=True))
    units = list(zip(counted[::4], counted[2::4], strict=True))
    assert all(one != other for one, other in units)
    assert 0.3 < sum(one for one, _ in units) / len(units) < 0.7


def test_early_end_claims_only_results_of_planned_looks() -> None:
    found = measured(Simulated(2.0), clock(stop_after=40))
    assert 0 < len(found.pairs) <= 80 and found.ratio is None


def test_no_time_means_no_pairs() -> None:
    found = measured(Simulated(2.0), clock(seconds=0))
    assert not found.pairs and found.ratio is None


# Writing back


class Calm(Watch):
    """A watch without any other user of the drive."""

    def __init__(self) -> None:
        super().__init__("/dev/nothing")
        self.told: list[int] = []

    def trouble(self) -> None:
        return None

    def wrote(self, size_bytes: int) -> None:
        self.told.append(size_bytes)


def written(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, bytes]]:
    """Return a list that records every later write of this process, by start and bytes."""
    seen: list[tuple[int, bytes]] = []
    real = os.pwritev

    def pwritev(descriptor: int, buffers: Sequence[bytearray], start: int) -> int:
        seen.append((start, b"".join(bytes(memoryview(buffer)) for buffer in buffers)))
        return real(descriptor, buffers, start)

    monkeypatch.setattr(os, "pwritev", pwritev)
    return seen


def test_write_backs_repeat_the_read_bytes_only_in_free_space(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    image = tmp_path / "image"
    content = Random(3).randbytes(MIB)
    image.write_bytes(content)
    seen = written(monkeypatch)
    descriptor = os.open(image, os.O_RDWR)
    try:
        backs = TimedDrive(str(image), descriptor, 4096, [Extent(256 * KIB, 512 * KIB)], Calm())
        inside, outside = (256 * KIB, 300 * KIB + 512), (128 * KIB, 768 * KIB - 4096 + 512)
        backs.hold([*inside, *outside])
        for start in inside:
            assert backs.write(start) > 0
        for start in outside:
            with pytest.raises(Refused, match="outside"):
                backs.write(start)
        with pytest.raises(KeyError):
            backs.write(400 * KIB)
    finally:
        os.close(descriptor)
    assert [start for start, _ in seen] == list(inside)
    assert all(data == content[start : start + 4096] for start, data in seen)
    assert image.read_bytes() == content


# Where writing is allowed


def test_free_space_is_used_less_a_margin_and_never_a_partition() -> None:
    subject = partitioned(partition(1, GIB, GIB), partition(2, 100 * GIB, GIB))
    lying = replace(
        subject,
        free=(Extent(0, 200 * GIB),),
        partitions=(*subject.partitions, replace(partition(3), kernel_start_bytes=50 * GIB)),
    )
    extents = scratch_extents(lying)
    taken = [(part.start_bytes, part.end_bytes) for part in lying.partitions] + [(50 * GIB, 51 * GIB)]
    for extent in extents:
        assert all(
            extent.end_bytes + MARGIN_BYTES <= start or end + MARGIN_BYTES <= extent.start_bytes
            for start, end in taken
        )
    assert len(extents) >= 3


def test_mbr_with_free_space_may_be_written_there() -> None:
    assert scratch_extents(partitioned(partition(), table=mbr(), geometry=E512))


def test_empty_drive_is_free_except_for_its_ends() -> None:
    subject = drive(size_bytes=GIB)
    assert scratch_extents(subject) == (Extent(MIB, GIB - 2 * MIB),)
    assert scratch_extents(replace(subject, zoned="host-aware")) == scratch_extents(subject), (
        "such a drive takes any write"
    )


@pytest.mark.parametrize(
    ("subject", "word"),
    [
        (drive(uses=(Use("mounted", "/dev/sda1", "/srv"),)), "in use"),
        (drive(layers=(Layer("md", "/dev/md0", "/dev/sda"),)), "in use"),
        (partitioned(replace(partition(), mount_points=("/srv",))), "mounted"),
        (drive(read_only=True), "read-only"),
        (drive(read_only=None), "write protection"),
        (drive(zoned="host-managed"), "host-managed"),
        (drive(table=None, free=()), "partition table, size"),
        (drive(geometry=None), "partition table, size"),
        (drive(unread=(unread("uses", "only root may see it"),)), "only root may see it"),
        (drive(unread=(unread("signatures", "reading failed"),)), "reading failed"),
        (drive(signatures=(Signature("ext4", "filesystem"),)), "ext4"),
        (partitioned(partition(), table=gpt(kind="hybrid")), "hybrid"),
        (partitioned(partition(), table=gpt(kind="other")), "other"),
        (partitioned(partition(), table=gpt(primary="damaged")), "cannot reliably show"),
        (partitioned(partition(), free=()), "contiguous free space"),
        (partitioned(partition(), free=(Extent(2 * GIB, 10 * MIB),)), "contiguous free space"),
        (drive(size_bytes=10 * MIB), "contiguous free space"),
    ],
)
def test_writing_is_refused(subject: Drive, word: str) -> None:
    with pytest.raises(Refused, match=word) as caught:
        scratch_extents(subject)
    assert "Nothing was written" in str(caught.value)
    with pytest.raises((Refused, Failed)):
        trial(subject, write=True)


def test_token_must_belong_to_the_drive() -> None:
    confirm_scratch(drive(serial="ABC"), "ABC")
    confirm_scratch(drive(serial=None), "sda")
    for wrong in ("abc", "", "sda", "ABC ", "/dev/sda", "\x1b[31m"):
        with pytest.raises(Refused) as caught:
            confirm_scratch(drive(serial="ABC"), wrong)
        assert str(caught.value).isprintable()


def test_changed_drive_since_confirmation_is_refused(tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.write_bytes(bytes(4096))
    known = drive(path=str(node))
    for change in ({"serial": "S2"}, {"size_bytes": GIB}, {"diskseq": 9}, {"content_digest": "f" * 64}):
        with pytest.raises(Refused, match="changed"):
            trial(known, write=True, fresh=replace(known, **change))
    with pytest.raises(Refused, match="in use"):
        trial(known, write=True, fresh=replace(known, uses=(Use("mounted", "/dev/sda1", "/srv"),)))
    assert node.read_bytes() == bytes(4096)


# What is said


def trial(
    subject: Drive, *, write: bool = False, assume: int | None = None, fresh: Drive | None = None
) -> Verdict:
    def probe(_: str) -> Drive:
        assert fresh is not None, "not to be probed"
        return fresh

    with patch("wizard.benchmark.scratch.probe_drive", probe):
        return run_alignment_trial(
            subject,
            write=write,
            on_progress=lambda _: None,
            stop=lambda: False,
            assume_physical_bytes=assume,
            seconds=1,
        )


@pytest.mark.parametrize(
    ("subject", "word"),
    [
        (drive(geometry=KN4), "smaller requests are impossible"),
        (drive(geometry=N512), "--assume-physical 4096"),
        (drive(geometry=Geometry(512, 4096, -1, 4096, 0)), "misaligned"),
        (drive(geometry=Geometry(512, 16 * MIB, 0, 4096, 0)), "implausible physical blocks"),
        (drive(zoned="host-managed"), "host-managed"),
        (drive(size_bytes=MIB // 64), "too small"),
    ],
)
def test_drive_that_cannot_be_misaligned_is_reported(subject: Drive, word: str) -> None:
    verdict = trial(subject)
    assert verdict.outcome is Outcome.NOT_POSSIBLE and verdict.ratio is None and not verdict.pairs
    assert (
        verdict.sentence.startswith("/dev/sda: misaligned access is impossible") and word in verdict.sentence
    )


@pytest.mark.parametrize("assume", [0, -4096, 512, 5000, 131072])
def test_impossible_physical_size_is_bad_input(assume: int) -> None:
    with pytest.raises(BadInput, match="power of two"):
        trial(drive(geometry=N512), assume=assume)


def test_unresponsive_drive_is_reported_with_the_reason() -> None:
    silent = drive(
        geometry=None, size_bytes=None, table=None, unread=(unread("drive", "No answer within 10 s."),)
    )
    for write in (False, True):
        with pytest.raises(Failed, match=r"Cannot read the size .* No answer within 10 s\."):
            trial(silent, write=write)


def test_drive_that_cannot_be_opened_is_a_sentence() -> None:
    with pytest.raises(Failed, match="Cannot open"):
        trial(drive(path="/dev/no-such-drive"))


def ratio(estimate: float, low: float, high: float) -> Ratio:
    return Ratio(estimate, low, high, 0.95, 400)


def test_sentences_describe_the_measurement() -> None:
    faster = sentence_for("/dev/sda", "write", Outcome.ALIGNED_FASTER, ratio(1.8, 1.6, 2.0), 400)
    assert faster == "/dev/sda, writing: aligned is 1.8x faster (1.6-2.0, 95 %)."
    small = sentence_for("/dev/sda", "read", Outcome.ALIGNED_FASTER, ratio(1.08, 1.06, 1.10), 400)
    assert "1.08x faster (1.06-1.10, 95 %)" in small
    for access in ("read", "write"):
        equal = sentence_for("/dev/sda", access, Outcome.NO_DIFFERENCE, ratio(1.0, 0.98, 1.02), 400)
        assert "no measurable difference" in equal and ("cannot rule out a penalty" in equal) == (
            access == "read"
        )
    assert "inconclusive; 1.00 times as long" in sentence_for(
        "/dev/sda", "read", Outcome.INCONCLUSIVE, ratio(1.0, 0.8, 1.3), 400
    )
    assert "12 pairs are too few" in sentence_for("/dev/sda", "read", Outcome.INCONCLUSIVE, None, 12)


VERDICT = Verdict(
    "/dev/sda",
    "read",
    Outcome.ALIGNED_FASTER,
    ratio(2, 1.9, 2.1),
    "It is so.",
    ("But.",),
    4096,
    512,
    3.0,
    (Pair(10, 20),) * 3,
)


def test_verdict_survives_its_document() -> None:
    text = render_verdict(VERDICT)
    assert text.startswith('{\n  "schema": "diskwright.verdict/1"')
    assert read_verdict(text, "v.json", Verdict) == VERDICT
    with pytest.raises(BadInput, match=r"v\.json"):
        read_verdict(text.replace('"aligned-faster"', '"roof"'), "v.json", Verdict)


@pytest.mark.parametrize(("sector", "shift"), [(63, 3584), (34, 1024), (2048, 0)])
def test_other_access_has_the_alignment_of_the_partition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sector: int, shift: int
) -> None:
    node = tmp_path / "node"
    node.write_bytes(bytes(64 * MIB))
    monkeypatch.setattr(os, "O_DIRECT", 0)
    part = partition(1, sector * 512, 8 * MIB)
    subject = partitioned(part, path=str(node), size_bytes=64 * MIB, geometry=E512)
    verdict = run_alignment_trial(
        subject, write=False, on_progress=lambda _: None, stop=lambda: False, part=part, seconds=0.5
    )
    assert verdict.shift_bytes == shift and verdict.sentence.startswith("/dev/sda1, reading")
