"""What of a plan another tool's format has no words for: one sentence each. Pure."""

from collections.abc import Iterator

from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.model.plan import Layout, Member, Plan, Volume
from wizard.model.said import t


def member_of(plan: Plan, device: str | None) -> Member:
    """The drive that is meant: the only one, or the one at `device`. Raises BadInput."""
    if device is None:
        if plan.others:
            raise BadInput(
                t("The plan is for {drives:and}; name one of them with --device.", drives=plan.paths)
            )
        return plan.members[0]
    found = next((member for member in plan.members if member.drive.path == device), None)
    if found is None:
        raise BadInput(
            t(
                "The plan is not for {drive}; it is for {drives:and}.",
                drive=printable(device, 60),
                drives=plan.paths,
            )
        )
    return found


def table_of(member: Member) -> Layout:
    """What the drive is to have; raises BadInput where that is no table."""
    if member.after.whole is not None or member.after.table not in ("gpt", "mbr"):
        raise BadInput(t("{drive} gets no partition table by this plan.", drive=member.drive.path))
    return member.after


def lacking(plan: Plan, makes: frozenset[str] = frozenset()) -> Iterator[str]:
    """What is missing beside the table. `makes` are the filesystems that the tool makes itself, though with
    options and a UUID of its own."""
    if plan.stripe is not None:
        yield str(t("Not in it: the array over several drives, made by {kind}.", kind=plan.stripe.kind))
    if plan.group is not None:
        yield str(t("Not in it: the volume group {name} of LVM's.", name=plan.group.name))
    for volume in plan.volumes:
        yield from map(str, _of_volume(plan, volume, makes))


def is_plain(plan: Plan, volume: Volume) -> bool:
    """Whether the volume's filesystem lies on its partition, with nothing between."""
    return volume.encryption is None and plan.stripe is None and plan.group is None


def _of_volume(plan: Plan, volume: Volume, makes: frozenset[str]) -> Iterator[object]:
    device, kind = volume.path, volume.filesystem
    if volume.encryption is not None:
        yield t(
            "Not in it: the encrypted container on {device}, and its header.", device=volume.encryption.device
        )
    if kind not in makes or not is_plain(plan, volume):
        yield t(
            "Not in it: the {filesystem} '{label}' on {device}, and its options.",
            filesystem=kind,
            label=volume.label,
            device=device,
        )
    elif volume.mkfs_options:
        options = " ".join(volume.mkfs_options)
        yield t(
            "Not in it: for the {filesystem} on {device} the options {options}, and the UUID {uuid}.",
            filesystem=kind,
            device=device,
            options=options,
            uuid=volume.uuid,
        )
    else:
        yield t(
            "Not in it: the UUID {uuid} of the {filesystem} on {device}.",
            filesystem=kind,
            device=device,
            uuid=volume.uuid,
        )
    if volume.subvolumes:
        yield t(
            "Not in it: the subvolumes {names:and} on {device}.",
            device=device,
            names=tuple(one.name for one in volume.subvolumes),
        )
    if volume.mount_point is not None:
        place = printable(volume.mount_point, 200)
        yield t(
            "Not in it: that {device} is mounted at {place}, and who may write there.",
            device=device,
            place=place,
        )
