"""What the catalogues share: entries found by id, later folders replacing earlier ones, and faults that name
file, line and key."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from wizard.documents.profiles import line_of, profile_files, read_profile
from wizard.model.errors import BadInput
from wizard.model.names import printable

Form = TypeVar("Form")
Entry = TypeVar("Entry")

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_ID = 40


@dataclass(frozen=True, slots=True)
class Place(Generic[Entry]):
    """An entry with the file it stands in and its key there (`options[3]`, or empty where the file is the
    entry)."""

    path: Path
    key: str
    entry: Entry

    def fault(self, key: str, said: str) -> BadInput:
        """The error to raise about `key` of this entry: file, line and whole key."""
        return fault(self.path, ".".join(part for part in (self.key, key) if part), said)


def fault(path: Path, key: str, said: str) -> BadInput:
    """A sentence about one key of a profile, with the line it stands on."""
    line = line_of(path.read_text(encoding="utf-8"), key)
    return BadInput(f"{path}, line {line}, {key}: {said}")


def check_id(place: Place[Entry], key: str, value: str) -> None:
    """Refuse an id that is no slug: ids are typed on the command line and stand in documents."""
    if len(value) > LONGEST_ID or not _SLUG.fullmatch(value):
        raise place.fault(
            key,
            f"{printable(value, 50)!r} is no id: use small letters, digits and single hyphens, at most "
            f"{LONGEST_ID}.",
        )


def gather(
    room: str,
    form: type[Form],
    entries: Callable[[Path, Form], Iterable[Place[Entry]]],
    id_of: Callable[[Entry], str],
) -> dict[str, Place[Entry]]:
    """All entries of a room by id. A later folder's entry replaces an earlier one; twice in one folder is an
    error."""
    found: dict[str, Place[Entry]] = {}
    for path in profile_files(room):
        for place in entries(path, read_profile(path, form)):
            name = id_of(place.entry)
            check_id(place, "id", name)
            other = found.get(name)
            if other is not None and other.path.parent == path.parent:
                raise place.fault(
                    "id", f"{name!r} is already used in {other.path}; give one of the two another id."
                )
            found[name] = place
    return found
