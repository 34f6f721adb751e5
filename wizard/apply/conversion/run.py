"""Convert, undo and keep in the detached process: guard, steps in order, verify. All is journaled."""

from collections.abc import Iterable
from pathlib import Path

from wizard.apply.block.devices import facts_on, protect
from wizard.apply.conversion.fstab import line_operations, restore_type, set_type
from wizard.apply.conversion.guard import (
    another_filesystem,
    check_lines,
    check_new,
    check_own,
    check_resumable,
    drive_now,
)
from wizard.apply.conversion.rollback import (
    advised_sentence,
    can_be_undone,
    is_closed,
    is_stranded,
    look_sentence,
)
from wizard.apply.conversion.transaction import THERE_TWICE, has_started, migration_now, nodes_holding
from wizard.apply.conversion.verify import MigratingSite, file_checks
from wizard.apply.conversion.workspace import Workspace, ground_of
from wizard.apply.run.backup_store import mark_durably
from wizard.apply.run.job import KEPT, STEP_FAILED, STOPPED, UNDONE
from wizard.apply.run.journal import Journal, RunState, state, was_done
from wizard.apply.run.process import NOTHING_WRITTEN, STOP, UNDOING
from wizard.apply.run.runs import load_environment, run_argument
from wizard.apply.settings.guard import is_stacked
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import parse
from wizard.apply.system.mounts import is_mount_of, mounted_at, read_mounts
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused, printable
from wizard.model.migration import Means, Migration, MigrationStep, SetFstabType
from wizard.model.run import Check, Event
from wizard.model.said import Message, Sentence, Sentences, join, t
from wizard.operations.operation import How

CHECKS = Sentences("A check failed.", "{count} checks failed.")
NOT_MOUNTED = t("Not mounted:")
CAN_BE_MOUNTED = Sentence("{device} can be mounted now.")
MOUNT_FAILED = Sentence("Cannot mount {device} at {place}:")

NOT_AT_BOOT = frozenset({"noauto"})

KEEPING = "keeping"
"""File in a run's folder: keeping has begun, so undo is impossible."""


def site_of(run: Path, journal: Journal, drive_locks: tuple[int, ...]) -> MigratingSite:
    """Return the context of a run, outside of any step."""
    return MigratingSite(
        run, migration_now(run), 0, journal, drive_locks, load_environment(run).patience_seconds
    )


def migrate(site: MigratingSite) -> tuple[Event, str]:
    """Run the remaining steps of a conversion. Return the last event and message. Raises DiskwrightError."""
    run, migration = site.run, site.migration
    workspace = ground_of(site)
    check_own(migration, load_environment(run))
    check_one(run, migration)
    check_can_start(run, migration, workspace)
    workspace.prepare()
    on_device = [
        (number, step)
        for number, step in enumerate(migration.steps, 1)
        if not isinstance(step.operation, SetFstabType)
    ]
    in_files = [
        (number, step)
        for number, step in enumerate(migration.steps, 1)
        if isinstance(step.operation, SetFstabType)
    ]
    if ended := _run_steps(on_device, workspace, site):
        return ended
    if on_device:
        if failed := _count_failures(workspace.checks(), site):
            return Event.FAILED, str(CHECKS(count=failed))
        if message := workspace.commit():
            site.journal.add(Event.COMMAND, message)
    if ended := _run_steps(in_files, workspace, site):
        return ended
    if failed := _count_failures(file_checks(site), site):
        return Event.FAILED, str(CHECKS(count=failed))
    return Event.DONE, str(_done_sentence(run, migration))


def _done_sentence(run: Path, migration: Migration) -> Message | str:
    """Return the message of a complete run."""
    if migration.means is Means.FILES:
        return t(
            "{device} now mounts as ext4. `diskwright undo {run}` reverts this.",
            device=migration.device,
            run=run_argument(run),
        )
    shown = t("{device} is ext4 as shown; all checks passed.", device=migration.device)
    if is_closed(run, migration):
        return join(
            shown,
            t(
                "The filesystem was written to since, so undo is no longer possible. "
                "`diskwright keep {run}` frees the space.",
                run=run_argument(run),
            ),
        )
    protected = can_be_undone(run, migration) and protect(migration.device)
    left = (
        t("The filesystem is unmounted. Writes are blocked until you keep or undo the conversion, or reboot.")
        if protected
        else t("The filesystem is unmounted.")
    )
    return join(
        shown,
        left,
        look_sentence(migration),
        t(
            "Then run `diskwright keep {run}` or `diskwright undo {run}`.",
            run=run_argument(run),
        ),
    )


