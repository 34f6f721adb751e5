"""What a bar cannot show: what lies within a new partition, and in free space that it covers. Sentences,
the same on every face."""

from collections.abc import Iterator, Sequence

from wizard.filesystems.registry import MADE
from wizard.layout.group.grouping import group_room_bytes, logical_volumes
from wizard.layout.room.space import is_container
from wizard.layout.several.mirrors import together_bytes
from wizard.layout.told import words
from wizard.layout.told.promise import is_bare
from wizard.layout.words import VOLUME_WRITABLE, who
from wizard.model.geometry import FLOOR_BYTES
from wizard.model.names import partition_path, printable
from wizard.model.operations.group import Group
from wizard.model.operations.writer import ROOT
from wizard.model.plan import NO_PLACE, Layout, Plan, Subvolume, Volume
from wizard.model.said import Said, Sentence, t
from wizard.model.units import format_capacity

FREE_USED = Sentence(
    "Uses free space of {drives:and}. Data there that nothing recognises, such "
    "as a deleted partition, is lost."
)


def inside_sentences(plan: Plan) -> tuple[str, ...]:
    """Sentences on a volume group, one for each volume with subvolumes, one for each that others than root
    may write to, and one on free space that is used."""
    within = tuple(_subvolumes(volume) for volume in plan.volumes if volume.subvolumes)
    grouped = tuple(_grouped(plan, plan.group)) if plan.group else ()
    return (*grouped, *within, *map(str, (*_writable(plan.volumes), *_free_used(plan))))


def _free_used(plan: Plan) -> Iterator[Said]:
    """Free space can hold data, such as a deleted partition's: a new or larger partition loses it."""
    drives = tuple(member.drive.path for member in plan.members if _covers_free(member.before, member.after))
    if drives:
        yield FREE_USED(drives=drives)


def _covers_free(before: Layout, after: Layout) -> bool:
    free = [slot for slot in before.slots if not slot.number and slot.size_bytes > FLOOR_BYTES]
    parts = [slot for slot in after.partitions if not is_container(slot)]
    return not is_bare(before) and any(slot.overlaps(part) for slot in free for part in parts)


def _writable(volumes: Sequence[Volume]) -> Iterator[Said]:
    for volume in volumes:
        # A filesystem without owners belongs to whoever it is mounted for.
        if volume.writer != ROOT and (volume.mount_point or MADE[volume.filesystem].holds.owners):
            yield VOLUME_WRITABLE(label=printable(volume.label), who=who(volume.writer))


def volume_bytes(plan: Plan, index: int) -> int | None:
    """The size that a volume of the plan gets, by its place in the list; None where there is none."""
    if index >= len(plan.volumes):
        return None
    if plan.after.whole is not None:
        return plan.after.whole.size_bytes
    if plan.stripe is not None:
        return together_bytes(plan)
    if plan.group is not None:
        return logical_volumes(plan)[index].size_bytes
    number = plan.volumes[index].partition
    return next((slot.size_bytes for slot in plan.after.partitions if slot.number == number), None)


def _grouped(plan: Plan, group: Group) -> Iterator[str]:
    """Each logical volume with its exact size, and what of the group is left."""
    made = logical_volumes(plan)
    (slot,) = (
        slot for slot in plan.after.partitions if partition_path(plan.drive.path, slot.number) == group.device
    )
    yield str(t("In {device}, LVM's volume group {name}:", device=group.device, name=printable(group.name)))
    for one, volume in zip(made, plan.volumes, strict=True):
        where = words.TURNED_ON if volume.mount_point == NO_PLACE else _where(volume.mount_point)
        size = f"{format_capacity(one.size_bytes)} ({one.size_bytes} bytes)"
        yield f'{one.device}: {volume.filesystem} "{printable(volume.label)}", {size}, {where}.'
    if left := group_room_bytes(slot.size_bytes) - sum(one.size_bytes for one in made):
        yield str(
            t(
                "{left:size} ({left} bytes) of it are left, for snapshots or to make one of them larger.",
                left=left,
            )
        )


def _subvolumes(volume: Volume) -> str:
    """`Within "system": @ mounted at /mnt/x, @snapshots not mounted.`"""
    said = tuple(_subvolume(one) for one in volume.subvolumes)
    return str(
        t(
            'Within "{label}", as subvolumes that share its room: {subvolumes:list}.',
            label=printable(volume.label),
            subvolumes=said,
        )
    )


def _subvolume(one: Subvolume) -> Said:
    return t("{name} {where}", name=printable(one.name, 200), where=_where(one.mount_point))


def _where(mount_point: str | None) -> Said:
    return t("mounted at {place}", place=printable(mount_point, 2000)) if mount_point else t("not mounted")
