"""Format or delete one partition: its neighbours and their table entries stay unchanged, even if mounted."""

import hashlib
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from uuid import uuid4

import pytest
from msgspec.structs import replace

from tests.daily import IS_FULL
from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, ended, fill, spec, story, unknown_kernel
from tests.loop.program import (
    MIB,
    Drive,
    Partition,
    Plan,
    Refused,
    RunState,
    keep,
    partition_path,
    probe_drive,
    probe_machine,
    undo,
)
from wizard.apply.plan.recover import found_on, make_found_run
from wizard.apply.run.runs import run_argument
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import DeletePart, NewVolumes, Request, ResizePart

SIZE = 200 * MIB
SCRIPTS = {
    "gpt": (
        'label: gpt\nstart=1MiB,size=48MiB,name="größer Diск",attrs="GUID:59,63"\n'
        'start=50MiB,size=64MiB,name=films,attrs="GUID:60",type=EBD0A0A2-B9E5-4433-87C0-68B6B72699C7\n'
        "start=120MiB,size=48MiB\n"
    ),
    "far": "label: gpt\nstart=1MiB,size=8MiB\nstart=9MiB,size=16MiB\nstart=290MiB,size=8MiB\n",
    "large": "label: gpt\nstart=1MiB,size=8MiB\nstart=9MiB,size=400MiB\nstart=1000MiB,size=8MiB\n",
    "large mbr": "label: dos\nstart=1MiB,size=8MiB\nstart=9MiB,size=400MiB\nstart=1000MiB,size=8MiB\n",
    "askew": "label: dos\nstart=63,size=16000\nstart=18495,size=819200\nstart=1000MiB,size=8MiB\n",
    "mbr": (
        "label: dos\nstart=1MiB,size=48MiB,bootable\nstart=50MiB,size=64MiB,type=7\nstart=120MiB,size=48MiB\n"
    ),
    "logical": (
        "label: dos\nstart=1MiB,size=40MiB\nstart=49MiB,size=140MiB,type=5\nstart=50MiB,size=64MiB,type=7\n"
        "start=120MiB,size=48MiB\n"
    ),
}
"""A partition before, the one that is changed, and one behind; between those two a gap."""

KINDS = ("gpt", "mbr", "logical")

SIZES = {"far": 300 * MIB, "large": 1024 * MIB, "large mbr": 1024 * MIB, "askew": 1024 * MIB}
"""Of drives that are not of the usual size."""

LARGE = 1024 * MIB
"""From which on a day writes no pattern over all of a drive, for which a test would take twice as long."""

NUMBERS = {**dict.fromkeys(SCRIPTS, (1, 2, 3)), "logical": (1, 5, 6)}


def draw() -> str:
    return str(uuid4())


