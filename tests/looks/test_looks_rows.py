"""The list of rows: only the marker moves with a key, and it is where it should be however often the width
changes."""

import pytest
from rich.text import Text
from textual.pilot import Pilot

from tests.looks.rehearsal import perform, press, ready, until
from wizard.services.session import Session
from wizard.tui.widgets.rows import Rows


def marked(rows: Rows) -> list[str]:
    return [line.split()[1] for line in rows.plain.splitlines() if line.startswith("> ")]


def test_a_key_moves_the_marker_and_lays_no_row_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    widths: list[int] = []
    lay_out = Rows.lay_out

    def counted(rows: Rows, width: int) -> list[Text]:
        widths.append(width)
        return lay_out(rows, width)

    async def job(pilot: Pilot[Session]) -> None:
        await ready(pilot)
        rows = pilot.app.screen.query_one(Rows)
        monkeypatch.setattr(Rows, "lay_out", counted)
        await press(pilot, "down", "down", "up", "end", "home", "down")
        assert widths == []
        shown = [text.plain for text in rows._lines]
        assert [line.split()[1] for line in shown if line.startswith("> ")] == ["/dev/sda"] == marked(rows)
        assert shown == [text.plain for text in lay_out(rows, rows._laid_out_for)]

    perform(job)


def test_the_marker_stays_with_its_row_through_a_resize() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await ready(pilot)
        rows = pilot.app.screen.query_one(Rows)
        await press(pilot, "down")
        for columns in (130, 70):
            await pilot.resize_terminal(columns, 24)
            await until(lambda columns=columns: rows.size.width > columns - 5, pilot)  # type: ignore[misc]
            await press(pilot, "down", "up")
            assert marked(rows) == ["/dev/sda"]
            assert [text.plain for text in rows._lines] == rows.plain.splitlines()

    perform(job)
