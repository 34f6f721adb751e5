"""Read and write a `diskwright.wanted/1` document, and convert the volumes to requests for `plan`."""

import json
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any

from msgspec import to_builtins

from wizard.advice import catalogue, workloads
from wizard.documents import profiles
from wizard.documents.codec import FAULT_IN
from wizard.filesystems.registry import MADE, not_made_because
from wizard.model import layout
from wizard.model.advice import Rank
from wizard.model.ensure import SCHEMA, Match, WantedDrive, WantedDrives, WantedVolume
from wizard.model.errors import BadInput, Refused
from wizard.model.geometry import Identity
from wizard.model.machine import Drive
from wizard.model.said import Message, Sentence, parse_size, reason_of, t
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import group_room_bytes, volume_sizes
from wizard.plan.request import volume_request
from wizard.plan.request.roles import SYSTEM_WORKLOAD, role_of
from wizard.plan.request.volume_request import parse_subvolume, subvolume_written
from wizard.probe.host.environment import GROUP

NO_TABLE = Sentence("{drive} has no partition table, which `ensure` always creates.")
NEEDS_KEY = t("`ensure` opens encrypted volumes with a key file only: set key to its path.")
NONE_LISTED = Sentence("no {entry} is listed.")


def read_wanted(text: str, where: str) -> WantedDrives:
    """Parse a document in TOML or JSON. Raises BadInput with `where` (a file), the position and the fault."""
    wanted = profiles.read_toml_or_json(text, where, WantedDrives)
    if not wanted.drive:
        raise BadInput(FAULT_IN(file=where, why=NONE_LISTED(entry="[[drive]]")))
    for at, drive in enumerate(wanted.drive):
        key = f"drive[{at}]."
        try:
            _check_drive(drive)
            for number, volume in enumerate(drive.volume):
                own = f"drive[{at}].volume[{number}]."
                key = own
                volume_request.check_volume(volume)
                if volume.workload is not None:
                    key = f"{own}workload"
                    workloads.find_workload(volume.workload)
                if volume.fs is not None:
                    key = f"{own}fs"
                    if volume.fs not in MADE:
                        raise BadInput(not_made_because(volume.fs))
                key = f"{own}option"
                _check_options(volume)
        except BadInput as error:
            raise profiles.fault_within(text, where, key, reason_of(error)) from None
    if fault := volume_request.mount_order_fault(places_named(wanted)):
        raise BadInput(FAULT_IN(file=where, why=fault))
    return wanted


def _check_options(volume: WantedVolume) -> None:
    for name in volume.option:
        if name not in catalogue.load_catalogue():
            raise BadInput(catalogue.UNKNOWN_OPTION(option=repr(name), filesystem=volume.fs or "ext4"))


def _check_drive(drive: WantedDrive) -> None:
    for match in drive.matches:
        if not any(getattr(match, name) for name in Match.__struct_fields__):
            raise BadInput(t("match is empty; set path, model, serial, size or bus."))
        if match.size is not None:
            parse_size(match.size)
    if not drive.volume:
        raise BadInput(NONE_LISTED(entry="[[drive.volume]]"))
    if any(volume.encrypt and not volume.key for volume in drive.volume):
        raise BadInput(NEEDS_KEY)
    stripe_of(drive)


def places_named(wanted: WantedDrives) -> tuple[str, ...]:
    """Return the mount points of all volumes, in document order."""
    volumes = [volume for drive in wanted.drive for volume in drive.volume]
    places = ((one.mount, *(parse_subvolume(text).mount_point for text in one.subvolume)) for one in volumes)
    return tuple(filter(None, chain.from_iterable(places)))


def stripe_of(wanted: WantedDrive) -> layout.Stripe | None:
    """Return how several drives are combined, or None for one drive. Raises BadInput for contradictory
    settings."""
    kind = wanted.mirror or wanted.stripe
    if wanted.mirror and wanted.stripe:
        raise BadInput(t("{one} and {other} cannot be combined.", one="mirror", other="stripe"))
    if (kind is None) != (not wanted.also):
        raise BadInput(t("set mirror or stripe, and list more drives as also = [{{ ... }}]."))
    if kind is None:
        return None
    option = "mirror" if wanted.mirror else "stripe"
    if wanted.lvm or wanted.table != "gpt":
        other = "lvm" if wanted.lvm else "table"
        raise BadInput(t("{one} and {other} cannot be combined.", one=option, other=other))
    if len(wanted.volume) != 1:
        raise BadInput(
            t("{option} creates one volume across all drives; list only one [[drive.volume]].", option=option)
        )
    return layout.Stripe(kind, level="raid1" if wanted.mirror else "raid0")


