"""Recorded machines: the lab's beside this file and in stacks/, those made of loop devices by `python -m
tests.machines` in loops/."""

from dataclasses import replace
from pathlib import Path

from wizard.model.machine import Machine
from wizard.probe.machine import load_machine

FOLDER = Path(__file__).parent
LOOPS = FOLDER / "loops"


def recordings() -> tuple[Path, ...]:
    """Every recorded machine there is."""
    return tuple(sorted(FOLDER.rglob("*.json")))


def name_of(path: Path) -> str:
    """How a recording is called: its file without the ending, with its folder where it lies in one."""
    return str(path.relative_to(FOLDER).with_suffix(""))


def installed(path: Path) -> Machine:
    """A recording as it would be on an installed system, as most people have one. The lab's guests, of which
    what stands around the drives is, run from memory."""
    return replace(load_machine(path), live_medium=False)
