"""The one file starts without any installed tool, for root and ordinary users, and does a whole job."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.daily import IS_FULL
from tests.devices import Bench, tool
from tests.looks.terminals.terminal import Terminal
from tests.loop.applying import gate, stand_in, until
from tests.media.roots import PLAIN_USER, Root, debian_root
from wizard.model.said import MIB

pytestmark = pytest.mark.alone
SUITES = ("bullseye", "bookworm", "trixie", "sid")


def looks(root: Root, user: int, file: str, drive: str) -> None:
    """Print the version and find a drive."""
    said = root.run(user, file, "--version")
    assert said.stdout.startswith("diskwright "), said.stderr
    found = root.run(user, file, "inspect", "--json")
    assert found.returncode == 0, found.stderr
    assert drive in [one["path"] for one in json.loads(found.stdout)["drives"]]


@pytest.mark.parametrize("user", [0, PLAIN_USER])
def test_file_runs_with_busybox_only(user: int, bare: Root, one_file: Path, bench: Bench) -> None:
    looks(bare, user, bare.take_in(one_file), bench.make_drive(64 * MIB))


def test_first_screen_lists_missing_tools_but_not_itself(bare: Root, one_file: Path, bench: Bench) -> None:
    drive = bench.make_drive(64 * MIB).removeprefix("/dev/")
    file = bare.take_in(one_file)
    with Terminal(program=bare.argv(0, file, TERM="linux")) as terminal:
        terminal.until("this system lacks")
        assert "partx and wipefs" in terminal.text and drive in terminal.text
        mounted = subprocess.run(
            ["losetup", "--raw", "--noheadings", "--output", "NAME,BACK-FILE"], capture_output=True, text=True
        )
        own = [line.split()[0] for line in mounted.stdout.splitlines() if line.endswith(f"/{one_file.name}")]
        assert own, "it is mounted from a loop device"
        assert not any(name.removeprefix("/dev/") in terminal.text.split() for name in own)


def test_folder_of_another_user_is_not_trusted(bare: Root, one_file: Path) -> None:
    cache = bare.folder / "home/plain/.cache"
    (cache / f"diskwright-{PLAIN_USER}").mkdir(parents=True)
    cache.chmod(0o777)
    file = bare.take_in(one_file)
    said = bare.run(PLAIN_USER, file, "--version", XDG_CACHE_HOME="/home/plain/.cache")
    assert said.stdout.startswith("diskwright "), said.stderr
    assert not list((cache / f"diskwright-{PLAIN_USER}").iterdir())


def test_start_unmounts_unused_older_versions(bare: Root, one_file: Path) -> None:
    file, older = bare.take_in(one_file), "0" * 12
    content = one_file.read_bytes()
    name = content.partition(b" sum=")[2][:12]
    (bare.folder / "older").write_bytes(content.replace(name, older.encode(), 1))
    (bare.folder / "older").chmod(0o755)
    said = bare.run(
        0,
        "sh",
        "-c",
        f"/older --version; {file} --version; ls /run/diskwright; echo used; "
        f"/older --version; cd /run/diskwright/{older}; {file} --version; ls /run/diskwright",
    )
    unused, _, used = said.stdout.partition("used\n")
    assert unused.split()[4:] == [name.decode()], said
    assert used.split()[4:] == sorted([older, name.decode()]), said


def test_path_of_the_sudo_caller_does_not_affect_root(
    one_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = tmp_path / "reached"
    for name in ("readlink", "id"):
        stand_in(tmp_path / "bin", monkeypatch, name, f'touch {reached}\nexec /usr/bin/{name} "$@"')
    monkeypatch.setenv("SUDO_UID", "1234")
    tool(str(one_file), "--version")
    assert not reached.exists()
    monkeypatch.delenv("SUDO_UID")
    tool(str(one_file), "--version")
    assert reached.exists(), "the stand-in is no stand-in"


def test_write_continues_without_the_wizard(
    one_file: Path, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file reaches the drive although the program that started the run was killed during mkfs."""
    drive, opened = bench.make_drive(256 * MIB), tmp_path / "opened"
    plan, place, fstab = (tmp_path / name for name in ("plan.json", "place", "fstab"))
    fstab.write_text("")
    where = ("--journal", str(tmp_path / "runs"))
    monkeypatch.delenv("PYTHONPATH")
    # By root: of what sudo's caller has on PATH nothing is run before the system's own.
    monkeypatch.delenv("SUDO_UID")
    wanted = ("--workload", "archive-backup", "--fs", "ext4", "--mount", str(place))
    tool(str(one_file), "plan", drive, *wanted, "-o", str(plan))
    stand_in(tmp_path / "bin", monkeypatch, "mkfs.ext4", gate("mkfs.ext4", opened))
    bench.own(drive)
    confirmed = ("--confirm", drive.removeprefix("/dev/"), "--fstab", str(fstab))
    face = subprocess.Popen(
        [one_file, "apply", plan, *confirmed, *where], stdout=subprocess.DEVNULL, start_new_session=True
    )
    until(Path(f"{opened}.reached").exists)
    os.killpg(face.pid, signal.SIGKILL)
    face.wait()
    opened.touch()
    until(lambda: str(place) in fstab.read_text() and os.path.ismount(place))
    (place / "a file").write_text("of mine")
    until(lambda: "running" not in tool(str(one_file), "status", "--json", *where))
    assert '"state": "done"' in tool(str(one_file), "status", "--json", *where)


@pytest.mark.skipif(not IS_FULL, reason="four systems are made, which takes minutes: --full")
@pytest.mark.parametrize("suite", SUITES)
def test_file_runs_on_debian_releases(
    suite: str, one_file: Path, bench: Bench, tmp_path: Path, mirror: str
) -> None:
    root = debian_root(tmp_path / "root", suite, mirror)
    drive = bench.make_drive(64 * MIB)
    for user in (0, PLAIN_USER):
        looks(root, user, root.take_in(one_file), drive)
