"""Writing a way to ext4 down for a rescue medium, where the filesystem is in use."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from wizard.layout.told.text import command_lines, wrapped
from wizard.migrate.carried_document import render_carried
from wizard.migrate.carry import carrying_steps
from wizard.migrate.told.ways import SUMMARIES, TITLES
from wizard.model.carried import Carried
from wizard.model.errors import DiskwrightError
from wizard.model.machine import Drive
from wizard.model.migration import Way
from wizard.model.names import printable
from wizard.plain.desk import Desk
from wizard.plain.questions import Choosing, Item, Topic, Word, choose
from wizard.plain.saving import save
from wizard.services.session import Moving

WAYS = (Way.FULL, Way.LIGHT)
HELP = (
    "The system that is in use cannot be changed below itself. From a rescue medium, such as a USB stick, it "
    "can.",
)


def carry(desk: Desk, drive: Drive, moving: Moving) -> None:
    """Ask for the way and a file, write it, and tell what is done with it; what stands against it is said."""
    items = tuple(Item(f"{TITLES[way]} ({way.value}).", (SUMMARIES[way],)) for way in WAYS)
    answer = choose(desk.talk, Choosing(Topic("Which way is to be carried?", HELP), items, 0))
    if isinstance(answer, Word):
        return
    try:
        carried = desk.services.carry_migration(drive, replace(moving, way=WAYS[answer]))
    except DiskwrightError as error:
        desk.talk.say(str(error))
        return
    path = save(desk.talk, "The plan", render_carried(carried), f"{Path(carried.device).name}-carry.json")
    if path is not None:
        desk.talk.show(_lines(carried, str(path), desk.talk.width))


def _lines(carried: Carried, file: str, width: int) -> Iterator[str]:
    yield from ("Nothing has been changed. What to do with the plan:", "")
    for number, (sentence, command) in enumerate(carrying_steps(carried, file), 1):
        yield from wrapped(f"{number}. {sentence}", width, hang=3)
        if command:
            yield from command_lines(command, width, indent=6)
    for doubt in carried.doubts:
        yield from wrapped(f"Good to know: {printable(doubt, 1000)}", width, hang=2)
    yield ""
