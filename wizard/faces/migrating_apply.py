"""A migration to ext4, as `diskwright apply` treats it: the same as a plan, in its own words."""

import os
import shlex
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from wizard.apply.environment import Environment
from wizard.apply.migrating import check_token, outcome, preflight_migration, start_migration
from wizard.apply.runs import doubts_about, runs_folder
from wizard.faces.console import out, say
from wizard.faces.migrating import migration_step_lines
from wizard.migrate.ways import MEANS
from wizard.model.errors import ExitCode, Refused
from wizard.model.migration import Migration
from wizard.model.names import printable


def apply_migration(migration: Migration, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Begin the run and give its folder, or the exit code of a dry run. `as_root` words the command for root."""
    journal_dir = Path(arguments.journal) if arguments.journal else None
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    for sentence in (MEANS[migration.means], *migration.doubts):
        say(sentence)
    if arguments.dry_run:
        return _dry_run(migration, journal_dir, environment)
    token = shlex.quote(printable(migration.written.token))
    if not arguments.confirm:
        raise Refused(
            f"Nothing was written. Here {outcome(migration)}; `diskwright show` has every step. "
            f"To go on, confirm {migration.written.path} by its token: --confirm {token}"
        )
    if len(arguments.confirm) > 1:
        raise Refused(f"This migration is for one drive: give its token once, with --confirm {token}. Nothing was written.")
    check_token(migration, arguments.confirm[0])
    if os.geteuid() != 0:
        raise Refused(f"Applying needs root. Nothing was written. What you asked for, as root:  {as_root()}")
    for doubt in doubts_about(runs_folder(journal_dir)):
        say(doubt)
    return start_migration(migration, arguments.confirm[0], journal_dir=journal_dir, environment=environment)


def _dry_run(migration: Migration, journal_dir: Path | None, environment: Environment) -> ExitCode:
    for line in migration_step_lines(migration, out().width):
        out().print(line, soft_wrap=True)
    if os.geteuid() != 0:
        say("Without root it could not be checked whether all of it stands as it was found. Nothing was written.")
        return ExitCode.DONE
    preflight_migration(migration, journal_dir=journal_dir, environment=environment)
    say("Every check before the first step holds. Nothing was written.")
    return ExitCode.DONE
