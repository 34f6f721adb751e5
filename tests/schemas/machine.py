"""The document of `inspect --json`, which is not one dataclass: it combines facts and findings."""

from tests.schemas.shapes import JSON, Shapes
from wizard.findings.diagnose import DriveVerdict
from wizard.model.drive_facts import Health, Smart, Zones
from wizard.model.finding import Clue, Finding, Recording
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Layer, Partition, Signature, Striping, Table, Unread, Use

TEXT: JSON = {"type": "string"}


def machine(shapes: Shapes) -> JSON:
    """Return the whole schema without its name."""
    unread = _list(shapes.record(Unread, ("what", "obstacle"), why=TEXT))
    return Shapes.table(
        {
            "drives": _list(_drive(shapes, unread)),
            "kernel": {"description": "The kernel's release.", **TEXT},
            "root": shapes.of(bool),
            "live_medium": shapes.of(bool),
            "unread": unread,
            "findings": _list(shapes.record(Finding)),
        }
    )


def _drive(shapes: Shapes, unread: JSON) -> JSON:
    nouns: dict[str, JSON] = {
        "geometry": _or_null(_geometry(shapes)),
        "zone_bytes": shapes.of(int | None),
        "zones": _or_null(
            shapes.record(
                Zones,
                (
                    "count",
                    "conventional",
                    "capacity_bytes",
                    "most_open",
                    "most_active",
                    "takes_partitions",
                    "written",
                ),
            )
        ),
        "smart": shapes.record(
            Smart,
            ("passed", "model_family", "zoned_capability", "trim_supported", "rotation_rate", "model_name"),
        ),
        "health": shapes.record(Health, verdict=shapes.of(DriveVerdict)),
        "recording": _recording(shapes),
        "table": _or_null(
            shapes.record(
                Table, ("kind", "uuid", "first_usable_bytes", "end_usable_bytes", "primary", "backup")
            )
        ),
        "signatures": _list(_signature(shapes)),
        "partitions": _list(_partition(shapes)),
        "layers": _list(_layer(shapes)),
        "uses": _list(_use(shapes)),
        "unread": unread,
        "findings": _list(shapes.record(Finding)),
    }
    return shapes.record(Drive, OF_A_DRIVE, **nouns)


OF_A_DRIVE = (
    "path",
    "by_id",
    "model",
    "vendor",
    "revision",
    "serial",
    "wwn",
    "bus",
    "link_megabits",
    "size_bytes",
    "rotational",
    "rotation_rate",
    "kernel_rotational",
    "removable",
    "read_only",
    "zoned",
    "vpd_zoned",
    "discard",
    "scheduler",
    "schedulers",
    "diskseq",
    "backing_file",
    "ata",
    "nvme_formats",
    "nvme_format_scope",
    "free",
    "content_digest",
    "superblock_digest",
)
"""What the document has of a drive as it stands in the dataclass."""


def _geometry(shapes: Shapes) -> JSON:
    shown = (
        "logical_block_bytes",
        "physical_block_bytes",
        "alignment_offset_bytes",
        "minimum_io_bytes",
        "optimal_io_bytes",
    )
    return shapes.record(Geometry, shown, sector_format=shapes.of(str | None))


def _recording(shapes: Shapes) -> JSON:
    return shapes.record(
        Recording, ("kind", "management", "verdict", "confidence"), evidence=_list(shapes.record(Clue))
    )


def _signature(shapes: Shapes) -> JSON:
    shown = (
        "kind",
        "usage",
        "label",
        "uuid",
        "version",
        "offset_bytes",
        "ambivalent",
        "data_offset_bytes",
        "block_bytes",
        "member",
        "unclean",
        "group",
        "level",
        "number",
        "used_bytes",
        "data_profile",
        "metadata_profile",
    )
    return shapes.record(Signature, shown, striping=_striping(shapes))


def _striping(shapes: Shapes) -> JSON:
    return _or_null(shapes.record(Striping, ("unit_bytes", "width_bytes")))


def _partition(shapes: Shapes) -> JSON:
    shown = (
        "path",
        "number",
        "start_bytes",
        "size_bytes",
        "type",
        "name",
        "part_uuid",
        "attributes",
        "mount_points",
        "kernel_start_bytes",
        "kernel_size_bytes",
    )
    text = shapes.of(str | None)
    return shapes.record(
        Partition,
        shown,
        filesystem=text,
        label=text,
        uuid=text,
        signatures=_list(_signature(shapes)),
        uses=_list(_use(shapes)),
    )


def _layer(shapes: Shapes) -> JSON:
    shown = ("kind", "path", "below", "mount_points", "size_bytes", "offset_bytes")
    return shapes.record(
        Layer,
        shown,
        geometry=_or_null(_geometry(shapes)),
        striping=_striping(shapes),
        signatures=_list(_signature(shapes)),
    )


def _use(shapes: Shapes) -> JSON:
    return shapes.record(Use, ("kind", "subject"), by=TEXT)


def _list(shape: JSON) -> JSON:
    return {"type": "array", "items": shape}


def _or_null(shape: JSON) -> JSON:
    return {"anyOf": [shape, {"type": "null"}]}
