"""Names of the drives before Textual has loaded."""

from os import terminal_size

import pytest

from tests.unit.plain.telling import EVERYTHING, a_list
from wizard.window.run import early_frame, names_first
from wizard.window.terminal import FIRST, SECOND, Colours, Glyphs, Terminal

SIZE = terminal_size((60, 16))
QUICK = Terminal(Glyphs.ALL, Colours.ANY)


def test_early_frame_names_every_row_that_fits() -> None:
    lines = early_frame(a_list(*(f"sd{number}" for number in range(40))), Glyphs.ALL, SIZE).split("\r\n")
    assert lines[:5] == [" diskwright", "", "  A list", "  sd0", "  sd1"]
    assert len(lines) == 15


def test_row_text_stays_in_its_line_and_is_escaped() -> None:
    text = early_frame(a_list("x\x1b[2J\n" * 40), Glyphs.ALL, SIZE)
    assert "\x1b" not in text and len(text.split("\r\n")) == 4
    assert all(len(line) < 60 for line in text.split("\r\n"))


def test_console_gets_no_glyph_missing_in_its_font() -> None:
    assert early_frame(a_list("größer"), Glyphs.CONSOLE, SIZE).endswith("gr??er")


def test_failure_returns_to_the_previous_screen(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), names_first(EVERYTHING, QUICK, SIZE):
        raise KeyboardInterrupt
    said = capsys.readouterr().err
    assert said.startswith(SECOND) and said.endswith(FIRST) and "first  1.0 TB" in said


def test_slow_line_gets_no_early_frame(capsys: pytest.CaptureFixture[str]) -> None:
    with names_first(EVERYTHING, Terminal(Glyphs.ASCII, Colours.NONE, slow=True), SIZE):
        pass
    assert not capsys.readouterr().err
