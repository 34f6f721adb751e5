"""Explain why an action on an existing filesystem or drive is impossible, or return None.

One sentence per reason. Pure; for menus and commands. `device` is the drive or a partition.
"""

from wizard.filesystems.kind import UUID_TABLES, WRITTEN_UUIDS, FilesystemKind
from wizard.filesystems.registry import KINDS, MADE
from wizard.model.machine import Drive, Machine
from wizard.model.said import Message, Sentence, t
from wizard.operations.operation import AS_SENTENCE
from wizard.plan import refusals
from wizard.probe.host.uses import is_hidden

UNREAD = Sentence("Cannot read the contents of {device}: run as root.")
READ_ONLY = Sentence("{drive} is read-only.")
HIDDEN = Sentence("{device} is mounted outside this session's view; unmount {device} there.")
MOUNTED = Sentence("{device} is already mounted at {places:and}.")
NOT_ADVISED = Sentence("{device} contains {filesystem}, for which diskwright recommends nothing.")

NEVER_MOUNTED = Sentence("{device} contains {title}, which is never mounted.")
NO_UUID = Sentence("{device} has no UUID.")
NOT_MOUNTED = Sentence("{device} is not mounted.")

CAN_BE_OFF = frozenset({"usb", "scsi", "sata", "ata"})
"""Drives on these buses are SCSI disks to the kernel, which can detach them."""


def why_not_relabel(drive: Drive, device: str, *, uuid: bool = False) -> Message | None:
    """Return why the label, or with `uuid` the UUID, cannot be changed now, or None."""
    if uuid and (content := drive.content_on(device)) and content[0] in WRITTEN_UUIDS:
        return _why_not_written(drive, device, *content)
    kind = filesystem_on(drive, device)
    if isinstance(kind, Message):
        return kind
    if drive.read_only:
        return READ_ONLY(drive=drive)
    what = "UUID" if uuid else t("label")
    if not (kind.set_uuid if uuid else kind.relabelling):
        return t("diskwright cannot change the {what} of {title}.", what=what, title=kind.title)
    places = places_of(drive, device)
    if places and (uuid or not (kind.relabelling and kind.relabelling.mounted)):
        return t(
            "{title} accepts a new {what} only while unmounted; unmount {place} first.",
            what=what,
            title=kind.title,
            place=places[0],
        )
    if not places and _is_hidden(drive, device):
        return HIDDEN(device=device)
    return _other_use(drive, device)


def _why_not_written(drive: Drive, device: str, kind: str, uuid: str) -> Message | None:
    table = drive.table if kind in UUID_TABLES else None
    if drive.read_only:
        return READ_ONLY(drive=drive)
    if not uuid:
        return NO_UUID(device=device)
    if table is not None and kind != "mbr" and (table.primary, table.backup) != ("ok", "ok"):
        return t("The GPT of {drive} needs a repair first.", drive=drive)
    if any(mark.damaged_copy for mark in drive.signatures_on(device)):
        return t(
            "One of the two LUKS2 headers on {device} is damaged. Repair the header first: "
            "`cryptsetup repair {device}`.",
            device=device,
        )
    used = next((use for use in drive.uses if table is not None or use.subject == device), None)
    return AS_SENTENCE(clause=refusals.in_use(used)) if used else None


def why_not_mount(machine: Machine, drive: Drive, device: str, *, boot: bool = False) -> Message | None:
    """Return why the filesystem cannot be mounted now, or None. `boot`: it may already be mounted, since
    every boot is meant."""
    kind = filesystem_on(drive, device)
    if isinstance(kind, Message):
        return kind
    if not kind.kernel_names:
        return NEVER_MOUNTED(device=device, title=kind.title)
    if (places := places_of(drive, device)) and not boot:
        return MOUNTED(device=device, places=places)
    if driver_of(machine, kind) is None:
        return t("This kernel cannot mount {title}.", title=kind.title)
    return _other_use(drive, device)


def driver_of(machine: Machine, kind: FilesystemKind) -> str | None:
    """Return the type to mount it with: a driver of this kernel, or a FUSE program's. None without any."""
    known, helper = machine.kernel.filesystems, kind.mount_helper
    drivers = [name for name in (kind.name, *kind.kernel_names) if name in known & {*kind.kernel_names}]
    if helper and machine.has_tool(f"mount.{helper}") and not known.isdisjoint(("fuse", "fuseblk")):
        drivers.append(helper)
    return next(iter(drivers), None)


