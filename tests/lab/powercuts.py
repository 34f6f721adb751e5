"""Job: a transaction on a drive whose every write is logged; afterwards, on this machine, the power is cut at every write of its commit and
of its undoing, and each state is gone on with.

The filesystem and the folder with the run and the stores lie on two partitions of one drive, so that one log has both in their true order.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from time import sleep

from tests.exchanging import unheard
from tests.lab.blocklog import Write, read_log
from tests.lab.fleet import KIB, MIB, Bus, EmulatedDrive, Fleet
from tests.lab.inside import node_of, tool
from tests.lab.machine import Laboratory, log_of
from tests.lab.transactions import make_old, migrate
from tests.lab.visit import Visit
from wizard.apply.devices import write_bytes
from wizard.apply.exchange import Exchange
from wizard.apply.journal import Journal
from wizard.apply.medium import DeviceMedium
from wizard.apply.phases import Phase, load_record, save_record
from wizard.apply.transaction import Transaction
from wizard.model.journal import Check

LOGGED = EmulatedDrive(
    "tx-logged", Bus.VIRTIO, serial="LAB-TX-LOGGED", logical_block_bytes=512, physical_block_bytes=4096, size_bytes=40 * MIB, logged=True
)
LOGGED_FLEET = Fleet("transaction-logged", (LOGGED,))
FILESYSTEM, REST = (MIB, 8 * MIB), (9 * MIB, 31 * MIB)
"""Where the two partitions begin, and how long they are."""
ROOM_BYTES = 6 * MIB
MARKS_BYTES = 512 * KIB
"""Where on the drive the job writes what comes next."""
PIECE_BYTES = 2 * KIB
"""A longer write is taken to arrive in such pieces."""
MEMORY = Path("/dev/shm")
"""What is on no disk need not be waited for."""
POINTS = 500
"""At least as many states are looked at where there are so many."""
PLACE = Path("/srv/lab/rest")
RUN = "run"
BEGIN, COMMITTED, UNDONE = b"the commit begins", b"committed", b"undone"


def logged(fleet: Fleet) -> Iterator[Check]:
    """Committed and taken back, without a power cut; marks on the drive say where in the log each begins."""
    for module in ("dm_snapshot", "loop", "ext4"):
        tool("modprobe", module)
    node = node_of(fleet[LOGGED.name])
    lines = "\n".join(f"start={start // 512},size={length // 512}" for start, length in (FILESYSTEM, REST))
    tool("sh", "-c", f"printf 'label: dos\n{lines}\n' | sfdisk --quiet --no-reread {node}; partx --update {node}")
    make_old(f"{node}1", 1024)
    tool("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "nodiscard,lazy_itable_init=0", "-J", "size=4", f"{node}2")
    PLACE.mkdir(parents=True)
    tool("mount", f"{node}2", str(PLACE))
    (PLACE / RUN).mkdir(mode=0o700)
    change = Transaction.begin(PLACE / RUN, f"{node}1", PLACE, Journal(PLACE / RUN), room_bytes=ROOM_BYTES)
    migrate(change.work)
    tool("sync")
    _mark(node, BEGIN)
    change.commit()
    _mark(node, COMMITTED)
    change.undo()
    _mark(node, UNDONE)
    yield Check("committed and undone", change.phase is Phase.UNDONE, change.phase)


def _mark(node: str, mark: bytes) -> None:
    os.sync()
    write_bytes(node, MARKS_BYTES, mark.ljust(512, b"\0"))


@dataclass
class Replay:
    """The drive as it was at one moment after the other."""

    content: bytearray
    old: bytes = b""
    new: bytes = b""
    points: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def filesystem(self) -> bytes:
        start, length = FILESYSTEM
        return bytes(self.content[start : start + length])

    def take(self, write: Write) -> None:
        """One write arrives."""
        self.content[write.offset_bytes : write.offset_bytes + len(write.data)] = write.data


def cut_everywhere(lab: Laboratory) -> Iterable[Check]:
    """Every state that the log holds since the commit began, each as after a power cut."""
    with lab.image(log_of(LOGGED.name)).open("rb") as log:
        writes = list(read_log(log))
    marks = {mark: number for number, write in enumerate(writes) for mark in (BEGIN, COMMITTED, UNDONE) if _is_mark(write, mark)}
    replay = Replay(bytearray(LOGGED.size_bytes))
    for number, write in enumerate(writes[: marks[COMMITTED] + 1]):
        replay.take(write)
        if number == marks[BEGIN]:
            replay.old = replay.filesystem
    replay.new = replay.filesystem
    yield Check("the commit changed the filesystem", replay.old != replay.new, "")
    replay.content = bytearray(LOGGED.size_bytes)
    for write in writes[: marks[BEGIN] + 1]:
        replay.take(write)
    pieces = [
        (piece, number > marks[COMMITTED])
        for number, write in enumerate(writes[marks[BEGIN] + 1 : marks[UNDONE]], marks[BEGIN] + 1)
        for piece in write.in_pieces(PIECE_BYTES)
    ]
    every = max(1, len(pieces) // POINTS)
    with tempfile.TemporaryDirectory(prefix="diskwright-cuts-", dir=MEMORY) as folder:
        for number, (piece, taking_back) in enumerate(pieces):
            replay.take(piece)
            if number % every == 0 or _is_in(piece, FILESYSTEM):
                replay.points += 1
                _look(replay, Path(folder), back=taking_back or bool(number % 2))
    yield Check("the undoing gave the old filesystem", replay.filesystem == replay.old, "")
    yield Check(
        f"{replay.points} power cuts: each was gone on with to the bit, none could be mounted",
        not replay.wrong,
        "\n".join(replay.wrong[:20]),
    )
    yield Check("there were enough of them", replay.points >= min(POINTS, len(pieces)), f"{replay.points} of {len(pieces)}")


def _is_mark(write: Write, mark: bytes) -> bool:
    return write.offset_bytes == MARKS_BYTES and write.data.startswith(mark)


def _is_in(piece: Write, place: tuple[int, int]) -> bool:
    return place[0] <= piece.offset_bytes < sum(place)


def _look(replay: Replay, folder: Path, *, back: bool) -> None:
    """The drive is started with as it is at this point; a change in the middle is finished, or taken back."""
    image = folder / "drive.img"
    image.write_bytes(replay.content)
    with ExitStack() as stack:
        node, rest = (stack.enter_context(_looped(image, *place)) for place in (FILESYSTEM, REST))
        place = stack.enter_context(_mounted(rest, folder))
        record = load_record(place / RUN)
        where = f"point {replay.points}, {record.phase if record else 'no record'}"
        whole = replay.filesystem in (replay.old, replay.new)
        if not whole and _mounts(node, folder):
            replay.wrong.append(f"{where}: what is half replaced was mounted")
        if record is None or record.phase in (Phase.WORKING, Phase.UNDONE, Phase.ABANDONED):
            if replay.filesystem != replay.old:
                replay.wrong.append(f"{where}: the filesystem is not what it was")
            return
        save_record(place / RUN, replace(record, folder=str(place / Path(record.folder).name)))
        wanted = _goes_on(place / RUN, node, back=back or record.phase.endswith("back"))
        found = Path(node).read_bytes()
        if found != (replay.old if wanted == "old" else replay.new):
            replay.wrong.append(f"{where}: gone on with, it is not the {wanted} filesystem: {sha256(found).hexdigest()}")


def _goes_on(run: Path, node: str, *, back: bool) -> str:
    """Which filesystem must be there then."""
    with DeviceMedium(node) as medium:
        exchange = Exchange(run, medium, unheard)
        if back and exchange.record.phase is not Phase.SEALED:
            exchange.undo(lambda share: None)
            return "old"
        exchange.commit(lambda share: None)
        return "new"


def _mounts(node: str, folder: Path) -> bool:
    if subprocess.run(("mount", "-o", "ro,noload", node, str(_folder(folder / "tried"))), capture_output=True, check=False).returncode:
        return False
    subprocess.run(("umount", str(folder / "tried")), check=True)
    return True


def _folder(path: Path) -> Path:
    path.mkdir(exist_ok=True)
    return path


@contextmanager
def _looped(image: Path, start: int, length: int) -> Iterator[str]:
    """A loop device over a part of a file."""
    limits = ("--offset", str(start), "--sizelimit", str(length))
    node = subprocess.run(("losetup", "--find", "--show", *limits, str(image)), check=True, capture_output=True, text=True).stdout.strip()
    try:
        yield node
    finally:
        subprocess.run(("losetup", "--detach", node), check=True)
        while Path("/sys/class/block", Path(node).name, "loop").exists():
            sleep(0.005)


@contextmanager
def _mounted(node: str, folder: Path) -> Iterator[Path]:
    """The folder with the run and the stores, as after a start."""
    place = _folder(folder / "rest")
    subprocess.run(("mount", "-t", "ext4", node, str(place)), check=True, capture_output=True)
    try:
        yield place
    finally:
        subprocess.run(("umount", str(place)), check=True)


JOBS = {"logged": logged}
VISITS = (
    Visit(
        "a transaction: the power is cut at every write of its commit and of its undoing",
        LOGGED_FLEET,
        ("logged",),
        900,
        udev=False,
        afterwards=cut_everywhere,
    ),
)
