"""Check a state of `applycuts` after a power cut, and continue from it in every possible direction."""

from __future__ import annotations

import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive
from tests.lab.power.cutpoints import Content
from tests.lab.power.replayed import MEMORY, looped, mounted, mounts
from wizard.apply.block.devices import forget_caches
from wizard.apply.block.extents import Read, chunks, gaps, holding, merged
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.record import GOING_BACK, DriveChange, Phase, SavedSignature, load_record
from wizard.apply.engine.stores import Store, hidden_reader, new_file, notice_file, old_file
from wizard.model.errors import DiskwrightError
from wizard.model.machine import Extent

LOGGED = EmulatedDrive(
    "apply-logged",
    Bus.VIRTIO,
    serial="LAB-APPLY-LOGGED",
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=92 * MIB,
    logged=True,
)
TARGET, REST = Extent(MIB, 24 * MIB), Extent(26 * MIB, 64 * MIB)
"""Parts of the emulated drive: the drive to set up, and the filesystem with the runs."""
OLD_VOLUMES = (Extent(MIB, 10 * MIB), Extent(11 * MIB, 8 * MIB))
NEW_VOLUME = Extent(MIB, 22 * MIB)
"""Volumes on the drive to set up."""
KINDS = ("ext4", "vfat")
"""Filesystems of the old volumes. The new volume has the first one."""
RUNS = "runs"


@dataclass(frozen=True, slots=True)
class Ends:
    """Content of the drive before, after, and while waiting."""

    change: DriveChange
    old: bytes
    new: bytes
    barred: bytes

    def may_show(self, held: bytes) -> bool:
        """Return True if everything except signatures is old, or everything is new. Then recognised
        content is complete and harmless."""
        return any(
            all(
                held[place.start_bytes : place.end_bytes] == whole[place.start_bytes : place.end_bytes]
                for place in rest
            )
            for whole, rest in (
                (self.old, self._beside(self.change.old_marks)),
                (self.new, self._beside(self.change.new_marks)),
            )
        )

    def _beside(self, marks: Sequence[SavedSignature]) -> tuple[Extent, ...]:
        places = merged((one.extent for one in marks), LOGGED.logical_block_bytes, TARGET.size_bytes)
        return tuple(gaps(places, TARGET.size_bytes))


@dataclass
class Replay:
    """Checked states, by phase, and faults."""

    ends: Ends
    run: str
    found: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    @property
    def points(self) -> int:
        """Number of checked states."""
        return self.found.total()


@dataclass(frozen=True, slots=True)
class Bench:
    """Restart with a state: an image of the emulated drive, and loop devices over its parts."""

    image: Path
    drive: str
    rest: str
    volumes: tuple[str, ...]
    tried: Path
    place: Path

    def lay(self, content: Content) -> None:
        """Write this content to the emulated drive."""
        with self.image.open("r+b") as image:
            image.write(content.drive)
        for node in (self.drive, self.rest, *self.volumes):
            forget_caches(node)

    def shown(self) -> list[str]:
        """Return everything that identifies the drive, or a place of an old or new volume."""
        found = _said("wipefs", "--no-act", "--noheadings", self.drive)
        found += _said("partx", "--show", "--noheadings", self.drive)
        for volume in self.volumes:
            found += _said("blkid", "--probe", "--output", "value", volume)
            if mounts(volume, self.tried, (*KINDS, "ext2")):
                found.append(f"{volume} is mounted")
        return found

    def read(self) -> bytes:
        """Read the drive from its device."""
        forget_caches(self.drive)
        return Path(self.drive).read_bytes()


def _said(*argv: str) -> list[str]:
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.split()


