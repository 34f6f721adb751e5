"""Translatable messages with named values.

Rules, refusals and documents carry a `Said`. It is translated where it is shown, by `str()`. A message is
written where it is used, with `t` or `tn`; the English is its key in the catalogues of gettext.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from string import Formatter
from typing import Any, TypeAlias

from wizard.model.errors import DiskwrightError
from wizard.model.names import printable
from wizard.model.units import (
    format_capacity,
    format_duration,
    format_exact,
    format_moment,
    format_nanoseconds,
    format_round,
)

Value: TypeAlias = "str | int | float | Said | tuple[Value, ...]"
"""What a sentence can name: text as it is, numbers, another sentence, or several of these."""

LONGEST_TEXT = 300
"""Characters of a text that a sentence names; the rest of a longer one is cut."""

LONGEST_PROFILE_TEXT = 1000
"""As many of a text that a profile has: several sentences."""

LONGEST_MESSAGE = 2000
"""Characters of a message in a document."""

_NUMBER = re.compile(r"[,+]?\d{0,2}(\.\d{1,2})?[dfg]?")
"""The formats of numbers beside `FORMATS`."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A message with named fields, in English: `"{device} needs {room:size}."`.

    It is the key of its translations. A field's format says how its value is written: see `FORMATS`. If
    there is a form for `several`, the value `count` chooses between them.
    """

    english: str
    several: str = ""

    def __call__(self, **values: Value) -> "Said":
        """Return the message with its values. Raises TypeError if a field has no value, or a value no
        field."""
        if values.keys() != self.fields:
            raise TypeError(f"{self.english!r} names {sorted(self.fields)}, and was given {sorted(values)}")
        return Said(self.english, self.several, tuple(sorted(values.items())))

    @property
    def fields(self) -> frozenset[str]:
        """The names of its values; `count` if it depends on a number."""
        return fields_of(self.english) | fields_of(self.several) | ({"count"} if self.several else set())


class Sentences(Sentence):
    """A message with two forms: for a `count` of one, and for any other."""

    __slots__ = ()

    def __init__(self, english: str, several: str) -> None:
        Sentence.__init__(self, english, several)


def t(english: str, /, **values: Value) -> "Said":
    """Return a message with its values; raises TypeError as `Sentence` does."""
    return Sentence(english)(**values)


def tn(one: str, many: str, /, **values: Value) -> "Said":
    """Return a message in the form for its `count`; raises TypeError as `Sentence` does."""
    return Sentence(one, many)(**values)


@dataclass(frozen=True, slots=True)
class Said:
    """A message and its values, by name; translated when it is shown."""

    english: str
    several: str = ""
    values: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        values = dict(self.values)
        try:
            return _WRITER.vformat(_chosen(self, values, Language), (), values)
        except (LookupError, TypeError, ValueError):
            # A translation with fields that the sentence does not have: better in English than not at all.
            return _WRITER.vformat(_chosen(self, values, English), (), values)

    def is_of(self, sentence: Sentence) -> bool:
        """Return whether it is this message, whatever its values."""
        return (self.english, self.several) == (sentence.english, sentence.several)


def from_document(english: str, several: str, values: Mapping[str, Value]) -> Said:
    """Return a message that a document contains. Raises ValueError or TypeError if it cannot be written: with
    other fields than values, an unknown format, or control characters."""
    sentence = Sentence(english, several)
    for text in (english, several):
        if not english or printable(text, LONGEST_MESSAGE) != text:
            raise ValueError("it is empty, too long or not printable")
        for _, _, form, conversion in Formatter().parse(text):
            if conversion not in (None, "r") or (
                form and form not in FORMATS and not _NUMBER.fullmatch(form)
            ):
                raise ValueError(f"there is no format {form!r}")
    said = sentence(**values)
    _WRITER.vformat(_chosen(said, dict(values), English), (), dict(values))
    return said


PROFILES = "profiles"
"""The context of texts from profiles in a catalogue; theirs in place of a code."""


class ProfileText(Said):
    """A text of a profile: in the person's language where a catalogue has it, otherwise as it is written. It
    names no values, so braces are braces.

    Documents hold its English. False where nothing is written.
    """

    __slots__ = ()

    def __init__(self, english: str) -> None:
        Said.__init__(self, english)

    def __str__(self) -> str:
        return Language.of_profiles(PROFILES, self.english) if self.english else ""

    def __bool__(self) -> bool:
        return bool(self.english)


NO_TEXT = ProfileText("")


@cache
def fields_of(text: str) -> frozenset[str]:
    """The names of the fields in a sentence; raises ValueError for unpaired braces."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name)


