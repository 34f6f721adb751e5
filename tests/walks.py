"""The three faces walked by a person who takes what is advised: from a drive and a purpose to the end of a
run.

Each answers what it is asked by what is asked, and takes the face's own proposal everywhere else.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from io import BytesIO, StringIO
from pathlib import Path

from textual.pilot import Pilot

from tests.looks.rehearsal import flat, highlight, perform, press, shown, step, to_field, until
from wizard.model.errors import ExitCode
from wizard.plain.app import converse
from wizard.plain.desk import Desk
from wizard.plain.talk import Talk
from wizard.services.real import RealServices
from wizard.services.session import Session
from wizard.tui.step import StepScreen

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 600.0
"""For a command, and for a step of the screens, in a slow guest as well."""
MOST_QUESTIONS = 60
NO_DEFAULT = "An empty line means"


class Answers(BytesIO):
    """The answers to questions, each by words of what it asks, in this order; every other question is
    answered by an empty line. They end where a question has no proposal that an empty line would take, and
    after too many questions."""

    def __init__(self, out: StringIO, script: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.left = list(script)
        self._out, self._heard, self._asked = out, 0, 0

    def readline(self, size: int | None = -1, /) -> bytes:
        """The answer to what was said since the last one."""
        asked = " ".join(self._out.getvalue()[self._heard :].split())
        self._heard = len(self._out.getvalue())
        self._asked += 1
        if self.left and self.left[0][0] in asked:
            return f"{self.left.pop(0)[1]}\n".encode()
        return b"\n" if NO_DEFAULT in asked and self._asked < MOST_QUESTIONS else b""


def by_commands(
    drive: str, token: str, workload: str, place: Path, plan: Path, *more: str
) -> subprocess.CompletedProcess[str]:
    """`plan -o` and `apply`; what the second said, or the first where that did not end well. `more` goes to
    `apply`."""
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


def by_questions(services: RealServices, token: str, workload: str, place: Path) -> tuple[ExitCode, str]:
    """The line-by-line wizard; its exit code and all that it said."""
    purpose = [profile.workload.id for profile in services.profiles()].index(workload) + 1
    script = (
        ("What will the drive mostly hold?", str(purpose)),
        ("What is to be done with the list of volumes?", "3"),
        ("Where is it mounted?", str(place)),
        ("type the drive's token", token),
    )
    return _conversed(services, script)


def to_ext4_by_questions(services: RealServices, token: str) -> tuple[ExitCode, str]:
    """The same for the only drive, whose old filesystem becomes ext4 and is kept."""
    script = (
        ("Which drive is to be set up?", "2"),
        ("To begin now, type the token", token),
        ("What becomes of it?", "2"),
        ("Keeping ends the way back", "2"),
    )
    return _conversed(services, script)


def _conversed(services: RealServices, script: Sequence[tuple[str, str]]) -> tuple[ExitCode, str]:
    said = StringIO()
    code = converse(Desk(Talk(Answers(said, script), said, echo=True), services))
    return code, said.getvalue()


def on_screens(services: RealServices, token: str, workload: str, place: Path) -> Session | None:
    """The screens, by their keys; what the walk ended with."""

    async def job(pilot: Pilot[Session]) -> None:
        await to_advice(pilot, workload)
        await press(pilot, "enter")
        await step(pilot, 4)
        await press(pilot, "e")
        await until(lambda: "This volume" in shown(pilot), pilot)
        await to_field(pilot, "mount")
        await press(pilot, "ctrl+u", f"={place}", "enter")
        for number in (5, 6, 7):
            await until(lambda: isinstance(pilot.app.screen, StepScreen), pilot)
            await press(pilot, "enter")
            await step(pilot, number)
        await to_field(pilot, "token")
        await press(pilot, f"={token}", "enter", "enter")
        await step(pilot, 8)
        await until(lambda: "Done: every step" in shown(pilot), pilot, SECONDS)
        await press(pilot, "enter")
        await step(pilot, 9)
        await press(pilot, "enter")

    return perform(job, services)


def refused_on_screens(services: RealServices, workload: str) -> Session | None:
    """The same as far as the advice, of which nothing can be taken; what the walk ended with."""

    async def job(pilot: Pilot[Session]) -> None:
        await to_advice(pilot, workload)
        assert "No filesystem can be made on this drive from here" in flat(pilot)
        await press(pilot, "enter")
        await until(lambda: " cannot be taken: " in flat(pilot), pilot)
        await press(pilot, "q", "right", "enter")

    return perform(job, services)


async def to_advice(pilot: Pilot[Session], workload: str) -> None:
    """Over the only drive that is shown and a purpose to the third step."""
    await step(pilot, 1)
    await until(lambda: "/dev/" in shown(pilot) and "reading .." not in shown(pilot), pilot)
    await press(pilot, "enter")
    await step(pilot, 2)
    await highlight(pilot, "#purposes", workload)
    await press(pilot, "enter")
    await step(pilot, 3)
