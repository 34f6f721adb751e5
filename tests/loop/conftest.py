"""Fixtures of the loop tests: drives, work folders and runs."""

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
from tests.loop.migrate.migrating import Old, old_filesystem
from tests.loop.root.rooting import require_reach
from tests.loop.tune.tuning import Used, used_filesystem


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep only today's share when the whole tier runs."""
    due = todays_share(items)
    config.hook.pytest_deselected(items=[item for item in items if item not in set(due)])
    items[:] = due


@pytest.fixture(autouse=True)
def needs_root() -> None:
    """Skip the test without root, or fail in CI."""
    if os.geteuid() == 0 and Path("/dev/loop-control").exists():
        return
    reason = "loop tests need root and /dev/loop-control"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Default mount points in the test's own folder, never in /srv."""
    monkeypatch.setenv("DISKWRIGHT_PLACES", str(tmp_path / "places"))


@pytest.fixture(autouse=True)
def needs_mtab(request: pytest.FixtureRequest) -> None:
    """Skip tests of NILFS2 without /etc/mtab, which mkfs.nilfs2 reads."""
    if "[nilfs2" in request.node.name and not Path("/etc/mtab").exists():
        pytest.skip("there is no /etc/mtab, which mkfs.nilfs2 looks into")


@pytest.fixture
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that write to the drive directly, as without a scratch copy."""
    monkeypatch.setattr("wizard.plan.plan.Plan.direct_reason", "this test is of the direct way")
    # That it is confirmed by a word is test_undo_space's.
    monkeypatch.setattr("wizard.apply.plan.job.text.needs_word", lambda *_: False)
    monkeypatch.setattr("wizard.apply.plan.job.survey.first_data", lambda _read, _places: None)


@pytest.fixture
def plain_folder() -> Iterator[Path]:
    """A folder readable by ordinary users, like the program's folder."""
    require_reach()
    made = Path(tempfile.mkdtemp(prefix="diskwright-plain-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def bench(needs_root: None, tmp_path: Path) -> Iterator[Bench]:
    """Folder and drives of one test."""
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
    """A function `make_drive(size_bytes, logical_block_bytes=512)` that returns /dev/loopN over a sparse
    file, detached after the test."""
    return bench.make_drive


@pytest.fixture
def own(bench: Bench) -> Callable[[str], None]:
    """A function `own(path)` that fails unless the test created the device. Call it before each write."""
    return bench.own


@pytest.fixture
def image_of(bench: Bench) -> Callable[[str], Path]:
    """A function `image_of(path)` that returns the file behind a test drive."""
    return bench.image_of


@pytest.fixture
def work(bench: Bench, tmp_path: Path) -> Iterator[Work]:
    """A scratch fstab, a folder for runs and one for mount points. All runs end with the test."""
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
    """Volumes and runs of one test that copies files."""
    return Ways(work, make_drive)


@pytest.fixture
def used(work: Work, make_drive: MakeDrive) -> Iterator[Used]:
    """A mounted filesystem with changeable settings. The loop device's queue settings are restored for its
    next user."""
    made = used_filesystem(work, make_drive)
    found = made.scheduler, made.read_ahead
    try:
        made.set_queue("none", "128")
        yield made
    finally:
        made.set_queue(*found)


@pytest.fixture
def old(work: Work, make_drive: MakeDrive) -> Old:
    """An old filesystem on a test drive, in an fstab of the test."""
    return old_filesystem(work, make_drive)
