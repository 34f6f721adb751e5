"""Convert dataclasses to JSON documents and back. Errors name the place in the document."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from hashlib import sha256
from typing import Any, Generic, TypeVar

from wizard.documents import files
from wizard.documents.decode import Misfit, decode
from wizard.documents.files import within
from wizard.model.errors import DERIVED, IN_ENGLISH, WHERE_USED, BadInput, printable
from wizard.model.said import Message, ProfileText, in_english, t

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
    if isinstance(value, Message):
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
            str(
                t("{file} is not a complete JSON document; the file may be truncated or damaged.", file=where)
            )
        ) from None
    if not isinstance(value, dict) or not isinstance(value.get("schema"), str):
        raise BadInput(str(t("{file} is not a diskwright document: no schema found.", file=where)))
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


SCHEMA = re.compile(r'"(diskwright\.[a-z]+)/')

LARGEST_DOCUMENT_CHARACTERS = 4_000_000
"""A plan of 128 volumes is a tenth of this."""


@dataclass(frozen=True, slots=True)
class Sealed(Generic[T]):
    """Documents of one `schema`, which hold a `kind`. `again` says how one is made anew; `check` raises
    BadInput for what does not hold together.

    `renew` works out what follows from the rest, the fields that are DERIVED; None where nothing does.
    `earlier` are the schemas that a run of an older version may have, each with how its body becomes today's.
    """

    schema: str
    kind: type[T]
    again: Message
    check: Callable[[T, str], None]
    renew: Callable[[T], T] | None = None
    earlier: Mapping[str, Callable[[JSON], JSON]] = field(default_factory=dict)

    def render(self, value: T) -> str:
        """The document as text, ending in a newline. The same value always gives the same text, in every
        language."""
        body = to_json(value, derived=False)
        return render_document(self.schema, {"digest": digest_of(body, self.schema), **body})

    def render_shown(self, value: T) -> str:
        """The same with all that follows from it, to be read by programs, and never to be applied."""
        noun, _, version = self.schema.partition("/")
        return render_document(f"{noun}-shown/{version}", to_json(value))

    def is_one(self, text: str) -> bool:
        """Whether a document says at its beginning that it is of this kind, in whatever version."""
        return kind_in(text) == self.schema.partition("/")[0]

    def read(self, text: str, where: str) -> T:
        """What a document holds; raises BadInput naming `where` (a file) for anything that was not written by
        `render`."""
        return self._opened(text, where, (self.schema,))

    def read_kept(self, text: str, where: str) -> T:
        """The same of a document that was begun with, perhaps by an earlier version: what counts is what it
        does, and it is told in the words of this one."""
        return self._opened(text, where, (self.schema, *self.earlier))

    def _opened(self, text: str, where: str, taken: Sequence[str]) -> T:
        if len(text) > LARGEST_DOCUMENT_CHARACTERS:
            raise BadInput(str(files.TOO_LARGE(file=where)))
        schema, body = parse_one_of(text, (self.schema, *self.earlier), where)
        if schema not in taken:
            raise BadInput(
                str(
                    t(
                        "{file} was created by an earlier version of diskwright. {again}",
                        file=where,
                        again=self.again,
                    )
                )
            )
        if body.pop("digest", None) != digest_of(body, schema):
            raise BadInput(
                str(
                    t(
                        "{file} was changed or damaged after creation: the digest does not match. {again}",
                        file=where,
                        again=self.again,
                    )
                )
            )
        if schema in self.earlier:
            body = self.earlier[schema](body)
        value = from_json(body, self.kind, where)
        # Checked first: only of what holds together can all that follows from it be told.
        self.check(value, where)
        return self.renew(value) if self.renew else value


def without_texts(body: JSON) -> JSON:
    """What a document of schema 1 does, without what it said of that beside each operation."""
    steps = body.get("steps")
    return {**body, "steps": [_operation_of(step) for step in steps]} if isinstance(steps, list) else body


def _operation_of(step: object) -> object:
    return {"operation": step["operation"]} if isinstance(step, dict) and "operation" in step else step


def kind_in(text: str) -> str:
    """Of which kind a document says at its beginning that it is, as "diskwright.plan", in whatever version;
    empty where it says nothing."""
    said = SCHEMA.search(text[:200])
    return said[1] if said else ""


def digest_of(body: JSON, schema: str) -> str:
    """SHA-256 over everything but schema and digest, in JSON's most compact form with sorted keys, in
    hexadecimal."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(f"{schema}\n{canonical}".encode()).hexdigest()
