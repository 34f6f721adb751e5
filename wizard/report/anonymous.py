"""Anonymise a report or log: replace each name of a drive or person by the same word everywhere.

Also finds names in the words, environment and documents of a command. Only words known to the program are
preserved: options, their fixed values, kernel device names, and numbers.
"""

import json
import os
import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from wizard.advice.catalogue import load_catalogue
from wizard.documents.profiles import BUNDLED
from wizard.filesystems.kind import serial_of
from wizard.filesystems.registry import KINDS as FILESYSTEMS
from wizard.model import advice, layout
from wizard.model.advice import Evidence, Workload
from wizard.model.errors import DiskwrightError, printable
from wizard.model.finding import Finding
from wizard.model.layout import Slot, TableEntry
from wizard.model.machine import Partition
from wizard.model.run import Waiting
from wizard.model.said import Message, ProfileText, Value, t
from wizard.operations import layers
from wizard.operations.fstab import fstab_escaped
from wizard.operations.settings import Relabel
from wizard.plan.changes import BringFrom, BringTo, TakePlace
from wizard.plan.request.roles import ROLES
from wizard.plan.request.volume_request import ENCRYPTIONS, KEYS
from wizard.probe.host.sysfs import SYS
from wizard.report.gather import Report

SERIAL, WWN, LINK, UUID, DIGEST = "SERIAL", "WWN", "LINK", "UUID", "DIGEST"
LABEL, MOUNT, FILE = "LABEL", "MOUNT", "FILE"
NAME, USER, HOST = "NAME", "USER", "HOST"
"""Prefixes of replacement words."""

BY_FIELD = {
    field: kind
    for kind, names in (
        (SERIAL, "serial"),
        (WWN, "wwn"),
        (LINK, "by_id"),
        (UUID, "uuid uuids part_uuid boot_id"),
        (DIGEST, "content_digest superblock_digest"),
        (LABEL, "label"),
        (MOUNT, "mount_point mount_points last_mounted_at"),
        (FILE, "store backing_file"),
    )
    for field in names.split()
}
OWN_FIELDS: dict[type[object], tuple[str, str]] = {
    **dict.fromkeys(
        (Partition, layout.Slot, layout.TableEntry, layout.Stripe, layout.Group), (LABEL, "name")
    ),
    **dict.fromkeys((layers.MakeArray, layers.MakeVolumeGroup), (LABEL, "name")),
    layers.MakeLogicalVolume: (LABEL, "name,group"),
    layout.Writer: (USER, "name"),
    BringFrom: (MOUNT, "below"),
    BringTo: (MOUNT, "folder,makes,place"),
    TakePlace: (MOUNT, "place"),
}
"""Fields of single classes that a person chose, or that come from a label."""

REPLACED = t(
    "Serial numbers, WWNs, UUIDs, labels, mount points and people's folders were replaced, each consistently."
)

USUAL_NAMES = frozenset(
    {"EFI System Partition", "EFI system partition", "EFI System", "Linux filesystem", "Linux swap"}
    | {"Linux RAID", "Linux LVM", "Basic data partition", "Microsoft reserved partition", "BIOS boot"}
    | {"BIOS boot partition", "primary", "swap", "root", "boot", "home"}
)
"""Common names of partitions and volumes, chosen by installers."""

USUAL_PLACES = frozenset(
    {"/", "/boot", "/boot/efi", "/efi", "/home", "/media", "/mnt", "/opt", "/root", "/srv", "/tmp", "/usr"}
    | {"/usr/local", "/var", "/var/lib", "/var/log", "[SWAP]", "none", "swap"}
)
"""Mount points on every system."""


def _walk(value: object) -> Iterator[tuple[str, str]]:
    """Yield identifying fields with the kind. Skips published texts."""
    for noun in _nouns(value):
        if isinstance(noun, Evidence | Workload):
            continue
        yield from _in_texts(noun)
        own, names = OWN_FIELDS.get(type(noun), ("", ""))
        for name in noun.__struct_fields__:
            if kind := BY_FIELD.get(name) or (own if name in names.split(",") else ""):
                inner: object = getattr(noun, name)
                several = inner if isinstance(inner, tuple) else (inner,)
                yield from ((one, kind) for one in several if isinstance(one, str))


