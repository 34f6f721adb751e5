"""Reading a guest's text console, and detecting invisible content. Needs no guest."""

import struct

import pytest

from tests.lab.errands.record import ON_CONSOLE, SCREENSHOTS
from tests.lab.guest.screen import Cell, Seen, is_whole, key_name, seen, unfit

PICTURES = (
    "drives",
    "actions",
    "purpose",
    "plan",
    "volume",
    "review",
    "commands",
    "work",
    "waiting",
    "result",
)

GREY, BLACK, CYAN = 7, 0, 3
FONT = {"a": {97}, " ": {32, 0}, "\u2192": {26}}
"""As code page 437 has them; the replacement is an upside-down question mark."""
REPLACED = 168


def of(*cells: Cell) -> Seen:
    return Seen((cells,))


def test_screen_is_read_line_by_line() -> None:
    held = bytes((2, 3, 1, 0)) + b"".join(
        struct.pack("BB", glyph, GREY | CYAN << 4) for glyph in b"ab\x1ade "
    )
    screen = seen(held, struct.pack("=6I", *map(ord, "ab\u2192de ")))
    assert (screen.size, screen.text) == ((3, 2), "ab\u2192\nde ")
    assert screen.lines[0][2] == Cell("\u2192", 26, GREY, CYAN)


def test_glyphs_of_the_font_are_visible() -> None:
    cells = (
        Cell("a", 97, GREY, BLACK),
        Cell("\u2192", 26, BLACK, CYAN),
        Cell(" ", 0, GREY, BLACK),
        Cell(" ", 32, CYAN, CYAN),
    )
    assert [*unfit(of(*cells), FONT)] == []


def test_missing_glyph_is_reported_with_its_position() -> None:
    (said,) = unfit(of(Cell("a", 97, GREY, BLACK), Cell("\u2026", REPLACED, GREY, BLACK)), FONT)
    assert said.startswith("line 1, column 2: '\u2026' is shown as glyph 168")


def test_wrong_glyph_is_reported() -> None:
    assert len([*unfit(of(Cell("\u2192", REPLACED, GREY, BLACK)), FONT)]) == 1


def test_text_in_the_background_colour_is_invisible() -> None:
    (said,) = unfit(of(Cell("a", 97, CYAN, CYAN)), FONT)
    assert "the colour of its ground" in said


def lines(*texts: str) -> Seen:
    return Seen(tuple(tuple(Cell(char, ord(char), GREY, BLACK) for char in text.ljust(80)) for text in texts))


def test_scrolled_screen_is_incomplete() -> None:
    head = " diskwright   \u25a0 Drives  2 Purpose  3 Plan  4 Review  5 Work"
    text, keys = " What is it for?", " [b] back  [q] quit"
    assert is_whole(lines(head, text, keys), 2)
    assert is_whole(lines(head, text, " [Alt+q] quit"), 2), "where letters are typed"
    assert not is_whole(lines(head, text, keys), 3)
    assert not is_whole(lines(text, keys, ""), 2), "one line up"
    assert not is_whole(lines(head, text, ""), 2), "its keys are gone"


def test_highlighted_line_has_the_focus() -> None:
    screen = Seen(
        (
            (Cell("a", 97, GREY, BLACK), Cell(" ", 32, GREY, GREY)),
            (Cell("b", 98, GREY, BLACK), Cell(" ", 32, GREY, BLACK)),
        )
    )
    assert (screen.is_lit("a"), screen.is_lit("b")) == (True, False)


def test_keys_have_the_names_of_a_keyboard() -> None:
    names = [key_name(key) for key in ("enter", "tab", "f1", "/", "k", "K", "4")]
    assert names == ["ret", "tab", "f1", "slash", "k", "shift+k", "4"]


@pytest.mark.parametrize("picture", PICTURES)
def test_pictures_of_every_step_have_25_lines_of_80_characters(picture: str) -> None:
    """Each character has 9 by 16 dots, as on VGA."""
    head = (SCREENSHOTS / f"{ON_CONSOLE}{picture}.png").read_bytes()[:24]
    assert head.startswith(b"\x89PNG\r\n\x1a\n") and struct.unpack(">II", head[16:]) == (80 * 9, 25 * 16)
