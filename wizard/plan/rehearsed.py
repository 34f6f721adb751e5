"""Check if a plan can be rehearsed on scratch copies, and map it to other nodes. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wizard.model.errors import partition_path
from wizard.model.geometry import Identity
from wizard.model.operations import (
    Encryption,
    MakeArray,
    MakeContainer,
    MakeFilesystem,
    MakeLogicalVolume,
    MakeStripedVolume,
    MakeVolumeGroup,
    OpenContainer,
    SetOwner,
)
from wizard.model.plan import (
    GrowFilesystem,
    MakeSubvolumes,
    Member,
    Mount,
    Operation,
    Plan,
    ResetZones,
    ShrinkFilesystem,
    Step,
    TurnOnSwap,
    WipeSignatures,
    WriteTable,
)
from wizard.plan import messages

ON_DRIVE = (
    WipeSignatures
    | WriteTable
    | MakeArray
    | MakeVolumeGroup
    | MakeLogicalVolume
    | MakeContainer
    | MakeFilesystem
    | MakeSubvolumes
    | SetOwner
    | GrowFilesystem
    | ShrinkFilesystem
)
"""What is rehearsed: everything that writes to a drive. What follows puts it to use."""

STAND_IN_NAME = "diskwright-{}"
"""What the device mapper calls a container on a stand-in that is open, by its UUID: never as on the drive."""


def direct_reason(plan: Plan) -> str:
    """Why a plan's steps have to run on the drive itself, as a clause; empty where all of them are rehearsed
    first."""
    return why_on_drive(step.operation for step in plan.steps)


def why_on_drive(operations: Iterable[Operation]) -> str:
    """Why these operations have to run on the drive itself, as a clause; empty where all of them can be
    rehearsed first."""
    for operation in operations:
        match operation:
            case ResetZones():
                return str(messages.ZONES_ALONE)
            case MakeStripedVolume():
                return str(messages.GROUP_ALONE)
            case _:
                continue
    return ""


def rehearsed_steps(plan: Plan) -> Iterator[tuple[int, Step]]:
    """The steps that are rehearsed, by number from 1. A container is opened there, and again on the drive."""
    return (
        (number, step)
        for number, step in enumerate(plan.steps, 1)
        if isinstance(step.operation, ON_DRIVE | OpenContainer)
    )


def use_steps(plan: Plan) -> Iterator[tuple[int, Step]]:
    """The steps that put to use what was made, by number from 1."""
    return (
        (number, step)
        for number, step in enumerate(plan.steps, 1)
        if not isinstance(step.operation, ON_DRIVE)
    )


def on_nodes(plan: Plan, nodes: Mapping[str, str], *, named_alike: bool = False) -> Plan:
    """The same plan for other nodes, each by the path of the drive, or of the md array, that it takes the
    place of. What is shown of it stays as it was. A container is called as on stand-ins, or where it is
    `named_alike` as it was."""
    known = {old: new for member in plan.members for old, new in _renamed(member, nodes[member.drive.path])}
    if array := array_node(plan):
        known[array] = nodes.get(array, array)
    names = {one.uuid: one.name if named_alike else STAND_IN_NAME.format(one.uuid) for one in plan.containers}
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
        steps=tuple(replace(step, operation=_on(step.operation, known, names)) for step in plan.steps),
    )


def on_drives(plan: Plan, drives: Sequence[Identity]) -> Plan:
    """The same plan for its drives as they are known now, in its order."""
    nodes = {member.drive.path: drive.path for member, drive in zip(plan.members, drives, strict=True)}
    there = on_nodes(plan, nodes, named_alike=True)
    return replace(
        there,
        drive=drives[0],
        others=tuple(
            replace(member, drive=drive) for member, drive in zip(there.others, drives[1:], strict=True)
        ),
    )


def on_drive_only(plan: Plan) -> Plan:
    """The same plan without the steps that put to use what was made."""
    return replace(plan, steps=tuple(step for _, step in rehearsed_steps(plan)))


def array_node(plan: Plan) -> str:
    """The node of the md array that the plan makes; empty where it makes none."""
    return plan.stripe.device if plan.stripe and plan.stripe.kind == "md" else ""


def _renamed(member: Member, node: str) -> Iterator[tuple[str, str]]:
    """Each node of a drive, with the one that stands for it."""
    path = member.drive.path
    yield path, node
    for number in {slot.number for layout in (member.before, member.after) for slot in layout.partitions}:
        yield partition_path(path, number), partition_path(node, number)


def _mapped(plan: Plan, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each node of the device mapper's, with the one that stands for it. A group's name stands in its own
    records, so that its volumes are called alike, there and here.
    """
    for step in plan.steps:
        if isinstance(step.operation, MakeLogicalVolume):
            yield step.operation.device, step.operation.device
    for one in plan.containers:
        yield one.opened, replace(one, name=names[one.uuid]).opened


def _contained(encryption: Encryption, known: Mapping[str, str], names: Mapping[str, str]) -> Encryption:
    return replace(encryption, device=known[encryption.device], name=names[encryption.uuid])


def _on(operation: Operation, known: Mapping[str, str], names: Mapping[str, str]) -> Operation:
    match operation:
        case MakeFilesystem() | MakeSubvolumes() | SetOwner() | Mount():
            others = tuple(known[device] for device in operation.others)
            return replace(operation, device=known[operation.device], others=others)
        case (
            WipeSignatures()
            | WriteTable()
            | ResetZones()
            | GrowFilesystem()
            | ShrinkFilesystem()
            | MakeLogicalVolume()
            | MakeContainer()
            | TurnOnSwap()
        ):
            return replace(operation, device=known[operation.device])
        case MakeArray(device=device, parts=parts):
            return replace(operation, device=known[device], parts=tuple(known[part] for part in parts))
        case OpenContainer(device=device, uuid=uuid):
            return replace(operation, device=known[device], name=names[uuid])
        case MakeVolumeGroup(parts=parts):
            return replace(operation, parts=tuple(known[part] for part in parts))
        case _:
            return operation
