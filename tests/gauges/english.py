"""Count habits that make English read like a translation, and compare them with what the field writes.

The field is the interface text, manuals and docstrings of GParted, GNOME Disks, Cockpit, blivet-gui,
archinstall, Subiquity, curtin, util-linux, disko, Borg, httpx, Harlequin and Posting: 399,000 words. None of
these habits is wrong by itself.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.gauges.shape import PROGRAM, sentences_of

WORD = re.compile(r"[A-Za-z']+")
FIELD = re.compile(r"\{[^}]*\}")
CODE_BLOCK = re.compile(r"```.*?```", re.DOTALL)
INDENTED = re.compile(r"(?m)^(?: {4}|\t|\|[-: |]+$).*$")
MARKUP = re.compile(r"[*_`#|]+")
LEAST_PROFILE_WORDS = 4
"""Shorter strings of a profile are names."""


@dataclass(frozen=True, slots=True)
class Habit:
    """A pattern, and how often the field has it per 1,000 words of text and of docstrings."""

    pattern: re.Pattern[str]
    in_text: float
    in_docstrings: float


def _habit(words: str, in_text: float, in_docstrings: float) -> Habit:
    return Habit(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), in_text, in_docstrings)


_ARTICLES = "it|the|that|a|an|they"
_BE = "is|are|was|were"
_AFTER_WHAT = "has|had|this|does|did|comes|lies|stands|holds|goes|can|could|may|must|nobody|else"
_PASSIVES = (
    "told|said|named|asked|shown|known|meant|wanted|looked|tried|held|taken|kept|left|given|put|done|made|had"
    "|gone|seen|found|read|written"
)
_ADVERBS = (
    "anew|meanwhile|beside|behind|beforehand|thereby|therefore"
    "|any more|no more|then on|once more|at once|as such"
)
HABITS = (
    _habit(f"what (?:{_ARTICLES}|{_BE}|{_AFTER_WHAT})", 0.4, 0.9),
    _habit(f"where (?:{_ARTICLES}|there|those|no|none|nothing|X)", 0.5, 0.5),
    _habit(f"that (?:{_BE}|has|have|had|cannot|does)", 1.1, 1.5),
    _habit("(?:one|ones|those|that) (?:that|of|who|which)", 0.4, 0.5),
    _habit("whether", 0.4, 1.6),
    _habit("nothing|nobody|none|whoever|whatever|whichever|somebody|anybody", 1.4, 3.9),
    _habit("it", 7.8, 8.1),
    _habit("its|itself", 1.4, 2.2),
    _habit(f"(?:{_BE}|be|been) (?:{_PASSIVES})", 1.5, 1.9),
    _habit("stands?|lies|lie|holds?|tells?|says?|goes|takes|stays?|keeps?|waits?|leads?", 1.9, 2.4),
    _habit(_ADVERBS, 0.3, 0.3),
    _habit(f"(?:{_BE}|has|have|had) to(?: be)?", 0.7, 0.6),
    _habit("(?:of|in|to|on|by|for|with|from) (?:it|its|them|that|those|these)", 1.6, 2.3),
    _habit(f"there (?:{_BE})", 1.0, 0.8),
    _habit(f"(?:{_BE}|has|have) no", 0.6, 0.5),
)


def index(texts: Iterable[str], *, docstrings: bool = False) -> float:
    """Return how many times more often than the field the texts have the habits."""
    flat = [FIELD.sub("X", " ".join(text.split())) for text in texts]
    words = sum(len(WORD.findall(text)) for text in flat)
    hits = sum(len(habit.pattern.findall(text)) for habit in HABITS for text in flat)
    usual = sum(habit.in_docstrings if docstrings else habit.in_text for habit in HABITS)
    return 1000 * hits / words / usual


def measure(root: Path) -> dict[str, float]:
    """Return the index of each kind of text, with two decimals."""
    return {
        "English of screens": round(index(_screens(root)), 2),
        "English of docstrings": round(index(_docstrings(root / PROGRAM), docstrings=True), 2),
        "English of pages": round(index(_pages(root)), 2),
        "English of tests": round(index(_docstrings(root / "tests"), docstrings=True), 2),
    }


def _screens(root: Path) -> Iterator[str]:
    """Yield the sentences of the program and the texts of profiles."""
    for path in sorted((root / PROGRAM).rglob("*.py")):
        yield from sentences_of(ast.parse(path.read_text()))
    for path in sorted((root / "profiles").rglob("*.toml")):
        yield from (
            text
            for text in _strings(tomllib.loads(path.read_text()))
            if len(text.split()) >= LEAST_PROFILE_WORDS
        )


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for one in value.values():
                yield from _strings(one)
        case list():
            for one in value:
                yield from _strings(one)


def _docstrings(folder: Path) -> Iterator[str]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, kinds) and (text := ast.get_docstring(node)):
                yield text


def _pages(root: Path) -> Iterator[str]:
    """Yield the paragraphs of the pages, without code."""
    for path in (*sorted(root.glob("*.md")), *sorted((root / "docs").glob("*.md"))):
        text = MARKUP.sub(" ", INDENTED.sub("", CODE_BLOCK.sub("", path.read_text())))
        yield from (block for block in re.split(r"\n\s*\n", text) if block.strip())
