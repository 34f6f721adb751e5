"""The stacks as recorded machines, tests/machines/stacks/opened.json and closed.json, renewed by
--record-machines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tests.lab.visits.drives.portraits import MACHINES, PLACE
from tests.lab.visits.drives.stacks import JOBS
from tests.lab.visits.drives.stacks import VISITS as LOOKED_AT
from wizard.model.run import Check

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

STACK_MACHINES = MACHINES / "stacks"
NAMES = ("opened", "closed")


def _keep(lab: Laboratory) -> Iterator[Check]:
    """Copy the files for the unit tests, unless they reveal something about this machine."""
    from tests.lab.errands.record import traces

    STACK_MACHINES.mkdir(exist_ok=True)
    for name in NAMES:
        text = (lab.shared / PLACE.name / f"{name}.json").read_text(encoding="utf-8")
        found = traces(text)
        yield Check(f"stacks/{name}.json reveals nothing about this machine", not found, ", ".join(found))
        if not found:
            (STACK_MACHINES / f"{name}.json").write_text(text, encoding="utf-8")


VISITS = tuple(
    replace(visit, title=f"recorded machines: {visit.title}", afterwards=_keep) for visit in LOOKED_AT
)
"""Only run by `--record-machines`."""

__all__ = ["JOBS", "NAMES", "STACK_MACHINES", "VISITS"]
