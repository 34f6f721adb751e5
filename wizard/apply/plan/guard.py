"""Whether a plan may still be carried out on the drive that it names. Every doubt is a refusal; nothing here
writes.

It is asked twice: before a run is begun, and again by the run itself under the drive's lock.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from wizard.apply.block.devices import impostor, open_exclusively, partition_nodes
from wizard.apply.run.begin import NOTHING_WRITTEN
from wizard.apply.run.environment import LOOK_SECONDS, Environment
from wizard.apply.steps.containers import check_containers
from wizard.apply.steps.layers import check_free_array, layer_nodes
from wizard.apply.steps.readback import checking_programs
from wizard.apply.system.crypttab import check_crypttab
from wizard.apply.system.fstab import check_fstab
from wizard.apply.system.mounts import mounted_at
from wizard.filesystems.registry import package_of
from wizard.layout.before import held_on, layout_of
from wizard.layout.planner import HOST_MANAGED
from wizard.layout.room.refusals import in_use, refuse_table
from wizard.model.encryption import AddCrypttabLine
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.identity import Identity
from wizard.model.machine import Drive
from wizard.model.names import partition_path, printable
from wizard.model.plan import AddFstabLine, Layout, Member, Mount, Plan, WriteTable, devices_of
from wizard.probe.drive.identity import is_same_model
from wizard.probe.host.system import boot_id
from wizard.probe.machine import list_drive_paths, probe_drive, probe_machine
from wizard.tools.program import find

PACKAGES = {
    "wipefs": "util-linux",
    "partx": "util-linux",
    "mount": "mount",
    "blkzone": "util-linux",
    "mdadm": "mdadm",
    "cryptsetup": "cryptsetup",
    **dict.fromkeys(("tune2fs", "e2undo", "resize2fs", "debugfs"), "e2fsprogs"),
    "env": "coreutils",
    "systemctl": "systemd",
    **dict.fromkeys(
        ("pvcreate", "vgcreate", "lvcreate", "lvchange", "vgchange", "vgremove", "lvs", "pvs", "vgs"), "lvm2"
    ),
}


Where = Callable[[Identity, Drive | None], str]
"""Says where a drive is that is not at its place; or what to do with the one there, which has another size
now."""


def check_operations(plan: Plan, only: frozenset[str] | None) -> None:
    """Raises Refused where an operation names anything but the plan's own drives and the array they make, or
    a drive is none of `only`."""
    for member in plan.members:
        path = member.drive.path
        if only is not None and path not in only:
            raise Refused(
                f"{printable(path)} is not a drive that this run may touch; those are "
                f"{', '.join(sorted(only))}. {NOTHING_WRITTEN}"
            )
    layers = layer_nodes(plan)
    opened = [one.opened for one in plan.containers]
    for step in plan.steps:
        for device in devices_of(step.operation):
            if device not in (*layers, *opened) and plan.member(device) is None:
                own = ", ".join(map(printable, plan.paths))
                raise Refused(
                    f"The plan is for {own} but names {printable(device)} too; such a plan is not applied. "
                    f"{NOTHING_WRITTEN}"
                )
    for member in plan.members:
        for node in own_nodes(member):
            if reason := impostor(node, member.drive.path):
                raise Refused(
                    f"{printable(node)} cannot be trusted to be on the drive of this plan: {reason}. "
                    f"{NOTHING_WRITTEN}"
                )


def own_nodes(member: Member) -> tuple[str, ...]:
    """The nodes of a drive and of every partition that it has before or after."""
    numbers = {slot.number for layout in (member.before, member.after) for slot in layout.partitions}
    return (member.drive.path, *(partition_path(member.drive.path, number) for number in sorted(numbers)))


def probe_again(identity: Identity, where: Where | None = None) -> Drive:
    """The drive as it is now, if it may be the one that was planned for. Raises Refused where it is not,
    saying `where` that one is."""
    where = where or _whereabouts
    try:
        drive = probe_drive(identity.path, seconds=LOOK_SECONDS)
    except BadInput as error:
        raise Refused(
            f"The drive of this plan is not at {printable(identity.path)}: {error} {where(identity, None)} "
            f"{NOTHING_WRITTEN}"
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
            f"{', '.join(plan.paths)} are not {len(plan.members)} drives: make the plan again. "
            f"{NOTHING_WRITTEN}"
        )
    for member, drive in zip(plan.members, drives, strict=True):
        _check_identity(member.drive, drive, where)
    return drives


def _check_identity(identity: Identity, drive: Drive, where: Where) -> None:
    """Raises Refused unless the drive is the one that was planned for."""
    if drive.path != identity.path:
        raise Refused(
            f"{printable(identity.path)} is another name of {drive.path}: make the plan again for "
            f"{drive.path}. {NOTHING_WRITTEN}"
        )
    if difference := identity_difference(identity, drive):
        if _is_resized(identity, drive):
            raise Refused(
                f"{drive.path} has changed its size: {difference}. {where(identity, drive)} {NOTHING_WRITTEN}"
            )
        other = f"{printable(identity.path)} is not the drive that this plan was made for: {difference}."
        raise Refused(f"{other} {where(identity, None)} {NOTHING_WRITTEN}")


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


def check_content(member: Member, drive: Drive, *, adds: bool) -> None:
    """Raises Refused unless the drive holds exactly what it held when the plan was made; `adds` where its
    table is to be kept."""
    if drive.content_digest is None:
        reasons = " ".join(dict.fromkeys(unread.why for unread in drive.unread))
        raise Refused(
            f"What {drive.path} holds could not be read: {printable(reasons, 200) or 'no reason was given.'} "
            f"{NOTHING_WRITTEN}"
        )
    again = f"Make the plan again. {NOTHING_WRITTEN}"
    if member.drive.content_digest is not None and member.drive.content_digest != drive.content_digest:
        raise Refused(
            f"{drive.path} has changed since the plan was made: its table or a filesystem's mark is another "
            f"now. {again}"
        )
    _check_held(member, drive)
    now = layout_of(drive)
    if now is None or plain(now) != plain(member.before):
        why = (
            "the plan was made without the permission to read it"
            if member.drive.content_digest is None
            else "its layout is another now"
        )
        raise Refused(f"{drive.path} does not hold what the plan shows as before: {why}. {again}")
    if (drive.zoned == HOST_MANAGED) != (member.after.whole is not None):
        raise Refused(
            f"{drive.path} is {printable(drive.zoned or 'not known to be zoned')}, which the plan does not "
            f"fit. {again}"
        )
    if adds:
        check_keepable(drive)


def _check_held(member: Member, drive: Drive) -> None:
    """Raises Refused where something that is to go was used since the plan was made; what stays may be
    used."""
    stays = {slot.number for slot in member.before.partitions if slot.kept}
    now = {held.number: held.superblock_digest for held in held_on(drive)}
    for held in member.drive.held:
        if held.number not in stays and now.get(held.number) != held.superblock_digest:
            node = partition_path(drive.path, held.number) if held.number else drive.path
            raise Refused(
                f"{node} was used since the plan was made: the superblock of what it holds is another now, "
                "as after a mount, a check or a write. What of that is new, the plan would destroy unseen. "
                f"Look at it, and make the plan again. {NOTHING_WRITTEN}"
            )


def check_keepable(drive: Drive) -> None:
    """Raises Refused where a plan adds to a table that nothing may be added to, as the planner would have."""
    try:
        refuse_table(drive)
    except Refused as error:
        raise Refused(f"{error} {NOTHING_WRITTEN}") from None


def adds_to_table(plan: Plan) -> bool:
    """Whether the plan keeps a table and adds to it."""
    return any(isinstance(step.operation, WriteTable) and not step.operation.fresh for step in plan.steps)


def check_start(plan: Plan) -> None:
    """Raises Refused unless every drive is the plan's, is used by nobody, and holds what it held; needs the
    drives' locks."""
    for member, drive in zip(plan.members, probe_members(plan), strict=True):
        check_same_start(member.drive, drive)
        check_unused(drive)
        check_content(member, drive, adds=adds_to_table(plan))
    check_free_array(plan)
    check_containers(plan)


