"""Ceilings may only fall, and the counts find their targets."""

import ast
import tomllib

import pytest

from tests.gauges.__main__ import faults, read, render
from tests.gauges.english import index
from tests.gauges.shape import sentences_of

PLAIN = "The drive has a partition table. Press Enter to create a new one, or choose another drive."
STILTED = (
    "What it holds is told where it lies; whoever keeps it anew is shown what is kept of it, and of it alone."
)


@pytest.mark.parametrize(
    ("now", "ceiling", "earlier", "reason", "words"),
    [
        (100, 100, 100, "", ()),
        (100, 100, 120, "", ()),
        (101, 100, 100, "", ("above the ceiling",)),
        (90, 100, 100, "", ("Lower the ceiling",)),
        (110, 110, 100, "", ("needs a reason",)),
        (110, 110, 100, "a new filesystem", ()),
    ],
)
def test_ceiling_may_only_fall(
    now: float, ceiling: float, earlier: float, reason: str, words: tuple[str, ...]
) -> None:
    found = faults({"lines": now}, {"lines": ceiling}, {"lines": earlier}, {"lines": reason})
    assert len(found) == len(words) and all(map(str.__contains__, found, words))


def test_every_gauge_has_a_ceiling_and_every_ceiling_a_gauge() -> None:
    assert len(faults({"lines": 1}, {"files": 1}, {}, {})) == 2


def test_file_is_read_as_written() -> None:
    ceilings, raised = {"lines": 100.0, "English": 1.5}, {"lines": "a new filesystem"}
    text = render(ceilings, raised, {"functions": 1200})
    assert read(text) == (ceilings, raised) and tomllib.loads(text)["trace"] == {"functions": 1200}


def test_stilted_english_counts_for_more() -> None:
    assert index([PLAIN]) < 1.5 < 5 < index([STILTED])


def test_messages_are_found() -> None:
    tree = ast.parse('A = Sentence("One text.")\nB = tn("Two.", "more", count=1)\nC = f("no")')
    assert list(sentences_of(tree)) == ["One text.", "Two. more"]
