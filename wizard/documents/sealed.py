"""Documents that cross to whoever applies them, with a digest that tells damage and hurried edits, and
nothing about who wrote them."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Generic, TypeVar

from wizard.documents.codec import JSON, from_json, parse_document, render_document, to_json
from wizard.model.errors import BadInput

T = TypeVar("T")

SCHEMA = re.compile(r'"(diskwright\.[a-z]+)/')

LARGEST_DOCUMENT_CHARACTERS = 4_000_000
"""A plan of 128 volumes is a tenth of this."""


@dataclass(frozen=True, slots=True)
class Sealed(Generic[T]):
    """Documents of one `schema`, which hold a `kind`. `noun` is what a person calls one ("a plan"), `again`
    ends the sentence on how one is made anew; `check` raises BadInput for what does not hold together.
    """

    schema: str
    kind: type[T]
    noun: str
    again: str
    check: Callable[[T, str], None]

    def render(self, value: T) -> str:
        """The document as text, ending in a newline. The same value always gives the same text."""
        body = to_json(value)
        return render_document(self.schema, {"digest": digest_of(body, self.schema), **body})

    def is_one(self, text: str) -> bool:
        """Whether a document says at its beginning that it is of this kind, in whatever version."""
        return kind_in(text) == self.schema.partition("/")[0]

    def read(self, text: str, where: str) -> T:
        """What a document holds; raises BadInput naming `where` (a file) for anything that was not written by
        `render`."""
        if len(text) > LARGEST_DOCUMENT_CHARACTERS:
            raise BadInput(f"{where} is too large to be {self.noun}.")
        body = parse_document(text, self.schema, where)
        if body.pop("digest", None) != digest_of(body, self.schema):
            raise BadInput(
                f"{where} was changed or damaged after it was made: its digest does not fit. Make it again "
                f"{self.again}."
            )
        value = from_json(body, self.kind, where)
        self.check(value, where)
        return value


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
