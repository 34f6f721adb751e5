"""Start a run that changes settings of a filesystem in use. The run is a separate process."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wizard.advice.catalogue import load_catalogue
from wizard.advice.existing import Tuning, tuning_for
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import begin_new, check_root, check_told, settle
from wizard.apply.run.process import NOTHING_WRITTEN, lock_drives, unlock
from wizard.apply.run.runs import CHANGES, check_room, make_run, runs_folder
from wizard.apply.settings.existing_filesystem import InUse, look_at_filesystem
from wizard.apply.settings.guard import check_may, check_new, check_own, check_tuning_tools, refusal
from wizard.apply.settings.plan_settings import act
from wizard.filesystems.registry import KINDS
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.advice import Workload
from wizard.model.changes import Changes, Tune, Unmount, Wanted
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.said import t, tn
from wizard.plan.settings import possible
from wizard.plan.settings.check_changes import check_changes
from wizard.plan.settings.tuning import ROOT_ONLY, make_changes, render_changes

ASKED_ANEW = t("These changes differ from the ones required now.")


@dataclass(frozen=True, slots=True)
class WorkedOut:
    """The purpose, the filesystem as it is found, what would suit it better, and the changes that bring it
    there."""

    workload: Workload
    used: InUse
    tuning: Tuning
    changes: Changes


def work_out(device: str, workload: str, environment: Environment) -> WorkedOut:
    """Look, and advise. Raises BadInput where there is no such purpose or filesystem, or nothing is advised
    for it."""
    profile = find_workload(workload)
    used = look_at_filesystem(device, environment)
    drive, existing = used.drive, used.existing
    recording = diagnose(used.machine, drive, load_patterns()).recording
    advice = advise(used.machine, drive, recording, profile, size_bytes=existing.size_bytes)
    choice = advice.choice(existing.filesystem)
    if choice is None:
        kind = KINDS.get(existing.filesystem)
        title = kind.title if kind else printable(existing.filesystem, 30)
        raise BadInput(possible.NOT_ADVISED(device=existing.device, filesystem=title))
    tuning = tuning_for(existing, drive, choice, load_catalogue(), root=profile.root)
    changes = make_changes(used.identity, existing, used.uuid, profile.workload.id, tuning, used.found)
    return WorkedOut(profile.workload, used, tuning, changes)


def changes_for(device: str, wanted: Wanted, environment: Environment) -> Changes:
    """The changes that bring about whatever is wanted; raises as `act` and `work_out` do, and Refused where
    nothing would suit the filesystem better."""
    if not isinstance(wanted, Tune):
        return act(device, wanted, environment)
    changes = work_out(device, wanted.workload, environment).changes
    if not changes.steps:
        raise Refused(
            t("No known change would suit {device} better for this workload.", device=changes.device)
        )
    return changes


def check_explained(changes: Changes, environment: Environment) -> None:
    """Raises Refused where changes are not those that an action takes now, or explain themselves otherwise
    than what suits a purpose is worked out now; BadInput where none can be."""
    if not isinstance(changes.wanted, Tune):
        now = act(changes.device, changes.wanted, environment)
        if _what_is_told(now) != _what_is_told(changes):
            raise Refused(f"{ASKED_ANEW} {NOTHING_WRITTEN}")
        return
    now = work_out(changes.device, changes.wanted.workload, environment).changes
    again = f"diskwright tune {changes.device} --workload {changes.wanted.workload}"
    check_told(now.reasons, changes.reasons, again)
    # Who made them without root's rights was told of what only root can read.
    check_told((*now.doubts, ROOT_ONLY), (*changes.doubts, ROOT_ONLY), again)


def _what_is_told(changes: Changes) -> tuple[object, ...]:
    """All that does not follow from what else is in a document."""
    return (tuple(step.operation for step in changes.steps), changes.doubts, changes.reasons)


def check_token(changes: Changes, token: str) -> None:
    """Raises Refused unless the token is the drive's, letter for letter."""
    if token != changes.drive.token:
        token, given = printable(changes.drive.token), printable(token)
        raise Refused(
            refusal(
                t(
                    "To confirm these changes for {device}, add --confirm {token}: '{given}' does not match.",
                    device=changes.device,
                    token=token,
                    given=given,
                )
            )
        )


def preflight_told(changes: Changes, *, journal_dir: Path | None, environment: Environment) -> None:
    """What a face asks first; raises as `preflight_tuning` does, and Refused where the changes explain
    themselves otherwise than they are worked out now."""
    preflight_tuning(changes, journal_dir=journal_dir, environment=environment)
    check_explained(changes, environment)


def start_told(changes: Changes, token: str, *, journal_dir: Path | None, environment: Environment) -> Path:
    """Begin a run for a face, and give its folder; raises as `start_tuning` and `preflight_told` do."""
    preflight_told(changes, journal_dir=journal_dir, environment=environment)
    return start_tuning(changes, token, journal_dir=journal_dir, environment=environment)


def preflight_tuning(changes: Changes, *, journal_dir: Path | None, environment: Environment) -> None:
    """Everything that must hold before changes may be begun; raises Refused or BadInput for the first thing
    that does not."""
    unlock(_cleared(changes, runs_folder(journal_dir), environment, make=False))


def start_tuning(changes: Changes, token: str, *, journal_dir: Path | None, environment: Environment) -> Path:
    """Begin a run and give its folder; a detached process makes the changes. Raises as `preflight_tuning`
    does."""
    check_token(changes, token)
    folder = runs_folder(journal_dir)
    drive_locks = _cleared(changes, folder, environment, make=True)

    def make() -> Path:
        return make_run(folder, (changes.device,), CHANGES, render_changes(changes), environment)

    said = tn(
        "Making one change for {device}.",
        "Making {count} changes for {device}.",
        count=len(changes.steps),
        device=changes.device,
    )
    return begin_new(make, str(said), drive_locks)


def _cleared(changes: Changes, folder: Path, environment: Environment, *, make: bool) -> tuple[int, ...]:
    """The drive's lock, given only where everything stands as the changes found it."""
    check_changes(changes)
    check_root()
    check_own(changes, environment)
    check_may(changes)
    check_tuning_tools(changes)
    _check_elsewhere(changes, folder)
    check_room(folder, 0, make=make)
    settle()
    return lock_drives((changes.drive.path,), partial(check_new, changes))


def _check_elsewhere(changes: Changes, folder: Path) -> None:
    """Raises Refused where the run would lie on what it unmounts."""
    for step in changes.steps:
        match step.operation:
            case Unmount(mount_point=place) if folder.resolve().is_relative_to(place):
                raise Refused(
                    refusal(
                        t(
                            "The run's journal is on {place}; name another folder with --journal.",
                            place=printable(place, 200),
                        )
                    )
                )
            case _:
                pass