def check_can_start(run: Path, migration: Migration, ground: Workspace) -> None:
    """Raises Refused unless the device is as planned or, for a started run, as the run left it."""
    refuse_ended(run)
    try:
        ground.release()
        if has_started(run):
            check_resumable(migration)
            check_lines(migration, frozenset({How.BEFORE, How.AFTER}))
            ground.check_resumable()
        else:
            check_new(migration)
    except (BadInput, Failed) as error:
        raise Refused(str(error)) from None


def _run_steps(
    steps: Iterable[tuple[int, MigrationStep]], workspace: Workspace, site: MigratingSite
) -> tuple[Event, str] | None:
    """Run the remaining steps among these. Return the last event and message if the run ends here."""
    run, journal = site.run, site.journal
    for number, step in steps:
        operation = step.operation
        if not isinstance(operation, SetFstabType) and workspace.is_done(number):
            continue
        if (run / STOP).exists():
            return Event.STOPPED, f"{STOPPED(step=number)} {reached(run)}".rstrip()
        if not isinstance(operation, SetFstabType):
            drive_now(site.migration)
        try:
            journal.add(Event.STEP_STARTED, step.sentence, step=number)
            message = (
                set_type(operation, site.migration, run.name)
                if isinstance(operation, SetFstabType)
                else workspace.make(operation, number)
            )
        except (DiskwrightError, OSError) as error:
            journal.add(Event.STEP_FAILED, str(error), step=number)
            failed = STEP_FAILED(step=number, steps=len(site.migration.steps))
            return Event.FAILED, f"{failed} {error} {reached(run)}".rstrip()
        journal.add(Event.STEP_DONE, message, step=number)
    return None


def _count_failures(checks: Iterable[Check], site: MigratingSite) -> int:
    """Journal all checks, and return the number of failures."""
    failed = 0
    for check in checks:
        site.journal.add(
            Event.VERIFIED if check.holds else Event.NOT_VERIFIED, check.what.rstrip("."), output=check.seen
        )
        failed += not check.holds
    return failed


def reached(run: Path) -> str:
    """Report whether a run that ended early wrote nothing. Empty if it did write."""
    try:
        return "" if has_started(run) else str(NOTHING_WRITTEN)
    except BadInput as error:
        return str(error)


def check_can_undo(run: Path) -> None:
    """Raises Refused if the run cannot be undone."""
    now = state(run)
    if now is RunState.UNDONE:
        raise Refused(UNDONE(name=run.name))
    if now is RunState.KEPT:
        raise Refused(t("Run {name} was kept: the undo data is deleted.", name=run.name))
    if not has_started(run):
        raise Refused(t("Run {name} made no changes to undo.", name=run.name))
    _refuse_kept(run)


def refuse_ended(run: Path) -> None:
    """Raises Refused if undo or keep was started, since then the run cannot resume."""
    if (run / UNDOING).exists():
        raise Refused(
            t(
                "The undo of run {name} is unfinished, so the run cannot resume. Finish with "
                "`diskwright undo {run}`.",
                name=run.name,
                run=run_argument(run),
            )
        )
    _refuse_kept(run)


def _refuse_kept(run: Path) -> None:
    """Raises Refused if keep was started, since part of the undo data may be deleted."""
    if (run / KEEPING).exists():
        raise Refused(
            t(
                "Keeping run {name} is unfinished. Finish with `diskwright keep {run}`. Nothing was written.",
                name=run.name,
                run=run_argument(run),
            )
        )


def undo_conversion(site: MigratingSite) -> tuple[Event, str]:
    """Undo a conversion. Return the last event and message. Raises DiskwrightError.

    The fstab line is restored first, since the ext4 in that line will not exist afterwards.
    """
    migration = site.migration
    workspace = ground_of(site)
    check_own(migration, load_environment(site.run))
    check_one(site.run, migration)
    workspace.release()
    check_resumable(migration)
    workspace.check_untouched()
    # Check before the line changes: with an old line and an ext4, the next boot could not mount it.
    workspace.check_kept()
    mark_durably(site.run / UNDOING)
    messages = []
    for step in reversed(migration.steps):
        if isinstance(step.operation, SetFstabType):
            messages.append(restore_type(step.operation))
            site.journal.add(Event.COMMAND, messages[-1])
    messages.append(workspace.undo())
    workspace.drop()
    return Event.UNDONE, " ".join(messages)


