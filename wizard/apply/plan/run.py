"""Run a plan directly in the detached process: guard, steps in order, verify. Each step is journaled.

Journal entries are written before and after each step.
"""

from collections.abc import Set
from pathlib import Path

from wizard.apply.block.devices import has_gone, node_fault
from wizard.apply.conversion.messages import STEP_FAILED, STOPPED
from wizard.apply.engine.record import Phase, load_record
from wizard.apply.plan import drive_digests
from wizard.apply.plan.drive_digests import no_way_back
from wizard.apply.plan.guard import check_operations, check_start, check_surroundings, check_unused
from wizard.apply.plan.identity_check import probe_members
from wizard.apply.plan.resume import check_resumable, own_mounts, quietly
from wizard.apply.plan.run_summary import headline
from wizard.apply.plan.verify import unmount_foreign, unseen, verify
from wizard.apply.resize.resized import resize_filesystem
from wizard.apply.run.backup_store import Environment, Vault
from wizard.apply.run.job import Outcome, RunWork, settle, udev_runs
from wizard.apply.run.journal import Journal, RunState, begun_steps, done_steps, read_entries
from wizard.apply.run.process import NOTHING_WRITTEN, STOP, unlocked
from wizard.apply.run.progress_log import how_far
from wizard.apply.run.runs import load_environment, load_plan
from wizard.apply.steps.containers import check_opened, contain, own_containers, reopen
from wizard.apply.steps.filesystem import (
    made_as_planned,
    make_filesystem,
    mount_filesystem,
    reset_zones,
    work_within,
)
from wizard.apply.steps.layers import build, layer_nodes, own_array_node, own_uses, put_up, turn_on
from wizard.apply.steps.step_context import NOT_TOUCHED, StepContext, look_at_all, told_in
from wizard.apply.steps.wipe import check_no_clone, check_target, wipe_signatures
from wizard.apply.system import fstab
from wizard.apply.system.edited_file import kept_as, read_text
from wizard.apply.table.write import write_table
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.ext import Event
from wizard.model.operations import (
    AddCrypttabLine,
    MakeArray,
    MakeContainer,
    MakeFilesystem,
    MakeVolumeGroup,
    OpenContainer,
    SetOwner,
)
from wizard.model.plan import (
    AddFstabLine,
    GrowFilesystem,
    MakeSubvolumes,
    Mount,
    Operation,
    Plan,
    ResetZones,
    Resizing,
    ShrinkFilesystem,
    Step,
    TurnOnSwap,
    WipeSignatures,
    WriteTable,
    devices_of,
)
from wizard.model.said import Message, Sentence, joined, t, tn
from wizard.plan.rehearsed import use_steps

NOT_TOGETHER = t("Cannot activate the new volumes:")
NOTHING_MORE = t("Nothing more was written.")
PULLED = Sentence("{drive} was disconnected: plug the drive in again.")
HAS_LINE = Sentence("{file} has the line:")
NOT_CHECKED = t("All steps finished, but the checks could not run.")

CATCH_UP_SECONDS = 60
"""How long udev may take for what it put off."""


def finish(work: RunWork) -> Outcome:
    """Put to use what is on the drives of a rehearsed run, and check everything: how the run ended. Raises
    DiskwrightError.

    Every step is carried out, whatever the journal says: a restart ends mounts, swap and open containers, and
    the journal may be lost. A step that finds everything as planned changes nothing.
    """
    run, journal, drive_locks = work.run, work.journal, work.drive_locks
    plan, environment = load_plan(run), load_environment(run)
    maybe_begun = frozenset(range(1, len(plan.steps) + 1))
    failure = (
        _let_udev_look(plan, drive_locks, maybe_begun) or _put_up(plan, journal, drive_locks) or _clone(plan)
    )
    if failure:
        return Event.FAILED, failure
    vault = Vault(run / "saved")
    for number, _ in use_steps(plan):
        site = StepContext(
            plan, number, True, run.name, environment, journal, vault, drive_locks, work.secret
        )
        if failure := _one_step(site):
            return Event.FAILED, failure
    return _verified(run, plan, environment, journal)


def _clone(plan: Plan) -> str | None:
    """A sentence if another device has the UUID of something that the plan made, or None."""
    try:
        check_no_clone(plan)
    except Failed as error:
        return error.ending_in(str(NOTHING_MORE))
    return None


def _put_up(plan: Plan, journal: Journal, drive_locks: tuple[int, ...]) -> str | None:
    """Have the array that was made stand; the sentence of its failure, or None."""
    try:
        put_up(plan, told_in(journal, drive_locks))
    except DiskwrightError as error:
        return f"{NOT_TOGETHER} {behind_pulled(plan, error)}"
    return None


