"""Parse and check requests for volumes, from command-line words to planner input."""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from wizard.filesystems.registry import MADE, not_made_because
from wizard.model import layout
from wizard.model.advice import Choice, Workload
from wizard.model.ensure import WantedVolume
from wizard.model.errors import BadInput, FrozenStruct, why_not
from wizard.model.said import Message, Sentence, format_capacity, format_exact, parse_size, t
from wizard.operations import rules
from wizard.operations.mounts import SUBVOLUME
from wizard.plan.request import roles

VOLUME_FAULT = Sentence("The volume '{label}' {fault}.")

REST = "rest"
SHORTEST_LABEL = min(kind.label_bytes for kind in MADE.values())
"""Maximum label length that every supported filesystem accepts."""

KEYS = WantedVolume.__struct_fields__
ENCRYPTIONS = ("luks2",)
EXAMPLE = "workload=large-media,size=500G,label=media,mount=/srv/media"


class VolumeSpec(FrozenStruct):
    """A requested volume. `size_bytes`: None means all remaining space. `label`: None means the workload's
    default. `mount_point`: None means not mounted.

    `doubts`: sentences on options chosen against the recommendation, repeated in the plan. `percent`: share
    of the usable space (1 to 100) instead of `size_bytes`. `role`: role in a system, or empty. `writer`: who
    may write. `key`: key file of an encrypted volume, empty for a passphrase. `names` and `phrases`: ids of
    the options added to `choice`, and confirmations typed for them.
    """

    choice: Choice
    workload: Workload
    size_bytes: int | None
    label: str | None
    mount_point: str | None
    doubts: tuple[Message | str, ...] = ()
    percent: int | None = None
    role: str = ""
    encrypted: bool = False
    subvolumes: tuple[layout.Subvolume, ...] = ()
    writer: layout.Writer = layout.ROOT
    key: str = ""
    names: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()

    @property
    def takes_rest(self) -> bool:
        """True if the volume uses all remaining space."""
        return self.size_bytes is None and self.percent is None

    @property
    def own_label(self) -> str:
        """Default label of the role, or else of the workload."""
        return roles.ROLES[self.role].label if self.role in roles.ROLES else self.workload.label

    @property
    def final_label(self) -> str:
        """Label as written by the filesystem. A default label is cut to the maximum length."""
        kind = MADE[self.choice.filesystem]
        return kind.fit_label(self.own_label[: kind.label_bytes] if self.label is None else self.label)


def places_of(*volumes: layout.Volume | VolumeSpec) -> tuple[str, ...]:
    """Return the mount points of volumes, planned or requested, each before those of its subvolumes."""
    return tuple(
        place
        for volume in volumes
        for place in (volume.mount_point, *(one.mount_point for one in volume.subvolumes))
        if place
    )


UNKNOWN = Sentence("Unknown {what} '{value}'. Choose one of {known:list}.")


def parse_volume(text: str) -> WantedVolume:
    """Parse a `--volume` argument of `key=value` pairs in any order. Raises BadInput for unknown, duplicate
    or invalid ones.

    Only `option` and `subvolume` may occur more than once.
    """
    values: dict[str, str] = {}
    several: dict[str, tuple[str, ...]] = {"option": (), "subvolume": ()}
    for piece in text.split(","):
        key, equals, value = piece.partition("=")
        key = key.strip()
        if not equals:
            no_pair = Sentence(
                "--volume '{volume}': '{piece}' is not a key=value pair. Example: --volume {example}."
            )
            raise BadInput(no_pair(volume=text, piece=piece, example=EXAMPLE))
        if key not in KEYS:
            raise BadInput(UNKNOWN(what="key", value=key, known=KEYS))
        if key in several:
            several[key] += (value,)
        elif key in values:
            raise BadInput(t("--volume '{volume}' sets {key} twice.", volume=text, key=key))
        else:
            values[key] = value
    asked = WantedVolume(**values, option=several["option"], subvolume=several["subvolume"])
    if fault := why_not(check_volume, asked):
        raise BadInput(t("--volume '{volume}': {why}", volume=text, why=fault))
    return asked


def check_volume(asked: WantedVolume) -> None:
    """Raises BadInput for invalid values."""
    role, encrypt, mount = asked.role, asked.encrypt, asked.mount
    if role is not None and role not in roles.ROLES:
        raise BadInput(UNKNOWN(what="role", value=role, known=tuple(roles.ROLES)))
    if asked.workload is None and role is None:
        raise BadInput(t("A volume lacks a workload. Run `diskwright workloads` for a list."))
    if encrypt is not None and encrypt not in ENCRYPTIONS:
        raise BadInput(UNKNOWN(what="encrypt", value=encrypt, known=ENCRYPTIONS))
    if asked.key is not None and (fault := roles.key_fault(asked.key, encrypts=encrypt is not None)):
        raise BadInput(roles.KEY(fault=fault))
    parse_share(asked.size)
    if mount not in (None, layout.NO_PLACE) and (fault := rules.mount_point_fault(mount)):
        raise BadInput(rules.NAME_PLACE(place=mount, fault=fault))
    for subvolume in asked.subvolume:
        parse_subvolume(subvolume)


