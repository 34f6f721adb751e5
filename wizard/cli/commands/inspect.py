"""`diskwright inspect`: show the attached drives and findings about their use."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wizard.apply.remedies import absent_at_boot, diagnose
from wizard.apply.run.backup_store import OWN_FSTAB
from wizard.cli.command import CommandParser, plain, root
from wizard.cli.inspection import SCHEMA, machine_document
from wizard.cli.passphrase import tell
from wizard.cli.portrait import WIDTH, Line, finding_lines, portrait
from wizard.cli.select_run import DOCUMENT, not_recorded
from wizard.documents.codec import render_document
from wizard.findings.geometry import load_patterns
from wizard.model.errors import BadInput, ExitCode
from wizard.model.finding import Diagnosis, Finding
from wizard.model.machine import Machine
from wizard.model.said import t
from wizard.probe.interpret import machine_of
from wizard.probe.machine import load_machine, save_machine, survey, with_others

STYLES = {"title": "bold", "dim": "dim"}


def parser() -> ArgumentParser:
    """`diskwright inspect [DEVICE...] [--json] [--all] [--save FILE | --machine FILE]`."""
    made = CommandParser(
        "inspect",
        (
            plain("inspect", says=t("all drives")),
            plain("inspect", "/dev/sdb", says=t("one drive")),
            root("inspect", "--json", "|", "jq", "'.drives[].findings'"),
            root("inspect", "--save", "mine.json", says=t("record the facts for a bug report")),
            plain("inspect", "--machine", "mine.json", says=t("show a recording, on any computer")),
        ),
        (t("Never writes to a drive. Without root, unreadable facts are listed with the reason."),),
    )
    made.add_argument(
        "devices", metavar="DEVICE", nargs="*", help=str(t("drives, such as /dev/sdb (default: all)"))
    )
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=SCHEMA)))
    made.add_argument(
        "--all",
        action="store_true",
        help=str(t("include empty loop devices, RAM disks, layers and empty card readers")),
    )
    source = made.add_mutually_exclusive_group()
    source.add_argument("--save", metavar="FILE", help=str(t("record the raw facts in FILE")))
    source.add_argument("--machine", metavar="FILE", help=str(t("show a machine recorded by --save")))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Print the drives."""
    machine = _machine(arguments)
    patterns = load_patterns()
    fstab = None if arguments.machine else OWN_FSTAB
    diagnoses = {drive.path: diagnose(machine, drive, patterns, fstab=fstab) for drive in machine.drives}
    absent = () if fstab is None or arguments.devices else tuple(absent_at_boot(machine, fstab))
    if arguments.json:
        sys.stdout.write(render_document(SCHEMA, machine_document(machine, diagnoses, absent)))
    else:
        _show(_lines(machine, diagnoses, absent, replayed=arguments.machine is not None))
    return ExitCode.DONE


def _machine(arguments: Namespace) -> Machine:
    if arguments.machine is not None:
        return _chosen(load_machine(Path(arguments.machine)), arguments.devices, arguments.machine)
    facts = survey(arguments.devices or None, all_devices=arguments.all)
    machine = machine_of(facts) if arguments.save is None else save_machine(Path(arguments.save), facts)
    return with_others(machine) if arguments.devices else machine


def _chosen(machine: Machine, devices: Sequence[str], where: str) -> Machine:
    """Return the recorded machine with only the requested drives. Raises BadInput if a drive is missing."""
    if not devices:
        return machine
    drives = []
    for device in devices:
        drive = machine.drive(device)
        if drive is None:
            raise BadInput(not_recorded(machine, device, where))
        drives.append(drive)
    return replace(machine, drives=tuple(dict.fromkeys(drives)))


def _lines(
    machine: Machine, diagnoses: dict[str, Diagnosis], absent: Sequence[Finding], *, replayed: bool
) -> list[Line]:
    lines: list[Line] = []
    for drive in machine.drives:
        lines += [*([("", "")] if lines else []), *portrait(drive, diagnoses[drive.path], WIDTH)]
    if not machine.drives:
        lines.append((str(t("No drives.") if replayed else t("No drives are attached.")), ""))
    lines += [("", "")] if absent else []
    lines += [line for finding in absent for line in finding_lines(finding, WIDTH)]
    if not machine.root:
        lines += [
            ("", ""),
            (
                str(
                    t(
                        "Without root, many facts are unreadable, including runs waiting on drives "
                        "that look empty. `sudo diskwright inspect` shows more."
                    )
                ),
                "dim",
            ),
        ]
    return lines


def _show(lines: Sequence[Line]) -> None:
    """Print the lines in colour on a terminal, and as plain text elsewhere."""
    if not sys.stdout.isatty():
        tell(text for text, _ in lines)
        return
    from rich.text import Text

    from wizard.cli.passphrase import SEVERITY_STYLE, out

    styles = STYLES | {severity.value: style for severity, style in SEVERITY_STYLE.items()}
    for text, kind in lines:
        out().print(Text(text, styles.get(kind, "")), soft_wrap=True)
