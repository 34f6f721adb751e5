"""Parse and check requests for volumes, from command-line words to planner input."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from wizard.filesystems.registry import MADE
from wizard.model.advice import Choice, Workload
from wizard.model.errors import BadInput, printable
from wizard.model.operations import ROOT, Writer
from wizard.model.plan import NO_PLACE, Subvolume
from wizard.model.said import Message, Sentence, format_capacity, format_exact, parse_size, t
from wizard.plan.dangers import systems_danger
from wizard.plan.request.roles import ROLES, key_fault, role_fault
from wizard.plan.request.subvolumes import parse_subvolume, places_of, subvolumes_fault
from wizard.plan.rules import is_workload_id, label_fault, mount_point_fault, place_fault

NAME_PLACE = Sentence("The mount point '{place}' {fault}; use a path such as /srv/data.")
VOLUME_FAULT = Sentence("The volume '{label}' {fault}.")

REST = "rest"
SHORTEST_LABEL = min(kind.label_bytes for kind in MADE.values())
"""Characters that every filesystem made here takes as a label."""

KEYS = (
    "workload",
    "role",
    "size",
    "label",
    "mount",
    "writable",
    "fs",
    "option",
    "subvolume",
    "encrypt",
    "key",
)
ENCRYPTIONS = ("luks2",)
EXAMPLE = "workload=large-media,size=500G,label=media,mount=/srv/media"


@dataclass(frozen=True, slots=True)
class Wish:
    """One volume. `size_bytes` None is all that is left; `label` None the workload's own; `mount_point` None
    mounts it nowhere.

    `doubts` are sentences on options that were asked for against advice, for the plan to repeat. `percent` (1
    to 100) of all the room that can be used stands instead of `size_bytes`. `role` is what the volume is to a
    system, empty for none. `writer` may write to it. `key` is the file that holds what opens the encrypted
    volume, empty where a person types that.
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
    subvolumes: tuple[Subvolume, ...] = ()
    writer: Writer = ROOT
    key: str = ""

    @property
    def takes_rest(self) -> bool:
        """Whether it takes all that the others leave."""
        return self.size_bytes is None and self.percent is None

    @property
    def own_label(self) -> str:
        """The label that its role, or else its workload, proposes."""
        return ROLES[self.role].label if self.role in ROLES else self.workload.label

    @property
    def title(self) -> Message | str:
        """What it is for, as a heading: its role, or else its workload."""
        return ROLES[self.role].title if self.role in ROLES else self.workload.title

    @property
    def final_label(self) -> str:
        """The label it gets, as its filesystem writes it; the proposed one is cut to what that takes."""
        kind = MADE.get(self.choice.filesystem)
        label = self.own_label[: kind.label_bytes if kind else None] if self.label is None else self.label
        return kind.fit_label(label) if kind else label


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What holds for all volumes of a drive: the kind of a new table, and whether they lie in one volume
    group of LVM's."""

    table: Literal["gpt", "mbr"] = "gpt"
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class VolumeRequest:
    """`--volume` as it was written: a wish before anything was advised. `filesystem` None takes the advised
    one.

    `options` are ids of the catalogue, asked for beside what is advised. `encrypt` is what it is to be
    encrypted by, of ENCRYPTIONS, and `key` the file that opens it, empty where a person does. With a role
    neither size nor percent is the role's usual size, unless `rest` was said. `writable` is who may write, as
    `writer_named` takes it; None leaves that, and a `mount_point` of None that, to what is usual.
    """

    workload: str
    size_bytes: int | None = None
    label: str | None = None
    mount_point: str | None = None
    filesystem: str | None = None
    options: tuple[str, ...] = ()
    subvolumes: tuple[Subvolume, ...] = ()
    encrypt: str | None = None
    percent: int | None = None
    role: str = ""
    rest: bool = False
    writable: str | None = None
    key: str = ""


