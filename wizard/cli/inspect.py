"""`diskwright inspect`: show the attached drives and findings about their use."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wizard.apply.remedies import absent_at_boot, diagnose
from wizard.apply.run.backup_store import OWN_FSTAB
from wizard.cli.inspection import SCHEMA, machine_document
from wizard.cli.machines import not_recorded
from wizard.cli.output import deliver
from wizard.cli.portrait import finding_blocks, portrait
from wizard.documents.codec import render_document
from wizard.findings.geometry import load_patterns
from wizard.model.errors import BadInput, ExitCode
from wizard.model.finding import Diagnosis, Finding
from wizard.model.machine import Machine
from wizard.model.said import t
from wizard.probe.interpret import machine_of
from wizard.probe.machine import load_machine, save_machine, survey, with_others
from wizard.ui.view import GAP, Block, muted, para


def inspect(arguments: Namespace) -> ExitCode:
    """Print the drives."""
    machine = _machine(arguments)
    patterns = load_patterns()
    fstab = None if arguments.machine else OWN_FSTAB
    diagnoses = {drive.path: diagnose(machine, drive, patterns, fstab=fstab) for drive in machine.drives}
    absent = () if fstab is None or arguments.devices else tuple(absent_at_boot(machine, fstab))
    document = render_document(SCHEMA, machine_document(machine, diagnoses, absent))
    deliver(arguments, document, _blocks(machine, diagnoses, absent))
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


def _blocks(
    machine: Machine, diagnoses: Mapping[str, Diagnosis], absent: Sequence[Finding]
) -> Iterator[Block]:
    for number, drive in enumerate(machine.drives):
        yield from (GAP,) if number else ()
        yield from portrait(drive, diagnoses[drive.path])
    if not machine.drives:
        yield para(t("No drives."))
    yield from (GAP,) if absent else ()
    yield from finding_blocks(absent)
    if not machine.root:
        yield GAP
        yield para(
            muted(
                t(
                    "Without root, many facts are unreadable, including runs waiting on drives that look "
                    "empty. `sudo diskwright inspect` shows more."
                )
            )
        )
