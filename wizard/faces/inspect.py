"""`diskwright inspect`: what the attached drives are, and what is wrong with how they are used."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wizard.diagnose.diagnose import diagnose
from wizard.diagnose.patterns import load_patterns
from wizard.documents.codec import render_document
from wizard.faces.showing.inspection import SCHEMA, machine_document
from wizard.faces.showing.lines import tell
from wizard.faces.showing.portrait import WIDTH, Line, portrait
from wizard.model.errors import BadInput, ExitCode
from wizard.model.finding import Diagnosis
from wizard.model.machine import Machine
from wizard.model.names import printable
from wizard.probe.interpret import machine_of
from wizard.probe.machine import survey
from wizard.probe.recorded import load_machine, save_machine

EPILOG = """examples:
    diskwright inspect                          every drive, in words
    diskwright inspect /dev/sdb                 one drive
    sudo diskwright inspect --json | jq '.drives[].findings'
    sudo diskwright inspect --save mine.json    record the facts, for a report of a bug
    diskwright inspect --machine mine.json      look at them again, anywhere

Nothing is written to any drive. Without root less can be read; what is missing is named, with the reason.
"""
STYLES = {"title": "bold", "dim": "dim"}


def parser() -> ArgumentParser:
    """`diskwright inspect [DEVICE...] [--json] [--all] [--save FILE | --machine FILE]`."""
    made = ArgumentParser(
        "diskwright inspect",
        description=(
            "Show the attached drives: identity, block sizes, table, partitions, use, and what is wrong."
        ),
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "devices",
        metavar="DEVICE",
        nargs="*",
        help="whole drives, such as /dev/sdb; all of them where none is named",
    )
    made.add_argument("--json", action="store_true", help=f"print a {SCHEMA} document")
    made.add_argument(
        "--all", action="store_true", help="also empty loop devices, memory disks, layers and empty readers"
    )
    source = made.add_mutually_exclusive_group()
    source.add_argument("--save", metavar="FILE", help="also record the raw facts in FILE")
    source.add_argument(
        "--machine", metavar="FILE", help="show a machine recorded by --save, instead of this one"
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Print the drives."""
    machine = _machine(arguments)
    patterns = load_patterns()
    diagnoses = {drive.path: diagnose(machine, drive, patterns) for drive in machine.drives}
    if arguments.json:
        sys.stdout.write(render_document(SCHEMA, machine_document(machine, diagnoses)))
    else:
        _show(_lines(machine, diagnoses, replayed=arguments.machine is not None))
    return ExitCode.DONE


def _machine(arguments: Namespace) -> Machine:
    if arguments.machine is not None:
        return _chosen(load_machine(Path(arguments.machine)), arguments.devices, arguments.machine)
    facts = survey(arguments.devices or None, all_devices=arguments.all)
    return machine_of(facts) if arguments.save is None else save_machine(Path(arguments.save), facts)


def _chosen(machine: Machine, devices: Sequence[str], where: str) -> Machine:
    """The recorded machine with the drives that were asked for."""
    if not devices:
        return machine
    drives = []
    for device in devices:
        drive = machine.drive(device)
        if drive is None:
            known = ", ".join(drive.path for drive in machine.drives) or "none"
            raise BadInput(
                f"{printable(where)} has no drive {printable(device)}; it has {printable(known, 400)}."
            )
        drives.append(drive)
    return replace(machine, drives=tuple(dict.fromkeys(drives)))


def _lines(machine: Machine, diagnoses: dict[str, Diagnosis], *, replayed: bool) -> list[Line]:
    lines: list[Line] = []
    for drive in machine.drives:
        lines += [*([("", "")] if lines else []), *portrait(drive, diagnoses[drive.path], WIDTH)]
    if not machine.drives:
        lines.append(("No drives." if replayed else "No drives are attached.", ""))
    if not machine.root:
        lines += [
            ("", ""),
            (
                "Without root much cannot be read, nor whether a run waits on a drive that looks empty: "
                "`sudo diskwright inspect` shows more.",
                "dim",
            ),
        ]
    return lines


def _show(lines: Sequence[Line]) -> None:
    """On a terminal in colour; elsewhere as plain text."""
    if not sys.stdout.isatty():
        tell(text for text, _ in lines)
        return
    from rich.text import Text

    from wizard.faces.showing.console import SEVERITY_STYLE, out

    styles = STYLES | {severity.value: style for severity, style in SEVERITY_STYLE.items()}
    for text, kind in lines:
        out().print(Text(text, styles.get(kind, "")), soft_wrap=True)
