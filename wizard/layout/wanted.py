"""From a request to a wish: the filesystem that is advised for it, or that its role calls for, with the options that were asked for."""

from collections.abc import Sequence
from dataclasses import replace

from wizard.advise.advise import advise, site_of
from wizard.advise.asked import take_options
from wizard.advise.catalogue import Site, load_catalogue
from wizard.advise.workloads import Profile, find_workload
from wizard.layout.roles import ROLES, Role
from wizard.layout.swapsize import swap_bytes
from wizard.layout.wish import Request, Wish
from wizard.model.advice import Advice, Choice, Place
from wizard.model.errors import BadInput, Refused
from wizard.model.finding import Recording
from wizard.model.machine import Drive, Machine
from wizard.model.names import printable


def wish_of(machine: Machine, drive: Drive, recording: Recording, asked: Request, phrases: Sequence[str] = ()) -> Wish:
    """A request with the filesystem that is advised for it, or the one that was named, and the options that were asked for.

    `phrases` are the dangers that were typed back. Raises Refused where no filesystem can be made, or an option must not be had.
    """
    profile = find_workload(asked.workload)
    role = ROLES.get(asked.role)
    size_bytes = _size_bytes(asked, machine)
    room = size_bytes if asked.percent is None or drive.size_bytes is None else drive.size_bytes * asked.percent // 100
    advice = advise(machine, drive, recording, profile, size_bytes=room)
    if asked.filesystem is not None:
        choice = named_choice(advice, asked.filesystem)
    elif role is not None:
        choice = role_choice(advice, role)
    else:
        choice = _advised(advice)
    site = site_of(machine, drive, recording, profile, room)
    wish = wish_with_options(choice, profile, asked, site, phrases, size_bytes)
    return replace(wish, percent=asked.percent, role=asked.role)


def _size_bytes(asked: Request, machine: Machine) -> int | None:
    """The size that was asked for, or the role's usual one where none was; None for a share or the rest."""
    if asked.size_bytes is not None or asked.percent is not None or asked.rest:
        return asked.size_bytes
    return usual_bytes(asked.role, machine.memory_bytes)


def usual_bytes(role: str, memory_bytes: int | None) -> int | None:
    """The size that a volume with this role usually has; None for one that takes what is left, or has no role."""
    if role == "swap":
        return swap_bytes(memory_bytes)
    return ROLES[role].usual_bytes if role in ROLES else None


def _advised(advice: Advice) -> Choice:
    if advice.chosen is None:
        reasons = " ".join(f"{other.filesystem}: {' '.join(other.obstacles)}" for other in advice.choices)
        raise Refused(f"No filesystem can be made on {advice.drive}. {reasons}")
    return advice.chosen


def role_choice(advice: Advice, role: Role) -> Choice:
    """The filesystem that the role calls for, or else the first of the ranking that can have the role."""
    if role.usual:
        choice = named_choice(advice, role.usual)
        return choice if choice.obstacles else replace(choice, place=Place.CHOSEN, sentence=role.why, evidence=(), ranked=True)
    able = (choice for choice in advice.choices if choice.filesystem in role.filesystems and not choice.obstacles)
    return next(able, None) or _advised(advice)


def named_choice(advice: Advice, filesystem: str) -> Choice:
    """The choice for a filesystem that was named; raises BadInput where there is none of that name."""
    choice = advice.choice(filesystem)
    if choice is None:
        known = ", ".join(other.filesystem for other in advice.choices)
        raise BadInput(f"There is no filesystem {printable(filesystem, 30)!r} to choose; there are {known}.")
    return choice


def wish_with_options(choice: Choice, profile: Profile, asked: Request, site: Site, phrases: Sequence[str], size_bytes: int | None) -> Wish:
    """The wish for a choice, with the options that were asked for."""
    doubts: tuple[str, ...] = ()
    if asked.options:
        taken = take_options(choice, asked.options, phrases, site, load_catalogue(), profile.workload.id)
        choice, doubts = taken.choice, taken.doubts
    wish = Wish(choice, profile.workload, size_bytes, asked.label, asked.mount_point, doubts, subvolumes=asked.subvolumes)
    return replace(wish, encrypted=asked.encrypt is not None)
