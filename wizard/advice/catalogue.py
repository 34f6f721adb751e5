"""Catalogue of options for mkfs, mount, tune2fs and I/O schedulers, and the conditions for each."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Generic, Protocol, TypeVar

from msgspec.structs import replace

from wizard.advice.missing import NO_DRIVER, why_not_mounted
from wizard.documents import profiles
from wizard.filesystems.registry import KINDS, MADE
from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.errors import IN_ENGLISH, BadInput, FrozenStruct, WhereUsed, printable, why_not
from wizard.model.machine import Drive, Kernel, Program
from wizard.model.said import (
    NO_TEXT,
    Message,
    ProfileText,
    Sentence,
    join,
    parse_size,
    t,
)

Form = TypeVar("Form")


class Identified(Protocol):
    """An entry of a profile."""

    @property
    def id(self) -> str:
        """Its id."""


Entry = TypeVar("Entry", bound=Identified)

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_ID, LONGEST_TEXT = 40, 400
"""Maximum lengths of an id and of a text of a few sentences, in characters."""

ONE_LINE = Sentence("write one line of plain text, at most {longest} characters.")


class ProfilePlace(FrozenStruct, Generic[Entry]):
    """An entry with the file and key (`options[3]`, or empty if the file is the entry)."""

    path: Path
    key: str
    entry: Entry

    def fault(self, key: str, said: Message) -> BadInput:
        """Return the error for `key` of this entry, with file, line and full key."""
        return profiles.fault_at(self.path, ".".join(part for part in (self.key, key) if part), said)

    def check_text(self, key: str, text: ProfileText) -> None:
        """Raises BadInput unless the text is not empty, printable and not too long."""
        if not text.english.strip() or printable(text.english, LONGEST_TEXT) != text.english:
            raise self.fault(key, ONE_LINE(longest=LONGEST_TEXT))


def gather(
    room: str, form: type[Form], entries: Callable[[Form], Iterable[Entry]], key: str = ""
) -> dict[str, ProfilePlace[Entry]]:
    """Return all entries of a profile folder by id. `key`: of the list with the entries in a file. Later
    folders override earlier ones. An id used twice in one folder raises BadInput."""
    found: dict[str, ProfilePlace[Entry]] = {}
    for path in profiles.profile_files(room):
        for index, entry in enumerate(entries(profiles.read_profile(path, form))):
            place, name = ProfilePlace(path, f"{key}[{index}]" if key else "", entry), entry.id
            # Ids are typed on the command line and used in documents.
            if len(name) > LONGEST_ID or not _SLUG.fullmatch(name):
                raise place.fault(
                    "id",
                    t(
                        "{text} is not a valid id. Use small letters, digits and single hyphens, at "
                        "most {longest} characters.",
                        text=repr(name),
                        longest=LONGEST_ID,
                    ),
                )
            other = found.get(name)
            if other is not None and other.path.parent == path.parent:
                raise place.fault(
                    "id",
                    t(
                        "{id} is already used in {path}. Change one of the two ids.",
                        id=repr(name),
                        path=other.path,
                    ),
                )
            found[name] = place
    return found


NONE_OF = Sentence("Unknown name {name}. Choose one of {known:list}.")
NOT_IN_PROFILES = Sentence("{name} is not in profiles/{folder}.")


class OptionKind(StrEnum):
    """Tool or command that an option belongs to."""

    MKFS = "mkfs"
    MOUNT = "mount"
    SCHEDULER = "scheduler"
    TUNE = "tune"


class Need(StrEnum):
    """Condition on drive and workload for offering an option."""

    ROTATIONAL = "rotational"
    NON_ROTATIONAL = "non-rotational"
    SHINGLED = "shingled"
    NOT_SHINGLED = "not-shingled"
    ZONED = "zoned"
    ALL_SEQUENTIAL = "all-sequential"
    NOT_ZONED = "not-zoned"
    DISCARD = "discard"
    NOT_ROOT = "not-root"


NEEDS = {
    Need.ROTATIONAL: t("Only for rotating drives."),
    Need.NON_ROTATIONAL: t("Only for non-rotating drives."),
    Need.SHINGLED: t("Only for shingled drives."),
    Need.NOT_SHINGLED: t("Not suitable for shingled drives."),
    Need.ZONED: t("Only for host-managed drives."),
    Need.NOT_ZONED: t("Not suitable for host-managed drives."),
    Need.ALL_SEQUENTIAL: t("Only for drives without conventional zones."),
    Need.DISCARD: t("Only for drives that support discard."),
    Need.NOT_ROOT: t("Not for the system's own filesystem."),
}
"""Explanation of each condition, shown if not met and in option descriptions."""

SIZE_FROM = Sentence("Only for volumes of {least:exact} or more.")
SIZE_UP_TO = Sentence("Only for volumes up to {most:exact}.")
UNKNOWN_OPTION = Sentence("Unknown option {option}. `diskwright options {filesystem}` lists options by id.")


class CatalogueOption(FrozenStruct):
    """An option as defined in profiles/options.

    A tune option is a complete command without its device (`tune2fs -m 1`), for an existing filesystem.
    `why`: the reason to use the option. `does`: the effect, if `why` does not mention it. `also`: alternative
    spellings in common recipes. `since` and `until`: first kernel (`6.2`) that supports it and first that no
    longer does. `tool_since` and `tool_default`: first version of mkfs that supports it and first that sets
    it itself. `at_least` and `at_most`: limits of the volume size. `always`: offered for every workload.
    `never`: why it is never offered, or empty. Of those, `danger` puts data at risk, `refused` is rejected by
    current kernels or tools, and `default` is already the default. `phrase`: typed by the user to confirm a
    dangerous option.
    """

    id: str
    text: str
    why: ProfileText
    kind: OptionKind = OptionKind.MOUNT
    filesystems: tuple[str, ...] = ()
    does: ProfileText = NO_TEXT
    also: tuple[str, ...] = ()
    risk: ProfileText = NO_TEXT
    since: str = ""
    until: str = ""
    tool_since: str = ""
    tool_default: str = ""
    needs: tuple[Need, ...] = ()
    at_least: str = ""
    at_most: str = ""
    conflicts: tuple[str, ...] = ()
    always: bool = False
    never: ProfileText = NO_TEXT
    danger: bool = False
    refused: bool = False
    default: bool = False
    phrase: ProfileText = NO_TEXT
    source: ProfileText = NO_TEXT


class OptionFile(FrozenStruct):
    """A file in profiles/options. `filesystems`: of the options that name none."""

    options: tuple[CatalogueOption, ...]
    filesystems: tuple[str, ...] = ()

    def complete(self) -> tuple[CatalogueOption, ...]:
        """Return the options with their filesystems."""
        return tuple(replace(one, filesystems=one.filesystems or self.filesystems) for one in self.options)


class OptionSite(FrozenStruct):
    """Where an option would be used. `size_bytes`: volume size, None if unknown. `root`: the volume contains
    the system. `programs`: known versions of mkfs tools."""

    kernel: Kernel
    drive: Drive
    shingled: bool
    root: bool
    size_bytes: int | None
    programs: tuple[Program, ...] = ()


# No slash, so an option cannot name another device (external journal, log or realtime device).
_TEXTS = {
    OptionKind.MKFS: r"(?:-[A-Za-z]|--csum)(?: [A-Za-z0-9^_=,.:+-]+)?",
    OptionKind.MOUNT: r"[a-z][A-Za-z0-9_=:.+-]*",
    OptionKind.SCHEDULER: r"[a-z][a-z0-9-]*",
    OptionKind.TUNE: (
        r"(tune2fs|xfs_admin|xfs_io|btrfs|chattr|e4defrag|fstrim|swapon)( [A-Za-z0-9^_=,.:+-]+)*"
    ),
}
LONGEST_PHRASE = 100
_RESERVED = re.compile(r"-[ULFfqV]\b.*|-n(?! [a-z]+=[0-9]).*|.*\buuid=.*")
_VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})")


def load_catalogue() -> dict[str, CatalogueOption]:
    """Return all options by id. Raises BadInput with file, line and key."""
    places = gather("options", OptionFile, OptionFile.complete, "options")
    for place in places.values():
        for key, fault in _faults(place.entry, places):
            raise place.fault(key, fault)
    return {name: place.entry for name, place in places.items()}


def blocker(option: CatalogueOption, site: OptionSite) -> Message | None:
    """Return a sentence on why `option` is not offered at `site`, or None."""
    return option.never or default_reason(option, site) or limits(option, site)


def _mkfs_program(option: CatalogueOption, programs: Sequence[Program]) -> Program | None:
    """Return the mkfs tool of `option`, None if its version was not read."""
    tools = {MADE[name].tool for name in option.filesystems if name in MADE}
    mkfs = option.kind is OptionKind.MKFS
    return next((one for one in programs if mkfs and one.name in tools), None)


def default_reason(option: CatalogueOption, site: OptionSite) -> Message | None:
    """Return why `option` is in effect anyway at `site`, or None."""
    if option.default:
        return option.never
    program = _mkfs_program(option, site.programs)
    if program is None:
        return None
    by_version = option.tool_default and program.version >= version_of(option.tool_default)
    if by_version or option.text.partition(" ")[2] in program.defaults:
        return t("Default of the installed {tool}.", tool=program.name)
    return None


def mkfs_reason(option: CatalogueOption, programs: Sequence[Program]) -> Message | None:
    """Return why the installed mkfs does not support `option`, or None."""
    program = _mkfs_program(option, programs)
    if program is None:
        return None
    since = version_of(option.tool_since) if option.tool_since else (0, 0)
    flag, _, value = option.text.partition(" ")
    unknown = flag == "-O" and bool(program.features) and value not in program.features
    if unknown or (0, 0) < program.version < since:
        return t("The installed {tool} does not support this option.", tool=program.name)
    return None


def limits(option: CatalogueOption, site: OptionSite) -> Message | None:
    """Return why kernel, tool, drive, workload or size rule out `option` at `site`, even if never offered, or
    None."""
    reason = (
        kernel_reason(site.kernel, option.since, option.until)
        or mkfs_reason(option, site.programs)
        or _drive_reason(option, site)
    )
    size = site.size_bytes
    if reason or not (option.at_least or option.at_most):
        return reason
    if size is None:
        return t("The volume's size is unknown.")
    if option.at_least and size < (least := parse_size(option.at_least)):
        return SIZE_FROM(least=least)
    if option.at_most and size > (most := parse_size(option.at_most)):
        return SIZE_UP_TO(most=most)
    return None


class OnKernel(FrozenStruct):
    """Kernel support for an option, None if unknown. `why`: reason if unsupported or unknown. `refused`: the
    reason is the option's own `never`."""

    takes: bool | None
    why: Annotated[Message | str, IN_ENGLISH] = ""
    refused: WhereUsed[bool] = False


