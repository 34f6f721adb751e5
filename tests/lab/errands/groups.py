"""Which visits are paid, and which of them in one laboratory. Pure."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.lab.errands.visit import Visit, visits


@dataclass(frozen=True, slots=True)
class Planned:
    """A visit, and where the guest finds it again."""

    visit: Visit
    module: str
    number: int


@dataclass(frozen=True, slots=True)
class Group:
    """Visits of one module that follow each other with one fleet, and share its drives."""

    visits: tuple[Planned, ...]

    @property
    def alone(self) -> bool:
        """Whether nothing else may run meanwhile."""
        return self.visits[0].visit.alone

    @property
    def seconds(self) -> float:
        """The most that its guests may take."""
        return sum(one.visit.seconds for one in self.visits)

    @property
    def titles(self) -> str:
        """For a sentence about it."""
        return "; ".join(one.visit.title for one in self.visits)


def wanted_of(modules: Iterable[str], words: Sequence[str], *, full: bool) -> list[Planned]:
    """The visits of these modules that are wanted, in their order."""
    found = [
        Planned(visit, module, number) for module in modules for number, visit in enumerate(visits(module))
    ]
    return [one for one in found if is_wanted(one, words, full=full)]


def is_wanted(one: Planned, words: Sequence[str], *, full: bool) -> bool:
    """Whether each word, or one of those that it lists with commas, is in a visit's title, fleet or module.

    What takes long needs `full`, or to be meant by a word.
    """
    said = f"{one.module} {one.visit.fleet.name} {one.visit.title}".lower()
    fits = all(any(choice in said for choice in word.lower().split(",")) for word in words)
    return fits and (full or bool(words) or not one.visit.full_only)


def grouped(wanted: Iterable[Planned]) -> list[Group]:
    """In their order. A visit that must be alone shares no laboratory with one that need not."""
    kinds = itertools.groupby(wanted, key=lambda one: (one.module, one.visit.fleet, one.visit.alone))
    return [Group(tuple(group)) for _, group in kinds]


def batches(groups: Sequence[Group]) -> list[list[Group]]:
    """What may run at the same time: each group that must be alone by itself, then all others, the longest
    first so that none is left over for the end."""
    alone = [[group] for group in groups if group.alone]
    others = sorted((group for group in groups if not group.alone), key=lambda group: -group.seconds)
    return alone + ([others] if others else [])
