"""Decode plain JSON or TOML values to records by field type. Errors name value and place."""

from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from enum import Enum
from functools import cache
from itertools import repeat
from types import NoneType, UnionType
from typing import Any, Literal, TypeGuard, TypeVar, Union, cast, get_args, get_origin

from msgspec import Struct, structs

from wizard.documents.files import itself
from wizard.model.errors import DERIVED, Written
from wizard.model.said import Message, ProfileText, Sentence, Value, from_document, t

T = TypeVar("T")

Decoder = Callable[[Any], Any]

WRONG = Sentence("{what} must be {wanted}, not {found}.")
A_MESSAGE = t("a message with values")


class Misfit(ValueError):
    """A value of the wrong type, at `place` (`choices[1].sentence`)."""

    def __init__(self, sentence: Sentence, place: str = "", **values: Value) -> None:
        super().__init__(sentence.english)
        self.sentence = sentence
        self.place = place
        self.values = values

    @property
    def key(self) -> str:
        """Place of the value, empty for the whole document."""
        return self.place.removeprefix(".")

    @property
    def said(self) -> Message:
        """The error message, without the containing tables."""
        return self.sentence(what=itself(self.key), **self.values)


def decode(value: Any, wanted: type[T]) -> T:
    """Convert a value to `wanted`. Raises Misfit for the first unknown key or wrong type."""
    return cast(T, _decoder(cast(Hashable, wanted))(value))


@cache
def _decoder(wanted: Hashable) -> Decoder:
    if shape := SHAPES.get(get_origin(wanted)):
        return shape(*get_args(wanted))
    if wanted is Message:
        return _message
    if wanted is ProfileText:
        text = _scalar(str)
        return lambda value: ProfileText(text(value))
    record = get_origin(wanted) or wanted
    assert isinstance(record, type), wanted
    if issubclass(record, Struct) and record.__struct_fields__:
        return _record(record, wanted)
    assert isinstance(wanted, type), wanted
    if issubclass(wanted, Enum):
        return _one_of({member.value: member for member in wanted})
    return _scalar(wanted) if wanted in KINDS or wanted is int else _by_kind(family_of(wanted))


def family_of(base: type) -> list[type]:
    """Return the imported records derived from a base class. Documents give the `kind`."""
    return sorted(base.__subclasses__(), key=lambda one: one.__name__)


def _scalar(wanted: type) -> Decoder:
    fitting = (int, float) if wanted is float else (wanted,)

    def decoder(value: Any) -> Any:
        if type(value) not in fitting:
            raise _other_type(wanted, value)
        return value

    return decoder


def _one_of(values: dict[str, Any]) -> Decoder:
    def decoder(value: Any) -> Any:
        if type(value) is not str or value not in values:
            raise Misfit(
                Sentence("{what} must be one of {values:list}, not {found}."),
                values=tuple(values),
                found=_shown(value),
            )
        return values[value]

    return decoder


def _union(*members: Any) -> Decoder:
    types = [member for member in members if member is not NoneType]
    if set(types) == {Message, str}:
        return lambda value: value if type(value) is str else _message(value)
    inner = _decoder(types[0]) if len(types) == 1 else _by_kind(types)
    if len(types) == len(members):
        return inner
    return lambda value: None if value is None else inner(value)


def _by_kind(members: Iterable[Any]) -> Decoder:
    decoders = {
        str(field.default): _decoder(member)
        for member in members
        for field in fields_of(member)
        if field.name == "kind"
    }
    kind_of = _one_of(decoders)

    def decoder(value: Any) -> Any:
        kind = value.get("kind") if type(value) is dict else None
        try:
            chosen: Decoder = kind_of(kind)
        except Misfit as misfit:
            misfit.place = ".kind"
            raise
        return chosen(value)

    return decoder


def _tuple(*members: Any) -> Decoder:
    if members[1:] == (Ellipsis,):
        return _sequence(tuple, members[0])
    inner = [_decoder(member) for member in members]

    def decoder(value: Any) -> Any:
        if type(value) not in (list, tuple) or len(value) != len(inner):
            raise Misfit(
                Sentence("{what} must be a list of {length} values, not {found}."),
                length=len(inner),
                found=_shown(value),
            )
        return tuple(_members(value, inner))

    return decoder


def _members(value: Iterable[Any], decoders: Iterable[Decoder]) -> list[Any]:
    found: list[Any] = []
    try:
        for one, decoder in zip(value, decoders, strict=False):
            found.append(decoder(one))
    except Misfit as misfit:
        misfit.place = f"[{len(found)}]{misfit.place}"
        raise
    return found


def _sequence(made: Callable[[list[Any]], Any], member: Any) -> Decoder:
    inner = _decoder(member)

    def decoder(value: Any) -> Any:
        if type(value) not in (list, tuple):
            raise _other_type(list, value)
        return made(_members(value, repeat(inner)))

    return decoder


def _dict(_key: type[str], member: Any) -> Decoder:
    inner = _decoder(member)

    def decoder(value: Any) -> Any:
        if type(value) is not dict:
            raise _other_type(dict, value)
        return _values(value, lambda _name: inner)

    return decoder


class RecordField(Struct, frozen=True):
    """A field of a record, without its annotations. `written`: WHERE_USED, DERIVED, IN_ENGLISH or None."""

    name: str
    type: Any
    default: Any
    required: bool
    written: Written | None