def plain(layout: Layout) -> Layout:
    """The layout without what planning adds to it."""
    return replace(layout, slots=tuple(replace(slot, kept=False, mount_point=None) for slot in layout.slots))


def check_unused(drive: Drive, ours: frozenset[tuple[str, str]] = frozenset()) -> None:
    """Raises Refused where anything uses the drive or a partition of it, except the mounts (device, place)
    that are `ours`."""
    if drive.read_only:
        raise Refused(f"{drive.path} is read-only. {NOTHING_WRITTEN}")
    for use in drive.uses:
        if use.kind != "opened" and (use.subject, use.by) not in ours:
            raise Refused(f"{drive.path} is in use: {in_use(use)}. {NOTHING_WRITTEN}")
    nodes = {
        *partition_nodes(drive.path),
        *(part.path for part in drive.partitions if Path(part.path).exists()),
    }
    mounted = {device for device, _ in ours} & {*nodes, drive.path}
    nodes -= mounted
    # The kernel gives a drive to nobody alone while it has given one of its partitions, so those are asked
    # first.
    for node in sorted(nodes) if mounted else [*sorted(nodes), drive.path]:
        if reason := open_exclusively(node):
            raise Refused(f"{node} is in use: {reason}. {NOTHING_WRITTEN}")


def check_tools(plan: Plan) -> None:
    """Raises Refused where a program is missing that a step or its check needs."""
    operations = [step.operation for step in plan.steps]
    wanted = {"partx", "wipefs"} | {argv[0] for step in plan.steps for argv in step.commands}
    wanted |= {program for operation in operations for program in checking_programs(operation)}
    check_programs(wanted)
    if find_spec("parted") is None:
        raise Refused(
            "The libparted binding for Python is not installed; install the package python3-parted. "
            f"{NOTHING_WRITTEN}"
        )


