"""Every setting can be read, and has a lifecycle test."""

import subprocess
import sys

from tests.loop.tune.test_lifecycle import CASES
from wizard.operations.operation import Setting


def test_every_setting_has_a_lifecycle_case() -> None:
    assert {one for settings in CASES.values() for one in settings} == {*Setting.__subclasses__()}


def test_fresh_process_reads_every_setting() -> None:
    code = "from wizard.plan.changes import Setting; print(len(Setting.__subclasses__()))"
    known = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert int(known) == len(Setting.__subclasses__())
