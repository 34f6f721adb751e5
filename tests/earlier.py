"""Documents as the first version wrote them, which held every text beside each operation."""

import json
from typing import Any

from wizard.documents.codec import digest_of, to_json

Body = dict[str, Any]


def first_body(value: object) -> Body:
    """What a document of schema 1 held, in words and with commands that no version has now."""
    body: Body = to_json(value)
    for step in body["steps"]:
        step |= {"sentence": f"Verily: {step['sentence']}", "commands": [["reboot"]], "undo": "As it was."}
    return body


def sealed(body: Body, schema: str) -> str:
    """The body as a document, with the digest that fits it."""
    return json.dumps({"schema": schema, "digest": digest_of(body, schema), **body})
