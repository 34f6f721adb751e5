"""What is wanted of drives, as a person writes it into a file: which drive is meant, and its volumes."""

from dataclasses import dataclass
from typing import Literal

SCHEMA = "diskwright.wanted/1"


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
    option: tuple[str, ...] = ()
    subvolume: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WantedDrive:
    """One drive: `name` is what it is called in messages, `danger` what is typed back for options that put
    data at risk.

    `replace` is what else may be lost: the drive's token, a colon, and what it holds, as a refusal says it.
    """

    match: Match
    volume: tuple[WantedVolume, ...]
    name: str = ""
    table: Literal["gpt", "mbr"] = "gpt"
    replace: str = ""
    danger: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WantedDrives:
    """The whole document."""

    schema: Literal["diskwright.wanted/1"]
    drive: tuple[WantedDrive, ...]
