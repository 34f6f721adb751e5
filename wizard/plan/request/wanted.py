"""Resolve a request to a filesystem by advice or role, with the requested options."""

from collections.abc import Sequence

from msgspec.structs import replace

from wizard.advice.catalogue import load_catalogue
from wizard.advice.missing import for_files, lacking
from wizard.advice.request import take_options
from wizard.advice.workloads import find_workload
from wizard.filesystems.registry import MADE
from wizard.model.advice import Advice, Choice, Option, Rank
from wizard.model.errors import BadInput, Refused
from wizard.model.finding import Recording
from wizard.model.layout import Volume
from wizard.model.machine import Drive, Machine
from wizard.model.said import GIB, Message, Sentence, t
from wizard.plan.request import roles
from wizard.plan.request.volume_request import REST, UNKNOWN, VolumeRequest, VolumeSpec, size_text

NONE = Sentence("No filesystem suitable for {workload} can be created on {drive}:{reasons:lines}")
WHY_NOT = Sentence("{filesystem}: {why}")


def spec_of(
    machine: Machine,
    drive: Drive,
    recording: Recording,
    asked: VolumeRequest,
    phrases: Sequence[str] = (),
    room: int | None = None,
    possible: Sequence[str] = (),
) -> VolumeSpec:
    """Resolve a request to the recommended or named filesystem, with the requested options.

    `phrases`: confirmations typed. `room`: size of the volume in bytes if it is not the requested one.
    `possible`: filesystems to choose from, if limited. Raises Refused if no filesystem is possible, or an
    option is not allowed.
    """
    from wizard.advice.ranking import advise, site_of

    profile = find_workload(asked.workload)
    size_bytes = _size_bytes(asked, machine)
    if room is None:
        room = (
            size_bytes
            if asked.percent is None or drive.size_bytes is None
            else drive.size_bytes * asked.percent // 100
        )
    advice = advise(machine, drive, recording, profile, size_bytes=room)
    if asked.filesystem is not None:
        known = {one.filesystem: one for one in advice.choices}
        if asked.filesystem not in known:
            raise BadInput(UNKNOWN(what="filesystem", value=asked.filesystem, known=tuple(known)))
        choice = known[asked.filesystem]
    elif asked.role in roles.ROLES and not possible:
        choices = advice_in_role(advice, asked.role).choices
        choice = next((one for one in choices if not one.obstacles), choices[0])
    else:
        choice = choice_on(advice, machine, possible)
    site = site_of(machine, drive, recording, profile, room)
    site = replace(site, root=site.root or bool(asked.role))
    doubts: tuple[Message | str, ...] = ()
    if asked.options:
        taken = take_options(choice, asked.options, phrases, site, load_catalogue(), profile.workload.id)
        choice, doubts = taken.choice, taken.doubts
    return VolumeSpec(
        choice,
        profile.workload,
        size_bytes,
        asked.label,
        asked.mount_point,
        doubts,
        percent=asked.percent,
        role=asked.role,
        encrypted=asked.encrypt is not None,
        subvolumes=asked.subvolumes,
        key=asked.key,
    )


def _size_bytes(asked: VolumeRequest, machine: Machine) -> int | None:
    """Return the requested size, or the role's default. None for a share or the rest."""
    if asked.size_bytes is not None or asked.percent is not None or asked.rest:
        return asked.size_bytes
    return roles.usual_bytes(asked.role, machine.memory_bytes)


def choice_on(advice: Advice, machine: Machine, possible: Sequence[str] = ()) -> Choice:
    """Return the recommended filesystem, or the best of those `possible` on several drives. Raises Refused if
    none can be created."""
    choices, chosen = for_files(advice.choices), advice.chosen
    if possible:
        choices = tuple(choice for choice in advice.choices if choice.filesystem in possible)
        chosen = next((choice for choice in choices if not choice.obstacles), None)
    if chosen is None:
        reasons = []
        for choice in choices:
            # A missing program only if nothing else is in the way.
            absent = lacking(machine, MADE[choice.filesystem].makers)
            others = (one for one in choice.obstacles if absent is None or one != str(absent.said))
            if why := next(others, next(iter(choice.obstacles), "")):
                reasons.append(WHY_NOT(filesystem=choice.filesystem, why=why))
        raise Refused(NONE(workload=advice.workload.id, drive=advice.drive, reasons=tuple(reasons)))
    return chosen


