"""Check if a plan can be rehearsed on scratch copies, and map it to other nodes. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wizard.model.errors import partition_path
from wizard.model.geometry import Identity
from wizard.model.layout import Encryption, Member
from wizard.model.said import t
from wizard.operations.operation import Operation
from wizard.plan.plan import Plan, Step

SCRATCH_NAME = "diskwright-{}"
"""Device mapper name of an open container on a scratch copy, by UUID. Differs from the name on the drive."""


def direct_reason(plan: Plan) -> str:
    """Return why the plan must run directly on the drive, as a clause, or empty if all steps are
    rehearsed."""
    return why_on_drive(step.operation for step in plan.steps)


def why_on_drive(operations: Iterable[Operation]) -> str:
    """Return why these operations must run directly on the drive, as a clause, or empty if all can be
    rehearsed."""
    direct = any(operation.writes and not operation.rehearsed for operation in operations)
    return str(t("resetting zones cannot be rehearsed")) if direct else ""


def rehearsed_steps(plan: Plan) -> Iterator[tuple[int, Step]]:
    """Yield the rehearsed steps with their numbers from 1. Containers are opened both in the rehearsal and on
    the drive."""
    return ((number, step) for number, step in enumerate(plan.steps, 1) if step.operation.rehearsed)


def written_steps(plan: Plan) -> Iterator[tuple[int, Step]]:
    """Yield the steps that write to a drive, with their numbers from 1."""
    return ((number, step) for number, step in enumerate(plan.steps, 1) if step.operation.writes)


def use_steps(plan: Plan) -> Iterator[tuple[int, Step]]:
    """Yield the steps that use the result, with their numbers from 1."""
    return ((number, step) for number, step in enumerate(plan.steps, 1) if not step.operation.writes)


def on_nodes(plan: Plan, nodes: Mapping[str, str], *, named_alike: bool = False) -> Plan:
    """Return the plan on other nodes, given for each drive and md array by path. Descriptions do not change.
    Containers get the names of scratch copies, or keep theirs if `named_alike`."""
    known = {old: new for member in plan.members for old, new in _renamed(member, nodes[member.drive.path])}
    known |= {array.device: nodes.get(array.device, array.device) for array in plan.arrays}
    names = {one.uuid: one.name if named_alike else SCRATCH_NAME.format(one.uuid) for one in plan.containers}
    known |= dict(_mapped(plan, names))
    members = tuple(
        replace(member, drive=replace(member.drive, path=known[member.drive.path])) for member in plan.members
    )
    return replace(
        plan,
        drive=members[0].drive,
        others=members[1:],
        volumes=tuple(
            replace(
                volume,
                path=known.get(volume.path, volume.path),
                encryption=volume.encryption and _contained(volume.encryption, known, names),
            )
            for volume in plan.volumes
        ),
        stripe=plan.stripe and replace(plan.stripe, device=known.get(plan.stripe.device, plan.stripe.device)),
        group=plan.group and replace(plan.group, device=known[plan.group.device]),
        steps=tuple(replace(step, operation=step.operation.on(known, names)) for step in plan.steps),
    )


def on_drives(plan: Plan, drives: Sequence[Identity]) -> Plan:
    """Return the plan on its drives as currently identified, in the plan's order."""
    nodes = {member.drive.path: drive.path for member, drive in zip(plan.members, drives, strict=True)}
    moved = on_nodes(plan, nodes, named_alike=True)
    return replace(
        moved,
        drive=drives[0],
        others=tuple(
            replace(member, drive=drive) for member, drive in zip(moved.others, drives[1:], strict=True)
        ),
    )


def on_drive_only(plan: Plan) -> Plan:
    """Return the plan without the steps that use the result."""
    return replace(plan, steps=tuple(step for _, step in rehearsed_steps(plan)))


def _renamed(member: Member, node: str) -> Iterator[tuple[str, str]]:
    """Yield each node of a drive with its replacement."""
    path = member.drive.path
    yield path, node
    for number in {slot.number for layout in (member.before, member.after) for slot in layout.partitions}:
        yield partition_path(path, number), partition_path(node, number)


def _mapped(plan: Plan, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each device mapper node with its replacement. Logical volumes keep their nodes, because LVM
    metadata contains the group's name."""
    for volume in plan.logical_volumes:
        yield volume.device, volume.device
    for container in plan.containers:
        yield container.opened, replace(container, name=names[container.uuid]).opened


def _contained(encryption: Encryption, known: Mapping[str, str], names: Mapping[str, str]) -> Encryption:
    return replace(encryption, device=known[encryption.device], name=names[encryption.uuid])
