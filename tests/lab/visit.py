"""What a visit to a guest is, and where the lab finds its visits and jobs. Each job's module has its own, as
`VISITS` and `JOBS`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from tests.lab.fleet import Fleet
from wizard.model.journal import Check

if TYPE_CHECKING:
    from tests.lab.machine import Laboratory

MODULES = (
    "whole_path",
    "look",
    "hotplug",
    "console",
    "plugged",
    "failing",
    "silent",
    "verdicts",
    "ladder",
    "zoned",
    "stacks",
    "attack_stripes",
    "ensured",
    "ensured_encrypted",
    "encrypted",
    "volumegroup",
    "barred",
    "grown",
    "cliff",
    "displaced",
    "study",
    "trials",
    "stripes",
    "mirrors",
    "kept_arrays",
    "transactions",
    "unseen",
    "erring",
    "moved",
    "movecuts",
    "spoiled",
    "booting.visits",
    "realigned",
    "powercuts",
    "applycuts",
    "equal",
    "migrations",
    "migrated_volumes",
    "migrated_system",
    "migrating_led",
    "purposes",
    "terabyte",
)
"""Those of tests/lab with VISITS, in the order in which the lab goes through them."""

JOB_MODULES = (*MODULES, "measure", "performed", "photographed", "portraits")
"""Those with JOBS."""

PORTRAITS = ("portraits", "stack_portraits")
"""Those with VISITS that record machines."""

Job = Callable[[Fleet], Iterator[Check]]


@dataclass(frozen=True, slots=True)
class Visit:
    """One boot: the jobs done in it, in order, and the seconds it may take, several times what it should.

    Visits that follow each other with the same fleet share its drives: what one writes the next finds.
    `prepare` is called before the boot, `afterwards` after it (its checks count), both outside of the guest.
    `alone`: it measures time, and while it lasts this machine does nothing else; it shares no drives with
    visits that are not. `full_only`: done with `--full` only. `busy`: meanwhile this machine has other work
    to do, of the lab's choice. `screen`: the guest has one, with the kernel's text console on it.
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
    """A module of visits."""

    VISITS: tuple[Visit, ...]


class JobModule(Protocol):
    """A module of jobs."""

    JOBS: dict[str, Job]


def visits(module: str) -> tuple[Visit, ...]:
    """Those of a module of tests/lab, by its short name."""
    return cast(VisitModule, import_module(f"tests.lab.{module}")).VISITS


def find_job(name: str, module: str) -> Job:
    """A job by its name, of `module` or of another; raises KeyError where none has it. A guest is slow: no
    more is read than is needed."""
    for candidate in dict.fromkeys((module, *JOB_MODULES)):
        jobs = cast(JobModule, import_module(f"tests.lab.{candidate}")).JOBS
        if name in jobs:
            return jobs[name]
    raise KeyError(name)
