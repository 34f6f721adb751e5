"""Operations that create a filesystem, fill it with subvolumes, or resize a filesystem."""

from collections.abc import Sequence
from itertools import pairwise

from wizard.filesystems.kind import Argv, Commands, Growing
from wizard.filesystems.registry import KINDS, MADE
from wizard.model.errors import WhereUsed
from wizard.model.layout import NewFilesystem, Writer
from wizard.model.requests import Grow
from wizard.model.said import TIB, Message, Sentence, join, t, tn
from wizard.operations import operation
from wizard.operations.layers import MakeLogicalVolume, new_bytes
from wizard.operations.mounts import Mount
from wizard.operations.table import ExtendPartition, wipe

PRIVATE_PLACES = "/run/diskwright"
"""Only accessible to root, and cleared at reboot."""

CREATED = Sentence("Create {what:and}.")
CLEAN = Sentence("The check of {device} reports a clean filesystem.")


class MakeFilesystem(NewFilesystem, operation.Writing):
    """Create a filesystem."""

    @property
    def made(self) -> dict[str, tuple[str, str]]:
        return dict.fromkeys(self.devices, (self.filesystem, self.uuid))

    @property
    def programs(self) -> frozenset[str]:
        kind = MADE[self.filesystem]
        reader = kind.superblock_reader if self.striping or self.others else ()
        return frozenset((*kind.clean_check[:1], *reader[:1]))

    @property
    def is_mirrored(self) -> bool:
        """True if Btrfs stores two copies of all data."""
        return ("-d", "raid1") in pairwise(self.options)

    def sentence(self, context: operation.Context) -> Message:
        form = Sentence("Create the {filesystem} {noun} {label!r} on {devices:and}.")
        created = operation.filled(form, self, MADE[self.filesystem])
        if not self.others:
            return created
        spread = t("One copy of data and metadata is spread across all devices.")
        if self.is_mirrored:
            spread = t(
                "Data and metadata each have two copies on different drives (raid1). Bad blocks are repaired "
                "from the other copy."
            )
        elif ("-m", "raid1") in pairwise(self.options):
            spread = t(
                "Data has one copy across all devices, and metadata has two copies (raid1). Metadata can be "
                "repaired, files cannot."
            )
        return join(created, spread)

    def summary(self, sentence: str) -> operation.Summary:
        """Name all new filesystems together, except those on several devices."""
        if self.others:
            return sentence
        return CREATED, f"{MADE[self.filesystem].title} {self.label}"

    def commands(self) -> Commands:
        """Return the commands. Old data of an array's members may resemble a signature in the new
        filesystem, so wipefs comes first."""
        is_inside = self.striping or self.mirrored or self.logical
        return (*([wipe(self.device)] if is_inside else []), *MADE[self.filesystem].commands(self))

    def destroys(self, context: operation.Context) -> str:
        """Describe the old data. Creating a container already destroys all data inside."""
        if context.under(self.device) != self.device:
            return ""
        return " ".join(context.overwritten(self.devices))

    def holds(self, context: operation.Context) -> tuple[Message, ...]:
        devices = self.devices
        holds = [
            operation.RECOGNISED(devices=devices, what=self.filesystem, uuid=self.uuid, count=len(devices))
        ]
        if self.striping:
            holds.append(
                t(
                    "The superblock reports a stripe unit of {unit:exact} and a stripe width of "
                    "{width:exact}.",
                    unit=self.striping.unit_bytes,
                    width=self.striping.width_bytes,
                )
            )
        if self.others:
            count = len(devices)
            holds.append(t("The filesystem uses {devices} devices, with data as planned.", devices=count))
        if MADE[self.filesystem].clean_check:
            holds.append(CLEAN(device=self.device))
        return tuple(holds)

    def seconds(self, context: operation.Context) -> float:
        least, solid_state, rotating = MADE[self.filesystem].seconds
        members = context.members_of(self.devices)
        per_tib = solid_state if all(member.drive.rotational is False for member in members) else rotating
        volumes = (one for one in context.operations if isinstance(one, MakeLogicalVolume))
        logical = [one.size_bytes for one in volumes if one.device == self.device]
        sizes = logical or [new_bytes(member, context.under(self.device)) for member in members]
        return round(least + per_tib * sum(sizes) / TIB, 1)


