"""Resolve a request to a filesystem by advice or role, with the requested options."""

from collections.abc import Sequence
from dataclasses import replace

from wizard.advice.catalogue import OptionSite, load_catalogue
from wizard.advice.ranking import advise, site_of
from wizard.advice.request import take_options
from wizard.advice.workloads import Profile, find_workload
from wizard.filesystems.registry import MADE
from wizard.model.advice import Advice, Choice, Option, Rank, Workload
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.finding import Recording
from wizard.model.machine import Drive, Machine
from wizard.model.plan import Volume
from wizard.model.said import GIB, Message, format_exact, t
from wizard.plan.request.roles import ROLES, SYSTEM_WORKLOAD, Role, is_systems, usual_bytes
from wizard.plan.request.volume_request import VolumeRequest, Wish


def wish_of(
    machine: Machine, drive: Drive, recording: Recording, asked: VolumeRequest, phrases: Sequence[str] = ()
) -> Wish:
    """A request with the filesystem that is advised for it, or the one that was named, and the options that
    were asked for.

    `phrases` are the dangers that were typed back. Raises Refused where no filesystem can be made, or an
    option must not be had.
    """
    profile = find_workload(asked.workload)
    role = ROLES.get(asked.role)
    size_bytes = _size_bytes(asked, machine)
    room = (
        size_bytes
        if asked.percent is None or drive.size_bytes is None
        else drive.size_bytes * asked.percent // 100
    )
    advice = advise(machine, drive, recording, profile, size_bytes=room)
    if asked.filesystem is not None:
        choice = named_choice(advice, asked.filesystem)
    elif role is not None:
        choice = role_choice(advice, role)
    else:
        choice = _advised(advice)
    site = site_of(machine, drive, recording, profile, room)
    site = replace(site, root=site.root or is_systems(asked.role))
    wish = wish_with_options(choice, profile, asked, site, phrases, size_bytes)
    return replace(wish, percent=asked.percent, role=asked.role)


def _size_bytes(asked: VolumeRequest, machine: Machine) -> int | None:
    """The size that was asked for, or the role's usual one where none was; None for a share or the rest."""
    if asked.size_bytes is not None or asked.percent is not None or asked.rest:
        return asked.size_bytes
    return usual_bytes(asked.role, machine.memory_bytes)


def _advised(advice: Advice) -> Choice:
    if advice.chosen is None:
        reasons = tuple(
            t("{filesystem}: {obstacles:row}", filesystem=other.filesystem, obstacles=other.obstacles)
            for other in advice.choices
            if other.obstacles
        )
        none = t(
            "No filesystem suitable for {workload} can be created on {drive}. {reasons:row}",
            workload=advice.workload.id,
            drive=advice.drive,
            reasons=reasons,
        )
        raise Refused(str(none))
    return advice.chosen


def role_choice(advice: Advice, role: Role) -> Choice:
    """The first filesystem that can have the role and be made; where there is none, the first that has an
    obstacle."""
    choices = role_choices(advice, role)
    return next((choice for choice in choices if not choice.obstacles), choices[0])


def role_choices(advice: Advice, role: Role) -> tuple[Choice, ...]:
    """The filesystems that can have the role, the one that it calls for first, and then as they are
    ranked."""
    found = [
        _with_options(choice, role) for choice in advice.choices if choice.filesystem in role.filesystems
    ]
    usual = [
        choice
        if choice.obstacles
        else replace(choice, place=Rank.CHOSEN, sentence=role.why, evidence=(), ranked=True)
        for choice in found
        if choice.filesystem == role.usual
    ]
    others = [choice for choice in found if choice.filesystem != role.usual]
    if usual:
        others = [
            replace(choice, place=Rank.SECOND) if choice.place is Rank.CHOSEN else choice for choice in others
        ]
    return (*usual, *others)


def advice_in_role(advice: Advice, role: str) -> Advice:
    """The advice for a volume with this role (empty for none): only of what can have it."""
    return replace(advice, choices=role_choices(advice, ROLES[role]), unmade=()) if role in ROLES else advice


def _with_options(choice: Choice, role: Role) -> Choice:
    """The choice with what goes with the role."""
    if choice.obstacles or not role.options:
        return choice
    catalogue = load_catalogue()
    wanted = [catalogue[name] for name in role.options if choice.filesystem in catalogue[name].filesystems]
    there = {option.text for option in choice.mkfs}
    added = tuple(Option(one.text, one.why, one.risk) for one in wanted if one.text not in there)
    withheld = tuple(one for one in choice.withheld if one.text not in {option.text for option in added})
    return replace(choice, mkfs=(*choice.mkfs, *added), withheld=withheld)


