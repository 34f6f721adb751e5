"""Beginning a run that changes something for a filesystem in use. The run itself is a process of its own."""

from functools import partial
from pathlib import Path

from wizard.apply.run.begin import begin_new, check_root, settle
from wizard.apply.run.environment import Environment
from wizard.apply.run.lock import lock_drives, unlock
from wizard.apply.run.runs import (
    CHANGES,
    check_room,
    make_run,
    runs_folder,
)
from wizard.apply.tune.guard import check_may, check_new, check_own, check_tuning_tools, refusal
from wizard.apply.tune.worked_out import check_explained
from wizard.layout.changes.changes_document import render_changes
from wizard.layout.changes.check_changes import check_changes
from wizard.model.documents.changes import Changes, Unmount
from wizard.model.errors import Refused
from wizard.model.names import printable
from wizard.model.said import t, tn


def check_token(changes: Changes, token: str) -> None:
    """Raises Refused unless the token is the drive's, letter for letter."""
    if token != changes.drive.token:
        token, given = printable(changes.drive.token), printable(token)
        raise Refused(
            refusal(
                t(
                    "To confirm that these changes are for {device}, give its drive's token with "
                    "--confirm {token}: '{given}' is not it.",
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
                            "The run's journal lies on {place}; name another folder with --journal.",
                            place=printable(place, 200),
                        )
                    )
                )
            case _:
                pass
