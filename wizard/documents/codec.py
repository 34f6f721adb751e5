"""Dataclasses to and from JSON, by cattrs; errors become sentences that name the place in the document."""

import json
from collections.abc import Callable
from enum import Enum
from functools import cache, partial
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

from cattrs import Converter, transform_error
from cattrs.errors import BaseValidationError
from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.strategies import configure_tagged_union
from cattrs.v import format_exception

from wizard.model.changes import ChangeOperation
from wizard.model.errors import BadInput
from wizard.model.ext import ExtFacts
from wizard.model.migration import Migration, MigrationOperation
from wizard.model.names import printable
from wizard.model.plan import Layout, MakeArray, MakeFilesystem, MakeSubvolumes, Mount, Operation, Plan, Slot, Stripe, Volume

T = TypeVar("T")

JSON = dict[str, Any]
"""A JSON object. This module is the edge where untyped data becomes typed."""

WRITTEN_WHERE_USED: dict[type, tuple[str, ...]] = {
    ExtFacts: ("unconverted",),
    Layout: ("whole",),
    MakeArray: ("level",),
    MakeFilesystem: ("others", "striping", "logical", "mirrored"),
    MakeSubvolumes: ("others",),
    Migration: ("target",),
    Mount: ("others",),
    Plan: ("others", "stripe", "group"),
    Slot: ("opened",),
    Stripe: ("level",),
    Volume: ("role", "encryption", "subvolumes"),
}
"""Fields that are left out of a document where they say nothing: a plan for one drive reads as it did before there were others."""


def _strict_scalar(value: Any, wanted: type) -> Any:
    if type(value) is wanted or (wanted is float and type(value) is int):
        return value
    if issubclass(wanted, Enum):
        if value in [member.value for member in wanted]:
            return wanted(value)
        raise ValueError(f"expected one of {', '.join(str(member.value) for member in wanted)}, found {str(value)[:40]!r}")
    raise ValueError(f"expected {wanted.__name__}, found {type(value).__name__}")


@cache
def converter() -> Converter:
    """The one converter: unknown keys and wrong types are errors, unions of operations carry their `kind`."""
    made = Converter(forbid_extra_keys=True)
    for scalar in (str, int, float, bool):
        made.register_structure_hook(scalar, _strict_scalar)
    made.register_unstructure_hook_factory(lambda wanted: wanted in WRITTEN_WHERE_USED, partial(_leaving_out, made))
    for union in (Operation, ChangeOperation, MigrationOperation):
        members = get_args(union) if isinstance(union, UnionType) or get_origin(union) is Union else ()
        names = {member: member.__dataclass_fields__["kind"].default for member in members}
        configure_tagged_union(union, made, tag_name="kind", tag_generator=names.__getitem__)
    made.register_unstructure_hook_func(lambda wanted: frozenset in (wanted, get_origin(wanted)), sorted)
    return made


def _leaving_out(made: Converter, wanted: type) -> Callable[[Any], JSON]:
    overrides: Any = {name: override(omit_if_default=True) for name in WRITTEN_WHERE_USED[wanted]}
    return make_dict_unstructure_fn(wanted, made, **overrides)


def to_json(value: object) -> Any:
    """The plain JSON value (dicts, lists, scalars) of a dataclass."""
    return converter().unstructure(value)


def from_json(value: Any, wanted: type[T], where: str) -> T:
    """A dataclass from plain JSON; raises BadInput naming `where` (a file) and the first place that does not fit."""
    try:
        return converter().structure(value, wanted)
    except BaseValidationError as error:
        said, place = first_problem(error)
        raise BadInput(f"{where}: {printable(said, 200)}, at {printable(place, 100)}") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(f"{where}: {printable(str(error), 200)}") from None


def first_problem(error: BaseValidationError) -> tuple[str, str]:
    """What is wrong and where (`$.choices[1].sentence`), of the first of possibly many problems.

    An unknown key comes before a missing one: a mistyped key is both.
    """
    problems = transform_error(error, path="$", format_exception=_in_words)
    first = next((problem for problem in problems if problem.startswith("extra field")), problems[0])
    said, _, place = first.rpartition(" @ ")
    return said, place


def _in_words(error: BaseException, wanted: type | None) -> str:
    return str(error) if type(error) is ValueError else format_exception(error, wanted)


def parse_document(text: str, schema: str, where: str) -> JSON:
    """The object of a document with the given schema (`diskwright.plan/1`); raises BadInput for anything else."""
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
        raise BadInput(f"{where} has version {printable(found.partition('/')[2], 12)} of {noun}; this diskwright reads version {version}.")
    raise BadInput(f"{where} is a {printable(found, 40)}, not a {noun}.")


def render_document(schema: str, value: JSON) -> str:
    """A document as text, keys in the order given, ending in a newline."""
    return json.dumps({"schema": schema, **value}, indent=2, ensure_ascii=True, default=_plain) + "\n"


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} has no place in a document")
