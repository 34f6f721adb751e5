"""Settings of mounted volumes: write access, clones, and fstrim.timer on the running system only."""

import os
import pwd
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from tests.unit.documents.test_changes import CHANGES
from tests.unit.machines import drive, machine
from wizard.apply.block import devices
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import Journal, read_entries
from wizard.apply.settings import guard
from wizard.apply.settings import system as running
from wizard.apply.settings.guard import check_own, clones_of
from wizard.apply.settings.run import ready_message, writer_of
from wizard.apply.settings.states import do, undo
from wizard.apply.settings.system import RunningSystem, system_of
from wizard.model.errors import Failed, Refused
from wizard.model.layout import EVERYONE, ROOT, Writer
from wizard.model.requests import Attach, Tune
from wizard.operations.fstab import LineEdit, edit_of
from wizard.operations.mounts import Mount
from wizard.operations.operation import Context
from wizard.operations.settings import SwitchOnTimer
from wizard.plan.changes import Changes
from wizard.plan.dangers import known_identity
from wizard.plan.plan import Step, steps_of

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


LISTED = "/dev/sda1 /dev/sdb1 /dev/dm-0 /dev/dm-1 /dev/dm-2 /dev/loop0"


@pytest.fixture
def sysfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulated sysfs with dm-0 on sda1, dm-1 and dm-2 on one volume group, and loop0 on sdb1."""
    for name in LISTED.replace("/dev/", "").split():
        (tmp_path / "class/block" / name / "slaves").mkdir(parents=True)
    for upper, lower in (("dm-0", "sda1"), ("dm-1", "sdc"), ("dm-2", "sdc")):
        (tmp_path / "class/block" / upper / "slaves" / lower).touch()
    (tmp_path / "class/block/loop0/loop").mkdir()
    (tmp_path / "class/block/loop0/loop/backing_file").write_text("/dev/sdb1\n")
    monkeypatch.setattr("wizard.probe.host.sysfs.SYS", tmp_path)
    return tmp_path


def says(monkeypatch: pytest.MonkeyPatch, listed: str, members: dict[str, str]) -> None:
    def blkid(words: Sequence[str], **_: object) -> SimpleNamespace:
        return SimpleNamespace(output=listed if "-t" in words else members.get(words[-1], ""))

    for module in (devices, guard):
        monkeypatch.setattr(module, "run", blkid)


@pytest.mark.parametrize(
    ("device", "found"),
    [
        ("/dev/sda1", ("/dev/dm-1", "/dev/dm-2", "/dev/loop0", "/dev/sdb1")),
        ("/dev/sdb1", ("/dev/dm-0", "/dev/dm-1", "/dev/dm-2", "/dev/sda1")),
        ("/dev/dm-1", ("/dev/dm-0", "/dev/loop0", "/dev/sda1", "/dev/sdb1")),
    ],
)
@pytest.mark.usefixtures("sysfs")
def test_stacked_devices_are_no_clones(
    monkeypatch: pytest.MonkeyPatch, device: str, found: tuple[str, ...]
) -> None:
    says(monkeypatch, LISTED, {})
    assert clones_of(device, "0d2c") == found


@pytest.mark.usefixtures("sysfs")
def test_members_of_one_btrfs_are_no_clones(monkeypatch: pytest.MonkeyPatch) -> None:
    both = "/dev/sda1 /dev/sdb1"
    says(monkeypatch, both, {"/dev/sda1": "first", "/dev/sdb1": "second"})
    assert clones_of("/dev/sda1", "0d2c") == ()
    says(monkeypatch, both, {"/dev/sda1": "first", "/dev/sdb1": "first"})
    assert clones_of("/dev/sda1", "0d2c") == ("/dev/sdb1",)


@pytest.mark.usefixtures("sysfs")
def test_no_clones_without_a_uuid_or_blkid(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, LISTED, {})
    assert clones_of("/dev/sda1", "") == ()

    def failing(*_: object, **__: object) -> None:
        raise Failed("no blkid")

    monkeypatch.setattr(devices, "run", failing)
    assert clones_of("/dev/sda1", "0d2c") == ()


SYSTEMCTL = """#!/bin/sh
case "$1" in
is-enabled) cat {state} ;;
*) echo "$1 $2 $3" >>{state}.asked; [ -e {state}.stuck ] || echo "$1d" >{state} ;;
esac
"""
TIMER = SwitchOnTimer()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunningSystem:
    (tmp_path / "bin").mkdir()
    (tmp_path / "state").write_text("disabled\n")
    (tmp_path / "bin/systemctl").write_text(SYSTEMCTL.format(state=tmp_path / "state"))
    (tmp_path / "bin/systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(running, "SYSTEMD", tmp_path)
    return replace(system_of(changes()), step=1, run_name="run", journal=Journal(tmp_path))


def changes() -> Changes:
    held = drive()
    identity = known_identity(machine(held), held)
    return Changes(
        identity, "/dev/sda", "ext4", "0d2c3b7a", Tune("mail"), steps_of([TIMER], Context(identity))
    )


def test_failed_enable_is_reported_and_masked_timer_is_unchanged(site: RunningSystem, tmp_path: Path) -> None:
    (tmp_path / "state.stuck").touch()
    with pytest.raises(Failed, match="did not take effect: systemd reports"):
        do(TIMER, site)
    (tmp_path / "state").write_text("masked\n")
    with pytest.raises(Failed, match="an external change"):
        do(TIMER, site)
    assert "Left unchanged" in str(undo(TIMER, site))


def test_systemd_reloads_fstab_after_each_change(site: RunningSystem, tmp_path: Path) -> None:
    (tmp_path / "fstab").write_text("# mine\n")
    edit = edit_of(str(tmp_path / "fstab"), "# mine\n", LineEdit(0, None, "UUID=1 /a ext4 nofail 0 2"))
    do(edit, site)
    assert "UUID=1" in (tmp_path / "fstab").read_text()
    undo(edit, site)
    assert (tmp_path / "fstab").read_text() == "# mine\n"
    asked = [entry.command for entry in read_entries(tmp_path)]
    assert asked == [("systemctl", "daemon-reload")] * 2
    do(edit, replace(site, environment=Environment(fstab=tmp_path / "fstab")))
    assert len(read_entries(tmp_path)) == 2, "another system's fstab is not this systemd's"


def test_timer_of_another_system_is_unchanged(tmp_path: Path) -> None:
    check_own(changes(), Environment())
    with pytest.raises(Refused, match="only be enabled on the running system"):
        check_own(changes(), Environment(fstab=tmp_path / "fstab"))
