"""Walk commands, prompts and screens as a user who accepts all proposals, from a drive and a purpose to the
end of a run.

Questions are answered by their words, other questions by the default.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from io import BytesIO, StringIO
from pathlib import Path

from tests.looks.rehearsal import (
    Hand,
    app_of,
    come,
    fill,
    flat,
    highlight,
    perform,
    place,
    press,
    ready,
    until,
)
from wizard.host.services import Services
from wizard.model.errors import ExitCode
from wizard.plain.app import PlainSession
from wizard.plain.prompt import Dialogue
from wizard.ui.session import Session
from wizard.ui.wizard import Wizard

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 600.0
"""For a command, and for a step of the screens, in a slow guest as well."""
MOST_QUESTIONS = 60
HAS_DEFAULT = "Empty line: "
ENDS = ("Journal:", "q")
"""The answer to a result."""


class Answers(BytesIO):
    """Answers to questions, selected by words of the question, in this order. Other questions get an empty
    line. Input ends at a question without a default, and after too many questions."""

    def __init__(self, out: StringIO, script: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.left = list(script)
        self._out, self._heard, self._asked = out, 0, 0

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the answer to the text since the last answer."""
        asked = " ".join(self._out.getvalue()[self._heard :].split())
        self._heard = len(self._out.getvalue())
        self._asked += 1
        if self.left and self.left[0][0] in asked:
            return f"{self.left.pop(0)[1]}\n".encode()
        default = HAS_DEFAULT in asked
        return b"\n" if default and self._asked < MOST_QUESTIONS else b""


def by_commands(
    drive: str, token: str, workload: str, place: Path, plan: Path, *more: str
) -> subprocess.CompletedProcess[str]:
    """Run `plan -o` and `apply`. Return the output of `apply`, or of `plan` if it failed. `more`: options
    of `apply`."""
    planned = _command("plan", drive, "--workload", workload, "--mount", str(place), "-o", str(plan))
    return _command("apply", str(plan), "--confirm", token, *more) if planned.returncode == 0 else planned


def _command(*words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "wizard", *words]
    return subprocess.run(
        argv,
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def by_questions(services: Services, token: str, workload: str, place: Path) -> tuple[ExitCode, str]:
    """Run the plain wizard. Return its exit code and output."""
    purpose = [profile.workload.id for profile in services.profiles].index(workload) + 1
    script = (
        ("What will you store?", str(purpose)),
        ("e edit", "e"),
        ("Mount point (", str(place)),
        ("Serial (", token),
        ENDS,
    )
    return _conversed(services, script)


def to_ext4_by_questions(services: Services, token: str) -> tuple[ExitCode, str]:
    """Convert the only drive to ext4 in the plain wizard, and keep the result."""
    script = (("m to ext4", "m"), ("Serial (", token), ("K keep", "K"), ("y keep", "y"), ENDS)
    return _conversed(services, script)


def _conversed(services: Services, script: Sequence[tuple[str, str]]) -> tuple[ExitCode, str]:
    said = StringIO()
    desk = Wizard(services)
    lines = PlainSession(desk, Dialogue(Answers(said, script), said, echo=True))
    desk.begin()
    return lines.converse(), said.getvalue()


def on_screens(services: Services, token: str, workload: str, mount: Path) -> Path | None:
    """Walk the screens by keys. Return the run at the result."""
    found: list[Path | None] = []

    async def job(pilot: Hand) -> None:
        await to_plan(pilot, workload)
        await press(pilot, "e")
        await come(pilot, "volume")
        await fill(pilot, mount=str(mount))
        await press(pilot, "enter")
        await come(pilot, "plan")
        await press(pilot, "enter")
        await come(pilot, "review")
        await fill(pilot, token0=token)
        await press(pilot, "enter")
        await until(lambda: place(pilot) == "result", pilot, SECONDS)
        found.append(app_of(pilot).desk.run)
        assert "ready at" in flat(pilot)
        await press(pilot, "enter")
        await come(pilot, "drives")

    perform(job, services)
    return found[0] if found else None


def refused_on_screens(services: Services, workload: str) -> Session | None:
    """Walk the screens to a plan that cannot be reviewed. Return the session there."""
    found: list[Session] = []

    async def job(pilot: Hand) -> None:
        await to_plan(pilot, workload)
        assert "No filesystem suits this purpose here." in flat(pilot)
        await press(pilot, "enter")
        assert place(pilot) == "plan"
        found.append(app_of(pilot).desk.session)

    perform(job, services)
    return found[0] if found else None


async def to_plan(pilot: Hand, workload: str) -> None:
    """Walk over the only drive, an empty one, and a purpose to the plan."""
    await ready(pilot)
    await press(pilot, "enter")
    await come(pilot, "purpose")
    await highlight(pilot, workload)
    await press(pilot, "enter")
    await come(pilot, "plan")
