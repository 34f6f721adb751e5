"""Every drive of the fleet as a recorded machine, tests/machines/NAME.json. Unit tests read them in
milliseconds, and `diskwright inspect --machine tests/machines/NAME.json` shows them. `python -m tests.lab
--record-machines` renews them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tests.lab.drives.fleet import EmulatedDrive, Expected, Fleet, ModuleDrive
from tests.lab.drives.members import BUS_FLEET, FLEETS
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SHARED, loaded, node_of
from wizard.documents.codec import render_document, to_json
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import Pattern, load_patterns
from wizard.model.finding import Diagnosis
from wizard.model.run import Check
from wizard.probe.facts import SCHEMA, RawDrive, RawMachine
from wizard.probe.interpret import machine_of
from wizard.probe.machine import survey

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

MACHINES = Path(__file__).resolve().parents[3] / "machines"
"""Recorded machines."""
PLACE = SHARED / "machines"
PATIENCE = 120.0
"""Time limit in seconds for a survey in a guest."""


def of_one(raw: RawMachine, drive: RawDrive) -> RawMachine:
    """Return a machine with only this drive, without values that change at each boot."""
    blocks = {name: block for name, block in raw.graph.blocks.items() if drive.name in (name, block.disk)}
    graph = replace(raw.graph, blocks=blocks, mounts=tuple(mount for mount in raw.graph.mounts if mount.own))
    links = {name: found for name, found in raw.links.items() if name in blocks}
    return replace(raw, drives=(drive,), graph=graph, links=links, boot_id=None, attached=())


def diagnosis_of(raw: RawMachine, patterns: tuple[Pattern, ...]) -> Diagnosis:
    """Return the diagnosis of the only drive."""
    machine = machine_of(raw)
    (drive,) = machine.drives
    return diagnose(machine, drive, patterns)


ENGLISH = frozenset({"english", "several"})
"""Keys of a message's text. The other keys are values."""


def said(raw: RawMachine, patterns: tuple[Pattern, ...]) -> Any:  # noqa: ANN401 - plain JSON
    """Return the diagnosis without what may differ: the drive's node and the English of messages."""
    (drive,) = raw.drives
    return _renamed(to_json(diagnosis_of(raw, patterns)), drive.path)


def _renamed(value: Any, path: str) -> Any:  # noqa: ANN401 - plain JSON
    match value:
        case dict():
            return {key: _renamed(inner, path) for key, inner in value.items() if key not in ENGLISH}
        case list():
            return [_renamed(inner, path) for inner in value]
        case str():
            return value.replace(path, "/dev/drive")
    return value


def unlike(expected: Expected, diagnosis: Diagnosis) -> str:
    """Return how a diagnosis differs from the expected one, or empty."""
    recording, codes = diagnosis.recording, sorted({finding.code for finding in diagnosis.findings})
    seen = (recording.verdict.value, recording.management, codes)
    wanted = (expected.recording, expected.management, sorted(expected.findings))
    return "" if seen == wanted else f"{seen}, not {wanted}"


def surveyed(fleet: Fleet) -> Iterator[tuple[EmulatedDrive | ModuleDrive, RawMachine]]:
    """Return the current facts of every drive of a fleet, one at a time. Drives of modules are loaded for
    that."""
    nodes = {drive.name: node_of(drive) for drive in fleet.drives}
    if nodes:
        raw = survey(tuple(nodes.values()), seconds=PATIENCE)
        by_path = {drive.path: drive for drive in raw.drives}
        for drive in fleet.drives:
            yield drive, of_one(raw, by_path[nodes[drive.name]])
    for member in fleet.loadable:
        with loaded(member) as node:
            raw = survey((node,), seconds=PATIENCE)
            yield member, of_one(raw, raw.drives[0])


def file_of(name: str, folder: Path = MACHINES) -> Path:
    """Return the file of a recorded drive."""
    return folder / f"{name}.json"


def portray(fleet: Fleet) -> Iterator[Check]:
    """Write the facts of every drive to the shared folder, and check each diagnosis."""
    PLACE.mkdir(exist_ok=True)
    patterns = load_patterns()
    for member, raw in surveyed(fleet):
        file_of(member.name, PLACE).write_text(render_document(SCHEMA, to_json(raw)), encoding="utf-8")
        trouble = (
            unlike(member.expected, diagnosis_of(raw, patterns))
            if member.expected
            else "no diagnosis is expected"
        )
        yield Check(f"{member.name}: the diagnosis is as expected", not trouble, trouble)


def _keep(lab: Laboratory) -> Iterator[Check]:
    """Copy the files for the unit tests, unless they reveal something about this machine."""
    from tests.lab.errands.record import traces

    MACHINES.mkdir(exist_ok=True)
    for path in sorted((lab.shared / PLACE.name).glob("*.json")):
        text = path.read_text(encoding="utf-8")
        found = traces(text)
        yield Check(f"{path.name} reveals nothing about this machine", not found, ", ".join(found))
        if not found:
            file_of(path.stem).write_text(text, encoding="utf-8")


JOBS = {"portray": portray}

VISITS = tuple(
    Visit(
        f"recorded machines: fleet {fleet.name}",
        fleet,
        ("portray",),
        seconds=900,
        udev=fleet is BUS_FLEET,
        afterwards=_keep,
    )
    for fleet in FLEETS
)
"""Only run by `--record-machines`."""
