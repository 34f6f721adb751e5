"""The loop tests that the fresh tier names exist."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_named_loop_tests_exist() -> None:
    text = (ROOT / "tests/fresh/run").read_text()
    (words,) = re.findall(r"one_in 4 (.+?)\n\}", text, re.DOTALL)
    named = subprocess.run(
        ["bash", "-c", f"printf '%s\\n' {words}"], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert len(named) > 8
    assert not [path for path in named if not (ROOT / path).is_file()]
