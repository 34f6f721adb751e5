"""Operations on md arrays, LVM groups and other layers."""

import re
from pathlib import PurePath
from typing import Literal

from wizard.filesystems.kind import Commands
from wizard.model import layout
from wizard.model.errors import WhereUsed
from wizard.model.machine import Striping
from wizard.model.requests import Release
from wizard.model.said import KIB, MIB, Message, Sentence, format_duration, join, t
from wizard.operations import operation
from wizard.operations.rules import UUID_FORM, is_device_path

_LVM_NAME = re.compile(r"[A-Za-z0-9_.+][A-Za-z0-9_.+-]{0,126}")

MD_MEMBER, PHYSICAL_VOLUME = "linux_raid_member", "LVM2_member"
"""TYPE in libblkid."""

COPYING_BYTES_PER_SECOND = 200_000 * 1024
"""md's default speed limit for the initial copy of an idle array (md(4), speed_limit_max)."""

DATA_BYTES = MIB
"""Offset of a group's first extent in the partition: requested, and verified."""

EXTENT_BYTES = 4 * MIB
"""LVM's default (vgcreate(8), --physicalextentsize). Requested explicitly, because lvm.conf may differ."""

LVM_WITHOUT_UDEV = ("--config", "activation{udev_sync=0 udev_rules=0}")
"""LVM creates nodes itself without waiting for udev, which may be absent on rescue media or delayed by locked
drives."""


def array_uuid(uuid: str) -> str:
    """Format a UUID for mdadm: four groups of eight digits."""
    digits = uuid.replace("-", "")
    return ":".join(digits[at : at + 8] for at in range(0, 32, 8))


def physical_volume_uuid(uuid: str) -> str:
    """Format a UUID for LVM: seven groups, the first and last of six digits, the others of four."""
    digits = uuid.replace("-", "")
    return "-".join((digits[:6], *(digits[at : at + 4] for at in range(6, 26, 4)), digits[26:]))


def new_bytes(member: layout.Member, device: str) -> int:
    """Return the size of the new partition `device`. If the drive has no such partition, use its only new
    one, or the whole drive."""
    if device == member.drive.path:
        return member.drive.size_bytes
    new = member.after.changed
    matching = [slot for slot in new if member.node(slot.number) == device]
    return sum(slot.size_bytes for slot in matching or new[:1])


