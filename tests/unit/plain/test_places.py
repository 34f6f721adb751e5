"""The wizard's screens line by line, on recorded machines, through pipes, and to the end of a run."""

import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest

from tests.unit.machines import machine
from tests.unit.plain.conversation import MACHINES, Told, of_file
from tests.unit.plain.telling import talked
from tests.unit.ui.live import Live, entry
from tests.unit.ui.person import Person, texts_of
from tests.unit.ui.screens.explorer import Explorer, Watched
from wizard.apply.run.journal import RunState
from wizard.host.services import Services
from wizard.model.errors import ExitCode
from wizard.model.run import Event
from wizard.plain.prompt import PlainPara as Line
from wizard.plain.prompt import find, handle, legend
from wizard.plain.telling import help_lines, whole
from wizard.probe.machine import load_machine
from wizard.ui.view import Command, View
from wizard.ui.wizard import Wizard

ROOT = Path(__file__).resolve().parents[3]
TO_REVIEW = ("", "2", "")
"""The drive, for large media files, as advised."""


def conversed(services: Services, *answers: str, width: int = 78) -> Told:
    desk = Wizard(services)
    desk.begin()
    return talked(desk, BytesIO("".join(f"{answer}\n" for answer in answers).encode()), width)


def check_told(view: View) -> None:
    """Check that every text is printed and every action can be typed."""
    told = [" ".join(one.argv) if isinstance(one, Command) else one.text for one in whole(view)]
    labels = {str(text) for action in view.actions for text in (action.label, action.why_not)}
    fields = {str(text) for field in view.fields for text in (field.caption, field.value, field.hint)}
    fields |= {str(text) for field in view.fields for one in field.offers for text in (one.text, one.why_not)}
    flat = "".join("".join(told).split())
    said = str(view.said.text) if view.said else ""
    for text in texts_of(view):
        if text not in labels | fields | {said}:
            assert "".join(text.split()) in flat, (view.place, text)
    for action in view.actions:
        typed = handle(view, action)
        if typed not in ("b", "?", "q"):
            found = find(view, typed.removeprefix("!") if view.fields else typed)
            assert found is not None and found.name == action.name, (view.place, typed)
    assert str(legend(view)).endswith(".")
    assert all(isinstance(line, Line) for line in help_lines(view))


@pytest.mark.parametrize("name", ["red", "unreadable", "host-managed", "enclosure"])
def test_every_screen_is_printed_completely_and_every_action_typed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def look(person: Person) -> None:
        check_told(person.view)

    Explorer(Watched(load_machine(MACHINES / f"{name}.json")), look).explore()


@pytest.mark.parametrize("width", [40, 78])
def test_drive_is_set_up_to_a_saved_plan(width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kept = tmp_path / "kept.json"
    told = conversed(of_file("red"), *TO_REVIEW, "", str(kept), "q", "y", width=width)
    assert kept.exists() and told.code is ExitCode.DONE
    steps = [line for line in told.lines if line.startswith("Step ")]
    names = ["1 of 5: Drives", "2 of 5: Purpose", "3 of 5: Plan", "4 of 5: Review"]
    assert steps == [f"Step {name}" for name in names]
    assert all(len(line) <= width for line in told.lines if str(kept) not in line)


@pytest.mark.parametrize("given", range(7))
def test_input_can_end_at_every_question(given: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = conversed(of_file("red"), *(*TO_REVIEW, "", "kept.json", "q")[:given])
    assert told.flat.endswith("Ended. No data was written to any drive.")
    assert told.code is ExitCode.ENDED_BY_USER


def test_only_the_token_starts_and_root_is_asked_after_it() -> None:
    live = Live(machine(), unread=machine(root=False))
    for wrong in ("", "y", "1", "S", "S1 S1", "!apply", "b"):
        conversed(live, *TO_REVIEW, wrong)
        assert not live.seen.started, wrong
        assert not live.seen.roots, wrong
    told = conversed(live, *TO_REVIEW, "S1")
    assert live.seen.roots == 1 and live.seen.started == ["S1"]
    assert "asks for root access" in told.after("Answer: S1") and told.code is ExitCode.DONE


def test_waiting_run_is_kept_after_a_question() -> None:
    live = Live(machine())
    live.ends = RunState.WAITING
    live.journal = [entry(Event.STARTED, "Applying."), entry(Event.WAITING, "Done, not yet in use.")]
    told = conversed(live, *TO_REVIEW, "S1", "k", "K", "", "K", "y")
    assert live.ends is RunState.KEPT and told.code is ExitCode.DONE
    assert '"k" is not a valid answer.' in told.flat and told.flat.count("Keep the result on /dev/sda?") == 2
    assert "No data was written" not in told.flat


SCRIPT = """
import sys
from pathlib import Path
from wizard.plain.app import run_lines
from wizard.probe.machine import load_machine
from wizard.host.services import Services
try:
    sys.exit(run_lines(Services(load_machine(Path(sys.argv[1])), "a test"), "A hint."))
except BrokenPipeError:
    sys.exit(77)
"""


def piped(answers: str, into: str = "") -> subprocess.CompletedProcess[str]:
    """Run the wizard as a process with piped answers, and optionally pipe the output into a command."""
    argv = [sys.executable, "-c", SCRIPT, str(MACHINES / "red.json")]
    if into:
        argv = ["bash", "-c", f'"$@" | {into}; exit "${{PIPESTATUS[0]}}"', "bash", *argv]
    return subprocess.run(
        argv, cwd=ROOT, input=answers, capture_output=True, text=True, timeout=120, check=False
    )


def test_pipe_gives_all_answers(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    done = piped("\n".join(["", "2", "", "", str(kept), "q", "y", ""]))
    assert done.returncode == ExitCode.DONE and kept.exists() and not done.stderr
    assert done.stdout.startswith("A hint.\ndiskwright sets up a drive step by step.")
    assert done.stdout.isascii()


def test_closed_pipe_ends_it() -> None:
    assert piped("\n2\n" + "l\n" * 2000, "head -n 1").returncode == 77