def _between(mount: Mount, commands: Sequence[Argv]) -> Commands:
    return (*mount.commands(), *commands, ("umount", mount.mount_point))


class Inside(operation.WritingTo):
    """An operation inside the filesystem on `device`, which is mounted temporarily."""

    filesystem: str
    uuid: str

    overwrites = False

    @property
    def others(self) -> tuple[str, ...]:
        """Further devices of a multi-device Btrfs."""
        return ()

    @property
    def mount(self) -> Mount:
        """The temporary mount. The mount point contains the UUID, so runs do not conflict."""
        kind, place = MADE[self.filesystem], f"{PRIVATE_PLACES}/{self.uuid}"
        return Mount(self.device, place, kind.kernel_names[0], kind.quiet_options, others=self.others)

    def inside(self) -> Commands:
        """Return the commands while mounted."""
        raise NotImplementedError

    def commands(self) -> Commands:
        return _between(self.mount, self.inside())

    def edits(self, context: operation.Context) -> tuple[str, ...]:
        return (str(t("directory {place}, temporarily", place=self.mount.mount_point)),)


class MakeSubvolumes(Inside):
    """Create the subvolumes `names`, paths from the top level of the filesystem on `device`, in this order.

    `others`: further devices of a multi-device Btrfs. The filesystem is mounted temporarily, at a mount point
    named by the `uuid`.
    """

    names: tuple[str, ...]
    others: WhereUsed[tuple[str, ...]] = ()

    checks = (Sentence("Btrfs lists exactly {names:and} on {device}."),)

    def sentence(self, context: operation.Context) -> Message:
        return tn(
            "Create the subvolume {names:list} in the filesystem on {device}.",
            "Create the subvolumes {names:list} in the filesystem on {device}.",
            names=self.names,
            device=self.device,
            count=len(self.names),
        )

    def inside(self) -> Commands:
        """Return the commands while mounted."""
        place = self.mount.mount_point
        return tuple(("btrfs", "subvolume", "create", f"{place}/{name}") for name in self.names)


class SetOwner(Inside):
    """Set the owner of the root directory of the filesystem on `device`, and of the subvolumes `names`.

    `others`: further devices of a multi-device Btrfs. The filesystem is mounted temporarily, at a mount point
    named by the `uuid`.
    """

    writer: Writer
    names: tuple[str, ...] = ()
    others: WhereUsed[tuple[str, ...]] = ()

    def sentence(self, context: operation.Context) -> Message:
        return t(
            "Allow {who} to write to the filesystem on {device}.", who=self.writer.shown, device=self.device
        )

    def summary(self, sentence: str) -> operation.Summary:
        """Omitted: the volume shows who may write."""
        return ""

    def inside(self) -> Commands:
        """Return the commands while mounted."""
        place, writer = self.mount.mount_point, self.writer
        places = (place, *(f"{place}/{name}" for name in self.names))
        return (
            ("chown", f"{writer.uid}:{writer.gid}", *places),
            ("chmod", f"{writer.mode:04o}", *places),
        )

    def result(self) -> Message:
        """Describe the result."""
        return t(
            "The top of {device} belongs to {uid}:{gid}, mode {mode}.",
            device=self.device,
            uid=self.writer.uid,
            gid=self.writer.gid,
            mode=f"{self.writer.mode:o}",
        )

    def holds(self, context: operation.Context) -> tuple[Message, ...]:
        return (self.result(),)


