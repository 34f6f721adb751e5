"""A plan as a document: `diskwright.plan/1`, with a digest that tells damage and hurried edits. It proves nothing about who wrote it."""

import json
from hashlib import sha256

from wizard.documents.codec import JSON, from_json, parse_document, render_document, to_json
from wizard.layout.check import check_plan
from wizard.model.errors import BadInput
from wizard.model.plan import Plan

SCHEMA = "diskwright.plan/1"
LARGEST_DOCUMENT_CHARACTERS = 4_000_000
"""A plan of 128 volumes is a tenth of this."""


def render_plan(plan: Plan) -> str:
    """The plan as text, ending in a newline. The same plan always gives the same text."""
    body: JSON = to_json(plan)
    return render_document(SCHEMA, {"digest": digest_of(body), **body})


def digest_of(body: JSON, schema: str = SCHEMA) -> str:
    """SHA-256 over everything but schema and digest, in JSON's most compact form with sorted keys, in hexadecimal."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(f"{schema}\n{canonical}".encode()).hexdigest()


def read_plan(text: str, where: str) -> Plan:
    """The plan in a document; raises BadInput naming `where` (a file) for anything that the planner would not have written."""
    if len(text) > LARGEST_DOCUMENT_CHARACTERS:
        raise BadInput(f"{where} is too large to be a plan.")
    body = parse_document(text, SCHEMA, where)
    said = body.pop("digest", None)
    if said != digest_of(body):
        raise BadInput(f"{where} was changed or damaged after it was made: its digest does not fit. Make it again with `diskwright plan`.")
    plan = from_json(body, Plan, where)
    check_plan(plan, where)
    return plan
