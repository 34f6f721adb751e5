"""Kill every writing command at seeded moments, and finish with the commands from `status` and the right
bytes."""

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import sleep

import pytest

from tests.daily import DAY, IS_FULL, one_in
from tests.devices import MakeDrive, tool
from tests.loop.applying import ROOT, Work, diskwright, fill, old_gpt, spec, until
from tests.loop.attack.killing import Killed, files_in
from tests.loop.ensure.test_ensure import text_for
from tests.loop.move.test_move import table
from tests.loop.program import MIB, PLANS, ExitCode, Mode
from tests.loop.tune.test_grown_in_use import Used as Growing
from wizard.apply.settings.system import has_capability
from wizard.benchmark.candidates.surroundings import remove_groups
from wizard.operations.filesystem import SYS_RESOURCE

Made = Callable[[Work, MakeDrive], Killed]
EACH = 12 if IS_FULL else 1
WRITER = """i=0
while [ ! -e {end} ]; do
    i=$((i + 1)) name=new$((i % 60))
    head -c 200000 /dev/urandom > $name && sha256sum $name >> {sums} || exit 1
    sleep 0.05
done"""
"""Writes the same files again and again, and notes what is in them."""


def _planned(*before: str, command: str) -> Made:
    def made(work: Work, make_drive: MakeDrive) -> Killed:
        drive = make_drive(96 * MIB)
        fill(drive, work.bench, 4)
        old_gpt(drive)
        was = work.digest(drive)
        plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
        file = work.folder / "plan.json"
        file.write_text(PLANS.render(plan))
        apply = ("apply", str(file), "--confirm", plan.drive.token, *_places(work))
        words = {"apply": apply, "keep": ("keep",), "undo": ("undo",)}
        return Killed(
            work,
            words[command],
            lambda: work.digest(drive) == was,
            lambda: plan.volumes[0].uuid in tool("blkid", "-p", f"{drive}p1") and _is_clean(f"{drive}p1"),
            tuple(words[one] for one in before),
        )

    return made


def _places(work: Work) -> tuple[str, ...]:
    return ("--journal", str(work.runs), "--fstab", str(work.fstab))


def _is_clean(node: str) -> bool:
    return bool(tool("e2fsck", "-f", "-n", node))


def _mounted(work: Work, drive: str, name: str) -> Path:
    place = work.place(name)
    place.mkdir(parents=True)
    tool("mount", drive, str(place))
    return place


def _with_files(work: Work, place: Path, count: int = 400) -> None:
    for number in range(count):
        file = place / f"folder{number % 9}/file{number}"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(Random(number).randbytes(number * 211))


def _brought(work: Work, make_drive: MakeDrive) -> Killed:
    source, target = work.folder / "source", make_drive(192 * MIB)
    source.mkdir()
    _with_files(work, source)
    tool("mkfs.ext4", "-q", "-F", target)
    place = _mounted(work, target, "target")
    (place / "mine").write_text("was there before")
    was, files = files_in(place), files_in(source)
    words = ("bring", str(source), str(place), "--into", "new", "--confirm", Path(target).name)
    return Killed(
        work,
        (*words, *_places(work)),
        lambda: files_in(place) == was and files_in(source) == files,
        lambda: files_in(place / "new") == files_in(source) == files,
    )


def _moved(work: Work, make_drive: MakeDrive) -> Killed:
    drive = make_drive(160 * MIB)
    table(drive, "label: gpt\nfirst-lba: 34\nstart=34,size=100MiB\n")
    tool("mkfs.ext4", "-q", "-F", f"{drive}p1")
    place = _mounted(work, f"{drive}p1", "moved")
    _with_files(work, place)
    tool("umount", str(place))
    was, content = work.digest(drive), _content(drive)
    words = ("move", f"{drive}p1", "--to", "40MiB", "--confirm", Path(drive).name)
    return Killed(
        work,
        (*words, "--journal", str(work.runs)),
        lambda: work.digest(drive) == was,
        lambda: _content(drive) == content and "start=       81920" in tool("sfdisk", "--dump", drive),
    )