def on_kernel(option: CatalogueOption, kernel: Kernel) -> OnKernel:
    """Check if `kernel` supports `option` on any drive: refused options, available filesystems and kernel
    version."""
    if option.refused and not (option.until and (0, 0) < kernel.version < version_of(option.until)):
        return OnKernel(False, option.never, refused=True)
    kinds = [KINDS[name] for name in option.filesystems]
    if kinds and all(why_not_mounted(kernel, kind) for kind in kinds):
        titles = ", ".join(kind.title for kind in kinds)
        return OnKernel(False, NO_DRIVER(release=kernel.release, title=titles))
    reason = kernel_reason(kernel, option.since, option.until)
    if reason is None:
        return OnKernel(True)
    return OnKernel(None if kernel.version == (0, 0) else False, reason)


def version_of(text: str) -> tuple[int, int]:
    """Parse a version such as `6.2`. Raises BadInput for other text."""
    match = _VERSION.fullmatch(text)
    if match is None:
        raise BadInput(t("{text} is not a kernel version. Example: 6.2.", text=repr(text)))
    return int(match[1]), int(match[2])


def flag_of(option: CatalogueOption) -> str:
    """Return the part that may occur only once per command: the flag of an mkfs option, or the name before
    `=` of a mount option."""
    return option.text.split(" " if option.kind is OptionKind.MKFS else "=")[0]


