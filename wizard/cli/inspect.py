"""`diskwright inspect`: show the attached drives and findings about their use. `diskwright advise`: recommend
filesystems and options for a drive and a workload.

The document of `--json` (schema diskwright.machine/2) has findings with codes and values, so that every
sentence can be rendered again.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.apply.remedies import absent_at_boot, diagnose
from wizard.apply.run.backup_store import OWN_FSTAB
from wizard.cli.machines import machine_and_drives, recorded_drive
from wizard.cli.output import Document
from wizard.documents.codec import render_document, to_json
from wizard.findings.diagnose import has_health, judge_health
from wizard.findings.drive_faults import turning_words
from wizard.findings.geometry import load_patterns
from wizard.model.advice import Advice
from wizard.model.drive_facts import Smart, Zones
from wizard.model.finding import Diagnosis, Finding, Severity
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Layer, Machine, Partition, Signature, Table, Unread, Use
from wizard.model.said import Message, format_capacity, in_english, t
from wizard.probe.interpret import machine_of
from wizard.probe.machine import load_machine, save_machine, survey, with_others
from wizard.ui.components.advice_rows import advice_page
from wizard.ui.components.drive_rows import CAPTIONS, recording_piece
from wizard.ui.dialogs.health import contents_blocks, identity_blocks, shown_size
from wizard.ui.messages import HEALTH, NO_NAME
from wizard.ui.view import GAP, Block, Piece, muted, para, strong

SCHEMA = "diskwright.machine/2"

JSON = dict[str, Any]


FIELDS: dict[type, str] = {
    Drive: (
        "path by_id model vendor revision serial wwn bus size_bytes geometry rotational rotation_rate "
        "kernel_rotational removable read_only zoned zone_bytes zones vpd_zoned discard scheduler "
        "schedulers diskseq backing_file smart ata nvme_formats nvme_format_scope table signatures free "
        "layers uses content_digest superblock_digest unread"
    ),
    Geometry: (
        "logical_block_bytes physical_block_bytes alignment_offset_bytes minimum_io_bytes optimal_io_bytes "
        "sector_format"
    ),
    Layer: "kind path below mount_points size_bytes geometry offset_bytes striping signatures",
    Partition: (
        "path number start_bytes size_bytes type name part_uuid attributes filesystem signatures "
        "mount_points kernel_start_bytes kernel_size_bytes"
    ),
    Signature: (
        "kind usage label uuid version offset_bytes ambivalent data_offset_bytes striping block_bytes "
        "member unclean group level number used_bytes "
        "data_profile metadata_profile"
    ),
    Smart: "passed model_family zoned_capability trim_supported rotation_rate model_name",
    Table: "kind uuid first_usable_bytes end_usable_bytes primary backup",
    Zones: "count conventional capacity_bytes most_open most_active takes_partitions written",
}
"""Fields in the document by class. Other classes are written with all fields."""


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
        chosen = dict.fromkeys(recorded_drive(machine, device) for device in devices)
        return replace(machine, drives=tuple(chosen)) if devices else machine
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
    what = drive.model or drive.backing_file or NO_NAME
    yield para(strong(f"{drive.path}  {what}, {shown_size(drive.size_bytes)}"))
    yield from identity_blocks(drive)
    yield para(muted(t("Recording:")), recording_piece(diagnosis), indent=2)
    if has_health(drive):
        yield para(muted(t("{what:First}:", what=HEALTH)), *judge_health(drive).said, indent=2)
    yield from contents_blocks(drive)
    yield from finding_blocks(diagnosis.findings)


def finding_blocks(findings: Sequence[Finding]) -> Iterator[Block]:
    """Yield each finding with the advice."""
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


def _fields(value: object) -> JSON:
    return {name: _shown(getattr(value, name)) for name in FIELDS[type(value)].split()}


def _shown(value: object) -> object:
    match value:
        case tuple():
            return [_shown(one) for one in value]
        case Use():
            return {"kind": value.kind, "subject": value.subject, "by": in_english(value.by)}
        case Unread():
            return {"what": value.what, "why": in_english(value.why), "obstacle": value.obstacle.value}
        case _:
            return _fields(value) if type(value) in FIELDS else to_json(value)


ADVICE_SCHEMA = "diskwright.advice/1"


def advise_drive(arguments: Namespace) -> Document:
    """Rank the filesystems for a drive and a workload."""
    profile = find_workload(arguments.workload)
    machine, (drive,) = machine_and_drives([arguments.device], arguments.machine)
    recording = diagnose(machine, drive, load_patterns()).recording
    advice = advise(machine, drive, recording, profile)
    return render_document(ADVICE_SCHEMA, advice), advice_text(advice, drive)


def advice_text(advice: Advice, drive: Drive) -> Iterator[Block]:
    """Show the workload, the drive and the ranking."""
    facts: list[Message | str] = [drive.model] if drive.model else []
    facts += [format_capacity(drive.size_bytes)] if drive.size_bytes is not None else []
    described = f"{drive.path} ({', '.join(map(str, (*facts, turning_words(drive))))})"
    yield para(strong(t("{purpose} on {drive}", purpose=advice.workload.title, drive=described)))
    yield from advice_page(advice)
