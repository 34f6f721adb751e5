"""Ctrl+C, end of input, a closed terminal and SIGTERM at every prompt of the line-by-line wizard and the
commands. Unconfirmed changes are not written, the terminal echoes input again, and the last message and
the exit code are true."""

import os
import sys
from dataclasses import dataclass

import pytest

from tests.devices import MakeDrive
from tests.loop.applying import OLD_FSTAB, Work, old_gpt, until
from tests.loop.faces.ending import KEYS, SIGNALS, end, shows_typing
from tests.loop.lines.conversing import Window
from tests.loop.program import MIB
from tests.loop.volumes.test_encryption import half_able
from wizard.plan.text import WORD

PROGRAM = """
import sys
from pathlib import Path
from tests.loop.applying import unknown_kernel
from wizard.cli.main import main
from wizard.apply.run.backup_store import Environment
from wizard.plan import text
from wizard.cli import open_wizard
from wizard.host.services import Services
drive, fstab, runs = sys.argv[1:]
class Seen(Services):
    def probe(self, on_drive):
        return unknown_kernel(super().probe(lambda found: on_drive(unknown_kernel(found))))
environment = Environment(fstab=Path(fstab), only=frozenset({drive}))
def seen(_):
    return Seen(only=(drive,), environment=environment, journal_dir=Path(runs))
open_wizard._services = seen
text.needs_word = lambda *_: True
sys.exit(main(["--plain"]))
"""
"""The wizard line by line, which sees one drive only, knows nothing of this kernel's modules,
and has no way back."""

TOKEN, FILE = "(the drive's token)", "(a file)"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question: part of its text, and the answer that continues. `hidden`: no echo."""

    asks: str
    answer: str = ""
    hidden: bool = False


PROMPTS = (
    Prompt("Step 1 of 5: Drives"),
    Prompt("Replace everything", "A"),
    Prompt("What will you store?", "4"),
    Prompt("e edit", "e"),
    Prompt("Purpose"),
    Prompt("Filesystem"),
    Prompt("Size ("),
    Prompt("Label (", "films"),
    Prompt("Mount point (", "none"),
    Prompt("Who may write"),
    Prompt("Role"),
    Prompt("Encryption", "2"),
    Prompt("v commands", "s"),
    Prompt("Save the plan", FILE),
    Prompt("v commands"),
    Prompt("Serial (", TOKEN),
    Prompt("And (", WORD),
    Prompt("Passphrase (", "short", hidden=True),
    Prompt("Repeat", "short", hidden=True),
    Prompt("Serial ("),
)


NOTHING = "No data was written to any drive."
EXPECTED = {
    "ctrl-c": (130, f"Interrupted. Ended. {NOTHING}"),
    "ctrl-d": (130, f"Ended. {NOTHING}"),
}
"""The exit code, and what is said last."""

HIDDEN = [number for number, prompt in enumerate(PROMPTS) if prompt.hidden]


def wait_for(window: Window, prompt: Prompt) -> None:
    """Wait for the question and the right echo mode."""
    window.asked(prompt.asks)
    until(lambda: shows_typing(window) is not prompt.hidden)


@pytest.mark.parametrize(
    ("number", "way"),
    [
        *((number, way) for number in range(len(PROMPTS)) for way in KEYS),
        *((number, way) for number in (0, *HIDDEN) for way in SIGNALS),
    ],
    ids=lambda part: str(part),
)
def test_every_prompt_before_a_run_can_be_ended(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, number: int, way: str
) -> None:
    drive = make_drive(64 * MIB)
    old_gpt(drive)
    before = work.digest(drive)
    half_able(work, monkeypatch)
    answers = {TOKEN: drive.removeprefix("/dev/"), FILE: str(work.folder / "plan.json")}
    window = Window([sys.executable, "-c", PROGRAM, drive, str(work.fstab), str(work.runs)])
    for prompt in PROMPTS[:number]:
        wait_for(window, prompt)
        os.write(window.into, f"{answers.get(prompt.answer, prompt.answer)}\n".encode())
    wait_for(window, PROMPTS[number])
    code, last = EXPECTED[way] if way in KEYS else (-SIGNALS[way], "")
    assert end(window, way) == code, window.said
    assert last in " ".join(window.said.split()) and "Traceback" not in window.said
    assert work.digest(drive) == before
    assert not work.runs.exists()
    assert work.fstab.read_text() == OLD_FSTAB