@contextmanager
def benched() -> Iterator[Bench]:
    """Create loop devices over an image of the emulated drive in memory."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="diskwright-cuts-", dir=MEMORY)))
        image = folder / "drive.img"
        with image.open("wb") as file:
            file.truncate(LOGGED.size_bytes)
        tried, place = folder / "tried", folder / "rest"
        for made in (tried, place):
            made.mkdir()
        volumes = [
            Extent(TARGET.start_bytes + one.start_bytes, one.size_bytes) for one in (*OLD_VOLUMES, NEW_VOLUME)
        ]
        drive, rest, *parts = (
            stack.enter_context(looped(image, one.start_bytes, one.size_bytes))
            for one in (TARGET, REST, *volumes)
        )
        yield Bench(image, drive, rest, tuple(parts), tried, place)


def on_target(content: Content) -> bytes:
    """Return the content of the target drive."""
    return bytes(memoryview(content.drive)[TARGET.start_bytes : TARGET.end_bytes])


def ends_of(bench: Bench, content: Content, run: str) -> Ends:
    """Return old and new content, from the run's current data."""
    bench.lay(content)
    held = on_target(content)
    with mounted(bench.rest, bench.place) as place:
        folder = _run(place, run)
        record = load_record(folder)
        assert record is not None, "the run has no record"
        (change,) = record.changes
        with Store(old_file(folder, 0)) as old, Store(new_file(folder, 0)) as new:
            notice = b""
            if noted := change.notice:
                with Store(notice_file(folder, 0)) as noticed:
                    notice = noticed.read(noted.start_bytes, noted.size_bytes)
            found = [
                _filled(held, change, read)
                for read in (old.read, new.read, hidden_reader(change, old.read, new.read, notice))
            ]
    return Ends(change, *found)


def _filled(held: bytes, change: DriveChange, read: Read) -> bytes:
    """Return the content with other bytes in the changed places."""
    found = bytearray(held)
    for chunk in chunks(change.places):
        found[chunk.start_bytes : chunk.end_bytes] = read(chunk.start_bytes, chunk.size_bytes)
    return bytes(found)


def _run(place: Path, run: str) -> Path:
    return next((place / RUNS).glob(f"{run}-*"))


def look(replay: Replay, bench: Bench, content: Content, what: str) -> None:
    """Start with the drive in this state, and continue in every possible direction."""
    held, ends = on_target(content), replay.ends
    bench.lay(content)
    with mounted(bench.rest, bench.place) as place:
        record = load_record(_run(place, replay.run))
        phase = record.phase if record else Phase.REHEARSING
        replay.found[phase] += 1
        where = f"{what}, {phase}"
        if not ends.may_show(held) and (shown := bench.shown()):
            replay.wrong.append(f"{where}: half-written data is visible: {' '.join(shown)}")
        if phase in ENDED:
            if held != ENDED[phase](ends):
                replay.wrong.append(f"{where}: the content differs from the expected one")
            return
    for way in (_undo,) if phase in GOING_BACK else (_keep, _undo):
        bench.lay(content)
        with mounted(bench.rest, bench.place) as place:
            try:
                wanted = way(_run(place, replay.run), bench.drive, ends)
            except DiskwrightError as error:
                replay.wrong.append(f"{where}: {way.__name__} fails: {error}")
                continue
            if bench.read() != wanted:
                replay.wrong.append(f"{where}: the content differs after {way.__name__}")


def _keep(run: Path, drive: str, ends: Ends) -> bytes:
    with _exchange(run, drive) as exchange:
        if exchange.record.phase in (Phase.SAVED, Phase.CLEARING, Phase.REPLACING):
            exchange.commit(lambda share: None)
        exchange.release(lambda share: None)
    return ends.new


def _undo(run: Path, drive: str, ends: Ends) -> bytes:
    with _exchange(run, drive) as exchange:
        exchange.undo(lambda share: None)
    return ends.old


@contextmanager
def _exchange(run: Path, drive: str) -> Iterator[Exchange]:
    with holding((drive,)) as drives:
        exchange = Exchange(run, drives)
        try:
            yield exchange
        finally:
            exchange.close()


ENDED: dict[Phase, Callable[[Ends], bytes]] = {
    Phase.REHEARSING: lambda ends: ends.old,
    Phase.UNDONE: lambda ends: ends.old,
    Phase.KEPT: lambda ends: ends.new,
}
"""Phases with only one end, and the content of the drive there."""
