"""Swap: turning it on, and what the kernel swaps to."""

import os
import re
from pathlib import Path

from wizard.apply.steps.step_context import Site
from wizard.layout.steps.commands import commands_of
from wizard.model.errors import Failed
from wizard.model.plan import TurnOnSwap
from wizard.model.said import Said, t

SWAPS = Path("/proc/swaps")


def parse_swaps(text: str) -> tuple[str, ...]:
    """The paths that the kernel swaps to, of /proc/swaps (proc(5)): a heading, then one line for each."""
    names = [line.split()[0] for line in text.splitlines()[1:] if line.split()]
    return tuple(re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), name) for name in names)


def is_swap(operation: TurnOnSwap) -> bool:
    """Whether the kernel swaps to the device. One that was built without swap has no list of it."""
    text = SWAPS.read_text(errors="replace") if SWAPS.exists() else ""
    return os.path.realpath(operation.device) in map(os.path.realpath, parse_swaps(text))


def swap_differences(operation: TurnOnSwap) -> tuple[Said, ...]:
    """A piece of a sentence where the kernel does not swap to the device."""
    return () if is_swap(operation) else (t("the kernel does not list it as swap"),)


def turn_on(operation: TurnOnSwap, site: Site) -> Said:
    """Have the kernel swap to the device, and see that it lists it. Repeatable: what is on stays on. Raises
    Failed."""
    if not is_swap(operation):
        for argv in commands_of(operation):
            site.command(argv)
    if differences := swap_differences(operation):
        raise Failed(
            t(
                "{device} is not in use as planned: {differences:semicolons}.",
                device=operation.device,
                differences=differences,
            )
        )
    return t("The kernel swaps to {device}.", device=operation.device)