class Shared:
    """A drive with three partitions, each an ext4 with a file. Tests change the middle one."""

    def __init__(self, work: Work, make_drive: MakeDrive, kind: str, block_bytes: int) -> None:
        self.work, self.kind = work, kind
        size = SIZES.get(kind, SIZE)
        self.path = make_drive(size, block_bytes)
        fill(self.path, work.bench, 1 if IS_FULL or size < LARGE else 8)
        script = work.folder / "script"
        script.write_text(SCRIPTS[kind])
        tool("sh", "-c", f"sfdisk --quiet --no-reread --wipe always {self.path} < {script} || true")
        tool("partx", "--add", self.path)
        for name, number in zip(("before", "films", "behind"), NUMBERS[kind], strict=True):
            tool("mkfs.ext4", "-q", "-F", "-L", name, self.node(number))
            with self.mounted(number) as place:
                (place / "kept").write_bytes(name.encode() * 1000)
        self.was = work.digest(self.path)

    @property
    def number(self) -> int:
        return NUMBERS[self.kind][1]

    def node(self, number: int) -> str:
        return partition_path(self.path, number)

    @contextmanager
    def mounted(self, number: int) -> Iterator[Path]:
        self.work.bench.own(self.path)
        place = self.work.place(f"of-{number}")
        place.mkdir(parents=True, exist_ok=True)
        tool("mount", self.node(number), str(place))
        try:
            yield place
        finally:
            tool("umount", str(place))

    def probed(self) -> tuple[Drive, Partition]:
        drive = probe_drive(self.path)
        part = drive.partition(self.node(self.number))
        assert part is not None
        return drive, part

    def format_plan(self, filesystem: str = "ext4") -> Plan:
        machine = unknown_kernel(probe_machine([self.path]))
        drive, part = self.probed()
        wished = spec(filesystem, mount_point=self.work.place("new"))
        return make_plan(machine, (drive,), NewVolumes((wished,), part=part), draw)

    def grow_plan(self, size_bytes: int | None = None) -> Plan:
        return self.changed(lambda part: ResizePart(part, size_bytes))

    def shrink_plan(self, size_bytes: int) -> Plan:
        return self.changed(lambda part: ResizePart(part, size_bytes, grows=False))

    def delete_plan(self) -> Plan:
        return self.changed(DeletePart)

    def changed(self, request: Callable[[Partition], Request]) -> Plan:
        drive, part = self.probed()
        return make_plan(unknown_kernel(probe_machine([self.path])), (drive,), request(part))

    def outside(self) -> str:
        """Return a fingerprint of the neighbours' content."""
        tool("blockdev", "--flushbufs", self.path)
        sums = hashlib.sha256()
        with self.work.bench.image_of(self.path).open("rb") as image:
            for part in probe_drive(self.path).partitions:
                if part.number not in (self.number, 2 if self.kind == "logical" else 0):
                    image.seek(part.start_bytes)
                    sums.update(image.read(part.size_bytes))
        return sums.hexdigest()

    def others(self) -> list[Partition]:
        """Return the neighbours' entries, from the disk and the kernel."""
        found = probe_drive(self.path).partitions
        return [replace(part, superblock_digest=None) for part in found if part.number != self.number]


@pytest.mark.parametrize(
    # partx tells the kernel of no extended partition on blocks of 4096 bytes: it has one of 512 bytes then.
    ("kind", "block_bytes"),
    [("gpt", 512), ("gpt", 4096), ("mbr", 512), ("mbr", 4096), ("logical", 512)],
)
def test_formatting_leaves_the_neighbours_unchanged(
    work: Work, make_drive: MakeDrive, kind: str, block_bytes: int
) -> None:
    drive = Shared(work, make_drive, kind, block_bytes)
    outside, others = drive.outside(), drive.others()
    old = drive.probed()[1]
    run, state = work.apply(drive.format_plan())
    assert state is RunState.DONE, story(run)
    assert (drive.outside(), drive.others()) == (outside, others)
    new = drive.probed()[1]
    assert [one.label for one in new.signatures] == ["media"]
    assert (new.start_bytes, new.size_bytes) == (old.start_bytes, old.size_bytes)
    assert (new.part_uuid, new.attributes) == (old.part_uuid, old.attributes)
    assert (new.type == old.type, new.name) == (False, "media" if kind == "gpt" else None)
    assert list(work.place("new").iterdir()) == [work.place("new") / "lost+found"]


@pytest.mark.parametrize("block_bytes", [512, 4096])
@pytest.mark.parametrize("kind", ["gpt", "mbr"])
def test_deleting_leaves_the_neighbours_unchanged(
    work: Work, make_drive: MakeDrive, kind: str, block_bytes: int
) -> None:
    drive = Shared(work, make_drive, kind, block_bytes)
    outside, others = drive.outside(), drive.others()
    node, start = drive.node(2), drive.probed()[1].start_bytes
    run, state = work.apply(drive.delete_plan())
    assert state is RunState.DONE, story(run)
    assert (drive.outside(), drive.others()) == (outside, others)
    assert [part.number for part in probe_drive(drive.path).partitions] == [1, 3]
    assert not Path(node).exists()
    assert work.bench.image_of(drive.path).read_bytes()[start + 1080 : start + 1082] == b"\0\0"


