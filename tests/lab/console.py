"""Job: the wizard on the kernel's own text console, by keys, from the list of drives to the last question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.lab.fleet import Bus, EmulatedDrive, Fleet
from tests.lab.inside import node_of
from tests.lab.pictured import BACKUP, FILMS, NATIVE
from tests.lab.screen import Console, is_whole, unfit
from tests.lab.visit import Visit
from wizard.demo.image import lay_out
from wizard.model.errors import ExitCode
from wizard.model.journal import Check

if TYPE_CHECKING:
    from tests.lab.machine import Laboratory

LAPTOP = EmulatedDrive(
    "laptop",
    Bus.SATA,
    serial="63K4T1ABS",
    model="TOSHIBA MQ01ABD032",
    wwn=0x50000395A1B2C3D4,
    rotation_rate=5400,
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=320_072_933_376,
)
"""512e, and laid out as if its blocks were of 512 bytes."""

PHOTOS = replace(BACKUP, label="Fotky č. 2")
"""Named with a letter that the console's font does not have."""

CONSOLE_FLEET = Fleet("console", (LAPTOP, NATIVE))
SIZE = (80, 25)
DRIVES = "Step 1 of 9"
PLACE = "/srv/films"
SHOWN = 5
"""So many cells are named that cannot be seen as they were meant."""


def ask(fleet: Fleet) -> Iterator[Check]:
    """To the last question, which is not answered; at each step, whether the console shows what was
    written."""
    drive = fleet[LAPTOP.name]
    with Console() as console:
        yield from to_the_last_question(console, drive)
        console.press("tab", then=lambda: not console.seen.is_lit("Token"))
        console.press("q", then="End the wizard?")
        console.press("y")
        yield ends(console, ExitCode.ENDED_BY_USER)
        yield Check("it leaves an empty screen behind", not console.text.strip(), console.text)


def ends(console: Console, code: ExitCode) -> Check:
    """Whether the wizard ends with this code."""
    status = console.ended()
    return Check(f"the wizard ends with {code.value}", status == code.value, str(status))


def to_the_last_question(console: Console, drive: EmulatedDrive) -> Iterator[Check]:
    """With the drive's token typed, and nothing pressed behind it."""
    yield from _choose(console, node_of(drive))
    yield from _lay_out(console)
    console.press("tab", then=lambda: console.seen.is_lit("Token"))
    console.press(f"={drive.serial}", then=f"[{drive.serial}")
    yield from look(console, "confirm", 7)


def _choose(console: Console, node: str) -> Iterator[Check]:
    console.until(lambda: f" > {node} " in console.text and "reading .." not in console.text)
    yield Check("the console has 80 columns and 25 lines", console.seen.size == SIZE, str(console.seen.size))
    yield Check(
        "a letter that its font lacks has one in its place", '"Fotky c. 2"' in console.text, console.text
    )
    yield from look(console, "drives", 1)
    console.press("f1", then="Help: Drives")
    yield from look(console, "help")
    console.press("escape", then=DRIVES)
    console.press("g", then="Search: [")
    yield from look(console, "glossary")
    console.press("escape", then=DRIVES)
    console.press("e", then=f"Findings: {node}")
    yield from look(console, "reasons")
    console.press("escape", then=DRIVES)
    console.press("enter", then="Step 2 of 9")
    console.press("down", then="> Large media files")
    yield from look(console, "purpose", 2)
    console.press("enter", then="Step 3 of 9")
    yield from look(console, "advice", 3)
    console.press("enter", then="Step 4 of 9")


def _lay_out(console: Console) -> Iterator[Check]:
    console.press("tab", "tab", then=lambda: console.seen.is_lit("Use the free space"))
    console.press("up", then="(*) Replace everything")
    console.press("e", then="This volume")
    console.press("down", then=lambda: console.seen.is_lit("Label"))
    console.press("=films", "down", then=lambda: console.seen.is_lit("Mount point"))
    # A place is proposed: it goes first.
    console.press("ctrl+u", f"={PLACE}", then=f"[{PLACE}")
    yield from look(console, "volume")
    console.press("enter", then=lambda: "This volume" not in console.text and PLACE in console.text)
    yield from look(console, "layout", 4)
    console.press("enter", then="Step 5 of 9")
    yield from look(console, "preview", 5)
    console.press("enter", then="Step 6 of 9")
    yield from look(console, "benchmark", 6)
    console.press("enter", then="Step 7 of 9")


def look(console: Console, name: str, step: int | None = None) -> Iterator[Check]:
    """Whether the console shows what was written, and at a step all of it."""
    if console.camera:
        console.photograph(name)
    screen = console.seen
    wrong = [*unfit(screen, console.font)]
    yield Check(f"{name}: the console's font has all that is shown", not wrong, "; ".join(wrong[:SHOWN]))
    if step is not None:
        yield Check(
            f"{name}: the head is on the first line, the keys on the last",
            is_whole(screen, step),
            screen.text,
        )


def _lay_out_past(lab: Laboratory) -> None:
    """As somebody left the drive years ago."""
    lay_out(lab.image(LAPTOP.name), "gpt", (FILMS, PHOTOS))


JOBS = {"ask-on-console": ask}

VISITS = (
    Visit(
        "the wizard on a text console: by keys to the last question, all of it in the console's font",
        CONSOLE_FLEET,
        ("ask-on-console",),
        seconds=400,
        udev=False,
        screen=True,
        prepare=_lay_out_past,
    ),
)
