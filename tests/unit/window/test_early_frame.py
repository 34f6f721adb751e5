"""The drives before Textual has loaded."""

from os import terminal_size

import pytest
from msgspec.structs import replace

from tests.unit.plain.telling import EVERYTHING, a_list
from wizard.plan.changes import RunDocument
from wizard.ui.desk import Desk, Screen
from wizard.ui.view import Pane, Values, View, para
from wizard.window.run import early_frame, shown_early
from wizard.window.terminal import CLEAR, FIRST, SECOND, Colours, Glyphs, Terminal

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


class Still(Desk):
    """A desk that shows one view."""

    def __init__(self, view: View) -> None:
        self.seen, self.found = view, {}

    @property
    def view(self) -> View:
        return self.seen

    def perform(self, screen: Screen, name: str, values: Values) -> None:
        raise AssertionError(name)

    def open_review(self, document: RunDocument) -> None:
        raise AssertionError(document)


def test_details_appear_as_soon_as_they_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    desk = Still(a_list("sda"))
    with shown_early(desk, QUICK, SIZE):
        desk.changed()
        first = capsys.readouterr().err
        desk.seen = replace(desk.seen, panes=(Pane("sda", (para("serial WD-1"),)),))
        desk.changed()
        second = capsys.readouterr().err
        late = desk.changed
    desk.seen = a_list("sdb")
    late()
    assert first.count("sda") == 1 and "WD-1" not in first
    assert second.startswith(CLEAR) and "sda" in second and "serial WD-1" in second
    assert not capsys.readouterr().err, "Textual draws now"


def test_failure_returns_to_the_previous_screen(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), shown_early(Still(EVERYTHING), QUICK, SIZE):
        raise KeyboardInterrupt
    said = capsys.readouterr().err
    assert said.startswith(SECOND) and said.endswith(FIRST) and "first  1.0 TB" in said


def test_slow_line_gets_no_early_frame(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_early(Still(EVERYTHING), Terminal(Glyphs.ASCII, Colours.NONE, slow=True), SIZE):
        pass
    assert not capsys.readouterr().err
