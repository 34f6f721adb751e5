"""`python -m tests.looks.photograph [--check]`: take the pictures in screenshots/ of the run in
tests/looks/recorded, and docs/walk.svg of the walk in tests/looks/recorded_walk.

With --check, write nothing and exit with 1 if a picture is missing or outdated.
"""

import asyncio
import os
import sys
from pathlib import Path
from unittest.mock import patch

from tests.looks.performed.performance import OutOfDate, Performance, perform
from tests.looks.performed.performance_moving import MovingPerformance, perform_moving
from tests.looks.pictures import PUBLISHED, pictured
from tests.looks.recording import film
from tests.looks.rehearsal import CONSOLE, MODERN, MONO
from wizard.documents.profiles import BUNDLED
from wizard.window.terminal import Terminal

FOLDER = Path(__file__).resolve().parents[2] / "screenshots"
KINDS: tuple[tuple[str, tuple[int, int], Terminal], ...] = (
    ("", (120, 36), MODERN),
    ("-80x24", (80, 24), MODERN),
    ("-console", (80, 24), CONSOLE),
    ("-mono", (80, 24), MONO),
)
"""What is put behind a name, columns and lines, and what the terminal can show."""


def photographs() -> dict[str, str]:
    """Return file names and contents of every published picture: wide, small, on a text console with eight
    colours, and without colours.

    Raises OutOfDate if the recording is outdated.
    """
    # What a person's own profiles and wishes for colours would change has no place in the pictures.
    found: dict[str, str] = {}
    with patch("wizard.documents.profiles.profile_folders", return_value=(BUNDLED,)), patch.dict(os.environ):
        os.environ.pop("NO_COLOR", None)
        for ending, size, terminal in KINDS:
            taken = asyncio.run(performed(size, terminal))
            found |= {f"{name}{ending}.svg": taken[name] for name in PUBLISHED}
    return found


async def performed(size: tuple[int, int], terminal: Terminal) -> dict[str, str]:
    """Return name and content of every picture of both replays."""
    services, moving = Performance(), MovingPerformance()
    taken = await pictured(services, size, terminal, lambda pilot, take: perform(pilot, take, services))
    return taken | await pictured(
        moving, size, terminal, lambda pilot, take: perform_moving(pilot, take, moving)
    )


def main(arguments: list[str]) -> int:
    """Write or compare the pictures."""
    late = film.main(arguments)
    try:
        taken = photographs()
    except OutOfDate as reason:
        print(f"{reason}\n{1 - late} passed, {1 + late} failed")
        return 1
    kept = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.svg"))}
    wrong = sorted(name for name in taken.keys() | kept.keys() if taken.get(name) != kept.get(name))
    if arguments == ["--check"]:
        for name in wrong:
            print(f"screenshots/{name} is out of date; python -m tests.looks.photograph takes it anew.")
        right = len(taken.keys() | kept.keys()) - len(wrong) + 1 - late
        print(f"{right} passed, {len(wrong) + late} failed")
        return 1 if wrong or late else 0
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
    return late


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
