"""Check that a drive is the one in the plan, or find that drive under another name. Read-only."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from msgspec.structs import replace

from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.run.process import refused
from wizard.model.errors import BadInput, DiskwrightError
from wizard.model.geometry import Identity
from wizard.model.machine import Drive
from wizard.model.said import Message, Sentence, join, t
from wizard.plan.plan import Plan
from wizard.probe.drive.reports import is_same_model
from wizard.probe.host.system import boot_id
from wizard.probe.machine import list_drive_paths, probe_drive, probe_machine

AGAIN = t("Make a new plan.")
NOW_AT = Sentence("The drive is now {drive}: make a new plan for {drive}.")

Where = Callable[[Identity, Drive | None], Message]
"""Describes where a missing drive is now. Given a drive whose size changed, describes what to do."""


def whereabouts(identity: Identity, resized: Drive | None) -> Message:
    """Locate the plan's drive. For a drive whose size changed, describe what to do."""
    if resized is not None:
        return AGAIN
    if drive := _find_planned(identity):
        return NOW_AT(drive=drive.path)
    return t("The drive is not attached elsewhere: attach it, or make a new plan.")


def probe_again(identity: Identity, where: Where = whereabouts) -> Drive:
    """Probe the drive of the plan. Raises Refused, ending in `where`, for another drive."""
    try:
        drive = probe_drive(identity.path, seconds=LOOK_SECONDS)
    except BadInput as error:
        missing = t("The plan's drive is not at {drive}:", drive=identity.path)
        raise refused(f"{missing} {error} {where(identity, None)}") from None
    _check_identity(identity, drive, where)
    return drive


def probe_members(plan: Plan, where: Where = whereabouts) -> tuple[Drive, ...]:
    """Probe all drives of the plan in parallel. Raises as `probe_again` does."""
    with suppress(BadInput):
        drives = probe_machine(plan.devices, seconds=LOOK_SECONDS).drives
        if len(drives) == len(plan.members):
            for member, drive in zip(plan.members, drives, strict=True):
                _check_identity(member.drive, drive, where)
            return drives
    # A drive is missing, or has two of the names. Probe one by one to name it in the error.
    return tuple(probe_again(member.drive, where) for member in plan.members)


def _check_identity(identity: Identity, drive: Drive, where: Where) -> None:
    """Raises Refused unless the drive is the one in the plan."""
    if drive.path != identity.path:
        renamed = Sentence("{known} is another name of {drive}. Make a new plan for {drive}.")
        raise refused(renamed(known=identity.path, drive=drive.path))
    # An empty loop device or card reader has size 0. On fixed drives, size 0 is a defect.
    if drive.size_bytes == 0 and (drive.removable is not False or drive.bus == "loop"):
        raise refused(t("No medium in {drive}. {where}", drive=drive.path, where=where(identity, None)))
    if difference := identity_difference(identity, drive):
        is_resized = (
            drive.size_bytes is not None
            and (tells_who_it_is(identity) or _is_same_attachment(identity, drive))
            and identity_difference(replace(identity, size_bytes=drive.size_bytes), drive) is None
        )
        raise refused(
            t(
                "{drive} does not match the plan: {difference}. {where}",
                drive=identity.path,
                difference=difference,
                where=where(identity, drive if is_resized else None),
            )
        )


def drive_fault(identity: Identity, drive: Drive, is_left_there: Callable[[], bool | None]) -> Message | None:
    """Compare a drive with the one known to a run. Return a clause on why it may be another drive, or None.

    Identifiers and size come first. If the drive was reattached, the contents decide, since docks may report
    one serial number for any drive: `is_left_there` returns True if the drive contains what the run left
    there, or None if there is nothing to compare. Only then, the identifiers are enough.
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
            seen_text, known_text = (t("none") if one is None else str(one) for one in (seen, known))
            return other(seen=seen_text, known=known_text)
    return None if identity.geometry == drive.geometry else t("the block sizes differ")


def find_drives(identity: Identity, is_the_one: Callable[[Drive], bool]) -> Iterator[Drive]:
    """Search for a drive under other names."""
    for path in list_drive_paths(all_devices=True):
        with suppress(DiskwrightError):
            if path != identity.path and is_the_one(drive := probe_drive(path, seconds=5.0)):
                yield drive


def _find_planned(identity: Identity) -> Drive | None:
    """Search for the plan's drive under other names, by the contents if it has no identifiers."""

    def matches(drive: Drive) -> bool:
        digest = identity.content_digest
        is_same = digest is not None and digest == drive.content_digest and not drive.is_empty
        return identity_difference(identity, drive) is None and (tells_who_it_is(identity) or is_same)

    return next(find_drives(identity, matches), None)


def tells_who_it_is(identity: Identity) -> bool:
    """Return True if the drive has a serial number or WWN that no other attached drive shares."""
    by_serial = identity.serial is not None and not identity.serial_shared
    return by_serial or (identity.wwn is not None and not identity.wwn_shared)


def _is_same_attachment(identity: Identity, drive: Drive) -> bool:
    """Return True if the drive has stayed attached since planning. The kernel numbers attachments, starting
    over at each boot."""
    return identity.boot_id in (None, boot_id()) and identity.diskseq == drive.diskseq


def check_same_start(identity: Identity, drive: Drive) -> None:
    """Raises Refused if the drive was reattached after planning, since a dock may report its own serial
    number for any drive. After a reboot this is unknown; then only drives without identifiers are refused.

    Only for new runs: a resumed run identifies its drives by the contents.
    """
    if drive.same_serial and not identity.serial_shared:
        # The user confirmed the serial number, which is now ambiguous.
        shared = t(
            "{others:list} now reports the same serial number as {drive}, unlike at planning time.",
            drive=identity.path,
            others=drive.same_serial,
        )
        raise refused(join(shared, AGAIN))
    if identity.boot_id not in (None, boot_id()):
        if tells_who_it_is(identity):
            return
        restarted = t(
            "The machine restarted after planning, and {drive} reports no serial number for identification.",
            drive=identity.path,
        )
        raise refused(join(restarted, AGAIN))
    counted = identity.boot_id is not None or not tells_who_it_is(identity)
    before, now = identity.diskseq, drive.diskseq
    is_known = before is not None or identity.boot_id is not None
    if counted and is_known and now is not None and before != now:
        other = _find_planned(identity)
        reattached = t(
            "{drive} was reattached after planning, so it may be another drive now.",
            drive=identity.path,
        )
        raise refused(join(reattached, NOW_AT(drive=other.path) if other else AGAIN))


def made_differences(plan: Plan, drive: Drive) -> Iterator[Message]:
    """Describe data on a drive that the finished plan cannot have left there."""
    for step in plan.steps:
        for device, (_, uuid) in step.operation.made.items():
            if device in drive.nodes and [mark.uuid for mark in drive.signatures_on(device)] != [uuid]:
                yield t("{device} no longer contains the data made there", device=device)
