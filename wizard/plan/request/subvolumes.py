"""Names and mount points of Btrfs subvolumes. Pure."""

import re
from collections.abc import Sequence

from wizard.filesystems.registry import MADE
from wizard.model.errors import BadInput
from wizard.model.layout import Subvolume
from wizard.model.said import Message, t
from wizard.operations import rules
from wizard.operations.mounts import SUBVOLUME

LONGEST_NAME_BYTES = 255
"""Maximum length of each path component, as for file names (btrfs(5))."""
LONGEST_PATH_BYTES = 1024
MOST_SUBVOLUMES = 64

_PART = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9@_+.][A-Za-z0-9@_+.-]*")


def parse_subvolume(text: str) -> Subvolume:
    """Parse `@home:/home`, or `@home` without a mount point. Raises BadInput."""
    name, colon, place = text.partition(":")
    if fault := _subvolume_name_fault(name):
        raise BadInput(t("The subvolume '{name}' {fault}; use a name such as @home.", name=name, fault=fault))
    if colon and (fault := rules.mount_point_fault(place)):
        raise BadInput(rules.NAME_PLACE(place=place, fault=fault))
    return Subvolume(name, place if colon else None)


def parse_subvolumes(text: str) -> tuple[Subvolume, ...]:
    """Parse several subvolumes, separated by commas. Empty text returns none."""
    return tuple(parse_subvolume(part.strip()) for part in text.split(",")) if text.strip() else ()


def subvolume_written(one: Subvolume) -> str:
    """Format a subvolume for `parse_subvolume`."""
    return one.name if one.mount_point is None else f"{one.name}:{one.mount_point}"


def subvolume_option(name: str) -> str:
    """Return the mount option for a subvolume, by path from the top level (btrfs(5))."""
    return f"{SUBVOLUME}{name}"


def _subvolume_name_fault(name: str) -> Message | None:
    """Return why a subvolume name is not valid, as the end of a sentence, or None. Only characters without
    special meaning in fstab and mount(8) are allowed."""
    parts = name.split("/")
    if any(not _PART.fullmatch(part) for part in parts):
        return t(
            "is invalid: only letters, digits and @ _ + . -, and no part may be empty, . or .., or begin "
            "with a hyphen"
        )
    if len(name) > LONGEST_PATH_BYTES or any(len(part) > LONGEST_NAME_BYTES for part in parts):
        return rules.TOO_LONG
    return None


def subvolumes_fault(subvolumes: Sequence[Subvolume], filesystem: str) -> Message | None:
    """Return why a volume with this filesystem cannot have these subvolumes, as the end of a sentence about
    the volume, or None."""
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
        shown = one.name
        if fault := _subvolume_name_fault(one.name):
            return t("has the subvolume '{name}', which {fault}", name=shown, fault=fault)
        if one.name in before:
            return t("has the subvolume '{name}' twice", name=shown)
        above = one.name.rpartition("/")[0]
        if above and above not in before:
            return t(
                "has the subvolume '{name}' within '{above}', which is not an earlier subvolume",
                name=shown,
                above=above,
            )
        if one.mount_point is not None and (fault := rules.mount_point_fault(one.mount_point)):
            return t("has the subvolume '{name}', which {fault}", name=subvolume_written(one), fault=fault)
        before.add(one.name)
    return None
