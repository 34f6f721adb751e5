"""The collection with the real ansible-playbook, on this machine and a drive that is made here."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.daily import IS_FULL
from tests.devices import MakeDrive
from tests.loop.applying import ROOT, Work, old_gpt
from wizard import __version__
from wizard.model.units import MIB

SIZE = 96 * MIB

pytestmark = pytest.mark.skipif(
    shutil.which("ansible-playbook") is None, reason="there is no ansible-playbook (package ansible-core)"
)


def test_the_collection_has_the_version_of_the_program() -> None:
    galaxy = (ROOT / "packaging/ansible/galaxy.yml").read_text().splitlines()
    assert f"version: {__version__}" in galaxy


class Ansible:
    """A folder with the collection, and playbooks run there."""

    def __init__(self, work: Work) -> None:
        self.work, self.folder = work, work.folder / "ansible"
        place = self.folder / "ansible_collections/diskwright/storage"
        place.parent.mkdir(parents=True)
        place.symlink_to(ROOT / "packaging/ansible")
        self.program = self.folder / "diskwright"
        self.program.write_text(f'#!/bin/sh\ncd {ROOT} && exec {sys.executable} -m wizard "$@"\n')
        self.program.chmod(0o755)

    def task(self, drive: str, **volume: str) -> dict[str, Any]:
        self.work.bench.own(drive)
        usual = {"workload": "large-media", "fs": "ext4", "mount": str(self.work.place("media"))}
        wanted = {"name": 'm "ö" \\', "match": {"path": drive}, "volume": [{**usual, **volume}]}
        options = {
            "drives": [wanted],
            "executable": str(self.program),
            "fstab": str(self.work.fstab),
            "journal": str(self.work.runs),
        }
        return {"diskwright.storage.drives": options}

    def play(self, *tasks: dict[str, Any], words: tuple[str, ...] = ()) -> tuple[list[dict[str, Any]], str]:
        """The tasks in a row; what each gave back, and what Ansible printed."""
        file, results = self.folder / "play.json", self.folder / "results.json"
        numbered = [{**task, "register": f"r{at}", "ignore_errors": True} for at, task in enumerate(tasks)]
        names = ", ".join(f"r{at}" for at in range(len(tasks)))
        copy = {"content": f"{{{{ [{names}] | to_json }}}}", "dest": str(results)}
        last = {"ansible.builtin.copy": copy, "check_mode": False, "diff": False}
        play = {
            "hosts": "localhost",
            "connection": "local",
            "gather_facts": False,
            "tasks": [*numbered, last],
        }
        file.write_text(json.dumps([play]))
        done = subprocess.run(
            ["ansible-playbook", "-i", "localhost,", str(file), *words],
            env={
                **os.environ,
                "ANSIBLE_COLLECTIONS_PATH": str(self.folder),
                "ANSIBLE_COLLECTIONS_PATHS": str(self.folder),
                "ANSIBLE_HOME": str(self.folder / "home"),
                "ANSIBLE_LOCAL_TEMP": str(self.folder / "tmp"),
                "ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/python3",
                "LC_ALL": "C.UTF-8",
                "DISKWRIGHT_STATE": str(self.work.folder),
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(results.read_text()), done.stdout


@pytest.fixture
def ansible(work: Work) -> Ansible:
    return Ansible(work)


@pytest.mark.skipif(not IS_FULL, reason="takes 20 s, so only with --full")
def test_changed_then_ok_and_check_changes_nothing(
    ansible: Ansible, work: Work, make_drive: MakeDrive
) -> None:
    drive = make_drive(SIZE)
    blank, task = work.digest(drive), ansible.task(drive)
    (checked,), printed = ansible.play(task, words=("--check", "--diff"))
    assert checked["changed"] and checked["drives"][0]["state"] == "would-change"
    assert work.digest(drive) == blank and not Path(work.place("media")).exists()
    assert '-  "table": "none"' in printed and '+      "filesystem": "ext4"' in printed

    other = ansible.task(drive, label="films")
    unknown = ansible.task(drive, labl="films")
    (made, again, refused, wrong), _ = ansible.play(task, task, other, unknown)
    assert made["changed"] and made["drives"][0]["state"] == "changed", made
    assert not again["changed"] and again["drives"][0]["state"] == "as-wanted" and again["diff"] == []
    assert refused["failed"] and "media instead of films" in refused["msg"] and refused["rc"] == 3
    assert wrong["failed"] and "labl: extra field found" in wrong["msg"] and wrong["rc"] == 2


def test_a_drive_with_data_is_refused_and_stays(ansible: Ansible, work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(SIZE)
    old_gpt(drive)
    before = work.digest(drive)
    (refused,), _ = ansible.play(ansible.task(drive))
    assert refused["failed"] and 'replace = "' in refused["msg"] and not refused["changed"]
    assert refused["drives"][0]["replace"] in refused["msg"]
    assert work.digest(drive) == before
