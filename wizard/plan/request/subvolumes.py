"""Names and mount points of Btrfs subvolumes. Pure."""

import re
from collections.abc import Sequence

from wizard.filesystems.registry import MADE
from wizard.model.errors import BadInput, printable
from wizard.model.plan import NO_PLACE, Subvolume
from wizard.model.said import Message, t
from wizard.plan.rules import mount_point_fault

LONGEST_NAME_BYTES = 255
"""Of each part of a subvolume's path: it is a file's name (btrfs(5))."""
LONGEST_PATH_BYTES = 1024
MOST_SUBVOLUMES = 64

_PART = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9@_+.][A-Za-z0-9@_+.-]*")
_OPTION = "subvol=/"


def parse_subvolume(text: str) -> Subvolume:
    """`@home:/home`, or `@home` for one that is mounted nowhere; raises BadInput for what cannot be."""
    name, colon, place = text.partition(":")
    if fault := subvolume_name_fault(name):
        raise BadInput(
            str(
                t(
                    "The subvolume '{name}' {fault}; use a name such as @home.",
                    name=printable(name, 60),
                    fault=fault,
                )
            )
        )
    if colon and (wrong := mount_point_fault(place)):
        shown = printable(place, 60)
        raise BadInput(
            str(
                t(
                    "The mount point '{place}' of the subvolume {name} {fault}; use a path such "
                    "as /srv/data.",
                    place=shown,
                    name=printable(name, 60),
                    fault=wrong,
                )
            )
        )
    return Subvolume(name, place if colon else None)


def parse_subvolumes(text: str) -> tuple[Subvolume, ...]:
    """Several of them, with commas between; none of an empty text."""
    return tuple(parse_subvolume(part.strip()) for part in text.split(",")) if text.strip() else ()


def subvolumes_written(subvolumes: Sequence[Subvolume]) -> str:
    """Subvolumes as `parse_subvolumes` takes them."""
    return ", ".join(
        one.name if one.mount_point is None else f"{one.name}:{one.mount_point}" for one in subvolumes
    )


def subvolume_option(name: str) -> str:
    """The mount option by which a subvolume is mounted instead of the top (btrfs(5)); its path begins at the
    top."""
    return f"{_OPTION}{name}"


def mounted_subvolume(options: Sequence[str]) -> str:
    """The subvolume that these mount options name, by its path from the top; empty where they name none."""
    return next((option.removeprefix(_OPTION) for option in options if option.startswith(_OPTION)), "")


def places_of(mount_point: str | None, subvolumes: Sequence[Subvolume]) -> tuple[str, ...]:
    """Where a volume and its subvolumes are mounted, in that order."""
    return tuple(place for place in (mount_point, *(one.mount_point for one in subvolumes)) if place)


def subvolume_name_fault(name: str) -> Message | None:
    """Why a subvolume cannot be called so, as the end of a sentence, or None. Only characters that fstab and
    mount(8) leave alone."""
    if not name:
        return t("lacks a name")
    if name.startswith("/"):
        return t("begins with a slash; paths start at the top of the filesystem, without a slash")
    parts = name.split("/")
    if any(not _PART.fullmatch(part) for part in parts):
        return t(
            "is invalid: {allowed}, and {parts}",
            allowed=t("only letters, digits and @ _ + . -"),
            parts=t("no part may be empty, . or .., or begin with a hyphen"),
        )
    if len(name) > LONGEST_PATH_BYTES or any(len(part) > LONGEST_NAME_BYTES for part in parts):
        return t("is too long")
    return None


def subvolumes_fault(subvolumes: Sequence[Subvolume], filesystem: str) -> Message | None:
    """Why a volume of this filesystem cannot have these subvolumes, as the end of a sentence about the
    volume, or None."""
    if not subvolumes:
        return None
    if not MADE[filesystem].subvolumes:
        return t("cannot have subvolumes: {filesystem} does not support them", filesystem=filesystem)
    if len(subvolumes) > MOST_SUBVOLUMES:
        return t(
            "has {subvolumes} subvolumes; the maximum is {most}",
            subvolumes=len(subvolumes),
            most=MOST_SUBVOLUMES,
        )
    before: set[str] = set()
    for one in subvolumes:
        shown = printable(one.name, 60)
        if fault := subvolume_name_fault(one.name):
            return t("has the subvolume '{name}', which {fault}", name=shown, fault=fault)
        if one.name in before:
            return t("has the subvolume '{name}' twice", name=shown)
        above = one.name.rpartition("/")[0]
        if above and above not in before:
            return t(
                "has the subvolume '{name}' within '{above}', which is not an earlier subvolume",
                name=shown,
                above=printable(above, 60),
            )
        if one.mount_point is not None and (wrong := _place_fault(one.mount_point)):
            return t(
                "has the subvolume '{name}' at '{place}', which {fault}",
                name=shown,
                place=printable(one.mount_point, 60),
                fault=wrong,
            )
        before.add(one.name)
    return None


def _place_fault(place: str) -> Message | str | None:
    return t("is not a path") if place == NO_PLACE else mount_point_fault(place)
