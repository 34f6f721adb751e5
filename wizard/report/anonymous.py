"""Anonymise a report: replace each name of a drive or person by the same word everywhere. Also writes the
report."""

import dataclasses
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from wizard.filesystems.kind import serial_of
from wizard.model import advice
from wizard.model.errors import printable
from wizard.model.finding import Finding
from wizard.model.layout import Slot, TableEntry
from wizard.model.machine import Partition
from wizard.model.said import Message, ProfileText, Value
from wizard.operations.fstab import fstab_escaped
from wizard.report import names
from wizard.report.parts import Report

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
    (names.NAME, NAMES),
    (names.NAME, r"(?<![0-9A-Za-z])luks-[0-9A-Za-z_]{0,20}-[0-9a-f]{8}(?![0-9A-Za-z])"),
    (names.LINK, r"/dev/disk/by-(?:id|uuid|partuuid|label|partlabel)/[^\s\"',;:]+"),
    (names.UUID, r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f])"),
    (names.UUID, r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}(?:[:.][0-9A-Fa-f]{8}){3}(?![0-9A-Fa-f])"),
    (names.UUID, r"(?<![0-9A-Za-z])[0-9A-Za-z]{6}(?:-[0-9A-Za-z]{4}){5}-[0-9A-Za-z]{6}(?![0-9A-Za-z])"),
    (names.WWN, r"(?<![0-9A-Za-z])(?:naa|eui|nvme)\.[0-9A-Fa-f]{4}[0-9A-Fa-f-]{8,}"),
    (names.USER, r"(?:(?<=/home/)|(?<=/run/media/)|(?<=[\s\"'=]/media/)|(?<=^/media/))[^/\s\"',;:]+"),
)
"""Patterns of names from any source: the journal also contains tool output."""

KEPT_FIELDS = frozenset(
    {"kind", "type", "table", "filesystem", "usage", "code", "scheduler", "schedulers", "path", "model"}
    | {"state", "id", "title", "summary"}
)
"""Fields with general words, written by us or the drive's vendor."""

WHOLE_FIELDS = frozenset({*names.BY_FIELD, "name", "group"})
"""Fields that contain exactly one value."""


def without_names(report: Report, hostname: str = "", files: Iterable[str] = ()) -> Report:
    """Replace names, UUIDs, mount points and personal folders. Software RAID and volume managers include
    `hostname`. `files` are paths named by a person, which occur in sentences of the run."""
    secrets = {**dict.fromkeys(files, names.FILE), **names.secrets_of(report)}
    words = Words(secrets, hostname, report, _own_words(report))
    return replace(_rewritten(report, words), anonymous=True)


class Words:
    """Replacement words of `secrets` and of names of known shape. `nouns` are the facts behind the text,
    `own` words in our texts."""

    def __init__(
        self, secrets: dict[str, str], hostname: str, nouns: object, own: frozenset[str] = frozenset()
    ) -> None:
        self._numbers: Counter[str] = Counter()
        self._known: dict[str, str] = {}
        # Partition type UUIDs are the same on all machines.
        entries = (one for one in _nouns(nouns) if isinstance(one, Partition | Slot | TableEntry))
        self._types = {entry.type.casefold() for entry in entries if entry.type}
        literals = dict(secrets)
        if len(hostname) >= SHORTEST and hostname != "localhost":
            literals.setdefault(hostname, names.HOST)
        found: dict[str, str] = {}
        for value, kind in literals.items():
            word = self.word(kind, value)
            for form in _forms(value, kind):
                self._known.setdefault(form.casefold(), word)
                if _findable(form, kind, own):
                    found[form] = _bounded(form, kind)
                elif kind == names.LABEL:
                    for quote in "\"'":
                        quoted = f"{quote}{form}{quote}"
                        self._known[quoted.casefold()] = f"{quote}{word}{quote}"
                        found[quoted] = re.escape(quoted)
                    for key in ("name=", "LABEL=", "label=", "named ", *(f"{flag} " for flag in NAMING)):
                        self._known[f"{key}{form}".casefold()] = f"{key}{word}"
                        found[f"{key}{form}"] = f"{re.escape(key + form)}{NO_LETTER_AFTER}"
        literal = [found[form] for form in sorted(found, key=lambda form: (-len(form), form))]
        nodes, *shapes = [f"(?P<shape{at}>{shape})" for at, (_, shape) in enumerate(SHAPES)]
        self._pattern = re.compile("|".join([nodes, *literal, *shapes]), re.ASCII)

    def word(self, kind: str, value: str) -> str:
        """Return the word for a value in any spelling."""
        key = value.casefold()
        if key not in self._known:
            bare = re.sub(r"[-:.]", "", key) if kind == names.UUID else key
            if bare not in self._known:
                self._numbers[kind] += 1
                word = f"{kind}-{self._numbers[kind]}"
                folder = {names.LINK: "/dev/disk/by-id/", names.MOUNT: "/", names.FILE: "/"}.get(kind, "")
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
    if kind in (names.LABEL, names.MOUNT, names.FILE):
        yield fstab_escaped(value)
        yield shlex.quote(value)
    if kind == names.LINK:
        yield value.rpartition("/")[2]
    if kind == names.SERIAL:
        yield value.replace(" ", "_")
        yield value.encode(errors="replace").hex()
    if kind == names.UUID:
        # Serial numbers of FAT, exFAT and NTFS, as tools expect them.
        yield serial_of(value)
        yield f"0x{serial_of(value)}"
    if kind == names.WWN:
        yield value.removeprefix("0x").removeprefix("naa.").removeprefix("eui.")


def _findable(form: str, kind: str, own: frozenset[str]) -> bool:
    if kind in (names.LABEL, names.MOUNT):
        return len(form) >= SHORTEST and not form.isdigit() and form not in own
    return len(form) > 1


def _bounded(form: str, kind: str) -> str:
    """Short values must be whole words. Numbers match in either case."""
    if kind in (names.SERIAL, names.WWN, names.UUID, names.LINK, names.DIGEST, names.HOST):
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


def _own_words(report: Report) -> frozenset[str]:
    nouns = _nouns((report.advice, report.facts))
    texts = (str(getattr(noun, field)) for noun in nouns for field in OWN_TEXTS.get(type(noun), ()))
    return frozenset(word for text in texts for word in re.findall(r"[A-Za-z]+", text))


def _nouns(value: object) -> Iterator[object]:
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
        return cast(T, dataclasses.replace(value, values=cast(tuple[tuple[str, Value], ...], values)))
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