def _in_texts(noun: Struct) -> Iterator[tuple[str, str]]:
    match noun:
        case Waiting(run=run) if "/" in run:
            yield run.strip("'"), FILE
        case Finding(subject=subject) if "=" in subject:
            # A finding about a line of fstab names a device that is not attached.
            yield subject.partition("=")[2], LABEL
        case Relabel():
            names = (noun.old, noun.new, *(uuid for part in noun.parts for uuid in part[1:]))
            yield from ((name, UUID if noun.identifier == "uuid" else LABEL) for name in names)
        case BringFrom(is_device=False):
            yield noun.path, MOUNT


BETWEEN = re.compile(r"([,=:])")
"""Separators of values in a word of a command: `label=media,mount=/srv/media`."""

PLAIN = re.compile(
    r"""[\d.,]*                                        # number
    | \d+(\.\d+)?\s?([KMGTP]i?B?|B|%)                   # size or percentage
    | \d{4}-[a-z0-9-]{1,40}                             # run
    | /dev/(sd[a-z]+|hd[a-z]|vd[a-z]+|xvd[a-z]+|loop|nvme\d+n|mmcblk|md|dm-|zram|sr|nbd|pmem|ram)[\dpn]*
    """,
    re.VERBOSE | re.IGNORECASE,
)

USUAL_FILES = USUAL_PLACES | frozenset(
    {"/nonexistent", "/etc/fstab", "/etc/crypttab", "/var/tmp", "/run", "/var/lib/diskwright"}
)

OWN_WORDS = frozenset(
    {*KEYS, *ROLES, *ENCRYPTIONS, *FILESYSTEMS, "rest", "none", "root", "everyone", "group", "user"}
)

PEOPLE = ("USER", "LOGNAME", "USERNAME", "SUDO_USER", "DOAS_USER")
FOLDERS = ("HOME", "PWD", "OLDPWD", "TMPDIR", "DISKWRIGHT_STATE", "DISKWRIGHT_PLACES", "XDG_CONFIG_HOME")
"""Environment variables with the name of a person, or of a person's folder."""