def test_partition_is_deleted_although_it_was_open_briefly(work: Work, make_drive: MakeDrive) -> None:
    """Keep the partition open for a moment, like udev and every probe."""
    drive = Shared(work, make_drive, "gpt", 512)
    run, state = work.apply(drive.delete_plan(), keep=False)
    assert state is RunState.WAITING, story(run)
    looking = os.open(drive.node(2), os.O_RDONLY)
    timer = Timer(3, os.close, (looking,))
    timer.start()
    keep(run)
    timer.join()
    assert not Path(drive.node(2)).exists(), story(run)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", ["format", "delete"])
def test_undo_restores_every_byte(work: Work, make_drive: MakeDrive, kind: str, what: str) -> None:
    drive = Shared(work, make_drive, kind, 512)
    if kind == "logical" and what == "delete":
        pytest.skip("the partition behind it would get its number")
    plan = drive.format_plan() if what == "format" else drive.delete_plan()
    run, state = work.apply(plan, keep=False)
    assert state is RunState.WAITING, story(run)
    assert work.digest(drive.path) != drive.was
    assert not drive.probed()[1].signatures
    undo(run)
    assert ended(run) is RunState.UNDONE, story(run)
    assert work.digest(drive.path) == drive.was
    with drive.mounted(drive.number) as place:
        assert (place / "kept").read_bytes() == b"films" * 1000


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", ["format", "delete", "undo"])
def test_neighbours_may_be_mounted(work: Work, make_drive: MakeDrive, kind: str, what: str) -> None:
    drive = Shared(work, make_drive, kind, 512)
    if kind == "logical" and what == "delete":
        pytest.skip("the partition behind it would get its number")
    first, _, last = NUMBERS[kind]
    with drive.mounted(first) as before, drive.mounted(last) as behind:
        with (before / "open").open("wb") as file:
            file.write(b"one" * 5000)
            file.flush()
            plan = drive.delete_plan() if what == "delete" else drive.format_plan()
            run, state = work.apply(plan, keep=False)
            assert state is RunState.WAITING, story(run)
            (behind / "meanwhile").write_bytes(b"two" * 5000)
            (undo if what == "undo" else keep)(run)
            wanted = {"format": RunState.KEPT, "delete": RunState.KEPT, "undo": RunState.UNDONE}[what]
            assert ended(run) is wanted, story(run)
            file.write(b"three" * 5000)
        assert sorted(path.name for path in before.iterdir()) == ["kept", "lost+found", "open"]
        assert [part.number for part in drive.others() if part.mount_points] == [first, last]
        if what == "format":
            assert (work.place("new") / "lost+found").is_dir()
            tool("umount", str(work.place("new")))
    for number, name in ((first, "before"), (last, "behind")):
        tool("e2fsck", "-f", "-n", drive.node(number))
        with drive.mounted(number) as place:
            assert (place / "kept").read_bytes() == name.encode() * 1000
    with drive.mounted(first) as before:
        assert (before / "open").read_bytes() == b"one" * 5000 + b"three" * 5000
    if what == "undo":
        with drive.mounted(drive.number) as place:
            assert (place / "kept").read_bytes() == b"films" * 1000
    assert Path(drive.node(drive.number)).exists() == (what != "delete")


@contextmanager
def writing_superblocks(place: Path) -> Iterator[None]:
    """Make a mounted ext filesystem write its superblock repeatedly, by freezing and thawing."""
    over = threading.Event()

    def write() -> None:
        while not over.wait(0.02):
            tool("fsfreeze", "--freeze", str(place))
            tool("fsfreeze", "--unfreeze", str(place))

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("what", ["format", "delete"])
def test_neighbours_may_be_written_during_the_run(work: Work, make_drive: MakeDrive, what: str) -> None:
    """Check that neighbours may change during rehearsal and writes."""
    drive = Shared(work, make_drive, "gpt", 512)
    first, _, _ = NUMBERS["gpt"]
    plan = drive.delete_plan() if what == "delete" else drive.format_plan()
    with drive.mounted(first) as before, writing_superblocks(before):
        run, state = work.apply(plan, keep=False)
        assert state is RunState.WAITING, story(run)
        keep(run)
        assert ended(run) is RunState.KEPT, story(run)
    tool("e2fsck", "-f", "-n", partition_path(drive.path, first))
    if what == "format":
        tool("umount", str(work.place("new")))