class MakeArray(operation.WritingTo):
    """Create the md array `device` from the partitions `parts`, in this order. `name` and `uuid` identify the
    array.

    `chunk_bytes` is 0 for RAID1.
    """

    name: str
    uuid: str
    chunk_bytes: int
    parts: tuple[str, ...]
    level: WhereUsed[layout.Level] = "raid0"

    says = Sentence(
        "Create the RAID0 {device} named {name} from {parts:and}, in chunks of {chunk_bytes:exact}."
    )
    programs = frozenset({"mdadm"})
    usual_seconds = 1.0

    @property
    def created(self) -> tuple[str, ...]:
        return (self.device,)

    @property
    def made(self) -> dict[str, tuple[str, str]]:
        return dict.fromkeys(self.parts, (MD_MEMBER, self.uuid))

    @property
    def mdadm_uuid(self) -> str:
        """The UUID in mdadm's format."""
        return array_uuid(self.uuid)

    @property
    def striping(self) -> Striping | None:
        """The expected layout of array and filesystem. Mirrors have none."""
        return None if self.copied else Striping(self.chunk_bytes, self.chunk_bytes * len(self.parts))

    @property
    def copied(self) -> tuple[str, ...]:
        """The parts of a mirror that md overwrites completely with the first one."""
        return self.parts[1:] if self.level == "raid1" else ()

    @property
    def copy_loss(self) -> str:
        """Description of the data overwritten by the initial copy. Empty without a copy."""
        if not self.copied:
            return ""
        return str(
            t("Everything on {parts:list}, overwritten from the first byte to the last.", parts=self.copied)
        )

    def sentence(self, context: operation.Context) -> Message:
        """Describe the operation, with the duration of md's copy in the background."""
        if not self.copied:
            return operation.filled(self.says, self)
        part = new_bytes(context.members_of(self.parts)[0], self.parts[0])
        mirror = Sentence(
            "Create the mirror (RAID1) {device} named {name} from {parts:and}. A write-intent bitmap limits "
            "the comparison after a crash to recent writes."
        )
        return join(
            operation.filled(mirror, self),
            t(
                "As soon as the mirror is in use, md copies all of {first} to the others. This takes at "
                "least {least} at md's limit of 200 MB/s, longer on slower drives. On a scratch copy "
                "(--assume-clean), md copies no data.",
                first=self.parts[0],
                least=format_duration(part / COPYING_BYTES_PER_SECOND),
            ),
            t("The volume is usable during the copy, but survives a failed drive only afterwards."),
        )

    def commands(self) -> Commands:
        """Return the command. `--run` confirms partitions with existing signatures. The home host `any` makes
        the name the same on all machines and rescue media (mdadm(8)). A write-intent bitmap limits the
        comparison after a crash to recent writes."""
        shape = (
            ("--level=1", "--bitmap=internal")
            if self.level == "raid1"
            else ("--level=0", f"--chunk={self.chunk_bytes // KIB}")
        )
        return (
            (
                *("mdadm", "--create", self.device, "--run", "--homehost=any", f"--name={self.name}"),
                *(f"--uuid={self.mdadm_uuid}", "--metadata=1.2", *shape),
                *(f"--raid-devices={len(self.parts)}", *self.parts),
            ),
        )

    def destroys(self, context: operation.Context) -> str:
        return " ".join((self.copy_loss, *context.overwritten(self.parts))) if self.copied else ""

    def holds(self, context: operation.Context) -> tuple[Message, ...]:
        """Describe the checks afterwards. Copies of a mirror are not compared, because copying continues."""
        level, kernel = (
            (
                "RAID1",
                t("The kernel reports {device} as unstriped and aligned on every drive.", device=self.device),
            )
            if self.striping is None
            else (
                "RAID0",
                t(
                    "The kernel reports {least:exact} minimum and {best:exact} optimal I/O size for "
                    "{device}, aligned on every drive.",
                    least=self.striping.unit_bytes,
                    best=self.striping.width_bytes,
                    device=self.device,
                ),
            )
        )
        seen = Sentence("mdadm reports on {device} and each part a {level} of {parts} with UUID {uuid}.")
        reported = seen(device=self.device, level=level, parts=len(self.parts), uuid=self.mdadm_uuid)
        return reported, kernel


class MakeVolumeGroup(operation.Writing):
    """Create LVM physical volumes on `parts`, with the UUIDs `uuids`, and the volume group `name` from
    them."""

    name: str
    parts: tuple[str, ...]
    uuids: tuple[str, ...]

    start = DATA_BYTES
    says = Sentence("Create the LVM volume group {name} on {parts:and}, with data from {start:exact} on.")
    checks = (
        Sentence("LVM reports the volume group {name} only on {parts:and}, with data from {start:exact} on."),
    )
    programs = frozenset({"lvs", "pvs", "vgs", "lvchange", "vgchange"})
    """The tools that check, activate and deactivate the group."""

    usual_seconds = 1.0

    @property
    def made(self) -> dict[str, tuple[str, str]]:
        uuids = map(physical_volume_uuid, self.uuids)
        return {part: (PHYSICAL_VOLUME, uuid) for part, uuid in zip(self.parts, uuids, strict=True)}

    def commands(self) -> Commands:
        """Return the commands. Data starts at 1 MiB, regardless of LVM's detection."""
        return (
            *(
                (
                    *("pvcreate", "--yes", "--norestorefile", "--uuid", uuid),
                    *("--dataalignment", "1m", part),
                )
                for part, (_, uuid) in self.made.items()
            ),
            ("vgcreate", "--physicalextentsize", "4m", self.name, *self.parts),
        )


