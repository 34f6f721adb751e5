"""Whether a document is as its published schema says."""

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
    """Of a schema by its name, as diskwright.plan/2; raises OSError where none is published."""
    file = FOLDER / f"{name.removeprefix('diskwright.').replace('/', '-')}.json"
    return Draft202012Validator(json.loads(file.read_text(encoding="utf-8")))


def faults(value: object, name: str) -> str:
    """Where and how it departs most from a schema; empty where it does not."""
    worst = best_match(validator_of(name).iter_errors(value))
    return f"{name} at {worst.json_path}: {worst.message[:300]}" if worst else ""


def faults_of(text: str) -> str:
    """The same of a document's text, by the schema that it names."""
    value = json.loads(text)
    return faults(value, value["schema"])
