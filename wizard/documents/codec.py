"""Dataclasses to and from the JSON of documents; errors become sentences that name the place in the
document."""

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar

from wizard.documents.decode import Misfit, decode
from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.model.said import Said
from wizard.model.written import WHERE_USED

T = TypeVar("T")

JSON = dict[str, Any]
"""A JSON object. This module is the edge where untyped data becomes typed."""


def to_json(value: object) -> Any:
    """The plain JSON value (dicts, lists, scalars) of a dataclass. Raises TypeError for what has no place in
    a document."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (tuple, list)):
        return [to_json(one) for one in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, dict):
        return {name: to_json(one) for name, one in value.items()}
    if isinstance(value, Said):
        return {"code": value.code, "values": {name: to_json(one) for name, one in value.values}}
    if is_dataclass(value):
        written = {field.name: (getattr(value, field.name), field) for field in fields(value)}
        return {
            name: to_json(one)
            for name, (one, field) in written.items()
            if field.metadata != WHERE_USED or one != field.default
        }
    raise TypeError(f"{type(value).__name__} has no place in a document")


def from_json(value: Any, wanted: type[T], where: str) -> T:
    """A dataclass from plain JSON; raises BadInput naming `where` (a file) and the first place that does not
    fit."""
    try:
        return decode(value, wanted)
    except Misfit as misfit:
        raise BadInput(
            f"{where}: {printable(str(misfit), 200)}, at {printable(f'${misfit.place}', 100)}"
        ) from None


def parse_document(text: str, schema: str, where: str) -> JSON:
    """The object of a document with the given schema (`diskwright.plan/1`); raises BadInput for anything
    else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"{where} is not a whole JSON document: it may be cut off or damaged.") from None
    if not isinstance(value, dict) or not isinstance(value.get("schema"), str):
        raise BadInput(f"{where} is no diskwright document: it names no schema.")
    found: str = value.pop("schema")
    noun, _, version = schema.partition("/")
    if found == schema:
        return value
    if found.startswith(noun + "/"):
        raise BadInput(
            f"{where} has version {printable(found.partition('/')[2], 12)} of {noun}; this diskwright reads "
            f"version {version}."
        )
    raise BadInput(f"{where} is a {printable(found, 40)}, not a {noun}.")


def render_document(schema: str, value: JSON) -> str:
    """A document as text, keys in the order given, ending in a newline."""
    return json.dumps({"schema": schema, **value}, indent=2, ensure_ascii=True, default=_plain) + "\n"


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} has no place in a document")
