"""Any content of a view, at any size and on any terminal: nothing is wider than the screen, and everything
can be reached."""

import pytest
from rich.cells import cell_len

from tests.looks.screens.touring import Drawn
from tests.looks.window.extreme_views import CROWDED, HOSTILE_VIEW, WAITING
from tests.looks.window.made_views import DONE, DRIVES, FORM, MENU, PLAN, REVIEW, WORK
from tests.looks.window.opened import opened
from wizard.ui.view import Action, ScreenStep, Stretch, View, para
from wizard.window.blocks import shares
from wizard.window.keys import head_line
from wizard.window.look import look_of
from wizard.window.terminal import Colours, Glyphs, Terminal, translate

SIZES = ((60, 16), (80, 24), (100, 24), (120, 36), (200, 50))
TERMINALS = {
    "many": Terminal(Glyphs.ALL, Colours.ANY),
    "light": Terminal(Glyphs.ALL, Colours.ANY, light=True),
    "window": Terminal(Glyphs.ALL, Colours.EIGHT),
    "console": Terminal(Glyphs.CONSOLE, Colours.EIGHT),
    "no colour": Terminal(Glyphs.ALL, Colours.NONE),
    "vt220": Terminal(Glyphs.ASCII, Colours.NONE, slow=True),
}
ALL = {
    "drives": (DRIVES,),
    "menu": (DRIVES, MENU),
    "waiting": (WAITING,),
    "plan": (PLAN,),
    "review": (REVIEW,),
    "form": (PLAN, FORM),
    "work": (WORK,),
    "done": (DONE,),
    "hostile": (HOSTILE_VIEW,),
    "crowded": (CROWDED,),
}
TRUTHFUL = [name for name in ALL if name != "hostile"]


@pytest.mark.parametrize("terminal", TERMINALS)
@pytest.mark.parametrize("name", ALL)
def test_frame_fills_the_screen_and_shows_the_cursor(name: str, terminal: str) -> None:
    has_cursor = bool(ALL[name][-1].rows or ALL[name][-1].fields)
    with opened(*ALL[name], terminal=TERMINALS[terminal]) as (_, window):
        for size in SIZES:
            window.resize(size)
            for keys in ((), ("down", "down", "down", "up"), ("end",)):
                window.press(*keys)
                lines = window.lines()
                assert len(lines) == size[1] and {line.cell_length for line in lines} == {size[0]}
                assert all(line.text.isprintable() for line in lines)
                assert not has_cursor or window.app.page.cursor_offset is not None, (size, keys)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", TRUTHFUL)
def test_every_word_can_be_reached(name: str, size: tuple[int, int]) -> None:
    *below, view = ALL[name]
    drawn = Drawn()
    drawn.check(view, below[0] if below else None, TERMINALS["many"], size)
    drawn.close()


@pytest.mark.parametrize("size", SIZES)
def test_run_is_one_line_and_visible_at_every_cursor_position(size: tuple[int, int]) -> None:
    """A run does not depend on the drives' columns, nor on scrolling."""
    with opened(WAITING, size=size) as (_, window):
        for key in ("k", "end", "home"):
            window.press(key)
            for name in ("sdc", "sdd"):
                assert f"!  {name}  done, not in use yet. Keep it?" in window.text()
        assert window.cursor == "run:sdc"
        window.press("down")
        assert window.cursor == "run:sdd"
        window.press("down", "down", "up", "up")
        assert window.cursor == "run:sdd"


@pytest.mark.parametrize("terminal", ("console", "vt220"))
@pytest.mark.parametrize("name", TRUTHFUL)
def test_glyphs_are_those_of_the_font(name: str, terminal: str) -> None:
    with opened(*ALL[name], terminal=TERMINALS[terminal]) as (_, window):
        text = window.text()
    assert translate(text.replace("\n", ""), TERMINALS[terminal].glyphs) == text.replace("\n", "")
    for asks in ("?  help", "[?]", "drive?", "it?", "undo?"):
        text = text.replace(asks, "")
    assert "?" not in text


