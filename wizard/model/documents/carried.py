"""A way to ext4 that was chosen where the filesystem cannot be let go of, to be carried to where it can."""

from dataclasses import dataclass

from wizard.model.documents.migration import Way
from wizard.model.ext import ExtFacts
from wizard.model.identity import Identity
from wizard.model.said import Said


@dataclass(frozen=True, slots=True)
class Carried:
    """The `way` for the filesystem `before`, of `device_bytes`, which is known by its UUID wherever it is
    looked for.

    `drive` and `device` are as they are called where it was chosen. `fstab` is a file of mounts that names
    the filesystem by an old type and lies on another one, empty for none. `doubts` are sentences on what
    starts and mounts from it.
    """

    drive: Identity
    device: str
    device_bytes: int
    before: ExtFacts
    way: Way
    manifest: bool = False
    repairs: bool = False
    fstab: str = ""
    doubts: tuple[Said | str, ...] = ()
