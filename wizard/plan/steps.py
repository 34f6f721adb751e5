"""Describe and select the steps of a plan, and map the plan to other nodes. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wizard.model.errors import partition_path
from wizard.model.geometry import Identity
from wizard.model.layout import Encryption, Member
from wizard.model.said import t
from wizard.operations.operation import OWN_FSTAB, UNTIL_KEPT, Context, Operation
from wizard.plan.plan import Plan, PlanOperation, Step

SCRATCH_NAME = "diskwright-{}"
"""Device mapper name of an open container on a scratch copy, by UUID. Differs from the name on the drive."""


def steps_of(operations: Sequence[PlanOperation], context: Context) -> tuple[Step, ...]:
    """Return the step of each operation, with all descriptions and an estimate."""
    direct = context.direct or why_on_drive(operations)
    context = replace(context, operations=tuple(operations), direct=direct)
    return tuple(
        Step(
            operation=operation,
            sentence=str(operation.sentence(context)),
            commands=operation.commands(),
            edits=operation.edits(context),
            destroys=operation.destroys(context),
            undo=operation.undo_text(context),
            holds=tuple(map(str, operation.holds(context))),
            seconds=operation.seconds(context),
        )
        for operation in operations
    )


def with_current_texts(plan: Plan, *, direct: str = "", fstab: str = OWN_FSTAB) -> Plan:
    """Recompute all texts, commands and estimates of a valid plan from its operations. Only these are shown
    or run. `direct` and `fstab`: as in the context."""
    context = Context(
        plan.drive,
        plan.before,
        plan.after,
        plan.others,
        direct=direct,
        part=plan.part,
        fstab=fstab,
    )
    return replace(plan, steps=steps_of([step.operation for step in plan.steps], context))


def described_as_direct(plan: Plan, why: str) -> Plan:
    """Return the plan described as running directly on the drive because of `why`, or the same plan if `why`
    is empty. For display only."""
    return with_current_texts(plan, direct=why) if why else plan


def described_for_fstab(plan: Plan, fstab: str) -> Plan:
    """Return the plan described with this fstab, and the crypttab beside it."""
    return with_current_texts(plan, fstab=fstab) if fstab != OWN_FSTAB else plan


def described_as_kept(plan: Plan) -> Plan:
    """Return the plan described as kept immediately. For display only."""
    until_kept, kept = str(UNTIL_KEPT), str(t("The result is kept immediately and cannot be undone."))
    steps = (replace(step, undo=kept) if step.undo == until_kept else step for step in plan.steps)
    return replace(plan, steps=tuple(steps))


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
