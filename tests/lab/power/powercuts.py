"""Job: a transaction on a drive with a log of every write. Afterwards, on this machine, cut the power at
every write of its commit and of its undo, and continue from each possible state.

The filesystem and the folder with the run and the stores are two partitions of one drive, so that one log has
all writes in order.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.exchanging import unheard
from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import node_of, tool
from tests.lab.guest.machine import Laboratory, log_of
from tests.lab.power.blocklog import read_log
from tests.lab.power.cutpoints import Content, power_cuts
from tests.lab.power.replayed import MEMORY, looped, mark, mounted, mounts, number_of
from tests.lab.visits.migrate.transactions import Change, make_old, migrate
from wizard.apply.block.devices import forget_caches
from wizard.apply.block.extents import HeldDrive
from wizard.apply.conversion.commit import Committer, load_filesystem, phase_of
from wizard.apply.engine.record import GOING_BACK, UNTOUCHED, Phase
from wizard.model.run import Check

LOGGED = EmulatedDrive(
    "tx-logged",
    Bus.VIRTIO,
    serial="LAB-TX-LOGGED",
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=22 * MIB,
    logged=True,
)
LOGGED_FLEET = Fleet("transaction-logged", (LOGGED,))
FILESYSTEM, REST = (MIB, 5 * MIB), (6 * MIB, 16 * MIB)
"""Start and size of the two partitions."""
MIN_STATES = 500
"""Minimum number of checked states."""
PLACE = Path("/srv/lab/rest")
RUN = "run"
BEGIN, COMMITTED, UNDONE = b"commit starts", b"committed", b"undone"


def logged(fleet: Fleet) -> Iterator[Check]:
    """Commit and undo without a power cut. Marks on the drive record where each begins in the log."""
    for module in ("fuse", "loop", "ext4"):
        tool("modprobe", module)
    node = node_of(fleet[LOGGED.name])
    lines = "\n".join(f"start={start // 512},size={length // 512}" for start, length in (FILESYSTEM, REST))
    tool(
        "sh",
        "-c",
        f"printf 'label: dos\n{lines}\n' | sfdisk --quiet --no-reread {node}; partx --update {node}",
    )
    make_old(f"{node}1", 1024)
    tool("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "nodiscard,lazy_itable_init=0", "-J", "size=4", f"{node}2")
    PLACE.mkdir(parents=True)
    tool("mount", f"{node}2", str(PLACE))
    (PLACE / RUN).mkdir(mode=0o700)
    change = Change(PLACE / RUN, f"{node}1")
    change.rehearse(migrate)
    tool("sync")
    mark(node, BEGIN)
    change.commit()
    mark(node, COMMITTED)
    change.undo()
    mark(node, UNDONE)
    phase = phase_of(PLACE / RUN)
    yield Check("commit and undo finish", phase is Phase.UNDONE, str(phase))


@dataclass
class Replay:
    """The filesystem before and after, and results."""

    old: bytes
    new: bytes
    points: int = 0
    wrong: list[str] = field(default_factory=list)


def cut_everywhere(lab: Laboratory) -> Iterable[Check]:
    """Check every possible state since the commit began, each as after a power cut."""
    with lab.image(log_of(LOGGED.name)).open("rb") as log:
        writes = list(read_log(log))
    begin, committed, undone = (number_of(words, writes) for words in (BEGIN, COMMITTED, UNDONE))
    content = Content(bytearray(LOGGED.size_bytes))
    content.take(writes[:begin])
    old = _filesystem(content)
    content.take(writes[begin:committed])
    replay = Replay(old, _filesystem(content))
    yield Check("commit changes the filesystem", replay.old != replay.new, "")
    content = Content(bytearray(LOGGED.size_bytes))
    content.take(writes[:begin])
    with (
        tempfile.TemporaryDirectory(prefix="diskwright-cuts-", dir=MEMORY) as folder,
        _bench(Path(folder)) as bench,
    ):
        bench.lay(content)
        yield Check("the old filesystem can be mounted", mounts(bench.filesystem, bench.tried), "")
        for number, what in power_cuts(content, writes[begin:undone], Random(1)):
            replay.points += 1
            _look(replay, bench, content, what, back=begin + number > committed or bool(replay.points % 2))
    yield Check("undo restores the old filesystem", _filesystem(content) == replay.old, "")
    yield Check(
        f"{replay.points} power cuts: each change finishes bit for bit, and half-replaced data never mounts",
        not replay.wrong,
        "\n".join(replay.wrong[:20]),
    )
    yield Check("enough states are checked", replay.points >= MIN_STATES, str(replay.points))


def _filesystem(content: Content) -> bytes:
    start, length = FILESYSTEM
    return bytes(memoryview(content.drive)[start : start + length])


def _is(filesystem: bytes, content: Content) -> bool:
    """Compare without a copy."""
    return content.drive.startswith(filesystem, FILESYSTEM[0])


@dataclass(frozen=True, slots=True)
class Bench:
    """Restart with a state of the drive: its image, and the two partitions in it."""

    image: Path
    filesystem: str
    rest: str
    tried: Path
    place: Path
    found: bytearray

    def lay(self, content: Content) -> None:
        """Write this content to the drive."""
        with self.image.open("r+b") as image:
            image.write(content.drive)
        for node in (self.filesystem, self.rest):
            forget_caches(node)

    def read(self) -> bytearray:
        """Read the filesystem from its device. Valid until the next call."""
        forget_caches(self.filesystem)
        with Path(self.filesystem).open("rb", buffering=0) as device:
            assert device.readinto(self.found) == len(self.found)
        return self.found


@contextmanager
def _bench(folder: Path) -> Iterator[Bench]:
    image = folder / "drive.img"
    with image.open("wb") as file:
        file.truncate(LOGGED.size_bytes)
    tried, place = folder / "tried", folder / "rest"
    for new in (tried, place):
        new.mkdir()
    with looped(image, *FILESYSTEM) as filesystem, looped(image, *REST) as rest:
        yield Bench(image, filesystem, rest, tried, place, bytearray(FILESYSTEM[1]))


def _look(replay: Replay, bench: Bench, content: Content, what: str, *, back: bool) -> None:
    """Start with the drive in this state. An unfinished change is finished or undone."""
    bench.lay(content)
    with mounted(bench.rest, bench.place) as place:
        phase, filesystem = phase_of(place / RUN), load_filesystem(place / RUN)
        where = f"{what}, {phase or 'no record'}"
        if not (_is(replay.old, content) or _is(replay.new, content)) and mounts(
            bench.filesystem, bench.tried
        ):
            replay.wrong.append(f"{where}: a half-replaced filesystem can be mounted")
        if phase in UNTOUCHED and not _is(replay.old, content):
            replay.wrong.append(f"{where}: the filesystem changed before the record did")
        if filesystem is None or phase in (Phase.REHEARSING, Phase.UNDONE, Phase.LEFT):
            if not _is(replay.old, content):
                replay.wrong.append(f"{where}: the filesystem differs from the old one")
            return
        wanted = _goes_on(place / RUN, bench.filesystem, back=back or phase in GOING_BACK)
        if bench.read() != (replay.old if wanted == "old" else replay.new):
            replay.wrong.append(f"{where}: the result differs from the {wanted} filesystem")


def _goes_on(run: Path, node: str, *, back: bool) -> str:
    """Return the filesystem that must be there then."""
    with HeldDrive(node) as medium, closing(Committer(run, node, medium, unheard)) as committing:
        if back:
            committing.undo(lambda share: None)
            return "old"
        committing.commit(lambda share: None)
        return "new"


JOBS = {"logged": logged}
VISITS = (
    Visit(
        "a transaction: power cuts at every write of commit and undo, with lost writes",
        LOGGED_FLEET,
        ("logged",),
        900,
        udev=False,
        afterwards=cut_everywhere,
    ),
)
