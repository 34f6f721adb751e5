"""Beginning, taking up and stopping a run. The run itself is a process of its own, which outlives the
terminal."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from wizard.apply.engine.record import Phase, Record, save_record
from wizard.apply.engine.stand_ins import obstacle
from wizard.apply.plan.guard import (
    NOTHING_WRITTEN,
    check_operations,
    check_root,
    check_same_start,
    check_start,
    check_surroundings,
    check_tools,
    probe_again,
)
from wizard.apply.plan.rehearsed import KEEP, check_keeps, is_rehearsed
from wizard.apply.plan.resume import check_resumable, done_steps, own_drives
from wizard.apply.plan.steps_told import waiting_sentence
from wizard.apply.run.environment import Environment
from wizard.apply.run.facts_kept import keep_facts
from wizard.apply.run.journal import Journal, RunState, follow, read_entries, state
from wizard.apply.run.lock import lock_drives, lock_run, unlock
from wizard.apply.run.process import STOP, Purpose, launch
from wizard.apply.run.runs import (
    called,
    check_owner,
    check_room,
    load_environment,
    load_plan,
    new_run,
    runs_folder,
)
from wizard.apply.run.vault import write_durably
from wizard.apply.steps.containers import wants_secret
from wizard.layout.check import check_plan
from wizard.layout.rehearsed import direct_reason
from wizard.layout.wishes.passphrase import passphrase_fault
from wizard.model.errors import Failed, Refused
from wizard.model.identity import Identity
from wizard.model.journal import Event
from wizard.model.names import printable
from wizard.model.plan import MakeArray, MakeVolumeGroup, Plan, WipeSignatures, WriteTable
from wizard.model.units import MIB
from wizard.tools.run import find
from wizard.tools.run import run as run_command

ANY = Environment()


def preflight(
    plan: Plan, *tokens: str, journal_dir: Path | None = None, environment: Environment = ANY
) -> None:
    """Everything that must hold before a run may begin; raises Refused or BadInput for the first thing that
    does not. Writes nothing."""
    unlock(_cleared(plan, tokens, runs_folder(journal_dir), environment, make=False))


def preflight_unprivileged(plan: Plan, *, environment: Environment = ANY) -> None:
    """What of `preflight` a plain user can find out: that the plan holds together and that its drives are
    there. Raises likewise."""
    check_plan(plan)
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
    """Begin a run and give its folder; a detached process applies.

    `tokens` confirm the drives, `secret` is the passphrase of what the plan encrypts; `keep` puts the result
    to use as soon as it is complete, also where the drives held something. Raises as `preflight` does, and
    Refused where the passphrase is missing or cannot be.
    """
    check_secret(plan, secret)
    folder = runs_folder(journal_dir)
    drive_locks = _cleared(plan, tokens, folder, environment, make=True)

    def make() -> Path:
        run = new_run(folder, plan, environment)
        keep_facts(run, plan.paths)
        if not why_direct(plan, folder):
            save_record(run, Record(Phase.REHEARSING))
            if keep:
                write_durably(run / KEEP, b"", os.O_TRUNC)
        return run

    return begin_new(make, f"Applying {len(plan.steps)} steps to {named(plan)}.", drive_locks, secret)


def why_direct(plan: Plan, folder: Path) -> str:
    """Why the plan's steps have to run on the drive itself, as a clause; empty where they are rehearsed on a
    stand-in, in a run's folder there. The folder may be missing yet.
    """
    there = next(above for above in (folder.absolute(), *folder.absolute().parents) if above.exists())
    return direct_reason(plan) or obstacle(there, (member.drive.size_bytes for member in plan.members))


def begin_new(
    make: Callable[[], Path], sentence: str, drive_locks: tuple[int, ...], secret: bytes | None = None
) -> Path:
    """Make a run, which `make` gives the folder of, and hand it over to a process of its own, as `begin`
    does; the drives' locks are let go of here. Raises Refused where either failed: nothing was written then.
    """
    try:
        run = make()
        run_lock = lock_run(run)
        try:
            begin(run, Purpose.APPLY, sentence, drive_locks, run_lock, secret)
        finally:
            os.close(run_lock)
    except Failed as error:
        raise Refused(f"{error} {NOTHING_WRITTEN}") from None
    finally:
        unlock(drive_locks)
    return run


def begin(
    run: Path,
    purpose: Purpose,
    sentence: str,
    drive_locks: Sequence[int],
    run_lock: int,
    secret: bytes | None = None,
) -> None:
    """Write the sentence into the run's journal and hand the run over to a process of its own; raises Failed
    where there is none."""
    journal = Journal(run)
    journal.add(Event.STARTED, sentence)
    journal.close()
    launch(run, purpose, drive_locks, run_lock, secret)


def named(plan: Plan) -> str:
    """The plan's drives in a sentence."""
    return ", ".join(plan.paths)


def _cleared(
    plan: Plan, tokens: Sequence[str], folder: Path, environment: Environment, *, make: bool
) -> tuple[int, ...]:
    """The drives' locks, taken after the cheap checks and before anything touches a drive, so that two runs
    cannot meet."""
    check_plan(plan)
    check_operations(plan, environment.only)
    check_tokens(plan, tokens)
    check_root()
    check_tools(plan)
    check_surroundings(plan, environment)
    check_room(folder, room_bytes(plan), make=make)
    return guarded(plan)