UNKNOWN = t("unknown")

SIZE_TOLERANCE = 100
"""Labelled sizes are rounded: drives differ by less than one part in this many."""


def matching_drive(match: Match, drives: Sequence[Drive]) -> Drive:
    """Return the only drive that matches. Raises Refused with the candidates if none or several match."""
    found = [drive for drive in drives if matches(match, drive)]
    if len(found) == 1:
        return found[0]
    given = ((name, getattr(match, name)) for name in match.__struct_fields__)
    criteria = ", ".join(f"{name} {value}" for name, value in given if value is not None)
    known = tuple(
        t(
            "{drive} (model {model}, serial {serial}, {size:size}, bus {bus})",
            drive=drive,
            model=drive.model or UNKNOWN,
            serial=drive.serial or UNKNOWN,
            size=drive.size_bytes or 0,
            bus=drive.bus or UNKNOWN,
        )
        for drive in found or drives
    ) or (t("none"),)
    raise Refused(
        t(
            "{number} drives match {criteria}, but exactly one must match: {known:semicolons}.",
            criteria=criteria,
            number=len(found) or t("No"),
            known=known,
        )
    )


def matches(match: Match, drive: Drive) -> bool:
    """Return True if the drive meets all given criteria. Unknown values do not match."""
    wanted_bytes = 0 if match.size is None else parse_size(match.size)
    return (
        match.path in (None, drive.path, *drive.by_id)
        and (match.model is None or bool(drive.model and fnmatchcase(drive.model, match.model)))
        and match.serial in (None, drive.serial)
        and match.bus in (None, drive.bus)
        and (
            match.size is None
            or (
                drive.size_bytes is not None
                and abs(drive.size_bytes - wanted_bytes) * SIZE_TOLERANCE < wanted_bytes
            )
        )
    )


def wanted_of(plan: Plan) -> WantedDrive:
    """Return the entry that creates the same on a blank drive. Raises BadInput if the plan keeps partitions,
    or if `ensure` cannot create the volumes."""
    stripe, after = plan.stripe, plan.after
    if plan.part or any(slot.kept for slot in after.partitions):
        raise BadInput(t("The plan preserves existing partitions, but `ensure` describes whole drives."))
    if after.whole is not None or after.table not in ("gpt", "mbr"):
        raise BadInput(NO_TABLE(drive=plan.drive))
    if plan.takes_passphrase:
        raise BadInput(NEEDS_KEY)
    matches = tuple(match_of(member.drive) for member in plan.members)
    return WantedDrive(
        matches[0],
        tuple(volume_entry(volume, size) for volume, size in zip(plan.volumes, _sizes(plan), strict=True)),
        name=plan.volumes[0].label,
        also=matches[1:],
        mirror=stripe.kind if stripe and stripe.mirrors else None,
        stripe=stripe.kind if stripe and not stripe.mirrors else None,
        table="gpt" if after.table == "gpt" else "mbr",
        lvm=plan.group is not None,
    )


def match_of(drive: Drive | Identity) -> Match:
    """Return the serial number of a drive, or a path if it has none of its own."""
    if drive.serial and drive.token == drive.serial:
        return Match(serial=drive.serial)
    return Match(path=drive.by_id[0] if drive.by_id else drive.path)


def _sizes(plan: Plan) -> list[str | None]:
    """Return each size. The last volume uses the rest if the free space behind it is only for alignment."""
    if plan.stripe is not None:
        return [None]
    sizes, last = [*volume_sizes(plan).values()], plan.after.partitions[-1]
    left = plan.drive.size_bytes - last.end_bytes
    if plan.group is not None:
        left += group_room_bytes(last.size_bytes) - sum(sizes)
    is_full = left <= 2 * plan.drive.geometry.grain_bytes
    return [
        *map(volume_request.size_text, sizes[:-1]),
        volume_request.REST if is_full else volume_request.size_text(sizes[-1]),
    ]


def volume_entry(volume: layout.Volume, size: str | None) -> WantedVolume:
    """Return the keys for a volume of this size."""
    role, mounts, writer = role_of(volume), MADE[volume.filesystem].mounts, volume.writer
    writers = {"person": writer.name, "group": f"{GROUP}{writer.name}"}
    return WantedVolume(
        workload=None if role and volume.workload == SYSTEM_WORKLOAD else volume.workload,
        role=role.name if role else None,
        size=size,
        label=volume.label or None,
        mount=volume.mount_point or (layout.NO_PLACE if mounts else None),
        writable=None if role or not mounts else writers.get(writer.kind, writer.kind),
        fs=volume.filesystem,
        encrypt=volume_request.ENCRYPTIONS[0] if volume.encryption else None,
        key=volume.encryption.key if volume.encryption else None,
        option=tuple(one.id for one in _asked_options(volume) if not _is_withheld(one, volume)),
        subvolume=tuple(map(subvolume_written, volume.subvolumes)),
    )


