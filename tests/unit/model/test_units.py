"""Parsing and formatting of sizes."""

import pytest

from wizard.model.errors import BadInput, partition_path, printable
from wizard.model.said import (
    format_capacity,
    format_duration,
    format_exact,
    format_moment,
    format_round,
    parse_size,
    t,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4096", 4096),
        ("500G", 500 * 2**30),
        ("1.5TiB", 3 * 2**39),
        ("750GB", 750 * 10**9),
        (" 1 MiB ", 2**20),
        ("0", 0),
    ],
)
def test_sizes_are_read_like_util_linux(text: str, expected: int) -> None:
    assert parse_size(text) == expected


@pytest.mark.parametrize(
    "text", ["", "G", "-1G", "5X", "1e9", "500 gigs", "\x1b[31m5G", "½T", "5\N{KELVIN SIGN}", "٥G"]
)
def test_invalid_size_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(BadInput, match="is not a size") as caught:
        parse_size(text)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (8001563222016, "8.0 TB"),
        (500107862016, "500 GB"),
        (99_960_000, "100 MB"),
        (999_960_000, "1.0 GB"),
    ],
)
def test_capacities_read_as_on_the_label(size: int, expected: str) -> None:
    assert format_capacity(size) == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [(17408, "17 KiB"), (1 << 20, "1 MiB"), (3584, "3584 bytes"), (0, "0 bytes"), (1 << 40, "1 TiB")],
)
def test_exact_sizes_are_exact(size: int, expected: str) -> None:
    assert format_exact(size) == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (490 << 20, "490 MiB"),
        (3 << 30, "3 GiB"),
        (1536 << 20, "1.5 GiB"),
        (512_032_256, "488 MiB"),
        (17408, "17 KiB"),
        (0, "0 bytes"),
        ((1 << 40) - 1, "1 TiB"),
        (1 << 60, "1024 PiB"),
    ],
)
def test_rounded_size_has_the_units_of_an_exact_one(size: int, expected: str) -> None:
    assert format_round(size) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.2, "under 1 s"), (40, "40 s"), (180, "3 min"), (7800, "2 h 10 min")]
)
def test_durations_are_as_coarse_as_estimates(seconds: float, expected: str) -> None:
    assert format_duration(seconds) == expected


def test_partition_nodes_are_named_like_in_the_kernel() -> None:
    assert partition_path("/dev/sda", 1) == "/dev/sda1"
    assert partition_path("/dev/nvme0n1", 2) == "/dev/nvme0n1p2"


def test_untrusted_text_cannot_control_the_terminal() -> None:
    assert printable("a\x1b[2Jb\n\u202ec") == "a?[2Jb??c"
    assert len(printable("x" * 500)) == 80


def test_estimate_is_at_most_a_rough_one() -> None:
    assert [str(t("{seconds:time}", seconds=seconds)) for seconds in (0, 0.9, 1, 200, 7200)] == [
        "under 1 s",
        "under 1 s",
        "about 1 s",
        "about 3 min",
        "about 2 h 0 min",
    ]


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("2026-11-23T05:30:09+00:00", "2026-11-23 05:30 UTC"),
        ("2026-11-23T01:30:09.123+02:00", "2026-11-22 23:30 UTC"),
        ("2026-01-01", "2026-01-01"),
        ("0001-01-01T00:00:00+05:00", "0001-01-01T00:00:00+05:00"),
        ("yesterday", "yesterday"),
    ],
)
def test_time_is_written_as_usual(moment: str, said: str) -> None:
    assert format_moment(moment) == said
