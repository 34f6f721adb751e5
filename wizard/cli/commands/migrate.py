"""`diskwright migrate`: show the conversions of an ext2 or ext3 filesystem to ext4, or plan one."""

import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from wizard.apply.conversion.look import look_at_ext
from wizard.apply.run.backup_store import OWN_FSTAB, Environment
from wizard.cli.command import CommandParser, root, typed
from wizard.cli.commands.apply import narrate
from wizard.cli.conversion import apply_migration, migration_lines, prospect_lines
from wizard.cli.passphrase import out, say
from wizard.cli.select_run import PLAN_FILE
from wizard.documents.codec import render_document, to_json
from wizard.documents.files import write_file
from wizard.ext4.check import MIGRATION_SCHEMA, render_migration
from wizard.ext4.make import make_migration
from wizard.ext4.ways import prospect_of
from wizard.model.errors import BadInput, ExitCode, printable
from wizard.model.migration import Migration, Way
from wizard.model.said import t

PROSPECT_SCHEMA = "diskwright.prospect/1"


def parser() -> ArgumentParser:
    """`diskwright migrate DEVICE [--way WAY] [--store DIR] [--undo-dir DIR] [--manifest] [--repair]
    ...`."""
    made = CommandParser(
        "migrate",
        (
            root("migrate", "/dev/sdX1"),
            root("migrate", "/dev/sdX1", "--way", "full", "-o", "films.json"),
            root("apply", "films.json", "--confirm", "SERIAL"),
            root("migrate", "/dev/sdX1", "--way", "mount", "--confirm", "SERIAL"),
            root("keep"),
        ),
        (
            t(
                "Without --way, list findings and compare the three conversions. Without "
                "--confirm, write only the -o file. `diskwright apply` applies a plan "
                "exactly as shown."
            ),
            t(
                "Every conversion except `mount` requires an unmounted filesystem. Convert "
                "the root of the running system from a rescue medium, with the same command."
            ),
        ),
    )
    made.add_argument("device", metavar="DEVICE", help=str(t("a partition, volume or drive")))
    made.add_argument(
        "--way",
        choices=[way.value for way in Way],
        help=str(t("plan this conversion (default: compare all)")),
    )
    made.add_argument(
        "--store", metavar="DIR", help=str(t("store changed blocks here, on another filesystem"))
    )
    made.add_argument(
        "--undo-dir", metavar="DIR", help=str(t("without snapshots: store replaced blocks here"))
    )
    made.add_argument(
        "--manifest",
        action="store_true",
        help=str(t("compare content and attributes of every file before and after")),
    )
    made.add_argument(
        "--repair", action="store_true", help=str(t("repair damage, if the repair can be undone"))
    )
    made.add_argument(
        "--fstab", metavar="FILE", default=str(OWN_FSTAB), help=str(t("fstab of the installed system"))
    )
    made.add_argument(
        "-o", "--output", metavar="PLAN.json", help=str(t("save the plan for `diskwright apply`"))
    )
    made.add_argument(
        "--confirm",
        metavar="TOKEN",
        action="append",
        help=str(t("convert now: the drive's serial number, as in `apply`")),
    )
    made.add_argument("--dry-run", action="store_true", help=str(t("run all checks without writing")))
    made.add_journal(t("folder for runs, not on this filesystem (/var/lib/diskwright/runs)"))
    documents = t(
        "print a {ways} or, with --way, a {plan} document", ways=PROSPECT_SCHEMA, plan=MIGRATION_SCHEMA
    )
    made.add_argument("--json", action="store_true", help=str(documents))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Compare the conversions, or show, save or start one."""
    acts = arguments.dry_run or arguments.confirm
    if arguments.way is None and (arguments.output is not None or acts):
        raise BadInput(t("Choose a conversion with --way. Without --way, the conversions are only compared."))
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    situation = look_at_ext(
        arguments.device,
        environment,
        store=Path(arguments.store) if arguments.store else None,
        undo_dir=Path(arguments.undo_dir) if arguments.undo_dir else None,
        journal_dir=arguments.journal,
    )
    if arguments.way is None:
        prospect = prospect_of(situation)
        if arguments.json:
            sys.stdout.write(render_document(PROSPECT_SCHEMA, to_json(prospect)))
        else:
            _print(prospect_lines(prospect, out().width))
        return ExitCode.DONE
    migration = make_migration(
        situation, Way(arguments.way), manifest=arguments.manifest, repairs=arguments.repair
    )
    if arguments.output is not None:
        write_file(Path(arguments.output), render_migration(migration), str(PLAN_FILE))
    if acts:
        begun = apply_migration(migration, arguments, partial(_as_root, arguments))
        return begun if isinstance(begun, ExitCode) else narrate(begun)
    if arguments.json:
        sys.stdout.write(render_migration(migration))
    else:
        _print(migration_lines(migration, out().width))
    if arguments.output is not None:
        _say_how_to_apply(migration, arguments.output, environment)
    elif not arguments.json:
        token = shlex.quote(printable(migration.drive.token))
        say(t("Nothing was written. To convert, repeat the command with --confirm {token}.", token=token))
    return ExitCode.DONE


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        out().print(line, soft_wrap=True)


def _say_how_to_apply(migration: Migration, output: str, environment: Environment) -> None:
    token = shlex.quote(printable(migration.drive.token))
    told = ["apply", shlex.quote(output), "--confirm", token]
    if not environment.is_running_system:
        told += ["--fstab", shlex.quote(str(environment.fstab))]
    say(t("Nothing was written. To apply, exactly as shown:"))
    say(typed(*told))


def _as_root(arguments: Namespace) -> str:
    """Return the current command line with sudo, quoted for the shell."""
    told = ["sudo", "diskwright", "migrate", arguments.device, f"--way={arguments.way}"]
    for name in ("store", "undo_dir", "journal"):
        if value := getattr(arguments, name):
            told.append(f"--{name.replace('_', '-')}={value}")
    told += [f"--{name}" for name in ("manifest", "repair") if getattr(arguments, name)]
    told += [f"--fstab={arguments.fstab}"] if arguments.fstab != str(OWN_FSTAB) else []
    told += [f"--confirm={token}" for token in arguments.confirm or ()]
    return " ".join(shlex.quote(printable(word, 400)) for word in told)
