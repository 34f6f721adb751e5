"""Whether a drive is the one that a plan was made for, and where that one is now. Only looks."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from wizard.apply.run.begin import NOTHING_WRITTEN
from wizard.apply.run.environment import LOOK_SECONDS
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.identity import Identity
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.probe.drive.identity import is_same_model
from wizard.probe.host.system import boot_id
from wizard.probe.machine import list_drive_paths, probe_drive, probe_machine

Where = Callable[[Identity, Drive | None], str]
"""Says where a drive is that is not at its place; or what to do with the one there, which has another size
now."""


def probe_again(identity: Identity, where: Where | None = None) -> Drive:
    """The drive as it is now, if it may be the one that was planned for. Raises Refused where it is not,
    saying `where` that one is."""
    where = where or _whereabouts
    try:
        drive = probe_drive(identity.path, seconds=LOOK_SECONDS)
    except BadInput as error:
        raise Refused(
            f"The drive of this plan is not at {printable(identity.path)}: {error} {where(identity, None)}",
            NOTHING_WRITTEN,
        ) from None
    _check_identity(identity, drive, where)
    return drive


def probe_members(plan: Plan, where: Where | None = None) -> tuple[Drive, ...]:
    """The plan's drives as they are now, read side by side; raises Refused as `probe_again` does."""
    where = where or _whereabouts
    if len(plan.members) == 1:
        return (probe_again(plan.drive, where),)
    try:
        drives = probe_machine(plan.paths, seconds=LOOK_SECONDS).drives
    except BadInput:
        # One of them is not there: asked one by one, it is named.
        return tuple(probe_again(member.drive, where) for member in plan.members)
    if len(drives) != len(plan.members):
        raise Refused(
            f"{', '.join(plan.paths)} are not {len(plan.members)} drives: make the plan again.",
            NOTHING_WRITTEN,
        )
    for member, drive in zip(plan.members, drives, strict=True):
        _check_identity(member.drive, drive, where)
    return drives


def _check_identity(identity: Identity, drive: Drive, where: Where) -> None:
    """Raises Refused unless the drive is the one that was planned for."""
    if drive.path != identity.path:
        raise Refused(
            f"{printable(identity.path)} is another name of {drive.path}: make the plan again for "
            f"{drive.path}.",
            NOTHING_WRITTEN,
        )
    if drive.size_bytes == 0:
        raise Refused(f"There is no medium in {drive.path}. {where(identity, None)}", NOTHING_WRITTEN)
    if difference := identity_difference(identity, drive):
        if _is_resized(identity, drive):
            raise Refused(
                f"{drive.path} has changed its size: {difference}. {where(identity, drive)}",
                NOTHING_WRITTEN,
            )
        other = f"{printable(identity.path)} is not the drive that this plan was made for: {difference}."
        raise Refused(f"{other} {where(identity, None)}", NOTHING_WRITTEN)


def identity_difference(identity: Identity, drive: Drive) -> str | None:
    """A piece of a sentence about the first thing that tells the drives apart; None where nothing that a
    drive keeps does."""
    pairs: list[tuple[str, object, object]] = [
        ("serial", identity.serial, drive.serial),
        ("WWN", identity.wwn, drive.wwn),
        (
            "model",
            identity.model,
            identity.model if is_same_model(identity.model, drive.model) else drive.model,
        ),
        ("size in bytes", identity.size_bytes, drive.size_bytes),
        ("block geometry", identity.geometry, drive.geometry),
    ]
    for what, wanted, seen in pairs:
        if wanted != seen:
            if what == "block geometry":
                return "its block sizes are others"
            return f"its {what} is {_shown(seen)}, not {_shown(wanted)}"
    return None


def _is_resized(identity: Identity, drive: Drive) -> bool:
    """Whether it is the same drive, and only its size is another: a volume of a hypervisor's, say."""
    if drive.size_bytes is None or not (tells_who_it_is(identity) or is_same_attachment(identity, drive)):
        return False
    return identity_difference(replace(identity, size_bytes=drive.size_bytes), drive) is None


def _shown(value: object) -> str:
    return "none" if value is None else printable(str(value))


def _whereabouts(identity: Identity, resized: Drive | None) -> str:
    """Where the drive of the plan is now, in a sentence; what to do if it has another size."""
    if resized is not None:
        return "Make the plan again."
    if path := find_drive(identity, partial(_is_the_one, identity)):
        return f"That drive is {printable(path)} now: make the plan again for it."
    return "It is not attached anywhere else: attach it, or make the plan again."


def find_drive(identity: Identity, is_the_one: Callable[[Drive], bool]) -> str | None:
    """The node of the drive by another name than the one it had; None where it is nowhere."""
    for path in list_drive_paths(all_devices=True):
        if path == identity.path:
            continue
        try:
            drive = probe_drive(path, seconds=5.0)
            found = is_the_one(drive)
        except DiskwrightError:
            continue
        if found:
            return path
    return None


def _is_the_one(identity: Identity, drive: Drive) -> bool:
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
    """Whether the drive has a number of its own to be known by."""
    return identity.serial is not None or identity.wwn is not None


def is_same_attachment(identity: Identity, drive: Drive) -> bool:
    """Whether the drive was attached all the time since it was planned for: the kernel gives each one that is
    attached a new number, and begins to count anew when it starts.
    """
    return identity.boot_id in (None, boot_id()) and identity.diskseq == drive.diskseq


def check_same_start(identity: Identity, drive: Drive) -> None:
    """Raises Refused where the drive was attached anew since it was planned for: a dock can report its own
    serial number for whatever drive is put into it. After a restart that cannot be told, and one that tells
    no number at all is not known any more.

    Only when a run is begun: one that is taken up again knows its drive by what it left there.
    """
    shown, again = printable(identity.path), f"Make the plan again. {NOTHING_WRITTEN}"
    if identity.boot_id not in (None, boot_id()):
        if not tells_who_it_is(identity):
            raise Refused(
                f"The machine was started again since this plan was made, and {shown} tells no serial number "
                f"to know it by. {again}"
            )
        return
    counted = identity.boot_id is not None or not tells_who_it_is(identity)
    if counted and None not in (identity.diskseq, drive.diskseq) and identity.diskseq != drive.diskseq:
        place = find_drive(identity, partial(_is_the_one, identity))
        found = f"The drive of the plan seems to be {printable(place)} now. " if place else ""
        raise Refused(
            f"{shown} was attached anew since this plan was made, and it can be another drive now: its "
            f"number since the start is {drive.diskseq}, not {identity.diskseq}. {found}{again}"
        )
