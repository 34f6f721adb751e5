"""The manual lists exactly the keys of each screen."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MANUAL = (ROOT / "docs" / "manual.md").read_text()
DESK = ROOT / "wizard" / "ui"
EVERYWHERE = {"w"}
"""Why, of which the table for all screens tells."""
ACTIONS = frozenset({"ui.Action", "ui.aside", "ui.ending"})
MENU = frozenset({"MenuEntry"})
OF_ALL_PLACES = {"i"}
"""What the desk adds to any place that misses a program."""


def told(section: str) -> set[str]:
    """Return the single-character keys in the first table column or the text of a section."""
    text = re.split(rf"^### {re.escape(section)}$", MANUAL, flags=re.MULTILINE)[1]
    return set(re.findall(r"`([^`\s])`", re.split(r"^##", text, flags=re.MULTILINE)[0]))


def told_of_menu() -> set[str]:
    text = MANUAL.split("**The menu** ")[1].split("### Purpose")[0]
    return set(re.findall(r"`([^`\s])`", text))


def told_of_drives() -> set[str]:
    text = MANUAL.split("### Drives\n")[1].split("**The menu** ")[0]
    return set(re.findall(r"`([^`\s])`", text))


def had(module: str, kinds: frozenset[str] = ACTIONS) -> set[str]:
    """Return the single-character keys of a module's actions."""
    calls = [
        node
        for node in ast.walk(ast.parse((DESK / module).read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in kinds
    ]
    assert calls, module
    found = [one.value for call in calls for one in ast.walk(call.args[1]) if isinstance(one, ast.Constant)]
    return {key for key in found if isinstance(key, str) and len(key) == 1}


@pytest.mark.parametrize(
    ("section", "module"),
    [("Plan", "screens/plan.py"), ("Work and result", "screens/work.py"), ("To ext4", "screens/ways.py")],
)
def test_manual_has_the_keys_of_a_screen(section: str, module: str) -> None:
    # The way to a screen is a key of another one.
    before = {"m"} if section == "To ext4" else set()
    assert told(section) - OF_ALL_PLACES - before - EVERYWHERE == had(module) - EVERYWHERE


def test_manual_has_the_keys_of_the_drives_and_of_the_menu() -> None:
    assert told_of_drives() == (had("screens/drives.py") | had("components/run_rows.py")) - EVERYWHERE
    assert told_of_menu() == had("screens/actions.py", MENU)


def test_capital_letters_are_listed_together() -> None:
    line = " ".join(MANUAL.split()).split("Capital letters ")[1].split(". Fields accept")[0]
    modules = (
        "screens/drives.py",
        "components/run_rows.py",
        "screens/plan.py",
        "screens/work.py",
        "dialogs/measuring.py",
    )
    keys = had("screens/actions.py", MENU).union(*map(had, modules))
    assert set(re.findall(r"`(.)`", line)) == {key for key in keys if key.isupper()}


def test_manual_has_the_keys_of_size_and_place() -> None:
    module = (DESK / "editors" / "adjusting.py").read_text()
    stepping = set(re.findall(r'\("(?:much-)?(?:more|less)", "([+<>-])"', module))
    assert told("Size and place") - {"z"} == had("editors/adjusting.py") | stepping


def test_t_measures_alignment_everywhere() -> None:
    calls = (
        node
        for module in DESK.rglob("*.py")
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Call) and len(node.args) > 1
    )
    pairs = [
        [one.value for one in call.args[:2] if isinstance(one, ast.Constant)]
        for call in calls
        if ast.unparse(call.func) in ACTIONS | MENU
    ]
    assert {name for name, key in (pair for pair in pairs if len(pair) == 2) if key == "t"} == {"speed"}
