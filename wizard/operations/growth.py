"""Operations that grow a mounted filesystem into the free space after its partition."""

from typing import Literal

from msgspec import Struct

from wizard.filesystems.kind import Commands
from wizard.filesystems.registry import KINDS
from wizard.model.errors import partition_path
from wizard.model.requests import Grow
from wizard.model.said import Message, Sentence, t
from wizard.operations.operation import Context, Setting, Subject

SYS_RESOURCE = 24
"""Number of CAP_SYS_RESOURCE (Linux include/uapi/linux/capability.h), which ext4 requires for growing
(fs/ext4/resize.c, ext4_resize_begin)."""


NO_GROWING = t(
    "The kernel does not let root grow a mounted ext filesystem here (CAP_SYS_RESOURCE). Unmount the "
    "filesystem first."
)
IN_TABLE = Sentence("{device} has {size:size} in the table and {kernel:size} in the kernel")


class ExtendPartition(Setting, Struct, frozen=True):
    """Change the size of partition `number` at `start_bytes` of `drive` from `old_bytes` to `new_bytes`. The
    rest of the table is unchanged, and the kernel is notified."""

    drive: str
    number: int
    start_bytes: int
    old_bytes: int
    new_bytes: int
    kind: Literal["extend-partition"] = "extend-partition"

    requests = (Grow,)

    says = Sentence("Extend {device} into the free space after it, to {new_bytes:size}, while in use.")
    undone = Sentence("The old end is restored if the filesystem has not grown.")

    @property
    def device(self) -> str:
        """Node of the partition."""
        return partition_path(self.drive, self.number)

    def commands_to(self, *, new: bool) -> Commands:
        # Also works while in use (partx(8)).
        return (("partx", "--update", "--nr", f"{self.number}:{self.number}", self.drive),)

    def edits(self, context: Context) -> tuple[str, ...]:
        entry = Sentence("{sign}{device}: {size} bytes from byte {start}")
        sizes = (("-", self.old_bytes), ("+", self.new_bytes))
        return tuple(
            str(entry(sign=sign, device=self.device, start=self.start_bytes, size=size))
            for sign, size in sizes
        )

    @property
    def goal(self) -> Message:
        return IN_TABLE(device=self.device, size=self.new_bytes, kernel=self.new_bytes)

    def fits(self, subject: Subject) -> bool:
        block, end = subject.drive.geometry.logical_block_bytes, self.start_bytes + self.new_bytes
        return (
            _grows(self, subject)
            and not any(n % block for n in (self.start_bytes, self.old_bytes, self.new_bytes))
            and self.drive == subject.drive.path
            and 0 < self.start_bytes < end <= subject.drive.size_bytes
            and any(isinstance(one, GrowMounted) for one in subject.settings)
        )


class GrowMounted(Setting, Struct, frozen=True):
    """Grow the `filesystem` on `device`, mounted at `mount_point`, from `old_bytes` to the `new_bytes` of its
    device. `member`: device number in a Btrfs."""

    device: str
    filesystem: str
    mount_point: str
    old_bytes: int
    new_bytes: int
    member: int = 1
    kind: Literal["grow-mounted"] = "grow-mounted"

    requests = (Grow,)

    says = Sentence("Grow the {title} on {device} to {new_bytes:size} while in use.")
    aims = Sentence("the filesystem fills {device}")

    @property
    def title(self) -> str:
        """Title of the filesystem."""
        return KINDS[self.filesystem].title

    @property
    def stays(self) -> Message | None:
        if self.commands_to(new=False):
            return None
        return t("{title} does not shrink while mounted", title=self.title)

    def commands_to(self, *, new: bool) -> Commands:
        growing = KINDS[self.filesystem].growing
        assert growing is not None and growing.in_use is not None, self.filesystem
        if new:
            return (growing.in_use(self.device, self.mount_point, self.member),)
        back = growing.shrinks_in_use
        return (back(self.device, self.mount_point, self.member, self.old_bytes),) if back else ()

    @property
    def is_ext(self) -> bool:
        return self.filesystem.startswith("ext")

    def tools(self) -> frozenset[str]:
        return Setting.tools(self) | ({"dumpe2fs"} if self.is_ext else set())

    def fits(self, subject: Subject) -> bool:
        growing = KINDS[subject.filesystem].growing
        sizes = {one.new_bytes for one in subject.settings if isinstance(one, ExtendPartition | GrowMounted)}
        return (
            _grows(self, subject)
            and self.filesystem == subject.filesystem
            and growing is not None
            and growing.in_use is not None
            and self.mount_point.startswith("/")
            and self.member >= 1
            and len(sizes) == 1
        )

    @property
    def undo_obstacle(self) -> Message | None:
        if self.stays is None:
            return None
        return t(
            "Growing cannot be undone: {title} does not shrink while mounted. The files are preserved.",
            title=self.title,
        )


def _grows(operation: ExtendPartition | GrowMounted, subject: Subject) -> bool:
    return (
        operation.device == subject.device
        and 0 < operation.old_bytes < operation.new_bytes < subject.drive.size_bytes
    )
