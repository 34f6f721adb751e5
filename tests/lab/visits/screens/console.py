"""Job: the wizard on the kernel's text console, by keys, from the list of drives to the mounted filesystem.

Each screen is compared with the text of its picture in screenshots/, so that a stale picture fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tests.lab.drives.fleet import Bus, EmulatedDrive, Fleet
from tests.lab.drives.pictured import BACKUP, FILMS, NATIVE
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SLOW, node_of, shown
from tests.lab.guest.screen import CONSOLE_TEXTS, Console, is_whole, unfit
from wizard.demo.image import lay_out
from wizard.model.errors import ExitCode, partition_path
from wizard.model.run import Check
from wizard.process.program import run
from wizard.ui.screens.review import ENOUGH

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

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
"""512e, partitioned for blocks of 512 bytes."""

PHOTOS = replace(BACKUP, label="Fotky č. 2")
"""The label has a letter missing in the console's font."""

CONSOLE_FLEET = Fleet("console", (LAPTOP, NATIVE))
SIZE = (80, 25)
PLACE = "/srv/films"
PURPOSE, WHAT, END = "What will you store?", "What will be done", "End the wizard?"
RUNNING = "work"
"""The screen of a run in progress. Its text differs from run to run."""
MAX_SHOWN = 5


def set_up(fleet: Fleet, *, camera: bool = False) -> Iterator[Check]:
    """Set the drive up, to the mounted filesystem, and check the console at each step. `camera`: take the
    pictures as well."""
    drive = fleet[LAPTOP.name]
    with Console(camera=camera) as console:
        yield from _to_the_last_question(console, drive)
        console.press("alt+q", then=END)
        console.press("escape", then=WHAT)
        console.press("enter")
        console.until(lambda: "Steps" in console.text and "[x]" in console.text, rest=False)
        yield from _pictured(console, RUNNING, 5)
        console.until("Done, not in use yet")
        yield from _pictured(console, "waiting", 5)
        console.press("K", then="Keep the result on")
        yield from _pictured(console, "keep")
        console.press("y", then="Kept")
        yield from _pictured(console, "result", 5)
        console.press("enter", then=f"mounted at {PLACE}")
        console.press("q")
        yield ends(console, ExitCode.DONE)
        yield Check("the wizard leaves an empty screen", not console.text.strip(), console.text)
    mounted = run(
        ["findmnt", "-n", "-o", "FSTYPE,SOURCE", PLACE], seconds=SLOW, accept=range(256)
    ).output.split()
    yield Check(
        "the planned filesystem is mounted",
        mounted == ["xfs", partition_path(node_of(drive), 1)],
        shown(mounted),
    )


def ends(console: Console, code: ExitCode) -> Check:
    """Check the wizard's exit code."""
    status = console.ended()
    return Check(f"the wizard exits with {code.value}", status == code.value, str(status))


def short(node: str) -> str:
    """Return the wizard's name for a device."""
    return node.removeprefix("/dev/")


def is_read(console: Console, node: str) -> bool:
    """Return True if the cursor is on a drive, and all drives have been read."""
    return f"> {short(node)} " in console.text and "reading .." not in console.text


def flat(console: Console) -> str:
    """Return the console's text in one line."""
    return " ".join(console.text.split())


def _to_the_last_question(console: Console, drive: EmulatedDrive) -> Iterator[Check]:
    """Go to the last question, with the end of the serial number typed, and not confirmed."""
    yield from _choose(console, node_of(drive))
    yield from _plan(console)
    yield from _pictured(console, "plan", 3)
    console.press("enter", then=lambda: WHAT in console.text and "Rehearsing on" not in flat(console))
    console.press("f3", then="Destroys:")
    yield from _pictured(console, "commands", 4)
    console.press("escape", then=WHAT)
    end = drive.serial[-ENOUGH:]
    console.press(f"={end}", then=f"[{end}")
    yield from _pictured(console, "review", 4)


def _choose(console: Console, node: str) -> Iterator[Check]:
    console.until(lambda: is_read(console, node))
    yield Check("the console has 80 columns and 25 lines", console.seen.size == SIZE, str(console.seen.size))
    yield from _pictured(console, "drives", 1)
    console.press("right", then=f"> {short(node)} ")
    yield Check("a letter missing in the font is replaced", "Fotky c. 2" in console.text, console.text)
    yield from _pictured(console, "partitions", 1)
    console.press("left")
    for key, name, words in (
        ("f1", "help", "Keys"),
        ("f2", "words", "Glossary"),
        ("w", "reasons", "Why:"),
        ("enter", "actions", "Test speed"),
    ):
        console.press(key, then=words)
        yield from _pictured(console, name, None if name == "actions" else 1)
        console.press("escape", then=lambda: is_read(console, node))
    console.press("s", then=PURPOSE)
    yield from _pictured(console, "purpose", 2)
    console.press("enter", then="Volumes")


def _plan(console: Console) -> Iterator[Check]:
    console.press("x", then="will be deleted")
    for key, name, words in (("f", "filesystem", "cannot"), ("o", "options", "noatime")):
        console.press(key, then=words)
        yield from _pictured(console, name, 3)
        console.press("escape", then="will be deleted")
    console.press("e", then="> Purpose")
    console.press("down", "down", "down", then="> Label")
    # Clear the proposed mount point first.
    console.press("=films", "down", then="> Mount point")
    console.press("ctrl+u", f"={PLACE}", then=f"[{PLACE}")
    yield from _pictured(console, "volume", 3)
    console.press("enter", then="will be deleted")


def look(console: Console, name: str, step: int | None = None) -> Iterator[Check]:
    """Check that the console shows the written text, and at a step all of it."""
    screen = console.seen
    wrong = [*unfit(screen, console.font)]
    yield Check(f"{name}: the font has every character", not wrong, "; ".join(wrong[:MAX_SHOWN]))
    if step is not None:
        yield Check(
            f"{name}: the header is on the first line, the keys on the last",
            is_whole(screen, step),
            screen.text,
        )


def _pictured(console: Console, name: str, step: int | None = None) -> Iterator[Check]:
    """Take the picture of a screen, or compare the screen with it."""
    yield from look(console, name, step)
    if console.camera:
        console.photograph(name)
    elif name != RUNNING:
        pictured = (CONSOLE_TEXTS / f"{name}.txt").read_text(encoding="utf-8")
        differing = _words(pictured) ^ _words(console.text)
        yield Check(
            f"{name}: the picture shows today's screen (renew it with --photograph-console)",
            not differing,
            " ".join(sorted(differing)),
        )


def _words(text: str) -> set[str]:
    """Return the words of a screen. Numbers, sizes and device names differ from run to run."""
    return {word.strip("[](){}.,:;") for word in text.split() if not any(map(str.isdigit, word))}


def _lay_out_past(lab: Laboratory) -> None:
    """Prepare the drive as left by earlier use."""
    lay_out(lab.image(LAPTOP.name), "gpt", (FILMS, PHOTOS))


JOBS = {"set-up-on-console": set_up, "photograph-on-console": partial(set_up, camera=True)}

VISITS = (
    Visit(
        "wizard on a text console: by keys to the mounted filesystem, in the console's font",
        CONSOLE_FLEET,
        ("set-up-on-console",),
        seconds=1500,
        udev=False,
        screen=True,
        prepare=_lay_out_past,
    ),
)