def parse_volume(text: str) -> VolumeRequest:
    """A `--volume` from its `key=value` pairs in any order; raises BadInput for what is unknown, doubled or
    does not fit.

    Only `option` and `subvolume` may be there more than once.
    """
    shown = printable(text, 60)
    values: dict[str, str] = {}
    options: list[str] = []
    subvolumes: list[Subvolume] = []
    for piece in text.split(","):
        key, equals, value = piece.partition("=")
        key = key.strip()
        if not equals:
            no_pair = t(
                "--volume '{volume}': '{piece}' is not a key=value pair. Example: --volume {example}.",
                volume=shown,
                piece=printable(piece, 30),
                example=EXAMPLE,
            )
            raise BadInput(str(no_pair))
        if key not in KEYS:
            raise BadInput(
                str(
                    t(
                        "--volume '{volume}': unknown key '{key}'. Keys: {keys:list}.",
                        volume=shown,
                        key=printable(key, 30),
                        keys=KEYS,
                    )
                )
            )
        if key == "option":
            options.append(value)
            continue
        if key == "subvolume":
            subvolumes.append(parse_subvolume(value))
            continue
        if key in values:
            raise BadInput(str(t("--volume '{volume}' sets {key} twice.", volume=shown, key=key)))
        values[key] = value
    role = values.get("role", "")
    if "role" in values and role not in ROLES:
        raise BadInput(
            str(
                t(
                    "--volume '{volume}': unknown role '{role}'. Roles: {roles:list}.",
                    volume=shown,
                    role=printable(role, 30),
                    roles=tuple(ROLES),
                )
            )
        )
    if "workload" not in values and not role:
        raise BadInput(
            str(
                t(
                    "--volume '{volume}' lacks a workload. Run `diskwright workloads` for a list.",
                    volume=shown,
                )
            )
        )
    encrypt = values.get("encrypt")
    _check_encryption(shown, encrypt, values.get("key"))
    workload = values.get("workload", ROLES[role].workload if role else "")
    one = request(
        workload,
        values.get("size"),
        values.get("label"),
        values.get("mount"),
        values.get("fs"),
        options,
        role,
    )
    return replace(
        one,
        subvolumes=tuple(subvolumes),
        encrypt=encrypt,
        writable=values.get("writable"),
        key=values.get("key", ""),
    )


def _check_encryption(volume: str, encrypt: str | None, key: str | None) -> None:
    """Raises BadInput for a way to encrypt that is not known, and for a key that cannot be."""
    if encrypt not in (None, *ENCRYPTIONS):
        other = printable(encrypt or "", 30)
        raise BadInput(
            str(
                t(
                    "--volume '{volume}': unknown encryption '{asked}'. Use encrypt={known}.",
                    volume=volume,
                    asked=other,
                    known=ENCRYPTIONS[0],
                )
            )
        )
    if key is not None and (fault := key_fault(key, encrypts=encrypt is not None)):
        raise BadInput(str(t("--volume '{volume}': key {fault}.", volume=volume, fault=fault)))


def request(
    workload: str,
    size: str | None,
    label: str | None,
    mount: str | None,
    filesystem: str | None,
    options: Sequence[str] = (),
    role: str = "",
) -> VolumeRequest:
    """A request from words; raises BadInput for a size, mount point or workload that cannot be."""
    if not is_workload_id(workload):
        raise BadInput(
            str(
                t(
                    "Unknown workload '{workload}'. Run `diskwright workloads` for a list.",
                    workload=printable(workload, 40),
                )
            )
        )
    size_bytes, percent = (None, None) if size is None else parse_share(size)
    if mount not in (None, NO_PLACE) and (fault := mount_point_fault(mount)):
        raise BadInput(str(NAME_PLACE(place=printable(mount, 60), fault=fault)))
    return VolumeRequest(
        workload,
        size_bytes,
        label,
        mount,
        filesystem,
        tuple(options),
        percent=percent,
        role=role,
        rest=_is_rest(size),
    )


def parse_share(text: str) -> tuple[int | None, int | None]:
    """Bytes or percent of `500G`, `30%` or `rest`, which is neither; raises BadInput for a size that cannot
    be."""
    text = text.strip()
    if _is_rest(text):
        return None, None
    if not text.endswith("%"):
        size_bytes = parse_size(text)
        if size_bytes <= 0:
            raise BadInput(
                str(
                    t(
                        "A volume of '{size}' has no space. Use a size such as 500G, or {rest} for "
                        "all remaining space.",
                        size=printable(text, 40),
                        rest=REST,
                    )
                )
            )
        return size_bytes, None
    digits = text[:-1].strip()
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 4 and 1 <= int(digits) <= 100):
        raise BadInput(
            str(
                t(
                    "'{share}' is not a valid share. Use a whole number from 1 to 100 with %, such as 30%.",
                    share=printable(text, 40),
                )
            )
        )
    return None, int(digits)


def size_words(wish: Wish, made_bytes: int | None) -> str:
    """The size as it was asked for, and for a share or the rest what that comes to, where a plan has told
    it."""
    if wish.size_bytes is not None:
        return format_exact(wish.size_bytes)
    asked = str(t("the rest")) if wish.percent is None else f"{wish.percent} %"
    return asked if made_bytes is None else f"{asked}: {format_capacity(made_bytes)}"


def more_words(wish: Wish) -> tuple[str, ...]:
    """What a volume has besides purpose, filesystem, size, label and place."""
    names = tuple(one.name for one in wish.subvolumes)
    encrypted = (str(t("encrypted")),) if wish.encrypted else ()
    return (*encrypted, str(t("subvolumes {names:list}", names=names))) if names else encrypted


