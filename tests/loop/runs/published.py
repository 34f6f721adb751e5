"""Whether what runs keep in their folders is as the published schemas say."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests.schemas.valid import NAMELESS, faults


def kept_schemas(runs: Path) -> set[str]:
    """The schemas, without their versions, of all that the runs in a folder keep; each document was held
    against its own, and each line of a journal."""
    found = dict(_kept(runs))
    assert "" not in found, found
    return {name.removeprefix("diskwright.").partition("/")[0] for name in found}


def _kept(runs: Path) -> Iterator[tuple[str, str]]:
    """Each schema with where it was; "" with what does not fit."""
    for file in (*runs.glob("*/*.json"), *runs.glob("*/journal.jsonl")):
        text = file.read_text("utf-8")
        for one in map(json.loads, text.splitlines() if file.suffix == ".jsonl" else (text,)):
            name = NAMELESS.get(file.name) or one["schema"]
            wrong = faults(one, name)
            yield ("", f"{file}: {wrong}") if wrong else (name, str(file))
