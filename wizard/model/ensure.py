"""Desired state of drives as a person writes it, and the result of applying it."""

from typing import Literal

from wizard.model.errors import FrozenStruct
from wizard.model.said import Message

SCHEMA = "diskwright.wanted/1"
ENSURED_SCHEMA = "diskwright.ensured/1"


class Match(FrozenStruct, omit_defaults=True):
    """Criteria that identify one drive. All given criteria must match.

    `path`: device node or a link to it. `model`: shell pattern. `size`: as printed on the box (`4TB`), within
    one percent. `bus`: as `inspect` prints it.
    """

    path: str | None = None
    model: str | None = None
    serial: str | None = None
    size: str | None = None
    bus: str | None = None


class WantedVolume(FrozenStruct, omit_defaults=True):
    """One volume, with the keys of `plan --volume`. `option` and `subvolume` can be repeated."""

    workload: str | None = None
    role: str | None = None
    size: str | None = None
    label: str | None = None
    mount: str | None = None
    writable: str | None = None
    fs: str | None = None
    encrypt: str | None = None
    key: str | None = None
    option: tuple[str, ...] = ()
    subvolume: tuple[str, ...] = ()


class WantedDrive(FrozenStruct, omit_defaults=True):
    """One drive, or with `also` several drives that share one volume. `name`: used in messages. `danger`:
    confirmations, typed back for options that put data at risk.

    `mirror` or `stripe`: how several drives are combined. `lvm`: all volumes of a drive are in one volume
    group. `replace`: data that may be lost: for each drive its token, a colon, and the contents as a refusal
    prints them.
    """

    match: Match
    volume: tuple[WantedVolume, ...]
    name: str = ""
    also: tuple[Match, ...] = ()
    mirror: Literal["md", "btrfs"] | None = None
    stripe: Literal["md", "btrfs"] | None = None
    table: Literal["gpt", "mbr"] = "gpt"
    lvm: bool = False
    replace: str = ""
    danger: tuple[str, ...] = ()

    @property
    def matches(self) -> tuple[Match, ...]:
        """One match per drive, in document order."""
        return (self.match, *self.also)


class WantedDrives(FrozenStruct):
    """The complete document."""

    schema: Literal["diskwright.wanted/1"]
    drive: tuple[WantedDrive, ...]


class VolumeShape(FrozenStruct):
    """An existing or desired volume. `mount_points` come from fstab."""

    device: str
    size_bytes: int
    filesystem: str | None
    label: str | None
    mount_points: tuple[str, ...] = ()


class Shape(FrozenStruct):
    """Summary of a drive, shown before and after."""

    table: str
    volumes: tuple[VolumeShape, ...]


class Difference(FrozenStruct):
    """One difference from the desired state, or the reason for a refusal. `text` is English."""

    said: Message | str
    text: str


class AlsoDrive(FrozenStruct):
    """Another drive of a volume on several drives. The first is in `EnsuredDrive`."""

    path: str
    token: str
    before: Shape | None
    after: Shape | None


State = Literal["as-wanted", "would-change", "changed", "refused", "failed"]


class EnsuredDrive(FrozenStruct):
    """Result for one drive, or for several drives that share a volume. `path` and `token` are None if no
    drive, or more than one, matches.

    `before`: state found. `after`: state reached, or expected. `also`: the other drives. `replace`: the value
    that the document needs to allow the data loss, if only that is missing. `runs`: runs that changed the
    drives.
    """

    name: str
    state: State
    path: str | None
    token: str | None
    differences: tuple[Difference, ...]
    before: Shape | None
    after: Shape | None
    replace: str = ""
    runs: tuple[str, ...] = ()
    also: tuple[AlsoDrive, ...] = ()


class Ensured(FrozenStruct):
    """Results for all drives, in document order. `changed`: something changed, or would change if `check` is
    set."""

    check: bool
    changed: bool
    drives: tuple[EnsuredDrive, ...]
