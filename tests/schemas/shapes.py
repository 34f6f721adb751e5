"""Types to JSON Schema (2020-12), by the rules of `wizard.documents.codec`."""

import ast
import inspect
import re
from collections.abc import Callable, Iterable
from enum import Enum
from functools import cache
from textwrap import dedent
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from msgspec import Struct

from wizard.documents.decode import RecordField, family_of, fields_of, is_record
from wizard.model.errors import DERIVED, IN_ENGLISH, WHERE_USED
from wizard.model.said import Message, ProfileText

JSON = dict[str, Any]

SAID: JSON = {
    "description": "A message: its English, a second form if it depends on a number (values.count), and its "
    "values.",
    "type": "object",
    "properties": {
        "english": {"type": "string"},
        "several": {"type": "string"},
        "values": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Value"}},
    },
    "required": ["english", "values"],
    "additionalProperties": False,
}
VALUE: JSON = {
    "description": "A value within a sentence.",
    "anyOf": [
        {"type": ["string", "number"]},
        {"$ref": "#/$defs/Said"},
        {"type": "array", "items": {"$ref": "#/$defs/Value"}},
    ],
}
SCALARS: dict[object, JSON] = {
    str: {"type": "string"},
    bytes: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    ProfileText: {"type": "string"},
}


class Shapes:
    """Schemas of types, with all definitions they refer to. `derived`: include derived values, for
    documents that are shown. `grows`: older documents may lack fields with defaults."""

    def __init__(self, *, derived: bool = True, grows: bool = False) -> None:
        self.defs: dict[str, JSON] = {}
        self._derived, self._grows = derived, grows
        self._names: dict[object, str] = {}

    def of(self, wanted: object) -> JSON:
        """Return the schema of a type. Raises TypeError for types not allowed in documents."""
        if wanted in SCALARS:
            return dict(SCALARS[wanted])
        if wanted is Message:
            self.defs.update({"Said": SAID, "Value": VALUE})
            return {"$ref": "#/$defs/Said"}
        if shape := self._composed.get(get_origin(wanted)):
            return shape(*get_args(wanted))
        if isinstance(wanted, type) and issubclass(wanted, Struct) and is_record(wanted):
            return self._defined(wanted, lambda: self.record(wanted))
        if isinstance(generic := get_origin(wanted), type) and issubclass(generic, Struct):
            types = {one.name: one.type for one in fields_of(wanted)}
            own = {
                one.name: self.of(types[one.name])
                for one in fields_of(generic)
                if isinstance(one.type, TypeVar)
            }
            return self._defined(generic, lambda: self.record(generic, **own), wanted)
        if isinstance(wanted, type) and issubclass(wanted, Enum):
            values = [member.value for member in wanted]
            return self._defined(wanted, lambda: {"description": described(wanted), "enum": values})
        if isinstance(wanted, type) and family_of(wanted):
            return self._union(*family_of(wanted))
        raise TypeError(f"{wanted} has no place in a document")

    def record(self, wanted: type[Struct], only: Iterable[str] = (), **other: JSON) -> JSON:
        """Return the object of a record: all its fields or `only` some, plus additional ones or
        replacements."""
        told = [
            one
            for one in fields_of(wanted)
            if (self._derived or one.written is not DERIVED) and (not only or one.name in set(only))
        ]
        properties = {one.name: other.get(one.name) or self._field(wanted, one) for one in told} | other
        optional = {
            one.name for one in told if one.written is WHERE_USED or (self._grows and not one.required)
        }
        return {
            "description": described(wanted),
            **self.table(properties, optional),
        }

    @staticmethod
    def table(properties: dict[str, JSON], optional: Iterable[str] = ()) -> JSON:
        """Return an object with exactly these members."""
        required = [name for name in properties if name not in set(optional)]
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }

    def _field(self, owner: type, one: RecordField) -> JSON:
        shape = {"type": "string"} if one.written is IN_ENGLISH else self.of(one.type)
        says = described_field(owner, one.name)
        return {"description": says, **shape} if says else shape

    def _defined(self, wanted: type, shape: Callable[[], JSON], alias: object = None) -> JSON:
        """Return a reference. Types of equal names are distinguished by their modules, aliases by numbers."""
        key = alias or wanted
        if key not in self._names:
            name = wanted.__name__
            if name in self.defs:
                other = sum(one.startswith(name) for one in self.defs)
                name = f"{name}-{other if alias else wanted.__module__.rpartition('.')[2]}"
            assert name not in self.defs, name
            self._names[key] = name
            self.defs[name] = {}  # It may hold itself.
            self.defs[name].update(shape())
        return {"$ref": f"#/$defs/{self._names[key]}"}

    def _union(self, *members: object) -> JSON:
        return {"anyOf": [self.of(member) for member in members]}

    def _literal(self, *words: str) -> JSON:
        return {"enum": list(words)}

    def _tuple(self, *members: object) -> JSON:
        if members[1:] == (Ellipsis,):
            return {"type": "array", "items": self.of(members[0])}
        return {
            "type": "array",
            "prefixItems": [self.of(member) for member in members],
            "minItems": len(members),
            "maxItems": len(members),
        }

    def _sequence(self, member: object) -> JSON:
        return {"type": "array", "items": self.of(member)}

    def _dict(self, _key: object, member: object) -> JSON:
        return {"type": "object", "additionalProperties": self.of(member)}

    @property
    def _composed(self) -> dict[object, Callable[..., JSON]]:
        return {
            Union: self._union,
            UnionType: self._union,
            Literal: self._literal,
            tuple: self._tuple,
            list: self._sequence,
            frozenset: self._sequence,
            dict: self._dict,
        }


def described(wanted: type) -> str:
    """Return the docstring in one line."""
    return " ".join((wanted.__doc__ or "").split())


def described_field(owner: type, name: str) -> str:
    """Return the docstring below a field, or the sentences of its class that name it, or empty."""
    for one in owner.__mro__:
        if issubclass(one, Struct) and one is not Struct and (text := _attribute_docs(one).get(name)):
            return text
    sentences = re.split(r"(?<=[.;])\s+", described(owner))
    return " ".join(one for one in sentences if f"`{name}`" in one)


@cache
def _attribute_docs(owner: type) -> dict[str, str]:
    body = ast.parse(dedent(inspect.getsource(owner))).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for one, below in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(one, ast.AnnAssign)
            and isinstance(one.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            found[one.target.id] = " ".join(below.value.value.split())
    return found
