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
    `rotational` only serves estimates. `serial_shared` and `wwn_shared`: another attached drive told the
    same number, so that it does not tell who this one is.
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
    serial_shared: bool = False
    wwn_shared: bool = False

    @property
    def token(self) -> str:
        """What a person types to confirm: the serial, or the device's name where there is none, or another
        drive tells the same."""
        return self.serial if self.serial and not self.serial_shared else self.path.removeprefix("/dev/")
