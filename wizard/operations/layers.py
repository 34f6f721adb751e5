"""Operations on encrypted containers (LUKS2), md arrays and LVM groups."""

import re
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal

from wizard.filesystems.kind import Argv
from wizard.model.errors import WHERE_USED, Failed
from wizard.model.layout import ARRAY_LINKS, MAPPER, Level
from wizard.model.requests import Release
from wizard.model.said import Message, Sentence, t
from wizard.operations.operation import Context, How, Setting, Subject, System, ValueState
from wizard.operations.rules import UUID_FORM, is_device_path

_LVM_NAME = re.compile(r"[A-Za-z0-9_.+][A-Za-z0-9_.+-]{0,126}")


@dataclass(frozen=True, slots=True)
class MakeContainer:
    """Create a LUKS2 container on the whole `device`, with data from `offset_bytes`."""

    device: str
    uuid: str
    sector_bytes: int
    offset_bytes: int
    kind: Literal["make-container"] = "make-container"


@dataclass(frozen=True, slots=True)
class OpenContainer:
    """Open the container with this UUID on `device` as `name`."""

    device: str
    uuid: str
    name: str
    kind: Literal["open-container"] = "open-container"

    @property
    def opened(self) -> str:
        """Node of the open container."""
        return f"{MAPPER}{self.name}"


@dataclass(frozen=True, slots=True)
class AddCrypttabLine:
    """Add a crypttab line for the container with this UUID, to be opened with the key file `key`, or by
    passphrase if empty."""

    uuid: str
    name: str
    key: str = ""
    kind: Literal["add-crypttab-line"] = "add-crypttab-line"


@dataclass(frozen=True, slots=True)
class MakeArray:
    """Create the md array `device` from the partitions `parts`, in this order. `name` and `uuid` identify the
    array.

    `chunk_bytes` is 0 for RAID1.
    """

    device: str
    name: str
    uuid: str
    chunk_bytes: int
    parts: tuple[str, ...]
    kind: Literal["make-array"] = "make-array"
    level: Level = field(default="raid0", metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class MakeVolumeGroup:
    """Create LVM physical volumes on `parts`, with the UUIDs `uuids`, and the volume group `name` from
    them."""

    name: str
    parts: tuple[str, ...]
    uuids: tuple[str, ...]
    kind: Literal["make-volume-group"] = "make-volume-group"


@dataclass(frozen=True, slots=True)
class MakeLogicalVolume:
    """Create the logical volume `name`, node `device`, with exactly `size_bytes` in `group`, contiguous if
    possible."""

    device: str
    group: str
    name: str
    size_bytes: int
    kind: Literal["make-logical-volume"] = "make-logical-volume"


@dataclass(frozen=True, slots=True)
class StopLayer(Setting):
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
    name: str = field(default="", metadata=WHERE_USED)
    kind: Literal["stop-layer"] = "stop-layer"

    requests = (Release,)
    lasts = False

    @property
    def once(self) -> str:
        return self.device

    @property
    def mapped_names(self) -> frozenset[str]:
        """The device mapper's names of a group's logical volumes. LVM doubles hyphens."""
        return frozenset(
            "-".join(part.replace("-", "--") for part in volume.split("/")) for volume in self.volumes
        )

    def sentence(self, context: Context) -> Message:
        sentences = {
            "md": Sentence("Stop the array {device} on {members:and}."),
            "lvm": Sentence("Deactivate the volume group {device} on {members:and}."),
            "luks": Sentence("Close the container {device} on {members:and}."),
        }
        return sentences[self.layer](device=self.device, members=self.members)

    def commands_to(self, *, new: bool) -> tuple[Argv, ...]:
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

    @property
    def goal(self) -> Message:
        return t("{device} is not active", device=self.device)

    def fits(self, subject: Subject) -> bool:
        """Check the form. That the layers are on this drive follows from planning again, before they stop."""
        device, layer = self.device, self.layer
        if layer == "lvm":
            names = tuple(name.removeprefix(f"{device}/") for name in self.volumes)
            known = bool(names) and all(map(_LVM_NAME.fullmatch, (device, *names)))
        else:
            uuid_fits = bool(UUID_FORM.fullmatch(self.uuid)) if layer == "md" else not self.uuid
            start = "/dev/md" if layer == "md" else MAPPER
            known = is_device_path(device) and device.startswith(start) and uuid_fits and not self.volumes
        if link := self.name:
            known = known and layer == "md" and is_device_path(link) and link.startswith(ARRAY_LINKS)
        return known and bool(self.members) and all(map(is_device_path, self.members))

    def foreign(self, system: System) -> Message | None:
        drive = system.foreign_drive(self.members)
        return t("This run may not touch {drive}.", drive=drive) if drive else None

    def read(self, system: System) -> ValueState:
        device = self.device
        match self.layer:
            case "md":
                arrays = [system.arrays_on(member) for member in self.members]
                some, every = any(arrays), bool(frozenset.intersection(*arrays))
            case "lvm":
                active = self.mapped_names & system.mapped_names()
                some, every = bool(active), active == self.mapped_names
            case "luks":
                name = PurePath(device).name
                some = every = name in system.mapped_names()
                if some and not system.is_mapped_on(name, self.members):
                    return ValueState(How.OTHER, t("{device} is on another device", device=device))
        if every:
            return ValueState(How.BEFORE, t("{device} is active", device=device))
        if some:
            return ValueState(How.HALF, t("{device} is partly active", device=device))
        return ValueState(How.AFTER, self.goal)

    def write(self, system: System, *, new: bool) -> None:
        device, members = self.device, self.members
        if new:
            for node in [f"{MAPPER}{name}" for name in sorted(self.mapped_names)] or [device]:
                if reason := system.use_of(node):
                    raise Failed(t("{node} is in use: {why}.", node=node, why=reason))
        # An array that starts without a member must copy everything later.
        elif not (
            system.has_array(members, self.uuid)
            if self.layer == "md"
            else system.group_members(device) == {*members}
        ):
            raise Failed(
                t(
                    "Cannot start {device}: a member changed or is missing ({members:and}).",
                    device=device,
                    members=members,
                )
            )
        Setting.write(self, system, new=new)
        wanted = How.AFTER if new else How.BEFORE
        system.wait_until(lambda: self.read(system).how is wanted)

    @property
    def undo_obstacle(self) -> Message | None:
        if self.layer != "luks":
            return None
        return t("Unlock {device} again with `cryptsetup open`.", device=self.device)


def array_uuid(uuid: str) -> str:
    """Format a UUID for mdadm: four groups of eight digits."""
    digits = uuid.replace("-", "")
    return ":".join(digits[at : at + 8] for at in range(0, 32, 8))
