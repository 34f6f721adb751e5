"""Leading a filesystem of this machine to ext4, by the rooms that look, plan and carry out."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.model.said import t

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.apply.run.environment import Environment
    from wizard.migrate.situation import Situation
    from wizard.model.documents.carried import Carried
    from wizard.model.documents.migration import Migration
    from wizard.services.session import Moving

NO_WAY = t("No way to ext4 was chosen.")

# The rooms are imported where they are called: the first list of drives is on the screen before they are
# loaded.


def command_for_root(device: str) -> str:
    """What root types to see the ways there are for the filesystem on a device."""
    return f"diskwright migrate {shlex.quote(printable(device, 200))}"


def look_here(moving: Moving, journal_dir: Path | None, environment: Environment) -> Situation:
    """How the filesystem stands, read without writing; room is looked for in the folder that was named, or
    else among the runs."""
    from wizard.apply.migration.looking.look import look_at_ext

    folder = moving.folder
    return look_at_ext(
        moving.device,
        environment,
        store=folder,
        undo_dir=folder,
        target=moving.target,
        journal_dir=journal_dir,
    )


def carried_for(situation: Situation, moving: Moving) -> Carried:
    """The way that was taken, to be carried to where the filesystem is not in use."""
    from wizard.migrate.carry import make_carried

    if moving.way is None:
        raise BadInput(str(NO_WAY))
    return make_carried(situation, moving.way, manifest=moving.compares, repairs=moving.repairs)


def plan_for(situation: Situation, moving: Moving) -> Migration:
    """The steps of the way that was taken."""
    from wizard.migrate.make import make_migration
    from wizard.migrate.told.ways import COMPARED

    if moving.way is None:
        raise BadInput(str(NO_WAY))
    return make_migration(
        situation, moving.way, manifest=moving.compares and moving.way in COMPARED, repairs=moving.repairs
    )
