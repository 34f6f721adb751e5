"""The Ansible collection in a folder, with tasks for the real ansible-playbook on this machine."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.loop.applying import ROOT

Task = dict[str, Any]


class Playing:
    """The collection, with this checkout as the program `diskwright`, more environment variables for the
    tasks, and a time limit per play."""

    def __init__(self, folder: Path, seconds: float = 120, **environment: str) -> None:
        self._folder, self._seconds, self._environment = folder, seconds, environment
        place = folder / "ansible_collections/diskwright/storage"
        place.parent.mkdir(parents=True)
        place.symlink_to(ROOT / "packaging/ansible")
        self.program = folder / "diskwright"
        self.program.write_text(f'#!/bin/sh\ncd {ROOT} && exec {sys.executable} -m wizard "$@"\n')
        self.program.chmod(0o755)

    def task(self, *drives: dict[str, Any], **options: str) -> Task:
        """Return a task with these drives and options."""
        return {
            "diskwright.storage.drives": {
                "drives": list(drives),
                "executable": str(self.program),
                **options,
            }
        }

    def play(self, *tasks: Task, words: tuple[str, ...] = ()) -> tuple[list[Task], str]:
        """Run the tasks in order. Return their results and Ansible's output."""
        file, results = self._folder / "play.json", self._folder / "results.json"
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
                "ANSIBLE_COLLECTIONS_PATH": str(self._folder),
                "ANSIBLE_COLLECTIONS_PATHS": str(self._folder),
                "ANSIBLE_HOME": str(self._folder / "home"),
                "ANSIBLE_LOCAL_TEMP": str(self._folder / "tmp"),
                "ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/python3",
                "LC_ALL": "C.UTF-8",
                **self._environment,
            },
            capture_output=True,
            text=True,
            timeout=self._seconds,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(results.read_text()), done.stdout
