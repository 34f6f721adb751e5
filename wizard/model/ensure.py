"""Request for drives as a person writes it, with drive match and volumes, and the result."""

from dataclasses import dataclass
from typing import Literal

from wizard.model.said import Message

SCHEMA = "diskwright.wanted/1"
ENSURED_SCHEMA = "diskwright.ensured/1"


@dataclass(frozen=True, slots=True)
class Match:
    """By what one drive is told from all others; each that is given must hold.

    `path` is its node or a link to it, `model` a pattern as in a shell, `size` what its box says (`4TB`),
    which one percent more or less is, too, and `bus` as `inspect` tells it.
    """

    path: str | None = None
    model: str | None = None
    serial: str | None = None
    size: str | None = None
    bus: str | None = None


@dataclass(frozen=True, slots=True)
class WantedVolume:
    """One volume, in the words of `plan --volume`. `option` and `subvolume` may be several."""

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


@dataclass(frozen=True, slots=True)
class WantedDrive:
    """One drive, or with `also` several that hold one volume together: `name` is what they are called in
    messages, `danger` what is typed back for options that put data at risk.

    `mirror` or `stripe` says by what several are put together; with `lvm` all volumes of one drive lie in a
    volume group. `replace` is what else may be lost: each drive's token, a colon, and what it holds, as a
    refusal says it.
    """

    match: Match
    volume: tuple[WantedVolume, ...]
    name: str = ""
    also: tuple[Match, ...] = ()
    mirror: Literal["md", "btrfs"] | None = None
    stripe: Literal["md", "lvm", "btrfs"] | None = None
    table: Literal["gpt", "mbr"] = "gpt"
    lvm: bool = False
    replace: str = ""
    danger: tuple[str, ...] = ()

    @property
    def matches(self) -> tuple[Match, ...]:
        """One for each drive that is meant, in the order in which they were written."""
        return (self.match, *self.also)


@dataclass(frozen=True, slots=True)
class WantedDrives:
    """The whole document."""

    schema: Literal["diskwright.wanted/1"]
    drive: tuple[WantedDrive, ...]


@dataclass(frozen=True, slots=True)
class VolumeShape:
    """A volume, there or wanted. `mount_points` are those of fstab."""

    device: str
    size_bytes: int
    filesystem: str | None
    label: str | None
    mount_points: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """A drive in a few values, to be shown before and after."""

    table: str
    volumes: tuple[VolumeShape, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """What is otherwise than wanted, or why it is refused; and the same in English."""

    said: Message | str
    text: str


@dataclass(frozen=True, slots=True)
class AlsoDrive:
    """A further drive of those that hold one volume together, as `EnsuredDrive` has the first."""

    path: str
    token: str
    before: Shape | None
    after: Shape | None


@dataclass(frozen=True, slots=True)
class EnsuredDrive:
    """What came of one drive, or of several that are wanted as one; `path` and `token` are None where it is
    not clear which are meant.

    `before` is what it held, `after` what it holds now, or would; `also` are the further ones. `replace` is
    what the document would have to say so that what they hold may be lost, where that is all that is missing;
    `runs` are those that changed them.
    """

    name: str
    state: Literal["as-wanted", "would-change", "changed", "refused", "failed"]
    path: str | None
    token: str | None
    differences: tuple[Difference, ...]
    before: Shape | None
    after: Shape | None
    replace: str = ""
    runs: tuple[str, ...] = ()
    also: tuple[AlsoDrive, ...] = ()


@dataclass(frozen=True, slots=True)
class Ensured:
    """What came of all drives, in the document's order. `changed`: something was changed, or with `check`
    would be."""

    check: bool
    changed: bool
    drives: tuple[EnsuredDrive, ...]
