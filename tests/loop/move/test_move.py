"""Move partitions on real drives: every content, on every table type, killed at any moment, bit for bit."""

import hashlib
import json
import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic, sleep

import pytest

from tests.daily import SEED, one_in
from tests.devices import MakeDrive, forget_partitions, tool
from tests.fingerprint import fingerprint
from tests.loop.applying import Work, diskwright, ended, said, story
from tests.loop.program import (
    GIB,
    MIB,
    Event,
    Moves,
    Partition,
    Refused,
    RunState,
    commands_for,
    power_now,
    probe_machine,
    read_entries,
    request_stop,
    resume,
    start_document,
    state,
    undo,
)
from tests.loop.runs.published import kept_schemas
from tests.unit.report.reports import Page
from wizard.apply.move.content import THROTTLE
from wizard.apply.run.job import Start
from wizard.model.moves import Move, Scheme
from wizard.plan.partition.move_target import planned_move
from wizard.report.gather import Sources, make_report
from wizard.report.page import write_report

SECTOR = 512


@dataclass(frozen=True)
class Content:
    """Commands that create and check a content, and its size."""

    make: tuple[str, ...]
    check: tuple[str, ...] = ()
    size: int = 160 * MIB


CONTENTS = {
    "ext4": Content(("mkfs.ext4", "-q", "-F"), ("e2fsck", "-fn")),
    "ext3": Content(("mkfs.ext3", "-q", "-F"), ("e2fsck", "-fn")),
    "xfs": Content(("mkfs.xfs", "-q", "-f"), ("xfs_repair", "-n"), 320 * MIB),
    "btrfs": Content(("mkfs.btrfs", "-q", "-f"), ("btrfs", "check"), 160 * MIB),
    "vfat": Content(("mkfs.vfat", "-F", "32"), ("fsck.fat", "-n")),
    "exfat": Content(("mkfs.exfat",), ("fsck.exfat", "-n")),
    "ntfs": Content(("mkntfs", "-q", "-F", "-Q"), ("ntfsinfo", "-m")),
    "f2fs": Content(("mkfs.f2fs", "-q", "-f"), ("fsck.f2fs", "--dry-run")),
    "swap": Content(("mkswap",)),
    "crypto_LUKS": Content(
        (
            *("cryptsetup", "luksFormat", "-q", "--type", "luks2", "--pbkdf", "pbkdf2"),
            *("--keyfile-size", "32", "--key-file", __file__),
        )
    ),
}


SHIFTS = (1, 1985, 139264)
WANTED = one_in(len(SHIFTS), ((kind, shift) for kind in CONTENTS for shift in SHIFTS))
"""Each content by one of them."""


def table(path: str, script: str) -> None:
    """Write a table with sfdisk, and make the kernel read it."""
    subprocess.run(["sfdisk", "--quiet", path], input=script, text=True, check=True, capture_output=True)
    forget_partitions(path)
    subprocess.run(["partx", "--add", path], capture_output=True, check=False)


def part_of(path: str, number: int) -> Partition:
    return next(part for part in probe_machine([path]).drives[0].partitions if part.number == number)


def planned(path: str, number: int = 1, start: int | None = None) -> Move:
    machine = probe_machine([path])
    (drive,) = machine.drives
    return planned_move(machine, drive, part_of(path, number), start)


def digest(node: str, places: tuple[tuple[int, int], ...] = ()) -> str:
    """Return a digest of the node's bytes, with zeros at these places."""
    if not places:
        return fingerprint(Path(node))
    data = bytearray(Path(node).read_bytes())
    for at, size in places:
        data[at : at + size] = bytes(size)
    return hashlib.sha256(data).hexdigest()


