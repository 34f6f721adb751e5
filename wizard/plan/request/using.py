"""Default mount points, and options that follow from a volume's owner. Pure."""

from collections.abc import Callable, Collection, Sequence

from msgspec.structs import replace

from wizard.filesystems.registry import MADE
from wizard.model.errors import BadInput, FrozenStruct
from wizard.model.layout import NO_PLACE, ROOT, Volume, Writer
from wizard.model.machine import Drive
from wizard.model.said import t
from wizard.operations.rules import mount_point_fault
from wizard.plan.request import volume_request
from wizard.plan.request.roles import SYSTEM_WORKLOAD

PLACES = "/srv"
"""Parent of mount points for data served by this machine (Filesystem Hierarchy Standard 3.0, 3.17)."""

PORTABLE_WORKLOAD = "portable"
MASKS = {"person": "0022", "group": "0002", "everyone": "0000"}
"""Permissions removed on filesystems without owners."""


class Usual(FrozenStruct):
    """Defaults of this system. `caller`: calling user, the default writer. `places`: parent of mount points.
    `taken`: unavailable folders: mounted, mounted at boot, or not empty. `fixed`: an fstab that cannot be
    changed, as on declarative systems; volumes then get no default mount point."""

    caller: Writer = ROOT
    places: str = PLACES
    taken: Collection[str] = ()
    fixed: str = ""


NO_USUAL = Usual()


def usual_purpose(drive: Drive) -> str:
    """Return the most likely workload for a drive, to preselect in the list."""
    if drive.is_often_unplugged and not drive.rotational:
        return PORTABLE_WORKLOAD
    return "ssd-general" if drive.rotational is False else "large-media"


def with_usual_place(
    spec: volume_request.VolumeSpec,
    drive: Drive,
    usual: Usual,
    others: Sequence[volume_request.VolumeSpec] = (),
    *,
    writer: Writer | None = None,
) -> volume_request.VolumeSpec:
    """Return a request with writer and mount point, as given or by default. NO_PLACE becomes no mount.
    `others`: other volumes of the drive.

    System volumes and swap belong to root and are only mounted on request. Raises BadInput if they are given
    a `writer`.
    """
    mounts = MADE[spec.choice.filesystem].mounts
    if writer is not None and (spec.role or not mounts):
        raise BadInput(t("Only root can write to swap and system volumes. Omit writable=."))
    is_systems_own = not mounts or bool(spec.role) or spec.workload.id == SYSTEM_WORKLOAD
    place = spec.mount_point
    at = None if mounts and place == NO_PLACE else place
    spec = replace(spec, mount_point=at, writer=writer or (ROOT if is_systems_own else usual.caller))
    if is_systems_own or place is not None or any(one.mount_point for one in spec.subvolumes):
        return spec
    # Desktops mount removable drives for exchange with other systems for the active user.
    exchanged = spec.workload.id == PORTABLE_WORKLOAD or not MADE[spec.choice.filesystem].holds.owners
    if writer is None and exchanged and drive.is_often_unplugged:
        return spec
    label = volume_request.with_unique_labels((*others, spec))[-1].final_label
    if usual.fixed:
        unmounted = t(
            "Cannot write {file} here, so {label} is not mounted. Mount {label} through your system's "
            "configuration.",
            file=usual.fixed,
            label=label,
        )
        return replace(spec, doubts=(*spec.doubts, unmounted))
    taken = {*usual.taken, *volume_request.places_of(*others)}
    return replace(spec, mount_point=free_place(usual.places, label, taken))


def free_place(places: str, label: str, taken: Collection[str]) -> str:
    """Return `/srv/LABEL`, or the first of `/srv/LABEL-2` and so on that is not `taken`, or above or below a
    taken one. Labels that are not valid folder names become data."""
    name = "data" if mount_point_fault(f"{places}/{label}") else label
    number, place = 1, f"{places}/{name}"
    while any(other == place or other.startswith(f"{place}/") for other in taken):
        number += 1
        place = f"{places}/{name}-{number}"
    return place


def owner_options(filesystem: str, writer: Writer, options: Sequence[str]) -> tuple[str, ...]:
    """Return mount options that give the writer access on filesystems without owners, except for options
    already present."""
    if filesystem not in MADE or MADE[filesystem].holds.owners or writer.kind not in MASKS:
        return ()
    mask = MASKS[writer.kind]
    owner = {"uid": writer.uid, "gid": writer.gid, "fmask": mask, "dmask": mask}
    asked = {option.partition("=")[0] for option in options}
    if "umask" in asked:
        asked |= {"fmask", "dmask"}
    # The kernel does not list root as owner.
    return tuple(f"{key}={value}" for key, value in owner.items() if value and key not in asked)


def made_options(volume: Volume, options: tuple[str, ...]) -> tuple[str, ...]:
    """Return mkfs options with the owner of the root directory, if mkfs can set a person as owner."""
    give = _way_to_give(volume)
    return give(options, volume.writer.uid, volume.writer.gid) if give else options


def _way_to_give(volume: Volume) -> Callable[[tuple[str, ...], int, int], tuple[str, ...]] | None:
    return None if volume.writer.kind != "person" or volume.subvolumes else MADE[volume.filesystem].gives_top


def is_given_afterwards(volume: Volume) -> bool:
    """Return True if the root directory's owner must be set after the filesystem is created."""
    kind = MADE[volume.filesystem]
    return kind.mounts and kind.holds.owners and volume.writer.kind != "root" and not _way_to_give(volume)
