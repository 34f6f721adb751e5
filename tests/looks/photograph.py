"""Takes the pictures in screenshots/ of the run in tests/looks/recorded: python -m tests.looks.photograph
[--check]

With --check nothing is written, and the exit code is 1 where a picture is missing or is not what the program
shows today.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from unittest.mock import patch

from textual.pilot import Pilot

from tests.looks.performance import OutOfDate, Performance, perform
from tests.looks.performance_moving import MovingPerformance, perform_moving
from tests.looks.pictures import Take, plain_svg
from tests.looks.rehearsal import CONSOLE, MODERN, wizard
from wizard.documents.profiles import BUNDLED
from wizard.services.recorded import RecordedServices
from wizard.services.session import Session
from wizard.tui.console.terminal import Terminal

FOLDER = Path(__file__).resolve().parents[2] / "screenshots"
WIDE = (120, 36)
"""Columns and lines where there is room for two columns of text."""

SMALL = (80, 24)
Walk = Callable[[Pilot[Session], Take], Awaitable[None]]


def photographs() -> dict[str, str]:
    """File names and contents of every step, wide, and small as on a text console with its eight colours.

    Raises OutOfDate where the recording is not of today's program.
    """
    # What a person's own profiles and wishes for colours would change has no place in the pictures.
    with patch("wizard.documents.profiles.profile_folders", return_value=(BUNDLED,)), patch.dict(os.environ):
        os.environ.pop("NO_COLOR", None)
        wide, small = asyncio.run(performed(*WIDE, MODERN)), asyncio.run(performed(*SMALL, CONSOLE))
    columns, lines = SMALL
    return {f"{name}.svg": svg for name, svg in wide.items()} | {
        f"{name}-{columns}x{lines}.svg": svg for name, svg in small.items()
    }


async def performed(columns: int, lines: int, terminal: Terminal) -> dict[str, str]:
    """Name and content of every picture of both performances."""
    services, moving = Performance(), MovingPerformance()
    taken = await _taken(
        columns, lines, terminal, services, lambda pilot, take: perform(pilot, take, services)
    )
    return taken | await _taken(
        columns, lines, terminal, moving, lambda pilot, take: perform_moving(pilot, take, moving)
    )


async def _taken(
    columns: int, lines: int, terminal: Terminal, services: RecordedServices, walk: Walk
) -> dict[str, str]:
    taken: dict[str, str] = {}
    app = wizard(services, terminal)
    async with app.run_test(size=(columns, lines)) as pilot:

        async def take(name: str) -> None:
            await pilot.pause()
            taken[name] = plain_svg(app.export_screenshot(title="diskwright"))

        await walk(pilot, take)
    return taken


def main(arguments: list[str]) -> int:
    """Write the pictures, or compare them."""
    try:
        taken = photographs()
    except OutOfDate as reason:
        print(f"{reason}\n0 passed, 1 failed")
        return 1
    kept = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.svg"))}
    wrong = sorted(name for name in taken.keys() | kept.keys() if taken.get(name) != kept.get(name))
    if arguments == ["--check"]:
        for name in wrong:
            print(f"screenshots/{name} is out of date; python -m tests.looks.photograph takes it anew.")
        print(f"{len(taken.keys() | kept.keys()) - len(wrong)} passed, {len(wrong)} failed")
        return 1 if wrong else 0
    FOLDER.mkdir(exist_ok=True)
    for name in wrong:
        if name in taken:
            (FOLDER / name).write_text(taken[name], encoding="utf-8")
        else:
            (FOLDER / name).unlink()
    print(
        f"{len(taken.keys() & set(wrong))} of {len(taken)} pictures were taken anew, "
        f"{len(set(wrong) - taken.keys())} removed."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
