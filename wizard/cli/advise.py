"""`diskwright advise`: recommend filesystems and options for a drive and a workload, with reasons."""

from argparse import Namespace
from collections.abc import Iterator

from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.cli.machines import machine_and_drive
from wizard.cli.output import deliver
from wizard.documents.codec import render_document, to_json
from wizard.findings.diagnose import diagnose
from wizard.findings.drive_faults import turning_words
from wizard.findings.geometry import load_patterns
from wizard.model.advice import Advice
from wizard.model.errors import ExitCode, printable
from wizard.model.machine import Drive
from wizard.model.said import Message, format_capacity, t
from wizard.ui.components.advice_rows import advice_page
from wizard.ui.view import Block, para, strong

SCHEMA = "diskwright.advice/1"


def advise_drive(arguments: Namespace) -> ExitCode:
    """Print the advice."""
    profile = find_workload(arguments.workload)
    machine, drive = machine_and_drive(arguments.device, arguments.machine)
    recording = diagnose(machine, drive, load_patterns()).recording
    advice = advise(machine, drive, recording, profile)
    deliver(arguments, render_document(SCHEMA, to_json(advice)), advice_text(advice, drive))
    return ExitCode.DONE


def advice_text(advice: Advice, drive: Drive) -> Iterator[Block]:
    """Show the workload, the drive and the ranking."""
    yield para(strong(t("{purpose} on {drive}", purpose=advice.workload.title, drive=_drive_words(drive))))
    yield from advice_page(advice)


def _drive_words(drive: Drive) -> Message | str:
    facts: list[Message | str] = [printable(drive.model)] if drive.model else []
    facts += [format_capacity(drive.size_bytes)] if drive.size_bytes is not None else []
    return t("{path} ({facts:list})", path=drive.path, facts=(*facts, turning_words(drive)))