def size_written(wish: Wish) -> str:
    """The size as `parse_share` takes it."""
    if wish.size_bytes is not None:
        return format_exact(wish.size_bytes).replace(" ", "").replace("bytes", "")
    return REST if wish.percent is None else f"{wish.percent}%"


def _is_rest(text: str | None) -> bool:
    return text is not None and text.strip().lower() == REST


def told_apart(wishes: tuple[Wish, ...]) -> tuple[Wish, ...]:
    """The wishes with a label each; one that was not given is numbered where another volume has it
    already."""
    taken = {wish.final_label for wish in wishes if wish.label is not None}
    named = []
    for wish in wishes:
        label, number = wish.final_label, 2
        while wish.label is None and label in taken:
            own = replace(wish, label=f"{wish.own_label[: SHORTEST_LABEL - len(str(number))]}{number}")
            label, number = own.final_label, number + 1
        taken.add(label)
        named.append(replace(wish, label=label))
    return tuple(named)


def check_wishes(wishes: tuple[Wish, ...]) -> None:
    """Raises BadInput for a label or mount point that cannot be, and for wishes that contradict each
    other."""
    if not wishes:
        raise BadInput(str(t("No volume was requested. Specify a workload.")))
    for wish in wishes:
        label, filesystem = wish.final_label, wish.choice.filesystem
        if unfit := label_fault(label, filesystem):
            raise BadInput(
                str(
                    t(
                        "The label '{label}' {fault}; use a shorter or simpler label.",
                        label=printable(label, 40),
                        fault=unfit,
                    )
                )
            )
        if wish.mount_point is not None and (fault := place_fault(wish.mount_point, filesystem)):
            named = NAME_PLACE if MADE[filesystem].mounts else Sentence("The mount point '{place}' {fault}.")
            raise BadInput(str(named(place=printable(wish.mount_point, 60), fault=fault)))
        if wrong := subvolumes_fault(wish.subvolumes, filesystem):
            raise BadInput(str(VOLUME_FAULT(label=printable(label, 40), fault=wrong)))
        if wish.size_bytes is not None and wish.size_bytes <= 0:
            raise BadInput(
                str(
                    t(
                        "The volume '{label}' has no size. Omit the size to use all remaining space.",
                        label=printable(label, 40),
                    )
                )
            )
        if wish.role:
            _check_role(wish)
    _check_shares(wishes)
    if double := next(
        (role for role in ROLES if ROLES[role].single and sum(wish.role == role for wish in wishes) > 1), None
    ):
        raise BadInput(
            str(
                t(
                    "A drive can have only one {role}. Use another role for one of the volumes.",
                    role=ROLES[double].title,
                )
            )
        )
    if unordered := mount_order_fault(
        tuple(place for wish in wishes for place in places_of(wish.mount_point, wish.subvolumes))
    ):
        raise BadInput(str(unordered))


def _check_role(wish: Wish) -> None:
    """Raises BadInput for a role that the volume cannot have, and for a danger that it must not have then."""
    if fault := role_fault(wish.role, wish.choice.filesystem, encrypted=wish.encrypted):
        raise BadInput(str(VOLUME_FAULT(label=printable(wish.final_label, 40), fault=fault)))
    options = [option.text for option in (*wish.choice.mkfs, *wish.choice.mount)]
    if danger := systems_danger(wish.role, wish.choice.filesystem, options):
        raise BadInput(
            str(
                t(
                    "{option} puts data at risk and is not allowed on boot or system volumes.",
                    option=danger,
                )
            )
        )


def _check_shares(wishes: tuple[Wish, ...]) -> None:
    """Raises BadInput for shares of the room that cannot be, or not together."""
    if any(
        wish.percent is not None and (wish.size_bytes is not None or not 1 <= wish.percent <= 100)
        for wish in wishes
    ):
        raise BadInput(str(t("A share is 1 to 100 percent of the space and replaces the size.")))
    if (total := sum(wish.percent or 0 for wish in wishes)) > 100:
        raise BadInput(
            str(
                t(
                    "The volumes together request {total} % of the space, but only 100 % is available.",
                    total=total,
                )
            )
        )
    if sum(wish.takes_rest for wish in wishes) > 1:
        raise BadInput(str(t("Only one volume can use all remaining space. Set a size for the others.")))


def mount_order_fault(mount_points: tuple[str, ...]) -> Message | None:
    """A sentence where two volumes would be mounted in one place, or a later one over an earlier one; else
    None."""
    places = [place for place in mount_points if place != NO_PLACE]
    for index, later in enumerate(places):
        for earlier in places[:index]:
            if later == earlier:
                return t(
                    "Two volumes have the mount point {place}. Change one of them.",
                    place=printable(later, 60),
                )
            if earlier.startswith(later + "/"):
                return t(
                    "A volume at {later} would hide the volume at {earlier}. List {later} first.",
                    later=printable(later, 60),
                    earlier=printable(earlier, 60),
                )
    return None
