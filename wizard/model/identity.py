"""Who a drive is, so that no other one is taken for it."""

from dataclasses import dataclass

from wizard.model.geometry import Geometry


@dataclass(frozen=True, slots=True)
class HeldDigest:
    """What the superblocks on a partition were, by its number; 0 is the drive itself, without a table."""

    number: int
    superblock_digest: str


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the drive is. `diskseq` is the kernel's count of disks since the start that `boot_id` names:
    whatever is attached gets a new number, so that nobody takes another drive in the same dock for it. After
    a restart another drive can have the same number.

    `content_digest` is None where the planner was not allowed to read the drive. `held` tells what nothing
    used then: it changes when that is mounted and written to. What is written to files without a change of a
    superblock, inside an encrypted container or a logical volume, or past every filesystem, shows in neither.
    `rotational` only serves estimates.
    """

    path: str
    by_id: tuple[str, ...]
    model: str | None
    serial: str | None
    wwn: str | None
    size_bytes: int
    geometry: Geometry
    diskseq: int | None
    content_digest: str | None
    rotational: bool | None = None
    boot_id: str | None = None
    held: tuple[HeldDigest, ...] = ()

    @property
    def token(self) -> str:
        """What a person types to confirm: the serial, or for a drive without one the device's name."""
        return self.serial or self.path.removeprefix("/dev/")
