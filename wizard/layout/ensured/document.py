"""The document `diskwright.wanted/1` as a TOML file, and its volumes as the requests that `plan` takes."""

from dataclasses import fields

from wizard.documents.profiles import read_toml
from wizard.layout.ensured import words
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
        if not any(getattr(drive.match, one.name) for one in fields(Match)):
            raise BadInput(words.NO_MATCH_KEY(file=where, number=number))
        try:
            requests_of(drive)
            if drive.match.size is not None:
                parse_size(drive.match.size)
        except BadInput as error:
            raise BadInput(words.IN_DRIVE(file=where, number=number, why=str(error))) from None
    places = tuple(
        place
        for drive in wanted.drive
        for asked in requests_of(drive)
        for place in places_of(asked.mount_point, asked.subvolumes)
    )
    if fault := mount_order_fault(places):
        raise BadInput(words.IN_FILE(file=where, why=fault))
    return wanted


def requests_of(drive: WantedDrive) -> tuple[Request, ...]:
    """Its volumes as requests; raises BadInput for one that `plan --volume` would not take either."""
    if not drive.volume:
        raise BadInput(words.NO_VOLUMES())
    if any(volume.encrypt and not volume.key for volume in drive.volume):
        raise BadInput(words.NO_KEY())
    return tuple(parse_volume(_written(volume)) for volume in drive.volume)


def _written(volume: WantedVolume) -> str:
    """The volume as `--volume` has it, so that there is one reader of it."""
    pairs = [(key, getattr(volume, key)) for key in SINGLE if getattr(volume, key) is not None]
    pairs += [(key, value) for key in SEVERAL for value in getattr(volume, key)]
    for key, value in pairs:
        if "," in value:
            raise BadInput(words.COMMA(key=key, value=printable(value, 60)))
    return ",".join(f"{key}={value}" for key, value in pairs)