def check_programs(wanted: Iterable[str]) -> None:
    """Raises Refused, naming the package, where one of these programs is missing."""
    for name in sorted(wanted):
        if find(name) is None:
            package = PACKAGES.get(name) or package_of(name) or name
            raise Refused(f"{name} is not installed; install the package {package}. {NOTHING_WRITTEN}")


def check_surroundings(
    plan: Plan, environment: Environment, ours: frozenset[tuple[str, str]] = frozenset()
) -> None:
    """Raises Refused where a mount point is taken or would hide files, or a line cannot be added to fstab."""
    operations = [step.operation for step in plan.steps]
    for operation in operations:
        if isinstance(operation, Mount) and (operation.device, operation.mount_point) not in ours:
            check_mount_point(Path(operation.mount_point))
    check_fstab(
        environment.fstab, tuple(operation for operation in operations if isinstance(operation, AddFstabLine))
    )
    check_crypttab(
        environment.crypttab,
        tuple(operation for operation in operations if isinstance(operation, AddCrypttabLine)),
    )


def check_mount_point(place: Path) -> None:
    """Raises Refused unless the place is free: nothing mounted there, and missing or an empty folder."""
    shown = printable(str(place), 200)
    if taken := mounted_at(str(place)):
        raise Refused(f"{shown} is taken: {printable(taken.source)} is mounted there. {NOTHING_WRITTEN}")
    if Path(os.path.realpath(place)) != place:
        raise Refused(
            f"{shown} is or goes through a symbolic link; name the real place "
            f"{printable(os.path.realpath(place), 200)}. {NOTHING_WRITTEN}"
        )
    try:
        if any(place.iterdir()):
            raise Refused(
                f"{shown} is not empty: what lies there would be hidden. Choose another mount point. "
                f"{NOTHING_WRITTEN}"
            )
        return
    except FileNotFoundError:
        pass
    except OSError as error:
        raise Refused(f"{shown} cannot be a mount point: {error.strerror}. {NOTHING_WRITTEN}") from None
    above = next(parent for parent in place.parents if parent.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise Refused(f"{shown} cannot be made: {above} is no folder that can be written. {NOTHING_WRITTEN}")


def all_of(sentences: Iterable[str]) -> str:
    """Pieces of a sentence as one, the first three of many."""
    found = list(sentences)
    return "; ".join(found[:3]) + (f"; and {len(found) - 3} more" if len(found) > 3 else "")
