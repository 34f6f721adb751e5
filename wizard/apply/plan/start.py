"""Check, confirm and start a run of a plan. The run is a separate process and survives the terminal."""

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from wizard.apply.block.extents import DeviceMedium
from wizard.apply.engine.changes import first_data, sample_of
from wizard.apply.engine.record import UNKNOWN_DATA, Phase, Record, save_record
from wizard.apply.engine.scratch_copies import blocker
from wizard.apply.plan.guard import (
    check_operations,
    check_read,
    check_rehearsable,
    check_start,
    check_surroundings,
    check_tools,
)
from wizard.apply.plan.identity_check import Where, check_same_start, probe_again
from wizard.apply.plan.rehearsed import KEEP
from wizard.apply.run.backup_store import ANY, Environment, keep_facts, save_backup, write_durably
from wizard.apply.run.job import begin_new, check_root, check_tokens
from wizard.apply.run.process import lock_drives, settle, unlock
from wizard.apply.run.runs import check_room, new_run, plan_digest, runs_folder
from wizard.apply.system.fstab import key_of
from wizard.model.errors import Refused
from wizard.model.said import MIB, Message, join, t, tn
from wizard.plan.check import PLANS
from wizard.plan.plan import Plan
from wizard.plan.request.encryption import passphrase_fault
from wizard.plan.request.roles import content_fault
from wizard.plan.undo_policy import WORD, needs_word, promise


def preflight(
    plan: Plan, *tokens: str, journal_dir: Path | None = None, environment: Environment = ANY
) -> None:
    """Check everything that a run requires. Read-only. Raises Refused or BadInput."""
    folder = runs_folder(journal_dir)
    unlock(_lock_checked(plan, tokens, folder, environment, why_direct(plan, folder), make=False))


def preflight_unprivileged(plan: Plan, *, environment: Environment = ANY) -> None:
    """Run the checks of `preflight` that need no root. Raises Refused or BadInput."""
    PLANS.check(plan)
    check_read(plan)
    check_operations(plan, environment.only)
    check_tools(plan)
    for member in plan.members:
        check_same_start(member.drive, probe_again(member.drive))


def start_run(
    plan: Plan,
    *tokens: str,
    journal_dir: Path | None = None,
    environment: Environment = ANY,
    secret: bytes | None = None,
    keep: bool = False,
) -> Path:
    """Start a run in a detached process and return its folder.

    `tokens` confirm the drives; `WORD` among them confirms a run without undo, directly on the drives.
    `secret` is the passphrase of encrypted volumes, unless the plan has a key file. `keep` keeps the result
    as soon as all data is written, even if the drives had contents.

    Raises as `preflight` does, and Refused if the passphrase or key is missing or invalid.
    """
    secret = key_of(plan) if secret is None else secret
    check_secret(plan, secret)
    if WORD in tokens:
        check_rehearsable(plan, None)
    folder = runs_folder(journal_dir)
    # Decide this once: without undo only if the user has confirmed it.
    why = why_direct(plan, folder)
    direct = WORD in tokens or bool(why)
    drive_locks = _lock_checked(plan, tokens, folder, environment, why, make=True)

    def make() -> Path:
        run = new_run(folder, plan, environment, direct=direct)
        keep_facts(run, plan.devices)
        if not direct:
            save_record(run, Record(Phase.REHEARSING, of_plan=plan_digest(run)))
            save_backup(run)
            if keep:
                write_durably(run / KEEP, b"", os.O_TRUNC)
        return run

    applying = tn(
        "Applying {count} step to {drives:list}.",
        "Applying {count} steps to {drives:list}.",
        count=len(plan.steps),
        drives=plan.devices,
    )
    return begin_new(make, str(applying), drive_locks, secret)


def why_direct(plan: Plan, folder: Path) -> str:
    """Return why the plan must run directly on the drive, as a clause; empty if it can be rehearsed in this
    folder, which may not exist yet."""
    existing = next(above for above in (folder.absolute(), *folder.absolute().parents) if above.exists())
    return plan.direct_reason or blocker(existing, (member.drive.size_bytes for member in plan.members))


def _lock_checked(
    plan: Plan, tokens: Sequence[str], folder: Path, environment: Environment, why: str, *, make: bool
) -> tuple[int, ...]:
    """Run the cheap checks, lock the drives before anything touches them, and return the locks. `why` is the
    reason to run directly on the drives; empty for a rehearsed plan."""
    PLANS.check(plan)
    check_read(plan)
    check_operations(plan, environment.only)
    check_tokens(plan, [token for token in tokens if token != WORD])
    check_root()
    check_rehearsable(plan, why)
    _check_word(plan, tokens, why)
    check_tools(plan)
    check_surroundings(plan, environment)
    check_room(folder, room_bytes(plan), make=make)
    return guarded(plan)


def _check_word(plan: Plan, tokens: Sequence[str], why_direct: str) -> None:
    """Raises Refused if undo is impossible and the user has not confirmed this."""
    if WORD in tokens:
        return
    found = [] if needs_word(plan, why_direct) or not why_direct else [*_unknown_data(plan)]
    if found or needs_word(plan, why_direct):
        said = join(
            *found,
            t("To continue anyway, add --confirm {word}. Nothing was written.", word=shlex.quote(WORD)),
        )
        raise Refused(f"{promise(plan, why_direct)} {said}")


def _unknown_data(plan: Plan) -> Iterator[Message]:
    """Sample drives for unrecognised data, which tools discard when run directly on the drive."""
    for member in plan.members:
        path, block = member.drive.path, member.drive.geometry.logical_block_bytes
        with DeviceMedium(path) as drive:
            byte = first_data(drive, sample_of(member.drive.size_bytes, block))
        if byte is not None:
            yield UNKNOWN_DATA(drive=path, byte=byte)


def check_secret(plan: Plan, secret: bytes | None) -> None:
    """Raises Refused if the passphrase is missing, invalid, or not needed by the plan."""
    if not plan.containers:
        if secret is not None:
            raise Refused(t("This plan does not encrypt: omit the passphrase. Nothing was written."))
        return
    if secret is None:
        raise Refused(
            t(
                "The plan encrypts {devices:list} and needs a passphrase. Nothing was written.",
                devices=tuple(one.device for one in plan.containers),
            )
        )
    by_key = any(one.key for one in plan.containers)
    if fault := content_fault(secret) if by_key else passphrase_fault(secret):
        raise Refused(t("The passphrase {fault}. Nothing was written.", fault=fault))


def lock_all(
    plan: Plan, check: Callable[[], None] = lambda: None, where: Where | None = None
) -> tuple[int, ...]:
    """Lock the plan's drives. Raises Refused if a drive is missing, naming `where` it is, or locked. Runs
    `check` under the locks, and raises its errors."""
    settle()
    for member in plan.members:
        if not Path(member.drive.path).is_block_device():
            probe_again(member.drive, where)
    return lock_drives(plan.devices, check)


def guarded(plan: Plan) -> tuple[int, ...]:
    """Lock the drives, and check that they match the plan, are unused and have unchanged contents. Raises
    Refused."""
    return lock_all(plan, partial(check_start, plan))


def room_bytes(plan: Plan) -> int:
    """Return the bytes that a run needs free at the start: 2 MiB for each device of each operation that
    writes to it."""
    return 2 * MIB * sum(len(step.operation.devices) for step in plan.steps if step.operation.writes)