def _content(drive: str) -> str:
    tool("blockdev", "--flushbufs", f"{drive}p1")
    return tool("sha256sum", f"{drive}p1").split()[0]


def _migrated(work: Work, make_drive: MakeDrive) -> Killed:
    drive = make_drive(64 * MIB)
    tool("mke2fs", "-q", "-F", "-t", "ext3", "-I", "128", "-b", "1024", drive)
    place = _mounted(work, drive, "old")
    _with_files(work, place, 150)
    files = files_in(place)
    tool("umount", str(place))
    was = work.digest(drive)
    words = ("migrate", drive, "--way", "full", "--confirm", Path(drive).name)

    def is_new() -> bool:
        assert _is_clean(drive) and "extent" in tool("dumpe2fs", "-h", drive)
        tool("mount", "-o", "ro", drive, str(place))
        held = files_in(place)
        tool("umount", str(place))
        return held == files

    return Killed(work, (*words, *_places(work)), lambda: work.digest(drive) == was, is_new)


def _labelled(work: Work, make_drive: MakeDrive) -> Killed:
    drive = make_drive(64 * MIB)
    tool("mkfs.ext4", "-q", "-F", "-L", "old", drive)
    work.fstab.write_text(was := f"LABEL=old {work.place('used')} ext4 defaults 0 2\n")
    _mounted(work, drive, "used")

    def holds(label: str) -> bool:
        lines = was.replace("old", label, 1)
        return tool("e2label", drive).strip() == label and work.fstab.read_text() == lines

    words = ("label", drive, "new", "--confirm", Path(drive).name, *_places(work))
    return Killed(work, words, lambda: holds("old"), lambda: holds("new"))


def _mounting(work: Work, make_drive: MakeDrive) -> Killed:
    drive, place = make_drive(64 * MIB), work.place("films")
    tool("mkfs.ext4", "-q", "-F", "-L", "films", drive)
    was = work.fstab.read_text()
    uuid = tool("blkid", "-p", "-o", "value", "-s", "UUID", drive).strip()
    words = ("mount", drive, "--at", str(place), "--confirm", Path(drive).name, *_places(work))
    return Killed(
        work,
        words,
        lambda: work.fstab.read_text() == was and not place.is_mount(),
        lambda: work.fstab.read_text().count(f"UUID={uuid} {place} ext4") == 1 and place.is_mount(),
    )


def _growing(filesystem: str) -> Made:
    """Return a case that grows a mounted filesystem during writes."""

    def made(work: Work, make_drive: MakeDrive) -> Killed:
        used = Growing(work, make_drive, "gpt", filesystem)
        node = f"{used.path}p2"
        place = Path(tool("findmnt", "-n", "-o", "TARGET", node).strip())
        (place / "old").mkdir()
        _with_files(work, place / "old", 100)
        files, old, sums = files_in(place / "old"), _size(used.path), work.folder / "sums"
        writer = subprocess.Popen(("sh", "-c", WRITER.format(end=work.folder / "end", sums=sums)), cwd=place)

        def is_so(size: int) -> bool:
            (work.folder / "end").touch()
            assert writer.wait(60) == 0
            last = dict(line.split()[::-1] for line in sums.read_text().splitlines())
            written = all(tool("sha256sum", str(place / name)).split()[0] == last[name] for name in last)
            return written and files_in(place / "old") == files and _size(used.path) == size

        words = ("grow", node, "--confirm", Path(used.path).name, *_places(work))

        def is_back() -> bool:
            # An XFS or ext4 that has grown stays so, which `undo` says.
            return is_so(old) or (filesystem != "btrfs" and is_so(511 * MIB))

        return Killed(work, words, is_back, lambda: is_so(511 * MIB))

    return made


def _size(drive: str) -> int:
    """Return the size of partition 2, and check that table and kernel agree."""
    found = re.search(rf"{drive}p2 : start=\s*\d+, size=\s*(\d+)", tool("sfdisk", "--dump", drive))
    assert found and int(found[1]) * 512 == int(tool("blockdev", "--getsize64", f"{drive}p2"))
    return int(found[1]) * 512


