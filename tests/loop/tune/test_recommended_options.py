"""Every recommended option works with mkfs and mount on the running kernel, and every option documented as
refused is refused."""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.devices import MakeDrive, attempt, tool
from tests.loop.program import GIB, MIB, Drive, Machine
from wizard.advice.catalogue import CatalogueOption, OptionKind, load_catalogue
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.filesystems.registry import MADE
from wizard.model.advice import Choice
from wizard.model.finding import Recorded, Recording
from wizard.model.geometry import Geometry
from wizard.model.machine import Kernel
from wizard.model.said import TIB

WORKLOADS = ("small-files", "large-media", "desktop-root", "ssd-general")
RECORDINGS = {
    "usual": Recording("unknown", None, Recorded.UNKNOWN, "low"),
    "shingled": Recording("shingled", "drive", Recorded.YES, "high"),
}
# What else can be made is tried in test_filesystems.py; no workload names options for it.
MAKE = {
    "ext4": ["mkfs.ext4", "-q", "-F"],
    "xfs": ["mkfs.xfs", "-q", "-f"],
    "btrfs": ["mkfs.btrfs", "-q", "-f"],
}

Mounted = Callable[[str, str, str], tuple[set[str], set[str]] | None]


def available() -> frozenset[str]:
    """Return the filesystems that the kernel has loaded or can load."""
    for name in MAKE:
        subprocess.run(["modprobe", "-q", name], check=False, capture_output=True)
    lines = Path("/proc/filesystems").read_text().splitlines()
    return frozenset(line.split()[-1] for line in lines if not line.startswith("nodev"))


def advised(workload: str, recording: str, path: str, size_bytes: int, logical: int) -> dict[str, Choice]:
    """Return the recommendations for a rotating drive on the running kernel."""
    kernel = Kernel(Path("/proc/sys/kernel/osrelease").read_text().strip(), available())
    drive = Drive(
        path,
        size_bytes,
        Geometry(logical, 4096, 0, 4096, 0),
        rotational=True,
        zoned="none",
        schedulers=("mq-deadline", "none"),
    )
    machine = Machine(kernel, (drive,), tuple((kind.tool, kind.tool) for kind in MADE.values()))
    advice = advise(machine, drive, RECORDINGS[recording], find_workload(workload), size_bytes=size_bytes)
    return {choice.filesystem: choice for choice in advice.choices}


@pytest.fixture
def mounted(tmp_path: Path, own: Callable[[str], None]) -> Iterator[Mounted]:
    """A function `mounted(path, filesystem, options)` that returns the active options of the mount and the
    filesystem, or None if refused."""
    point = tmp_path / "mounted here"
    point.mkdir()

    def mount(path: str, filesystem: str, options: str) -> tuple[set[str], set[str]] | None:
        own(path)
        argv = ["mount", "-t", filesystem, *(["-o", options] if options else []), path, str(point)]
        done = attempt(*argv)
        if done.returncode:
            print(*argv, done.stderr, sep="\n")
            return None
        try:
            return in_force(point)
        finally:
            tool("umount", str(point))

    yield mount
    subprocess.run(["umount", "-q", str(point)], check=False)


def in_force(point: Path) -> tuple[set[str], set[str]]:
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        words = line.split(" ")
        if words[4] == str(point).replace(" ", "\\040"):
            return set(words[5].split(",")), set(words[-1].split(","))
    raise AssertionError(f"nothing is mounted at {point}")


def made_with(filesystem: str, path: str, option: str) -> bool:
    """Return True if the filesystem has the property that a recommended mkfs option sets."""
    if filesystem == "ext4":
        said = tool("dumpe2fs", "-h", path)
        facts = {line.partition(":")[0]: line.partition(":")[2].strip() for line in said.splitlines()}
        blocks, inodes = int(facts["Block count"]), int(facts["Inode count"])
        size, reserved = blocks * int(facts["Block size"]), int(facts["Reserved block count"])
        each = {"-i 8192": 8192, "-T largefile": MIB, "-T largefile4": 4 * MIB}
        if option in each:
            # Rounded up to whole blocks of inode tables in every group.
            return 0.7 * each[option] < size / inodes <= 1.01 * each[option]
        if option == "-m 0":
            return reserved == 0
        table = re.search(r"located at block (\d+)", tool("debugfs", "-R", f"imap <{inodes}>", path))
        return option == "-E packed_meta_blocks=1" and table is not None and int(table[1]) < blocks // 4
    if filesystem == "xfs":
        return option == "-i maxpct=25" and "imaxpct=25" in tool("xfs_db", "-r", "-c", "info", path)
    said = tool("btrfs", "inspect-internal", "dump-tree", "-t", "chunk", path)
    return option == "-m dup" and "METADATA|DUP" in said and "SYSTEM|DUP" in said