def carry_out_directly(work: RunWork) -> Outcome:
    """Carry a plan out on the drives themselves, from its first step that is not done: how the run ended.
    Raises DiskwrightError."""
    run, journal, drive_locks, secret = work.run, work.journal, work.drive_locks, work.secret
    plan, environment = load_plan(run), load_environment(run)
    entries = read_entries(run)
    begun, done = begun_steps(entries), done_steps(entries)
    vault = Vault(run / "saved")
    check_operations(plan, environment.only)
    try:
        if begun:
            check_resumable(run, plan, environment)
            reopen(plan, done, secret)
        else:
            check_start(plan)
            check_surroundings(plan, environment)
    except (BadInput, Failed) as error:
        raise Refused(str(error)) from None
    done_now = set(done)
    drive_digests.note(run, plan, done_now)
    tables_written = False
    # As in `finish`, what puts to use is looked at each time.
    lasting = done - {number for number, _ in use_steps(plan)}
    for number in range(1, len(plan.steps) + 1):
        if number in lasting:
            continue
        if (run / STOP).exists():
            return Event.STOPPED, f"{STOPPED(step=number)} {reached(run, plan)}"
        operation = plan.steps[number - 1].operation
        if tables_written and isinstance(
            operation, MakeArray | MakeVolumeGroup | MakeContainer | MakeFilesystem
        ):
            if failure := _catch_up(run, plan, frozenset(done_now), drive_locks):
                return Event.FAILED, f"{failure} {reached(run, plan)}"
            tables_written = False
        tables_written = tables_written or isinstance(operation, WriteTable)
        site = StepContext(
            plan, number, number in begun, run.name, environment, journal, vault, drive_locks, secret
        )
        done_now.add(number)
        failure = _one_step(site)
        drive_digests.note(run, plan, done_now)
        if failure:
            return Event.FAILED, f"{failure} {reached(run, plan)}"
    return _verified(run, plan, environment, journal)


def _catch_up(run: Path, plan: Plan, begun: frozenset[int], drive_locks: tuple[int, ...]) -> str | None:
    """Let udev do now what it put off while the drives were locked; a sentence where anything else happened
    to them meanwhile.

    Otherwise it would hear only after the run that the old partitions went, by the same names as the new
    ones: volumes would be unmounted, and its rules would take a running array's parts for pulled out (mdadm's
    `mdadm --incremental --fail`), which fails a RAID0.
    """
    if not udev_runs():
        return None
    if failure := _let_udev_look(plan, drive_locks):
        return failure
    if place := drive_digests.changed(run, plan, begun):
        return str(
            t(
                "Another program changed {device} at byte {byte} while udev caught up.",
                device=place[0],
                byte=place[1].start_bytes,
            )
        )
    return None


def _let_udev_look(
    plan: Plan, drive_locks: tuple[int, ...], begun: frozenset[int] = frozenset()
) -> str | None:
    """Lend udev the locks for a moment, in which automounters are asked to keep away; a sentence where a
    drive is in use then, but by what the run itself made in the steps that were `begun`: udev has LVM
    activate a group at once.
    """
    if not udev_runs():
        return None
    try:
        with unseen(plan), unlocked(drive_locks):
            settle(CATCH_UP_SECONDS)
        ours = own_mounts(plan, begun) | own_uses(plan, begun, quietly) | own_containers(plan)
        for drive in probe_members(plan):
            check_unused(drive, ours, part=plan.part_path)
    except DiskwrightError as error:
        return error.ending_in(str(NOTHING_MORE))
    return None


def _one_step(site: StepContext) -> str | None:
    """Do one step; the sentence of its failure, or None."""
    step = site.plan.steps[site.step - 1]
    site.journal.add(Event.STEP_STARTED, step.sentence, step=site.step)
    try:
        said = _undisturbed(site)
    except (DiskwrightError, OSError) as error:
        why = behind_pulled(site.plan, error)
        site.journal.add(Event.STEP_FAILED, why, step=site.step)
        return f"{STEP_FAILED(step=site.step, steps=len(site.plan.steps))} {why}"
    site.journal.add(Event.STEP_DONE, said, step=site.step)
    return None


def _undisturbed(site: StepContext) -> Message | str:
    """Do the step; where another program mounted what it made, or is to mount, look at that or mount it once
    more."""
    operation = site.plan.steps[site.step - 1].operation
    if isinstance(operation, Mount):
        unmount_foreign(site)
    try:
        return execute(site)
    except Failed:
        if not isinstance(operation, Mount | MakeFilesystem) or not unmount_foreign(site):
            raise
    return execute(site) if isinstance(operation, Mount) else made_as_planned(operation, site)


