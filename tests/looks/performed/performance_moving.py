"""The walk to ext4 with filesystem, plan and run recorded in tests/looks/recorded_moving, on a loop
device."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from tests.looks.performed.performance import OutOfDate
from tests.looks.rehearsal import Hand, Take, app_of, come, flat, highlight, press, ready, rows, until
from tests.unit.machines import drive, machine
from tests.unit.ui.simulated import Simulated
from wizard.apply.run.journal import ENDS, RunState, read_entries
from wizard.documents.codec import parse_document
from wizard.ext4.assessment import Situation
from wizard.ext4.document import MIGRATIONS
from wizard.model.machine import Drive, Signature
from wizard.model.run import Event, JournalEntry
from wizard.operations.ext4 import ConvertFiles
from wizard.plan.changes import Migration, RunDocument

FOLDER = Path(__file__).parents[1] / "recorded_moving"
ANEW = "sudo python -m tests.loop.migrate.recordmoving"
SITUATION_SCHEMA = "diskwright.situation/1"


class MovingPerformance(Simulated):
    """Replay of the recording. The run pauses after the conversion of its files until `applied` is set."""

    def __init__(self, folder: Path = FOLDER) -> None:
        where = folder / "situation.json"
        self.found = parse_document(where.read_text(), SITUATION_SCHEMA, Situation, where.name)
        self.recorded = _migration(folder / "migration.json")
        self.entries = read_entries(folder)
        self.run = Path((folder / "run.txt").read_text().strip())
        self.applied = threading.Event()
        super().__init__(machine(_drive(self.found)), str(folder))

    def look_at_ext(self, device: str) -> Situation:
        return self.found

    def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """Start the recorded run; only the recorded conversion was ever applied. Texts of the current
        program may differ."""
        if not isinstance(document, Migration) or _essence(document) != _essence(self.recorded):
            raise OutOfDate("The migration that the wizard plans is not what was recorded.", ANEW)
        return self.run

    def follow(self, run: Path) -> Iterator[JournalEntry]:
        held = next(
            number
            for number, step in enumerate(self.recorded.steps, 1)
            if isinstance(step.operation, ConvertFiles)
        )
        for entry in self.entries:
            yield entry
            if (entry.event, entry.step) == (Event.STEP_STARTED, held):
                self.applied.wait(60)

    def state(self, run: Path) -> RunState:
        return ENDS[self.entries[-1].event]


def _migration(path: Path) -> Migration:
    """Return the applied conversion. Texts of the current program may differ."""
    return MIGRATIONS.read_kept(path.read_text(), path.name)


def _essence(migration: Migration) -> tuple[object, ...]:
    """Return the content of a conversion without its texts."""
    operations = tuple(step.operation for step in migration.steps)
    commands = tuple(step.commands for step in migration.steps)
    return (
        migration.drive,
        migration.device,
        migration.before,
        migration.way,
        migration.manifest,
        operations,
        commands,
    )


def _drive(found: Situation) -> Drive:
    """Return the drive of the recorded situation. A loop device has neither model nor serial number."""
    known = found.drive
    signature = Signature(found.ext.kind, "filesystem", label=found.ext.label)
    bare = drive(
        path=known.path,
        size_bytes=known.size_bytes,
        geometry=known.geometry,
        by_id=(),
        model=None,
        serial=None,
        wwn=None,
        bus="loop",
    )
    return replace(
        bare, signatures=(signature,), vendor=None, revision=None, rotational=known.rotational, free=()
    )


async def perform_moving(pilot: Hand, take: Take, services: MovingPerformance) -> None:
    """Repeat the recorded steps with keys, and take a picture of every screen."""
    await ready(pilot)
    await press(pilot, "m")
    await come(pilot, "ways")
    await until(lambda: bool(rows(pilot)) and not app_of(pilot).keyboard.view.busy, pilot)
    await highlight(pilot, services.recorded.way.value)
    await take("ways")
    await press(pilot, "enter")
    await come(pilot, "review")
    await take("ways-review")
    await press(pilot, f"={services.recorded.drive.token}", "enter")
    await come(pilot, "work")
    await until(lambda: "from block maps" in flat(pilot), pilot)
    await take("ways-work")
    services.applied.set()
    await come(pilot, "result")
    await take("ways-result")