def in_role(
    wish: Wish, role: str, choices: Sequence[Choice], workload: Workload, memory_bytes: int | None
) -> Wish:
    """The wish with another role (empty for none), and with the filesystem and the usual size that this calls
    for.

    `choices` are those that can have the role, `workload` the purpose that stands for it. Nothing of a system
    is mounted on the running one unless that is asked for afterwards. Raises Refused where no filesystem can
    have the role here.
    """
    if role not in ROLES:
        return replace(wish, role="")
    choice = next((choice for choice in choices if not choice.obstacles), None)
    if choice is None:
        raise Refused(
            f"{ROLES[role].title}: "
            f"{' '.join(obstacle for choice in choices for obstacle in choice.obstacles)}"
        )
    size_bytes = usual_bytes(role, memory_bytes)
    changed = replace(
        wish, role=role, choice=choice, workload=workload, label=None, mount_point=None, doubts=()
    )
    if size_bytes is not None:
        changed = replace(changed, size_bytes=size_bytes, percent=None)
    if ROLES[role].read_at_start:
        changed = replace(changed, encrypted=False)
    return changed if MADE[choice.filesystem].subvolumes else replace(changed, subvolumes=())


def named_choice(advice: Advice, filesystem: str) -> Choice:
    """The choice for a filesystem that was named; raises BadInput where there is none of that name."""
    choice = advice.choice(filesystem)
    if choice is None:
        known = tuple(other.filesystem for other in advice.choices)
        raise BadInput(
            str(
                t(
                    "Unknown filesystem '{filesystem}'. Available: {known:list}.",
                    filesystem=printable(filesystem, 30),
                    known=known,
                )
            )
        )
    return choice


def wish_with_options(
    choice: Choice,
    profile: Profile,
    asked: VolumeRequest,
    site: OptionSite,
    phrases: Sequence[str],
    size_bytes: int | None,
) -> Wish:
    """The wish for a choice, with the options that were asked for."""
    doubts: tuple[Message | str, ...] = ()
    if asked.options:
        taken = take_options(choice, asked.options, phrases, site, load_catalogue(), profile.workload.id)
        choice, doubts = taken.choice, taken.doubts
    wish = Wish(
        choice,
        profile.workload,
        size_bytes,
        asked.label,
        asked.mount_point,
        doubts,
        subvolumes=asked.subvolumes,
    )
    return replace(wish, encrypted=asked.encrypt is not None, key=asked.key)


PRESETS = ("desktop",)

LEAST_SYSTEM_BYTES = 10 * 1000**3
"""Of a system's own volume: what the least demanding of today's desktops asks for (Debian 12)."""

LEAST_ROOM_BYTES = 24 * GIB
"""EFI system partition and swap included. Desktops install from 10 GB (Debian 12) to 25 GB (Ubuntu 24.04) and
grow from there."""

LEAST_SPLIT_BYTES = 64 * GIB
"""Below this a volume of its own for the home directories would leave too little on both sides."""

ROOT_SHARE = 4
LEAST_ROOT_BYTES, MOST_ROOT_BYTES = 32 * GIB, 96 * GIB
"""A system with its programs seldom fills more than the one, and never less than a quarter of the room goes
to it up to the other."""


def room_for_preset(drive: Drive, *, keep: bool) -> int:
    """The bytes that a preset divides: the whole drive, or the largest free piece where partitions stay."""
    if not keep or drive.is_empty:
        return drive.size_bytes or 0
    return max((extent.size_bytes for extent in drive.free), default=0)


def desktop_requests(room_bytes: int, memory_bytes: int | None) -> tuple[VolumeRequest, ...]:
    """EFI system partition, swap, root, and home where there is room for both. Raises BadInput where there is
    too little for any.

    There is no boot partition: the boot loaders of today read the system's own volume.
    """
    if room_bytes < LEAST_ROOM_BYTES:
        raise BadInput(
            str(
                t(
                    "A desktop needs {least:exact}, but only {room:size} is available. For "
                    "smaller volumes, request them one by one, with a role each.",
                    least=LEAST_ROOM_BYTES,
                    room=room_bytes,
                )
            )
        )
    swap = _asked("swap", usual_bytes("swap", memory_bytes))
    if room_bytes < LEAST_SPLIT_BYTES:
        return (_asked("esp"), swap, _asked("root"))
    share = room_bytes // ROOT_SHARE // GIB * GIB
    root = min(max(share, LEAST_ROOT_BYTES), MOST_ROOT_BYTES)
    return (_asked("esp"), swap, _asked("root", root), _asked("home"))


def small_systems(volumes: Sequence[Volume], sizes: Sequence[int]) -> tuple[Message, ...]:
    """A doubt for each volume on which a desktop would not fit."""
    return tuple(
        t(
            "{device} has {size:size}, but a desktop system needs {least:size} (Debian 12) or more.",
            device=volume.path,
            size=size,
            least=LEAST_SYSTEM_BYTES,
        )
        for volume, size in zip(volumes, sizes, strict=True)
        if volume.workload == SYSTEM_WORKLOAD
        and (not volume.role or volume.role.startswith("root"))
        and MADE[volume.filesystem].mounts
        and size < LEAST_SYSTEM_BYTES
    )


def _asked(role: str, size_bytes: int | None = None) -> VolumeRequest:
    size = ROLES[role].usual_bytes if size_bytes is None else size_bytes
    return VolumeRequest(ROLES[role].workload, size, role=role, rest=size is None)


def written(asked: VolumeRequest) -> str:
    """The request as `--volume` takes it, for one with a role."""
    size = "rest" if asked.size_bytes is None else format_exact(asked.size_bytes).replace(" ", "")
    return f"role={asked.role},size={size}"