def why_not_unmount(drive: Drive, device: str, *, boot: bool = False) -> Message | None:
    """Return why the filesystem cannot be unmounted, or None. `boot`: it may already be unmounted, since its
    fstab line is removed. Programs that use it are not checked."""
    if needed := _needed_by_system(drive, device):
        return needed
    if places_of(drive, device) or (boot and not _is_hidden(drive, device)):
        return None
    return (HIDDEN if _is_hidden(drive, device) else NOT_MOUNTED)(device=device)


def why_not_remount(drive: Drive, device: str, *, has_line: bool, fstab: str = "fstab") -> Message | None:
    """Return why the mount options cannot be changed, or None. They are taken from its line in `fstab`, if
    `has_line`."""
    kind = filesystem_on(drive, device)
    if isinstance(kind, Message):
        return kind
    if not kind.kernel_names:
        return NEVER_MOUNTED(device=device, title=kind.title)
    if has_line:
        return None
    return t("{file} has no line for {device}; mount it at boot first.", file=fstab, device=device)


def why_not_tune(drive: Drive, device: str) -> Message | None:
    """Return why no settings are recommended for the filesystem, or None."""
    kind = filesystem_on(drive, device)
    if isinstance(kind, Message):
        return kind
    if kind.name in MADE and MADE[kind.name].mounts:
        return None
    return NOT_ADVISED(device=device, filesystem=kind.title)


def why_not_bring(drive: Drive, device: str) -> Message | None:
    """Return why files cannot be copied to the filesystem, or None. It must be mounted."""
    kind = filesystem_on(drive, device)
    if isinstance(kind, Message):
        return kind
    if drive.read_only:
        return READ_ONLY(drive=drive)
    if not places_of(drive, device):
        return (HIDDEN if _is_hidden(drive, device) else NOT_MOUNTED)(device=device)
    return None


def why_not_power_off(drive: Drive) -> Message | None:
    """Return why the drive cannot be powered off, or None. Its mounted filesystems will be unmounted."""
    if needed := _needed_by_system(drive, None):
        return needed
    if drive.bus not in CAN_BE_OFF or not (drive.bus == "usb" or drive.removable):
        return t("{drive} is not a removable drive.", drive=drive)
    hidden = next((use.subject for use in drive.uses if is_hidden(use)), None)
    if hidden is not None:
        return HIDDEN(device=hidden)
    return _other_use(drive, None)


def label_on(drive: Drive, device: str) -> str | None:
    """Return the first label on a device, or None."""
    return next((mark.label for mark in drive.signatures_on(device) if mark.label), None)


def filesystem_on(drive: Drive, device: str) -> FilesystemKind | Message:
    """Return the only filesystem on a device, or why there is none to use."""
    if (part := drive.partition(device)) is not None and part.overhang is not None:
        return t("The filesystem on {device} is larger than its partition.", device=device)
    found = drive.signatures_on(device)
    if len(found) == 1 and not found[0].ambivalent and found[0].kind in KINDS:
        return KINDS[found[0].kind]
    return no_filesystem(drive, device)


def no_filesystem(drive: Drive, device: str) -> Message:
    """Describe a device without exactly one filesystem."""
    if found := drive.signatures_on(device):
        contents = tuple(signature.kind for signature in found)
        return t("{device} contains {what:and}, not a filesystem.", device=device, what=contents)
    none = UNREAD if refusals.unread_content(drive) else Sentence("{device} contains no filesystem.")
    return none(device=device)


def places_of(drive: Drive, device: str) -> tuple[str, ...]:
    """Return the mount points of a device that are visible in this session."""
    uses = (use.by for use in drive.uses if use.kind == "mounted" and use.subject == device)
    return tuple(dict.fromkeys(place for place in uses if isinstance(place, str)))


def _is_hidden(drive: Drive, device: str) -> bool:
    return any(use.subject == device and is_hidden(use) for use in drive.uses)


def _needed_by_system(drive: Drive, device: str | None) -> Message | None:
    """Return a message if the running system needs a device, or if None any device of the drive."""
    for use in drive.uses:
        if use.kind == "running-system" and device in (None, use.subject):
            return t("The running system needs {device} ({place}).", device=use.subject, place=str(use.by))
    return None


def _other_use(drive: Drive, device: str | None) -> Message | None:
    """Return how a device, or if None any device of the drive, is used other than by a mount."""
    for use in drive.uses:
        if use.kind not in ("mounted", "running-system") and device in (None, use.subject):
            return AS_SENTENCE(clause=refusals.in_use(use))
    return None
