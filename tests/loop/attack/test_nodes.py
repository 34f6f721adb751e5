"""Device nodes that do not match their names. Other devices must not be written."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, ended, gate, old_gpt, spec, stand_in, story, until
from tests.loop.attack.attacking import fails, forged, unharmed
from tests.loop.program import MIB, BadInput, Environment, Refused, preflight, probe_drive

Plant = Callable[[Path, str], None]


@pytest.fixture
def alias() -> Iterator[Path]:
    """A folder for links below /dev, like /dev/disk/by-id."""
    folder = Path(f"/dev/diskwright-attack-{os.getpid()}")
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def plant() -> Iterator[Plant]:
    """A function `plant(node, other)` that creates a node with the number of another device, removed after
    the test."""
    planted: list[tuple[Path, int]] = []

    def put(node: Path, other: str) -> None:
        status = Path(other).stat()
        os.mknod(node, status.st_mode, status.st_rdev)
        planted.append((node, status.st_rdev))

    yield put
    for node, number in planted:
        if node.exists() and node.stat().st_rdev == number:
            node.unlink()


def test_links_that_look_like_partitions_of_another_drive(
    work: Work, make_drive: MakeDrive, alias: Path
) -> None:
    """Check `ALIAS`, a link to the planned drive, with `ALIAS1`, a link to another drive that looks like a
    partition."""
    drive, victim = make_drive(96 * MIB), make_drive(96 * MIB)
    tool("mkfs.ext4", "-q", "-F", "-L", "victim", victim)
    (alias / "disk").symlink_to(drive)
    (alias / "disk1").symlink_to(victim)
    plan = work.plan(drive, spec("ext4"))
    hostile = forged(
        plan, replace(plan.drive, path=f"{alias}/disk"), [replace(plan.volumes[0], path=f"{alias}/disk1")]
    )
    with unharmed(work, drive, victim), pytest.raises(Refused, match="is a link to"):
        preflight(
            hostile, hostile.drive.token, journal_dir=work.runs, environment=Environment(fstab=work.fstab)
        )


def test_leftover_node_of_another_drive(work: Work, make_drive: MakeDrive, plant: Plant) -> None:
    """Check an existing node with the partition's name. The kernel creates no node then."""
    drive, victim = make_drive(96 * MIB), make_drive(96 * MIB)
    tool("mkfs.ext4", "-q", "-F", "-L", "victim", victim)
    plan = work.plan(drive, spec("ext4"))
    plant(Path(f"{drive}p1"), victim)
    with unharmed(work, drive, victim):
        fails(work, plan, "is not a kernel device")


@pytest.mark.usefixtures("direct")
def test_node_exchanged_during_the_run(
    work: Work, make_drive: MakeDrive, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive, victim = make_drive(96 * MIB), make_drive(96 * MIB)
    tool("mkfs.ext4", "-q", "-F", "-L", "victim", victim)
    plan = work.plan(drive, spec("ext4", 32 * MIB), spec("ext4"))
    opened = work.folder / "opened"
    stand_in(work.folder / "bin", monkeypatch, "mkfs.ext4", gate("mkfs.ext4", opened))
    node = Path(f"{drive}p2")
    with unharmed(work, victim):
        run = work.start(plan)
        until(Path(f"{opened}.reached").exists)
        node.unlink()
        plant(node, victim)
        opened.touch()
        assert ended(run) == "failed"
        assert f"{node} was not touched" in story(run)


def test_drive_node_of_another_drive(work: Work, make_drive: MakeDrive) -> None:
    drive, victim = make_drive(96 * MIB), make_drive(96 * MIB)
    old_gpt(victim)
    plan = work.plan(drive, spec("ext4"))
    node, own, other = Path(drive), Path(drive).stat(), Path(victim).stat()
    before = work.digest(victim)
    node.unlink()
    os.mknod(node, other.st_mode, other.st_rdev)
    try:
        fails(work, plan, "refers to")
        with pytest.raises(BadInput, match="refers to a device other"):
            probe_drive(drive)
    finally:
        node.unlink()
        os.mknod(node, own.st_mode, own.st_rdev)
    assert work.digest(victim) == before