def execute(site: StepContext) -> Message | str:
    """Carry out the site's operation; a sentence on what came of it. Raises Failed."""
    operation = site.plan.steps[site.step - 1].operation
    _check_nodes(operation, site)
    match operation:
        case WipeSignatures():
            return wipe_signatures(operation, site)
        case WriteTable():
            return write_table(operation, site)
        case ResetZones():
            return reset_zones(operation, site)
        case MakeFilesystem() | GrowFilesystem() | ShrinkFilesystem():
            return _on_filesystem(operation, site)
        case MakeSubvolumes() | SetOwner():
            return work_within(operation, site)
        case MakeContainer() | OpenContainer() | AddCrypttabLine():
            return contain(operation, site)
        case AddFstabLine():
            line = fstab.add_line(
                site.environment.fstab, operation, kept_as(site.environment.fstab, site.run_name)
            )
            return f"{HAS_LINE(file=str(site.environment.fstab))} {line}"
        case Mount():
            return mount_filesystem(operation, site)
        case TurnOnSwap():
            return turn_on(operation, site)
        case _:
            return build(operation, site)


def _on_filesystem(operation: MakeFilesystem | Resizing, site: StepContext) -> Message | str:
    if isinstance(operation, Resizing):
        return resize_filesystem(operation, site)
    return make_filesystem(operation, site)


def _check_nodes(operation: Operation, site: StepContext) -> None:
    """Raises Failed unless every node is what its name says: the drive or partition, or the array that this
    run made."""
    for device in devices_of(operation):
        member = site.plan.member(device)
        if member and (reason := node_fault(device, member.drive.path)):
            raise Failed(NOT_TOUCHED(node=device, why=reason))
        if not isinstance(operation, OpenContainer):
            check_opened(site.plan, device)
    if isinstance(
        operation, MakeFilesystem | MakeSubvolumes | SetOwner | Mount | TurnOnSwap
    ) and operation.device in layer_nodes(site.plan):
        own_array_node(site.plan, operation.device, site.command)
    check_target(site.plan, operation, site.seconds)


def behind_pulled(plan: Plan, said: object) -> str:
    """What is said, behind the reason for all of it where a drive is not there any more."""
    gone = next((path for path in plan.paths if has_gone(path)), None)
    return f"{PULLED(drive=gone)} {said}" if gone else str(said)


def _verified(run: Path, plan: Plan, environment: Environment, journal: Journal) -> Outcome:
    try:
        drives = look_at_all(plan.paths)
    except DiskwrightError as error:
        raise Failed(f"{NOT_CHECKED} {error}") from None
    failed = 0
    for check in verify(
        plan,
        drives,
        read_text(environment.fstab),
        environment.patience_seconds,
        read_text(environment.crypttab),
    ):
        journal.add(Event.VERIFIED if check.holds else Event.NOT_VERIFIED, check.what, output=check.seen)
        failed += not check.holds
    if failed:
        return Event.FAILED, behind_pulled(
            plan,
            tn(
                "All steps finished, but {count} check failed.",
                "All steps finished, but {count} checks failed.",
                count=failed,
            ),
        )
    planned = tn(
        "{drives:list} is set up exactly as planned; all checks passed.",
        "{drives:list} are set up exactly as planned; all checks passed.",
        drives=plan.paths,
        count=len(plan.members),
    )
    return Event.DONE, joined((*headline(plan, RunState.DONE), planned))


def reached(run: Path, plan: Plan) -> str:
    """Report which steps are done, and whether undo is possible."""
    try:
        entries = read_entries(run)
    except BadInput as error:
        return str(error)
    begun, done = begun_steps(entries), done_steps(entries)
    if final := no_way_back(plan, begun):
        back = t("Undo is no longer possible: {final} has started.", final=final)
    elif not begun:
        back = NOTHING_WRITTEN
    else:
        return str(how_far(done, len(plan.steps)))
    return f"{how_far(done, len(plan.steps))} {back}"


HARMLESS: tuple[type[Operation], ...] = (
    OpenContainer,
    AddCrypttabLine,
    AddFstabLine,
    MakeSubvolumes,
    SetOwner,
    Mount,
    TurnOnSwap,
)
"""Operations that write over nothing: they use what the run made, or add a line to a file."""


NOT_WRITTEN_YET = frozenset({Phase.REHEARSING, Phase.SAVED, Phase.CLEARING, Phase.REPLACING, Phase.UNKNOWN})
"""Phases from which a rehearsed run goes on by writing to its drives, whatever was done on stand-ins."""


def still_writes_over(run: Path, plan: Plan) -> tuple[tuple[int, Step], ...]:
    """What `writes_over` gives of the steps that the run has not brought to its drives. Raises BadInput where
    it cannot be read."""
    record = load_record(run)
    if record is None:
        return writes_over(plan, done_steps(read_entries(run)))
    return writes_over(plan, frozenset()) if record.phase in NOT_WRITTEN_YET else ()


def writes_over(plan: Plan, done: Set[int]) -> tuple[tuple[int, Step], ...]:
    """The steps that are not done, by number from 1, and that write to the drive what was not there: a table,
    a filesystem, a container. Where nothing was recognised there, too: something can be there by now.
    """
    left = ((number, step) for number, step in enumerate(plan.steps, 1) if number not in done)
    return tuple(
        (number, step) for number, step in left if step.destroys or not isinstance(step.operation, HARMLESS)
    )
