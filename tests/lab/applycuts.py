"""Job: a plan is applied by the project's own commands to a drive that held files, undone, applied again and
kept, while every write is logged; afterwards, on this machine, the power is cut at every write of the commit,
of `keep` and of `undo`, and each state that it can have left is gone on with, to both ends.

The drive is a loop device over a partition, and the runs lie on another partition of the same emulated drive,
so that one log has the writes to both in their true order.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from tests.lab.blocklog import Write, read_log
from tests.lab.cutpoints import Content, power_cuts
from tests.lab.fleet import MIB, Bus, EmulatedDrive, Fleet
from tests.lab.inside import diskwright, node_of, tool
from tests.lab.machine import Laboratory, log_of
from tests.lab.replayed import MEMORY, looped, mark, mounted, mounts, number_of
from tests.lab.visit import Visit
from wizard.apply.block.devices import forget_caches
from wizard.apply.block.extents import Read, chunks, gaps, merged
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.held import holding
from wizard.apply.engine.record import GOING_BACK, Change, Mark, Phase, load_record
from wizard.apply.engine.stores import Store, barred, new_file, notice_file, old_file
from wizard.model.errors import DiskwrightError
from wizard.model.journal import Check
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
LOGGED_FLEET = Fleet("apply-logged", (LOGGED,))
TARGET, REST = Extent(MIB, 24 * MIB), Extent(26 * MIB, 64 * MIB)
"""Where on it the drive that is set up lies, and where the runs do."""
OLD_VOLUMES = (Extent(MIB, 10 * MIB), Extent(11 * MIB, 8 * MIB))
NEW_VOLUME = Extent(MIB, 22 * MIB)
"""On the drive that is set up."""
KINDS = ("ext4", "vfat")
"""What was in the old volumes; in the new one is the first."""
PLACE = Path("/srv/lab/rest")
RUNS = "runs"
APPLIED, WAITING, UNDONE = b"it is applied", b"it waits", b"it is undone"
AGAIN, KEPT = b"it waits again", b"it is kept"
BEFORE_FIRST = 24
"""So many writes before the first to the drive are looked at too: they say what is about to come."""
DAILY = 400
"""On ordinary days about so many states are looked at, from all over."""
POINTS = 200
"""At least as many are."""


def applied(fleet: Fleet) -> Iterator[Check]:
    """Without a power cut; marks on the emulated drive say where in the log each command begins or ends."""
    for module in ("loop", "ext4", "vfat"):
        tool("modprobe", module)
    node = node_of(fleet[LOGGED.name])
    # QEMU's log (blklogwrites) takes no request of more than 1,024 pieces, its own among them.
    Path("/sys/block", Path(node).name, "queue/max_sectors_kb").write_text("512")
    drive = _prepared(node)
    plan = PLACE / "plan.json"
    diskwright("plan", drive, "--replace", "--volume", "workload=large-media,fs=ext4", "-o", str(plan))
    applies = ("apply", str(plan), "--confirm", Path(drive).name, "--journal", str(PLACE / RUNS))
    for words, after in (
        (applies, WAITING),
        (("undo", "--journal", str(PLACE / RUNS)), UNDONE),
        (applies, AGAIN),
        (("keep", "--journal", str(PLACE / RUNS)), KEPT),
    ):
        if words is applies:
            mark(node, APPLIED)
        told = diskwright(*words, accept=range(256))
        mark(node, after)
        yield Check(f"{words[0]} ends well", told.status == 0, told.errors[-1500:])


def _prepared(node: str) -> str:
    """The drive with files in two volumes; the place for runs is mounted."""
    lines = "\n".join(
        f"start={place.start_bytes // 512},size={place.size_bytes // 512}" for place in (TARGET, REST)
    )
    _table(node, "dos", lines)
    # Each write gets to the emulated drive by itself, as it comes.
    drive = tool("losetup", "--find", "--show", "--direct-io=on", f"{node}1").strip()
    # The log cannot tell what a place holds after a discard.
    Path("/sys/block", Path(drive).name, "queue/discard_max_bytes").write_text("0")
    tool(
        "sh",
        "-c",
        f"yes diskwright | dd of={drive} bs=1M iflag=fullblock count={TARGET.size_bytes // MIB} status=none",
    )
    _table(
        drive,
        "gpt",
        "\n".join(f"start={one.start_bytes // 512},size={one.size_bytes // 512}" for one in OLD_VOLUMES),
    )
    tool("mkfs.ext4", "-q", "-F", "-E", "nodiscard", "-d", str(Path(__file__).parent), f"{drive}p1")
    tool("mkfs.vfat", f"{drive}p2")
    tool("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "nodiscard,lazy_itable_init=0", "-J", "size=4", f"{node}2")
    PLACE.mkdir(parents=True)
    tool("mount", f"{node}2", str(PLACE))
    (PLACE / RUNS).mkdir(mode=0o700)
    return drive


def _table(node: str, kind: str, lines: str) -> None:
    tool(
        "sh",
        "-c",
        f"printf 'label: {kind}\n{lines}\n' | sfdisk --quiet --no-reread {node}; partx --update {node}",
    )


@dataclass(frozen=True, slots=True)
class Ends:
    """What the drive held, and is to hold; and while it waits."""

    change: Change
    old: bytes
    new: bytes
    barred: bytes

    def may_show(self, held: bytes) -> bool:
        """Whether all but the marks is old, or all but the marks is new: then it is no harm if something is
        recognised, which is whole."""
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

    def _beside(self, marks: Sequence[Mark]) -> tuple[Extent, ...]:
        places = merged((one.extent for one in marks), LOGGED.logical_block_bytes, TARGET.size_bytes)
        return tuple(gaps(places, TARGET.size_bytes))


@dataclass
class Replay:
    """What was looked at, how often in which phase, and what was wrong."""

    ends: Ends
    run: str
    found: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    @property
    def points(self) -> int:
        """How many states were looked at."""
        return self.found.total()


@dataclass(frozen=True, slots=True)
class Bench:
    """Where a state is started with: an image of the emulated drive, and loop devices over its parts."""

    image: Path
    drive: str
    rest: str
    volumes: tuple[str, ...]
    tried: Path
    place: Path

    def lay(self, content: Content) -> None:
        """The emulated drive holds this."""
        with self.image.open("r+b") as image:
            image.write(content.drive)
        for node in (self.drive, self.rest, *self.volumes):
            forget_caches(node)

    def shown(self) -> list[str]:
        """All by which the drive, or a place where a volume was or will be, is recognised."""
        found = _said("wipefs", "--no-act", "--noheadings", self.drive)
        found += _said("partx", "--show", "--noheadings", self.drive)
        for volume in self.volumes:
            found += _said("blkid", "--probe", "--output", "value", volume)
            if mounts(volume, self.tried, (*KINDS, "ext2")):
                found.append(f"{volume} is mounted")
        return found

    def read(self) -> bytes:
        """The drive, from its device."""
        forget_caches(self.drive)
        return Path(self.drive).read_bytes()


def _said(*argv: str) -> list[str]:
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.split()


@contextmanager
def _bench() -> Iterator[Bench]:
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


def cut_everywhere(lab: Laboratory, *, every_one: bool) -> Iterable[Check]:
    """States that the drive can have had in the commit and in `undo`, and then in `keep`, each as after a
    power cut."""
    with lab.image(log_of(LOGGED.name)).open("rb") as log:
        writes = list(read_log(log))
    begun, waiting, undone, again, kept = (
        number_of(words, writes) for words in (APPLIED, WAITING, UNDONE, AGAIN, KEPT)
    )
    first = next(at for at, write in enumerate(writes) if at >= begun and _is_on_target(write)) - BEFORE_FIRST
    with _bench() as bench:
        content = Content(bytearray(LOGGED.size_bytes))
        content.take(writes[:first])
        yield from _stretch(
            bench, content, writes[first:undone], waiting - first, "0001", UNDONE, every_one=every_one
        )
        content = Content(content.drive)
        content.take(writes[undone:again])
        yield from _stretch(bench, content, writes[again:kept], 0, "0002", KEPT, every_one=every_one)


def _is_on_target(write: Write) -> bool:
    return TARGET.start_bytes <= write.offset_bytes < TARGET.end_bytes


def _on_target(content: Content) -> bytes:
    return bytes(memoryview(content.drive)[TARGET.start_bytes : TARGET.end_bytes])


def _stretch(
    bench: Bench,
    content: Content,
    writes: Sequence[Write],
    waiting: int,
    run: str,
    end: bytes,
    *,
    every_one: bool,
) -> Iterator[Check]:
    """States from what `content` holds to its end; after `waiting` writes all is written but the marks."""
    begun = _on_target(content)
    complete = Content(bytearray(content.drive))
    complete.take(writes[:waiting])
    replay = Replay(_ends(bench, complete, run), run)
    ends = replay.ends
    before = f"before {end.decode()}"
    yield Check(
        f"{before}, it held the old bytes, and waited",
        (begun, _on_target(complete)) in ((ends.old, ends.barred), (ends.barred, ends.barred)),
        "",
    )
    total = sum(1 for _ in power_cuts(Content(bytearray(content.drive)), writes, Random(1)))
    every = 1 if every_one else -(-total // (DAILY // 2))
    for number, (_, what) in enumerate(power_cuts(content, writes, Random(1))):
        if number % every == 0:
            _look(replay, bench, content, what)
    phases = ", ".join(f"{phase} {count}" for phase, count in sorted(replay.found.items()))
    yield Check(
        f"{before}, {replay.points} of {total} states ({phases}): nothing half written showed, and each led "
        "to both ends",
        not replay.wrong,
        "\n".join(replay.wrong[:20]),
    )
    yield Check(f"{before}, there were enough of them", replay.points >= POINTS // 2, str(replay.points))
    wanted = ends.old if end is UNDONE else ends.new
    yield Check(f"{end.decode()}, and the drive holds what it should", _on_target(content) == wanted, "")


def _ends(bench: Bench, content: Content, run: str) -> Ends:
    """By what the run keeps of the drive at this moment."""
    bench.lay(content)
    held = _on_target(content)
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
                for read in (old.read, new.read, barred(change, old.read, new.read, notice))
            ]
    return Ends(change, *found)


def _filled(held: bytes, change: Change, read: Read) -> bytes:
    """The same with other bytes in the places that change."""
    found = bytearray(held)
    for chunk in chunks(change.places):
        found[chunk.start_bytes : chunk.end_bytes] = read(chunk.start_bytes, chunk.size_bytes)
    return bytes(found)


def _run(place: Path, run: str) -> Path:
    return next((place / RUNS).glob(f"{run}-*"))


def _look(replay: Replay, bench: Bench, content: Content, what: str) -> None:
    """The drive is started with as it is at this point, and gone on with to each end that there is."""
    held, ends = _on_target(content), replay.ends
    bench.lay(content)
    with mounted(bench.rest, bench.place) as place:
        record = load_record(_run(place, replay.run))
        phase = record.phase if record else Phase.REHEARSING
        replay.found[phase] += 1
        where = f"{what}, {phase}"
        if not ends.may_show(held) and (shown := bench.shown()):
            replay.wrong.append(f"{where}: half written, it shows {' '.join(shown)}")
        if phase in ENDED:
            if held != ENDED[phase](ends):
                replay.wrong.append(f"{where}: it does not hold what it should")
            return
    for way in (_undo,) if phase in GOING_BACK else (_keep, _undo):
        bench.lay(content)
        with mounted(bench.rest, bench.place) as place:
            try:
                wanted = way(_run(place, replay.run), bench.drive, ends)
            except DiskwrightError as error:
                replay.wrong.append(f"{where}: {way.__name__} is stuck: {error}")
                continue
            if bench.read() != wanted:
                replay.wrong.append(f"{where}: gone on with by {way.__name__}, it is another")


def _keep(run: Path, drive: str, ends: Ends) -> bytes:
    with _exchange(run, drive) as exchange:
        if exchange.record.phase in (Phase.SAVED, Phase.CLEARING, Phase.REPLACING):
            exchange.commit(lambda share: None)
        exchange.release()
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
"""Phases in which there is one end, and what the drive holds then."""
JOBS = {"applied": applied}
TITLE = "a plan is applied, undone and kept: the power is cut at writes of all three, and writes are lost"
VISITS = (
    Visit(
        TITLE,
        LOGGED_FLEET,
        ("applied",),
        900,
        udev=False,
        # It takes longer than everything else of an ordinary day together.
        full_only=True,
        afterwards=partial(cut_everywhere, every_one=False),
    ),
    Visit(
        f"{TITLE}: every state",
        LOGGED_FLEET,
        ("applied",),
        900,
        udev=False,
        full_only=True,
        afterwards=partial(cut_everywhere, every_one=True),
    ),
)