def check_tokens(plan: Plan, tokens: Sequence[str]) -> None:
    """Raises Refused unless the tokens are those of the drives, letter for letter, each once, in whatever
    order."""
    if sorted(tokens) == sorted(plan.tokens):
        return
    wanted = " ".join(f"--confirm {printable(token)}" for token in plan.tokens)
    wrong = next((token for token in tokens if token and token not in plan.tokens), None)
    if len(plan.members) > 1:
        said = (
            "every drive needs its own, once"
            if wrong is None
            else f"{printable(wrong)!r} is the token of none of them"
        )
        sentence = (
            f"To confirm that {named(plan)} are to be overwritten, give the token of each with {wanted}: "
            f"{said}."
        )
    else:
        said = "nothing was written" if wrong is None else f"{printable(wrong)!r} is not its token"
        sentence = (
            f"To confirm that {plan.drive.path} is to be overwritten, give its token with {wanted}: {said}."
        )
    raise Refused(f"{sentence} {NOTHING_WRITTEN}")


def check_secret(plan: Plan, secret: bytes | None) -> None:
    """Raises Refused where the plan encrypts and the passphrase is missing or cannot be one, or where it has
    no use for one."""
    if not plan.containers:
        if secret is not None:
            raise Refused(f"A passphrase was given, and this plan encrypts nothing. {NOTHING_WRITTEN}")
        return
    if secret is None:
        raise Refused(
            f"The plan encrypts {', '.join(one.device for one in plan.containers)}: it wants a passphrase. "
            f"{NOTHING_WRITTEN}"
        )
    if fault := passphrase_fault(secret):
        raise Refused(f"The passphrase {fault}. {NOTHING_WRITTEN}")


def lock_all(
    plan: Plan, check: Callable[[], None] = lambda: None, where: Callable[[Identity], str] | None = None
) -> tuple[int, ...]:
    """The locks of the plan's drives; raises Refused where one is not there, saying `where` it is, or
    somebody has it, and as `check`, asked under the locks.
    """
    settle()
    for member in plan.members:
        if not Path(member.drive.path).is_block_device():
            probe_again(member.drive, where)
    return lock_drives(plan.paths, check)


def guarded(plan: Plan) -> tuple[int, ...]:
    """Locks on the drives, given only if they are those of the plan, hold what they held then, and nothing
    uses them."""
    return lock_all(plan, partial(check_start, plan))


def settle(seconds: int = 10) -> None:
    """Let udev finish what it has begun. Only while no drive is locked: of a locked one udev puts the events
    off."""
    if udev_runs():
        run_command(
            ["udevadm", "settle", f"--timeout={seconds}"], seconds=seconds + 10, accept=range(-64, 256)
        )


def udev_runs() -> bool:
    """Whether udev listens, and can be waited for."""
    return Path("/run/udev/control").exists() and find("udevadm") is not None


def room_bytes(plan: Plan) -> int:
    """What saving before the steps can take at most: two MiB for each table, for every device that is wiped,
    and every array's part."""
    operations = [step.operation for step in plan.steps]
    tables = max(1, sum(isinstance(operation, WriteTable) for operation in operations))
    wipes = sum(isinstance(operation, WipeSignatures) for operation in operations)
    parts = sum(
        len(operation.parts) for operation in operations if isinstance(operation, MakeArray | MakeVolumeGroup)
    )
    return 2 * MIB * (tables + wipes + parts)


def resume_run(run: Path, secret: bytes | None = None) -> None:
    """Go on with a run from its first step that is not done, in a detached process. `secret` is the
    passphrase, where that is wanted still.

    Raises Refused where that is not safe.
    """
    check_root()
    check_owner(run)
    run_lock = lock_run(run)
    try:
        now = state(run)
        if now in (RunState.DONE, RunState.UNDONE, RunState.KEPT):
            raise Refused(f"The run {run.name} is {now}: there is nothing to resume.")
        if now is RunState.WAITING:
            raise Refused(f"The run {run.name} is complete. {waiting_sentence(load_plan(run), called(run))}")
        plan, environment = load_plan(run), load_environment(run)
        check_operations(plan, environment.only)
        check_tools(plan)
        check_room(run.parent, room_bytes(plan), make=True)
        drive_locks = lock_all(plan, where=own_drives(run, plan).where)
        try:
            if not is_rehearsed(run):
                check_resumable(run, plan, environment)
            if secret is not None or wants_secret(plan, done_steps(read_entries(run))):
                check_secret(plan, secret)
            (run / STOP).unlink(missing_ok=True)
            begin(
                run, Purpose.APPLY, f"Going on with the run on {named(plan)}.", drive_locks, run_lock, secret
            )
        finally:
            unlock(drive_locks)
    finally:
        os.close(run_lock)


def keep_run(run: Path) -> str:
    """Put to use what a run made, and give up the way back; a sentence on that. Raises Refused where there is
    nothing to keep, and Failed where it did not work.
    """
    check_root()
    check_owner(run)
    run_lock = lock_run(run)
    try:
        if not is_rehearsed(run):
            raise Refused(
                f"The run {run.name} wrote to the drive directly: there is nothing to keep. {NOTHING_WRITTEN}"
            )
        check_keeps(run)
        plan = load_plan(run)
        check_operations(plan, load_environment(run).only)
        drive_locks = lock_all(plan)
        try:
            seen = len(read_entries(run))
            begin(run, Purpose.KEEP, f"Putting {named(plan)} to use.", drive_locks, run_lock)
        finally:
            unlock(drive_locks)
    finally:
        os.close(run_lock)
    last = list(follow(run, seen))[-1]
    if state(run) is not RunState.KEPT:
        raise Failed(last.sentence)
    return last.sentence


def request_stop(run: Path) -> None:
    """Ask a run to stop before its next step. The step it is in is finished first. Raises Failed where it
    cannot be asked."""
    try:
        (run / STOP).touch(mode=0o600)
    except OSError as error:
        raise Failed(
            f"The run cannot be asked to stop: {run / STOP} cannot be written ({error.strerror})."
        ) from None