_ROW = Sentence("{sentences:row}")


def in_a_row(*said: Said) -> Said:
    """Several sentences as one: each is whole, and stands behind the other."""
    return said[0] if len(said) == 1 else _ROW(sentences=said)


def parts_of(said: Said | str) -> tuple[Said | str, ...]:
    """What stands in a row; a sentence that stands alone is the only part, and nothing has none."""
    if isinstance(said, Said) and said.is_of(_ROW):
        [(_, parts)] = said.values
        return (
            tuple(part for part in parts if isinstance(part, Said | str)) if isinstance(parts, tuple) else ()
        )
    return (said,) if said else ()


def _joined(between: str) -> Callable[[Value], str]:
    def written(value: Value) -> str:
        return between.join(map(_plain, value)) if isinstance(value, tuple) else _plain(value)

    return written


def _and(value: Value) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if not isinstance(value, tuple) or len(value) < 2:
        return FORMATS["list"](value)
    return str(t("{first:list} and {last}", first=value[:-1], last=value[-1]))


def _plain(value: Value) -> str:
    """As it is. Text may be foreign: what a drive, a person or a program says of itself."""
    if isinstance(value, ProfileText):
        return printable(str(value), LONGEST_PROFILE_TEXT)
    return printable(value, LONGEST_TEXT) if type(value) is str else str(value)


def _first(value: Value) -> str:
    text = _plain(value)
    return text[:1].upper() + text[1:]


def _roughly(seconds: float) -> str:
    return (
        str(t("about {duration}", duration=format_duration(seconds)))
        if seconds >= 1
        else format_duration(seconds)
    )


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
    "semicolons": _joined("; "),
    "sum": _joined(" + "),
    "First": _first,
    "size": _measured(lambda size: format_capacity(int(size))),
    "exact": _measured(lambda size: format_exact(int(size))),
    "round": _measured(lambda size: format_round(int(size))),
    "time": _measured(_roughly),
    "latency": _measured(format_nanoseconds),
    "moment": lambda value: printable(format_moment(str(value)), 40),
}
"""How a value is written: `size` bytes as on a drive's box, `exact` without rounding, `round` as either (see
`format_round`), `time` seconds as an estimate, `latency` nanoseconds, `moment` ISO 8601; `and`, `list`,
`semicolons` and `sum` several values, `row` several sentences; `First` as the first word of a sentence."""


class _Writer(Formatter):
    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, str]:
        """The value itself, never something of it: a translation is no program."""
        return kwargs[field_name], field_name

    def format_field(self, value: Value, format_spec: str) -> str:
        written = FORMATS.get(format_spec)
        if written is not None:
            return written(value)
        return format(value, format_spec)

    def check_unused_args(self, used_args: object, args: object, kwargs: object) -> None:
        """`count` alone may choose the sentence and stand nowhere in it."""


_WRITER = _Writer()


class English:
    """The sentences as they stand in the program."""

    one: Callable[[str], str] = staticmethod(lambda english: english)
    many: Callable[[str, str, int], str] = staticmethod(
        lambda english, several, count: english if count == 1 else several
    )
    of_profiles: Callable[[str, str], str] = staticmethod(lambda context, english: english)


class Language(English):
    """What the sentences are said in: `wizard.documents.language` puts a catalogue's `gettext`, `ngettext`
    and `pgettext` here. English needs none."""


def _chosen(said: Said, values: Mapping[str, Value], language: type[English]) -> str:
    if not said.several:
        return language.one(said.english)
    count = values["count"]
    if not isinstance(count, int):
        raise TypeError(f"{said.english!r} was given {count!r} as its count")
    return language.many(said.english, said.several, count)


def reason_of(error: DiskwrightError) -> Said | str:
    """What an error says, for a sentence that names it. A sentence of ours is not cut there."""
    return error.said if isinstance(error.said, Said) and not error.ending else str(error)


def in_english(said: object) -> str:
    """What is said, in English whatever the person speaks: for what is recorded, where words are all there
    is."""
    if isinstance(said, ProfileText) or not isinstance(said, Said):
        return said.english if isinstance(said, ProfileText) else str(said)
    values = {name: _in_english(value) for name, value in said.values}
    return _WRITER.vformat(_chosen(said, values, English), (), values)


class _English(str):
    """A sentence that is said already: nothing of it is cut."""

    __slots__ = ()


def _in_english(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(map(_in_english, value))
    return _English(in_english(value)) if isinstance(value, Said) else value


def joined(parts: Sequence[Said]) -> str:
    """Sentences one after the other."""
    return " ".join(map(str, parts))
