"""Job: move a misaligned partition back and forth with the project's commands, on a 512e drive with a log
of every write. Afterwards, on this machine, cut the power at writes of both. Each possible state is
continued to either place and compared with the old content, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from tests.lab.drives.fleet import KIB, MIB, Bus, EmulatedDrive, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SLOW, node_of, told, tool
from tests.lab.guest.machine import Laboratory, log_of
from tests.lab.power.blocklog import Write, read_log
from tests.lab.power.cutpoints import TORN_BYTES, Content, power_cuts
from tests.lab.visits.move.moved import SECTOR_BYTES
from wizard.apply.move.mover.journal import MoveJournal, PartitionSide
from wizard.apply.move.mover.mover import Mover
from wizard.model.errors import ExitCode, partition_path
from wizard.model.machine import Extent
from wizard.model.run import Check
from wizard.probe.content.notices import MAGIC
from wizard.process.program import run

LOGGED = EmulatedDrive(
    "move-logged",
    Bus.VIRTIO,
    serial="LAB-MOVE-LOGGED",
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=32 * MIB,
    logged=True,
)
FLEET = Fleet("move-logged", (LOGGED,))
OLD = Extent(63 * SECTOR_BYTES, 9 * MIB + 512 * KIB)
NEW = Extent(MIB, OLD.size_bytes)
HEAD_BYTES = MIB
MAGIC_AT, EXT_MAGIC = 1024 + 56, b"\x53\xef"
COPY_AT = 8193 * KIB
"""First copy of the superblock of ext with blocks of 1024 bytes."""
COPY_BLOCKS = 8 * KIB
"""Distance from the copy, on both sides, that may share a physical block with it."""
DAILY_STATES = 160
"""Approximate number of sampled states on an ordinary day."""
MIN_STATES = 120
FILES = Path(__file__).parents[2] / "machines"


def _make(lab: Laboratory) -> None:
    """Create the drive, with noise in all free places, and a copy of it."""
    image = lab.image(LOGGED.name)
    noise = Random(LOGGED.name)
    with image.open("r+b") as file:
        for _ in range(0, LOGGED.size_bytes, MIB):
            file.write(noise.randbytes(MIB))
    sectors = OLD.size_bytes // SECTOR_BYTES
    table = f"label: gpt\nfirst-lba: 34\nstart={OLD.start_bytes // SECTOR_BYTES}, size={sectors}\n"
    run(
        ["sfdisk", "--quiet", "--wipe", "always", "--wipe-partitions", "always", str(image)],
        seconds=SLOW,
        stdin=table.encode(),
    )
    where = f"offset={OLD.start_bytes},nodiscard"
    size = f"{OLD.size_bytes // KIB}k"
    run(["mke2fs", "-q", "-t", "ext4", "-b", "1024", "-E", where, str(image), size], seconds=SLOW)
    (lab.shared / "before").write_bytes(image.read_bytes())


def moved_and_back(fleet: Fleet) -> Iterator[Check]:
    """Run without power cuts. Nothing else writes to the drive."""
    node = node_of(fleet[LOGGED.name])
    tool("modprobe", "ext4")
    # QEMU's log (blklogwrites) accepts at most 1,024 pieces per request, including its own.
    Path("/sys/block", Path(node).name, "queue/max_sectors_kb").write_text("512")
    status, said = told("move", partition_path(node, 1), "--align", "--confirm", LOGGED.serial)
    yield Check("move succeeds", status == ExitCode.DONE, said[-3000:])
    status, said = told("undo")
    yield Check("undo moves the partition back", status == ExitCode.DONE, said[-3000:])


class MemoryDrive:
    """A `MovingDrive` without a volatile cache."""

    def __init__(self, data: bytearray) -> None:
        self.data = data

    def buffer(self, length_bytes: int) -> memoryview:
        """Return a buffer."""
        return memoryview(bytearray(length_bytes))

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        """Read."""
        buffer[:] = self.data[offset_bytes : offset_bytes + len(buffer)]

    def write(self, offset_bytes: int, data: memoryview) -> None:
        """Write."""
        self.data[offset_bytes : offset_bytes + len(data)] = data

    def flush(self) -> None:
        """Do nothing: all data is durable."""

    def flushing(self) -> Callable[[], None]:
        """Do nothing: all data is durable."""
        return self.flush


@dataclass
class Replay:
    """Old content of the drive, place of the journal, and results. `tables`: the bytes before and after
    everything that moves, with the partition at either place."""

    before: bytes
    journal_at: int
    tables: dict[PartitionSide, bytes] = field(default_factory=dict)
    points: int = 0
    ended_at: dict[PartitionSide, int] = field(default_factory=lambda: dict.fromkeys(PartitionSide, 0))
    wrong: list[str] = field(default_factory=list)

    @property
    def content(self) -> bytes:
        """Old content of the partition."""
        return self.before[OLD.start_bytes : OLD.end_bytes]

    def look(self, drive: bytearray, what: str, target: PartitionSide) -> None:
        """Continue from this state to this place, and check the result."""
        self.points += 1
        if shown := self._shows_half(drive):
            self.wrong.append(f"{what}: {shown}")
        found = MemoryDrive(bytearray(drive))
        journal = MoveJournal(found, self.journal_at, LOGGED.physical_block_bytes)
        if (loaded := journal.load()) is None:
            if drive[: self.journal_at] != self.before[: self.journal_at]:
                self.wrong.append(f"{what}: the drive changed before the journal was complete")
            return
        Mover(found, journal, *loaded).go(target)
        self.ended_at[target] += 1
        place = OLD if target is PartitionSide.OLD else NEW
        if found.data[place.start_bytes : place.end_bytes] != self.content:
            self.wrong.append(f"{what}, to the {target} place: the content differs")
        if self.table(found.data) != self.tables.setdefault(target, self.table(found.data)):
            self.wrong.append(f"{what}, to the {target} place: the table differs")

    @staticmethod
    def table(drive: bytes | bytearray) -> bytes:
        """Return everything before the lower place, and after the largest place of the journal."""
        return bytes(drive[: OLD.start_bytes] + drive[-MIB:])

    def _shows_half(self, drive: bytearray) -> str:
        """Return content that could be mounted or repaired but is incomplete."""
        for place in (OLD, NEW):
            now = memoryview(drive)[place.start_bytes : place.end_bytes]
            if now[MAGIC_AT : MAGIC_AT + 2] == EXT_MAGIC and now != self.content:
                return f"a superblock at {place.start_bytes} without the rest of the filesystem"
            copy = COPY_AT + MAGIC_AT - 1024
            if now[copy : copy + 2] == EXT_MAGIC and not self._is_bare(now):
                return f"a copy of a superblock at {place.start_bytes} without the rest of the filesystem"
        return ""

    def _is_bare(self, now: memoryview) -> bool:
        """Return True if everything is there except the head and the surroundings of the copy."""
        low, high = COPY_AT - COPY_BLOCKS, COPY_AT + COPY_BLOCKS
        return now[HEAD_BYTES:low] == self.content[HEAD_BYTES:low] and now[high:] == self.content[high:]


def cut_everywhere(lab: Laboratory, *, every_one: bool) -> Iterable[Check]:
    """Check possible states of the drive, each as after a power cut."""
    with lab.image(log_of(LOGGED.name)).open("rb") as log:
        writes = list(read_log(log))
    before = (lab.shared / "before").read_bytes()
    replay = Replay(before, _journal_at(writes))
    replay.tables[PartitionSide.OLD] = replay.table(before)
    # Rough estimate: most states are parts of a write.
    total = sum(-(-len(write.data) // TORN_BYTES) for write in writes)
    every = 1 if every_one else max(1, total // DAILY_STATES)
    content = Content(bytearray(before))
    number = 0
    for number, (_, what) in enumerate(power_cuts(content, writes, Random(1)), 1):
        if number % every == 0:
            replay.look(content.drive, what, PartitionSide.NEW if replay.points % 2 else PartitionSide.OLD)
    end = OLD.end_bytes
    same = (
        content.drive[:end] == before[:end]
        and replay.table(content.drive) == replay.tables[PartitionSide.OLD]
    )
    yield Check("undo restores table and partition bit for bit", same, "")
    told = ", ".join(f"{count} to the {side} place" for side, count in replay.ended_at.items())
    yield Check(
        f"{replay.points} of {number} states ({told}): a half-moved partition stays "
        "invisible, and each move finishes bit for bit",
        not replay.wrong,
        "\n".join(replay.wrong[:20]),
    )
    yield Check("enough states are checked", replay.points >= MIN_STATES, str(replay.points))


def _journal_at(writes: Sequence[Write]) -> int:
    """Return the place of the first journal slot, the lowest one written."""
    return min(write.offset_bytes for write in writes if write.data.startswith(MAGIC))


JOBS = {"moved-and-back": moved_and_back}
TITLE = "move of a misaligned partition and its undo, with power cuts and lost writes"
VISITS = tuple(
    Visit(
        title,
        FLEET,
        ("moved-and-back",),
        600,
        udev=False,
        full_only=every_one,
        prepare=_make,
        afterwards=partial(cut_everywhere, every_one=every_one),
    )
    for title, every_one in ((TITLE, False), (f"{TITLE}: every state", True))
)
