"""A report as a document, `diskwright.report/2`."""

from wizard.documents.codec import render_document, to_json
from wizard.report.nouns import Report

SCHEMA = "diskwright.report/2"


def render_report(report: Report) -> str:
    """The report as JSON text, sizes in bytes in keys that end in `_bytes`."""
    return render_document(SCHEMA, to_json(report))
