"""`diskwright migrate`: the ways from ext2 or ext3 to ext4 for a filesystem that exists already, or one of
them as a plan."""

import shlex
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from wizard.apply.migration.looking.look import look_at_ext
from wizard.apply.run.environment import OWN_FSTAB, Environment
from wizard.documents.codec import render_document, to_json
from wizard.documents.files import write_file
from wizard.faces.apply import narrate
from wizard.faces.showing.console import out, say
from wizard.faces.writing.carrying import carried_lines
from wizard.faces.writing.migrating import migration_lines, prospect_lines
from wizard.faces.writing.migrating_apply import apply_migration
from wizard.migrate.carried_document import render_carried
from wizard.migrate.carry import is_in_use, make_carried
from wizard.migrate.document import MIGRATION_SCHEMA, render_migration
from wizard.migrate.make import make_migration
from wizard.migrate.obstacles.found_all import WRITING
from wizard.migrate.situation import Situation
from wizard.migrate.told.offers import prospect_of
from wizard.model.errors import BadInput, ExitCode
from wizard.model.migration import Migration, Way
from wizard.model.names import printable

PROSPECT_SCHEMA = "diskwright.prospect/1"

EPILOG = """examples:
    sudo diskwright migrate /dev/sdX1
    sudo diskwright migrate /dev/sdX1 --way full -o films.json
    sudo diskwright apply films.json --confirm SERIAL
    sudo diskwright migrate /dev/sdX1 --way mount --confirm SERIAL
    sudo diskwright keep
    sudo diskwright migrate /dev/sdX2 --way full -o carry.json    where it is in use, such as the running root

Without --way it says what is found and sets the four ways side by side. The filesystem must not be mounted
for any but `mount`: where it is, -o writes a plan to be carried to a rescue medium, where `diskwright apply`
finds the filesystem by its UUID. Without --confirm nothing is written but the file that -o names; `diskwright
apply` carries a plan out exactly as it was shown.
"""


def parser() -> ArgumentParser:
    """`diskwright migrate DEVICE [--way WAY] [--store DIR] [--undo-dir DIR] [--manifest] [--repair] [--to
    DEVICE] ...`."""
    made = ArgumentParser(
        "diskwright migrate",
        description=(
            "Bring an ext2 or ext3 filesystem full of files to ext4: what the ways are, or one of them as a "
            "plan."
        ),
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument("device", metavar="DEVICE", help="the partition, volume or whole drive that holds it")
    made.add_argument(
        "--way",
        choices=[way.value for way in Way],
        help="plan this way instead of setting all four side by side",
    )
    made.add_argument(
        "--store",
        metavar="DIR",
        help="keep what changes here until it is proven: on another filesystem, with room",
    )
    made.add_argument(
        "--undo-dir", metavar="DIR", help="where no transaction can be had, keep what is replaced here"
    )
    made.add_argument(
        "--manifest", action="store_true", help="compare every file's content and attributes before and after"
    )
    made.add_argument(
        "--repair",
        action="store_true",
        help="repair damage that is found on it, and only where that can be taken back",
    )
    made.add_argument("--to", metavar="DEVICE", help="the empty volume for the way fresh")
    made.add_argument(
        "--fstab",
        metavar="FILE",
        default=str(OWN_FSTAB),
        help="the file of mounts at boot of the system that it belongs to",
    )
    made.add_argument(
        "-o", "--output", metavar="PLAN.json", help="write the plan to this file, for `diskwright apply`"
    )
    made.add_argument(
        "--confirm",
        metavar="TOKEN",
        action="append",
        help="carry it out at once: the drive's token, as `apply` takes it",
    )
    made.add_argument(
        "--dry-run", action="store_true", help="check everything that `apply` checks, and write nothing"
    )
    made.add_argument(
        "--journal",
        metavar="DIR",
        help="keep the run here instead of /var/lib/diskwright/runs; not on this filesystem",
    )
    made.add_argument(
        "--json",
        action="store_true",
        help=f"print a {PROSPECT_SCHEMA} or, with --way, a {MIGRATION_SCHEMA} document",
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Look, and show the ways or the plan."""
    acts = arguments.dry_run or arguments.confirm
    if arguments.way is None and (arguments.output is not None or acts):
        raise BadInput(
            "Say with --way which of the ways it is to be; without it they are set side by side, and nothing "
            "is done."
        )
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    situation = look_at_ext(
        arguments.device,
        environment,
        store=Path(arguments.store) if arguments.store else None,
        undo_dir=Path(arguments.undo_dir) if arguments.undo_dir else None,
        target=arguments.to,
        journal_dir=Path(arguments.journal) if arguments.journal else None,
    )
    if arguments.way is None:
        prospect = prospect_of(situation)
        if arguments.json:
            sys.stdout.write(render_document(PROSPECT_SCHEMA, to_json(prospect)))
        else:
            _print(prospect_lines(prospect, out().width))
        return ExitCode.DONE
    if arguments.output is not None and not acts and is_in_use(situation) and Way(arguments.way) in WRITING:
        return _write_carried(situation, arguments)
    migration = make_migration(
        situation, Way(arguments.way), manifest=arguments.manifest, repairs=arguments.repair
    )
    if arguments.output is not None:
        write_file(Path(arguments.output), render_migration(migration), "The plan")
    if acts:
        begun = apply_migration(migration, arguments, partial(_as_root, arguments))
        return begun if isinstance(begun, ExitCode) else narrate(begun)
    if arguments.json:
        sys.stdout.write(render_migration(migration))
    else:
        _print(migration_lines(migration, out().width))
    if arguments.output is not None:
        _say_how_to_apply(migration, arguments.output, environment)
    return ExitCode.DONE


def _write_carried(situation: Situation, arguments: Namespace) -> ExitCode:
    """The way for what is in use here, to be carried out where it is not."""
    carried = make_carried(
        situation, Way(arguments.way), manifest=arguments.manifest, repairs=arguments.repair
    )
    write_file(Path(arguments.output), render_carried(carried), "The plan")
    if arguments.json:
        sys.stdout.write(render_carried(carried))
    else:
        _print(carried_lines(carried, out().width, arguments.output))
    say(
        f"{situation.device} is in use, so nothing can be done to it here. {arguments.output} is to be "
        "carried to a rescue medium."
    )
    return ExitCode.DONE


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        out().print(line, soft_wrap=True)


def _say_how_to_apply(migration: Migration, output: str, environment: Environment) -> None:
    say("Nothing has been changed. To carry it out, exactly as shown:")
    where = "" if environment.is_running_system else f" --fstab {shlex.quote(str(environment.fstab))}"
    say(
        f"    sudo diskwright apply {shlex.quote(output)} --confirm "
        f"{shlex.quote(printable(migration.written.token))}{where}"
    )


def _as_root(arguments: Namespace) -> str:
    """The command that was given, as a plain user types it to run it as root."""
    words = ["sudo", "diskwright", "migrate", arguments.device, f"--way={arguments.way}"]
    for name in ("store", "undo_dir", "to", "journal"):
        if value := getattr(arguments, name):
            words.append(f"--{name.replace('_', '-')}={value}")
    words += [f"--{name}" for name in ("manifest", "repair") if getattr(arguments, name)]
    words += [f"--fstab={arguments.fstab}"] if arguments.fstab != str(OWN_FSTAB) else []
    words += [f"--confirm={token}" for token in arguments.confirm or ()]
    return " ".join(shlex.quote(printable(word, 400)) for word in words)
