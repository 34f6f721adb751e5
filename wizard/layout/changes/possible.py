"""Whether an action on a filesystem that exists, or on its drive, is possible: the reason why not, in one
sentence. Pure, for menus and commands alike; `device` is the drive itself or a partition of it."""

from wizard.filesystems.kind import FilesystemKind
from wizard.filesystems.registry import KINDS, MADE
from wizard.layout.changes import words
from wizard.layout.room.refusals import in_use, unread_content
from wizard.model.machine import Drive, Machine, Signature
from wizard.model.names import printable
from wizard.model.said import Said, Sentence, t
from wizard.probe.host.uses import is_hidden

NEVER_MOUNTED = Sentence("{device} holds {title}, which is never mounted.")
NOT_MOUNTED = Sentence("{device} is not mounted.")

CAN_BE_OFF = frozenset({"usb", "scsi", "sata", "ata"})
"""The kernel drives these as SCSI disks, which it can let go of."""


def why_not_relabel(drive: Drive, device: str) -> Said | None:
    """Why its filesystem cannot get another label now, or None."""
    kind = filesystem_on(drive, device)
    if isinstance(kind, Said):
        return kind
    if drive.read_only:
        return words.READ_ONLY(drive=drive.path)
    if kind.relabelling is None:
        return t("diskwright cannot change the label of {title}.", title=kind.title)
    places = places_of(drive, device)
    if places and not kind.relabelling.mounted:
        return t(
            "{title} takes a new label only while unmounted; unmount {place} first.",
            title=kind.title,
            place=printable(places[0], 200),
        )
    if not places and _is_hidden(drive, device):
        return words.HIDDEN(device=device)
    return _other_use(drive, device)


def why_not_mount(machine: Machine, drive: Drive, device: str, *, boot: bool = False) -> Said | None:
    """Why it cannot be mounted now, or None. With `boot`, where every boot is meant, one that is mounted now
    is no reason."""
    kind = filesystem_on(drive, device)
    if isinstance(kind, Said):
        return kind
    if not kind.kernel_names:
        return NEVER_MOUNTED(device=device, title=kind.title)
    if (places := places_of(drive, device)) and not boot:
        return words.MOUNTED(device=device, places=tuple(printable(place, 200) for place in places))
    if not machine.kernel.filesystems.intersection(kind.kernel_names):
        return t("This kernel cannot mount {title}.", title=kind.title)
    return _other_use(drive, device)


def why_not_unmount(drive: Drive, device: str, *, boot: bool = False) -> Said | None:
    """Why it cannot be unmounted, or None. With `boot`, where its line in fstab is to go too, one that is not
    mounted is no reason. Who uses it is not looked at."""
    if needed := _needed(drive, device):
        return needed
    if places_of(drive, device) or (boot and not _is_hidden(drive, device)):
        return None
    return (words.HIDDEN if _is_hidden(drive, device) else NOT_MOUNTED)(device=device)


def why_not_remount(drive: Drive, device: str, *, has_line: bool, fstab: str = "fstab") -> Said | None:
    """Why its mount options cannot be changed, or None. They are those of its line in `fstab`, so `has_line`
    tells whether there is one."""
    kind = filesystem_on(drive, device)
    if isinstance(kind, Said):
        return kind
    if not kind.kernel_names:
        return NEVER_MOUNTED(device=device, title=kind.title)
    return (
        None
        if has_line
        else t("{file} has no line for {device}; mount it at boot first.", file=fstab, device=device)
    )


def why_not_tune(drive: Drive, device: str) -> Said | None:
    """Why nothing can be said of what would suit it better, or None."""
    kind = filesystem_on(drive, device)
    if isinstance(kind, Said):
        return kind
    if kind.name in MADE and MADE[kind.name].mounts:
        return None
    return words.NOT_ADVISED(device=device, filesystem=kind.title)


def why_not_bring(drive: Drive, device: str) -> Said | None:
    """Why no files can be brought to it, or None. They are written where it is mounted."""
    kind = filesystem_on(drive, device)
    if isinstance(kind, Said):
        return kind
    if drive.read_only:
        return words.READ_ONLY(drive=drive.path)
    if not places_of(drive, device):
        return (words.HIDDEN if _is_hidden(drive, device) else NOT_MOUNTED)(device=device)
    return None


def why_not_power_off(drive: Drive) -> Said | None:
    """Why the drive cannot be powered off, or None; what of it is mounted will be unmounted."""
    if drive.bus == "nvme":
        return t("{drive} is an NVMe drive, which cannot be powered off here.", drive=drive.path)
    if needed := _needed(drive, None):
        return needed
    if drive.bus not in CAN_BE_OFF or not (drive.bus == "usb" or drive.removable):
        return t("{drive} is not a removable drive.", drive=drive.path)
    hidden = next((use.subject for use in drive.uses if is_hidden(use)), None)
    if hidden is not None:
        return words.HIDDEN(device=hidden)
    return _other_use(drive, None)


def signatures_on(drive: Drive, device: str) -> tuple[Signature, ...]:
    """What was recognised on the drive itself, or on a partition of it."""
    part = drive.partition(device)
    return part.signatures if part is not None else drive.signatures if device == drive.path else ()


def filesystem_on(drive: Drive, device: str) -> FilesystemKind | Said:
    """The one filesystem on a device, or why there is none."""
    found = signatures_on(drive, device)
    if len(found) == 1 and not found[0].ambivalent and found[0].kind in KINDS:
        return KINDS[found[0].kind]
    if found:
        held = tuple(printable(signature.kind, 30) for signature in found)
        return t("{device} holds {what}, not a filesystem.", device=device, what=" and ".join(held))
    return (words.UNREAD if unread_content(drive) else Sentence("{device} holds no filesystem."))(
        device=device
    )


def places_of(drive: Drive, device: str) -> tuple[str, ...]:
    """Where a device is mounted, as far as this session sees."""
    return tuple(
        dict.fromkeys(
            use.by
            for use in drive.uses
            if use.kind == "mounted" and use.subject == device and isinstance(use.by, str)
        )
    )


def _is_hidden(drive: Drive, device: str) -> bool:
    return any(use.subject == device and is_hidden(use) for use in drive.uses)


def _needed(drive: Drive, device: str | None) -> Said | None:
    """That the running system needs a device, or with None any of the drive."""
    for use in drive.uses:
        if use.kind == "running-system" and device in (None, use.subject):
            return t(
                "The running system needs {device} ({place}).",
                device=use.subject,
                place=printable(str(use.by), 200),
            )
    return None


def _other_use(drive: Drive, device: str | None) -> Said | None:
    """How a device, or with None any of the drive, is in use otherwise than mounted."""
    for use in drive.uses:
        if use.kind not in ("mounted", "running-system") and device in (None, use.subject):
            return t("{use}.", use=in_use(use))
    return None
