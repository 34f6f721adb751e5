"""Drives for the loop tests, as fixtures."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.daily import todays_share
from tests.devices import Bench, MakeDrive
from tests.loop.applying import OLD_FSTAB, Work
from tests.loop.bring.bringing import Ways
from tests.loop.root.rooting import require_reach
from tests.loop.tune.tuning import Used, used_filesystem


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the share that is due today if the whole tier was asked for."""
    due = todays_share(items)
    config.hook.pytest_deselected(items=[item for item in items if item not in set(due)])
    items[:] = due


@pytest.fixture(autouse=True)
def needs_root() -> None:
    """Without root there is nothing to be tested here, which must not go unnoticed in CI."""
    if os.geteuid() == 0 and Path("/dev/loop-control").exists():
        return
    reason = "loop tests need root and /dev/loop-control"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is mounted without a place being named is mounted in the test's own folder, never in /srv."""
    monkeypatch.setenv("DISKWRIGHT_PLACES", str(tmp_path / "places"))


@pytest.fixture(autouse=True)
def needs_mtab(request: pytest.FixtureRequest) -> None:
    """mkfs.nilfs2 looks into /etc/mtab, which every system has that was ever started."""
    if "[nilfs2" in request.node.name and not Path("/etc/mtab").exists():
        pytest.skip("there is no /etc/mtab, which mkfs.nilfs2 looks into")


@pytest.fixture
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that are begun here work on the drive itself, as where there is no stand-in."""
    monkeypatch.setattr(
        "wizard.apply.plan.start.direct_reason", lambda _plan: "this test is of the direct way"
    )
    # That it is confirmed by a word is test_way_back_room's.
    monkeypatch.setattr("wizard.apply.plan.start.wants_word", lambda *_: False)
    monkeypatch.setattr("wizard.apply.plan.start._unknown_data", lambda _plan: ())


@pytest.fixture
def plain_folder() -> Iterator[Path]:
    """A folder that a plain user may look into, as they may into this program's."""
    require_reach()
    made = Path(tempfile.mkdtemp(prefix="diskwright-plain-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def bench(needs_root: None, tmp_path: Path) -> Iterator[Bench]:
    """The folder and the drives of one test."""
    folder = tmp_path / "drives"
    folder.mkdir()
    made = Bench(folder)
    try:
        yield made
    finally:
        try:
            made.take_down()
        finally:
            with suppress(OSError):
                shutil.rmtree(folder)


@pytest.fixture
def make_drive(bench: Bench) -> MakeDrive:
    """`make_drive(size_bytes, logical_block_bytes=512)` gives /dev/loopN over a sparse file, detached when
    the test has ended."""
    return bench.make_drive


@pytest.fixture
def own(bench: Bench) -> Callable[[str], None]:
    """`own(path)` fails unless the test made that device; call it before each write."""
    return bench.own


@pytest.fixture
def image_of(bench: Bench) -> Callable[[str], Path]:
    """`image_of(path)` gives the file behind a drive that the test made."""
    return bench.image_of


@pytest.fixture
def work(bench: Bench, tmp_path: Path) -> Iterator[Work]:
    """A scratch fstab, a folder for runs and one for mount points, for a test that applies. Nothing that it
    started outlives it."""
    made = Work(bench, tmp_path / "work")
    made.folder.mkdir()
    made.fstab.write_text(OLD_FSTAB)
    made.fstab.chmod(0o640)
    try:
        yield made
    finally:
        made.leave()


@pytest.fixture
def ways(work: Work, make_drive: MakeDrive) -> Ways:
    """Volumes and runs of one test that brings files."""
    return Ways(work, make_drive)


@pytest.fixture
def used(work: Work, make_drive: MakeDrive) -> Iterator[Used]:
    """A mounted filesystem that can be changed in use. A loop device keeps the values of its queue for
    whoever gets it next."""
    made = used_filesystem(work, make_drive)
    found = made.scheduler, made.read_ahead
    try:
        made.set_queue("none", "128")
        yield made
    finally:
        made.set_queue(*found)
