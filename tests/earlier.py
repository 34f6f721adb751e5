"""Documents as version 1 wrote them, with all texts beside each operation."""

import json
from typing import Any

from wizard.documents.codec import digest_of, to_json

Body = dict[str, Any]


def first_body(value: object) -> Body:
    """Return the content of a document of schema 1, with texts and commands that no later version has."""
    body: Body = to_json(value)
    for step in body["steps"]:
        step |= {"sentence": f"Verily: {step['sentence']}", "commands": [["reboot"]], "undo": "As it was."}
    return body


def sealed(body: Body, schema: str) -> str:
    """Return the body as a document with a valid digest."""
    return json.dumps({"schema": schema, "digest": digest_of(body, schema), **body})
