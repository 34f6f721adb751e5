"""Dataclasses to and from the JSON of documents; errors become sentences that name the place in the
document."""

import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar

from wizard.documents.decode import Misfit, decode
from wizard.documents.places import within
from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.model.said import ProfileText, Said, in_english, t
from wizard.model.written import DERIVED, IN_ENGLISH, WHERE_USED

T = TypeVar("T")

JSON = dict[str, Any]
"""A JSON object. This module is the edge where untyped data becomes typed."""


def to_json(value: object, *, derived: bool = True) -> Any:
    """The plain JSON value (dicts, lists, scalars) of a dataclass; without `derived`, none of the fields that
    follow from the others. Raises TypeError for what has no place in a document.

    A sentence is its code and values, a profile's text its English.
    """
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (tuple, list)):
        return [to_json(one, derived=derived) for one in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, dict):
        return {name: to_json(one, derived=derived) for name, one in value.items()}
    if isinstance(value, ProfileText):
        return value.english
    if isinstance(value, Said):
        texts = {"english": value.english, "several": value.several}
        values = {name: to_json(one) for name, one in value.values}
        return {**{name: text for name, text in texts.items() if text}, "values": values}
    if is_dataclass(value):
        written = {field.name: (getattr(value, field.name), field) for field in fields(value)}
        return {
            name: in_english(one) if field.metadata == IN_ENGLISH else to_json(one, derived=derived)
            for name, (one, field) in written.items()
            if derived or field.metadata != DERIVED
            if field.metadata != WHERE_USED or one != field.default
        }
    raise TypeError(f"{type(value).__name__} has no place in a document")


def from_json(value: Any, wanted: type[T], where: str) -> T:
    """A dataclass from plain JSON; raises BadInput naming `where` (a file) and the first place that does not
    fit."""
    try:
        return decode(value, wanted)
    except Misfit as misfit:
        place, why = printable(within(misfit.key), 100), printable(str(misfit.said), 260)
        said = (
            t("{file}, {place}: {why}", file=where, place=place, why=why)
            if place
            else t("{file}: {why}", file=where, why=why)
        )
        raise BadInput(str(said)) from None


def parse_document(text: str, schema: str, where: str) -> JSON:
    """The object of a document with the given schema (`diskwright.plan/1`); raises BadInput for anything
    else."""
    return parse_one_of(text, (schema,), where)[1]


def parse_one_of(text: str, schemas: Sequence[str], where: str) -> tuple[str, JSON]:
    """The schema of a document, which is one of these, and its object; raises BadInput for anything else. The
    first one is what is wanted."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(
            str(t("{file} is not a whole JSON document: it may be cut off or damaged.", file=where))
        ) from None
    if not isinstance(value, dict) or not isinstance(value.get("schema"), str):
        raise BadInput(str(t("{file} is no diskwright document: it names no schema.", file=where)))
    found: str = value.pop("schema")
    if found in schemas:
        return found, value
    noun, _, version = schemas[0].partition("/")
    if found.startswith(noun + "/"):
        other = printable(found.partition("/")[2], 12)
        raise BadInput(
            str(
                t(
                    "{file} has version {found} of {kind}; this diskwright reads version {version}.",
                    file=where,
                    found=other,
                    kind=noun,
                    version=version,
                )
            )
        )
    raise BadInput(
        str(t("{file} is a {found}, not a {kind}.", file=where, found=printable(found, 40), kind=noun))
    )


def render_document(schema: str, value: JSON) -> str:
    """A document as text, keys in the order given, ending in a newline."""
    return json.dumps({"schema": schema, **value}, indent=2, ensure_ascii=True, default=_plain) + "\n"


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} has no place in a document")
