"""Any content of a view, at any size and on any terminal: nothing is wider than the screen, and everything
can be reached."""

from collections.abc import Iterator
from typing import cast

import pytest
from rich.cells import cell_len

from tests.looks.window.desks import MadeUpDesk
from tests.looks.window.extreme_views import CROWDED, HOSTILE_VIEW, WAITING
from tests.looks.window.made_views import DONE, DRIVES, FORM, HOSTILE, MENU, PLAN, REVIEW, WORK
from tests.unit.ui.person import texts_of_block
from wizard.ui import view as ui
from wizard.ui.desk import Desk
from wizard.window.bars import shares
from wizard.window.canvas import Sheet, folded
from wizard.window.keyboard import InputState, Keyboard
from wizard.window.look import look_of
from wizard.window.page import page
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


class Screen:
    """A keyboard with a drawn screen."""

    def __init__(self, name: str, size: tuple[int, int], terminal: Terminal = TERMINALS["many"]) -> None:
        self.desk = MadeUpDesk(*ALL[name][:1])
        self.keyboard = Keyboard(cast(Desk, self.desk))
        self.size, self.look = size, look_of(terminal)
        self.keyboard.renew(asked=True)
        for view in ALL[name][1:]:
            self.desk.go(view)
            self.keyboard.renew(asked=True)

    def draw(self) -> Sheet:
        board = self.keyboard
        sheet = page(board.view, board.state, self.look, self.size, board.below)
        board.drawn(sheet)
        return sheet

    def press(self, key: str) -> Sheet:
        self.keyboard.press(key, key if len(key) == 1 else None)
        return self.draw()

    def everything(self) -> str:
        """Return everything visible on the way through every part, without blanks."""
        seen = [self.draw(), self.press("home")]
        if self.keyboard.view.fields:
            seen += [self.press("down") for _ in self.keyboard.view.fields]
        for _ in range(4):
            while (sheet := self.press("pagedown")).lines != seen[-1].lines:
                seen.append(sheet)
            seen.append(self.press("tab"))
        return "\n".join(line.text.replace(" ", "") for sheet in seen for line in sheet.lines)


@pytest.mark.parametrize("terminal", TERMINALS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ALL)
def test_frame_fills_the_screen_exactly(name: str, size: tuple[int, int], terminal: str) -> None:
    screen = Screen(name, size, TERMINALS[terminal])
    sheet = screen.draw()
    assert len(sheet.lines) == size[1]
    for line in sheet.lines:
        assert line.cell_length == size[0]
        assert sum(cell_len(text) for text, _, _ in line) == size[0]
    assert all(0 <= spot.x <= size[0] - spot.width and 0 <= spot.y < size[1] for spot in sheet.spots)


@pytest.mark.parametrize("terminal", ("many", "console", "vt220"))
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [name for name in ALL if ALL[name][-1].rows or ALL[name][-1].fields])
def test_cursor_is_always_visible(name: str, size: tuple[int, int], terminal: str) -> None:
    screen = Screen(name, size, TERMINALS[terminal])
    sheets = [
        screen.draw(),
        *(screen.press("down") for _ in range(9)),
        screen.press("up"),
        screen.press("end"),
    ]
    for sheet in sheets:
        assert sheet.cursor is not None
        x, y = sheet.cursor
        assert 0 <= x < size[0] and 0 <= y < size[1]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", TRUTHFUL)
def test_every_word_can_be_reached(name: str, size: tuple[int, int]) -> None:
    seen = Screen(name, size).everything()
    view = ALL[name][-1]
    missing = [word for text in texts(view, size[0]) for word in text.split() if word not in seen]
    assert missing == []


@pytest.mark.parametrize("size", SIZES)
def test_run_is_one_line_and_visible_at_every_cursor_position(size: tuple[int, int]) -> None:
    """A run does not depend on the drives' columns, nor on scrolling."""
    screen = Screen("waiting", size)
    for sheet in (screen.draw(), screen.press("end"), screen.press("home")):
        lines = [line.text for line in sheet.lines]
        for name in ("sdc", "sdd"):
            assert any(f"!  {name}  done, not in use yet. Keep it?" in line for line in lines), lines
            (spot,) = (spot for spot in sheet.spots if spot.name == f"run:{name}")
            assert spot.width == size[0]
    assert screen.keyboard.state.cursor == "run:sdc" and screen.press("down").cursor is not None
    assert screen.keyboard.state.cursor == "run:sdd"


@pytest.mark.parametrize("terminal", ("console", "vt220"))
@pytest.mark.parametrize("name", TRUTHFUL)
def test_glyphs_are_those_of_the_font(name: str, terminal: str) -> None:
    glyphs = TERMINALS[terminal].glyphs
    for line in Screen(name, (80, 24), TERMINALS[terminal]).draw().lines:
        shown = translate(line.text, glyphs)
        assert cell_len(shown) == 80 and "?" not in shown.replace("?  help", "").replace("[?]", "").replace(
            "drive?", ""
        ).replace("it?", "").replace("undo?", "")


def test_untrusted_text_sends_no_control_sequence_to_the_terminal() -> None:
    for size in SIZES:
        everything = Screen("hostile", size).everything()
        assert "\x1b" not in everything and "\u202e" not in everything and "\ufe0f" not in everything


