"""The option catalogue matches the running kernel: accepted options are active, refused ones fail, and
dangers are real."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devices import MakeDrive, attempt, tool
from tests.loop.applying import Work, diskwright, said, story
from tests.loop.program import MIB, PLANS, Event, RunState, probe_machine
from wizard.advice.catalogue import CatalogueOption, OptionKind, load_catalogue, mkfs_reason, on_kernel
from wizard.apply.system.mounts import mount_differences
from wizard.model.machine import Kernel
from wizard.operations.mounts import Mount

MAKE = {
    "ext4": ("mkfs.ext4", "-q", "-F"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
}
OF_THE_BUILD = frozenset({"ext4-casefold", "ext4-quota", "xfs-no-checksums"})
"""Kernels of the same version take these or not, as they were built."""

NO_JOURNAL = "a crash can lose whole directories"


def running() -> Kernel:
    lines = Path("/proc/filesystems").read_text().splitlines()
    return Kernel(
        Path("/proc/sys/kernel/osrelease").read_text().strip(), frozenset(line.split()[-1] for line in lines)
    )


def known(kind: OptionKind, filesystem: str) -> list[CatalogueOption]:
    return [
        option
        for option in load_catalogue().values()
        if option.kind is kind and filesystem in option.filesystems
    ]


@pytest.mark.parametrize("filesystem", MAKE)
def test_mount_options_are_active_or_refused_as_in_the_catalogue(
    filesystem: str, make_drive: MakeDrive, own: Callable[[str], None], tmp_path: Path
) -> None:
    """Check like the verification of a plan: every selectable option must be active, otherwise each such
    run would report a mismatch."""
    path, place = make_drive(400 * MIB), tmp_path / "mnt"
    place.mkdir()
    own(path)
    tool(*MAKE[filesystem], path)
    tool("mount", "-t", filesystem, path, str(place))
    kernel = running()
    tool("umount", str(place))
    options = known(OptionKind.MOUNT, filesystem)
    assert len(options) > 10
    for option in options:
        own(path)
        argv = ["mount", "-t", filesystem, "-o", option.text, path, str(place)]
        mounted = attempt(*argv).returncode == 0
        differences = (
            mount_differences(Mount(path, str(place), filesystem, (option.text,))) if mounted else ()
        )
        if mounted:
            tool("umount", str(place))
        assert mounted is (on_kernel(option, kernel).takes is True), option.id
        assert (
            option.default
            or option.refused
            or not set(differences)
            - ({"rw was recommended, but ro is in effect"} if option.text == "ro" else set())
        ), (
            option.id,
            differences,
        )


@pytest.mark.parametrize("filesystem", MAKE)
def test_mkfs_options_of_the_catalogue_work_and_mount(
    filesystem: str, make_drive: MakeDrive, own: Callable[[str], None], tmp_path: Path
) -> None:
    path, place = make_drive(400 * MIB), tmp_path / "mnt"
    place.mkdir()
    options = [option for option in known(OptionKind.MKFS, filesystem) if "zoned" not in option.needs]
    assert options
    programs = probe_machine([]).programs
    for option in options:
        own(path)
        refused = mkfs_reason(option, programs)
        assert bool(attempt(*MAKE[filesystem], *option.text.split(), path).returncode) is bool(refused), (
            option.id
        )
        if option.id in OF_THE_BUILD or refused:
            continue
        tool("mount", "-t", filesystem, path, str(place))
        tool("umount", str(place))


def features(path: str) -> set[str]:
    lines = tool("dumpe2fs", "-h", path).splitlines()
    return next(set(line.split()[2:]) for line in lines if line.startswith("Filesystem features:"))


def test_confirmed_dangerous_option_is_active(work: Work, make_drive: MakeDrive) -> None:
    drive, place, file = make_drive(300 * MIB), work.place("scratch"), work.folder / "plan.json"
    words = (
        "plan",
        drive,
        "--workload",
        "large-media",
        "--fs",
        "ext4",
        "--mount",
        str(place),
        "-o",
        str(file),
    )
    asked = ("--option", "ext4-no-journal", "--option", "ext4-barrier-0", "--option", "ext4-large-dir")
    refused = diskwright(work, *words, *asked)
    assert refused.returncode == 3 and not file.exists()
    planned = diskwright(
        work, *words, *asked, "--danger", NO_JOURNAL, "--danger", "a power cut can destroy this filesystem"
    )
    assert planned.returncode == 0, planned.stderr
    plan = PLANS.read(file.read_text(), str(file))
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    assert said(run, Event.VERIFIED) and not said(run, Event.NOT_VERIFIED), story(run)
    (volume,) = plan.volumes
    assert "has_journal" not in features(volume.path) and "large_dir" in features(volume.path)
    assert "nobarrier" in tool(
        "findmnt", "--noheadings", "--output", "OPTIONS", "--mountpoint", str(place)
    ).strip().split(",")
    assert "nobarrier" in work.fstab.read_text().splitlines()[-1]
