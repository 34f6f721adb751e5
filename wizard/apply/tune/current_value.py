"""How something that is changed in use stands: as it was found, as it is to be, or otherwise. The one place
that reads all of it."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from wizard.apply.run.environment import LOOK_SECONDS
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.mounts import Mounted, is_mounted, mounted_at, read_mounts
from wizard.layout.changes.lines import edited, is_edited
from wizard.layout.changes.possible import signatures_on
from wizard.layout.changes.steps_of import new_rules, queue_file
from wizard.layout.changes.tuning import Superblock
from wizard.model.changes import (
    ChangeOperation,
    EditFstab,
    PowerOff,
    Relabel,
    Remount,
    ReserveBlocks,
    SetQueue,
    SwitchOnTimer,
    Unmount,
    WriteRules,
)
from wizard.model.errors import BadInput, Failed
from wizard.model.identity import Identity
from wizard.model.names import printable
from wizard.model.plan import Mount
from wizard.probe.host.sysfs import SYS, name_of, text
from wizard.probe.machine import probe_drive
from wizard.tools.program import find, run

SYSTEMD = Path("/run/systemd/system")
FSTRIM_TIMER = "fstrim.timer"
_SUPERBLOCK = re.compile(r"(?m)^(Block count|Reserved block count|Block size):\s+(\d+)$")


class How(StrEnum):
    """BEFORE: as the document found it. AFTER: as it is to be. OTHER: neither, so somebody else has changed
    it."""

    BEFORE = "before"
    AFTER = "after"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Standing:
    """How something stands; `seen` is a clause for a person."""

    how: How
    seen: str


def standing(operation: ChangeOperation, drive: Identity) -> Standing:
    """How what the operation changes stands now. Raises Failed or BadInput where that cannot be read."""
    match operation:
        case ReserveBlocks(device=device, old_blocks=old, new_blocks=new):
            found = superblock(device)
            return _of(found.reserved_blocks, old, new, f"{found.reserved_blocks} blocks are kept for root")
        case Remount(device=device, mount_point=place, old=old_words, new=new_words):
            mounted = mounted_from(device, place)
            if mounted is None:
                return Standing(How.OTHER, f"{device} is not mounted at {printable(place, 200)}")
            return _of(
                {*mounted.words}, {*old_words}, {*new_words}, f"it is mounted with {','.join(mounted.words)}"
            )
        case EditFstab():
            return _line_standing(operation)
        case Relabel() | Mount() | Unmount() | PowerOff():
            return _action_standing(operation, drive)
        case SetQueue(old=value, new=wanted):
            now = queue_value(operation)
            return _of(now, value, wanted, f"{queue_file(operation)} says {printable(now or 'nothing', 40)}")
        case WriteRules(file=file, old=rules):
            held = read_rules(Path(file))
            wanted = new_rules(operation, drive)
            seen = (
                "is not there"
                if held is None
                else "holds the new lines"
                if held == wanted
                else "holds other lines"
            )
            return _of(held, rules, wanted, f"{file} {seen}")
        case SwitchOnTimer():
            enabled = timer_state()
            return _of(
                enabled,
                "disabled",
                "enabled",
                f"systemd says that {operation.unit} is {printable(enabled or 'unknown', 40)}",
            )


def _of(seen: object, before: object, after: object, said: str) -> Standing:
    return Standing(How.AFTER if seen == after else How.BEFORE if seen == before else How.OTHER, said)


def _action_standing(operation: Relabel | Mount | Unmount | PowerOff, drive: Identity) -> Standing:
    match operation:
        case Relabel(device=device, old=old, new=new):
            label = label_on(drive.path, device)
            return _of(label, old, new, f"{device} has the label '{printable(label, 300)}'")
        case Mount(device=device, mount_point=place):
            other = mounted_at(place)
            if is_mounted(operation):
                return Standing(How.AFTER, f"{device} is mounted at {printable(place, 200)}")
            if other is None:
                return Standing(How.BEFORE, f"nothing is mounted at {printable(place, 200)}")
            return Standing(How.OTHER, f"{printable(other.source)} is mounted at {printable(place, 200)}")
        case Unmount(device=device, mount_point=place):
            found = [one for one in read_mounts() if one.mount_point == place and is_mount_of(one, device)]
            shown = f"{device} is {'' if found else 'not '}mounted at {printable(place, 200)}"
            return Standing(How.BEFORE if found else How.AFTER, shown)
        case PowerOff(device=device):
            there = (SYS / "class/block" / name_of(device)).exists()
            return Standing(
                How.BEFORE if there else How.AFTER,
                f"the kernel {'has' if there else 'no longer has'} {device}",
            )


def label_on(drive: str, device: str) -> str:
    """The label of the one filesystem on a device, empty where it has none; raises Failed where there is no
    such filesystem."""
    found = signatures_on(probe_drive(drive, seconds=LOOK_SECONDS), device)
    if len(found) != 1:
        raise Failed(f"{device} no longer holds one filesystem.")
    return found[0].label or ""


def _line_standing(operation: EditFstab) -> Standing:
    """A line that was changed stays changed whatever becomes of the others; one that is to be changed stands
    in the very same file."""
    held = read_text(Path(operation.file))
    if is_edited(operation, held):
        return Standing(How.AFTER, "the new lines are there once, and no old one")
    if edited(operation, held) is not None:
        return Standing(How.BEFORE, "the file is as it was")
    return Standing(How.OTHER, f"{printable(operation.file, 200)} was changed")


def superblock(device: str) -> Superblock:
    """What an ext filesystem's superblock says; raises Failed where dumpe2fs does not tell."""
    found = {
        key: int(value)
        for key, value in _SUPERBLOCK.findall(run(["dumpe2fs", "-h", device], seconds=LOOK_SECONDS).output)
    }
    if len(found) != 3:
        raise Failed(f"dumpe2fs does not say how many blocks of {device} are kept for root.")
    return Superblock(found["Block count"], found["Reserved block count"], found["Block size"])


def mounted_from(device: str, place: str) -> Mounted | None:
    """The topmost mount at a place, where that is one of this device."""
    found = mounted_at(place)
    return found if found is not None and is_mount_of(found, device) else None


def is_mount_of(mounted: Mounted, device: str) -> bool:
    """Whether a mount is one of this device. What the kernel started from it calls /dev/root, whatever it
    is."""
    return mounted.source == device or (mounted.source == "/dev/root" and _is_on(device, mounted.mount_point))


def _is_on(device: str, place: str) -> bool:
    try:
        return Path(place).stat().st_dev == Path(device).stat().st_rdev
    except OSError:
        return False


def queue_value(operation: SetQueue) -> str | None:
    """The value now; None where it cannot be read. Of several to choose from the kernel puts the one in force
    in brackets."""
    said = text(Path(queue_file(operation)))
    chosen = re.search(r"\[(.+?)\]", said or "")
    return chosen[1] if chosen else said


def read_rules(path: Path) -> str | None:
    """What a file of udev's rules holds; None where there is none. Raises BadInput where it cannot be
    read."""
    return read_text(path) if path.exists() else None


def timer_state() -> str | None:
    """What systemd says of the timer that trims once a week: enabled, disabled, masked ...; None where
    systemd does not run."""
    if not SYSTEMD.exists() or find("systemctl") is None:
        return None
    try:
        return (
            run(
                ["systemctl", "is-enabled", FSTRIM_TIMER], seconds=LOOK_SECONDS, accept=range(256)
            ).output.strip()
            or None
        )
    except Failed as error:
        raise BadInput(str(error)) from None
