"""Document of `inspect --json`: machine and findings as plain JSON (schema diskwright.machine/2).

Findings carry codes and values, so that every sentence can be rendered again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from wizard.documents.codec import to_json
from wizard.findings.diagnose import judge_health
from wizard.model.drive_facts import Discard, Smart, Zones
from wizard.model.finding import Clue, Diagnosis, Finding, Recording
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Extent, Layer, Machine, Partition, Signature, Table, Unread, Use
from wizard.model.said import in_english

SCHEMA = "diskwright.machine/2"

JSON = dict[str, Any]


def _names(text: str) -> list[str]:
    return text.split()


FIELDS: dict[type, list[str]] = {
    Clue: _names("source says confidence"),
    Discard: _names("granularity_bytes maximum_bytes"),
    Drive: _names(
        "path by_id model vendor revision serial wwn bus size_bytes geometry rotational rotation_rate "
        "kernel_rotational removable read_only zoned zone_bytes zones vpd_zoned discard scheduler "
        "schedulers diskseq backing_file smart ata nvme_formats nvme_format_scope table signatures free "
        "layers uses content_digest superblock_digest unread"
    ),
    Extent: _names("start_bytes size_bytes"),
    Geometry: _names(
        "logical_block_bytes physical_block_bytes alignment_offset_bytes minimum_io_bytes optimal_io_bytes "
        "sector_format"
    ),
    Layer: _names("kind path below mount_points size_bytes geometry offset_bytes striping signatures"),
    Partition: _names(
        "path number start_bytes size_bytes type name part_uuid attributes filesystem signatures "
        "mount_points kernel_start_bytes kernel_size_bytes"
    ),
    Recording: _names("kind management verdict confidence evidence"),
    Signature: _names(
        "kind usage label uuid version offset_bytes ambivalent data_offset_bytes striping block_bytes "
        "member unclean group level number used_bytes"
    ),
    Smart: _names("passed model_family zoned_capability trim_supported rotation_rate model_name"),
    Table: _names("kind uuid first_usable_bytes end_usable_bytes primary backup"),
    Zones: _names("count conventional capacity_bytes most_open most_active takes_partitions written"),
}
"""Fields in the document by class. Other classes are written with all fields."""


def machine_document(
    machine: Machine, diagnoses: Mapping[str, Diagnosis], absent: Sequence[Finding] = ()
) -> JSON:
    """Return the document's body. `diagnoses` maps drive nodes to diagnoses. `absent`: findings about absent
    drives."""
    return {
        "drives": [drive_document(drive, diagnoses[drive.path]) for drive in machine.drives],
        "kernel": machine.kernel.release,
        "root": machine.root,
        "live_medium": machine.live_medium,
        "unread": _shown(machine.unread),
        "findings": to_json(tuple(absent)),
    }


def drive_document(drive: Drive, diagnosis: Diagnosis) -> JSON:
    """Return one drive. Unreadable fields are null or empty, and listed in `unread` with the reason."""
    health = {"verdict": judge_health(drive).verdict.value, **to_json(drive.smart.health)}
    return {
        **_fields(drive),
        "health": health,
        "recording": _shown(diagnosis.recording),
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
    """Return the fields of a value that are in the document."""
    return {name: _shown(getattr(value, name)) for name in FIELDS[type(value)]}


def _shown(value: object) -> object:
    """Return a value as JSON."""
    match value:
        case tuple():
            return [_shown(one) for one in value]
        case Use():
            return {"kind": value.kind, "subject": value.subject, "by": in_english(value.by)}
        case Unread():
            return {"what": value.what, "why": in_english(value.why), "obstacle": value.obstacle.value}
        case _:
            return _fields(value) if type(value) in FIELDS else to_json(value)
