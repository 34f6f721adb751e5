"""Parts of the program used by the loop tests: plan, apply, keep, undo, resume, and results. If a redesign
moves them, only this module changes."""

from pathlib import Path

from msgspec.structs import replace

from wizard.apply.engine.record import Phase, load_record
from wizard.apply.plan.job import JOB, why_direct
from wizard.apply.run.backup_store import ANY, Environment
from wizard.apply.run.job import Start
from wizard.apply.run.journal import Journal, RunState, follow, read_entries, state
from wizard.apply.run.process import Purpose, is_locked, lock_drive, request_stop, unlock
from wizard.apply.run.runs import list_runs, load_plan, make_run, runs_folder
from wizard.apply.run_control import job_for, job_of, keep, resume, undo
from wizard.ext4.document import make_migration
from wizard.model.errors import BadInput, DiskwrightError, ExitCode, Failed, Refused, partition_path
from wizard.model.layout import Stripe, Subvolume, Volume
from wizard.model.machine import Drive, Extent, Machine, Partition
from wizard.model.moves import Moves
from wizard.model.run import Event
from wizard.model.said import GIB, KIB, MIB
from wizard.plan.changes import Migration, RunDocument, Way
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec
from wizard.probe.machine import probe_drive, probe_machine


def commands_for(run: Path, now: RunState) -> tuple[str, ...]:
    """Return the names of commands that can continue a run, judged by its files."""
    return job_of(run).commands(run, now)


def power_now(run: Path) -> str:
    """Describe the effect of a power cut now."""
    return job_of(run).power(run)


def preflight(
    plan: Plan, *tokens: str, journal_dir: Path | None = None, environment: Environment = ANY
) -> None:
    """Run all checks of a new run that is confirmed with these tokens, without writing."""
    how = Start(tokens, journal_dir, environment)
    how = replace(how, why_direct=why_direct(plan, how.folder))
    unlock(JOB.lock_new(plan, how, make=False))


def start_run(
    plan: Plan,
    *tokens: str,
    journal_dir: Path | None = None,
    environment: Environment = ANY,
    secret: bytes | None = None,
    keep: bool = False,
) -> Path:
    """Start a run of a plan."""
    return JOB.start(plan, Start(tokens, journal_dir, environment, secret, keep))


def start_document(document: RunDocument, how: Start) -> Path:
    """Start a run of any kind."""
    return job_for(document).start(document, how)


__all__ = [
    "GIB",
    "KIB",
    "MIB",
    "PLANS",
    "Arrangement",
    "BadInput",
    "DiskwrightError",
    "Drive",
    "Environment",
    "Event",
    "ExitCode",
    "Extent",
    "Failed",
    "Journal",
    "Machine",
    "Migration",
    "Mode",
    "Moves",
    "NewVolumes",
    "Partition",
    "Phase",
    "Plan",
    "Purpose",
    "Refused",
    "RunState",
    "Stripe",
    "Subvolume",
    "Volume",
    "VolumeSpec",
    "Way",
    "commands_for",
    "follow",
    "is_locked",
    "keep",
    "list_runs",
    "load_plan",
    "load_record",
    "lock_drive",
    "make_migration",
    "make_plan",
    "make_run",
    "partition_path",
    "power_now",
    "preflight",
    "probe_drive",
    "probe_machine",
    "read_entries",
    "request_stop",
    "resume",
    "runs_folder",
    "start_document",
    "start_run",
    "state",
    "undo",
]