def meet(one: CatalogueOption, other: CatalogueOption) -> bool:
    """Return True if some volume size allows both options."""
    least = max((parse_size(option.at_least) for option in (one, other) if option.at_least), default=0)
    mosts = [parse_size(option.at_most) for option in (one, other) if option.at_most]
    return not mosts or least <= min(mosts)


def kernel_reason(kernel: Kernel, since: str, until: str = "") -> Message | None:
    """Return why a kernel does not support, or may not support, what exists in these versions."""
    if not (since or until):
        return None
    if kernel.version == (0, 0):
        return t("Cannot read the kernel version, and not every kernel supports this.")
    if since and kernel.version < version_of(since):
        return t("Requires kernel {since} or later; running {release}.", since=since, release=kernel.release)
    if until and kernel.version >= version_of(until):
        return t(
            "Not supported since kernel {until}; running {release}.", until=until, release=kernel.release
        )
    return None


def _drive_reason(option: CatalogueOption, site: OptionSite) -> Message | None:
    rotational, zones = site.drive.rotational, site.drive.zones
    zoned = site.drive.zoned == HOST_MANAGED
    met = {
        Need.ROTATIONAL: rotational is True,
        Need.NON_ROTATIONAL: rotational is False,
        Need.SHINGLED: site.shingled,
        Need.NOT_SHINGLED: not site.shingled,
        Need.ZONED: zoned,
        Need.NOT_ZONED: not zoned,
        Need.ALL_SEQUENTIAL: zones is not None and zones.conventional == 0,
        Need.DISCARD: site.drive.discards,
        Need.NOT_ROOT: not site.root,
    }
    if rotational is None and (Need.ROTATIONAL in option.needs or Need.NON_ROTATIONAL in option.needs):
        return t("Unknown whether the drive rotates.")
    if option.kind is OptionKind.SCHEDULER and site.drive.bus == "loop":
        return t("A loop device leaves the request order to the drive with the backing file.")
    if option.kind is OptionKind.SCHEDULER and option.text not in site.drive.schedulers:
        return t("The kernel does not offer this scheduler for the drive.")
    return next((NEEDS[need] for need in option.needs if not met[need]), None)


