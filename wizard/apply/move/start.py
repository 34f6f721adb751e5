"""Beginning a run that moves a partition. The run itself is a process of its own."""

from functools import partial
from pathlib import Path

from wizard.apply.move import words
from wizard.apply.move.guard import check_new, check_own
from wizard.apply.run.begin import begin_new, check_root, settle
from wizard.apply.run.environment import Environment
from wizard.apply.run.lock import lock_drives, unlock
from wizard.apply.run.runs import MOVE, check_room, make_run, runs_folder
from wizard.layout.moving.document import check_move, render_move
from wizard.model.documents.move import Move
from wizard.model.errors import Refused
from wizard.model.names import printable


def check_token(move: Move, token: str) -> None:
    """Raises Refused unless the token is the drive's, letter for letter."""
    if token != move.drive.token:
        wanted, given = printable(move.drive.token), printable(token)
        raise Refused(words.OTHER_TOKEN(device=move.device, token=wanted, given=given))


def preflight_move(move: Move, *, journal_dir: Path | None, environment: Environment) -> None:
    """Everything that must hold before it may begin; raises Refused or BadInput for the first thing that does
    not."""
    unlock(_cleared(move, runs_folder(journal_dir), environment, make=False))


def start_move(move: Move, token: str, *, journal_dir: Path | None, environment: Environment) -> Path:
    """Begin a run and give its folder; a detached process moves. Raises as `preflight_move` does."""
    check_token(move, token)
    folder = runs_folder(journal_dir)
    drive_locks = _cleared(move, folder, environment, make=True)

    def make() -> Path:
        return make_run(folder, (move.device,), MOVE, render_move(move), environment)

    return begin_new(make, words.BEGINS(part=move.device, drive=move.drive.path), drive_locks)


def _cleared(move: Move, folder: Path, environment: Environment, *, make: bool) -> tuple[int, ...]:
    """The drive's lock, given only where everything stands as the move found it."""
    check_move(move, move.device)
    check_root()
    check_own(move, environment)
    check_room(folder, 0, make=make)
    settle()
    return lock_drives((move.drive.path,), partial(check_new, move))
