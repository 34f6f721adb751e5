"""Read a `diskwright.wanted/1` TOML document, and convert the volumes to requests for `plan`."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from fnmatch import fnmatchcase

from wizard.documents.profiles import read_toml
from wizard.model.ensure import Match, WantedDrive, WantedDrives, WantedVolume
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.machine import Drive
from wizard.model.said import Message, parse_size, t
from wizard.plan.raid.striped import StripeWish
from wizard.plan.request.subvolumes import places_of
from wizard.plan.request.volume_request import VolumeRequest, mount_order_fault, parse_volume

SINGLE = ("workload", "role", "size", "label", "mount", "writable", "fs", "encrypt", "key")
SEVERAL = ("option", "subvolume")
"""The keys of a volume, as `plan --volume` has them."""


def read_wanted(text: str, where: str) -> WantedDrives:
    """The document in a text; raises BadInput naming `where` (a file), the place in it and what does not
    fit."""
    wanted = read_toml(text, where, WantedDrives)
    if not wanted.drive:
        raise BadInput(t("{file} lists no drive; add [[drive]].", file=where))
    for number, drive in enumerate(wanted.drive, 1):
        for match in drive.matches:
            if not any(getattr(match, one.name) for one in fields(Match)):
                raise BadInput(
                    t(
                        "{file}, drive {number}: match is empty; set path, model, serial, size or bus.",
                        file=where,
                        number=number,
                    )
                )
        try:
            requests_of(drive)
            stripe_of(drive)
            for match in drive.matches:
                if match.size is not None:
                    parse_size(match.size)
        except BadInput as error:
            raise BadInput(
                t("{file}, drive {number}: {why}", file=where, number=number, why=str(error))
            ) from None
    if fault := mount_order_fault(places_named(wanted)):
        raise BadInput(t("{file}: {why}", file=where, why=fault))
    return wanted


def places_named(wanted: WantedDrives) -> tuple[str, ...]:
    """Where the document says that volumes are mounted, in its order."""
    return tuple(
        place
        for drive in wanted.drive
        for asked in requests_of(drive)
        for place in places_of(asked.mount_point, asked.subvolumes)
    )


def requests_of(drive: WantedDrive) -> tuple[VolumeRequest, ...]:
    """Its volumes as requests; raises BadInput for one that `plan --volume` would not take either."""
    if not drive.volume:
        raise BadInput(t("no volume is listed; add [[drive.volume]]."))
    if any(volume.encrypt and not volume.key for volume in drive.volume):
        raise BadInput(t("an encrypted volume requires a key, since passphrase prompts are unavailable."))
    return tuple(parse_volume(_written(volume)) for volume in drive.volume)


def stripe_of(wanted: WantedDrive) -> StripeWish | None:
    """How several drives are to be put together; None for one drive. Raises BadInput for what cannot be
    meant."""
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


def _written(volume: WantedVolume) -> str:
    """The volume as `--volume` has it, so that there is one reader of it."""
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
"""A size on a box is a round one: drives differ from it by less than one part in so many."""


def drive_meant(match: Match, drives: Sequence[Drive]) -> Drive:
    """The one drive that matches; raises Refused with the candidates where none does, or several do."""
    found = [drive for drive in drives if matches(match, drive)]
    if len(found) == 1:
        return found[0]
    criteria = ", ".join(_criteria(match))
    if not found:
        known = tuple(_told(drive) for drive in drives) or (t("none"),)
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
            found=tuple(map(_told, found)),
        )
    )


def matches(match: Match, drive: Drive) -> bool:
    """Whether everything that is given holds of the drive. What is not known of it does not match."""
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


def _told(drive: Drive) -> Message:
    return t(
        "{drive} (model {model}, serial {serial}, {size:size}, bus {bus})",
        drive=drive.path,
        model=printable(drive.model or "", 60) or UNKNOWN,
        serial=printable(drive.serial or "", 60) or UNKNOWN,
        size=drive.size_bytes or 0,
        bus=drive.bus or UNKNOWN,
    )
