"""Check that a plan still fits the drives. Refuses in doubt; never writes.

The checks run twice: before a run starts, and in the run under the drives' locks.
"""

import os
import sys
from collections.abc import Iterable
from errno import EACCES, ENOTDIR
from importlib.util import find_spec
from pathlib import Path

from msgspec.structs import replace

from wizard.advice.missing import BINDING, missing
from wizard.apply.block import devices
from wizard.apply.plan.identity_check import check_same_start, probe_members
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.process import refused
from wizard.apply.steps.layers import check_free, layer_nodes
from wizard.apply.system.fstab import check_lines
from wizard.apply.system.mounts import mounted_at
from wizard.apply.tree.mount_read_only import driver_refusal
from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.errors import Refused, partition_path, printable
from wizard.model.layout import Layout, Member
from wizard.model.machine import Drive
from wizard.model.said import Sentence, t
from wizard.plan import refusals
from wizard.plan.dangers import held_on, layout_of
from wizard.plan.plan import Plan
from wizard.plan.settings.possible import READ_ONLY
from wizard.plan.text import WORD
from wizard.probe.host.environment import family_of, os_release
from wizard.process.program import find

NO_MOUNT_POINT = Sentence("{place} cannot be a mount point: {why}.")
NOT_ON_DRIVE = Sentence("Cannot confirm that {node} is on the planned drive: {reason}.")
OPTIONS_REFUSED = Sentence("The kernel refuses the mount options for {device}: {why}.")


def check_operations(plan: Plan, environment: Environment) -> None:
    """Raises Refused if an operation names a device outside the plan, or if a drive is off limits."""
    environment.check_allowed(plan.devices)
    layers = layer_nodes(plan)
    for step in plan.steps:
        for device in step.operation.devices:
            if device not in layers and plan.member(device) is None:
                own = tuple(map(printable, plan.devices))
                raise refused(
                    t(
                        "The plan is for {drives:list} but also names {device}; such plans are refused.",
                        drives=own,
                        device=device,
                    )
                )
    for member in plan.members:
        for node in member.nodes:
            if reason := devices.node_fault(node, member.drive.path):
                raise refused(NOT_ON_DRIVE(node=node, reason=reason))


def check_content(member: Member, drive: Drive, *, adds: bool) -> None:
    """Raises Refused unless the drive's contents match the plan. `adds`: the table is preserved and must be
    extensible."""
    if drive.content_digest is None:
        reasons = tuple(dict.fromkeys(unread.why for unread in drive.unread))
        raise refused(
            t(
                "Cannot read the contents of {drive}. {reasons:row}",
                drive=drive.path,
                reasons=reasons or t("No reason was given."),
            )
        )
    changed = member.drive.content_digest not in (None, drive.content_digest)
    layout = layout_of(drive)
    if not changed:
        # Refuse if anything that the plan destroys was used after planning. Preserved partitions may be used.
        stays = {slot.number for slot in member.before.partitions if slot.kept}
        then, now = (
            {one.number: one.superblock_digest for one in held}
            for held in (member.drive.held, held_on(drive))
        )
        # Also refuse a missing digest: the device was in use at the time, or the document was changed.
        for number in sorted({*then, *now} - stays):
            if now.get(number) != then.get(number):
                raise refused(
                    t(
                        "{device} was used after planning: the superblock changed, as after a mount, check "
                        "or write. The plan would destroy any new data unseen. Inspect the device, then make "
                        "a new plan.",
                        device=partition_path(drive.path, number) if number else drive.path,
                    )
                )
        changed = layout is None or _without_planning(layout) != _without_planning(member.before)
    if changed or (drive.zoned == HOST_MANAGED) != (member.after.whole is not None):
        raise refused(
            t(
                "{drive} differs from the plan: the layout, the table or a filesystem signature "
                "changed. Make a new plan.",
                drive=drive.path,
            )
        )
    if adds:
        try:
            refusals.refuse_table(drive)
        except Refused as error:
            raise refused(error) from None


def _adds_to_table(plan: Plan) -> bool:
    """Return True if the plan preserves a partition table, and adds or changes a partition."""
    return plan.before.table != "none" and any(not table.fresh for table in plan.tables)


def check_rehearsable(plan: Plan, why: str | None) -> None:
    """Raises Refused if a plan preserves partitions and must run directly on the drive. `why`: the reason, as
    a clause; empty if it can be rehearsed, None if the user skipped the rehearsal."""
    if not (plan.only_table or _adds_to_table(plan)) or why == "":
        return
    changed = plan.part_path or ", ".join(plan.devices)
    if why is None:
        raise refused(
            t(
                "Changes to {part} always support undo: omit {word!r}.",
                part=changed,
                word=WORD,
            )
        )
    raise refused(
        t(
            "Changes to {part} preserve data and require a rehearsal, which is not possible: {why}.",
            part=changed,
            why=why,
        )
    )


