"""What a bar cannot show: what lies within a new partition. Sentences, the same on every face."""

from wizard.model.names import printable
from wizard.model.plan import Plan, Subvolume, Volume


def inside_sentences(plan: Plan) -> tuple[str, ...]:
    """A sentence for each volume that has something within; none where a partition is a filesystem and no more."""
    return tuple(_subvolumes(volume) for volume in plan.volumes if volume.subvolumes)


def _subvolumes(volume: Volume) -> str:
    """`Within "system": @ mounted at /mnt/x, @snapshots not mounted.`"""
    said = ", ".join(_subvolume(one) for one in volume.subvolumes)
    return f'Within "{printable(volume.label)}", as subvolumes that share its room: {said}.'


def _subvolume(one: Subvolume) -> str:
    where = f"mounted at {printable(one.mount_point, 2000)}" if one.mount_point else "not mounted"
    return f"{printable(one.name, 200)} {where}"
