"""LVM's volume group on one drive, and what is made in it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Group:
    """LVM's volume group on one drive, which all volumes lie in: `device` is its physical volume's partition,
    `uuid` the physical volume's."""

    device: str
    name: str
    uuid: str


@dataclass(frozen=True, slots=True)
class MakeLogicalVolume:
    """Make the logical volume `name` of exactly `size_bytes` in `group`, node `device`, in one piece where
    that has room for it."""

    device: str
    group: str
    name: str
    size_bytes: int
    kind: Literal["make-logical-volume"] = "make-logical-volume"
