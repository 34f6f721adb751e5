"""Default mount points, and options that follow from a volume's owner. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from wizard.filesystems.registry import MADE
from wizard.model.errors import BadInput
from wizard.model.machine import Drive
from wizard.model.operations import ROOT, Writer
from wizard.model.plan import NO_PLACE, Volume
from wizard.model.said import t
from wizard.plan.messages import FIXED
from wizard.plan.request.roles import SYSTEM_WORKLOAD
from wizard.plan.request.subvolumes import places_of
from wizard.plan.request.volume_request import Wish, told_apart
from wizard.plan.rules import mount_point_fault

PLACES = "/srv"
"""Where data that this machine holds is mounted (Filesystem Hierarchy Standard 3.0, 3.17)."""

PORTABLE_WORKLOAD = "portable"
PULLED_BUSES = ("usb", "mmc")
MASKS = {"person": "0022", "group": "0002", "everyone": "0000"}
"""What is taken from all permissions where a filesystem keeps none."""


@dataclass(frozen=True, slots=True)
class Usual:
    """What is usual here: who called may write, and volumes are mounted below `places`, but for the folders
    that are `taken`: mounted, to be mounted at boot, or holding something. `fixed` is a file of mounts at
    boot that nobody can change, as on a system made from a description; then nothing is mounted by itself.
    """

    caller: Writer = ROOT
    places: str = PLACES
    taken: Collection[str] = ()
    fixed: str = ""


def put_to_use(
    wish: Wish,
    drive: Drive,
    usual: Usual,
    others: Sequence[Wish] = (),
    *,
    writer: Writer | None = None,
    place: str | None = None,
) -> Wish:
    """A wish with who may write and where it is mounted, as was said, or else as is usual; `place` NO_PLACE
    mounts it nowhere. `others` are the drive's other volumes.

    What a system lives on, and swap, are left alone: root writes there, and nothing of it is mounted unless
    that is said. Raises BadInput for a `writer` of those.
    """
    mounts = MADE[wish.choice.filesystem].mounts
    if writer is not None and (wish.role or not mounts):
        raise BadInput(
            str(
                t("Only root can write to a system volume. Omit writable=.")
                if mounts
                else t("Only root can write to swap. Omit writable=.")
            )
        )
    if mounts and place is not None:
        at = None if place == NO_PLACE else place
        usually = ROOT if is_systems_own(wish) else usual.caller
        return replace(wish, mount_point=at, writer=writer or usually)
    if not mounts or is_systems_own(wish):
        return replace(wish, mount_point=place, writer=writer or ROOT)
    used = replace(wish, mount_point=None, writer=writer or usual.caller)
    if any(one.mount_point for one in wish.subvolumes):
        return used
    if writer is None and is_left_to_desktop(wish, drive):
        return used
    label = told_apart((*others, wish))[-1].final_label
    if usual.fixed:
        return replace(used, doubts=(*used.doubts, FIXED(file=usual.fixed, label=label)))
    theirs = [at for one in others for at in places_of(one.mount_point, one.subvolumes)]
    return replace(used, mount_point=free_place(usual.places, label, {*usual.taken, *theirs}))


def is_systems_own(wish: Wish) -> bool:
    """Whether it is a system's, and no person's data."""
    return bool(wish.role) or wish.workload.id == SYSTEM_WORKLOAD


def is_left_to_desktop(wish: Wish, drive: Drive) -> bool:
    """Whether it is for other systems, on a drive that goes with them: a desktop mounts that for whoever sits
    there."""
    pulled = bool(drive.removable) or drive.bus in PULLED_BUSES
    return pulled and (wish.workload.id == PORTABLE_WORKLOAD or not MADE[wish.choice.filesystem].holds.owners)


def free_place(places: str, label: str, taken: Collection[str]) -> str:
    """`/srv/LABEL`, or the first of `/srv/LABEL-2` and so on that is not `taken`, nor above or below one that
    is; a label that can be no folder's name is called data."""
    name = "data" if mount_point_fault(f"{places}/{label}") else label
    number, place = 1, f"{places}/{name}"
    while any(other == place or other.startswith(f"{place}/") for other in taken):
        number += 1
        place = f"{places}/{name}-{number}"
    return place


def owner_options(filesystem: str, writer: Writer, options: Sequence[str]) -> tuple[str, ...]:
    """The mount options that let the writer write where the filesystem keeps no owners, but for those of
    `options` that were asked for."""
    if filesystem not in MADE or MADE[filesystem].holds.owners or writer.kind not in MASKS:
        return ()
    mask = MASKS[writer.kind]
    owner = {"uid": writer.uid, "gid": writer.gid, "fmask": mask, "dmask": mask}
    asked = {option.partition("=")[0] for option in options}
    if "umask" in asked:
        asked |= {"fmask", "dmask"}
    # The kernel lists no owner that is root.
    return tuple(f"{key}={value}" for key, value in owner.items() if value and key not in asked)


def is_given_when_made(volume: Volume) -> bool:
    """Whether the filesystem's maker gives it to the writer: a person, who needs no other permissions than
    the usual."""
    return (
        volume.writer.kind == "person"
        and not volume.subvolumes
        and MADE[volume.filesystem].gives_top is not None
    )


def made_options(volume: Volume, options: tuple[str, ...]) -> tuple[str, ...]:
    """The maker's options with the owner of the top, where it can be given one."""
    give = MADE[volume.filesystem].gives_top
    if give is None or not is_given_when_made(volume):
        return options
    return give(options, volume.writer.uid, volume.writer.gid)


def is_given_afterwards(volume: Volume) -> bool:
    """Whether the top has to be given to the writer once the filesystem is made."""
    kind = MADE[volume.filesystem]
    return (
        kind.mounts and kind.holds.owners and volume.writer.kind != "root" and not is_given_when_made(volume)
    )
