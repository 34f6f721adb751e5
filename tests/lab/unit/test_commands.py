"""A command forked from a job exits, prints and sees the same as a new process."""

import os
import sys
from collections.abc import Callable, Sequence
from time import sleep

import pytest

from tests.lab.guest import commands
from tests.lab.guest.commands import carried_out
from wizard.process.program import run

SECONDS = 60.0


@pytest.mark.parametrize(
    "words", [("--version",), ("plan", "--nonsense"), ("inspect", "/dev/none"), ("no-command",)]
)
def test_forked_command_matches_a_new_process(words: Sequence[str]) -> None:
    forked = carried_out(words, SECONDS)
    real = run([sys.executable, "-m", "wizard", *words], seconds=SECONDS, accept=range(256))
    assert (forked.status, forked.output, forked.errors) == (
        real.status,
        real.output,
        real.errors,
    )


def instead(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Replace the command by this function."""

    def main(_words: Sequence[str]) -> int:
        act()
        return 0

    monkeypatch.setattr(commands, "main", main)


def test_exception_in_the_command_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ValueError("of no use")

    instead(monkeypatch, fail)
    told = carried_out(("status",), SECONDS)
    assert told.status == 1 and "Traceback" in told.errors and "of no use" in told.errors


def test_hanging_command_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, lambda: sleep(SECONDS))
    with pytest.raises(AssertionError, match=r"diskwright status was not done after 0\.2 s"):
        carried_out(("status",), 0.2)


def test_environment_matches_that_of_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, lambda: print(sorted(os.environ.items())))
    monkeypatch.setenv("MKE2FS_CONFIG", "/nowhere")
    told = carried_out(("status",), SECONDS)
    assert "MKE2FS_CONFIG" not in told.output and "('LC_ALL', 'C')" in told.output
    assert os.environ["MKE2FS_CONFIG"] == "/nowhere"
