"""What in a report could name a drive or a person: collected by field, so that each can be found in every
sentence too."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass

from wizard.documents.profiles import BUNDLED
from wizard.model.advice import Evidence, Workload
from wizard.model.documents.changes import Relabel
from wizard.model.machine import Partition
from wizard.model.operations.arrays import MakeArray, MakeStripedVolume, MakeVolumeGroup
from wizard.model.operations.group import Group, MakeLogicalVolume
from wizard.model.operations.writer import Writer
from wizard.model.plan import Slot, Stripe, TableEntry
from wizard.model.waiting import Waiting
from wizard.report.nouns import Report

SERIAL, WWN, LINK, UUID, DIGEST, LABEL, MOUNT, FILE = (
    "SERIAL",
    "WWN",
    "LINK",
    "UUID",
    "DIGEST",
    "LABEL",
    "MOUNT",
    "FILE",
)
NAME, USER, HOST = "NAME", "USER", "HOST"
"""What the words that stand for a value begin with."""

BY_FIELD = {
    "serial": SERIAL,
    "wwn": WWN,
    "by_id": LINK,
    "uuid": UUID,
    "uuids": UUID,
    "part_uuid": UUID,
    "boot_id": UUID,
    "content_digest": DIGEST,
    "superblock_digest": DIGEST,
    "label": LABEL,
    "mount_point": MOUNT,
    "mount_points": MOUNT,
    "last_mounted_at": MOUNT,
    "store": FILE,
    "undo_dir": FILE,
    "backing_file": FILE,
}
NAMED = (
    Partition,
    Slot,
    TableEntry,
    MakeArray,
    MakeVolumeGroup,
    MakeStripedVolume,
    MakeLogicalVolume,
    Stripe,
    Group,
)
"""Whose `name` a person chose, or was made from a label; and the `group` of a logical volume."""

USUAL_NAMES = frozenset(
    {
        "EFI System Partition",
        "EFI system partition",
        "EFI System",
        "Linux filesystem",
        "Linux swap",
        "Linux RAID",
        "Linux LVM",
        "primary",
    }
    | {
        "Basic data partition",
        "Microsoft reserved partition",
        "BIOS boot partition",
        "BIOS boot",
        "swap",
        "root",
        "boot",
        "home",
    }
)
"""What installers call partitions and volumes everywhere."""

USUAL_PLACES = frozenset(
    {
        "/",
        "/boot",
        "/boot/efi",
        "/efi",
        "/home",
        "/mnt",
        "/opt",
        "/root",
        "/srv",
        "/tmp",
        "/usr",
        "/usr/local",
        "/var",
        "/var/log",
    }
    | {"/var/lib", "/media", "[SWAP]", "none", "swap"}
)
"""Mount points that every system has."""


def secrets_of(report: Report) -> dict[str, str]:
    """Every value that is to be replaced, in the order in which it comes, with its kind."""
    return _named_in(
        _walk(report),
        frozenset(
            advice.workload.label
            for advice in report.advice
            if advice.workload.origin.startswith(str(BUNDLED))
        ),
    )


def secrets_in(nouns: tuple[object, ...], others: Mapping[str, str]) -> dict[str, str]:
    """The same of any facts, and of `others` that are known with their kinds already."""
    return _named_in((*_walk(nouns), *others.items()))


def _named_in(values: Iterable[tuple[str, str]], usual: frozenset[str] = frozenset()) -> dict[str, str]:
    """Values with their kinds, without those that every system has."""
    found: dict[str, str] = {}
    for value, kind in values:
        if (
            value
            and not (kind == LABEL and value in USUAL_NAMES | usual)
            and not (kind == MOUNT and value in USUAL_PLACES)
        ):
            found.setdefault(value, kind)
    return found


def _name_kind(value: object, field: str) -> str | None:
    """What a field is that can hold a name; None where it holds none that a person chose."""
    if field == "name" and isinstance(value, Writer):
        return USER
    return LABEL if field in ("name", "group") and isinstance(value, NAMED) else None


def _walk(value: object) -> Iterator[tuple[str, str]]:
    """Every value of a field that names something, with its kind. Published texts name nobody."""
    if isinstance(value, tuple):
        for one in value:
            yield from _walk(one)
    if not is_dataclass(value) or isinstance(value, type | Evidence | Workload):
        return
    if isinstance(value, Waiting) and "/" in value.run:
        yield value.run.strip("'"), FILE
    if isinstance(value, Relabel):
        yield from ((label, LABEL) for label in (value.old, value.new))
    for field in fields(value):
        inner: object = getattr(value, field.name)
        kind = BY_FIELD.get(field.name) or _name_kind(value, field.name)
        if kind is None:
            yield from _walk(inner)
        else:
            yield from (
                (one, kind)
                for one in (inner if isinstance(inner, tuple) else (inner,))
                if isinstance(one, str)
            )