@pytest.mark.parametrize("size", ((59, 16), (60, 15), (10, 3), (1, 1)))
def test_too_small_screen_shows_one_sentence(size: tuple[int, int]) -> None:
    with opened(PLAN, size=size) as (_, window):
        lines = [line.text for line in window.lines()]
    assert {cell_len(line) for line in lines} == {size[0]} and len(lines) == size[1]
    if size[0] > 50:
        said = " ".join(" ".join(lines).split())
        assert f"has {size[0]} columns and {size[1]} lines" in said
        assert "`diskwright --plain` works" in said


def test_step_cursor_and_losses_are_marked_without_colour() -> None:
    with opened(PLAN, terminal=TERMINALS["no colour"]) as (_, window):
        for mark in ("<3 Plan>", "▌ media", "✗ films"):
            assert mark in window.text()


def test_dialog_overlays_a_dimmed_screen_if_colours_allow() -> None:
    with opened(DRIVES, MENU) as (_, window):
        assert "Fix alignment" in window.text() and "1 Drives" in window.text()
    with opened(DRIVES, MENU, terminal=TERMINALS["console"]) as (_, window):
        assert "Fix alignment" in window.text() and "1 Drives" not in window.text()


@pytest.mark.parametrize("size", SIZES)
def test_key_follows_the_last_word_of_its_paragraph(size: tuple[int, int]) -> None:
    said = "Not known whether /dev/sdb is shingled (SMR): the drive does not say. " * 3
    keys = (Action("test", "p", "test, about 40 s"),)
    view = View("drives", ScreenStep.DRIVES, "Drives", keys, above=(para(said, hang=2, key="test"),))
    with opened(view, size=size) as (_, window):
        told = window.text()
    assert " ".join(f"{said} p test, about 40 s".split()) in " ".join(told.split())


@pytest.mark.parametrize("width", (20, 60, 110))
@pytest.mark.parametrize("sizes", ((1, 1, 1), (1, 1000), (5,), (0, 7), tuple(range(1, 40))))
def test_bar_has_its_maximum_width(width: int, sizes: tuple[int, ...]) -> None:
    look = look_of(TERMINALS["many"])
    stretches = [Stretch(f"n{index}", size * 10**9) for index, size in enumerate(sizes)]
    cells = shares(stretches, width, 1, look)
    gap = 1 if len(sizes) * 4 <= width else 0
    assert sum(cells) + gap * (len(sizes) - 1) == width
    assert min(cells) >= 0


@pytest.mark.parametrize("terminal", TERMINALS)
def test_too_long_list_has_a_scroll_bar(terminal: str) -> None:
    with opened(CROWDED, terminal=TERMINALS[terminal]) as (_, window):
        bar = window.app.page.rows.vertical_scrollbar
        x, y = bar.region.offset
        cells = [window.lines()[y + n].crop(x, x + 1) for n in range(bar.region.height)]
        thumb = [any(style and style.reverse for _, style, _ in cell) for cell in cells]
        assert bar.display and any(thumb) and not all(thumb)
        window.press("end")
        assert "partition-127" in window.text()


@pytest.mark.parametrize("step", list(ScreenStep))
@pytest.mark.parametrize("about", ["DEMO  sde  500 GB  SSD", "12 drives, recorded in machine.json", ""])
def test_first_line_describes_the_drive_at_80_columns(step: ScreenStep, about: str) -> None:
    view = View("drives", step, "Drives", (), about)
    first = head_line(view, 80, look_of(TERMINALS["many"])).text
    assert first.rstrip().endswith(about) and "…" not in first
    assert cell_len(first) == 80 and f"{list(ScreenStep).index(step) + 1} {step.value.title()}" in first
    # The other steps keep their names where nothing would be cut.
    assert about or all(one.value.title() in first for one in ScreenStep)