def parse_share(text: str | None) -> tuple[int | None, int | None]:
    """Parse `500G`, `30%` or `rest` into bytes or percent, or neither for `rest` and None. Raises BadInput
    for an invalid size."""
    text = REST if text is None else text.strip()
    if text.lower() == REST:
        return None, None
    if not text.endswith("%"):
        size_bytes = parse_size(text)
        if size_bytes <= 0:
            raise BadInput(
                t(
                    "A volume of '{size}' has no space. Use a size such as 500G, or {rest} for "
                    "all remaining space.",
                    size=text,
                    rest=REST,
                )
            )
        return size_bytes, None
    digits = text[:-1].strip()
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 4 and 1 <= int(digits) <= 100):
        raise BadInput(
            t(
                "'{share}' is not a valid share. Use a whole number from 1 to 100 with %, such as 30%.",
                share=text,
            )
        )
    return None, int(digits)


def size_words(spec: VolumeSpec, made_bytes: int | None) -> str:
    """Return the requested size. For a share or the rest, return the actual size if known from a plan."""
    if size := spec.size_bytes or made_bytes:
        return format_capacity(size)
    return str(t("the rest")) if spec.percent is None else f"{spec.percent} %"


def more_words(spec: VolumeSpec) -> tuple[str, ...]:
    """Return further properties of a volume besides workload, filesystem, size, label and mount point."""
    names = tuple(one.name for one in spec.subvolumes)
    encrypted = (str(t("encrypted")),) if spec.encrypted else ()
    return (*encrypted, str(t("subvolumes {names:list}", names=names))) if names else encrypted


def size_written(spec: VolumeSpec) -> str:
    """Return the size in the format of `parse_share`, empty for the rest."""
    if spec.size_bytes is not None:
        return size_text(spec.size_bytes)
    return "" if spec.percent is None else f"{spec.percent}%"


def size_text(size_bytes: int) -> str:
    """Format an exact size for `parse_size`."""
    return format_exact(size_bytes).replace(" ", "").replace("bytes", "")


LONGEST_NAME_BYTES = 255
"""Maximum length of each path component, as for file names (btrfs(5))."""
LONGEST_PATH_BYTES = 1024
MOST_SUBVOLUMES = 64

_PART = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9@_+.][A-Za-z0-9@_+.-]*")


def parse_subvolume(text: str) -> layout.Subvolume:
    """Parse `@home:/home`, or `@home` without a mount point. Raises BadInput."""
    name, colon, place = text.partition(":")
    if fault := _subvolume_name_fault(name):
        raise BadInput(t("The subvolume '{name}' {fault}; use a name such as @home.", name=name, fault=fault))
    if colon and (fault := rules.mount_point_fault(place)):
        raise BadInput(rules.NAME_PLACE(place=place, fault=fault))
    return layout.Subvolume(name, place if colon else None)


def parse_subvolumes(text: str) -> tuple[layout.Subvolume, ...]:
    """Parse several subvolumes, separated by commas. Empty text returns none."""
    return tuple(parse_subvolume(part.strip()) for part in text.split(",")) if text.strip() else ()


def subvolume_written(one: layout.Subvolume) -> str:
    """Format a subvolume for `parse_subvolume`."""
    return one.name if one.mount_point is None else f"{one.name}:{one.mount_point}"


def subvolume_option(name: str) -> str:
    """Return the mount option for a subvolume, by path from the top level (btrfs(5))."""
    return f"{SUBVOLUME}{name}"


def _subvolume_name_fault(name: str) -> Message | None:
    """Return why a subvolume name is not valid, as the end of a sentence, or None. Only characters without
    special meaning in fstab and mount(8) are allowed."""
    parts = name.split("/")
    if any(not _PART.fullmatch(part) for part in parts):
        return t(
            "is invalid: only letters, digits and @ _ + . -, and no part may be empty, . or .., or begin "
            "with a hyphen"
        )
    if len(name) > LONGEST_PATH_BYTES or any(len(part) > LONGEST_NAME_BYTES for part in parts):
        return rules.TOO_LONG
    return None


