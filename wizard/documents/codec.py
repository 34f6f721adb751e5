"""Convert records to JSON documents and back. Errors name the place in the document."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from hashlib import sha256
from typing import Any, Generic, TypeVar

from msgspec import Struct

from wizard.documents import files
from wizard.documents.decode import Misfit, decode, fields_of
from wizard.model.errors import DERIVED, IN_ENGLISH, WHERE_USED, BadInput
from wizard.model.said import Message, ProfileText, Sentence, in_english, t

T = TypeVar("T")

FAULT_IN = Sentence("{file}: {why}")
RECREATE = Sentence("Recreate it with `diskwright {command}`.")

JSON = dict[str, Any]
"""A JSON object. This module converts untyped data to typed data."""


def to_json(value: object, *, derived: bool = True) -> Any:
    """Convert a record to plain JSON values. Without `derived`, omits DERIVED fields. A message becomes its
    English text and values, bytes become base64. Raises TypeError for unsupported types."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    if isinstance(value, (tuple, list)):
        return [to_json(item, derived=derived) for item in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, dict):
        return {name: to_json(item, derived=derived) for name, item in value.items()}
    if isinstance(value, ProfileText):
        return value.english
    if isinstance(value, Message):
        texts = {"english": value.english, "several": value.several}
        values = {name: to_json(item) for name, item in value.values}
        return {**{name: text for name, text in texts.items() if text}, "values": values}
    if isinstance(value, Struct):
        written = {field.name: (getattr(value, field.name), field) for field in fields_of(type(value))}
        return {
            name: in_english(item) if field.written is IN_ENGLISH else to_json(item, derived=derived)
            for name, (item, field) in written.items()
            if derived or field.written is not DERIVED
            if field.written is not WHERE_USED or item != field.default
        }
    raise TypeError(f"{type(value).__name__} has no place in a document")


def from_json(value: Any, wanted: type[T], where: str) -> T:
    """Convert plain JSON to a record. Raises BadInput with `where` (a file) and the place."""
    try:
        return decode(value, wanted)
    except Misfit as misfit:
        place = ", ".join(filter(None, (where, files.within(misfit.key))))
        raise BadInput(FAULT_IN(file=place, why=str(misfit.said))) from None


def parse_document(text: str, schema: str, wanted: type[T], where: str) -> T:
    """Parse a document with this schema (`diskwright.plan/1`). Raises BadInput with `where` (a file)."""
    return from_json(_parse_one_of(text, (schema,), where)[1], wanted, where)


def _parse_one_of(text: str, schemas: Sequence[str], where: str) -> tuple[str, JSON]:
    """Errors name the first schema. Raises BadInput."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(
            t("{file} is not a complete JSON document; the file may be truncated or damaged.", file=where)
        ) from None
    if not isinstance(value, dict) or not isinstance(value.get("schema"), str):
        raise BadInput(files.NO_DOCUMENT(file=where))
    found: str = value.pop("schema")
    if found in schemas:
        return found, value
    noun, _, version = schemas[0].partition("/")
    if not found.startswith(f"{noun}/"):
        raise BadInput(t("{file} is a {found}, not a {kind}.", file=where, found=found, kind=noun))
    raise BadInput(
        t(
            "{file} has version {found} of {kind}; this diskwright reads version {version}.",
            file=where,
            found=found.removeprefix(f"{noun}/"),
            kind=noun,
            version=version,
        )
    )


def render_document(schema: str, value: object) -> str:
    """Return a record or JSON object as a document with a final newline."""
    return json.dumps({"schema": schema, **to_json(value)}, indent=2, ensure_ascii=True) + "\n"


SCHEMA = re.compile(r'"(diskwright\.[a-z]+)/')

LARGEST_DOCUMENT_CHARACTERS = 4_000_000
"""Ten times the size of a plan with 128 volumes."""


class Sealed(Struct, Generic[T], frozen=True):
    """Documents of one `schema` with a digest, containing a `kind`. `again`: how to recreate a document.
    `faults`: yields what differs from a document that diskwright writes; each check may rely on the previous
    ones. `renew`: calculates the DERIVED fields. `earlier`: older schemas that a run may have, with the
    conversion of the body. `removed`: why the body is no longer supported, or None."""

    schema: str
    kind: type[T]
    again: Message
    faults: Callable[[T], Iterator[str]]
    renew: Callable[[T], T] | None = None
    earlier: Mapping[str, Callable[[JSON], JSON]] = {}
    removed: Callable[[JSON], Message | None] = lambda _: None

    def render(self, value: T) -> str:
        """Return the document as text, the same in every language."""
        body = to_json(value, derived=False)
        return render_document(self.schema, {"digest": digest_of(body, self.schema), **body})

    def render_shown(self, value: T) -> str:
        """Return the document with derived fields, for programs to read, not to apply."""
        noun, _, version = self.schema.partition("/")
        return render_document(f"{noun}-shown/{version}", value)

    def is_one(self, text: str) -> bool:
        """Return True if a document is of this kind, in any version."""
        found = SCHEMA.search(text[:200])
        return found is not None and found[1] == self.schema.partition("/")[0]

    def read(self, text: str, where: str) -> T:
        """Parse a document. Raises BadInput with `where` (a file) unless `render` wrote it."""
        return self._parse(text, where, (self.schema,))

    def read_kept(self, text: str, where: str, *, own: bool = False) -> T:
        """Parse the document of an existing run, which an earlier version may have written. `own`: in the
        run's folder, where only root writes; it was checked when the run started."""
        return self._parse(text, where, (self.schema, *self.earlier), trusted=own)

    def _parse(self, text: str, where: str, accepted: Sequence[str], *, trusted: bool = False) -> T:
        if len(text) > LARGEST_DOCUMENT_CHARACTERS:
            raise BadInput(files.TOO_LARGE(file=where))
        schema, body = _parse_one_of(text, (self.schema, *self.earlier), where)
        if schema not in accepted:
            old = Sentence("{file} was created by an earlier version of diskwright. {again}")
            raise BadInput(old(file=where, again=self.again))
        if body.pop("digest", None) != digest_of(body, schema):
            damaged = Sentence(
                "{file} was changed or damaged after creation: the digest does not match. {again}"
            )
            raise BadInput(damaged(file=where, again=self.again))
        if schema in self.earlier:
            body = self.earlier[schema](body)
        if why := self.removed(body):
            raise BadInput(FAULT_IN(file=where, why=why))
        value = from_json(body, self.kind, where)
        # Check first, since `renew` requires consistent contents.
        if not trusted:
            self.check(value, where)
        return self.renew(value) if self.renew else value

    def check(self, value: T, where: str = "The document") -> None:
        """Raises BadInput for the first fault. `where` names the file."""
        if fault := next(self.faults(value), None):
            raise BadInput(
                t(
                    "{where} is inconsistent: invalid {what}. {again}",
                    where=where,
                    what=fault,
                    again=self.again,
                )
            )


def without_texts(body: JSON) -> JSON:
    """Convert a schema 1 document: keep the operations, drop their descriptions."""
    steps = body.get("steps")
    if not isinstance(steps, list):
        return body
    bare = [
        {"operation": step["operation"]} if isinstance(step, dict) and "operation" in step else step
        for step in steps
    ]
    return {**body, "steps": bare}


def digest_of(body: JSON, schema: str) -> str:
    """Return the SHA-256 of a document's body as compact JSON with sorted keys."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(f"{schema}\n{canonical}".encode()).hexdigest()
