"""Plan the requests of a command: resolve filesystems by advice or role, options, writers and places."""

from collections.abc import Sequence

from msgspec.structs import replace

from wizard.advice.catalogue import load_catalogue
from wizard.advice.missing import for_files, lacking
from wizard.advice.request import take_options
from wizard.advice.workloads import find_workload
from wizard.filesystems.registry import MADE
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.advice import Advice, Choice, Option, Rank
from wizard.model.ensure import WantedVolume
from wizard.model.errors import BadInput, Refused
from wizard.model.finding import Recording
from wizard.model.machine import Drive, Machine
from wizard.model.said import GIB, Message, Sentence, t
from wizard.plan.raid.striping import FILESYSTEMS, room_bytes
from wizard.plan.request import roles, using
from wizard.plan.request.plan_request import NewVolumes, Request
from wizard.plan.request.volume_request import (
    REST,
    UNKNOWN,
    VolumeSpec,
    parse_share,
    parse_subvolume,
    size_text,
)
from wizard.probe.host.environment import writer_named

NONE = Sentence("No filesystem suitable for {workload} can be created on {drive}:{reasons:lines}")
WHY_NOT = Sentence("{filesystem}: {why}")


def with_volumes(
    machine: Machine,
    drives: Sequence[Drive],
    request: Request,
    volumes: Sequence[WantedVolume],
    usual: using.Usual = using.NO_USUAL,
    phrases: Sequence[str] = (),
) -> Request:
    """Add volumes to a request. `usual`: defaults for missing values. `phrases`: confirmations typed. Raises
    as `spec_of` and `with_usual_place` do, and BadInput for an unknown writer."""
    if not isinstance(request, NewVolumes):
        return request
    recording = diagnose(machine, drives[0], load_patterns()).recording
    specs, stripe, part = tuple[VolumeSpec, ...](), request.arrangement.stripe, request.part
    for asked in volumes:
        wanted, room, possible = asked, None, tuple[str, ...]()
        if stripe:
            wanted, possible = replace(asked, size=REST, role=None), FILESYSTEMS[stripe.kind]
            sizes = [drive.size_bytes or 0 for drive in drives]
            room = room_bytes(stripe.kind, stripe.level, sizes) or None
        elif part:
            wanted, room = replace(asked, size=asked.size or REST), part.size_bytes
        spec = spec_of(machine, drives[0], recording, wanted, phrases, room, possible)
        writer = None if asked.writable is None else writer_named(asked.writable)
        specs += (using.with_usual_place(spec, drives[0], usual, specs, writer=writer),)
    return replace(request, specs=specs)


def spec_of(
    machine: Machine,
    drive: Drive,
    recording: Recording,
    asked: WantedVolume,
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

    profile = find_workload(roles.SYSTEM_WORKLOAD if asked.workload is None else asked.workload)
    role, (size_bytes, percent) = asked.role or "", parse_share(asked.size)
    if asked.size is None:
        size_bytes = roles.usual_bytes(role, machine.memory_bytes)
    if room is None:
        room = size_bytes if percent is None else (drive.size_bytes or 0) * percent // 100 or None
    advice = advise(machine, drive, recording, profile, size_bytes=room)
    if asked.fs is not None:
        known = {one.filesystem: one for one in advice.choices}
        if asked.fs not in known:
            raise BadInput(UNKNOWN(what="filesystem", value=asked.fs, known=tuple(known)))
        choice = known[asked.fs]
    elif role in roles.ROLES and not possible:
        choices = advice_in_role(advice, role).choices
        choice = next((one for one in choices if not one.obstacles), choices[0])
    else:
        choice = choice_on(advice, machine, possible)
    site = site_of(machine, drive, recording, profile, room)
    site = replace(site, root=site.root or bool(role))
    doubts: tuple[Message | str, ...] = ()
    if asked.option:
        taken = take_options(choice, asked.option, phrases, site, load_catalogue(), profile.workload.id)
        choice, doubts = taken.choice, taken.doubts
    return VolumeSpec(
        choice,
        profile.workload,
        size_bytes,
        asked.label,
        asked.mount,
        doubts,
        percent=percent,
        role=role,
        encrypted=asked.encrypt is not None,
        subvolumes=tuple(map(parse_subvolume, asked.subvolume)),
        key=asked.key or "",
    )


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


def desktop_requests(room_bytes: int, memory_bytes: int | None) -> tuple[WantedVolume, ...]:
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
        WantedVolume(role=role, size=REST if size is None else size_text(size))
        for role, size in sizes.items()
    )


def written(asked: WantedVolume) -> str:
    """Return a request for a role in `--volume` format."""
    return f"role={asked.role},size={asked.size}"
