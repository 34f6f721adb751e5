"""`diskwright inspect`: show the attached drives and findings about their use.

The document of `--json` (schema diskwright.machine/2) has findings with codes and values, so that every
sentence can be rendered again.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from wizard.apply.remedies import absent_at_boot, diagnose
from wizard.apply.run.backup_store import OWN_FSTAB
from wizard.cli.output import Document
from wizard.documents.codec import render_document, to_json
from wizard.findings.diagnose import has_health, judge_health
from wizard.findings.geometry import load_patterns
from wizard.model.drive_facts import Smart, Zones
from wizard.model.finding import Diagnosis, Finding, Severity
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Machine, Partition, Signature, Table, Unread, Use
from wizard.model.said import Message, in_english, t
from wizard.probe.interpret import machine_of
from wizard.probe.machine import load_machine, save_machine, survey, with_only, with_others
from wizard.ui.messages import CAPTION, HEALTH, NO_NAME
from wizard.ui.view import GAP, Block, Piece, muted, para, strong

SCHEMA = "diskwright.machine/2"

JSON = dict[str, Any]


OMITTED: dict[type, str] = {
    Drive: ("same_serial same_wwn partitions loaders superblock_copy_bytes waiting data_at_bytes lost"),
    Partition: "superblock_copy_bytes superblock_digest moving data_at_bytes",
    Signature: "features unconverted taken_bytes size_bytes devices most_bytes damaged_copy",
    Smart: "health",
    Table: "ordinary most_partitions own",
    Unread: "without_root",
    Zones: "size_bytes",
}
"""Fields that the document omits, by class."""

ADDED = {Drive: "zone_bytes", Geometry: "sector_format", Partition: "filesystem"}
"""Properties in the document, by class."""


def inspect(arguments: Namespace) -> Document:
    """Describe the drives."""
    machine, patterns = _machine(arguments), load_patterns()
    fstab = None if arguments.machine else OWN_FSTAB
    diagnoses = {drive.path: diagnose(machine, drive, patterns, fstab=fstab) for drive in machine.drives}
    absent = () if fstab is None or arguments.devices else tuple(absent_at_boot(machine, fstab))
    document = render_document(SCHEMA, machine_document(machine, diagnoses, absent))
    return document, _blocks(machine, diagnoses, absent)


def _machine(arguments: Namespace) -> Machine:
    devices, file = arguments.devices, arguments.machine
    if file is not None:
        machine = load_machine(Path(file))
        return with_only(machine, devices) if devices else machine
    facts = survey(devices or None, all_devices=arguments.all)
    machine = machine_of(facts) if arguments.save is None else save_machine(Path(arguments.save), facts)
    return with_others(machine) if devices else machine


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


def portrait(drive: Drive, diagnosis: Diagnosis) -> Iterator[Block]:
    """Yield the blocks that describe one drive."""
    from wizard.ui.components.drive_rows import recording_piece
    from wizard.ui.dialogs.health import contents_blocks, identity_blocks, shown_size

    what = drive.model or drive.backing_file or NO_NAME
    yield para(strong(f"{drive.path}  {what}, {shown_size(drive.size_bytes)}"))
    yield from identity_blocks(drive)
    yield para(muted(t("Recording:")), recording_piece(diagnosis), indent=2)
    if has_health(drive):
        yield para(muted(CAPTION(what=HEALTH)), *judge_health(drive).said, indent=2)
    yield from contents_blocks(drive)
    yield from finding_blocks(diagnosis.findings)


def finding_blocks(findings: Sequence[Finding]) -> Iterator[Block]:
    """Yield each finding with the advice."""
    from wizard.ui.components.drive_rows import CAPTIONS

    for finding in findings:
        severity = Piece(f"{finding.severity}:", CAPTIONS[finding.severity].tone)
        yield para(severity, finding.sentence, indent=2)
        if finding.remedy and finding.severity is not Severity.OK:
            yield para(finding.advice, indent=4)


def machine_document(
    machine: Machine, diagnoses: Mapping[str, Diagnosis], absent: Sequence[Finding] = ()
) -> JSON:
    """Return the document's body."""
    return {
        "drives": [drive_document(drive, diagnoses[drive.path]) for drive in machine.drives],
        "kernel": machine.kernel.release,
        "root": machine.root,
        "live_medium": machine.live_medium,
        "unread": _shown(machine.unread),
        "findings": to_json(tuple(absent)),
    }


def drive_document(drive: Drive, diagnosis: Diagnosis) -> JSON:
    """Return one drive. Unreadable fields are null or empty, and in `unread` with the reason."""
    health = {"verdict": judge_health(drive).verdict.value, **to_json(drive.smart.health)}
    return {
        **_fields(drive),
        "health": health,
        "recording": to_json(diagnosis.recording),
        "partitions": [_partition(part, drive.uses) for part in drive.partitions],
        "findings": to_json(diagnosis.findings),
    }


def _partition(part: Partition, uses: Sequence[Use]) -> JSON:
    only = part.signatures[0] if part.filesystem else None
    return {
        **_fields(part),
        "label": only.label if only else None,
        "uuid": only.uuid if only else None,
        "uses": [_shown(use) for use in uses if use.subject == part.path],
    }


def _fields(value: Struct) -> JSON:
    names = (*value.__struct_fields__, *ADDED.get(type(value), "").split())
    omitted = OMITTED.get(type(value), "").split()
    return {name: _shown(getattr(value, name)) for name in names if name not in omitted}


def _shown(value: object) -> object:
    match value:
        case tuple():
            return [_shown(one) for one in value]
        case Message():
            return in_english(value)
        case Struct():
            return _fields(value)
        case _:
            return to_json(value)