class Resize(operation.WritingTo):
    """Resize the `filesystem` on `device` to `size_bytes` and preserve all files."""

    filesystem: str
    size_bytes: int

    checks = (CLEAN,)
    grows = False

    @property
    def title(self) -> str:
        return KINDS[self.filesystem].title

    @property
    def growing(self) -> Growing | None:
        """Commands to grow and shrink the filesystem, or None."""
        return KINDS[self.filesystem].growing

    @property
    def mount(self) -> Mount:
        """The temporary mount. The mount point contains the node, so runs do not conflict."""
        options = self.growing.mount_options if self.growing else ()
        place = f"{PRIVATE_PLACES}/{self.device.removeprefix('/dev/').replace('/', '-')}"
        return Mount(self.device, place, KINDS[self.filesystem].kernel_names[0], options)

    @property
    def programs(self) -> frozenset[str]:
        return frozenset((*self.growing.check[:1], *self.growing.programs)) if self.growing else frozenset()

    def resize(self, growing: Growing, place: str) -> Commands:
        """Return the commands for a node, or for a mount point if the filesystem is resized while mounted."""
        raise NotImplementedError

    def inside(self) -> Commands:
        """Return the commands while mounted."""
        return self.resize(self.growing, self.mount.mount_point) if self.growing else ()

    def commands(self) -> Commands:
        if self.growing is None:
            return ()
        if self.growing.mounted:
            return _between(self.mount, self.inside())
        return self.resize(self.growing, self.device)

    def seconds(self, context: operation.Context) -> float:
        """Estimate the duration in seconds. The check reads every inode twice."""
        return round(2.0 + 20.0 * self.size_bytes / TIB, 1)


class GrowFilesystem(Resize):
    """Grow the filesystem on `device` to fill its partition, which has been extended to `size_bytes`."""

    grows = True

    says = Sentence("Grow the {title} filesystem on {device} to {size_bytes:size}, preserving all files.")

    def resize(self, growing: Growing, place: str) -> Commands:
        return growing.commands(place)


class ShrinkFilesystem(Resize):
    """Shrink the filesystem on `device` to at most `size_bytes`, the future size of its partition."""

    says = Sentence("Shrink the {title} filesystem on {device} to {size_bytes:size}, preserving all files.")

    def resize(self, growing: Growing, place: str) -> Commands:
        return growing.smaller(place, self.size_bytes) if growing.smaller else ()


SYS_RESOURCE = 24
"""Number of CAP_SYS_RESOURCE (Linux include/uapi/linux/capability.h), which ext4 requires for growing
(fs/ext4/resize.c, ext4_resize_begin)."""

NO_GROWING = t(
    "The kernel does not let root grow a mounted ext filesystem here (CAP_SYS_RESOURCE). Unmount the "
    "filesystem first."
)


class GrowMounted(operation.Setting):
    """Grow the `filesystem` on `device`, mounted at `mount_point`, from `old_bytes` to the `new_bytes` of its
    device. `member`: device number in a Btrfs."""

    device: str
    filesystem: str
    mount_point: str
    old_bytes: int
    new_bytes: int
    member: int = 1

    requests = (Grow,)
    turn = 1

    says = Sentence("Grow the {title} on {device} to {new_bytes:size} while in use.")
    aims = Sentence("the filesystem fills {device}")

    @property
    def title(self) -> str:
        """Title of the filesystem."""
        return KINDS[self.filesystem].title

    @property
    def stays(self) -> bool:
        return not self.commands_to(new=False)

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

    @property
    def programs(self) -> frozenset[str]:
        return frozenset({"dumpe2fs"} if self.is_ext else ())

    def fits(self, subject: operation.Subject) -> bool:
        growing = KINDS[subject.filesystem].growing
        extended = (one for one in subject.settings if isinstance(one, ExtendPartition))
        return (
            0 < self.old_bytes < self.new_bytes < subject.drive.size_bytes
            and self.filesystem == subject.filesystem
            and growing is not None
            and growing.in_use is not None
            and self.mount_point.startswith("/")
            and self.member >= 1
            and all(one.new_bytes == self.new_bytes for one in extended)
        )

    @property
    def undo_obstacle(self) -> Message | None:
        if self.stays:
            return t(
                "Growing cannot be undone: {title} does not shrink while mounted. The files are preserved.",
                title=self.title,
            )
        return None