def check_keeps(run: Path) -> None:
    """Raises Refused unless the run has a result to keep."""
    now = state(run)
    if now is RunState.KEPT:
        raise Refused(KEPT(name=run.name))
    if now is RunState.UNDONE or (run / UNDOING).exists() or not (was_done(run) or is_stranded(run)):
        raise Refused(
            t(
                "Run {name} is {state}: only a completed and verified run can be kept.",
                name=run.name,
                state=now,
            )
        )


def check_one(run: Path, migration: Migration) -> None:
    """Raises Refused if a copy of a changed filesystem is attached, too."""
    if migration.means not in (Means.TRANSACTION, Means.DIRECT) or not has_started(run):
        return
    uuid = migration.before.uuid
    clones = [node for node in nodes_holding(uuid) if not is_stacked(node, migration.device)]
    found = tuple(dict.fromkeys((migration.device, *clones)))
    if len(found) > 1:
        raise Refused(THERE_TWICE(uuid=uuid, times=len(found), devices=found))


def check_held(migration: Migration) -> None:
    """Raises Refused unless the device contains the filesystem of the conversion. Undo data of an absent
    filesystem is not deleted."""
    drive_now(migration)
    try:
        now = facts_on(migration.device)
    except Failed as error:
        raise Refused(f"{error} {NOTHING_WRITTEN}") from None
    if now.uuid != migration.before.uuid:
        raise Refused(join(another_filesystem(migration), NOTHING_WRITTEN))


def keep(site: MigratingSite) -> tuple[Event, str]:
    """Delete the undo data and mount the filesystem. Return the last event and message. Raises
    DiskwrightError."""
    check_one(site.run, site.migration)
    check_held(site.migration)
    mark_durably(site.run / KEEPING)
    message = ground_of(site).drop()
    # Undo is impossible now, even if mounting fails.
    return Event.KEPT, f"{message} {_mount(site)} {advised_sentence(site.migration)}"


def _mount(site: MigratingSite) -> Message | str:
    """Mount the filesystem as at the next boot. Return a message, also if that fails."""
    device, environment, uuid = site.migration.device, load_environment(site.run), site.migration.before.uuid
    try:
        if facts_on(device).uuid != uuid:
            return t(
                "{device} now contains a filesystem other than {uuid} and was not mounted.",
                device=device,
                uuid=uuid,
            )
    except Failed as error:
        return f"{NOT_MOUNTED} {error}"
    if mounted := next((one for one in read_mounts() if is_mount_of(one, device)), None):
        place = printable(mounted.mount_point, 200)
        if "ro" in mounted.options:
            return t(
                "{device} is mounted read-only at {place}. For write access, run `umount "
                "{place}` and mount again.",
                device=device,
                place=place,
            )
        message = t("{device} is mounted at {place}.", device=device, place=place)
        return message if mounted.filesystem == "ext4" else join(message, t("The next mount uses ext4."))
    if not environment.is_running_system:
        return CAN_BE_MOUNTED(device=device)
    text = read_text(environment.fstab)
    # Other lines may have been added above.
    numbers = [
        number
        for number, line in enumerate(text.split("\n"), 1)
        if line in {own.new for own in line_operations(site.migration)}
    ]
    lines = parse(text, str(environment.fstab))
    line = next(
        (line for line in lines if line.number in numbers and not NOT_AT_BOOT & {*line.options}), None
    )
    if line is None or not line.mount_point.startswith("/") or mounted_at(line.mount_point):
        return CAN_BE_MOUNTED(device=device)
    result = site.command(
        ("mount", "-t", "ext4", "-o", ",".join(line.options) or "defaults", device, line.mount_point),
        accept=range(256),
    )
    place = printable(line.mount_point, 200)
    if result.status:
        return f"{MOUNT_FAILED(device=device, place=place)} {result.last_words}"
    return t(
        "{device} is mounted at {place} with the options from {fstab}.",
        device=device,
        place=place,
        fstab=str(environment.fstab),
    )
