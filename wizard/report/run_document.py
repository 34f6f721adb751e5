"""A report as a document, `diskwright.report/1`."""

from wizard.documents.codec import from_json, parse_document, render_document, to_json
from wizard.report.nouns import Report

SCHEMA = "diskwright.report/1"


def render_report(report: Report) -> str:
    """The report as JSON text, sizes in bytes in keys that end in `_bytes`."""
    return render_document(SCHEMA, to_json(report))


def read_report(text: str, where: str) -> Report:
    """A report from JSON text; raises BadInput naming `where`."""
    return from_json(parse_document(text, SCHEMA, where), Report, where)