def _ensured(work: Work, make_drive: MakeDrive) -> Killed:
    drive = make_drive(96 * MIB)
    file = work.folder / "wanted.toml"
    file.write_text(text_for(drive, work))
    place = work.place("media")
    words = ("ensure", str(file), *_places(work))
    return Killed(work, words, lambda: not place.is_mount(), place.is_mount)


CASES: dict[str, Made] = {
    "apply": _planned(command="apply"),
    "keep": _planned("apply", command="keep"),
    "undo": _planned("apply", command="undo"),
    "bring": _brought,
    "move": _moved,
    "migrate": _migrated,
    "label": _labelled,
    "mount": _mounting,
    **{
        f"grow {name}": _growing(name)
        for name in ("ext4", "xfs", "btrfs")
        if name != "ext4" or has_capability(SYS_RESOURCE)
    },
    "ensure": _ensured,
}


@pytest.mark.parametrize(
    ("name", "seed"), one_in(4, [(name, DAY * EACH + at) for name in CASES for at in range(EACH)])
)
def test_killed_command_finishes_as_status_recommends(
    name: str, seed: int, work: Work, make_drive: MakeDrive
) -> None:
    """Kill the run, the command, both, or all children, and half of them twice."""
    killed = CASES[name](work, make_drive)
    killed.dies(Random(f"{name} {seed}"))


def _killed_after(words: tuple[str, ...], seconds: float, work: Work) -> None:
    process = subprocess.Popen(
        (sys.executable, "-m", "wizard", *words),
        cwd=ROOT,
        env={**os.environ, "DISKWRIGHT_STATE": str(work.folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    sleep(seconds)
    process.kill()
    process.communicate(timeout=60)


def _outside(work: Work, drive: str) -> str:
    """Return a fingerprint of the first 39 MiB and the last 33 sectors: the table and the partition."""
    tool("blockdev", "--flushbufs", drive)
    held = work.bench.image_of(drive).read_bytes()
    return hashlib.sha256(held[: 39 * MIB] + held[-33 * 512 :]).hexdigest()


@pytest.mark.parametrize("seed", range(DAY * EACH, (DAY + 1) * EACH))
def test_killed_measurement_leaves_data_unchanged(seed: int, work: Work, make_drive: MakeDrive) -> None:
    """Check that a killed `bench --scratch` changes no byte, and a killed `trial` only free space."""
    dice, drive = Random(seed), make_drive(512 * MIB)
    fill(drive, work.bench, 8)
    table(drive, "label: gpt\nstart=1MiB,size=38MiB\n")
    tool("mkfs.ext4", "-q", f"{drive}p1")
    was, outside, token = work.digest(drive), _outside(work, drive), Path(drive).name
    _killed_after(("bench", drive, "--scratch", f"--confirm={token}"), 1 + dice.random() * 6, work)
    assert work.digest(drive) == was
    trial = ("trial", drive, "--workload", "small-files", f"--confirm={token}", "--seconds", "10")
    _killed_after(trial, 2 + dice.random() * 10, work)
    until(lambda: f"{drive}p" not in Path("/proc/self/mountinfo").read_text())
    remove_groups()
    assert _outside(work, drive) == outside
    again = diskwright(work, "trial", drive, "--workload", "small-files")
    assert again.returncode == ExitCode.USAGE, again.stderr


@pytest.mark.parametrize("seed", range(DAY * EACH, (DAY + 1) * EACH))
def test_killed_look_does_not_block_undo(seed: int, work: Work, make_drive: MakeDrive) -> None:
    killed = _planned("apply", command="undo")(work, make_drive)
    killed.gives(killed.first[0])
    assert killed.run is not None
    _killed_after(("look", str(killed.run)), 0.5 + Random(seed).random() * 3, work)
    killed.gives(killed.words)
    killed.checks()
