"""The visit that takes the text console's pictures in screenshots/."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tests.lab.visits.screens import console
from wizard.model.run import Check

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory


def _keep(lab: Laboratory) -> Iterator[Check]:
    from tests.lab.errands.record import keep_pictures

    return keep_pictures(lab.shared)


JOBS = console.JOBS

VISITS = tuple(
    replace(
        visit,
        title="for the pictures: the wizard on a text console",
        jobs=("photograph-on-console",),
        afterwards=_keep,
    )
    for visit in console.VISITS
)
"""Only run by `--photograph-console`."""
