"""The Ansible collection with the real ansible-playbook, on this machine and a test drive."""

import shutil
from pathlib import Path

import pytest

from tests.daily import IS_FULL
from tests.devices import MakeDrive
from tests.loop.applying import ROOT, Work, old_gpt
from tests.loop.ensure.playing import Playing, Task
from tests.loop.program import MIB
from wizard import __version__

SIZE = 96 * MIB

pytestmark = pytest.mark.skipif(
    shutil.which("ansible-playbook") is None, reason="there is no ansible-playbook (package ansible-core)"
)


def test_collection_has_the_version_of_the_program() -> None:
    galaxy = (ROOT / "packaging/ansible/galaxy.yml").read_text().splitlines()
    assert f"version: {__version__}" in galaxy


class Ansible(Playing):
    """Playbooks with the test's drives and files."""

    def __init__(self, work: Work) -> None:
        super().__init__(work.folder / "ansible", DISKWRIGHT_STATE=str(work.folder))
        self.work = work

    def media(self, drive: str, **volume: str | int) -> Task:
        """Return a task for one volume on this drive."""
        self.work.bench.own(drive)
        usual = {"workload": "large-media", "fs": "ext4", "mount": str(self.work.place("media"))}
        wanted = {"name": 'm "ö" \\', "match": {"path": drive}, "volume": [{**usual, **volume}]}
        return self.task(wanted, fstab=str(self.work.fstab), journal=str(self.work.runs))


@pytest.fixture
def ansible(work: Work) -> Ansible:
    return Ansible(work)


@pytest.mark.skipif(not IS_FULL, reason="takes 20 s, so only with --full")
def test_second_play_is_ok_and_check_mode_changes_no_drive(
    ansible: Ansible, work: Work, make_drive: MakeDrive
) -> None:
    drive = make_drive(SIZE)
    blank, task = work.digest(drive), ansible.media(drive)
    (checked,), printed = ansible.play(task, words=("--check", "--diff"))
    assert checked["changed"] and checked["drives"][0]["state"] == "would-change"
    assert work.digest(drive) == blank and not Path(work.place("media")).exists()
    assert '-  "table": "none"' in printed and '+      "filesystem": "ext4"' in printed

    other = ansible.media(drive, label="films")
    unknown = ansible.media(drive, labl="films")
    number = ansible.media(drive, label="films", size=10)
    (made, again, refused, wrong, bare), _ = ansible.play(task, task, other, unknown, number)
    assert made["changed"] and made["drives"][0]["state"] == "changed", made
    assert not again["changed"] and again["drives"][0]["state"] == "as-wanted" and again["diff"] == []
    assert refused["failed"] and "media instead of films" in refused["msg"] and refused["rc"] == 3
    assert wrong["failed"] and "drives.volume.labl" in wrong["msg"]
    assert bare["msg"].endswith("volume 1 (films): `size` must be text, not a number."), bare["msg"]
    assert "/" not in bare["msg"] and bare["rc"] == 2


def test_role_copies_the_program_and_runs_it(ansible: Ansible, work: Work, make_drive: MakeDrive) -> None:
    """Check that the file may be missing before the module runs, because --check does not copy it."""
    drive, there = make_drive(SIZE), work.folder / "target/diskwright"
    there.parent.mkdir()
    (wanted,) = ansible.media(drive)["diskwright.storage.drives"]["drives"]
    given = {"diskwright_file": str(ansible.program), "diskwright_path": str(there)}
    role = {
        "ansible.builtin.include_role": {"name": "diskwright.storage.one_file"},
        "vars": {**given, "diskwright_drives": [wanted]},
    }
    blank = work.digest(drive)
    ansible.play(role, words=("--check",))
    assert not there.exists()
    _, printed = ansible.play({**role, "vars": given})
    assert there.read_text() == ansible.program.read_text() and there.stat().st_mode & 0o777 == 0o755
    assert "changed=1" in printed and work.digest(drive) == blank
    _, printed = ansible.play(role, words=("--check",))
    assert "changed=1" in printed, printed
    assert work.digest(drive) == blank


@pytest.mark.skipif(not IS_FULL, reason="takes 10 s, so only with --full")
def test_killed_program_is_reported_as_changed(ansible: Ansible) -> None:
    ansible.program.write_text("#!/bin/sh\nkill -9 $$\n")
    task = ansible.task({"name": "x", "match": {"serial": "x"}, "volume": [{"workload": "nas"}]})
    (killed,), _ = ansible.play(task)
    (checked,), _ = ansible.play(task, words=("--check",))
    assert killed["failed"] and killed["changed"] and "code" in killed["msg"], killed
    assert checked["failed"] and not checked["changed"], checked


@pytest.mark.skipif(not IS_FULL, reason="takes 20 s, so only with --full")
def test_two_drives_as_one(ansible: Ansible, work: Work, make_drive: MakeDrive) -> None:
    one, two = make_drive(2 * SIZE), make_drive(2 * SIZE)
    blank = work.digest(one), work.digest(two)
    task = ansible.task(
        {
            "name": "media",
            "match": {"path": one},
            "also": [{"path": two}],
            "mirror": "btrfs",
            "volume": [{"workload": "large-media", "mount": str(work.place("media"))}],
        },
        fstab=str(work.fstab),
        journal=str(work.runs),
    )
    for drive in (one, two):
        work.bench.own(drive)
    (checked,), printed = ansible.play(task, words=("--check", "--diff"))
    assert checked["changed"] and f"media ({one})" in printed and f"media ({two})" in printed
    assert (work.digest(one), work.digest(two)) == blank
    (made, again), _ = ansible.play(task, task)
    assert made["drives"][0]["state"] == "changed" and len(made["diff"]) == 2, made
    assert not again["changed"] and again["drives"][0]["also"][0]["path"] == two


def test_drive_with_data_is_refused_and_unchanged(
    ansible: Ansible, work: Work, make_drive: MakeDrive
) -> None:
    drive = make_drive(SIZE)
    old_gpt(drive)
    before = work.digest(drive)
    (refused,), _ = ansible.play(ansible.media(drive))
    assert refused["failed"] and 'replace = "' in refused["msg"] and not refused["changed"]
    assert refused["drives"][0]["replace"] in refused["msg"]
    assert work.digest(drive) == before
