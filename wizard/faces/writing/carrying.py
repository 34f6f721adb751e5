"""A way to ext4 that is carried to a rescue medium: shown where it is made, and carried out where the
filesystem is found again."""

import os
import shlex
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

from wizard.apply.migration.looking.carried_look import migration_of_carried
from wizard.apply.migration.start import preflight_migration
from wizard.apply.run.environment import Environment
from wizard.faces.showing.console import out, say
from wizard.faces.words.shared import GOOD_TO_KNOW
from wizard.faces.writing.migrating import heading, migration_lines
from wizard.faces.writing.migrating_apply import apply_migration
from wizard.layout.told.text import command_lines, wrapped
from wizard.migrate.carry import carrying_steps
from wizard.migrate.told.ways import SUMMARIES
from wizard.model.documents.carried import Carried
from wizard.model.errors import ExitCode, Refused
from wizard.model.names import printable
from wizard.model.said import Sentence, t

CARRIED_WAY = Sentence("The way {way}, to be carried out from a rescue medium:")
ROOT_LOOKS = t("Only root can look for the filesystem. Nothing was written. What you asked for, as root:")


def carried_lines(carried: Carried, width: int, file: str = "FILE") -> Iterator[str]:
    """Which filesystem and which way, what a person does with it, and what to mind."""
    yield from wrapped(heading(carried.device, carried.before), width)
    yield from wrapped(f"{CARRIED_WAY(way=carried.way)} {SUMMARIES[carried.way]}", width)
    yield ""
    for number, (sentence, command) in enumerate(carrying_steps(carried, file), 1):
        yield from wrapped(f"{number}. {sentence}", width, 3)
        if command:
            yield from command_lines(command, width, 6)
    if carried.doubts:
        yield from ("", str(GOOD_TO_KNOW))
    for doubt in carried.doubts:
        yield from wrapped(f"- {printable(str(doubt), 4000)}", width, 2)


def apply_carried(carried: Carried, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Find the filesystem, and begin the run; without --confirm everything is shown and checked, and nothing
    is written."""
    if os.geteuid() != 0:
        raise Refused(f"{ROOT_LOOKS}  {as_root()}")
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    folders = {
        name: Path(value) if (value := getattr(arguments, name)) else None for name in ("store", "undo_dir")
    }
    journal_dir = arguments.journal
    migration = migration_of_carried(carried, environment, **folders, journal_dir=journal_dir)
    say(t("The filesystem {uuid} is on {device} here.", uuid=carried.before.uuid, device=migration.device))
    if arguments.confirm and not arguments.dry_run:
        return apply_migration(migration, arguments, as_root)
    for line in migration_lines(migration, out().width):
        out().print(line, soft_wrap=True)
    preflight_migration(migration, journal_dir=journal_dir, environment=environment)
    say(
        t(
            "Every check before the first step holds. Nothing was written. To carry it "
            "out, say the same with this token:"
        )
    )
    say(f"    --confirm {shlex.quote(printable(migration.written.token))}")
    return ExitCode.DONE