@pytest.mark.parametrize("size", ((59, 16), (60, 15), (10, 3), (1, 1)))
def test_too_small_screen_shows_one_sentence(size: tuple[int, int]) -> None:
    sheet = Screen("plan", size).draw()
    assert len(sheet.lines) == size[1]
    assert all(line.cell_length == size[0] for line in sheet.lines)
    assert not sheet.spots
    if size[0] > 50:
        said = " ".join(" ".join(line.text for line in sheet.lines).split())
        assert f"has {size[0]} columns and {size[1]} lines" in said
        assert "`diskwright --plain` works" in said


def test_step_cursor_and_losses_are_marked_without_colour() -> None:
    text = "\n".join(line.text for line in Screen("plan", (80, 24), TERMINALS["no colour"]).draw().lines)
    assert "<3 Plan>" in text
    assert "▌ media" in text
    assert "✗ films" in text


def test_dialog_overlays_a_dimmed_screen_if_colours_allow() -> None:
    many = "\n".join(line.text for line in Screen("menu", (80, 24)).draw().lines)
    few = "\n".join(line.text for line in Screen("menu", (80, 24), TERMINALS["console"]).draw().lines)
    assert "Fix alignment" in many and "1 Drives" in many
    assert "Fix alignment" in few and "1 Drives" not in few


def test_keys_of_paragraphs_are_in_one_column() -> None:
    sheet = Screen("drives", (80, 24)).draw()
    caps = {spot.name: spot for spot in sheet.spots if spot.kind == "action"}
    assert caps["fix"].x == caps["test"].x
    assert caps["fix"].y < caps["test"].y


@pytest.mark.parametrize("size", SIZES)
def test_key_follows_the_last_word_of_its_paragraph(size: tuple[int, int]) -> None:
    said = "Not known whether /dev/sdb is shingled (SMR): the drive does not say. " * 3
    keys = (ui.Action("test", "p", "test, about 40 s"),)
    view = ui.View("drives", ui.ScreenStep.DRIVES, "Drives", keys, above=(ui.para(said, hang=2, key="test"),))
    sheet = page(view, InputState(), look_of(TERMINALS["many"]), size)
    told = "".join(line.text for line in sheet.lines[1:])
    assert " ".join(f"{said} p test, about 40 s".split()) in " ".join(told.split())


@pytest.mark.parametrize("width", (20, 60, 110))
@pytest.mark.parametrize("sizes", ((1, 1, 1), (1, 1000), (5,), (0, 7), tuple(range(1, 40))))
def test_bar_has_its_maximum_width(width: int, sizes: tuple[int, ...]) -> None:
    stretches = [ui.Stretch(f"n{index}", size * 10**9) for index, size in enumerate(sizes)]
    cells = shares(stretches, width, 1)
    gap = 1 if len(sizes) * 4 <= width else 0
    assert sum(cells) + gap * (len(sizes) - 1) == width
    assert min(cells) >= 0


def test_lines_are_folded_at_spaces() -> None:
    look = look_of(TERMINALS["many"]).style("plain")
    parts = folded([("one two ", look), ("three", look)], 7, 5)
    assert ["".join(str(text) for text, _ in part) for part in parts] == ["one two", "three"]


def test_too_long_list_shows_the_number_of_hidden_rows() -> None:
    screen = Screen("crowded", (80, 24))
    assert any(" more" in line.text for line in screen.draw().lines)
    last = screen.press("end")
    assert any("partition-127" in line.text for line in last.lines)


def test_sample_views_match_their_purpose() -> None:
    assert MENU.over and REVIEW.fields and WORK.busy and PLAN.rows and CROWDED.panes and HOSTILE


def texts(view: ui.View, columns: int) -> Iterator[str]:
    """Return every text that must be visible."""
    yield str(view.title)
    if view.said:
        yield str(view.said.text)
    for block in view.above:
        yield from texts_of_block(block)
    for pane in view.panes:
        yield str(pane.title)
        for block in pane.blocks:
            yield from texts_of_block(block)
    for row in view.rows.rows if view.rows else ():
        for index, cell in enumerate(row.cells):
            shown = not view.rows or not view.rows.columns or view.rows.columns[index].least <= columns
            yield str(cell.text) if shown else ""
        yield from map(str, (*row.notes, row.why_not))
    for field in view.fields:
        yield str(field.caption)
        yield str(field.hint) if not field.value else ""


@pytest.mark.parametrize("step", list(ui.ScreenStep))
@pytest.mark.parametrize("about", ["DEMO  sde  500 GB  SSD", "12 drives, recorded in machine.json", ""])
def test_first_line_describes_the_drive_at_80_columns(step: ui.ScreenStep, about: str) -> None:
    view = ui.View("drives", step, "Drives", (), about)
    first = page(view, InputState(), look_of(TERMINALS["many"]), (80, 24)).lines[0].text
    assert first.rstrip().endswith(about) and "…" not in first
    assert cell_len(first) == 80 and f"{list(ui.ScreenStep).index(step) + 1} {step.value.title()}" in first
    # The other steps keep their names where nothing would be cut.
    assert about or all(one.value.title() in first for one in ui.ScreenStep)
