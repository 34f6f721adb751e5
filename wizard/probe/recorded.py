"""A machine as a file: the raw facts of a survey, written and read again, so that it can be inspected without
its drives."""

from pathlib import Path

from wizard.documents.codec import from_json, parse_document, render_document, to_json
from wizard.documents.files import read_file, write_file
from wizard.documents.foreign import known_or_text
from wizard.model.errors import BadInput
from wizard.model.machine import Machine
from wizard.model.names import printable
from wizard.model.said import t
from wizard.probe.facts import SCHEMA, RawMachine
from wizard.probe.interpret import machine_of
from wizard.probe.machine import survey
from wizard.tools.debuglog import remember


def save_machine(path: Path, facts: RawMachine | None = None) -> Machine:
    """Write the raw facts, a fresh survey's where none are given, and give the machine they mean.

    Raises BadInput where `path` is no place for a file, such as a drive's node; Failed where it cannot be
    written.
    """
    known = survey() if facts is None else facts
    write_file(path, render_document(SCHEMA, to_json(known)), str(t("The facts")))
    return machine_of(known)


INPUT = Path("-")
"""Stands for the standard input."""


def load_facts(path: Path) -> RawMachine:
    """The raw facts in a file, or in the input for `-`; raises BadInput for anything else."""
    shown = str(t("The input")) if path == INPUT else printable(str(path), 200)
    try:
        text = read_file(Path("/dev/stdin") if path == INPUT else path)
    except FileNotFoundError:
        raise BadInput(
            str(t("There is no file {file}; `diskwright inspect --save {file}` would write one.", file=shown))
        ) from None
    return remember(from_json(known_or_text(parse_document(text, SCHEMA, shown)), RawMachine, shown))


def load_machine(path: Path) -> Machine:
    """The machine that a file of raw facts means; raises BadInput where it is none."""
    return machine_of(load_facts(path))
