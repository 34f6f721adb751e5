"""What is said to a person, as data: which sentence, and the values that it names.

Rules, refusals and documents carry a `Said`. It becomes words where it is shown, and only there: in the
language of the person, by `str()`. The sentences themselves stand in the module `words` of the room that says
them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from string import Formatter
from typing import TypeAlias

from wizard.model.units import format_capacity, format_exact, format_moment, format_nanoseconds, roughly

Value: TypeAlias = "str | int | float | Said | tuple[Value, ...]"
"""What a sentence can name: text as it is, numbers, another sentence, or several of these."""

_KNOWN: dict[str, "Sentence"] = {}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with named fields, for which the English stands: `"{device} needs {room:size}."`

    `code` is `room.name`, stable, and nobody else's; `wizard.room.words` is where it stands. `several` is the
    English for another `count` than one. A field's format says how its value is written: see `FORMATS`.
    """

    code: str
    english: str
    several: str = ""

    def __post_init__(self) -> None:
        if self.code in _KNOWN:
            raise ValueError(f"two sentences have the code {self.code}")
        _KNOWN[self.code] = self

    def __call__(self, **values: Value) -> "Said":
        """The sentence with its values; raises TypeError for a field without a value, or the other way
        round."""
        if values.keys() != self.fields:
            raise TypeError(f"{self.code} names {sorted(self.fields)}, and was given {sorted(values)}")
        return Said(self.code, tuple(values.items()))

    @property
    def fields(self) -> frozenset[str]:
        """The names of its values; `count` where it depends on a number."""
        named = {name for text in (self.english, self.several) for _, name, _, _ in Formatter().parse(text)}
        return frozenset(name for name in named if name) | ({"count"} if self.several else set())


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence and its values, in the order in which they were given."""

    code: str
    values: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        return _WRITER.vformat(_chosen(sentence_of(self.code), dict(self.values)), (), dict(self.values))


def sentence_of(code: str) -> Sentence:
    """The sentence that has this code; raises KeyError where no room has it."""
    if code not in _KNOWN:
        room = code.rpartition(".")[0]
        if all(part.isidentifier() for part in room.split(".")):
            try:
                import_module(f"wizard.{room}.words")
            except ModuleNotFoundError as error:
                raise KeyError(code) from error
    return _KNOWN[code]


def known_sentences() -> Iterator[Sentence]:
    """Those of every room that was loaded."""
    yield from _KNOWN.values()


def _and(value: Value) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if not isinstance(value, tuple):
        return str(value)
    words = [str(one) for one in value]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def _listed(value: Value) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _measured(write: Callable[[float], str]) -> Callable[[Value], str]:
    def written(value: Value) -> str:
        if not isinstance(value, int | float):
            raise TypeError(f"{value!r} is no number")
        return write(value)

    return written


FORMATS: dict[str, Callable[[Value], str]] = {
    "": str,
    "and": _and,
    "list": _listed,
    "size": _measured(lambda size: format_capacity(int(size))),
    "exact": _measured(lambda size: format_exact(int(size))),
    "time": _measured(roughly),
    "latency": _measured(format_nanoseconds),
    "moment": lambda value: format_moment(str(value)),
}
"""How a value is written: `size` bytes as on a drive's box, `exact` without rounding, `time` seconds as an
estimate, `latency` nanoseconds, `moment` ISO 8601, `and` and `list` several values."""


class _Writer(Formatter):
    def format_field(self, value: Value, format_spec: str) -> str:
        written = FORMATS.get(format_spec)
        if written is not None:
            return written(value)
        return format(value, format_spec)

    def check_unused_args(self, used_args: object, args: object, kwargs: object) -> None:
        """`count` alone may choose the sentence and stand nowhere in it."""


_WRITER = _Writer()


class Language:
    """What the sentences are said in. English needs no catalogue: it stands in the sentences."""

    one: Callable[[str, str], str] = staticmethod(lambda code, english: english)
    many: Callable[[str, str, str, int], str] = staticmethod(
        lambda code, english, several, count: english if count == 1 else several
    )


def _chosen(sentence: Sentence, values: dict[str, Value]) -> str:
    if not sentence.several:
        return Language.one(sentence.code, sentence.english)
    count = values["count"]
    if not isinstance(count, int):
        raise TypeError(f"{sentence.code} was given {count!r} as its count")
    return Language.many(sentence.code, sentence.english, sentence.several, count)


def joined(parts: Sequence[Said]) -> str:
    """Sentences one after the other."""
    return " ".join(map(str, parts))
