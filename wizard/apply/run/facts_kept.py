"""The facts about a run's drives as they were when it began, kept beside its plan for whoever reports on it
later."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from wizard.apply.run.environment import LOOK_SECONDS
from wizard.apply.run.vault import write_durably
from wizard.documents.codec import render_document, to_json
from wizard.model.errors import DiskwrightError
from wizard.model.machine import Machine
from wizard.probe.facts import SCHEMA
from wizard.probe.machine import survey
from wizard.probe.recorded import load_machine

FILE = "facts.json"


def keep_facts(run: Path, paths: Sequence[str]) -> None:
    """Read the drives once more and keep the raw facts in the run's folder, for root alone. A run does
    without them where that fails."""
    with suppress(DiskwrightError, OSError):
        text = render_document(SCHEMA, to_json(survey(paths, seconds=LOOK_SECONDS)))
        write_durably(run / FILE, text.encode(), os.O_EXCL)


def kept_machine(run: Path) -> Machine | None:
    """The machine as it was when the run began; None for a run that kept nothing. Raises BadInput where the
    file is damaged."""
    return load_machine(run / FILE) if (run / FILE).is_file() else None
