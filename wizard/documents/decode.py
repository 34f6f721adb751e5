"""Decode plain JSON or TOML values to records by field type. Errors name value and place."""

from base64 import b64decode
from collections.abc import Callable, Hashable, Iterable
from enum import Enum
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, Literal, TypeGuard, TypeVar, Union, cast, get_args, get_origin

from msgspec import Struct, structs

from wizard.documents.files import itself
from wizard.model.errors import DERIVED, WHERE_USED, Written
from wizard.model.said import Message, ProfileText, Sentence, Value, from_document, t

T = TypeVar("T")

Decoder = Callable[[Any, str], Any]
"""Converts the value at a place, such as `.choices[1].sentence`. Raises Misfit."""

WRONG = Sentence("{what} must be {wanted}, not {found}.")


class Misfit(ValueError):
    """A value of the wrong type. `key`: the place (`choices[1].sentence`), empty for the whole document.
    `said`: the error, without the containing tables."""

    def __init__(self, place: str, sentence: Sentence, **values: Value) -> None:
        super().__init__(sentence.english)
        self.key = place.removeprefix(".")
        self.said = sentence(what=itself(self.key), **values)


def decode(value: Any, wanted: type[T]) -> T:
    """Convert a value to `wanted`. Raises Misfit for the first unknown key or wrong type."""
    return cast(T, _decoder(cast(Hashable, wanted))(value, ""))


@cache
def _decoder(wanted: Any) -> Decoder:
    kind, members = get_origin(wanted) or wanted, get_args(wanted)
    if kind in (Union, UnionType):
        return _union(members)
    if kind is Literal:
        return _one_of({word: word for word in members})
    if kind is tuple and members[1:] != (Ellipsis,):
        return partial(_row, [_decoder(member) for member in members])
    if kind in (tuple, frozenset):
        inner = _decoder(members[0])
        return lambda value, place: kind(
            inner(one, f"{place}[{at}]") for at, one in enumerate(_typed(list, value, place))
        )
    if kind is dict:
        inner = _decoder(members[1])
        return lambda value, place: {
            name: inner(one, f"{place}.{name}") for name, one in _typed(dict, value, place).items()
        }
    if kind is Message:
        return _message
    if convert := FROM_TEXT.get(kind):
        return lambda value, place: convert(_typed(str, value, place))
    if kind in KINDS:
        return partial(_typed, kind)
    if issubclass(kind, Enum):
        return _one_of({member.value: member for member in kind})
    return _record(kind, wanted) if is_record(kind) else _by_kind(family_of(kind))


def family_of(base: type) -> list[type]:
    """Return the imported records derived from a base class. Documents give the `kind`."""
    return sorted(base.__subclasses__(), key=lambda one: one.__name__)


def is_record(wanted: type[Struct]) -> bool:
    """Return False for a base class, whose records are its family."""
    return bool(wanted.__struct_fields__ or not wanted.__subclasses__())


def _typed(wanted: type, value: Any, place: str) -> Any:
    found = type(value)
    if found is wanted or (wanted, found) in ((float, int), (list, tuple)):
        return value
    # Distinguish fractions from whole numbers.
    is_fraction = (wanted, found) == (int, float)
    raise Misfit(
        place,
        WRONG,
        wanted=t("a whole number") if wanted is int else KINDS[wanted],
        found=t("a fraction") if is_fraction else _kind_of(found),
    )


def _bytes_of(text: str) -> bytes:
    """Return the bytes of base64, none if it is damaged."""
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return b""


FROM_TEXT: dict[Any, Callable[[str], object]] = {bytes: _bytes_of, ProfileText: ProfileText}


def _one_of(values: dict[str, Any]) -> Decoder:
    def decoder(value: Any, place: str) -> Any:
        if type(value) is str and value in values:
            return values[value]
        form = Sentence("{what} must be one of {values:list}, not {found}.")
        raise Misfit(place, form, values=tuple(values), found=_shown(value))

    return decoder


def _union(members: tuple[Any, ...]) -> Decoder:
    types = [member for member in members if member is not NoneType]
    if set(types) == {Message, str}:
        return lambda value, place: value if type(value) is str else _message(value, place)
    inner = _decoder(types[0]) if len(types) == 1 else _by_kind(types)
    if len(types) == len(members):
        return inner
    return lambda value, place: None if value is None else inner(value, place)


def _by_kind(members: Iterable[Any]) -> Decoder:
    decoders = {
        str(field.default): _decoder(member)
        for member in members
        for field in fields_of(member)
        if field.name == "kind"
    }
    kind_of = _one_of(decoders)

    def decoder(value: Any, place: str) -> Any:
        chosen: Decoder = kind_of(value.get("kind") if type(value) is dict else None, f"{place}.kind")
        return chosen(value, place)

    return decoder


def _row(inner: list[Decoder], value: Any, place: str) -> Any:
    if type(value) not in (list, tuple) or len(value) != len(inner):
        form = Sentence("{what} must be a list of {length} values, not {found}.")
        raise Misfit(place, form, length=len(inner), found=_shown(value))
    return tuple(
        decoder(one, f"{place}[{at}]") for at, (decoder, one) in enumerate(zip(inner, value, strict=True))
    )


class RecordField(Struct, frozen=True):
    """A field of a record, without its annotations. `written`: WHERE_USED, DERIVED, IN_ENGLISH or None."""

    name: str
    type: Any
    default: Any
    required: bool
    written: Written | None


@cache
def fields_of(record: Any) -> tuple[RecordField, ...]:
    """Return the fields of a record, and the `kind` of a tagged one."""
    found = []
    for field in structs.fields(record):
        marks = getattr(field.type, "__metadata__", ())
        written = next((mark for mark in marks if isinstance(mark, Written)), None)
        kind = field.type.__origin__ if marks else field.type
        found.append(RecordField(field.name, kind, field.default, field.required, written))
    if tag := (get_origin(record) or record).__struct_config__.tag:
        at = next((at for at, one in enumerate(found) if one.written is WHERE_USED), len(found))
        found.insert(at, RecordField("kind", Literal[tag], tag, required=False, written=None))
    return tuple(found)


def _record(made: type[Struct], wanted: Any) -> Decoder:
    known = fields_of(wanted)
    # Never accept derived fields from outside.
    decoders = {field.name: _decoder(field.type) for field in known if field.written is not DERIVED}
    required = [field.name for field in known if field.required]

    def decoder(value: Any, place: str) -> Any:
        # Report a mistyped key as unknown rather than missing.
        for name in _typed(dict, value, place):
            if name not in decoders:
                raise Misfit(f"{place}.{name}", Sentence("{what} is not a known key."))
        found = {name: decoders[name](one, f"{place}.{name}") for name, one in value.items()}
        for name in required:
            if name not in found:
                raise Misfit(f"{place}.{name}", Sentence("{what} is missing."))
        return made(**{name: one for name, one in found.items() if name in made.__struct_fields__})

    return decoder


def _message(value: Any, place: str) -> Message:
    """A message of another version, or with a code as in version 1.0, becomes text."""
    if not is_message(value):
        raise Misfit(place, WRONG, wanted=t("a message with values"), found=_shown(value))
    try:
        values = {name: _message_value(one) for name, one in value["values"].items()}
        return from_document(value["english"], value.get("several", ""), values)
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError):
        return t("{text}", text=foreign(value))


def _message_value(value: Any) -> Any:
    if type(value) is dict:
        return _message(value, "")
    if type(value) is list:
        return tuple(map(_message_value, value))
    if type(value) not in (str, int, float):
        raise TypeError
    return value


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
