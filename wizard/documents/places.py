"""Where something stands in a document, as a person says it: `drive[0].model` is `model` in drive 1."""

import re

from wizard.model.said import t


def within(place: str) -> str:
    """What holds the value at a place (`drive[0].volume[1].size`): `drive 1, volume 2`. Empty where that is
    the document itself."""
    return ", ".join(map(_counted, _keys(place)[:-1]))


def itself(place: str) -> str:
    """The value at a place, without what holds it."""
    keys = _keys(place)
    if not keys:
        return str(t("the document"))
    return _counted(keys[-1]) if keys[-1].endswith("]") else f"`{keys[-1]}`"


def whole(place: str) -> str:
    """The value at a place, with what holds it."""
    return ", ".join(filter(None, (within(place), itself(place))))


def _keys(place: str) -> list[str]:
    return [key for key in place.split(".") if key]


def _counted(key: str) -> str:
    """A key, and of a list's values which one, counted from 1."""
    name, *counts = re.split(r"\[(\d+)\]", key)
    return f"{name} {'.'.join(str(int(count) + 1) for count in counts if count)}".rstrip()