@cache
def fields_of(record: Any) -> tuple[RecordField, ...]:
    """Return the fields of a record."""
    found = []
    for field in structs.fields(record):
        marks = getattr(field.type, "__metadata__", ())
        written = next((mark for mark in marks if isinstance(mark, Written)), None)
        kind = field.type.__origin__ if marks else field.type
        found.append(RecordField(field.name, kind, field.default, field.required, written))
    return tuple(found)


def _record(made: type[Struct], wanted: Hashable) -> Decoder:
    known = fields_of(wanted)
    # Never accept derived fields from outside.
    decoders = {
        field.name: _decoder(cast(Hashable, field.type)) for field in known if field.written is not DERIVED
    }
    required = [field.name for field in known if field.required]

    def decoder(value: Any) -> Any:
        if type(value) is not dict:
            raise _other_type(dict, value)
        # Report a mistyped key as unknown rather than missing.
        if not value.keys() <= decoders.keys():
            unknown = next(name for name in value if name not in decoders)
            raise Misfit(Sentence("{what} is not a known key."), f".{unknown}")
        found = _values(value, decoders.__getitem__)
        if missing := [name for name in required if name not in found]:
            raise Misfit(Sentence("{what} is missing."), f".{missing[0]}")
        return made(**found)

    return decoder


def _message(value: Any) -> Message:
    """Version 1.0 has a code instead of the text, which is shown with the values."""
    if not is_message(value):
        raise Misfit(WRONG, wanted=A_MESSAGE, found=_shown(value))
    if "code" in value:
        return t("{text}", text=foreign(value))
    english, several = value.get("english", ""), value.get("several", "")
    try:
        return from_document(english, several, _values(value["values"], lambda _name: _message_value))
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        raise Misfit(WRONG, wanted=A_MESSAGE, found=_shown(english)) from None


def _message_value(value: Any) -> Any:
    if type(value) is dict:
        return _message(value)
    if type(value) is list:
        return tuple(map(_message_value, value))
    if type(value) not in (str, int, float):
        raise Misfit(WRONG, wanted=A_MESSAGE, found=_kind_of(type(value)))
    return value


def _values(table: dict[str, Any], decoder_of: Callable[[str], Decoder]) -> dict[str, Any]:
    found = {}
    name = ""
    try:
        for name, value in table.items():
            found[name] = decoder_of(name)(value)
    except Misfit as misfit:
        misfit.place = f".{name}{misfit.place}"
        raise
    return found


def _other_type(wanted: type, value: object) -> Misfit:
    found = type(value)
    # Distinguish fractions from whole numbers.
    is_fraction = (wanted, found) == (int, float)
    return Misfit(
        WRONG,
        wanted=t("a whole number") if wanted is int else _kind_of(wanted),
        found=t("a fraction") if is_fraction else _kind_of(found),
    )


def _kind_of(found: type) -> Message:
    return KINDS.get(found, t("a date or a time"))


def _shown(value: object) -> Value:
    return repr(value[:40]) if type(value) is str else _kind_of(type(value))


KINDS: dict[type, Message] = {
    str: t("text"),
    **dict.fromkeys((int, float), t("a number")),
    bool: t("a boolean (true or false)"),
    **dict.fromkeys((list, tuple), t("a list")),
    dict: t("a table"),
    NoneType: t("nothing"),
}
"""Names of types. TOML's other types are times."""


SHAPES: dict[Any, Callable[..., Decoder]] = {
    Union: _union,
    UnionType: _union,
    Literal: lambda *words: _one_of({word: word for word in words}),
    tuple: _tuple,
    frozenset: lambda member: _sequence(frozenset, member),
    dict: _dict,
}
"""Functions that return a decoder for a type's arguments."""


DEEPEST = 8
"""Depth to search, as deep as documents nest."""


def is_message(value: object) -> TypeGuard[dict[str, Any]]:
    """Return True if the value has the form of a message, known or not."""
    if not isinstance(value, dict) or not isinstance(value.get("values"), dict):
        return False
    texts = {name: text for name, text in value.items() if name != "values"}
    return texts.keys() - {"several"} in ({"code"}, {"english"}) and all(
        isinstance(text, str) for text in texts.values()
    )


def foreign(value: object, deepest: int = DEEPEST) -> str:
    """Return an unknown message as text."""
    if not deepest:
        return "..."
    if isinstance(value, list):
        return ", ".join(foreign(one, deepest - 1) for one in value)
    if not is_message(value):
        return "..." if isinstance(value, dict) else str(value)
    values = tuple(f"{name} {foreign(one, deepest - 1)}" for name, one in value["values"].items())
    code = str(value.get("code", value.get("english")))
    return str(t("{code} ({values:list})", code=code, values=values))


def known_or_text(value: object, deepest: int = DEEPEST) -> object:
    """Replace unknown messages in a document by text."""
    if not deepest:
        return value
    if isinstance(value, list):
        return [known_or_text(one, deepest - 1) for one in value]
    if is_message(value):
        with suppress(Misfit):
            decode(value, Message)
            return value
        return foreign(value)
    if isinstance(value, dict):
        return {name: known_or_text(one, deepest - 1) for name, one in value.items()}
    return value
