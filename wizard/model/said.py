"""Translatable messages with named values.

Rules, refusals and documents contain a `Message`, translated by `str()` when shown. Write a message where it
is used, with `t` or `tn`. The English text is the key in the gettext catalogues.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import cache
from pathlib import PurePath
from string import Formatter
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from wizard.model.errors import BadInput, DiskwrightError, Failed, printable

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB
TIB = 1024 * GIB

KERNEL_SECTOR_BYTES = 512
"""Unit of all sizes and starts in sysfs, for any logical block size
(Documentation/ABI/stable/sysfs-block)."""

_LETTERS = "KMGTPE"
_SIZE = re.compile(r"\s*(\d{1,24}(?:\.\d{1,24})?)\s*([KMGTPE]?)(iB|B|)\s*", re.IGNORECASE | re.ASCII)


def rounded_up(size_bytes: int, grain_bytes: int) -> int:
    """Round a size or position up to a multiple of `grain_bytes`."""
    return -(-size_bytes // grain_bytes) * grain_bytes


def parse_size(text: str) -> int:
    """Parse `500G`, `1.5TiB`, `750GB` or `4096` into bytes. Raises BadInput with the text."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise BadInput(
            t(
                "{text!r} is not a size. Write a number with K, M, G or T behind it, such as 500G or 750GB.",
                text=text[:40],
            )
        )
    number, letter, unit = match.groups()
    if not letter:
        return int(float(number))
    base = 1000 if unit.upper() == "B" else 1024
    return int(float(number) * base ** (_LETTERS.index(letter.upper()) + 1))


def parse_place(text: str) -> int:
    """Parse a position on a drive into bytes. `2048s` counts 512-byte sectors, as other tools do. Raises
    BadInput."""
    return int(text[:-1]) * KERNEL_SECTOR_BYTES if re.fullmatch(r"[0-9]{1,15}s", text) else parse_size(text)


def format_capacity(size_bytes: int) -> str:
    """Format as on a drive's label, in powers of 1000 with at most four characters: `8.0 TB`."""
    return _scaled(size_bytes, 1000, ("B", "kB", "MB", "GB", "TB", "PB"))


def _scaled(size_bytes: int, base: int, units: Sequence[str]) -> str:
    value = float(size_bytes)
    for unit in units[:-1]:
        if value < base - 0.5:
            return f"{value:.0f} {unit}" if value >= 99.95 or unit == units[0] else f"{value:.1f} {unit}"
        value /= base
    return f"{value:.1f} {units[-1]}"


