"""Beginning a run that moves a partition. The run itself is a process of its own."""

from functools import partial
from pathlib import Path

from wizard.apply.move.guard import check_new, check_own
from wizard.apply.run.begin import begin_new, check_root, settle
from wizard.apply.run.environment import Environment
from wizard.apply.run.lock import lock_drives, unlock
from wizard.apply.run.runs import MOVE, check_room, make_run, runs_folder
from wizard.layout.moving.document import check_moves, render_moves
from wizard.model.documents.move import Moves
from wizard.model.errors import Refused
from wizard.model.names import printable
from wizard.model.said import t


def check_token(moves: Moves, token: str) -> None:
    """Raises Refused unless the token is the drive's, letter for letter."""
    if token != moves.drive.token:
        wanted, given = printable(moves.drive.token), printable(token)
        raise Refused(
            t(
                "{device} is on the drive with the token {token}, not {given}. Nothing was written.",
                device=moves.device,
                token=wanted,
                given=given,
            )
        )


def preflight_moves(moves: Moves, *, journal_dir: Path | None, environment: Environment) -> None:
    """Everything that must hold before it may begin; raises Refused or BadInput for the first thing that does
    not."""
    unlock(_cleared(moves, runs_folder(journal_dir), environment, make=False))


def start_moves(moves: Moves, token: str, *, journal_dir: Path | None, environment: Environment) -> Path:
    """Begin a run and give its folder; a detached process moves. Raises as `preflight_moves` does."""
    check_token(moves, token)
    folder = runs_folder(journal_dir)
    drive_locks = _cleared(moves, folder, environment, make=True)

    def make() -> Path:
        return make_run(folder, moves.devices, MOVE, render_moves(moves), environment)

    return begin_new(
        make,
        t("Moving {part:and} on {drive} begins.", part=moves.devices, drive=moves.drive.path),
        drive_locks,
    )


def _cleared(moves: Moves, folder: Path, environment: Environment, *, make: bool) -> tuple[int, ...]:
    """The drive's lock, given only where everything stands as the move found it."""
    check_moves(moves, moves.device)
    check_root()
    check_own(moves, environment)
    check_room(folder, 0, make=make)
    settle()
    return lock_drives((moves.drive.path,), partial(check_new, moves))
