"""The first screen of the wizard on every recorded machine: it opens at 80x24, and nothing of it lies beyond
the right edge."""

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from tests.looks.rehearsal import perform, press, shown, step, until
from tests.machines import name_of, recordings
from wizard.probe.recorded import load_machine
from wizard.services.recorded import RecordedServices
from wizard.services.session import Session
from wizard.tui.widgets.rows import Rows

FILES = {name_of(path): path for path in recordings()}


def beyond(pilot: Pilot[Session]) -> list[str]:
    """The widgets of which a part can only be seen by scrolling sideways."""
    return [
        repr(widget)
        for widget in pilot.app.screen.query("*")
        if widget.size and (widget.max_scroll_x or widget.virtual_size.width > 80)
    ]


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_first_screen_shows_the_drives_and_needs_no_scrolling_sideways(name: str) -> None:
    machine = load_machine(FILES[name])

    async def job(pilot: Pilot[Session]) -> None:
        await step(pilot, 1)
        await until(lambda: "reading .." not in shown(pilot), pilot)
        rows = pilot.app.screen.query_one("#drives", Rows)
        if machine.drives:
            await until(lambda: f"> {machine.drives[0].path}" in shown(pilot), pilot)
        assert len(rows.rows) == len(machine.drives)
        for _ in machine.drives:
            assert all(cell_len(line) <= 80 for line in shown(pilot).splitlines())
            assert not beyond(pilot)
            await press(pilot, "down")
        if machine.drives:
            assert f"> {machine.drives[-1].path}" in shown(pilot)
        assert pilot.app.is_running

    perform(job, RecordedServices(machine, name))
