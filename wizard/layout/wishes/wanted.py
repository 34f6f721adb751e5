"""From a request to a wish: the filesystem that is advised for it, or that its role calls for, with the
options that were asked for."""

from collections.abc import Sequence
from dataclasses import replace

from wizard.advise.advise import advise, site_of
from wizard.advise.asked import take_options
from wizard.advise.catalogue import Site, load_catalogue
from wizard.advise.workloads import Profile, find_workload
from wizard.filesystems.registry import MADE
from wizard.layout.wishes.roles import ROLES, Role, is_systems, usual_bytes
from wizard.layout.wishes.wish import Request, Wish
from wizard.model.advice import Advice, Choice, Option, Place, Workload
from wizard.model.errors import BadInput, Refused
from wizard.model.finding import Recording
from wizard.model.machine import Drive, Machine
from wizard.model.names import printable
from wizard.model.said import Said, t


def wish_of(
    machine: Machine, drive: Drive, recording: Recording, asked: Request, phrases: Sequence[str] = ()
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


def _size_bytes(asked: Request, machine: Machine) -> int | None:
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
            "No filesystem that suits {workload} can be made on {drive}. {reasons:row}",
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
        else replace(choice, place=Place.CHOSEN, sentence=role.why, evidence=(), ranked=True)
        for choice in found
        if choice.filesystem == role.usual
    ]
    others = [choice for choice in found if choice.filesystem != role.usual]
    if usual:
        others = [
            replace(choice, place=Place.SECOND) if choice.place is Place.CHOSEN else choice
            for choice in others
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
                    "There is no filesystem '{filesystem}' to choose; there are {known:list}.",
                    filesystem=printable(filesystem, 30),
                    known=known,
                )
            )
        )
    return choice


def wish_with_options(
    choice: Choice,
    profile: Profile,
    asked: Request,
    site: Site,
    phrases: Sequence[str],
    size_bytes: int | None,
) -> Wish:
    """The wish for a choice, with the options that were asked for."""
    doubts: tuple[Said | str, ...] = ()
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
