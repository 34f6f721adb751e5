"""What a drive shows of a run: the run's bytes, or what it made there. By that a drive is known that has no
number of its own, or a number that a dock gives to any drive. Only reads."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from wizard.apply.block.medium import DeviceMedium
from wizard.apply.engine.record import Phase, load_record
from wizard.apply.engine.sides import side_of
from wizard.apply.engine.survey import Content, Side, content_of, likeness, stray
from wizard.apply.plan.same_drive import tells_who_it_is
from wizard.layout.rehearsed import ON_DRIVE, on_drives
from wizard.layout.steps.commands import physical_volume_uuid
from wizard.model.machine import Drive, Signature
from wizard.model.operations.arrays import MakeArray, MakeVolumeGroup
from wizard.model.operations.encryption import MakeContainer
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.plan import Operation, Plan
from wizard.model.said import Said, t


def shows_run(run: Path, plan: Plan, number: int, drive: Drive, *, whole: bool = False) -> bool | None:
    """Whether a drive contains what a rehearsed run left on its drive `number`, counted from 0; None if
    nothing can be compared.

    Nothing may contradict it on a drive with a number of its own. Of one without, most must be the run's; if
    `whole`, every place must. Raises Failed or BadInput if the drive cannot be read.
    """
    record = load_record(run)
    if record is None or not record.changes:
        return None
    if record.phase is Phase.KEPT:
        # It is in use: what is written there now is not the run's.
        return _contains_made(plan, number, drive)
    with DeviceMedium(drive.path) as medium, ExitStack() as files:
        side = side_of(run, number, record.changes[number], medium, files)
        if whole and not tells_who_it_is(plan.members[number].drive):
            return _is_whole(record.phase, side)
        found = likeness(side)
    if tells_who_it_is(plan.members[number].drive):
        return found.is_known or not found.other
    return found.old + found.new >= found.other


def _is_whole(phase: Phase, side: Side) -> bool:
    """Whether the drive contains in every place what it can contain in this phase."""
    change = side.change
    if phase is Phase.BARRED:
        return side.holds(change.barred_digest)
    if phase is Phase.RELEASED:
        return side.holds(change.new_digest)
    if phase in (Phase.SAVED, Phase.UNKNOWN):
        return content_of(side) is not Content.FOREIGN and likeness(side).is_known
    return side.keeps_old() and side.keeps_new() and stray(side) is None


def _contains_made(plan: Plan, number: int, drive: Drive) -> bool | None:
    """Whether a drive contains what the plan makes on its drive `number`, counted from 0, by the UUIDs; None
    if it makes nothing that has one."""
    there = on_drives(
        plan,
        tuple(
            replace(member.drive, path=drive.path) if at == number else member.drive
            for at, member in enumerate(plan.members)
        ),
    )
    steps = [at for at, step in enumerate(there.steps, 1) if isinstance(step.operation, ON_DRIVE)]
    made = [_made_by(there.steps[at - 1].operation) for at in steps]
    if not any(made):
        return None
    names = {drive.path, *(part.path for part in drive.partitions)}
    if not any(names & one.keys() for one in made):
        return False
    return not any(
        difference
        for at in steps
        for difference in made_differences(there, at, drive, whole=True, making=False)
    )


def made_differences(plan: Plan, number: int, drive: Drive, *, whole: bool, making: bool) -> Iterator[Said]:
    """What a drive holds otherwise than a step that makes something leaves there, which may have been cut off
    before it was `whole`, also while it was `making`.
    """
    operation = plan.steps[number - 1].operation
    for device, uuid in _made_by(operation).items():
        if device == drive.path:
            signatures = drive.signatures
        elif part := drive.partition(device):
            signatures = part.signatures
        else:
            continue
        found = [signature.uuid for signature in signatures]
        if making and isinstance(operation, MakeFilesystem) and is_half_made(operation, signatures):
            continue
        if whole and found != [uuid]:
            yield t("{device} no longer holds what was made there", device=device)
        elif not whole and found not in ([], [uuid]):
            yield t("{device} holds what this run did not make", device=device)


def _made_by(operation: Operation) -> dict[str, str]:
    """The UUID that a step gives each device, by its node."""
    match operation:
        case MakeFilesystem(device=device, others=others, uuid=uuid):
            return dict.fromkeys((device, *others), uuid)
        case MakeContainer(device=device, uuid=uuid):
            return {device: uuid}
        case MakeArray(parts=parts, uuid=uuid):
            return dict.fromkeys(parts, uuid)
        case MakeVolumeGroup(parts=parts, uuids=uuids):
            return dict(zip(parts, map(physical_volume_uuid, uuids), strict=True))
        case _:
            return {}


def is_half_made(operation: MakeFilesystem, found: Sequence[Signature]) -> bool:
    """Whether this can be what its maker left before the planned UUID was set."""
    kinds, labels = [signature.kind for signature in found], {signature.label or "" for signature in found}
    return kinds == [operation.filesystem] and labels <= {"", operation.label}
