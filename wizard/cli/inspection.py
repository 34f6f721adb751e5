"""Document of `inspect --json`: machine and findings as plain JSON (schema diskwright.machine/2).

Findings carry codes and values, so that every sentence can be rendered again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from wizard.documents.codec import to_json
from wizard.findings.diagnose import judge_health
from wizard.model.drive_facts import Discard, Smart, Zones
from wizard.model.finding import Diagnosis, Finding, Recording
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Layer, Machine, Partition, Signature, Table, Unread, Use
from wizard.model.said import in_english

SCHEMA = "diskwright.machine/2"

JSON = dict[str, Any]


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
        "unread": _unread(machine.unread),
        "findings": to_json(tuple(absent)),
    }


def drive_document(drive: Drive, diagnosis: Diagnosis) -> JSON:
    """Return one drive. Unreadable fields are null or empty, and listed in `unread` with the reason."""
    return {
        "path": drive.path,
        "by_id": list(drive.by_id),
        "model": drive.model,
        "vendor": drive.vendor,
        "revision": drive.revision,
        "serial": drive.serial,
        "wwn": drive.wwn,
        "bus": drive.bus,
        "size_bytes": drive.size_bytes,
        "geometry": _geometry(drive.geometry),
        "rotational": drive.rotational,
        "rotation_rate": drive.rotation_rate,
        "kernel_rotational": drive.kernel_rotational,
        "removable": drive.removable,
        "read_only": drive.read_only,
        "zoned": drive.zoned,
        "zone_bytes": drive.zone_bytes,
        "zones": _zones(drive.zones),
        "vpd_zoned": drive.vpd_zoned,
        "discard": _discard(drive.discard),
        "scheduler": drive.scheduler,
        "schedulers": list(drive.schedulers),
        "diskseq": drive.diskseq,
        "backing_file": drive.backing_file,
        "smart": _smart(drive.smart),
        "health": {"verdict": judge_health(drive).verdict.value, **to_json(drive.smart.health)},
        "ata": to_json(drive.ata),
        "nvme_formats": to_json(drive.nvme_formats),
        "nvme_format_scope": drive.nvme_format_scope,
        "recording": _recording(diagnosis.recording),
        "table": _table(drive.table),
        "signatures": [_signature(mark) for mark in drive.signatures],
        "partitions": [_partition(part, drive.uses) for part in drive.partitions],
        "free": [
            {"start_bytes": extent.start_bytes, "size_bytes": extent.size_bytes} for extent in drive.free
        ],
        "layers": [_layer(layer) for layer in drive.layers],
        "uses": [_use(use) for use in drive.uses],
        "content_digest": drive.content_digest,
        "superblock_digest": drive.superblock_digest,
        "unread": _unread(drive.unread),
        "findings": to_json(diagnosis.findings),
    }


def _discard(discard: Discard | None) -> JSON | None:
    if discard is None:
        return None
    return {
        "granularity_bytes": discard.granularity_bytes,
        "maximum_bytes": discard.maximum_bytes,
    }


def _geometry(geometry: Geometry | None) -> JSON | None:
    if geometry is None:
        return None
    return {
        "logical_block_bytes": geometry.logical_block_bytes,
        "physical_block_bytes": geometry.physical_block_bytes,
        "alignment_offset_bytes": geometry.alignment_offset_bytes,
        "minimum_io_bytes": geometry.minimum_io_bytes,
        "optimal_io_bytes": geometry.optimal_io_bytes,
        "sector_format": geometry.sector_format,
    }


def _recording(recording: Recording) -> JSON:
    return {
        "kind": recording.kind,
        "management": recording.management,
        "verdict": recording.verdict.value,
        "confidence": recording.confidence,
        "evidence": [
            {"source": to_json(clue.source), "says": to_json(clue.says), "confidence": clue.confidence}
            for clue in recording.evidence
        ],
    }


def _zones(zones: Zones | None) -> JSON | None:
    if zones is None:
        return None
    return {
        "count": zones.count,
        "conventional": zones.conventional,
        "capacity_bytes": zones.capacity_bytes,
        "most_open": zones.most_open,
        "most_active": zones.most_active,
        "takes_partitions": zones.takes_partitions,
        "written": zones.written,
    }


def _smart(smart: Smart) -> JSON:
    return {
        "passed": smart.passed,
        "model_family": smart.model_family,
        "zoned_capability": smart.zoned_capability,
        "trim_supported": smart.trim_supported,
        "rotation_rate": smart.rotation_rate,
        "model_name": smart.model_name,
    }


def _table(table: Table | None) -> JSON | None:
    if table is None:
        return None
    return {
        "kind": table.kind,
        "uuid": table.uuid,
        "first_usable_bytes": table.first_usable_bytes,
        "end_usable_bytes": table.end_usable_bytes,
        "primary": table.primary,
        "backup": table.backup,
    }


def _signature(mark: Signature) -> JSON:
    return {
        "kind": mark.kind,
        "usage": mark.usage,
        "label": mark.label,
        "uuid": mark.uuid,
        "version": mark.version,
        "offset_bytes": mark.offset_bytes,
        "ambivalent": mark.ambivalent,
        "data_offset_bytes": mark.data_offset_bytes,
        "striping": to_json(mark.striping),
        "block_bytes": mark.block_bytes,
        "member": mark.member,
        "unclean": mark.unclean,
        "group": mark.group,
        "level": mark.level,
        "number": mark.number,
        "used_bytes": mark.used_bytes,
    }


def _partition(part: Partition, uses: Sequence[Use]) -> JSON:
    only = part.signatures[0] if part.filesystem else None
    return {
        "path": part.path,
        "number": part.number,
        "start_bytes": part.start_bytes,
        "size_bytes": part.size_bytes,
        "type": part.type,
        "name": part.name,
        "part_uuid": part.part_uuid,
        "attributes": part.attributes,
        "filesystem": part.filesystem,
        "label": only.label if only else None,
        "uuid": only.uuid if only else None,
        "signatures": [_signature(mark) for mark in part.signatures],
        "mount_points": list(part.mount_points),
        "uses": [_use(use) for use in uses if use.subject == part.path],
        "kernel_start_bytes": part.kernel_start_bytes,
        "kernel_size_bytes": part.kernel_size_bytes,
    }


def _layer(layer: Layer) -> JSON:
    return {
        "kind": layer.kind,
        "path": layer.path,
        "below": layer.below,
        "mount_points": list(layer.mount_points),
        "size_bytes": layer.size_bytes,
        "geometry": _geometry(layer.geometry),
        "offset_bytes": layer.offset_bytes,
        "striping": to_json(layer.striping),
        "signatures": [_signature(mark) for mark in layer.signatures],
    }


def _use(use: Use) -> JSON:
    return {"kind": use.kind, "subject": use.subject, "by": in_english(use.by)}


def _unread(unread: Sequence[Unread]) -> list[JSON]:
    return [{"what": one.what, "why": in_english(one.why), "obstacle": one.obstacle.value} for one in unread]
