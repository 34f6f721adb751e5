"""The filesystems that are recognised and never made: what was measured of them, why not, and the way off
them."""

from collections.abc import Sequence

from wizard.filesystems.registry import KINDS
from wizard.model.advice import Evidence, Unmade


def unmade(measured: Sequence[Evidence]) -> tuple[Unmade, ...]:
    """Each of them, with those of the measurements that hold a figure of it; those with figures come
    first."""
    found = [
        Unmade(
            kind.name,
            kind.title,
            str(kind.why_not),
            str(kind.way_off),
            tuple(card for card in measured if _names(card, kind.name)),
        )
        for kind in KINDS.values()
        if kind.why_not and not kind.made
    ]
    return tuple(sorted(found, key=lambda one: (not one.evidence, one.title.lower())))


def _names(card: Evidence, filesystem: str) -> bool:
    """Whether a figure is of this filesystem, also in some configuration (`ufs on two striped disks`)."""
    return any(name.split()[0] == filesystem for name, _ in card.figures)
