"""`python -m tests.machines.catalogue [--check]`: write README.md in this folder, with a line for each
recorded machine."""

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.machines import FOLDER, name_of, recordings
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import Pattern, load_patterns
from wizard.model.errors import printable
from wizard.model.finding import Severity
from wizard.model.machine import Drive, Machine
from wizard.model.said import format_capacity
from wizard.probe.machine import load_machine

README = FOLDER / "README.md"
HEAD = """# Recorded machines

Each file holds the raw facts of a machine, as `diskwright inspect --save` writes them; `diskwright --machine
FILE` opens the wizard on one, and `inspect`, `advise` and `plan` take `--machine FILE` too. No disk is
needed, and nothing can be written.

Those in `loops/` were recorded on loop devices by `python -m tests.machines`, which needs root; the kernel,
tools and memory around them are those of the lab's guest, taken from `old.json`. All others were recorded in
the lab by `python -m tests.lab --record-machines`. Nothing here was typed in; this list is made by `python -m
tests.machines.catalogue`.

| file | drives | tables | what is found |
|---|---|---|---|
"""
MOST_MODELS = 3


def catalogue(paths: Iterable[Path]) -> str:
    """Return the page."""
    patterns = load_patterns()
    return HEAD + "".join(f"{_row(name_of(path), load_machine(path), patterns)}\n" for path in paths)


def _row(name: str, machine: Machine, patterns: tuple[Pattern, ...]) -> str:
    findings = [one for drive in machine.drives for one in diagnose(machine, drive, patterns).findings]
    codes = Counter(one.code for one in findings if one.severity is not Severity.OK)
    kinds = Counter(drive.table.kind if drive.table else "unread" for drive in machine.drives)
    cells = (f"`{name}.json`", _drives(machine.drives), _counted(kinds), _counted(codes))
    return "| " + " | ".join(cell or "-" for cell in cells) + " |"


def _drives(drives: tuple[Drive, ...]) -> str:
    if not drives:
        return "none"
    if len(drives) > MOST_MODELS:
        sizes = sorted(drive.size_bytes or 0 for drive in drives)
        forms = Counter(drive.geometry.sector_format for drive in drives if drive.geometry)
        return (
            f"{len(drives)}, of {format_capacity(sizes[0])} to {format_capacity(sizes[-1])}: "
            f"{_counted(forms)}"
        )
    return "; ".join(_drive(drive) for drive in drives)


def _drive(drive: Drive) -> str:
    size = format_capacity(drive.size_bytes) if drive.size_bytes else "size unknown"
    form = f", {drive.geometry.sector_format}" if drive.geometry else ""
    zoned = f", {drive.zoned}" if drive.zoned not in (None, "none") else ""
    return (
        f"{printable(drive.model or 'no model', 40)}, {drive.bus or 'bus unknown'}, {size}{form}{zoned}"
    ).replace("|", "\\|")


def _counted(found: Counter[str]) -> str:
    return ", ".join(word if count == 1 else f"{count} x {word}" for word, count in sorted(found.items()))


def main() -> None:
    made = catalogue(recordings())
    if "--check" not in sys.argv:
        README.write_text(made, encoding="utf-8")
    elif README.read_text(encoding="utf-8") != made:
        raise SystemExit(f"{README.name} is out of date: run python -m tests.machines.catalogue")


if __name__ == "__main__":
    main()
