"""Every step as a picture, at the smallest size and at a larger one, compared with the kept ones.

DISKWRIGHT_UPDATE=1 keeps today's pictures instead; look at them before they are committed.
"""

import asyncio
import os
import re
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from tests.looks import pictures_moving
from tests.looks.pictures import walk

KEPT = Path(__file__).parent / "snapshots"
SIZES = ((80, 24), (120, 36))
NAMES = (
    *(
        "1-drives-in-use",
        "1-drives",
        "1-help",
        "1-glossary",
        "1-reasons",
        "2-purpose",
        "3-advice",
        "3-evidence",
        "3-options",
        "3-danger",
        "4-layout-free",
        "4-volume",
        "4-layout",
    ),
    *(
        "5-preview",
        "5-preview-steps",
        "6-measuring",
        "6-benchmark",
        "7-confirm",
        "8-applying",
        "9-waiting",
        "9-undo",
        "9-result",
    ),
    *pictures_moving.NAMES,
)


@cache
def taken(columns: int, lines: int) -> dict[str, str]:
    return asyncio.run(walk(columns, lines)) | asyncio.run(pictures_moving.walk_moving(columns, lines))


def words(svg: str) -> list[str]:
    """What can be read in a picture, for a message that can be read too."""
    return [
        unescape(re.sub(r"<[^>]+>", "", line)).replace("\xa0", " ").rstrip()
        for line in svg.splitlines()
        if "<text" in line
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_step_looks_as_it_did(size: tuple[int, int], name: str, tmp_path: Path) -> None:
    path = KEPT / f"{name}-{size[0]}x{size[1]}.svg"
    picture = taken(*size)[name]
    if os.environ.get("DISKWRIGHT_UPDATE"):
        KEPT.mkdir(exist_ok=True)
        path.write_text(picture, encoding="utf-8")
        return
    kept = path.read_text(encoding="utf-8")
    new = tmp_path / path.name
    new.write_text(picture, encoding="utf-8")
    assert words(picture) == words(kept), f"{path.name} reads differently; today's picture is {new}"
    assert picture == kept, (
        f"{path.name} has the same words and other colours or places; today's picture is {new}"
    )


def test_every_kept_picture_is_of_a_step() -> None:
    expected = {f"{name}-{columns}x{lines}.svg" for name in NAMES for columns, lines in SIZES}
    assert {path.name for path in KEPT.glob("*.svg")} == expected
    assert set(taken(80, 24)) == set(NAMES)
