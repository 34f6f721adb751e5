"""Check that run files match the published schemas."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests.schemas.valid import NAMELESS, faults


def kept_schemas(runs: Path) -> set[str]:
    """Return the schemas of all run files, without versions, after validating every document and journal
    line."""
    found = dict(_kept(runs))
    assert "" not in found, found
    return {name.removeprefix("diskwright.").partition("/")[0] for name in found}


def _kept(runs: Path) -> Iterator[tuple[str, str]]:
    """Yield each schema with its file, or "" with the errors."""
    for file in (*runs.glob("*/*.json"), *runs.glob("*/journal.jsonl")):
        text = file.read_text("utf-8")
        for one in map(json.loads, text.splitlines() if file.suffix == ".jsonl" else (text,)):
            name = NAMELESS.get(file.name) or one["schema"]
            wrong = faults(one, name)
            yield ("", f"{file}: {wrong}") if wrong else (name, str(file))
