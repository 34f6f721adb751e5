"""Missing packages are installed by the real apt from a local test repository, in an overlay of the root
filesystem. This machine stays unchanged, and no network is needed."""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.devices import in_own_namespace

pytestmark = pytest.mark.alone

ROOT = Path(__file__).parents[3]
STATUS = Path("/var/lib/dpkg/status")
PROGRAM = "/usr/sbin/mkfs.exfat"
OVERLAY = """
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o lowerdir=/,upperdir="$1/upper",workdir="$1/work" "$1/root"
cp -r "$3" "$1/root/repository"
for folder in proc dev sys "$4" "$5"; do
    mkdir -p "$1/root/$folder"
    mount --rbind "/$folder" "$1/root/$folder"
done
exec chroot "$1/root" sh -c "$2"
"""


@dataclass(frozen=True, slots=True)
class Overlay:
    """A temporary writable overlay of this machine's root filesystem, for one command."""

    folder: Path

    def run(self, *commands: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run shell commands, with only the test's repository in apt and without exfatprogs."""
        script = "\n".join(
            (
                f"cd {shlex.quote(str(ROOT))}",
                "dpkg --purge --force-all exfatprogs >/dev/null 2>&1",
                "rm -rf /etc/apt/sources.list* /var/lib/apt/lists/*",
                "echo 'deb [trusted=yes] file:/repository ./' > /etc/apt/sources.list",
                *commands,
            )
        )
        over, repository = self.folder / "over", self.folder / "repository"
        over.mkdir(exist_ok=True)
        places = (str(repository), str(ROOT).lstrip("/"), sys.prefix.lstrip("/"))
        shell = ("sh", "-eu", "-c", OVERLAY, "sh", str(over), script, *places)
        return subprocess.run(
            in_own_namespace(*shell),
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def install(*names: str) -> str:
    words = (sys.executable, "-m", "wizard", "install", *names)
    return f'{shlex.join(words)}; echo "status $?"; ls -1 {PROGRAM} 2>/dev/null || echo absent'


@pytest.fixture
def overlay(tmp_path: Path) -> Iterator[Overlay]:
    if any(shutil.which(name) is None for name in ("apt-get", "dpkg-deb", "unshare")):
        pytest.skip("no apt here")
    before = _marks()
    made = Overlay(tmp_path)
    package(tmp_path, "exfatprogs", PROGRAM)
    package(tmp_path, "dw-lone", "/usr/sbin/dw-lone")
    yield made
    assert _marks() == before


def _marks() -> tuple[bytes, float | None]:
    """Return a digest of the package database and the program's date, which a real installation would
    change."""
    program = Path(PROGRAM)
    return hashlib.sha256(STATUS.read_bytes()).digest(), program.stat().st_mtime if program.exists() else None


def package(folder: Path, name: str, program: str) -> None:
    """Add a package with one program to the repository."""
    tree, repository = folder / f"{name}.tree", folder / "repository"
    repository.mkdir(exist_ok=True)
    made = tree / program.lstrip("/")
    made.parent.mkdir(parents=True)
    made.write_text("#!/bin/sh\nexit 0\n")
    made.chmod(0o755)
    control = f"Package: {name}\nVersion: 99\nArchitecture: all\nMaintainer: test\nInstalled-Size: 12\n"
    control += "Description: a program of a test\n"
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text(control)
    file = repository / f"{name}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, file], check=True, capture_output=True)
    data = file.read_bytes()
    with (repository / "Packages").open("a") as index:
        digest = hashlib.sha256(data).hexdigest()
        index.write(f"{control}Filename: ./{file.name}\nSize: {len(data)}\nSHA256: {digest}\n\n")


UPDATED = "apt-get update -q >/dev/null 2>&1"


def test_package_is_installed_after_one_question_with_its_size(overlay: Overlay) -> None:
    done = overlay.run(UPDATED, install("mkfs.exfat", "--yes"))
    assert "status 0" in done.stdout and PROGRAM in done.stdout, done
    lines = done.stderr.splitlines()
    assert lines[0].startswith("Install exfatprogs with apt: ") and lines[0].endswith("on disk.")
    assert "12.3 kB on disk" in lines[0]
    assert any("Unpacking exfatprogs" in line for line in lines), "what apt says is told"
    assert lines[-1] == "Installed exfatprogs for mkfs.exfat."


def test_unanswered_question_installs_no_package(overlay: Overlay) -> None:
    done = overlay.run(UPDATED, install("exfatprogs"))
    assert "status 3" in done.stdout and "absent" in done.stdout, done
    assert "Install exfatprogs with apt: " in done.stderr and "Use --yes" in done.stderr


def test_missing_package_lists_are_fetched_after_the_question(overlay: Overlay) -> None:
    done = overlay.run(install("mkfs.exfat", "--yes"))
    assert "status 0" in done.stdout and PROGRAM in done.stdout, done
    assert done.stderr.startswith("Install exfatprogs with apt; the size is unknown.")


@pytest.mark.parametrize("lists", [UPDATED, ":"], ids=["old lists", "no lists"])
def test_missing_network_is_reported_in_one_line(overlay: Overlay, lists: str) -> None:
    away = "echo 'deb [trusted=yes] http://127.0.0.1:1/ x main' > /etc/apt/sources.list"
    done = overlay.run(lists, away, install("mkfs.exfat", "--yes"))
    assert "status 1" in done.stdout and "absent" in done.stdout, done
    said = "diskwright: No network: apt could not reach any server."
    assert done.stderr.splitlines()[-1] == said


def test_ordinary_user_gets_the_command(overlay: Overlay) -> None:
    words = (
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        sys.executable,
        "-B",
        "-m",
        "wizard",
    )
    done = overlay.run(shlex.join((*words, "install", "mkfs.exfat")))
    assert done.returncode == 3
    assert done.stderr == "diskwright: Installing needs root. Run: sudo diskwright install mkfs.exfat\n"


def test_question_of_the_launcher_installs_no_package(overlay: Overlay) -> None:
    """Check with a package without dependencies, which apt-get installs without a question."""
    done = overlay.run(
        UPDATED,
        './diskwright inspect || echo "status $?"; ls -1 /usr/sbin/dw-lone 2>/dev/null || echo absent',
        DISKWRIGHT_EXTRA_PACKAGES="dw-lone",
        DISKWRIGHT_SETUP="/root/state",
    )
    assert "status 3" in done.stdout and "absent" in done.stdout, done
    assert "dw-lone" in done.stderr and "additional disk space" in done.stderr
