"""`diskwright export`: write a plan or an existing drive for another tool. Writes to no drive."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path

from wizard.apply.ensure.compare_mounts import Where
from wizard.apply.ensure.look import DriveState, as_found
from wizard.apply.run.backup_store import OWN_FSTAB, Environment
from wizard.cli.command import CommandParser, given_again, plain, root
from wizard.cli.commands.apply import read_plan_file
from wizard.cli.passphrase import say
from wizard.cli.select_run import NEEDS_ROOT, OTHER_FSTAB
from wizard.documents.files import write_file
from wizard.model.ensure import WantedDrive
from wizard.model.errors import BadInput, ExitCode, Failed, Refused, printable
from wizard.model.layout import Member
from wizard.model.said import t
from wizard.plan.desired_state.document import (
    read_wanted,
    wanted_lacks,
    wanted_of,
    wanted_task,
    wanted_toml,
)
from wizard.plan.export import (
    fstab_text,
    lacking,
    member_of,
    repart_files,
    repart_lacks,
    sfdisk_dump,
    sfdisk_lacks,
)
from wizard.plan.plan import Plan

FORMATS = ("sfdisk", "repart", "wanted", "ansible", "fstab")


def parser() -> ArgumentParser:
    """`diskwright export SOURCE --as FORMAT [--device DEVICE] [--fstab FILE] [-o FILE|FOLDER]`."""
    made = CommandParser(
        "export",
        (
            plain("export", "media.json", "--as", "sfdisk", "-o", "media.dump"),
            plain("export", "media.json", "--as", "repart", "-o", "repart.d"),
            plain("export", "media.json", "--as", "wanted", "-o", "wanted.toml"),
            root("export", "/dev/sdX", "--as", "wanted", "-o", "wanted.toml"),
        ),
        (
            t(
                "`sfdisk DEVICE < DUMP` creates the same table: positions, types, names, "
                "attributes, and GUIDs of preserved partitions. It destroys the drive's "
                "content without asking."
            ),
            t(
                "`systemd-repart --definitions=FOLDER --empty=require --dry-run=no DEVICE` "
                "creates the layout on an empty drive. Add --key-file=FILE for encrypted "
                "volumes, and --generate-fstab=FILE and --generate-crypttab=FILE for mounts."
            ),
            t(
                "`wanted` is a file for `diskwright ensure`, `ansible` a task with the same content. "
                "`fstab` is the lines that the plan adds. A drive can be exported as wanted or "
                "ansible; `ensure` then changes nothing on that drive."
            ),
            t("Whatever is not exported is listed on stderr. Never writes to a drive."),
        ),
    )
    made.add_argument("plan", metavar="SOURCE", help=str(t("a plan saved with -o, or an existing drive")))
    made.add_argument(
        "--as",
        dest="format",
        choices=FORMATS,
        required=True,
        help=str(t("a dump for sfdisk, a folder of definitions for systemd-repart, or text, see below")),
    )
    made.add_argument("--device", metavar="DEVICE", help=str(t("one drive of a plan with several")))
    made.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        help=str(t("file for the output (default: stdout), or folder for the definitions")),
    )
    made.add_argument("--fstab", metavar="FILE", default=str(OWN_FSTAB), help=str(OTHER_FSTAB))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Write it; what it cannot say goes to stderr, a line each."""
    if arguments.plan.startswith("/dev/"):
        return _export_drive(arguments)
    plan = read_plan_file(Path(arguments.plan))
    missing: Iterable[object]
    match arguments.format:
        case "sfdisk":
            member = member_of(plan, arguments.device)
            _write_text(sfdisk_dump(member), arguments.output)
            missing = (*sfdisk_lacks(member), *lacking(plan))
        case "repart":
            member = member_of(plan, arguments.device)
            _write_definitions(plan, member, arguments.output)
            missing = (*repart_lacks(member), *lacking(plan, repart=True))
        case "fstab":
            _write_text(fstab_text(plan), arguments.output)
            missing = (t("Not written: the lines for crypttab."),) if plan.containers else ()
        case _:
            _write_wanted(wanted_of(plan), arguments)
            missing = wanted_lacks(plan)
    for sentence in missing:
        say(str(sentence))
    return ExitCode.DONE


def _export_drive(arguments: Namespace) -> ExitCode:
    if arguments.format not in ("wanted", "ansible"):
        raise BadInput(t("--as {format} needs a plan, not a drive.", format=arguments.format))
    if os.geteuid() != 0:
        raise Refused(f"{NEEDS_ROOT}  {given_again()}")
    look = as_found(arguments.plan, Where(Environment(fstab=Path(arguments.fstab).absolute())))
    _write_wanted(look.wanted, arguments, str(t("The workload is guessed from the filesystem.")))
    say(t("Not written: who may write to the volumes."))
    if look.state is not DriveState.AS_WANTED:
        say(t("`ensure` would change or refuse {drive}:", drive=look.name))
        for said in look.said:
            say(f"    {said}")
    return ExitCode.DONE


def _write_wanted(drive: WantedDrive, arguments: Namespace, *notes: str) -> None:
    text = wanted_toml(drive, notes)
    read_wanted(text, arguments.plan)
    _write_text(text if arguments.format == "wanted" else wanted_task(drive, notes), arguments.output)


def _write_text(text: str, output: str | None) -> None:
    if output in (None, "-"):
        sys.stdout.write(text)
    else:
        write_file(Path(str(output)), text, str(t("The export")))


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
