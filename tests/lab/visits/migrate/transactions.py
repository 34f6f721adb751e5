"""Job: conversions on a scratch copy: cancelled, out of space, committed, undone, kept. And power cuts during
commit and undo, resumed after a reboot. All bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from unittest.mock import patch

from tests.exchanging import unheard
from tests.lab.drives.fleet import KIB, MIB, EmulatedDrive, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SLOW, cut_power, digest_of, node_of, shown, tool
from wizard.apply.block.extents import DeviceMedium, HeldDrive
from wizard.apply.conversion.commit import Committer, locate
from wizard.apply.conversion.job import drop_saved
from wizard.apply.conversion.rehearsal import rehearsing
from wizard.apply.engine.record import load_record
from wizard.apply.engine.stores import FOLDER
from wizard.model.errors import DiskwrightError, Failed, Refused
from wizard.model.run import Check
from wizard.operations.ext4 import (
    AddChecksums,
    CheckFiles,
    ConvertFiles,
    OnDevice,
    SetFeatures,
    WidenBlockNumbers,
    WidenInodes,
    accepted,
    proof,
)
from wizard.process.program import run

STORE = virtio_drive("tx-store", 128 * MIB)
SMALL, NATIVE = virtio_drive("tx-small", 32 * MIB), virtio_drive("tx-native", 32 * MIB, 4096)
TRANSACTION_FLEET, CUT_FLEET = Fleet("transaction", (STORE, SMALL)), Fleet("transaction-cut", (STORE, NATIVE))
PLACE, OLD = Path("/srv/lab/store"), Path("/srv/lab/old")
SPARE_BYTES = 256 * KIB
FULL: tuple[OnDevice, ...] = (
    CheckFiles(),
    WidenInodes(),
    SetFeatures(("extent", "huge_file", "dir_nlink", "extra_isize")),
    ConvertFiles(),
    WidenBlockNumbers(),
    AddChecksums(),
)


@dataclass(frozen=True, slots=True)
class Change:
    """A run's change to the filesystem on a node."""

    run: Path
    node: str

    def rehearse(self, steps: Callable[[str], object]) -> str:
        """Take steps on a scratch copy, and save the change. Return the digest of the result."""
        with rehearsing(self.run, self.node, unheard) as (copy, save):
            steps(copy.node)
            copy.check()
            digest = digest_of(copy.node)
            save()
        return digest

    def commit(self) -> None:
        with self._committer() as committer:
            committer.commit(lambda share: None)

    def undo(self) -> None:
        with self._committer() as committer:
            committer.undo(lambda share: None)

    @contextmanager
    def _committer(self) -> Iterator[Committer]:
        with (
            HeldDrive(self.node) as medium,
            closing(Committer(self.run, self.node, medium, unheard)) as committer,
        ):
            yield committer


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A drive with an ext3, and a run folder on the other drive."""

    node: str

    def begin(self, name: str) -> Change:
        folder = PLACE / name
        folder.mkdir(mode=0o700)
        return Change(folder, self.node)

    def reopened(self, name: str) -> Change:
        return Change(PLACE / name, *locate(PLACE / name))

    @property
    def digest(self) -> str:
        return digest_of(self.node)


def migrate(node: str) -> None:
    """Convert ext3 to ext4, and check the result."""
    for operation in FULL:
        for argv in operation.commands(node):
            tool(*argv, accept=accepted(argv))
    tool(*proof(node))


def make_old(node: str, block_bytes: int) -> None:
    """Create an old ext3 with files."""
    features = "has_journal,^extent,^64bit,^metadata_csum,^flex_bg,^huge_file,^dir_nlink,^extra_isize"
    content = ("-E", "nodiscard", "-d", str(Path(__file__).parents[2]))
    tool("mkfs.ext3", "-q", "-F", "-I", "128", "-b", str(block_bytes), "-O", features, *content, node)


def _prepared(fleet: Fleet, drive: EmulatedDrive, block_bytes: int) -> Surroundings:
    _modules()
    make_old(node_of(fleet[drive.name]), block_bytes)
    # No blocks reserved for root, who runs everything here.
    tool("mkfs.ext4", "-q", "-F", "-m", "0", node_of(fleet[STORE.name]))
    _mount_store(fleet)
    return Surroundings(node_of(fleet[drive.name]))


def _modules() -> None:
    for module in ("fuse", "loop", "ext4"):
        tool("modprobe", module)


def _mount_store(fleet: Fleet) -> None:
    for place in (PLACE, OLD):
        place.mkdir(parents=True, exist_ok=True)
    tool("mount", node_of(fleet[STORE.name]), str(PLACE))


def mounts(node: str, *words: str) -> bool:
    """Return True if the filesystem can be mounted. Unmounts it again."""
    if run(("mount", *words, node, str(OLD)), seconds=SLOW, accept=range(256)).status:
        return False
    tool("umount", str(OLD))
    return True


def transacted(fleet: Fleet) -> Iterator[Check]:
    """Check without a power cut."""
    here = _prepared(fleet, SMALL, 1024)
    before = here.digest
    yield from _given_up(here, before)
    yield from _run_full(here, before)
    yield from _committed(here, before)
    yield from _kept(here)


class GivenUp(Exception):
    """The rehearsal was cancelled."""


def _given_up(here: Surroundings, before: str) -> Iterator[Check]:
    seen: dict[str, object] = {}

    def cancelled(node: str) -> None:
        seen["mounts"] = mounts(here.node, "-o", "ro")
        migrate(node)
        seen["changed"] = digest_of(node) != before
        seen["unchanged"] = here.digest == before
        raise GivenUp

    with suppress(GivenUp):
        here.begin("given-up").rehearse(cancelled)
    yield Check("a filesystem with a scratch copy cannot be mounted", seen["mounts"] is False, "")
    yield Check("the conversion changes the scratch copy", seen["changed"] is True, "")
    yield Check("the conversion leaves the drive unchanged", seen["unchanged"] is True, "")
    left = [tool("losetup", "--noheadings", "--list").strip(), *map(str, PLACE.glob(f"*/{FOLDER}"))]
    yield Check("cancelled: nothing is left", left == [""], shown(left))
    yield Check("cancelled: the drive is unchanged", here.digest == before, "")


def _run_full(here: Surroundings, before: str) -> Iterator[Check]:
    filler = PLACE / "filler"
    free = int(tool("stat", "-f", "-c", "%a", str(PLACE))) * int(tool("stat", "-f", "-c", "%S", str(PLACE)))
    tool("fallocate", "-l", str(free - SPARE_BYTES), str(filler))

    def tried(node: str) -> None:
        with suppress(Failed):
            migrate(node)

    said = ""
    try:
        here.begin("full").rehearse(tried)
    except DiskwrightError as error:
        said = str(error)
    yield Check("store full: the rehearsal fails with the reason", "No space left" in said, said)
    yield Check("store full: the drive is unchanged", here.digest == before, "")
    yield Check("store full: nothing is left", not list(PLACE.glob(f"*/{FOLDER}")), "")
    filler.unlink()


def _committed(here: Surroundings, before: str) -> Iterator[Check]:
    change = here.begin("whole")
    wanted = change.rehearse(migrate)
    change.commit()
    yield Check("commit copies the scratch copy to the drive", here.digest == wanted, "")
    tool(*proof(here.node))
    yield Check("committed: ext4 can be mounted", mounts(here.node, "-t", "ext4", "-o", "ro"), "")
    change.undo()
    yield Check("undo restores every byte", here.digest == before, "")
    yield Check("undone: ext3 can be mounted", mounts(here.node, "-t", "ext3", "-o", "ro"), "")


def _kept(here: Surroundings) -> Iterator[Check]:
    change = here.begin("kept")
    change.rehearse(migrate)
    change.commit()
    mounts(here.node)
    used = here.digest
    try:
        change.undo()
        said = ""
    except Refused as error:
        said = str(error)
    yield Check(
        "undo refuses after a writable mount", "was modified after" in said and here.digest == used, said
    )
    drop_saved(change.run)
    left = list(PLACE.glob(f"*/{FOLDER}"))
    yield Check("keep frees the store", not left and here.digest == used, shown(left))


def cut_in_commit(fleet: Fleet) -> Iterator[Check]:
    """Cut the power during the commit, with the drive half replaced."""
    here = _prepared(fleet, NATIVE, 4096)
    (PLACE / "before").write_text(here.digest)
    change = here.begin("cut")
    (PLACE / "after").write_text(change.rehearse(migrate))
    tool("sync")
    yield Check("the change is ready for commit", (PLACE / "after").read_text() != here.digest, "")
    with _power_goes(_moment()):
        change.commit()
    yield Check("the power is cut", False, "the commit finished")


def cut_in_undoing(fleet: Fleet) -> Iterator[Check]:
    """Resume the locked filesystem after a reboot, then cut the power during undo."""
    here = _found_again(fleet)
    yield from _is_barred(here, "after-the-commit")
    change = here.reopened("cut")
    change.commit()
    yield Check(
        "commit finishes bit for bit after the power cut",
        here.digest == (PLACE / "after").read_text(),
        "",
    )
    tool(*proof(here.node))
    with _power_goes(_moment()):
        change.undo()
    yield Check("the power is cut", False, "undo finished")


def undone_at_last(fleet: Fleet) -> Iterator[Check]:
    """Finish undo after another reboot."""
    here = _found_again(fleet)
    yield from _is_barred(here, "after-the-undoing")
    here.reopened("cut").undo()
    yield Check(
        "undo finishes bit for bit after the power cut",
        here.digest == (PLACE / "before").read_text(),
        "",
    )
    yield Check("undone: ext3 can be mounted", mounts(here.node, "-t", "ext3", "-o", "ro"), "")


def _found_again(fleet: Fleet) -> Surroundings:
    _modules()
    _mount_store(fleet)
    return Surroundings(node_of(fleet[NATIVE.name]))


def _is_barred(here: Surroundings, another: str) -> Iterator[Check]:
    half = here.digest
    yield Check(
        "half replaced: the drive is neither old nor new",
        half not in ((PLACE / "before").read_text(), (PLACE / "after").read_text()),
        shown(getattr(load_record(PLACE / "cut"), "phase", None)),
    )
    ways = [
        words
        for words in ((), ("-o", "ro,noload"), ("-t", "ext3"), ("-t", "ext2", "-o", "ro"))
        if mounts(here.node, *words)
    ]
    yield Check("half replaced: the drive cannot be mounted", not ways, shown(ways))
    repaired = run(("e2fsck", "-f", "-y", here.node), seconds=SLOW, accept=range(256))
    yield Check(
        "half replaced: e2fsck changes nothing", repaired.status == 8 and here.digest == half, repaired.output
    )
    try:
        here.begin(another).rehearse(migrate)
        said = ""
    except DiskwrightError as error:
        said = str(error)
    yield Check("half replaced: other runs refuse", "blocked until that is finished" in said, said)


def _moment() -> int:
    """Return a small random number of writes until the power cut."""
    return Random().randrange(1, 6)


@contextmanager
def _power_goes(writes: int) -> Iterator[None]:
    """Cut the power after this number of writes, each flushed to the drive."""
    left = writes
    write = DeviceMedium.write

    def counted(medium: DeviceMedium, offset_bytes: int, data: bytes) -> None:
        nonlocal left
        if left == 0:
            cut_power()
        left -= 1
        write(medium, offset_bytes, data)
        medium.flush()

    with patch.object(DeviceMedium, "write", counted):
        yield


JOBS = {
    "transacted": transacted,
    "cut-in-commit": cut_in_commit,
    "cut-in-undoing": cut_in_undoing,
    "undone-at-last": undone_at_last,
}
VISITS = (
    Visit(
        "a transaction: cancelled, out of space, committed, undone, kept",
        TRANSACTION_FLEET,
        ("transacted",),
        900,
        udev=False,
    ),
    Visit("a transaction: with udev", TRANSACTION_FLEET, ("transacted",), 900, udev=True, full_only=True),
    Visit("a transaction: power cut during commit", CUT_FLEET, ("cut-in-commit",), 600, udev=False),
    Visit(
        "a transaction: resumed, then power cut during undo",
        CUT_FLEET,
        ("cut-in-undoing",),
        600,
        udev=False,
    ),
    Visit("a transaction: undo finished", CUT_FLEET, ("undone-at-last",), 600, udev=False),
)
