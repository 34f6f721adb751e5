"""Missing programs are listed with this distribution's package and command."""

import subprocess
from pathlib import Path
from shutil import which

import pytest

from tests.unit.machines import machine
from wizard.advice.missing import COMMANDS, Packages, lacking, missing
from wizard.documents.profiles import BUNDLED, read_profile
from wizard.filesystems.registry import MADE
from wizard.plan.raid.striped import PROGRAMS
from wizard.plan.raid.striping import LVM_PROGRAMS
from wizard.probe.host.environment import family_of
from wizard.probe.host.system import TOOLS
from wizard.probe.machine import load_machine
from wizard.process.program import find

TABLE = {
    name: brings
    for brings in read_profile(BUNDLED / "packages.toml", Packages).brings
    for name in brings.programs
}
ONLY_ASKED = {"lsblk", "findmnt", "blkid"}
"""Programs that the probe notes and nothing that is refused needs."""

# The lines as these distributions ship them: Debian 12, Ubuntu 24.04, Linux Mint 22, Fedora 41, Rocky 9,
# Arch, Manjaro, openSUSE Tumbleweed, SLES 15, Alpine 3.20, Void, Gentoo.
RELEASES = {
    "ID=debian": "debian",
    "ID=ubuntu\nID_LIKE=debian": "debian",
    'ID=linuxmint\nID_LIKE="ubuntu debian"': "debian",
    "ID=fedora": "fedora",
    'ID="rocky"\nID_LIKE="rhel centos fedora"': "fedora",
    "ID=arch": "arch",
    "ID=manjaro\nID_LIKE=arch": "arch",
    'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"': "suse",
    'ID="sles"\nID_LIKE="suse"': "suse",
    "ID=alpine": "alpine",
    'ID="void"': "void",
    "ID=gentoo": "",
    "": "",
}


@pytest.mark.parametrize("said", RELEASES, ids=[said.partition("\n")[0] or "none" for said in RELEASES])
def test_family_is_read_from_os_release(said: str) -> None:
    assert family_of(said) == RELEASES[said]


@pytest.mark.parametrize("family", COMMANDS)
def test_only_the_command_of_the_own_family_is_named(family: str) -> None:
    said = str(missing(("mkfs.ntfs", "mdadm"), family).said)
    assert said.startswith("mkfs.ntfs and mdadm are not installed. Install with `")
    assert [name for name, words in COMMANDS.items() if f"`{' '.join(words)} " in said] == [family]


def test_packages_have_the_names_of_their_distribution() -> None:
    names = {
        family: missing(("mkfs.ntfs", "xfs_db", "mkfs.nilfs2", "mkfs.btrfs"), family).packages
        for family in COMMANDS
    }
    assert names == {
        "debian": ("ntfs-3g", "xfsprogs", "nilfs-tools", "btrfs-progs"),
        "fedora": ("ntfsprogs", "xfsprogs", "nilfs-utils", "btrfs-progs"),
        "arch": ("ntfs-3g", "xfsprogs", "nilfs-utils", "btrfs-progs"),
        "suse": ("ntfsprogs", "xfsprogs", "nilfs-utils", "btrfsprogs"),
        "alpine": ("ntfs-3g-progs", "xfsprogs-extra", "nilfs-utils", "btrfs-progs"),
        "void": ("ntfs-3g", "xfsprogs", "nilfs-utils", "btrfs-progs"),
    }


def test_unknown_package_is_not_invented() -> None:
    assert str(missing(("mdadm",), "").said) == "mdadm is not installed. Install the package mdadm."
    assert "package is unknown for this distribution" in str(missing(("systemctl",), "void").said)
    assert missing(("systemctl",), "void").command == ""


def test_only_missing_programs_are_listed() -> None:
    here = machine(tools=(("mkfs.exfat", "/usr/sbin/mkfs.exfat"),))
    absent = lacking(here, ("mkfs.exfat", "tune.exfat"))
    assert absent and absent.programs == ("tune.exfat",)
    assert lacking(here, ("mkfs.exfat",)) is None


def test_every_required_program_has_a_package() -> None:
    wanted = {
        *TOOLS,
        *LVM_PROGRAMS,
        *(name for names in PROGRAMS.values() for name in names),
        "dmsetup",
        "e2undo",
    }
    wanted |= {name for kind in MADE.values() for name in kind.programs}
    assert wanted - ONLY_ASKED - set(TABLE) == set()


def test_old_recording_has_no_family_and_still_names_packages() -> None:
    old = load_machine(Path(__file__).parents[3] / "machines" / "archive.json")
    assert old.family == ""


@pytest.mark.skipif(which("dpkg-query") is None, reason="no dpkg here to ask")
@pytest.mark.parametrize("program", sorted(TABLE))
def test_packages_match_the_debian_list(program: str) -> None:
    path = find(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    places = {
        path,
        str(Path(path).resolve()),
        str(Path(path).resolve()).removeprefix("/usr"),
        path.removeprefix("/usr"),
    }
    said = subprocess.run(["dpkg-query", "-S", *places], capture_output=True, text=True, check=False).stdout
    owners = {line.partition(":")[0] for line in said.splitlines()}
    if not owners:
        pytest.skip(f"{path} came with no package")
    # What opens volumes at a start lies beside the program, in a package that needs the program's.
    assert TABLE[program].in_family("debian") in owners | (
        {"cryptsetup"} if program == "cryptsetup" else set()
    )
