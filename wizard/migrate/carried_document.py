"""A carried way as a document: `diskwright.carried/1`."""

from collections.abc import Iterator

from wizard.documents.codec import JSON, from_json, parse_document, render_document, to_json
from wizard.layout.check import identity_faults
from wizard.layout.document import LARGEST_DOCUMENT_CHARACTERS, digest_of
from wizard.layout.rules import is_device_path
from wizard.migrate.check import ext_faults
from wizard.migrate.obstacles import WRITING
from wizard.model.carried import Carried
from wizard.model.errors import BadInput
from wizard.model.names import printable

CARRIED_SCHEMA = "diskwright.carried/1"


def render_carried(carried: Carried) -> str:
    """The document as text, ending in a newline."""
    body: JSON = to_json(carried)
    return render_document(CARRIED_SCHEMA, {"digest": digest_of(body, CARRIED_SCHEMA), **body})


def is_carried(text: str) -> bool:
    """Whether a document says at its beginning that it was made to be carried."""
    return f'"{CARRIED_SCHEMA.partition("/")[0]}/' in text[:200]


def read_carried(text: str, where: str) -> Carried:
    """What a document carries; raises BadInput naming `where` (a file) for anything that was not written so."""
    if len(text) > LARGEST_DOCUMENT_CHARACTERS:
        raise BadInput(f"{where} is too large to be a migration that was carried.")
    body = parse_document(text, CARRIED_SCHEMA, where)
    said = body.pop("digest", None)
    if said != digest_of(body, CARRIED_SCHEMA):
        raise BadInput(f"{where} was changed or damaged after it was made: its digest does not fit. Make it again where it was made.")
    carried = from_json(body, Carried, where)
    if fault := next(_faults(carried), None):
        raise BadInput(f"{where} does not hold together: {fault}. Make it again where it was made.")
    return carried


def _faults(carried: Carried) -> Iterator[str]:
    yield from identity_faults(carried.drive)
    if not is_device_path(carried.device):
        yield f"{printable(carried.device, 60)!r} is no device below /dev"
    yield from ext_faults(carried.before)
    if carried.way not in WRITING:
        yield f"the way {carried.way} is not one that is carried"
    if carried.device_bytes <= 0:
        yield f"a device of {carried.device_bytes} bytes cannot be"
