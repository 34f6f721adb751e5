"""Pictures of the five screens can be taken on every kind of terminal, each shows its screen, and
terminals without colours have none. `python -m tests.looks.photograph --check` checks the published ones."""

import asyncio
import re
from functools import cache

import pytest

from tests.looks.photograph import FOLDER, KINDS, performed
from tests.looks.pictures import PUBLISHED
from tests.readme import PAGES

ENDINGS = [ending for ending, _, _ in KINDS]
STEPS = {"drives": 1, "actions": 1, "purpose": 2, "plan": 3, "review": 4, "work": 5, "result": 5, "undo": 5}
FILLS = re.compile(r'(?:fill|color)[:=]\s*"?(#[0-9a-fA-F]{6})')
FRAME = {"#ff5f57", "#febc2e", "#28c840", "#292929", "#c5c8c6"}
"""Of the window that is drawn around the screen, and what text has where no colour is named."""


@cache
def taken(ending: str) -> dict[str, str]:
    _, size, terminal = next(kind for kind in KINDS if kind[0] == ending)
    return asyncio.run(performed(size, terminal))


def words(svg: str) -> str:
    """Return the words in a picture."""
    return " ".join(re.sub(r"<[^>]+>", " ", svg).replace("&#160;", " ").split())


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_published_picture_is_taken_and_all_differ(ending: str) -> None:
    pictures = taken(ending)
    assert set(PUBLISHED) <= set(pictures)
    shown = [words(pictures[name]) for name in PUBLISHED]
    assert len(set(shown)) == len(PUBLISHED)
    for name in PUBLISHED:
        assert "diskwright" in words(pictures[name]), name
        assert "/tmp/" not in pictures[name] and "/work/" not in pictures[name], name
        assert "https://" not in pictures[name].replace("https://www.textualize.io", ""), name


@pytest.mark.parametrize("name", STEPS)
def test_picture_shows_its_own_step(name: str) -> None:
    said = words(taken("-mono")[name])
    now = re.findall(r"<(\d) \w+>", said.replace("&lt;", "<").replace("&gt;", ">"))
    assert now == [str(STEPS[name])] or name in ("actions", "undo"), said[:200]


def test_colours_appear_only_if_available() -> None:
    for name in PUBLISHED:
        found = {fill.lower() for fill in FILLS.findall(taken("-mono")[name])} - FRAME
        assert all(fill[1:3] == fill[3:5] == fill[5:7] for fill in found), (name, found)
    assert {fill.lower() for fill in FILLS.findall(taken("")["plan"])} - FRAME


def test_lost_partition_is_marked_by_more_than_its_colour() -> None:
    plan = words(taken("-mono")["plan"])
    assert re.search(r"[x✗] ?(films|backup)", plan) and "will be deleted" in plan
    assert "deleted when" in words(taken("-console")["review"])


def test_every_picture_of_the_readme_and_docs_is_taken() -> None:
    pages = "".join(page.read_text() for page in PAGES)
    named = set(re.findall(r"\((?:\.\./)?screenshots/([^)]*)\)", pages))
    made = {f"{name}{ending}.svg" for name in PUBLISHED for ending in ENDINGS}
    assert named and {name for name in named if name.endswith(".svg")} <= made
    assert named <= {path.name for path in FOLDER.iterdir()}