def advice_in_role(advice: Advice, role: str) -> Advice:
    """Return the advice for a volume with this role (empty for none), restricted to suitable filesystems."""
    if role not in roles.ROLES:
        return advice
    about = roles.ROLES[role]
    suited = [
        _with_options(choice, about) for choice in advice.choices if choice.filesystem in about.filesystems
    ]
    usual = [
        choice
        if choice.obstacles
        else replace(choice, place=Rank.RECOMMENDED, sentence=about.why, evidence=(), ranked=True)
        for choice in suited
        if choice.filesystem == about.usual
    ]
    others = [
        replace(choice, place=Rank.ALTERNATIVE) if usual and choice.place is Rank.RECOMMENDED else choice
        for choice in suited
        if choice.filesystem != about.usual
    ]
    return replace(advice, choices=(*usual, *others), unmade=())


def _with_options(choice: Choice, role: roles.Role) -> Choice:
    if choice.obstacles or not role.options:
        return choice
    known = map(load_catalogue().__getitem__, role.options)
    existing = {option.text for option in choice.mkfs}
    added = {
        one.text: Option(one.text, one.why, one.risk)
        for one in known
        if choice.filesystem in one.filesystems and one.text not in existing
    }
    withheld = tuple(one for one in choice.withheld if one.text not in added)
    return replace(choice, mkfs=(*choice.mkfs, *added.values()), withheld=withheld)


PRESETS = ("desktop",)

LEAST_SYSTEM_BYTES = 10 * 1000**3
"""Minimum root volume, from the desktop with the lowest requirements (Debian 12)."""

LEAST_ROOM_BYTES = 24 * GIB
"""Including EFI system partition and swap. Desktops require 10 GB (Debian 12) to 25 GB (Ubuntu 24.04) to
install, and grow afterwards."""

LEAST_SPLIT_BYTES = 64 * GIB
"""On smaller drives, a separate home volume would leave too little space for both."""

ROOT_SHARE = 4
LEAST_ROOT_BYTES, MOST_ROOT_BYTES = 32 * GIB, 96 * GIB
"""A system with the programs rarely uses more than the maximum. Between the limits, root gets a quarter of
the space."""


def room_for_preset(drive: Drive, *, preserve: bool) -> int:
    """Return the bytes available to a preset: the whole drive, or the largest free range if partitions are
    preserved."""
    if not preserve or drive.is_empty:
        return drive.size_bytes or 0
    return max((extent.size_bytes for extent in drive.free), default=0)


def desktop_requests(room_bytes: int, memory_bytes: int | None) -> tuple[VolumeRequest, ...]:
    """Return EFI system partition, swap, root, and home if there is enough space. Raises BadInput if there is
    too little.

    No boot partition, because current boot loaders read the root volume.
    """
    if room_bytes < LEAST_ROOM_BYTES:
        raise BadInput(
            t(
                "A desktop needs {least:size}, but only {room:size} is available. For "
                "smaller volumes, request them one by one, with a role each.",
                least=LEAST_ROOM_BYTES,
                room=room_bytes,
            )
        )
    sizes = {role: roles.usual_bytes(role, memory_bytes) for role in ("esp", "swap", "root")}
    if room_bytes >= LEAST_SPLIT_BYTES:
        share = room_bytes // ROOT_SHARE // GIB * GIB
        sizes |= {"root": min(max(share, LEAST_ROOT_BYTES), MOST_ROOT_BYTES), "home": None}
    return tuple(
        VolumeRequest(roles.SYSTEM_WORKLOAD, size, role=role, rest=size is None)
        for role, size in sizes.items()
    )


def small_systems(volumes: Sequence[Volume], sizes: Sequence[int]) -> tuple[Message, ...]:
    """Return a doubt for each volume too small for a desktop."""
    return tuple(
        t(
            "{device} has {size:size}, but a desktop system needs {least:size} (Debian 12) or more.",
            device=volume,
            size=size,
            least=LEAST_SYSTEM_BYTES,
        )
        for volume, size in zip(volumes, sizes, strict=True)
        if volume.workload == roles.SYSTEM_WORKLOAD
        and (not volume.role or volume.role.startswith("root"))
        and MADE[volume.filesystem].mounts
        and size < LEAST_SYSTEM_BYTES
    )


def written(asked: VolumeRequest) -> str:
    """Return a request with a role in `--volume` format."""
    size = REST if asked.size_bytes is None else size_text(asked.size_bytes)
    return f"role={asked.role},size={size}"
