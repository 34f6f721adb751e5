"""Select visits, and group them into laboratories. Pure."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.lab.errands.visit import Visit, visits


@dataclass(frozen=True, slots=True)
class Planned:
    """A visit, and how the guest finds it."""

    visit: Visit
    module: str
    number: int


@dataclass(frozen=True, slots=True)
class Group:
    """Consecutive visits of one module with the same fleet, which share its drives."""

    visits: tuple[Planned, ...]

    @property
    def alone(self) -> bool:
        """True if the group must run alone."""
        return self.visits[0].visit.alone

    @property
    def seconds(self) -> float:
        """Time limit of its guests."""
        return sum(one.visit.seconds for one in self.visits)

    @property
    def titles(self) -> str:
        """Titles for a message."""
        return "; ".join(one.visit.title for one in self.visits)


def wanted_of(modules: Iterable[str], words: Sequence[str], *, full: bool) -> list[Planned]:
    """Return the requested visits of these modules in order."""
    found = [
        Planned(visit, module, number) for module in modules for number, visit in enumerate(visits(module))
    ]
    return [one for one in found if is_wanted(one, words, full=full)]


def is_wanted(one: Planned, words: Sequence[str], *, full: bool) -> bool:
    """Return True if each word, or one of its alternatives separated by commas, is in a visit's title, fleet
    or module.

    Long visits need `full` or a matching word.
    """
    said = f"{one.module} {one.visit.fleet.name} {one.visit.title}".lower()
    fits = all(any(choice in said for choice in word.lower().split(",")) for word in words)
    return fits and (full or bool(words) or not one.visit.full_only)


def grouped(wanted: Iterable[Planned]) -> list[Group]:
    """Return the groups in order. A visit that must be alone shares no laboratory with others."""
    kinds = itertools.groupby(wanted, key=lambda one: (one.module, one.visit.fleet, one.visit.alone))
    return [Group(tuple(group)) for _, group in kinds]


def batches(groups: Sequence[Group]) -> list[list[Group]]:
    """Return what may run in parallel: each group that must be alone by itself, then all others, longest
    first."""
    alone = [[group] for group in groups if group.alone]
    others = sorted((group for group in groups if not group.alone), key=lambda group: -group.seconds)
    return alone + ([others] if others else [])
