"""Check that a drive is the one in the plan, or find that drive under another name. Read-only."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block.extents import DeviceMedium
from wizard.apply.engine import survey
from wizard.apply.engine.checks import side_of
from wizard.apply.engine.record import Phase, load_record
from wizard.apply.engine.survey import Content, DriveSide
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.run.process import refused
from wizard.model.errors import BadInput, DiskwrightError
from wizard.model.geometry import Identity
from wizard.model.machine import Drive
from wizard.model.said import Message, Sentence, join, t
from wizard.plan.plan import Plan
from wizard.probe.drive.ata import is_same_model
from wizard.probe.host.system import boot_id
from wizard.probe.machine import list_drive_paths, probe_drive, probe_machine

NOT_AT = Sentence("The plan's drive is not at {drive}:")
AGAIN = t("Make a new plan.")

Where = Callable[[Identity, Drive | None], Message]
"""Describes where a missing drive is now. Given a drive whose size changed, describes what to do."""


def whereabouts(identity: Identity, resized: Drive | None) -> Message:
    """Locate the plan's drive. For a drive whose size changed, describe what to do."""
    if resized is not None:
        return AGAIN
    if drive := next(find_drives(identity, partial(_matches, identity)), None):
        return t("The drive is now {drive}: make a new plan for {drive}.", drive=drive.path)
    return t("The drive is not attached elsewhere: attach it, or make a new plan.")


def probe_again(identity: Identity, where: Where = whereabouts) -> Drive:
    """Probe the drive of the plan. Raises Refused, ending in `where`, if it is another drive."""
    try:
        drive = probe_drive(identity.path, seconds=LOOK_SECONDS)
    except BadInput as error:
        raise refused(f"{NOT_AT(drive=identity.path)} {error} {where(identity, None)}") from None
    _check_identity(identity, drive, where)
    return drive


def probe_members(plan: Plan, where: Where = whereabouts) -> tuple[Drive, ...]:
    """Probe all drives of the plan in parallel. Raises Refused as `probe_again` does."""
    if len(plan.members) == 1:
        return (probe_again(plan.drive, where),)
    try:
        drives = probe_machine(plan.devices, seconds=LOOK_SECONDS).drives
    except BadInput:
        # A drive is missing. Probe one by one to name it in the error.
        return tuple(probe_again(member.drive, where) for member in plan.members)
    if len(drives) != len(plan.members):
        raise refused(
            t(
                "{drives:list} are not {number} drives. Make a new plan.",
                drives=plan.devices,
                number=len(plan.members),
            )
        )
    for member, drive in zip(plan.members, drives, strict=True):
        _check_identity(member.drive, drive, where)
    return drives


def _check_identity(identity: Identity, drive: Drive, where: Where) -> None:
    """Raises Refused unless the drive is the one in the plan."""
    if drive.path != identity.path:
        raise refused(
            t(
                "{known} is another name of {drive}. Make a new plan for {drive}.",
                known=identity.path,
                drive=drive.path,
            )
        )
    # An empty loop device or card reader has size 0. On fixed drives, size 0 is a defect.
    if drive.size_bytes == 0 and (drive.removable is not False or drive.bus == "loop"):
        raise refused(t("No medium in {drive}. {where}", drive=drive.path, where=where(identity, None)))
    if difference := identity_difference(identity, drive):
        resized = drive if _is_resized(identity, drive) else None
        raise refused(
            t(
                "{drive} does not match the plan: {difference}. {where}",
                drive=identity.path,
                difference=difference,
                where=where(identity, resized),
            )
        )


def drive_fault(identity: Identity, drive: Drive, is_left_there: Callable[[], bool | None]) -> Message | None:
    """Compare a drive with the one known to a run. Return a clause on why it may be another drive, or None.

    Identifiers and size come first. If the drive was reattached, they are not enough, since docks may report
    one serial number for any drive. Then the contents decide: `is_left_there` returns True if the drive
    contains what the run left there, or None if there is nothing to compare. Only then, the identifiers are
    enough.
    """
    if difference := identity_difference(identity, drive):
        return t("{drive} is another drive: {difference}", drive=drive.path, difference=difference)
    attached = _is_same_attachment(identity, drive)
    # Linux before 5.15 has no disk sequence numbers, so compare the contents, too.
    if attached and identity.diskseq is not None:
        return None
    found = is_left_there()
    if found is False:
        return t("{drive} may be another drive: the contents differ from the run's", drive=drive.path)
    if found or attached or tells_who_it_is(identity):
        return None
    return t(
        "{drive} has no serial number of its own and was reattached, so it may be another drive",
        drive=drive.path,
    )


def identity_difference(identity: Identity, drive: Drive) -> Message | None:
    """Return a clause on the first identifier that differs, or None if all match."""
    model = identity.model if is_same_model(identity.model, drive.model) else drive.model
    pairs: list[tuple[Sentence, str | int | None, str | int | None]] = [
        (Sentence("the serial number is {seen}, not {known}"), identity.serial, drive.serial),
        (Sentence("the WWN is {seen}, not {known}"), identity.wwn, drive.wwn),
        (Sentence("the model is {seen}, not {known}"), identity.model, model),
        (Sentence("the size is {seen} bytes, not {known}"), identity.size_bytes, drive.size_bytes),
    ]
    for other, known, seen in pairs:
        if known != seen:
            return other(seen=_shown(seen), known=_shown(known))
    return None if identity.geometry == drive.geometry else t("the block sizes differ")


def _is_resized(identity: Identity, drive: Drive) -> bool:
    """Return True if only the size changed, for example of a virtual disk."""
    if drive.size_bytes is None or not (tells_who_it_is(identity) or _is_same_attachment(identity, drive)):
        return False
    return identity_difference(replace(identity, size_bytes=drive.size_bytes), drive) is None


