"""Trials of filesystems as documents, `diskwright.trial/1`."""

from wizard.documents.codec import from_json, parse_document, render_document, to_json
from wizard.trial.candidates.result import TrialVerdict

SCHEMA = "diskwright.trial/1"


def render_trial(verdict: TrialVerdict) -> str:
    """The verdict as JSON text, with the figures of every round."""
    return render_document(SCHEMA, to_json(verdict))


def read_trial(text: str, where: str) -> TrialVerdict:
    """A verdict from JSON text; raises BadInput naming `where`."""
    return from_json(parse_document(text, SCHEMA, where), TrialVerdict, where)
