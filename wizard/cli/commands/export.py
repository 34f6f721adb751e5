"""`diskwright export`: write a plan's layout for another tool. Writes to no drive."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from wizard.cli.command import CommandParser, plain
from wizard.cli.commands.apply import read_plan_file
from wizard.cli.passphrase import say
from wizard.documents.files import write_file
from wizard.model.errors import BadInput, ExitCode, Failed, printable
from wizard.model.plan import Member, Plan
from wizard.model.said import t
from wizard.plan.export import (
    MAKES,
    lacking,
    member_of,
    repart_files,
    repart_lacks,
    sfdisk_dump,
    sfdisk_lacks,
)

FORMATS = ("sfdisk", "repart")


def parser() -> ArgumentParser:
    """`diskwright export PLAN.json --as sfdisk|repart [--device DEVICE] [-o FILE|FOLDER]`."""
    made = CommandParser(
        "export",
        t("Export a plan's layout for another tool. Never writes to a drive."),
        (
            plain("export", "media.json", "--as", "sfdisk", "-o", "media.dump"),
            plain("export", "media.json", "--as", "repart", "-o", "repart.d"),
        ),
        (
            t(
                "`sfdisk DEVICE < DUMP` creates the same table: positions, types, names, "
                "attributes, and GUIDs of preserved partitions. It destroys the drive's "
                "content without asking."
            ),
            t(
                "`systemd-repart --definitions=FOLDER --empty=require --dry-run=no DEVICE` "
                "creates the layout on an empty drive. Only filesystems supported by "
                "systemd-repart are created."
            ),
            t("Features without a counterpart are listed on stderr."),
        ),
    )
    made.add_argument("plan", metavar="PLAN.json", help=str(t("a plan saved with -o")))
    made.add_argument(
        "--as",
        dest="format",
        choices=FORMATS,
        required=True,
        help=str(t("a dump for sfdisk, or a folder of definitions for systemd-repart")),
    )
    made.add_argument("--device", metavar="DEVICE", help=str(t("one drive of a plan with several")))
    made.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        help=str(t("file for the dump (default: stdout), or folder for the definitions")),
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Write it; what it cannot say goes to stderr, a line each."""
    plan = read_plan_file(Path(arguments.plan))
    member = member_of(plan, arguments.device)
    if arguments.format == "sfdisk":
        _write_dump(member, arguments.output)
        missing = (*sfdisk_lacks(member), *lacking(plan))
    else:
        _write_definitions(plan, member, arguments.output)
        missing = (*repart_lacks(member), *lacking(plan, MAKES))
    for sentence in missing:
        say(sentence)
    return ExitCode.DONE


def _write_dump(member: Member, output: str | None) -> None:
    dump = sfdisk_dump(member)
    if output in (None, "-"):
        sys.stdout.write(dump)
    else:
        write_file(Path(str(output)), dump, str(t("The dump")))


def _write_definitions(plan: Plan, member: Member, output: str | None) -> None:
    """Into a folder that holds no others, since all of a folder counts together. Raises BadInput, Failed."""
    files = repart_files(plan, member)
    if output in (None, "-"):
        raise BadInput(t("Definitions need a folder: name one with -o."))
    folder = Path(str(output))
    shown = printable(str(folder), 200)
    try:
        folder.mkdir(exist_ok=True)
        others = sorted(entry.name for entry in folder.glob("*.conf"))
    except OSError as error:
        raise Failed(
            t("{folder} cannot be used: {why}.", folder=shown, why=error.strerror or str(error))
        ) from None
    if others:
        raise BadInput(
            t(
                "{folder} already contains definitions, such as {file}, which would be "
                "combined. Name a new folder.",
                folder=shown,
                file=printable(others[0], 100),
            )
        )
    for name, text in files.items():
        write_file(folder / name, text, str(t("The definition")))
