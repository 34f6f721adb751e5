"""The document `diskwright.wanted/1` as a TOML file, and its volumes as the requests that `plan` takes."""

from dataclasses import fields

from wizard.documents.profiles import read_toml
from wizard.layout.ensured import words
from wizard.layout.several.striped import StripeWish
from wizard.layout.wishes.subvolumes import places_of
from wizard.layout.wishes.wish import Request, mount_order_fault, parse_volume
from wizard.model.documents.ensure import Match, WantedDrive, WantedDrives, WantedVolume
from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.model.units import parse_size

SINGLE = ("workload", "role", "size", "label", "mount", "writable", "fs", "encrypt", "key")
SEVERAL = ("option", "subvolume")
"""The keys of a volume, as `plan --volume` has them."""


def read_wanted(text: str, where: str) -> WantedDrives:
    """The document in a text; raises BadInput naming `where` (a file), the place in it and what does not
    fit."""
    wanted = read_toml(text, where, WantedDrives)
    if not wanted.drive:
        raise BadInput(words.NO_DRIVES(file=where))
    for number, drive in enumerate(wanted.drive, 1):
        for match in drive.matches:
            if not any(getattr(match, one.name) for one in fields(Match)):
                raise BadInput(words.NO_MATCH_KEY(file=where, number=number))
        try:
            requests_of(drive)
            stripe_of(drive)
            for match in drive.matches:
                if match.size is not None:
                    parse_size(match.size)
        except BadInput as error:
            raise BadInput(words.IN_DRIVE(file=where, number=number, why=str(error))) from None
    if fault := mount_order_fault(places_named(wanted)):
        raise BadInput(words.IN_FILE(file=where, why=fault))
    return wanted


def places_named(wanted: WantedDrives) -> tuple[str, ...]:
    """Where the document says that volumes are mounted, in its order."""
    return tuple(
        place
        for drive in wanted.drive
        for asked in requests_of(drive)
        for place in places_of(asked.mount_point, asked.subvolumes)
    )


def requests_of(drive: WantedDrive) -> tuple[Request, ...]:
    """Its volumes as requests; raises BadInput for one that `plan --volume` would not take either."""
    if not drive.volume:
        raise BadInput(words.NO_VOLUMES())
    if any(volume.encrypt and not volume.key for volume in drive.volume):
        raise BadInput(words.NO_KEY())
    return tuple(parse_volume(_written(volume)) for volume in drive.volume)


def stripe_of(wanted: WantedDrive) -> StripeWish | None:
    """How several drives are to be put together; None for one drive. Raises BadInput for what cannot be
    meant."""
    kind = wanted.mirror or wanted.stripe
    if wanted.mirror and wanted.stripe:
        raise BadInput(words.MIRROR_AND_STRIPE())
    if kind is None:
        if wanted.also:
            raise BadInput(words.HOW_TOGETHER())
        return None
    option = "mirror" if wanted.mirror else "stripe"
    if not wanted.also:
        raise BadInput(words.NO_OTHER(option=option))
    if wanted.lvm or wanted.table != "gpt":
        raise BadInput(words.NOT_TOGETHER(option=option, key="lvm" if wanted.lvm else "table"))
    if len(wanted.volume) != 1:
        raise BadInput(words.ONE_VOLUME(option=option))
    return StripeWish(kind, level="raid1" if wanted.mirror else "raid0")


def _written(volume: WantedVolume) -> str:
    """The volume as `--volume` has it, so that there is one reader of it."""
    pairs = [(key, getattr(volume, key)) for key in SINGLE if getattr(volume, key) is not None]
    pairs += [(key, value) for key in SEVERAL for value in getattr(volume, key)]
    for key, value in pairs:
        if "," in value:
            raise BadInput(words.COMMA(key=key, value=printable(value, 60)))
    return ",".join(f"{key}={value}" for key, value in pairs)