def test_command_accepts_a_partition(work: Work, make_drive: MakeDrive) -> None:
    drive = Shared(work, make_drive, "gpt", 512)
    node, file = drive.node(2), str(work.folder / "plan.json")
    with drive.mounted(1), drive.mounted(3):
        with drive.mounted(2):
            used = diskwright(work, "plan", node, "--delete")
        assert (used.returncode, f"{node} is in use: {node} is mounted at" in used.stderr) == (3, True)
        done = diskwright(work, "plan", node, "--workload", "large-media", "--fs", "ext4", "-o", file)
        assert done.returncode == 0, done.stderr
        told = " ".join(done.stderr.split())
        assert re.search(rf'Destroys: All files on {node}: ext4 "films", \S+ MB used, 67\.1 MB\.', told)
        token = drive.path.removeprefix("/dev/")
        dry = diskwright(work, "apply", file, "--confirm", token, "--dry-run")
        assert dry.returncode == 0, dry.stderr
        direct = diskwright(work, "apply", file, "--confirm", token, "--confirm", "no undo")
        assert (direct.returncode, "always support undo" in direct.stderr) == (3, True)
        done = diskwright(work, "apply", file, "--confirm", token)
        assert done.returncode == 0, done.stderr
        assert diskwright(work, "undo").returncode == 0
    with drive.mounted(2) as place:
        assert (place / "kept").read_bytes() == b"films" * 1000
    for words, said in (
        ((drive.path, "--delete"), "--delete requires one partition"),
        ((node, "--workload", "large-media", "--use-free"), "--use-free requires a whole drive"),
        ((node, "--preset", "desktop"), "--preset requires a whole drive"),
        ((node, "--volume", "workload=large-media,size=10M"), "remains at 67.1 MB"),
    ):
        refused = diskwright(work, "plan", *words)
        assert (refused.returncode, said in refused.stderr) == (2, True), refused.stderr


def test_waiting_partition_is_finished_without_its_run_folder(work: Work, make_drive: MakeDrive) -> None:
    drive = Shared(work, make_drive, "gpt", 512)
    with drive.mounted(1), drive.mounted(3):
        run, state = work.apply(drive.format_plan(), keep=False)
        assert state is RunState.WAITING, story(run)
        waiting = probe_drive(drive.path).waiting
        assert waiting is not None and (waiting.run, waiting.bare) == (run_argument(run), True)
        with pytest.raises(Refused, match=f"Run {run_argument(run)} is waiting on {drive.path}"):
            drive.format_plan()
        shutil.rmtree(run)
        found = found_on(drive.path)
        again = make_found_run(found, found.plan.tokens, work.folder / "other", work.environment)
        keep(again)
        assert ended(again) is RunState.KEPT, story(again)
    assert [one.label for one in drive.probed()[1].signatures] == ["media"]
    tool("e2fsck", "-f", "-n", drive.node(2))
    assert probe_drive(drive.path).waiting is None


def test_formatting_to_the_same_type_leaves_the_table_unchanged(work: Work, make_drive: MakeDrive) -> None:
    drive = Shared(work, make_drive, "gpt", 512)
    assert work.apply(drive.format_plan())[1] is RunState.DONE
    tool("umount", str(work.place("new")))
    tool("blockdev", "--flushbufs", drive.path)
    table = work.bench.image_of(drive.path).read_bytes()[: 34 * 512]
    machine = unknown_kernel(probe_machine([drive.path]))
    known, part = drive.probed()
    again = make_plan(machine, (known,), NewVolumes((spec("ext4"),), part=part), draw)
    run, state = work.apply(again)
    assert state is RunState.DONE, story(run)
    assert [one.uuid for one in drive.probed()[1].signatures] == [again.volumes[0].uuid]
    assert work.bench.image_of(drive.path).read_bytes()[: 34 * 512] == table
