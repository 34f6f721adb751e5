"""Leading a filesystem of this machine to ext4, by the rooms that look, plan and carry out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.model.errors import BadInput, Refused
from wizard.model.names import printable

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.apply.environment import Environment
    from wizard.migrate.situation import Situation
    from wizard.model.migration import Migration, Prospect
    from wizard.services.session import Moving

# The rooms are imported where they are called: the first list of drives is on the screen before they are loaded.

NOT_RECORDED = "This recording does not hold what moving to ext4 needs: it can be looked at only on the machine itself."


def refuse_without_root(needs_root: bool, device: str) -> None:
    """Raises Refused where this process is not root: what it needs to read, only root may, and asking for root hands on no migration."""
    if needs_root:
        where = printable(device, 200)
        raise Refused(
            f"Only root can look into {where}. Nothing was written. Start the wizard as root (sudo diskwright), or use the command: "
            f"sudo diskwright migrate {where}"
        )


def look(moving: Moving, environment: Environment) -> Situation:
    """How the filesystem stands, read without writing; room is looked for in the folder that was named."""
    from wizard.apply.migrating_look import look_at_ext

    return look_at_ext(moving.device, environment, store=moving.folder, undo_dir=moving.folder, target=moving.target)


def prospect_here(moving: Moving, environment: Environment) -> tuple[Prospect, float]:
    """The ways there are, and how long comparing takes."""
    from wizard.migrate.offers import prospect_of

    situation = look(moving, environment)
    return prospect_of(situation), situation.manifest_seconds


def plan_here(moving: Moving, environment: Environment) -> Migration:
    """The steps of the way that was taken."""
    from wizard.migrate.make import make_migration
    from wizard.migrate.ways import COMPARED

    if moving.way is None:
        raise BadInput("No way to ext4 was chosen.")
    compares = moving.compares and moving.way in COMPARED
    return make_migration(look(moving, environment), moving.way, manifest=compares, repairs=moving.repairs)


def start_here(migration: Migration, token: str, journal_dir: Path | None, environment: Environment) -> Path:
    """By a detached process."""
    from wizard.apply.migrating import start_migration

    return start_migration(migration, token, journal_dir=journal_dir, environment=environment)


def power_here(run: Path) -> str:
    """What a power cut now would leave, by where the run's transaction stands; empty where it has none, or it is over."""
    from wizard.apply.phases import power_now

    try:
        return power_now(run)
    except BadInput:
        return ""


def keep_here(run: Path) -> str:
    """Let go of the way back."""
    from wizard.apply.migrating import keep_migration

    return keep_migration(run)


def undo_here(run: Path) -> None:
    """Take it back."""
    from wizard.apply.migrating import undo_migration

    undo_migration(run)
