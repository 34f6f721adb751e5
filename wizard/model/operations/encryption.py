"""Encrypted containers (LUKS2): what is decided of one, and the operations that make it, open it, and have it
opened at every start."""

from dataclasses import dataclass
from typing import Literal

MAPPER = "/dev/mapper/"
"""Where the device mapper has its nodes, by the names that it was given."""


@dataclass(frozen=True, slots=True)
class Encryption:
    """LUKS2 around what a partition or logical volume holds: `device` is that, `name` what the device mapper
    calls what it opens to, `uuid` what libblkid reports of the container, `sector_bytes` what is encrypted at
    a stretch, `offset_bytes` where on the device the data begin, behind the header. `key` is the file that
    holds what opens it, empty where a person types that."""

    device: str
    name: str
    uuid: str
    sector_bytes: int
    offset_bytes: int
    key: str = ""

    @property
    def opened(self) -> str:
        """The node of what it opens to."""
        return f"{MAPPER}{self.name}"


@dataclass(frozen=True, slots=True)
class MakeContainer:
    """Make an encrypted container (LUKS2) out of all of `device`. Its data begin at `offset_bytes`."""

    device: str
    uuid: str
    sector_bytes: int
    offset_bytes: int
    kind: Literal["make-container"] = "make-container"


@dataclass(frozen=True, slots=True)
class OpenContainer:
    """Have the device mapper open the container with this UUID on `device` as `name`."""

    device: str
    uuid: str
    name: str
    kind: Literal["open-container"] = "open-container"

    @property
    def opened(self) -> str:
        """The node of what it opens to."""
        return f"{MAPPER}{self.name}"


@dataclass(frozen=True, slots=True)
class AddCrypttabLine:
    """Add one line for the container with this UUID to the file that says what is opened at boot, by the
    file `key`, or where that is empty by what a person types."""

    uuid: str
    name: str
    key: str = ""
    kind: Literal["add-crypttab-line"] = "add-crypttab-line"
