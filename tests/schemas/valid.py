"""Validate documents against their published schemas."""

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from tests.schemas.__main__ import FOLDER

ENTRY = "diskwright.journal-entry/1"
NAMELESS = {"journal.jsonl": ENTRY, "progress.json": "diskwright.progress/1"}
"""Files of a run that name no schema."""


@cache
def validator_of(name: str) -> Any:  # noqa: ANN401 - jsonschema has no types
    """Return the validator for a schema by name, such as diskwright.plan/2. Raises OSError if not
    published."""
    file = FOLDER / f"{name.removeprefix('diskwright.').replace('/', '-')}.json"
    return Draft202012Validator(json.loads(file.read_text(encoding="utf-8")))


def faults(value: object, name: str) -> str:
    """Return the place and kind of the largest deviations from a schema, or empty."""
    worst = best_match(validator_of(name).iter_errors(value))
    return f"{name} at {worst.json_path}: {worst.message[:300]}" if worst else ""


def faults_of(text: str) -> str:
    """Validate a document's text against the schema that it names."""
    value = json.loads(text)
    return faults(value, value["schema"])
