"""The one file and the module, built once, and root folders to run them in."""

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devices import MOUNTINFO, Bench, attached_in, tool
from tests.media.roots import Root, busybox_root

CHECKOUT = Path(__file__).resolve().parents[2]
OTHER_PACKAGES = "has other packages than packages.lock names"
BUILD_SECONDS = 1200


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the builds, or $DISKWRIGHT_DIST for earlier builds."""
    if given := os.environ.get("DISKWRIGHT_DIST"):
        return Path(given)
    return build(tmp_path_factory.mktemp("dist"))


def build(folder: Path) -> Path:
    """Build the one file and the module in a folder, with fast compression."""
    done = _build(folder)
    if done.returncode and OTHER_PACKAGES in done.stderr:
        # The mirror has moved on. That is for whoever releases to look at, and no fault of the program.
        warnings.warn(done.stderr, stacklevel=1)
        done = _build(folder, "--unpinned")
    assert done.returncode == 0, done.stderr
    return folder


def _build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *(sys.executable, str(CHECKOUT / "packaging/build.py"), "--quick", "--output", str(folder)),
            *("bundle", *options),
        ],
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )


@pytest.fixture
def one_file(built: Path) -> Iterator[Path]:
    """The file that runs anywhere. Unmounts it if it was mounted for root."""
    (file,) = built.glob("*.run")
    yield file
    for name in attached_in(built):
        for line in MOUNTINFO.read_text().splitlines():
            if line.split(" - ")[1].split()[1] == f"/dev/{name}":
                tool("umount", line.split()[4])


@pytest.fixture
def bare(tmp_path: Path) -> Root:
    """A root folder with only busybox: no Python, libraries or disk tools."""
    return busybox_root(tmp_path / "root")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Drives of this test."""
    folder = tmp_path / "drives"
    folder.mkdir()
    made = Bench(folder)
    yield made
    made.take_down()


@pytest.fixture(scope="session")
def mirror() -> str:
    """The address from which this machine's apt gets Debian."""
    told = (sys.executable, "-c", "from shared.apt import mirror; print(mirror())")
    return subprocess.run(
        told, cwd=CHECKOUT / "packaging", capture_output=True, text=True, check=True
    ).stdout.strip()
