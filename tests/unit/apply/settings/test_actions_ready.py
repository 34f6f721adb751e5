"""Write access to a mounted volume by owner and permissions."""

import os
import pwd
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from tests.unit.documents.test_changes import CHANGES
from wizard.apply.settings.run import ready_message, writer_of
from wizard.model.layout import EVERYONE, ROOT, Writer
from wizard.model.requests import Attach
from wizard.operations.mounts import Mount
from wizard.plan.changes import Changes
from wizard.plan.plan import Step

NOBODY = pwd.getpwnam("nobody")
PERSON = Writer("person", "nobody", NOBODY.pw_uid, NOBODY.pw_gid)
MOUNT = Mount("/dev/sda1", "/srv/media", "ext4", ())


def top(mode: int, uid: int = 0, gid: int = 0) -> os.stat_result:
    """Return the status of a folder with this mode, owner and group."""
    return os.stat_result((0o040000 | mode, 0, 0, 1, uid, gid, 0, 0, 0, 0))


@pytest.mark.parametrize(
    ("folder", "writer"),
    [
        (top(0o755), ROOT),
        (top(0o1777), EVERYONE),
        (top(0o755, NOBODY.pw_uid, NOBODY.pw_gid), PERSON),
        (top(0o555, NOBODY.pw_uid), ROOT),
        (top(0o775, gid=4_000_000), Writer("group", "4000000", 0, 4_000_000)),
        (top(0o775), ROOT),
        (top(0o700, 4_000_000), Writer("person", "4000000", 4_000_000, 0)),
    ],
)
def test_writers_are_read_from_the_top_folder(
    folder: os.stat_result, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "stat", lambda self, **_: folder)
    assert writer_of(Path("/srv/media")) == writer


@pytest.fixture
def mounted(monkeypatch: pytest.MonkeyPatch) -> Changes:
    """Changes that mounted a 1.0 TB volume writable for root only."""
    monkeypatch.setattr(Path, "read_text", lambda self: str(10**12 // 512))
    monkeypatch.setattr(os, "statvfs", lambda place: SimpleNamespace(f_flag=0))
    monkeypatch.setattr(Path, "stat", lambda self, **_: top(0o755))
    monkeypatch.setattr(Path, "is_mount", lambda self: True)
    return replace(CHANGES, wanted=Attach(writer=PERSON), steps=(Step(MOUNT),))


def test_root_only_folder_is_reported_first_with_its_command(
    mounted: Changes,
) -> None:
    first, more = map(str, ready_message(mounted))
    assert first == "1.0 TB ready at /srv/media, writable by root only."
    assert "To let nobody write there: `sudo diskwright mount /dev/sda1 --writable nobody" in more
    assert len(ready_message(replace(mounted, wanted=Attach(writer=ROOT)))) == 1


def test_read_only_mount_is_not_writable(mounted: Changes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "statvfs", lambda place: SimpleNamespace(f_flag=os.ST_RDONLY))
    assert [*map(str, ready_message(mounted))] == ["1.0 TB ready at /srv/media, read-only."]


def test_unmounted_volume_is_not_called_ready(mounted: Changes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_mount", lambda self: False)
    assert ready_message(mounted) == () == ready_message(CHANGES)
