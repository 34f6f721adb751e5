"""Documents that cross to whoever applies them, with a digest that tells damage and hurried edits, and
nothing about who wrote them."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Generic, TypeVar

from wizard.documents import words
from wizard.documents.codec import JSON, from_json, parse_one_of, render_document, to_json
from wizard.model.errors import BadInput
from wizard.model.said import Said, t

T = TypeVar("T")

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
    again: Said
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
            raise BadInput(str(words.TOO_LARGE(file=where)))
        schema, body = parse_one_of(text, (self.schema, *self.earlier), where)
        if schema not in taken:
            raise BadInput(
                str(
                    t(
                        "{file} was made by an earlier version of diskwright. {again}",
                        file=where,
                        again=self.again,
                    )
                )
            )
        if body.pop("digest", None) != digest_of(body, schema):
            raise BadInput(
                str(
                    t(
                        "{file} was changed or damaged after it was made: its digest does not fit. {again}",
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