def filled(node: str, content: Content, seed: int) -> None:
    """Create the content, with noise in unused blocks, so that misplaced blocks are detected."""
    size = int(tool("blockdev", "--getsize64", node))
    random = Random(seed)
    with Path(node).open("r+b") as file:
        # No two pieces are alike at any distance that a move can have.
        noise = random.randbytes(4 * MIB)
        for number in range(-(-size // len(noise))):
            turned = number * 4097 % len(noise)
            file.write((noise[turned:] + noise[:turned])[: size - file.tell()])
        file.flush()
        os.fsync(file.fileno())
    tool("wipefs", "--all", "--quiet", node)
    tool(*content.make, node)


def begin(work: Work, move: Move, rest: float = 0.0) -> Path:
    work.bench.own(move.drive.path)
    moves = Moves((move,))
    run = start_document(moves, Start((move.drive.token,), work.runs, work.environment))
    if rest:
        (run / THROTTLE).write_text(str(rest))
    return run


def kill(run: Path) -> None:
    """Kill the run's process, if any, once its process id is recorded."""
    until = monotonic() + 60
    while state(run) is RunState.RUNNING:
        assert monotonic() < until
        with suppress(OSError, ValueError):
            os.kill(int((run / "pid").read_text()), signal.SIGKILL)
        sleep(0.05)


def is_clean(node: str, content: Content) -> None:
    if content.check:
        tool(*content.check, node)


@pytest.mark.parametrize(("kind", "shift"), WANTED)
def test_move_and_undo_are_bit_for_bit_despite_kills(
    work: Work, make_drive: MakeDrive, kind: str, shift: int
) -> None:
    content, random = CONTENTS[kind], Random(SEED)
    path = make_drive(GIB)
    work.bench.own(path)
    size = content.size // SECTOR
    scheme = "gpt" if random.random() < 0.5 or kind == "btrfs" else "dos"
    first = "first-lba: 34\n" if scheme == "gpt" else ""
    table(path, f"label: {scheme}\n{first}start=63, size={size}\n")
    node = f"{path}p1"
    filled(node, content, SEED)
    before = digest(node)
    move = planned(path, 1, (63 + shift) * SECTOR)
    assert move.scheme is (Scheme.LOGGED if shift < 65536 else Scheme.DIRECT)
    run = begin(work, move, rest=0.05)
    kills = 0
    while kills < 3 and state(run) is RunState.RUNNING:
        sleep(random.uniform(0.0, 1.2))
        kill(run)
        kills += 1
        if state(run) is RunState.INTERRUPTED:
            assert power_now(run) and commands_for(run, state(run)) == ("resume", "undo")
            resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert not said(run, Event.NOT_VERIFIED), story(run)
    assert part_of(path, 1).start_bytes == (63 + shift) * SECTOR
    assert part_of(path, 1).filesystem == kind
    if kind not in ("vfat", "exfat", "ntfs"):
        assert digest(node) == before
    is_clean(node, content)
    undo(run)
    assert state(run) is RunState.UNDONE, story(run)
    assert part_of(path, 1).start_bytes == 63 * SECTOR
    assert digest(node) == before


@pytest.mark.parametrize("scheme", ["gpt", "dos"])
def test_neighbours_and_the_table_stay(work: Work, make_drive: MakeDrive, scheme: str) -> None:
    path = make_drive(GIB)
    first = "first-lba: 34\n" if scheme == "gpt" else ""
    table(
        path,
        f"label: {scheme}\n{first}start=34, size=20000\nstart=20035, size=300001\nstart=1800000, "
        f"size=30000\n",
    )
    content = CONTENTS["ext4"]
    for number in (1, 2, 3):
        filled(f"{path}p{number}", content, number)
    others = [digest(f"{path}p{number}") for number in (1, 3)]
    mine, was = digest(f"{path}p2"), tool("sfdisk", "--dump", path)
    run = begin(work, planned(path, 2))
    assert ended(run) is RunState.DONE, story(run)
    assert kept_schemas(run.parent) >= {"move", "moved", "run", "journal-entry"}
    now = tool("sfdisk", "--dump", path)
    assert [line for line in now.splitlines() if "p2 " not in line] == [
        line for line in was.splitlines() if "p2 " not in line
    ]
    assert [digest(f"{path}p{number}") for number in (1, 3)] == others
    assert digest(f"{path}p2") == mine and part_of(path, 2).start_bytes % MIB == 0
    write_report(make_report(Sources(run=run)), page := work.folder / "report.html")
    assert f"{path}p2" in Page(page.read_text()).text
    undo(run)
    assert tool("sfdisk", "--dump", path) == was
    assert [digest(f"{path}p{number}") for number in (1, 2, 3)] == [others[0], mine, others[1]]


def test_logical_partition_moves_within_the_extended_one(work: Work, make_drive: MakeDrive) -> None:
    path = make_drive(GIB)
    table(
        path,
        "label: dos\nstart=63, size=2000000, type=5\nstart=126, size=300000, type=83\n"
        "start=1000126, size=200000, type=83\n",
    )
    content = CONTENTS["ext4"]
    for number in (5, 6):
        filled(f"{path}p{number}", content, number)
    before = [digest(f"{path}p{number}") for number in (5, 6)]
    run = begin(work, planned(path, 5))
    assert ended(run) is RunState.DONE, story(run)
    assert part_of(path, 5).start_bytes % MIB == 0
    assert [digest(f"{path}p{number}") for number in (5, 6)] == before
    undo(run)
    assert part_of(path, 5).start_bytes == 126 * SECTOR
    assert [digest(f"{path}p{number}") for number in (5, 6)] == before


def misaligned(work: Work, make_drive: MakeDrive, kind: str = "ext4", size: int = GIB) -> str:
    path = make_drive(size)
    work.bench.own(path)
    table(path, f"label: dos\nstart=63, size={CONTENTS[kind].size // SECTOR}\n")
    filled(f"{path}p1", CONTENTS[kind], SEED)
    return path


def test_run_stopped_between_windows_resumes_or_is_undone(work: Work, make_drive: MakeDrive) -> None:
    path = misaligned(work, make_drive)
    before = digest(f"{path}p1")
    run = begin(work, planned(path), rest=2.0)
    until = monotonic() + 30
    while not any(entry.step == 2 for entry in read_entries(run)) and monotonic() < until:
        sleep(0.02)
    request_stop(run)
    assert ended(run) is RunState.STOPPED, story(run)
    # While it is half moved nothing is recognised there, and nothing can be mounted.
    (part,) = probe_machine([path]).drives[0].partitions
    assert not part.signatures and part.size_bytes > 160 * MIB
    assert subprocess.run(["mount", part.path, str(work.folder)], capture_output=True).returncode
    undo(run)
    assert digest(f"{path}p1") == before


@pytest.mark.parametrize("scheme", one_in(2, ("gpt", "dos")))
def test_half_moved_partition_blocks_other_changes_to_its_drive(
    work: Work, make_drive: MakeDrive, scheme: str
) -> None:
    path = make_drive(GIB)
    work.bench.own(path)
    first = "first-lba: 34\n" if scheme == "gpt" else ""
    table(
        path,
        f"label: {scheme}\n{first}start=63, size={160 * MIB // SECTOR}\nstart=1900000, size=50000, type=da\n"
        if scheme == "dos"
        else f"label: gpt\n{first}start=63, size={160 * MIB // SECTOR}\nstart=1900000, size=50000\n",
    )
    filled(f"{path}p1", CONTENTS["ext4"], SEED)
    # Somebody else's data of a type that a move has meanwhile, too.
    assert "move-unfinished" not in diskwright(work, "inspect", path, "--json").stdout
    run = begin(work, planned(path), rest=2.0)
    until = monotonic() + 30
    while not any(entry.step == 2 for entry in read_entries(run)) and monotonic() < until:
        sleep(0.02)
    request_stop(run)
    assert ended(run) is RunState.STOPPED, story(run)
    half = digest(path)
    (drive,) = json.loads(diskwright(work, "inspect", path, "--json").stdout)["drives"]
    found = [(one["code"], one["subject"]) for one in drive["findings"]]
    assert found[0] == ("move-unfinished", f"{path}p1"), found
    about = [code for code, subject in found if subject == f"{path}p1"]
    assert about == ["move-unfinished"], about
    for words in (
        ("plan", path, "--workload", "large-media", "--replace"),
        ("plan", path, "--workload", "large-media", "--use-free"),
        ("plan", f"{path}p1", "--workload", "large-media"),
        ("plan", f"{path}p1", "--delete"),
        ("plan", f"{path}p2", "--delete"),
        ("move", f"{path}p2", "--to", str(1900032 * SECTOR)),
    ):
        refused = diskwright(work, *words)
        assert refused.returncode == 3 and "in the middle of a move" in refused.stderr, (words, refused)
        assert "diskwright resume" in refused.stderr
    assert digest(path) == half
    undo(run)
    assert "move-unfinished" not in diskwright(work, "inspect", path, "--json").stdout


@pytest.mark.parametrize("start", [0, 64 * SECTOR])
def test_another_computer_resumes_with_only_the_drive(work: Work, make_drive: MakeDrive, start: int) -> None:
    path = make_drive(GIB)
    work.bench.own(path)
    table(path, f"label: gpt\nfirst-lba: 34\nstart=63, size={160 * MIB // SECTOR}\n")
    filled(f"{path}p1", CONTENTS["ext4"], SEED)
    before = digest(f"{path}p1")
    run = begin(work, planned(path, 1, start or None), rest=1.0)
    until = monotonic() + 30
    while not any(entry.step == 2 for entry in read_entries(run)) and monotonic() < until:
        sleep(0.02)
    sleep(0.5)
    kill(run)
    known = run.name
    elsewhere = work.folder / "elsewhere"
    run.rename(work.folder / "gone")
    seen = diskwright(work, "inspect", path, "--json")
    assert "move-unfinished" in seen.stdout, known
    words = ("resume", "--from-drive", path, "--journal", str(elsewhere))
    asked = diskwright(work, *words)
    assert asked.returncode == 3 and "--confirm" in asked.stderr, asked.stderr
    done = diskwright(work, *words, "--confirm", path.removeprefix("/dev/"))
    assert done.returncode == 0, done.stderr
    assert digest(f"{path}p1") == before and part_of(path, 1).start_bytes != 63 * SECTOR
    again = diskwright(work, *words, "--confirm", path.removeprefix("/dev/"))
    assert again.returncode == 3 and "No interrupted move" in again.stderr, again.stderr


def test_drive_with_large_blocks(work: Work, make_drive: MakeDrive) -> None:
    path = make_drive(GIB, 4096)
    work.bench.own(path)
    table(path, f"label: gpt\nfirst-lba: 6\nstart=33, size={160 * MIB // 4096}\n")
    filled(f"{path}p1", CONTENTS["ext4"], SEED)
    before = digest(f"{path}p1")
    run = begin(work, planned(path))
    assert ended(run) is RunState.DONE and not said(run, Event.NOT_VERIFIED), story(run)
    assert digest(f"{path}p1") == before
    undo(run)
    assert digest(f"{path}p1") == before and part_of(path, 1).start_bytes == 33 * 4096


def test_undo_is_refused_after_use(work: Work, make_drive: MakeDrive) -> None:
    path = misaligned(work, make_drive)
    run = begin(work, planned(path))
    assert ended(run) is RunState.DONE, story(run)
    place = work.place("it")
    place.mkdir(parents=True)
    tool("mount", f"{path}p1", str(place))
    (place / "file").write_text("new")
    with pytest.raises(Refused):
        undo(run)
    tool("umount", str(place))
    with pytest.raises(Refused, match="used after the move"):
        undo(run)
    assert state(run) is RunState.DONE
    assert diskwright(work, "undo", str(run)).returncode == 3
    again = begin(work, planned(path, 1, 63 * SECTOR))
    assert ended(again) is RunState.DONE, story(again)
    tool("mount", f"{path}p1", str(place))
    assert (place / "file").read_text() == "new"


def test_impossible_move_is_refused_without_writes(work: Work, make_drive: MakeDrive) -> None:
    path = misaligned(work, make_drive)
    node, place = f"{path}p1", work.place("it")
    before = digest(path)
    move = planned(path)
    place.mkdir(parents=True)
    tool("mount", "-o", "ro,noload", node, str(place))
    with pytest.raises(Refused, match="mounted"):
        planned(path)
    with pytest.raises(Refused):
        begin(work, move)
    tool("umount", str(place))
    with pytest.raises(Refused, match="does not match"):
        start_document(Moves((move,)), Start(("another",), work.runs, work.environment))
    assert digest(path) == before
    # What has changed since it was planned is not moved.
    tool("mount", node, str(place))
    (place / "file").write_text("new")
    tool("umount", str(place))
    with pytest.raises(Refused, match="has changed since the plan"):
        begin(work, move)


def test_missing_space_is_reported(work: Work, make_drive: MakeDrive) -> None:
    path = misaligned(work, make_drive, size=163 * MIB)
    with pytest.raises(Refused, match="Not enough space to move"):
        planned(path)


def test_power_cut_warning_is_true_in_every_step(work: Work, make_drive: MakeDrive) -> None:
    path = misaligned(work, make_drive)
    run = begin(work, planned(path), rest=0.3)
    told: dict[int, str] = {}
    while state(run) is RunState.RUNNING:
        begun = [entry.step for entry in read_entries(run) if entry.event is Event.STEP_STARTED]
        told.setdefault(max(begun, default=0), power_now(run))
    assert state(run) is RunState.DONE, story(run)
    assert "could not be mounted" in told[2] and power_now(run) == ""
    assert "unchanged" not in told.get(3, "") and "unchanged" in told.get(1, "unchanged")
