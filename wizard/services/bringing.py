"""Bringing files to a volume of this machine: from where that could be, and what it would be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wizard.apply.bring.sources import Source
    from wizard.apply.run.environment import Environment
    from wizard.model.documents.bring import Bring
    from wizard.model.machine import Machine

# The rooms are imported where they are called: the first list of drives is on the screen before they are
# loaded.


class Brings(Protocol):
    """What the screens need of it. Both may take long and are called in threads."""

    def bring_sources(self, targets: Sequence[str]) -> tuple[Source, ...]:
        """From where files could be brought to what is mounted at one of the `targets`."""
        ...

    def plan_bring(self, source: str, target: str, into: str, *, takes_place: bool) -> Bring:
        """What would be copied, counted; `into` is a folder of the target, empty for its top. Raises BadInput
        or Refused with the reason."""
        ...


def sources_here(machine: Machine, targets: Sequence[str]) -> tuple[Source, ...]:
    """Of this machine, with its homes."""
    from wizard.apply.bring.sources import homes_apart, sources_of

    found = sources_of(machine, targets)
    return (*homes_apart(found), *found)


def bring_here(source: str, target: str, into: str, environment: Environment, *, takes_place: bool) -> Bring:
    """By looking at both."""
    from wizard.apply.bring.planning import work_out

    return work_out(source, target, into or None, environment, takes_place=takes_place)