def _faults(
    option: CatalogueOption, known: Mapping[str, ProfilePlace[CatalogueOption]]
) -> Iterator[tuple[str, Message]]:
    """Yield faults of an option with their keys."""
    if not option.filesystems and option.kind is not OptionKind.SCHEDULER:
        yield "filesystems", t("name at least one filesystem.")
    for name in option.filesystems:
        if name not in KINDS:
            yield "filesystems", NONE_OF(name=repr(name), known=tuple(KINDS))
    if not re.fullmatch(_TEXTS[option.kind], option.text):
        cannot = Sentence("{text} cannot be written as a single {kind} option.")
        yield "text", cannot(text=repr(option.text), kind=option.kind)
    if option.kind is OptionKind.MKFS and _RESERVED.fullmatch(option.text):
        yield "text", t("diskwright sets {text} itself.", text=repr(option.text))
    if (option.danger or option.refused or option.default) and not option.never:
        yield (
            "never",
            t("options marked as dangerous, refused or default are never offered: add the reason."),
        )
    for other in option.conflicts:
        if other not in known:
            yield "conflicts", NOT_IN_PROFILES(name=repr(other), folder="options")
    yield from _value_faults(option)


def _value_faults(option: CatalogueOption) -> Iterator[tuple[str, Message]]:
    """Check versions, sizes and the phrase, which only dangerous options have that can be used."""
    phrase = option.phrase.english
    if (option.danger and not option.refused and option.kind is not OptionKind.TUNE) != bool(phrase):
        yield (
            "phrase",
            t(
                "dangerous mkfs or mount options that are not refused need a phrase to "
                "confirm. Other options must not have a phrase."
            ),
        )
    if phrase != printable(phrase, LONGEST_PHRASE) or "  " in phrase or phrase != phrase.strip():
        yield "phrase", ONE_LINE(longest=LONGEST_PHRASE)
    for parse, keys in (
        (version_of, ("since", "until", "tool_since", "tool_default")),
        (parse_size, ("at_least", "at_most")),
    ):
        for key in keys:
            if (text := getattr(option, key)) and (why := why_not(parse, text)):
                yield key, join(why)
