"""Definition of a visit to a guest, and how the lab finds visits and jobs: `VISITS` and `JOBS` of each
module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, cast

from msgspec import Struct

from tests.lab.drives.fleet import Fleet
from wizard.model.run import Check

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

FOLDERS = {
    "whole_path": "visits.whole",
    "look": "visits.drives",
    "hotplug": "visits.screens",
    "console": "visits.screens",
    "plugged": "visits.screens",
    "failing": "visits.drives",
    "silent": "visits.drives",
    "verdicts": "visits.measured",
    "ladder": "visits.drives",
    "zoned": "visits.drives",
    "stacks": "visits.drives",
    "attack_stripes": "visits.layers",
    "ensured": "visits.whole",
    "ensured_encrypted": "visits.layers",
    "ensured_layers": "visits.layers",
    "encrypted": "visits.layers",
    "released": "visits.layers",
    "volumegroup": "visits.layers",
    "barred": "visits.layers",
    "grown": "visits.whole",
    "cliff": "visits.drives",
    "displaced": "visits.drives",
    "study": "restudy",
    "trials": "restudy",
    "stripes": "visits.layers",
    "mirrors": "visits.layers",
    "kept_arrays": "visits.layers",
    "rebooted": "visits.layers",
    "cut_off": "visits.migrate",
    "transactions": "visits.migrate",
    "unseen": "visits.drives",
    "erring": "visits.migrate",
    "moved": "visits.move",
    "movecuts": "power",
    "spoiled": "visits.move",
    "booting.visits": "visits",
    "realigned": "visits.measured",
    "powercuts": "power",
    "applycuts": "power",
    "equal": "visits.whole",
    "migrations": "visits.migrate",
    "migrated_volumes": "visits.migrate",
    "migrated_system": "visits.migrate",
    "migrating_led": "visits.migrate",
    "purposes": "visits.whole",
    "terabyte": "visits.measured",
}
"""The modules with VISITS, in the order in which the lab goes through them: each by its short name, with its
folder in tests/lab."""

OTHER_FOLDERS = {
    "measure": "visits.measured",
    "performed": "visits.whole",
    "photographed": "visits.screens",
    "portraits": "visits.drives",
    "stack_portraits": "visits.drives",
}
"""Those with jobs for other visits, and with visits that are paid only when they are named."""

MODULES = tuple(FOLDERS)

EVERY_DAY = ("console",)
"""Those that are due on every day, because they notice stale pictures."""

JOB_MODULES = (*MODULES, "measure", "performed", "portraits")
"""Those with JOBS."""

PORTRAITS = ("portraits", "stack_portraits")
"""Those with VISITS that record machines."""

Job = Callable[[Fleet], Iterator[Check]]


class Visit(Struct, frozen=True):
    """One boot: jobs in order, and a time limit in seconds, several times the usual duration.

    Consecutive visits with the same fleet share its drives and find each other's data. `prepare` is called
    before the boot and `afterwards` after it (its checks count), both outside the guest. `alone`: it measures
    time, so this machine does nothing else meanwhile. `full_only`: run with `--full` only. `busy`: this
    machine runs other work meanwhile. `screen`: the guest has a text console.
    """

    title: str
    fleet: Fleet
    jobs: tuple[str, ...]
    seconds: float
    udev: bool
    alone: bool = False
    keeps_every_byte: bool = False
    full_only: bool = False
    busy: bool = False
    screen: bool = False
    prepare: Callable[[Laboratory], None] | None = None
    afterwards: Callable[[Laboratory], Iterable[Check]] | None = None


class VisitModule(Protocol):
    """A module with visits."""

    VISITS: tuple[Visit, ...]


class JobModule(Protocol):
    """A module with jobs."""

    JOBS: dict[str, Job]


def visits(module: str) -> tuple[Visit, ...]:
    """Return the visits of a module by its short name."""
    return cast(VisitModule, _imported(module)).VISITS


def find_job(name: str, module: str) -> Job:
    """Return a job by name, from `module` or another. Raises KeyError if unknown. Imports only what is
    necessary, since a guest is slow."""
    for candidate in dict.fromkeys((module, *JOB_MODULES)):
        jobs = cast(JobModule, _imported(candidate)).JOBS
        if name in jobs:
            return jobs[name]
    raise KeyError(name)


def _imported(module: str) -> ModuleType:
    folder = FOLDERS.get(module) or OTHER_FOLDERS[module]
    return import_module(f"tests.lab.{folder}.{module}")