class MakeLogicalVolume(operation.WritingTo):
    """Create the logical volume `name`, node `device`, with exactly `size_bytes` in `group`, contiguous if
    possible."""

    group: str
    name: str
    size_bytes: int

    says = Sentence("Create the logical volume {device}: {size_bytes:size} ({size_bytes} bytes).")
    checks = (
        Sentence("LVM reports {device} as a linear volume of exactly {size_bytes} bytes."),
        Sentence("The kernel reports {device} as aligned."),
    )
    usual_seconds = 1.0

    @property
    def created(self) -> tuple[str, ...]:
        return (self.device,)

    def commands(self) -> Commands:
        """Return the command. In a new group, volumes are contiguous anyway, so contiguous allocation is not
        required. Nothing is zeroed or erased until the filesystem is created, so undo is possible until
        then."""
        return (
            (
                *("lvcreate", "--yes", *LVM_WITHOUT_UDEV, "--type", "linear"),
                *("--size", f"{self.size_bytes}b"),
                *("--zero", "n", "--wipesignatures", "n", "--name", self.name, self.group),
            ),
        )


class StopLayer(operation.Setting):
    """Stop an md array, deactivate an LVM volume group or close an encrypted container, on these `members`.

    `device`: node of the array or container, or name of the group. `uuid`: of the array. `volumes`: the
    group's active logical volumes, as `group/volume`. `state`: of the array. `name`: the array's link in
    /dev/md, which udev creates only for arrays started by this name.
    """

    device: str
    layer: Literal["md", "lvm", "luks"]
    members: tuple[str, ...]
    uuid: str = ""
    volumes: tuple[str, ...] = ()
    state: Literal["active", "read-only", "inactive"] = "active"
    name: WhereUsed[str] = ""

    requests = (Release,)
    lasts = False

    aims = Sentence("{device} is not active")

    @property
    def once(self) -> str:
        return self.device

    @property
    def mapped_names(self) -> frozenset[str]:
        """The device mapper's names of a group's logical volumes. LVM doubles hyphens."""
        return frozenset(
            "-".join(part.replace("-", "--") for part in volume.split("/")) for volume in self.volumes
        )

    def sentence(self, context: operation.Context) -> Message:
        sentences = {
            "md": Sentence("Stop the array {device} on {members:and}."),
            "lvm": Sentence("Deactivate the volume group {device} on {members:and}."),
            "luks": Sentence("Close the container {device} on {members:and}."),
        }
        return operation.filled(sentences[self.layer], self)

    def commands_to(self, *, new: bool) -> Commands:
        """A layer starts with as many members and as writable as before. A container needs its key."""
        device, members = self.device, self.members
        match self.layer:
            case "luks":
                return (("cryptsetup", "close", PurePath(device).name),) if new else ()
            case "lvm":
                if new:
                    return (("vgchange", "--activate", "n", device),)
                return (("lvchange", "--yes", "--ignoreactivationskip", "--activate", "y", *self.volumes),)
            case "md":
                if new:
                    return (("mdadm", "--stop", device),)
                if self.state == "inactive":
                    return tuple(("mdadm", "--incremental", member) for member in members)
                read_only = ("--readonly",) if self.state == "read-only" else ()
                uuid = f"--uuid={array_uuid(self.uuid)}"
                node = self.name or device
                return (("mdadm", "--assemble", "--run", *read_only, node, uuid, *members),)

    def fits(self, subject: operation.Subject) -> bool:
        """Check the form. That the layers are on this drive follows from planning again, before they stop."""
        device, layer = self.device, self.layer
        if layer == "lvm":
            names = tuple(name.removeprefix(f"{device}/") for name in self.volumes)
            known = bool(names) and all(map(_LVM_NAME.fullmatch, (device, *names)))
        else:
            uuid_fits = bool(UUID_FORM.fullmatch(self.uuid)) if layer == "md" else not self.uuid
            start = "/dev/md" if layer == "md" else layout.MAPPER
            known = is_device_path(device) and device.startswith(start) and uuid_fits and not self.volumes
        if link := self.name:
            known = known and layer == "md" and is_device_path(link) and link.startswith(layout.ARRAY_LINKS)
        return known and bool(self.members) and all(map(is_device_path, self.members))

    @property
    def undo_obstacle(self) -> Message | None:
        if self.layer != "luks":
            return None
        return t("Unlock {device} again with `cryptsetup open`.", device=self.device)
