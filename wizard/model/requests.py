"""Requests to change an existing filesystem or drive. The operations are derived from these."""

from wizard.model.errors import TaggedStruct, WhereUsed
from wizard.model.layout import ROOT, Writer


class Tune(TaggedStruct):
    """Apply the recommended settings for a workload, and let `owner` write."""

    workload: str
    owner: WhereUsed[Writer | None] = None


class SetLabel(TaggedStruct):
    """Change the label."""

    label: str


class NewUuid(TaggedStruct):
    """Give a copy a UUID of its own."""


class Attach(TaggedStruct):
    """Mount at `place`, and with `boot` at every boot. If `place` is None, fstab or the label determines it.
    `writer`: who may write if no owners are stored. `owner`: the new owner."""

    place: str | None = None
    options: tuple[str, ...] = ()
    boot: bool = True
    writer: WhereUsed[Writer] = ROOT
    owner: WhereUsed[Writer | None] = None


class Detach(TaggedStruct):
    """Unmount, and with `boot` also remove the filesystem from fstab."""

    boot: bool = False


class SetOptions(TaggedStruct):
    """Change mount options, now and at every boot."""

    options: tuple[str, ...]


class SwitchOff(TaggedStruct):
    """Unmount and power off the whole drive."""


class Release(TaggedStruct):
    """Stop all arrays, volume groups and open containers on the drive."""


class Grow(TaggedStruct):
    """Grow the partition and the mounted filesystem into the free space after it."""


class CopyFiles(TaggedStruct):
    """Copy the folder or filesystem `source` to the volume `target`, into the folder `into` of it if not
    empty. `takes_place`: mount the target instead of the source from the next boot."""

    source: str
    target: str
    into: str = ""
    takes_place: bool = False


Wanted = Tune | SetLabel | NewUuid | Attach | Detach | SetOptions | SwitchOff | Release | Grow
"""A request. The changes are derived from the request and the current state."""