def _subvolumes_fault(subvolumes: Sequence[layout.Subvolume], filesystem: str) -> Message | None:
    """Return why a volume with this filesystem cannot have these subvolumes, as the end of a sentence about
    the volume, or None."""
    if not subvolumes:
        return None
    if not MADE[filesystem].subvolumes:
        return t("cannot have subvolumes: {filesystem} does not support them", filesystem=filesystem)
    if len(subvolumes) > MOST_SUBVOLUMES:
        return t(
            "has {subvolumes} subvolumes; the maximum is {most}",
            subvolumes=len(subvolumes),
            most=MOST_SUBVOLUMES,
        )
    before: set[str] = set()
    for one in subvolumes:
        shown = one.name
        if fault := _subvolume_name_fault(one.name):
            return t("has the subvolume '{name}', which {fault}", name=shown, fault=fault)
        if one.name in before:
            return t("has the subvolume '{name}' twice", name=shown)
        above = one.name.rpartition("/")[0]
        if above and above not in before:
            return t(
                "has the subvolume '{name}' within '{above}', which is not an earlier subvolume",
                name=shown,
                above=above,
            )
        if one.mount_point is not None and (fault := rules.mount_point_fault(one.mount_point)):
            return t("has the subvolume '{name}', which {fault}", name=subvolume_written(one), fault=fault)
        before.add(one.name)
    return None


def with_unique_labels(specs: tuple[VolumeSpec, ...]) -> tuple[VolumeSpec, ...]:
    """Return the requests with unique labels. Default labels that are already in use are numbered."""
    used = {spec.final_label for spec in specs if spec.label is not None}
    named = []
    for spec in specs:
        label, number = spec.final_label, 2
        while spec.label is None and label in used:
            own = replace(spec, label=f"{spec.own_label[: SHORTEST_LABEL - len(str(number))]}{number}")
            label, number = own.final_label, number + 1
        used.add(label)
        named.append(replace(spec, label=label))
    return tuple(named)


def volume_faults(
    volume: layout.Volume, *, encrypted: bool, alone: bool = True
) -> Iterator[tuple[str, Message | str]]:
    """Yield each field of a planned volume that breaks a rule, with a sentence. `alone`: the volume has its
    own partition."""
    label, filesystem = volume.label, volume.filesystem
    if filesystem not in MADE:
        yield "filesystem", not_made_because(filesystem)
        return
    if fault := rules.label_fault(label, filesystem):
        invalid = Sentence("The label '{label}' {fault}; use a shorter or simpler label.")
        yield "label", invalid(label=label, fault=fault)
    if volume.mount_point is not None and (place := rules.place_fault(volume.mount_point, filesystem)):
        yield "mount_point", rules.NAME_PLACE(place=volume.mount_point, fault=place)
    if why := _subvolumes_fault(volume.subvolumes, filesystem):
        yield "subvolumes", VOLUME_FAULT(label=label, fault=why)
    if why := roles.volume_role_fault(volume, encrypted=encrypted, alone=alone):
        yield "role", VOLUME_FAULT(label=label, fault=why)
    fault = rules.mkfs_options_fault(filesystem, volume.mkfs_options)
    if volume.mount_options and not MADE[filesystem].mounts:
        fault = rules.NOT_PASSED(option=volume.mount_options[0], tool="mount")
    if fault := fault or rules.mount_options_fault(volume.mount_options):
        unusable = Sentence("Cannot use the options recommended for {filesystem}: {fault}.")
        yield "mkfs_options", unusable(filesystem=filesystem, fault=fault)


def check_specs(specs: tuple[VolumeSpec, ...]) -> None:
    """Raises BadInput for contradictory requests."""
    if not specs:
        raise BadInput(t("No volume was requested. Specify a workload."))
    if (total := sum(spec.percent or 0 for spec in specs)) > 100:
        more = Sentence("The volumes together request {total} % of the space, but only 100 % is available.")
        raise BadInput(more(total=total))
    if sum(spec.takes_rest for spec in specs) > 1:
        raise BadInput(t("Only one volume can use all remaining space. Set a size for the others."))
    for role in roles.ROLES.values():
        if role.read_at_start and sum(spec.role == role.name for spec in specs) > 1:
            only = Sentence("A drive can have only one {role}. Change the role of a volume.")
            raise BadInput(only(role=role.title))
    if unordered := mount_order_fault(places_of(*specs)):
        raise BadInput(unordered)


def mount_order_fault(mount_points: tuple[str, ...]) -> Message | None:
    """Return a sentence if two volumes have the same mount point, or a later one would hide an earlier one,
    else None."""
    places = [place for place in mount_points if place != layout.NO_PLACE]
    for index, later in enumerate(places):
        for earlier in places[:index]:
            if later == earlier:
                return t("Two volumes have the mount point {place}. Change one of them.", place=later)
            if earlier.startswith(later + "/"):
                return t(
                    "A volume at {later} would hide the volume at {earlier}. List {later} first.",
                    later=later,
                    earlier=earlier,
                )
    return None