@pytest.mark.parametrize("logical", [512, 4096])
@pytest.mark.parametrize("recording", RECORDINGS)
@pytest.mark.parametrize("workload", WORKLOADS)
def test_recommended_options_work_with_mkfs_and_mount(
    workload: str,
    recording: str,
    logical: int,
    make_drive: MakeDrive,
    own: Callable[[str], None],
    mounted: Mounted,
) -> None:
    """Check the smallest volume of each filesystem, a usual one, and a large XFS, whose limits depend on
    size."""
    for name in MAKE:
        kind = MADE[name]
        for size in (kind.minimum_bytes, 64 * GIB, *([2 * TIB] if name == "xfs" else [])):
            path = make_drive(size, logical)
            choice = advised(workload, recording, path, size, logical)[name]
            assert not choice.obstacles, (name, size, choice.obstacles)
            own(path)
            tool(*MAKE[name], *(word for option in choice.mkfs for word in option.text.split()), path)
            assert all(made_with(name, path, option.text) for option in choice.mkfs), (
                name,
                size,
                choice.mkfs,
            )
            if name == "ext4":
                assert "has_journal" in tool("dumpe2fs", "-h", path)
            found = mounted(path, name, ",".join(option.text for option in choice.mount))
            assert found is not None, (name, size, choice.mount)
            of_mount, of_filesystem = found
            assert {option.text for option in choice.mount} <= of_mount | of_filesystem, (name, found)
            assert ("noatime" in of_mount) is any(option.text == "noatime" for option in choice.mount)
            assert not {"nobarrier", "data=writeback"} & of_filesystem


@pytest.fixture(scope="module")
def catalogue() -> dict[str, CatalogueOption]:
    return load_catalogue()


def never(kind: OptionKind) -> list[str]:
    return [option.id for option in load_catalogue().values() if option.never and option.kind is kind]


def test_writeback_without_a_journal_does_not_mount(
    catalogue: dict[str, CatalogueOption], make_drive: MakeDrive, own: Callable[[str], None], mounted: Mounted
) -> None:
    bare, writeback = catalogue["ext4-no-journal"], catalogue["ext4-data-writeback"]
    assert bare.never and bare.danger and writeback.never and writeback.danger
    path = make_drive(400 * MIB)
    own(path)
    tool("mkfs.ext4", "-q", "-F", *bare.text.split(), path)
    assert mounted(path, "ext4", "noatime") is not None
    assert mounted(path, "ext4", f"noatime,{writeback.text}") is None
    own(path)
    tool("mkfs.ext4", "-q", "-F", path)
    found = mounted(path, "ext4", f"noatime,{writeback.text}")
    assert found is not None and writeback.text in found[1]


@pytest.mark.parametrize("name", never(OptionKind.SCHEDULER))
def test_old_schedulers_are_gone(
    name: str, catalogue: dict[str, CatalogueOption], make_drive: MakeDrive
) -> None:
    node = Path(make_drive(16 * MIB)).name
    assert catalogue[name].refused
    assert (
        catalogue[name].text
        not in Path(f"/sys/block/{node}/queue/scheduler")
        .read_text()
        .replace("[", "")
        .replace("]", "")
        .split()
    )


@pytest.mark.parametrize(
    ("filesystem", "logical"), [(name, logical) for name in MAKE for logical in (512, 4096)]
)
def test_filesystem_below_its_minimum_size_is_not_created(
    filesystem: str, logical: int, make_drive: MakeDrive, own: Callable[[str], None], mounted: Mounted
) -> None:
    """Check a working volume with a journal at the minimum size. Smaller ones are only discouraged, except
    that mkfs.xfs refuses them."""
    kind = MADE[filesystem]
    path = make_drive(kind.minimum_bytes, logical)
    own(path)
    tool(*MAKE[filesystem], path)
    assert mounted(path, filesystem, "") is not None
    assert advised("large-media", "usual", path, kind.minimum_bytes - 4096, logical)[filesystem].obstacles
    if filesystem == "xfs":
        less = make_drive(kind.minimum_bytes - MIB, logical)
        own(less)
        assert subprocess.run([*MAKE["xfs"], less], capture_output=True, timeout=60, check=False).returncode
