"""Read a `diskwright.wanted/1` document in TOML or JSON, and convert the volumes to requests for `plan`."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from fnmatch import fnmatchcase

from wizard.advice.missing import filesystem
from wizard.advice.workloads import find_workload
from wizard.documents.profiles import fault_within, read_toml_or_json
from wizard.model.ensure import Match, WantedDrive, WantedDrives, WantedVolume
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.machine import Drive
from wizard.model.said import Message, parse_size, reason_of, t
from wizard.plan.raid.striped import StripeWish
from wizard.plan.request.subvolumes import places_of
from wizard.plan.request.volume_request import VolumeRequest, mount_order_fault, parse_volume

SINGLE = ("workload", "role", "size", "label", "mount", "writable", "fs", "encrypt", "key")
SEVERAL = ("option", "subvolume")
"""Keys of a volume, as in `plan --volume`."""


def read_wanted(text: str, where: str) -> WantedDrives:
    """Parse a document in TOML or JSON. Raises BadInput with `where` (a file), the position and the fault."""
    wanted = read_toml_or_json(text, where, WantedDrives)
    if not wanted.drive:
        raise BadInput(t("{file} lists no drive; add [[drive]].", file=where))
    for at, drive in enumerate(wanted.drive):
        key = f"drive[{at}]."
        try:
            _check_matches(drive)
            for number, volume in enumerate(drive.volume):
                key = f"drive[{at}].volume[{number}]."
                parse_volume(_written(volume))
                if volume.workload is not None:
                    key = f"drive[{at}].volume[{number}].workload"
                    find_workload(volume.workload)
                if volume.fs is not None:
                    key = f"drive[{at}].volume[{number}].fs"
                    filesystem(volume.fs)
            key = f"drive[{at}]."
            requests_of(drive)
            stripe_of(drive)
        except BadInput as error:
            raise fault_within(text, where, key, reason_of(error)) from None
    if fault := mount_order_fault(places_named(wanted)):
        raise BadInput(t("{file}: {why}", file=where, why=fault))
    return wanted


def _check_matches(drive: WantedDrive) -> None:
    for match in drive.matches:
        if not any(getattr(match, one.name) for one in fields(Match)):
            raise BadInput(t("match is empty; set path, model, serial, size or bus."))
        if match.size is not None:
            parse_size(match.size)


def places_named(wanted: WantedDrives) -> tuple[str, ...]:
    """Return the mount points of all volumes, in document order."""
    return tuple(
        place
        for drive in wanted.drive
        for asked in requests_of(drive)
        for place in places_of(asked.mount_point, asked.subvolumes)
    )


def requests_of(drive: WantedDrive) -> tuple[VolumeRequest, ...]:
    """Return the drive's volumes as requests. Raises BadInput as `plan --volume` does."""
    if not drive.volume:
        raise BadInput(t("no volume is listed; add [[drive.volume]]."))
    if any(volume.encrypt and not volume.key for volume in drive.volume):
        raise BadInput(t("an encrypted volume requires a key, since passphrase prompts are unavailable."))
    return tuple(parse_volume(_volume_text(volume)) for volume in drive.volume)


def stripe_of(wanted: WantedDrive) -> StripeWish | None:
    """Return how several drives are combined, or None for one drive. Raises BadInput for contradictory
    settings."""
    kind = wanted.mirror or wanted.stripe
    if wanted.mirror and wanted.stripe:
        raise BadInput(t("mirror and stripe cannot be combined; use one."))
    if kind is None:
        if wanted.also:
            raise BadInput(t("also lists more drives; set mirror or stripe to define their use."))
        return None
    option = "mirror" if wanted.mirror else "stripe"
    if not wanted.also:
        raise BadInput(t("{option} needs more drives; list them as also = [{{ ... }}].", option=option))
    if wanted.lvm or wanted.table != "gpt":
        raise BadInput(
            t("{option} and {key} cannot be combined.", option=option, key="lvm" if wanted.lvm else "table")
        )
    if len(wanted.volume) != 1:
        raise BadInput(
            t("{option} creates one volume across all drives; list only one [[drive.volume]].", option=option)
        )
    return StripeWish(kind, level="raid1" if wanted.mirror else "raid0")


def _volume_text(volume: WantedVolume) -> str:
    """Convert the volume to `--volume` format, which is then parsed in one place."""
    pairs = [(key, getattr(volume, key)) for key in SINGLE if getattr(volume, key) is not None]
    pairs += [(key, value) for key in SEVERAL for value in getattr(volume, key)]
    for key, value in pairs:
        if "," in value:
            raise BadInput(
                t(
                    "{key} '{value}' must not contain a comma.",
                    key=key,
                    value=printable(value, 60),
                )
            )
    return ",".join(f"{key}={value}" for key, value in pairs)


UNKNOWN = t("unknown")

SIZE_TOLERANCE = 100
"""Labelled sizes are rounded: drives differ by less than one part in this many."""


def drive_meant(match: Match, drives: Sequence[Drive]) -> Drive:
    """Return the only drive that matches. Raises Refused with the candidates if none or several match."""
    found = [drive for drive in drives if matches(match, drive)]
    if len(found) == 1:
        return found[0]
    criteria = ", ".join(_criteria(match))
    if not found:
        known = tuple(_drive_text(drive) for drive in drives) or (t("none"),)
        raise Refused(
            t(
                "No drive matches {criteria}. Available drives: {known:semicolons}.",
                criteria=criteria,
                known=known,
            )
        )
    raise Refused(
        t(
            "{number} drives match {criteria}, but exactly one must match: {found:semicolons}.",
            criteria=criteria,
            number=len(found),
            found=tuple(map(_drive_text, found)),
        )
    )


def matches(match: Match, drive: Drive) -> bool:
    """Return True if the drive meets all given criteria. Unknown values do not match."""
    if match.path is not None and match.path not in (drive.path, *drive.by_id):
        return False
    if match.model is not None and not (drive.model and fnmatchcase(drive.model, match.model)):
        return False
    if match.serial is not None and match.serial != drive.serial:
        return False
    if match.bus is not None and match.bus != drive.bus:
        return False
    return match.size is None or _is_size(parse_size(match.size), drive.size_bytes)


def _is_size(wanted_bytes: int, size_bytes: int | None) -> bool:
    return size_bytes is not None and abs(size_bytes - wanted_bytes) * SIZE_TOLERANCE < wanted_bytes


def _criteria(match: Match) -> Iterator[str]:
    for field in fields(match):
        if (value := getattr(match, field.name)) is not None:
            yield f"{field.name} {printable(value, 100)}"


def _drive_text(drive: Drive) -> Message:
    return t(
        "{drive} (model {model}, serial {serial}, {size:size}, bus {bus})",
        drive=drive.path,
        model=printable(drive.model or "", 60) or UNKNOWN,
        serial=printable(drive.serial or "", 60) or UNKNOWN,
        size=drive.size_bytes or 0,
        bus=drive.bus or UNKNOWN,
    )
