"""What the catalogues share: entries found by id, later folders replacing earlier ones, and faults that name
file, line and key."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from wizard.documents.profiles import fault_at, profile_files, read_profile
from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.model.said import Said, t

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

    def fault(self, key: str, said: Said) -> BadInput:
        """The error to raise about `key` of this entry: file, line and whole key."""
        return fault_at(self.path, ".".join(part for part in (self.key, key) if part), said)


def check_id(place: Place[Entry], key: str, value: str) -> None:
    """Refuse an id that is no slug: ids are typed on the command line and stand in documents."""
    if len(value) > LONGEST_ID or not _SLUG.fullmatch(value):
        raise place.fault(
            key,
            t(
                "{text} is no id: use small letters, digits and single hyphens, at most {longest}.",
                text=repr(printable(value, 50)),
                longest=LONGEST_ID,
            ),
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
                    "id",
                    t(
                        "{id} is already used in {path}; give one of the two another id.",
                        id=repr(name),
                        path=str(other.path),
                    ),
                )
            found[name] = place
    return found