def _shown(value: str | int | None) -> Message | str:
    return t("none") if value is None else str(value)


def find_drives(identity: Identity, is_the_one: Callable[[Drive], bool]) -> Iterator[Drive]:
    """Search for a drive under other names."""
    for path in list_drive_paths(all_devices=True):
        with suppress(DiskwrightError):
            if path != identity.path and is_the_one(drive := probe_drive(path, seconds=5.0)):
                yield drive


def _matches(identity: Identity, drive: Drive) -> bool:
    if identity_difference(identity, drive) is not None:
        return False
    if tells_who_it_is(identity):
        return True
    return (
        identity.content_digest is not None
        and identity.content_digest == drive.content_digest
        and not drive.is_empty
    )


def tells_who_it_is(identity: Identity) -> bool:
    """Return True if the drive has a serial number or WWN that no other attached drive shares."""
    by_serial = identity.serial is not None and not identity.serial_shared
    return by_serial or (identity.wwn is not None and not identity.wwn_shared)


def _is_same_attachment(identity: Identity, drive: Drive) -> bool:
    """Return True if the drive has stayed attached since planning. The kernel numbers each attachment,
    starting over at each boot."""
    return identity.boot_id in (None, boot_id()) and identity.diskseq == drive.diskseq


def check_same_start(identity: Identity, drive: Drive) -> None:
    """Raises Refused if the drive was reattached after planning, since a dock may report its own serial
    number for any drive. After a reboot this is unknown; then only drives without identifiers are refused.

    Only for new runs: a resumed run identifies its drives by the contents.
    """
    if drive.same_serial and not identity.serial_shared:
        # The user confirmed the serial number, which is now ambiguous.
        raise refused(
            join(
                t(
                    "{others:list} now reports the same serial number as {drive}, unlike at planning time.",
                    drive=identity.path,
                    others=drive.same_serial,
                ),
                AGAIN,
            )
        )
    if identity.boot_id not in (None, boot_id()):
        if not tells_who_it_is(identity):
            raise refused(
                join(
                    t(
                        "The machine restarted after planning, and {drive} reports no serial number "
                        "for identification.",
                        drive=identity.path,
                    ),
                    AGAIN,
                )
            )
        return
    counted = identity.boot_id is not None or not tells_who_it_is(identity)
    before, now = identity.diskseq, drive.diskseq
    is_known = before is not None or identity.boot_id is not None
    if counted and is_known and now is not None and before != now:
        other = next(find_drives(identity, partial(_matches, identity)), None)
        reattached = t(
            "{drive} was reattached after planning: the disk sequence number is {now}, "
            "not {before}. {drive} may be another drive now.",
            drive=identity.path,
            now=now,
            before=before or 0,
        )
        seems = (t("The plan's drive seems to be {drive} now.", drive=other.path),) if other else ()
        raise refused(join(reattached, *seems, AGAIN))


def shows_run(run: Path, plan: Plan, number: int, drive: Drive, *, whole: bool = False) -> bool | None:
    """Return True if a drive contains what a rehearsed run left on its drive `number`, from 0, or None if
    there is nothing to compare. Raises Failed or BadInput if the drive is unreadable.

    A drive with its own identifiers must contain nothing else. Without them, most places must match, or with
    `whole` all of them.
    """
    record = load_record(run)
    if record is None or not record.changes:
        return None
    if record.phase is Phase.KEPT:
        # The drive is in use: compare only what the plan created, since files may have changed.
        return _contains_made(plan, number, drive)
    with DeviceMedium(drive.path) as medium, ExitStack() as files:
        side = side_of(run, number, record.changes[number], medium, files)
        if whole and not tells_who_it_is(plan.members[number].drive):
            return _matches_phase(record.phase, side)
        found = survey.count_blocks(side)
    if tells_who_it_is(plan.members[number].drive):
        return found.is_known or not found.other
    return found.old + found.new >= found.other


def _matches_phase(phase: Phase, side: DriveSide) -> bool:
    change = side.change
    if phase is Phase.HIDDEN:
        return side.holds(change.barred_digest)
    if phase is Phase.RELEASED:
        return side.holds(change.new_digest)
    if phase in (Phase.SAVED, Phase.UNKNOWN):
        return survey.content_of(side) is not Content.FOREIGN and survey.count_blocks(side).is_known
    return side.is_old_intact() and side.is_new_intact() and survey.find_foreign_block(side) is None


def _contains_made(plan: Plan, number: int, drive: Drive) -> bool | None:
    """Compare UUIDs on a drive with those planned for drive `number`, from 0. Return None if it creates
    none."""
    moved = plan.on_drives(
        tuple(
            replace(member.drive, path=drive.path) if at == number else member.drive
            for at, member in enumerate(plan.members)
        ),
    )
    made = [step.operation.made for step in moved.steps if step.operation.made]
    if not made:
        return None
    names = {drive.path, *(part.path for part in drive.partitions)}
    if not any(names & one.keys() for one in made):
        return False
    return not any(made_differences(moved, drive))


def made_differences(plan: Plan, drive: Drive) -> Iterator[Message]:
    """Describe data on a drive that the finished plan cannot have left there."""
    for step in plan.steps:
        for device, (_, uuid) in step.operation.made.items():
            if device == drive.path:
                signatures = drive.signatures
            elif part := drive.partition(device):
                signatures = part.signatures
            else:
                continue
            if [signature.uuid for signature in signatures] != [uuid]:
                yield t("{device} no longer contains the data made there", device=device)
