"""Beginning a run that brings files. The run itself is a process of its own."""

from functools import partial
from pathlib import Path

from wizard.apply.bring.guard import check_new, check_own
from wizard.apply.bring.places import shown
from wizard.apply.run.begin import begin_new, check_root
from wizard.apply.run.environment import Environment
from wizard.apply.run.lock import lock_drives, unlock
from wizard.apply.run.runs import BRING, check_room, make_run, runs_folder
from wizard.layout.bring.document import check_bring, render_bring
from wizard.model.documents.bring import Bring
from wizard.model.errors import Refused
from wizard.model.names import printable
from wizard.model.said import t

LISTED_BYTES = 512
"""What an entry takes at most of the lists in the run's folder, packed as they are."""


def check_token(bring: Bring, token: str) -> None:
    """Raises Refused unless the token is the drive's, letter for letter."""
    if token != bring.drive.token:
        wanted, given = printable(bring.drive.token), printable(token)
        raise Refused(
            t(
                "The token of the drive of {device} is {token}, not {given}. Nothing was written.",
                device=bring.target.device,
                token=wanted,
                given=given,
            )
        )


def preflight_bring(bring: Bring, *, journal_dir: Path | None, environment: Environment) -> None:
    """Everything that must hold before it may be begun; raises Refused or BadInput for the first thing that
    does not."""
    unlock(_cleared(bring, runs_folder(journal_dir), environment, make=False))


def start_bring(bring: Bring, token: str, *, journal_dir: Path | None, environment: Environment) -> Path:
    """Begin a run and give its folder; a detached process copies. Raises as `preflight_bring` does."""
    check_token(bring, token)
    folder = runs_folder(journal_dir)
    drive_locks = _cleared(bring, folder, environment, make=True)
    said = t(
        "Bringing {source} to {folder}.", source=shown(bring.source.path), folder=shown(bring.target.folder)
    )
    make = partial(make_run, folder, (bring.target.device,), BRING, render_bring(bring), environment)
    return begin_new(make, said, drive_locks)


def _cleared(bring: Bring, folder: Path, environment: Environment, *, make: bool) -> tuple[int, ...]:
    check_bring(bring)
    check_root()
    check_room(folder, bring.amount.entries * LISTED_BYTES, make=make)
    return lock_drives(check_own(bring, environment), partial(check_new, bring))
