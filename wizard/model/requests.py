"""Requests to change an existing filesystem or drive. The operations are derived from these."""

from dataclasses import dataclass, field
from typing import Literal

from wizard.model.errors import WHERE_USED
from wizard.model.layout import ROOT, Writer


@dataclass(frozen=True, slots=True)
class Tune:
    """Apply the recommended settings for a workload, and let `owner` write."""

    workload: str
    owner: Writer | None = field(default=None, metadata=WHERE_USED)
    kind: Literal["tune"] = "tune"


@dataclass(frozen=True, slots=True)
class SetLabel:
    """Change the label."""

    label: str
    kind: Literal["set-label"] = "set-label"


@dataclass(frozen=True, slots=True)
class NewUuid:
    """Give a copy a UUID of its own."""

    kind: Literal["new-uuid"] = "new-uuid"


@dataclass(frozen=True, slots=True)
class Attach:
    """Mount at `place` with these options, and with `boot` at every boot. If `place` is None, fstab or the
    label determines it. `writer`: who may write if no owners are stored. `owner`: the new owner."""

    place: str | None = None
    options: tuple[str, ...] = ()
    boot: bool = True
    writer: Writer = field(default=ROOT, metadata=WHERE_USED)
    owner: Writer | None = field(default=None, metadata=WHERE_USED)
    kind: Literal["attach"] = "attach"


@dataclass(frozen=True, slots=True)
class Detach:
    """Unmount, and with `boot` also remove the filesystem from fstab."""

    boot: bool = False
    kind: Literal["detach"] = "detach"


@dataclass(frozen=True, slots=True)
class SetOptions:
    """Change mount options, now and at every boot."""

    options: tuple[str, ...]
    kind: Literal["set-options"] = "set-options"


@dataclass(frozen=True, slots=True)
class SwitchOff:
    """Unmount and power off the whole drive."""

    kind: Literal["switch-off"] = "switch-off"


@dataclass(frozen=True, slots=True)
class Release:
    """Stop all arrays, volume groups and open containers on the drive."""

    kind: Literal["release"] = "release"


@dataclass(frozen=True, slots=True)
class Grow:
    """Grow the partition and its mounted filesystem into the free space after it."""

    kind: Literal["grow"] = "grow"


@dataclass(frozen=True, slots=True)
class CopyFiles:
    """Copy the folder or filesystem `source` to the volume `target`, into the folder `into` of it if not
    empty. `takes_place`: mount the target instead of the source from the next boot."""

    source: str
    target: str
    into: str = ""
    takes_place: bool = False
    kind: Literal["copy-files"] = "copy-files"


Wanted = Tune | SetLabel | NewUuid | Attach | Detach | SetOptions | SwitchOff | Release | Grow
"""A request. The changes are derived from the request and the current state."""
