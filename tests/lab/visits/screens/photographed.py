"""Job: the wizard on the text console up to the mounted filesystem, for the pictures in screenshots/."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tests.lab.drives.fleet import Fleet
from tests.lab.guest.inside import SLOW, node_of, shown
from tests.lab.guest.screen import Console
from tests.lab.visits.screens import console
from tests.lab.visits.screens.console import LAPTOP, PLACE, ends, look, to_the_last_question
from wizard.model.errors import ExitCode, partition_path
from wizard.model.run import Check
from wizard.process.program import run

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory


def set_up(fleet: Fleet) -> Iterator[Check]:
    """Set the drive up, to the mounted filesystem."""
    drive = fleet[LAPTOP.name]
    with Console(camera=True) as console:
        yield from to_the_last_question(console, drive)
        console.press("enter")
        console.until(lambda: "Steps" in console.text and "[x]" in console.text, rest=False)
        yield from look(console, "work", 5)
        console.until("Done, not in use yet")
        yield from look(console, "waiting", 5)
        console.press("K", then="Keep the result on")
        yield from look(console, "keep")
        console.press("y", then="Kept")
        yield from look(console, "result", 5)
        console.press("enter", then=f"mounted at {PLACE}")
        console.press("q")
        yield ends(console, ExitCode.DONE)
    mounted = run(
        ["findmnt", "-n", "-o", "FSTYPE,SOURCE", PLACE], seconds=SLOW, accept=range(256)
    ).output.split()
    yield Check(
        "the planned filesystem is mounted",
        mounted == ["xfs", partition_path(node_of(drive), 1)],
        shown(mounted),
    )


def _keep(lab: Laboratory) -> Iterator[Check]:
    from tests.lab.errands.record import keep_pictures

    return keep_pictures(lab.shared)


JOBS = {"set-up-on-console": set_up}

VISITS = tuple(
    replace(
        visit,
        title="for the pictures: the wizard on a text console",
        jobs=(*JOBS,),
        seconds=1500,
        afterwards=_keep,
    )
    for visit in console.VISITS
)
"""Only run by `--photograph-console`."""
