"""Recorded machines: the lab's beside this file and in stacks/, those made of loop devices by `python -m
tests.machines` in loops/."""

from pathlib import Path

FOLDER = Path(__file__).parent
LOOPS = FOLDER / "loops"


def recordings() -> tuple[Path, ...]:
    """Every recorded machine there is."""
    return tuple(sorted(FOLDER.rglob("*.json")))


def name_of(path: Path) -> str:
    """How a recording is called: its file without the ending, with its folder where it lies in one."""
    return str(path.relative_to(FOLDER).with_suffix(""))
