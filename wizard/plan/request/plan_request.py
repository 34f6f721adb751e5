"""What to plan: new volumes, a change of one partition, or a lost partition table."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from wizard.model.layout import Level
from wizard.model.machine import Partition
from wizard.plan.request.roles import TableKind
from wizard.plan.request.volume_request import VolumeSpec

Kind = Literal["md", "btrfs"]


class Mode(Enum):
    """How to treat existing contents. REPLACE: erase them and create a new table. USE_FREE: preserve the
    table and all partitions bit for bit."""

    REPLACE = "replace"
    USE_FREE = "use-free"


@dataclass(frozen=True, slots=True)
class StripeRequest:
    """Requested striping, or mirroring with level raid1. None selects the default chunk size or metadata
    profile."""

    kind: Kind
    chunk_bytes: int | None = None
    metadata: str | None = None
    level: Level = "raid0"

    @property
    def mirrors(self) -> bool:
        """True for a mirror."""
        return self.level == "raid1"

    @property
    def option(self) -> str:
        """Command line option that requests it."""
        return "--mirror" if self.mirrors else "--stripe"


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How volumes use their drives: type of a new table, use of an LVM volume group, and layout of one volume
    on several drives."""

    table: TableKind = "gpt"
    grouped: bool = False
    stripe: StripeRequest | None = None


PLAIN = Arrangement()


@dataclass(frozen=True, slots=True)
class NewVolumes:
    """Create volumes on drives. `mode` None is only possible on empty drives. `part`: format only this
    partition, and preserve all others."""

    specs: tuple[VolumeSpec, ...]
    mode: Mode | None = None
    arrangement: Arrangement = PLAIN
    part: Partition | None = None


@dataclass(frozen=True, slots=True)
class DeletePart:
    """Delete a partition, with all its signatures."""

    part: Partition


@dataclass(frozen=True, slots=True)
class GrowPart:
    """Grow a partition and its filesystem to all adjacent free space, or to `size_bytes` rounded up to an
    aligned end. A partition that cuts its contents grows alone, by default just enough."""

    part: Partition
    size_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ShrinkPart:
    """Shrink a partition and its filesystem to `size_bytes`, rounded up to an aligned end."""

    part: Partition
    size_bytes: int


@dataclass(frozen=True, slots=True)
class RestoreTable:
    """Write the lost table back: exactly as in a lone backup GPT, else around the filesystems found. `table`:
    the only type to use."""

    table: TableKind | None = None


Request = NewVolumes | DeletePart | GrowPart | ShrinkPart | RestoreTable
