"""A migration to ext4, as `diskwright apply` treats it: the same as a plan, in its own words."""

from argparse import Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path

from wizard.apply.begin_migration import preflight_told, start_told
from wizard.apply.migration.start import check_token, outcome
from wizard.faces.writing.beginning import Question, begin_or_refuse
from wizard.faces.writing.migrating import migration_step_lines
from wizard.migrate.told.ways import MEANS
from wizard.model.documents.migration import Migration
from wizard.model.errors import ExitCode
from wizard.model.said import t


def apply_migration(
    migration: Migration, arguments: Namespace, as_root: Callable[[], str]
) -> Path | ExitCode:
    """Begin the run and give its folder, or the exit code of a dry run. `as_root` words the command for
    root."""
    question = Question(
        token=migration.written.token,
        outcome=t("Here {outcome}", outcome=outcome(migration)),
        drive=migration.written.path,
        refusal_of_more=t("This migration is for one drive"),
        beforehand=(MEANS[migration.means], *migration.doubts),
        lines=partial(migration_step_lines, migration),
        check=partial(check_token, migration),
        preflight=lambda runs, environment: preflight_told(
            migration, journal_dir=runs, environment=environment
        ),
        start=lambda token, runs, environment: start_told(
            migration, token, journal_dir=runs, environment=environment
        ),
    )
    return begin_or_refuse(question, arguments, as_root)
