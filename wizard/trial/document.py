"""Verdicts as documents, `diskwright.verdict/1`, `diskwright.cliff/1` and
`diskwright.displaced/1`."""

from wizard.documents.codec import from_json, parse_document, render_document, to_json
from wizard.model.displaced import DisplacedVerdict
from wizard.model.verdict import CliffVerdict, Verdict

SCHEMA = "diskwright.verdict/1"
CLIFF_SCHEMA = "diskwright.cliff/1"
DISPLACED_SCHEMA = "diskwright.displaced/1"


def render_verdict(verdict: Verdict) -> str:
    """The verdict as JSON text, every pair of times with it."""
    return render_document(SCHEMA, to_json(verdict))


def read_verdict(text: str, where: str) -> Verdict:
    """A verdict from JSON text; raises BadInput naming `where`."""
    return from_json(parse_document(text, SCHEMA, where), Verdict, where)


def render_cliff_verdict(verdict: CliffVerdict) -> str:
    """The verdict of a write probe as JSON text, every window of the series with it."""
    return render_document(CLIFF_SCHEMA, to_json(verdict))


def read_cliff_verdict(text: str, where: str) -> CliffVerdict:
    """A write probe's verdict from JSON text; raises BadInput naming `where`."""
    return from_json(parse_document(text, CLIFF_SCHEMA, where), CliffVerdict, where)


def render_displaced_verdict(verdict: DisplacedVerdict) -> str:
    """The verdict of a quick probe as JSON text, every time with it."""
    return render_document(DISPLACED_SCHEMA, to_json(verdict))


def read_displaced_verdict(text: str, where: str) -> DisplacedVerdict:
    """A quick probe's verdict from JSON text; raises BadInput naming `where`."""
    return from_json(parse_document(text, DISPLACED_SCHEMA, where), DisplacedVerdict, where)