def names_given(
    words: Sequence[str], known: Collection[str], documents: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Yield every name given to a command. `known`: the command's own words. `documents`: texts of the files
    that the command read."""
    for _, pieces in _split(words, known):
        yield from ((piece, kind) for piece, kind in pieces if kind)
    for variable in PEOPLE:
        if (person := os.environ.get(variable, "")) != "root":
            yield person, USER
    for folder in (*(os.environ.get(variable, "") for variable in FOLDERS), os.getcwd()):  # noqa: PTH109
        if folder.startswith("/") and folder not in USUAL_FILES:
            yield folder, FILE
    for text in documents:
        yield from _in_document(text, known)


def masked(
    words: Sequence[str], known: Collection[str], word_for: Callable[[str, str], str]
) -> Iterator[str]:
    """Yield the words, with names replaced by `word_for(kind, value)`."""
    for option, pieces in _split(words, known):
        yield option + "".join(word_for(kind, piece) if kind else piece for piece, kind in pieces)


def _split(words: Sequence[str], known: Collection[str]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield each word as an option with equals sign, and its value as `_pieces` does. The option before can
    decide the kind."""
    for before, word in pairwise(("", *words)):
        option, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            option, equals, value = "", "", word
        elif not any(one.startswith(option) for one in known):
            # A short option with a value, or not an option.
            option, equals = word[:2] if word[:2] in known else "", ""
            value = word[len(option) :]
        elif not equals:
            yield option, []
            continue
        named = (option or before).rstrip("=")
        kind = SERIAL if named == "--confirm" else USER if named == "--writable" else NAME
        yield option + equals, list(_pieces(value, kind, known))


def _pieces(value: str, kind: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """The kind is empty for parts that name nobody."""
    before = ""
    for piece in BETWEEN.split(value):
        if BETWEEN.fullmatch(piece) or _is_known(piece, kind, known):
            yield piece, ""
        elif piece.startswith("/dev/"):
            folder, _, name = piece.rpartition("/")
            yield from ((f"{folder}/", ""), (name, kind))
        elif piece:
            own_kind = USER if before == "writable" else kind
            yield piece, FILE if "/" in piece and own_kind != SERIAL else own_kind
        before = before if piece in ("=", ":", "group", "user") else piece


def _is_known(piece: str, kind: str, known: Collection[str]) -> bool:
    if kind == SERIAL:
        # A drive without a serial number is confirmed with its kernel name.
        return (SYS / "class/block" / piece).exists()
    return piece in known or piece in _vocabulary() or piece in USUAL_FILES or bool(PLAIN.fullmatch(piece))


@cache
def _vocabulary() -> frozenset[str]:
    texts: set[str] = set()
    with suppress(DiskwrightError):
        for name, option in load_catalogue().items():
            texts |= {name, option.text, str(option.phrase), *option.text.split()}
    workloads = {path.stem for path in (BUNDLED / "workloads").glob("*.toml")}
    parts = {part for text in texts for part in BETWEEN.split(text)}
    return OWN_WORDS | workloads | texts | parts


def _in_document(text: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
    with suppress(ValueError, RecursionError):
        is_toml = not text.lstrip().startswith("{")
        kinds = BY_FIELD | {"writable" if is_toml else "person": USER}
        for key, value in _texts(tomllib.loads(text) if is_toml else json.loads(text)):
            kind = kinds.get(key, NAME if is_toml else "")
            pieces = _pieces(value, kind, known) if is_toml else ((value, kind),)
            yield from ((piece, found) for piece, found in pieces if found)


def _texts(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """The name of a person or group has the key `person`."""
    if isinstance(value, dict):
        is_person = value.get("kind") in ("person", "group")
        for name, inner in value.items():
            yield from _texts(inner, "person" if is_person and name == "name" else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, key)
    elif isinstance(value, str):
        yield key, value


T = TypeVar("T")

SHORTEST = 4
"""Labels shorter than this, and words in our own texts, are only replaced if quoted or after a naming option.
Otherwise a volume named `a` would replace every article."""

NAMING = frozenset({"-L", "-l", "-n", "--label", "--name"})
"""Options of tools that precede a label or name."""

CUTS = (30, 40, 60, 80, 200)
"""Lengths to which displayed texts are cut."""

NAMES = r"(?:(?<=/dev/mapper/)|(?<=/dev/md/))[^\s\"',;`]*[^\s\"',;:.`]"
"""Nodes of layers. Such a name is one word, whatever labels it contains."""

NO_LETTER_BEFORE, NO_LETTER_AFTER = r"(?<![0-9A-Za-z])", r"(?![0-9A-Za-z])"

SHAPES = (
    (NAME, NAMES),
    (NAME, r"(?<![0-9A-Za-z])luks-[0-9A-Za-z_]{0,20}-[0-9a-f]{8}(?![0-9A-Za-z])"),
    (LINK, r"/dev/disk/by-(?:id|uuid|partuuid|label|partlabel)/[^\s\"',;:]+"),
    (UUID, r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f])"),
    (UUID, r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}(?:[:.][0-9A-Fa-f]{8}){3}(?![0-9A-Fa-f])"),
    (UUID, r"(?<![0-9A-Za-z])[0-9A-Za-z]{6}(?:-[0-9A-Za-z]{4}){5}-[0-9A-Za-z]{6}(?![0-9A-Za-z])"),
    (WWN, r"(?<![0-9A-Za-z])(?:naa|eui|nvme)\.[0-9A-Fa-f]{4}[0-9A-Fa-f-]{8,}"),
    (USER, r"(?:(?<=/home/)|(?<=/run/media/)|(?<=[\s\"'=]/media/)|(?<=^/media/))[^/\s\"',;:]+"),
)
"""Patterns of names from any source: the journal also contains tool output."""

KEPT_FIELDS = frozenset(
    {"kind", "type", "table", "filesystem", "usage", "code", "scheduler", "schedulers", "path", "model"}
    | {"state", "id", "title", "summary"}
)
"""Fields with general words, written by us or the drive's vendor."""

WHOLE_FIELDS = frozenset({*BY_FIELD, "name", "group"})
"""Fields that contain exactly one value."""


def without_names(report: Report, hostname: str = "", files: Iterable[str] = ()) -> Report:
    """Replace names, UUIDs, mount points and personal folders. Software RAID and volume managers include
    `hostname`. `files` are paths named by a person, which occur in sentences of the run."""
    workloads = [one.workload for one in report.advice]
    ours = {workload.label for workload in workloads if workload.origin.startswith(str(BUNDLED))}
    nouns = _nouns((report.advice, report.facts))
    texts = (str(getattr(noun, field)) for noun in nouns for field in OWN_TEXTS.get(type(noun), ()))
    own = frozenset(word for text in texts for word in re.findall(r"[A-Za-z]+", text))
    words = Words(report, dict.fromkeys(files, FILE), hostname, ours, own)
    return replace(_rewritten(report, words), anonymous=True)


class Words:
    """Replacement words of the names in facts (`nouns`), of `others` with their kinds, and of names of known
    shape. Names common to all systems and `usual` labels remain. `own`: words in our texts."""

    def __init__(
        self,
        nouns: object,
        others: Mapping[str, str],
        hostname: str,
        usual: Collection[str] = (),
        own: frozenset[str] = frozenset(),
    ) -> None:
        self._numbers: Counter[str] = Counter()
        self._known: dict[str, str] = {}
        # Partition type UUIDs are the same on all machines.
        entries = (one for one in _nouns(nouns) if isinstance(one, Partition | Slot | TableEntry))
        self._types = {entry.type.casefold() for entry in entries if entry.type}
        common_names = {LABEL: {"", *USUAL_NAMES, *usual}, MOUNT: {"", *USUAL_PLACES}}
        literals: dict[str, str] = {}
        for value, kind in (*_walk(nouns), *others.items()):
            if value not in common_names.get(kind, ("",)):
                literals.setdefault(value, kind)
        if len(hostname) >= SHORTEST and hostname != "localhost":
            literals.setdefault(hostname, HOST)
        found: dict[str, str] = {}
        for value, kind in literals.items():
            word = self.word(kind, value)
            for form in _forms(value, kind):
                self._known.setdefault(form.casefold(), word)
                common = len(form) < SHORTEST or form.isdigit() or form in own
                if len(form) > 1 and not (common and kind in (LABEL, MOUNT)):
                    found[form] = _bounded(form, kind)
                elif kind == LABEL:
                    for before in (
                        '"',
                        "'",
                        "name=",
                        "LABEL=",
                        "label=",
                        "named ",
                        *map("{} ".format, NAMING),
                    ):
                        after = before if before in "\"'" else ""
                        self._known[f"{before}{form}{after}".casefold()] = f"{before}{word}{after}"
                        found[f"{before}{form}{after}"] = re.escape(before + form) + (
                            after or NO_LETTER_AFTER
                        )
        literal = [found[form] for form in sorted(found, key=lambda form: (-len(form), form))]
        nodes, *shapes = [f"(?P<shape{at}>{shape})" for at, (_, shape) in enumerate(SHAPES)]
        self._pattern = re.compile("|".join([nodes, *literal, *shapes]), re.ASCII)

    def word(self, kind: str, value: str) -> str:
        """Return the word for a value in any spelling."""
        key = value.casefold()
        if key not in self._known:
            bare = re.sub(r"[-:.]", "", key) if kind == UUID else key
            if bare not in self._known:
                self._numbers[kind] += 1
                word = f"{kind}-{self._numbers[kind]}"
                folder = {LINK: "/dev/disk/by-id/", MOUNT: "/", FILE: "/"}.get(kind, "")
                self._known[bare] = folder + word
            self._known[key] = self._known[bare]
        return self._known[key]

    def whole(self, value: str) -> str:
        """Replace a field that is exactly one value."""
        return self._known.get(value.casefold()) or self.text(value)

    def text(self, text: str) -> str:
        """Replace all values in a text."""
        return self._pattern.sub(self._replacement, text)

    def _replacement(self, match: re.Match[str]) -> str:
        found = match[0]
        if found.casefold() in self._known:
            return self._known[found.casefold()]
        if found.casefold() in self._types:
            return found
        kind = next(kind for at, (kind, _) in enumerate(SHAPES) if match[f"shape{at}"] is not None)
        return self.word(kind, found)


def _forms(value: str, kind: str) -> Iterator[str]:
    """Yield other spellings: printable, cut, quoted, as in fstab, without dashes, or as in NVMe's wwid."""
    yield value
    for limit in (len(value), *CUTS):
        yield printable(value, limit)
    if kind in (LABEL, MOUNT, FILE):
        yield fstab_escaped(value)
        yield shlex.quote(value)
    if kind == LINK:
        yield value.rpartition("/")[2]
    if kind == SERIAL:
        yield value.replace(" ", "_")
        yield value.encode(errors="replace").hex()
    if kind == UUID:
        # Serial numbers of FAT, exFAT and NTFS, as tools expect them.
        yield serial_of(value)
        yield f"0x{serial_of(value)}"
    if kind == WWN:
        yield value.removeprefix("0x").removeprefix("naa.").removeprefix("eui.")


def _bounded(form: str, kind: str) -> str:
    """Short values must be whole words. Numbers match in either case."""
    if kind in (SERIAL, WWN, UUID, LINK, DIGEST, HOST):
        pattern = f"(?i:{re.escape(form)})"
        return pattern if len(form) >= 12 else f"{NO_LETTER_BEFORE}{pattern}{NO_LETTER_AFTER}"
    before = NO_LETTER_BEFORE if form[0].isalnum() else ""
    after = NO_LETTER_AFTER if form[-1].isalnum() else ""
    return f"{before}{re.escape(form)}{after}"


OWN_TEXTS: dict[type[object], tuple[str, ...]] = {
    advice.Workload: ("title", "summary"),
    advice.Choice: ("sentence",),
    advice.Option: ("why",),
    Finding: ("why",),
}
"""Fields that contain only our own words."""


def _nouns(value: object) -> Iterator[Struct]:
    if isinstance(value, tuple):
        for one in value:
            yield from _nouns(one)
    elif isinstance(value, Struct):
        yield value
        for name in value.__struct_fields__:
            yield from _nouns(getattr(value, name))


def _rewritten(value: T, words: Words) -> T:
    """Published texts are unchanged."""
    if isinstance(value, ProfileText):
        return cast(T, ProfileText(words.text(value.english)))
    if isinstance(value, Message):
        values = tuple((name, _field(name, one, words)) for name, one in value.values)
        return cast(T, replace(value, values=cast(tuple[tuple[str, Value], ...], values)))
    if not isinstance(value, Struct) or isinstance(value, advice.Evidence):
        return value
    return replace(
        value, **{name: _field(name, getattr(value, name), words) for name in value.__struct_fields__}
    )


def _field(name: str, value: object, words: Words) -> object:
    if type(value) is str:
        if name in KEPT_FIELDS and "/" not in value:
            return value
        return words.whole(value) if name in WHOLE_FIELDS else words.text(value)
    if isinstance(value, tuple):
        before = (None, *value)
        return tuple(
            _field("label" if flag in NAMING else name, one, words)
            for flag, one in zip(before, value, strict=False)
        )
    return _rewritten(value, words)
