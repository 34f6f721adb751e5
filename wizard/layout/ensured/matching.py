"""Which drive is meant: exactly one, or none at all. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from fnmatch import fnmatchcase

from wizard.model.documents.ensure import Match
from wizard.model.errors import Refused
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.said import Said, t
from wizard.model.units import parse_size

UNKNOWN = t("unknown")

SIZE_TOLERANCE = 100
"""A size on a box is a round one: drives differ from it by less than one part in so many."""


def drive_meant(match: Match, drives: Sequence[Drive]) -> Drive:
    """The one drive that matches; raises Refused with the candidates where none does, or several do."""
    found = [drive for drive in drives if matches(match, drive)]
    if len(found) == 1:
        return found[0]
    criteria = ", ".join(_criteria(match))
    if not found:
        known = tuple(_told(drive) for drive in drives) or (t("none"),)
        raise Refused(
            t(
                "No drive matches {criteria}. The drives here are: {known:semicolons}.",
                criteria=criteria,
                known=known,
            )
        )
    raise Refused(
        t(
            "{number} drives match {criteria}, and one has to be meant: {found:semicolons}.",
            criteria=criteria,
            number=len(found),
            found=tuple(map(_told, found)),
        )
    )


def matches(match: Match, drive: Drive) -> bool:
    """Whether everything that is given holds of the drive. What is not known of it does not match."""
    if match.path is not None and match.path not in (drive.path, *drive.by_id):
        return False
    if match.model is not None and not (drive.model and fnmatchcase(drive.model, match.model)):
        return False
    if match.serial is not None and match.serial != drive.serial:
        return False
    if match.bus is not None and match.bus != drive.bus:
        return False
    return match.size is None or _is_size(parse_size(match.size), drive.size_bytes)


def _is_size(wanted_bytes: int, size_bytes: int | None) -> bool:
    return size_bytes is not None and abs(size_bytes - wanted_bytes) * SIZE_TOLERANCE < wanted_bytes


def _criteria(match: Match) -> Iterator[str]:
    for field in fields(match):
        if (value := getattr(match, field.name)) is not None:
            yield f"{field.name} {printable(value, 100)}"


def _told(drive: Drive) -> Said:
    return t(
        "{drive} (model {model}, serial {serial}, {size:size}, bus {bus})",
        drive=drive.path,
        model=printable(drive.model or "", 60) or UNKNOWN,
        serial=printable(drive.serial or "", 60) or UNKNOWN,
        size=drive.size_bytes or 0,
        bus=drive.bus or UNKNOWN,
    )