def likely_workload(filesystem: str, label: str | None) -> str:
    """Return the first workload with this label, or else the one that ranks the filesystem highest."""
    places = list(Rank)

    def distance(profile: workloads.Profile) -> tuple[bool, int]:
        ranked = (one.place for one in profile.usual.choices if one.filesystem == filesystem)
        return profile.workload.label != label, min(map(places.index, ranked))

    usable = (one for one in workloads.load_workloads() if not (one.root or one.solid_state))
    return min(usable, key=distance).workload.id


def _asked_options(volume: layout.Volume) -> list[catalogue.CatalogueOption]:
    profile = workloads.find_workload(volume.workload)
    (usual,) = (one for one in profile.usual.choices if one.filesystem == volume.filesystem)
    known = {one.id for one in (*usual.mkfs, *usual.mount)}
    there = _flags(volume.mkfs_options) | {*volume.mount_options}
    return [
        one
        for one in catalogue.load_catalogue().values()
        if one.kind in (catalogue.OptionKind.MKFS, catalogue.OptionKind.MOUNT)
        and volume.filesystem in one.filesystems
        and not one.always
        and one.id not in known
        and (_flags(one.text.split()) if one.kind is catalogue.OptionKind.MKFS else {*one.text.split(",")})
        <= there
    ]


def _flags(words: Sequence[str]) -> set[str]:
    """Split words of mkfs: `-O a,b` is `-O`, `-O a` and `-O b`."""
    found, flag = set(), ""
    for word in words:
        flag = word if word.startswith("-") else flag
        found |= {flag} if word == flag else {f"{flag} {value}" for value in word.split(",")}
    return found


def _is_withheld(option: catalogue.CatalogueOption, volume: layout.Volume) -> bool:
    """Return True if an option is not exported: it endangers data, or only its role includes it."""
    role = role_of(volume)
    return option.danger or (role is not None and option.id in role.options)


def wanted_lacks(plan: Plan) -> Iterator[Message]:
    """Describe the options of a plan that its entry does not include."""
    for volume in plan.volumes:
        if options := tuple(one.id for one in _asked_options(volume) if _is_withheld(one, volume)):
            yield t(
                "Not written: the options {options:row} of the {filesystem} on {device}.",
                options=options,
                filesystem=volume.filesystem,
                device=volume,
            )


def wanted_toml(drive: WantedDrive, notes: Sequence[str] = ()) -> str:
    """Format an entry as a document. `notes`: comments above the entry."""
    given = to_builtins(drive)
    volumes = given.pop("volume")
    lines = [f'schema = "{SCHEMA}"', "", *(f"# {note}" for note in notes), "[[drive]]", *_pairs(given, " = ")]
    for volume in volumes:
        lines += ["", "[[drive.volume]]", *_pairs(volume, " = ")]
    return "\n".join((*lines, ""))


def wanted_task(drive: WantedDrive, notes: Sequence[str] = ()) -> str:
    """Format an entry as a task for the Ansible module."""
    given = to_builtins(drive)
    volumes = given.pop("volume")
    entry = [*_pairs(given, ": "), "volume:"]
    for volume in volumes:
        entry += [f"  {'  ' if at else '- '}{line}" for at, line in enumerate(_pairs(volume, ": "))]
    lines = [
        f"- name: {_inline(f'Drive {drive.name}', ': ')}",
        "  become: true",
        "  diskwright.storage.drives:",
        "    drives:",
        *(f"      # {note}" for note in notes),
        *(f"      {'  ' if at else '- '}{line}" for at, line in enumerate(entry)),
    ]
    return "\n".join((*lines, ""))


def _pairs(table: dict[str, Any], sign: str) -> Iterator[str]:
    for name, value in table.items():
        yield f"{name}{sign}{_inline(value, sign)}"


def _inline(value: Any, sign: str) -> str:  # noqa: ANN401
    """Format a value for TOML, or YAML with another `sign`. JSON strings are valid in both, except DEL."""
    if isinstance(value, dict):
        return f"{{ {', '.join(_pairs(value, sign))} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_inline(one, sign) for one in value)}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