def format_exact(size_bytes: int) -> str:
    """Format in the largest power of 1024 that divides the size: `17 KiB`, `3584 bytes`."""
    for factor, unit in ((TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size_bytes and size_bytes % factor == 0:
            return f"{size_bytes // factor} {unit}"
    return f"{size_bytes} bytes"


def format_round(size_bytes: int) -> str:
    """Format in powers of 1024, to be read beside exact sizes: `490 MiB`, `1.5 GiB`."""
    return _scaled(size_bytes, 1024, ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")).replace(".0 ", " ")


def format_moment(moment: str) -> str:
    """Format an ISO 8601 time: `2026-11-23 05:30 UTC`. Other text is unchanged."""
    try:
        when = datetime.fromisoformat(moment)
        return moment if when.tzinfo is None else f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError):
        return moment


def format_duration(seconds: float) -> str:
    """Format an estimate, rounded: `3 min`, `2 h 10 min`."""
    if seconds < 1:
        return "under 1 s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def format_nanoseconds(nanoseconds: float) -> str:
    """Format as `8.5 us`, `85 us` or `12.3 ms`."""
    if nanoseconds < 10_000:
        return f"{nanoseconds / 1000:.1f} us"
    return f"{nanoseconds / 1000:.0f} us" if nanoseconds < 1_000_000 else f"{nanoseconds / 1_000_000:.1f} ms"


Value: TypeAlias = "str | int | float | Message | tuple[Value, ...]"
"""Values of messages: text, numbers, other messages, or several of these."""


class OnNode(Protocol):
    """A drive, partition or volume."""

    @property
    def path(self) -> str:
        """Its node."""


Given: TypeAlias = "Value | PurePath | OSError | DiskwrightError | OnNode"
"""Values that callers may give: a message shows paths as text, errors by their reason, and drives by their
node."""

LONGEST_TEXT = 300
"""Maximum length of a text value, in characters. Longer text is cut."""

LONGEST_PROFILE_TEXT = 1000
"""Maximum length of a profile text, in characters: several sentences."""

LONGEST_MESSAGE = 2000
"""Maximum length of a message in a document, in characters."""

_NUMBER = re.compile(r"[,+]?\d{0,2}(\.\d{1,2})?[dfg]?")
"""Number formats, in addition to `FORMATS`."""


class Sentence(Struct, frozen=True):
    """A message with named fields: `"{device} needs {room:size}."`. The English text is the key of the
    translations. See `FORMATS` for the fields' formats. With the form `several`, the value `count`
    chooses."""

    english: str
    several: str = ""

    def __call__(self, **values: Given) -> "Message":
        """Raises TypeError if a field has no value or a value has no field."""
        if values.keys() != self.fields:
            raise TypeError(f"{self.english!r} names {sorted(self.fields)}, and was given {sorted(values)}")
        safe = ((name, _safe(value)) for name, value in sorted(values.items()))
        return Message(self.english, self.several, tuple(safe))

    @property
    def fields(self) -> frozenset[str]:
        """Names of the fields, including `count` if the message has two forms."""
        return fields_of(self.english) | fields_of(self.several) | ({"count"} if self.several else set())


class Sentences(Sentence, frozen=True):
    """A message with two forms: for a `count` of one, and for all others."""


def t(english: str, /, **values: Given) -> "Message":
    """Return a message. Raises TypeError as `Sentence` does."""
    return Sentence(english)(**values)


def tn(one: str, many: str, /, **values: Given) -> "Message":
    """Return a message in the form for `count`."""
    return Sentence(one, many)(**values)


class Message(Struct, frozen=True):
    """A message with named values, translated when shown."""

    english: str
    several: str = ""
    values: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        values = dict(self.values)
        try:
            return _WRITER.vformat(_chosen(self, values, _LANGUAGE.get()), (), values)
        except (LookupError, TypeError, ValueError):
            # A translation with fields that the message lacks: better in English than not at all.
            return _WRITER.vformat(_chosen(self, values, English), (), values)


def from_document(english: str, several: str, values: Mapping[str, Value]) -> Message:
    """Raises ValueError or TypeError if fields and values differ, a format is unknown, or text is
    unprintable."""
    sentence = Sentence(english, several)
    for text in (english, several):
        if not english or printable(text, LONGEST_MESSAGE) != text:
            raise ValueError("it is empty, too long or not printable")
        for _, _, form, conversion in Formatter().parse(text):
            if conversion not in (None, "r") or (
                form and form not in FORMATS and not _NUMBER.fullmatch(form)
            ):
                raise ValueError(f"there is no format {form!r}")
    message = sentence(**values)
    _WRITER.vformat(_chosen(message, dict(values), English), (), dict(values))
    return message


PROFILES = "profiles"
"""Context of profile texts in the catalogues."""


class ProfileText(Message, frozen=True):
    """A profile text, translated if a catalogue contains it. Braces are literal. An empty text is false."""

    def __str__(self) -> str:
        return _LANGUAGE.get().of_profiles(PROFILES, self.english) if self.english else ""

    def __bool__(self) -> bool:
        return bool(self.english)


NO_TEXT = ProfileText("")


@cache
def fields_of(text: str) -> frozenset[str]:
    """Return the names of the fields in a text. Raises ValueError for unbalanced braces."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name)


_JOINED = Sentence("{sentences:row}")


def join(*said: Message | str) -> Message:
    """Join complete sentences into one message. Text is cut like any value."""
    return said[0] if len(said) == 1 and isinstance(said[0], Message) else _JOINED(sentences=said)


def _several(value: Value) -> tuple[Value, ...]:
    return value if isinstance(value, tuple) else (value,)


def _joined(between: str) -> Callable[[Value], str]:
    return lambda value: between.join(map(_plain, _several(value)))


def _and(value: Value) -> str:
    if not isinstance(value, tuple) or len(value) < 2:
        return FORMATS["list"](value)
    return str(t("{first:list} and {last}", first=value[:-1], last=value[-1]))


def _safe(value: Given) -> Value:
    """Text can come from drives, users and programs."""
    if isinstance(value, tuple):
        return tuple(map(_safe, value))
    if isinstance(value, DiskwrightError):
        value = reason_of(value)
    elif isinstance(value, OSError):
        value = value.strerror or str(value)
    elif isinstance(value, PurePath):
        value = str(value)
    elif not isinstance(value, str | int | float | Message):
        value = value.path
    return printable(value, LONGEST_TEXT) if type(value) is str else value


def _plain(value: Value) -> str:
    """Documents contain profile texts in full."""
    cut = isinstance(value, ProfileText) and _LANGUAGE.get() is Language
    return printable(str(value), LONGEST_PROFILE_TEXT) if cut else str(value)


def _roughly(seconds: float) -> str:
    duration = format_duration(seconds)
    return str(t("about {duration}", duration=duration)) if seconds >= 1 else duration


def _measured(write: Callable[[float], str]) -> Callable[[Value], str]:
    def written(value: Value) -> str:
        if not isinstance(value, int | float):
            raise TypeError(f"{value!r} is no number")
        return write(value)

    return written


FORMATS: dict[str, Callable[[Value], str]] = {
    "": _plain,
    "and": _and,
    "list": _joined(", "),
    "row": _joined(" "),
    "lines": lambda value: "".join(f"\n    {_plain(one)}" for one in _several(value)),
    "semicolons": _joined("; "),
    "sum": _joined(" + "),
    "First": lambda value: _plain(value)[:1].upper() + _plain(value)[1:],
    "size": _measured(lambda size: format_capacity(int(size))),
    "exact": _measured(lambda size: format_exact(int(size))),
    "round": _measured(lambda size: format_round(int(size))),
    "time": _measured(_roughly),
    "latency": _measured(format_nanoseconds),
    "moment": lambda value: printable(format_moment(str(value)), 40),
}
"""How values are formatted. `size`: bytes as on a drive's label. `exact`: bytes without rounding. `round`:
see `format_round`. `time`: seconds as an estimate. `latency`: nanoseconds. `moment`: ISO 8601. `and`, `list`,
`semicolons` and `sum`: several values. `row`: several sentences. `lines`: each on a line below. `First`:
capitalized, at the start of a sentence."""


class _Writer(Formatter):
    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, str]:
        """Return the value only, never its attributes: translations must not run code."""
        return kwargs[field_name], field_name

    def format_field(self, value: Value, format_spec: str) -> str:
        written = FORMATS.get(format_spec)
        return written(value) if written else format(value, format_spec)

    def check_unused_args(self, used_args: object, args: object, kwargs: object) -> None:
        """Accept unused values: `count` may only select the form."""


_WRITER = _Writer()


class English:
    """Untranslated messages."""

    one: Callable[[str], str] = staticmethod(lambda english: english)
    many: Callable[[str, str, int], str] = staticmethod(
        lambda english, several, count: english if count == 1 else several
    )
    of_profiles: Callable[[str, str], str] = staticmethod(lambda context, english: english)


class Language(English):
    """Current language. `wizard.documents.files` sets the functions to a catalogue's."""


_LANGUAGE: ContextVar[type[English]] = ContextVar("language", default=Language)


def _chosen(message: Message, values: Mapping[str, Value], language: type[English]) -> str:
    if not message.several:
        return language.one(message.english)
    count = values["count"]
    if not isinstance(count, int):
        raise TypeError(f"{message.english!r} was given {count!r} as its count")
    return language.many(message.english, message.several, count)


def reason_of(error: DiskwrightError) -> Message | str:
    """Return an error's text for use in another message. Messages of diskwright are not cut."""
    return error.said if isinstance(error.said, Message) and not error.ending else str(error)


def shown_lines(said: Message | str, limit: int) -> list[str]:
    """Split a message into lines that are safe to show, cut to `limit`. Foreign text is one line."""
    lines = str(said).split("\n") if isinstance(said, Message) else [said]
    return [printable(line, limit) for line in lines]


def in_english(said: object) -> str:
    """Return the English text in any language setting."""
    before = _LANGUAGE.set(English)
    try:
        return str(said)
    finally:
        _LANGUAGE.reset(before)


def joined(parts: Sequence[Message]) -> str:
    """Join messages with blanks."""
    return " ".join(map(str, parts))


@contextmanager
def failing(sentence: Sentence, kind: type[DiskwrightError] = Failed, /, **values: Given) -> Iterator[None]:
    """Convert an OSError to an error with this sentence, whose field `why` is the reason."""
    try:
        yield
    except OSError as error:
        raise kind(sentence(**values, why=error)) from None
