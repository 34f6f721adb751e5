"""Uses of a drive that the kernel's exclusive claims do not show."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.devices import Bench, MakeDrive, tool
from tests.loop.applying import Work, ended, old_gpt, spec, stand_in, story, until
from tests.loop.attack.attacking import fails, unharmed
from tests.loop.program import MIB, Mode, Refused, probe_drive
from wizard.apply.plan.guard import check_unused

Attach = Callable[..., str]


@pytest.fixture
def attach(bench: Bench) -> Iterator[Attach]:
    """A function `attach(file, *options)` that returns a loop device, unmounted and detached after the
    test."""
    made: list[str] = []

    def one(file: str, *options: str) -> str:
        made.append(tool("losetup", "--find", "--show", *options, file).strip())
        return made[-1]

    yield one
    for loop in reversed(made):
        for line in reversed(Path("/proc/self/mountinfo").read_text().splitlines()):
            if f" {loop} " in line:
                tool("umount", line.split(" ")[4])
        tool("losetup", "--detach", loop)


@pytest.fixture
def old(make_drive: MakeDrive) -> str:
    drive = make_drive(64 * MIB)
    old_gpt(drive)
    return drive


def test_loop_over_a_node_with_another_name(work: Work, old: str, attach: Attach) -> None:
    """Mount a partition through a loop device over another node, as in a container's folder."""
    status = Path(f"{old}p2").stat()
    alias = work.folder / "node"
    os.mknod(alias, status.st_mode, status.st_rdev)
    loop = attach(str(alias))
    tool("mkfs.ext4", "-q", loop)
    work.place("elsewhere").mkdir(parents=True)
    tool("mount", loop, str(work.place("elsewhere")))
    with unharmed(work, old), pytest.raises(Refused, match=r"is mounted at|loop device"):
        work.plan(old, spec("ext4"), mode=Mode.REPLACE)


def test_partition_mounted_by_the_run_and_by_another_program(work: Work, old: str) -> None:
    """Check that another mount of a partition counts as use, despite the run's own mount."""
    part, ours, theirs = f"{old}p2", work.place("ours"), work.place("theirs")
    tool("mkfs.ext4", "-q", part)
    for place in (ours, theirs):
        place.mkdir(parents=True)
        tool("mount", part, str(place))
    own = frozenset({(part, str(ours))})
    with pytest.raises(Refused, match=f"{part} is mounted at {theirs}"):
        check_unused(probe_drive(old), own)
    tool("umount", str(theirs))
    check_unused(probe_drive(old), own)


def test_second_loop_over_the_same_file(work: Work, old: str, attach: Attach, bench: Bench) -> None:
    """Mount a partition by its offset in the image, after the kernel has forgotten the partitions."""
    plan = work.plan(old, spec("ext4"), mode=Mode.REPLACE)
    loop = attach(str(bench.image_of(old)), "--offset", str(MIB), "--sizelimit", str(8 * MIB))
    work.place("elsewhere").mkdir(parents=True)
    tool("mount", loop, str(work.place("elsewhere")))
    with unharmed(work, old):
        fails(work, plan, f"loop device {loop}")


@pytest.mark.usefixtures("direct")
def test_partition_used_after_the_last_inspection(
    work: Work, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Use a partition that the kernel still knows, after the signatures are erased."""
    plan = work.plan(old, spec("ext4"), mode=Mode.REPLACE)
    opened = work.folder / "opened"
    real = tool("sh", "-c", "command -v wipefs").strip()
    pause = f"touch {opened}.reached; while [ ! -e {opened} ]; do sleep 0.05; done"
    stand_in(
        work.folder / "bin",
        monkeypatch,
        "wipefs",
        f'{real} "$@" || exit\ncase "$*" in *--all*{old}) {pause};; esac',
    )
    run = work.start(plan)
    until(Path(f"{opened}.reached").exists)
    tool("mkfs.ext4", "-q", f"{old}p2")
    place = work.place("late")
    place.mkdir(parents=True)
    tool("mount", f"{old}p2", str(place))
    (place / "letter").write_text("just written")
    opened.touch()
    assert ended(run) == "failed", story(run)
    assert "The table was not changed." in story(run)
    tool("umount", str(place))
    tool("e2fsck", "-f", "-n", f"{old}p2")
