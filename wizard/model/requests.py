"""Requests to change an existing filesystem or drive. The operations are derived from these."""

from typing import Literal

from wizard.model.errors import FrozenStruct, WhereUsed
from wizard.model.layout import ROOT, Writer


class Tune(FrozenStruct):
    """Apply the recommended settings for a workload, and let `owner` write."""

    workload: str
    owner: WhereUsed[Writer | None] = None
    kind: Literal["tune"] = "tune"


class SetLabel(FrozenStruct):
    """Change the label."""

    label: str
    kind: Literal["set-label"] = "set-label"


class NewUuid(FrozenStruct):
    """Give a copy a UUID of its own."""

    kind: Literal["new-uuid"] = "new-uuid"


class Attach(FrozenStruct):
    """Mount at `place`, and with `boot` at every boot. If `place` is None, fstab or the label determines it.
    `writer`: who may write if no owners are stored. `owner`: the new owner."""

    place: str | None = None
    options: tuple[str, ...] = ()
    boot: bool = True
    writer: WhereUsed[Writer] = ROOT
    owner: WhereUsed[Writer | None] = None
    kind: Literal["attach"] = "attach"


class Detach(FrozenStruct):
    """Unmount, and with `boot` also remove the filesystem from fstab."""

    boot: bool = False
    kind: Literal["detach"] = "detach"


class SetOptions(FrozenStruct):
    """Change mount options, now and at every boot."""

    options: tuple[str, ...]
    kind: Literal["set-options"] = "set-options"


class SwitchOff(FrozenStruct):
    """Unmount and power off the whole drive."""

    kind: Literal["switch-off"] = "switch-off"


class Release(FrozenStruct):
    """Stop all arrays, volume groups and open containers on the drive."""

    kind: Literal["release"] = "release"


class Grow(FrozenStruct):
    """Grow the partition and the mounted filesystem into the free space after it."""

    kind: Literal["grow"] = "grow"


class CopyFiles(FrozenStruct):
    """Copy the folder or filesystem `source` to the volume `target`, into the folder `into` of it if not
    empty. `takes_place`: mount the target instead of the source from the next boot."""

    source: str
    target: str
    into: str = ""
    takes_place: bool = False
    kind: Literal["copy-files"] = "copy-files"


Wanted = Tune | SetLabel | NewUuid | Attach | Detach | SetOptions | SwitchOff | Release | Grow
"""A request. The changes are derived from the request and the current state."""
