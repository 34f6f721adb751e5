"""Pages for readers: every link, file and command in the text must exist."""

import re
from pathlib import Path

import pytest

from tests import readme
from tests.readme import PAGES, REPO, put
from wizard.cli.table import COMMANDS

each = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
LINK = re.compile(r"\]\(([^)#]+)(?:#([^)]*))?\)")
PATH = re.compile(r"(?<![\w/~$-])((?:wizard|tests|profiles|docs|screenshots)/[\w./-]*[\w/])(?![\w.*-]*\*)")


def places(text: str) -> set[str]:
    """Return the paths in a text that belong to this repository. Capitals mark placeholders."""
    return {
        found for found in PATH.findall(text) if not re.search(r"[A-Z]{3}", found.removesuffix("README.md"))
    }


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each
def test_links_have_targets(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text()):
        path = page.parent / target
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), anchor


@each
def test_named_files_exist(page: Path) -> None:
    assert [place for place in sorted(places(page.read_text())) if not (REPO / place).exists()] == []


def test_missing_file_is_noticed() -> None:
    assert places(
        "In `wizard/gone.py` and tests/unit/test_x.py, not in `~/wizard/x`, wizard/NAME.py or docs/a.md."
    ) == {
        "wizard/gone.py",
        "tests/unit/test_x.py",
        "docs/a.md",
    }


@each
def test_named_commands_exist(page: Path) -> None:
    named = re.findall(r"^    (?:sudo )?(?:\./)?diskwright ([a-z]\w*)", page.read_text(), re.MULTILINE)
    assert set(named) <= set(COMMANDS)


def test_readme_names_every_user_command() -> None:
    words = set(re.findall(r"[\w-]+", (REPO / "README.md").read_text()))
    assert set(COMMANDS) <= words


def test_generated_part_goes_between_the_markers_of_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first.md", tmp_path / "second.md"
    monkeypatch.setattr(readme, "PAGES", (first, second))
    first.write_text("# Nothing here\n")
    second.write_text("before\n<!-- codes -->\nold\n<!-- /codes -->\nafter\n")
    assert put("codes", "new", keep=True) and "old" in second.read_text()
    assert (
        put("codes", "new") and second.read_text() == "before\n<!-- codes -->\nnew\n<!-- /codes -->\nafter\n"
    )
    assert not put("codes", "new")
    first.write_text(second.read_text())
    for mark in ("codes", "figures"):
        with pytest.raises(SystemExit, match=f"places marked {mark}"):
            put(mark, "newer")
    assert "newer" not in first.read_text() + second.read_text()