def check_start(plan: Plan) -> None:
    """Raises Refused unless all drives match the plan and are unused. Requires their locks."""
    for member, drive in zip(plan.members, probe_members(plan), strict=True):
        check_same_start(member.drive, drive)
        check_unused(drive, part=plan.part_path)
        check_content(member, drive, adds=_adds_to_table(plan))
    check_free(plan)


def _without_planning(layout: Layout) -> Layout:
    """Return the layout without fields that planning sets, or that change while a partition is used."""
    slots = tuple(replace(slot, kept=False, mount_point=None, used_bytes=None) for slot in layout.slots)
    # Plans of older versions have no label.
    return replace(layout, slots=slots, label="", used_bytes=None)


def check_unused(drive: Drive, ours: frozenset[tuple[str, str]] = frozenset(), *, part: str = "") -> None:
    """Raises Refused if the drive is in use, except by the mounts `ours` (device, mount point). If only the
    partition `part` changes, its neighbours may be in use."""
    if drive.read_only:
        raise refused(READ_ONLY(drive=drive.path))
    for use in refusals.uses_of(drive, part) if part else drive.uses:
        if use.kind != "opened" and (use.subject, use.by) not in ours:
            raise refused(devices.IN_USE(device=drive.path, why=refusals.in_use(use)))
    nodes = {
        *devices.partition_nodes(drive.path),
        *(part.path for part in drive.partitions if Path(part.path).exists()),
    }
    if part:
        nodes &= {part}
    mounted = {device for device, _ in ours} & {*nodes, drive.path}
    nodes -= mounted
    # The kernel refuses exclusive access to a drive while a partition is opened exclusively, so open the
    # partitions first.
    for node in sorted(nodes) if mounted or part else [*sorted(nodes), drive.path]:
        if reason := devices.open_exclusively(node):
            raise refused(devices.IN_USE(device=node, why=reason))


def check_tools(plan: Plan) -> None:
    """Raises Refused if a tool for a step or the check is missing."""
    wanted = {"partx", "wipefs"} | {argv[0] for step in plan.steps for argv in step.commands}
    wanted |= {program for step in plan.steps for program in step.operation.programs}
    check_programs(wanted)
    if find_spec("parted") is None:
        said = missing((BINDING,), family_of(os_release())).said
        # PyPI has no wheels of pyparted, and the distribution's package is invisible in some virtual
        # environments.
        if sys.prefix != sys.base_prefix:
            unseen = t(
                "The environment in {folder} sees it only if created with --system-site-packages (pipx too).",
                folder=sys.prefix,
            )
            raise refused(f"{said} {unseen}")
        raise refused(said)


def check_programs(wanted: Iterable[str]) -> None:
    """Raises Refused, naming the packages, if a program is missing."""
    if absent := [name for name in sorted(wanted) if find(name) is None]:
        raise refused(missing(absent, family_of(os_release())).said)


def check_surroundings(plan: Plan, environment: Environment) -> None:
    """Raises Refused if a mount point is in use or hides files, or if fstab or crypttab conflict with the
    plan's lines."""
    for mount in plan.mounts:
        check_mount_point(Path(mount.mount_point))
        if why := driver_refusal(mount.filesystem, mount.options):
            raise refused(OPTIONS_REFUSED(device=mount.device, why=why))
    check_lines(environment.fstab, plan.fstab_lines)
    check_lines(environment.crypttab, plan.crypttab_lines)


def check_places(plan: Plan) -> None:
    """Raises Refused if an existing folder cannot be a mount point of the plan. Skips unreadable ones."""
    for mount in plan.mounts:
        if os.access(mount.mount_point, os.R_OK):
            check_mount_point(Path(mount.mount_point))


def check_mount_point(place: Path) -> None:
    """Raises Refused unless nothing is mounted at the place, and it is missing or an empty folder."""
    shown = str(place)
    if taken := mounted_at(shown):
        raise refused(
            t(
                "{place} is in use: {device} is mounted there.",
                place=shown,
                device=taken.source,
            )
        )
    if Path(os.path.realpath(place)) != place:
        raise refused(
            t(
                "{place} is or contains a symbolic link; use the real path {real}.",
                place=shown,
                real=os.path.realpath(place),
            )
        )
    try:
        if any(place.iterdir()):
            raise refused(
                t(
                    "{place} is not empty: a mount would hide the files there. Choose another mount point.",
                    place=shown,
                )
            )
        return
    except FileNotFoundError:
        pass
    except OSError as error:
        raise refused(NO_MOUNT_POINT(place=shown, why=error)) from None
    above = next(parent for parent in place.parents if parent.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        why = f"{above}: {os.strerror(EACCES if above.is_dir() else ENOTDIR)}"
        raise refused(NO_MOUNT_POINT(place=shown, why=why))
