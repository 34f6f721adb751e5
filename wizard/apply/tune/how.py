"""How something that is changed in use stands: what is found is compared with what was shown."""

from dataclasses import dataclass
from enum import StrEnum

from wizard.model.said import Said


class How(StrEnum):
    """BEFORE: as the document found it. AFTER: as it is to be. HALF: in between, as a change leaves it that
    was cut off. OTHER: neither, so somebody else has changed it."""

    BEFORE = "before"
    AFTER = "after"
    HALF = "half"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Standing:
    """How something stands; `seen` is a clause for a person."""

    how: How
    seen: Said


def compared(seen: object, before: object, after: object, said: Said) -> Standing:
    """Where only one value counts."""
    return Standing(How.AFTER if seen == after else How.BEFORE if seen == before else How.OTHER, said)
