"""Recorded machines: the lab's here and in stacks/, those made of loop devices by `python -m
tests.machines` in loops/."""

from pathlib import Path

from msgspec.structs import replace

from wizard.model.machine import Machine
from wizard.probe.machine import load_machine

FOLDER = Path(__file__).parent
LOOPS = FOLDER / "loops"


def recordings() -> tuple[Path, ...]:
    """Return all recorded machines."""
    return tuple(sorted(FOLDER.rglob("*.json")))


def name_of(path: Path) -> str:
    """Return the name of a recording: the file without suffix, with its folder if it has one."""
    return str(path.relative_to(FOLDER).with_suffix(""))


def installed(path: Path) -> Machine:
    """Return a recording as on an installed system. The lab's guests, which provide the environment of the
    drives, run from memory."""
    return replace(load_machine(path), live_medium=False)
