"""An interface ends during a run or at the keep-or-undo question, by Ctrl+C, end of input, a closed
terminal, or SIGTERM. The run finishes, unconfirmed decisions are not made, and the last message is true."""

import sys

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, ended, fill, gate, old_gpt, spec, stand_in, story, until
from tests.loop.faces.ending import SIGNALS, ask_to_end, code_of, end
from tests.loop.lines.conversing import PROGRAM, Window, hold_makers, run_of
from tests.loop.program import MIB, PLANS, Mode, RunState, state

HELD = """
import os, signal, sys
from importlib import import_module
def hold(module, name, first):
    at = import_module(module)
    real = getattr(at, name)
    def held(*arguments):
        if first:
            real(*arguments)
        here, there = os.pipe()
        os.set_blocking(there, False)
        signal.set_wakeup_fd(there)
        print("held at", name, flush=True)
        os.read(here, 1)
        return real(*arguments) if not first else None
    setattr(at, name, held)
LAUNCH, FOLLOW = ("wizard.apply.run.process", "launch", True), ("wizard.apply.run.journal", "follow", False)
"""
"""Holds a face right after a run's own process has begun, or when it waits for that one's end, until a signal
comes."""

HELD_IN_THREAD = """
import pathlib, time, types
from wizard.apply import run_control
real = run_control.journal.follow
def held(*arguments):
    print("held at follow", flush=True)
    while not pathlib.Path({file!r}).exists():
        time.sleep(0.05)
    return real(*arguments)
run_control.journal = types.SimpleNamespace(**{{**vars(run_control.journal), "follow": held}})
"""
"""Holds the wizard where it waits for the end of keeping or undoing, until there is a file."""

NO_DEMO = """
from wizard.host.services import Services
Services.demo = property(lambda _: False, lambda _, __: None)
"""
"""Though it sees one drive only, as the demo does."""

SMALL = "4"
"""Many small files, by its number."""

COMMAND = HELD + "hold(*{place})\nfrom wizard.cli.main import main\nsys.exit(main(sys.argv[1:]))\n"
SAID = {
    ("launch", "keep"): "stopped by the user. If a run was started, `diskwright status` shows its state.",
    ("launch", "undo"): "stopped by the user. If a run was started, `diskwright status` shows its state.",
    ("follow", "keep"): "The run continues in the background; `diskwright status",
    ("follow", "undo"): "The run continues in the background; `diskwright status",
}


@pytest.fixture
def full(make_drive: MakeDrive, work: Work) -> str:
    """A drive full of old data, with unique blocks."""
    drive = make_drive(64 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    return drive


def held(work: Work, place: str, *words: str) -> Window:
    """Start a command that pauses at this place."""
    window = Window(
        [sys.executable, "-c", COMMAND.format(place=place.upper()), *words], DISKWRIGHT_STATE=str(work.folder)
    )
    window.until(f"held at {place}")
    return window


@pytest.mark.parametrize("way", ["ctrl-c", "ended", "hung-up"])
@pytest.mark.parametrize("command", ["keep", "undo"])
@pytest.mark.parametrize("place", ["launch", "follow"])
def test_confirmed_run_continues_without_its_command(
    work: Work, full: str, place: str, command: str, way: str
) -> None:
    before = work.digest(full)
    run, now = work.apply(work.plan(full, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING, story(run)
    window = held(work, place, command, "--journal", str(work.runs))
    code = end(window, way)
    if way == "ctrl-c":
        assert code == 130 and SAID[place, command] in flat(window.said), window.said
    else:
        assert code == -SIGNALS[way]
    assert "Traceback" not in window.said
    assert ended(run) is (RunState.KEPT if command == "keep" else RunState.UNDONE), story(run)
    if command == "undo":
        assert work.digest(full) == before
    else:
        assert tool("blkid", "-p", "-o", "value", "-s", "TYPE", f"{full}p1").strip() == "ext4"


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("way", ["ctrl-c", "ended", "hung-up"])
def test_apply_ended_during_the_start_stops_before_the_first_write(
    work: Work, full: str, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    before = work.digest(full)
    plan = work.plan(full, spec("ext4"), mode=Mode.REPLACE)
    file, opened = work.folder / "plan.json", work.folder / "opened"
    file.write_text(PLANS.render(plan))
    stand_in(work.folder / "bin", monkeypatch, "wipefs", gate("wipefs", opened))
    words = ("--confirm", plan.drive.token, "--fstab", str(work.fstab), "--journal", str(work.runs))
    window = held(work, "launch", "apply", str(file), *words)
    run = run_of(work)
    until(lambda: opened.with_name("opened.reached").exists())
    ask_to_end(window, way)
    until(lambda: (run / "stop").exists())
    opened.touch()
    code = code_of(window, way)
    assert ended(run) is RunState.STOPPED, story(run)
    assert work.digest(full) == before
    if way != "hung-up":
        assert code == 4, window.said
        assert "Stopping after the current step" in window.said
    assert "Traceback" not in window.said
    gone_on = diskwright(work, "resume", "--journal", str(work.runs), "--confirm", plan.drive.token)
    assert gone_on.returncode == 0 and state(run) is RunState.WAITING, gone_on.stderr


def plain(work: Work, drive: str, held_there: bool = False) -> Window:
    """Start the line-by-line wizard, up to its last question."""
    work.bench.own(drive)
    waits = HELD_IN_THREAD.format(file=str(work.folder / "let-go"))
    program = f"{waits}\n{NO_DEMO}{PROGRAM}" if held_there else f"{NO_DEMO}{PROGRAM}"
    window = Window([sys.executable, "-c", program, drive, str(work.fstab), str(work.runs)])
    window.asked("Step 1 of 5: Drives")
    window.answer("", "A", SMALL, "")
    return window


@pytest.mark.parametrize("way", ["ended", "hung-up"])
@pytest.mark.parametrize("asking", [False, True], ids=["follows", "asks"])
def test_run_continues_after_the_interface_ends(
    work: Work, full: str, monkeypatch: pytest.MonkeyPatch, asking: bool, way: str
) -> None:
    opened = work.folder / "opened"
    stand_in(work.folder / "bin", monkeypatch, "unused", "true")
    window = plain(work, full)
    hold_makers(work, window, monkeypatch, opened)
    window.answer(full.removeprefix("/dev/"))
    until(lambda: opened.with_name("opened.reached").exists())
    if asking:
        window.until("Step 5 of 5: Work")
        ask_to_end(window, "ctrl-c")
        window.asked("Empty line: continue watching.")
    assert end(window, way) == -SIGNALS[way], window.said
    run = run_of(work)
    assert state(run) is RunState.RUNNING
    opened.touch()
    assert ended(run) is RunState.WAITING, story(run)


def settling(work: Work, drive: str, held_there: bool = False) -> Window:
    """Return the line-by-line wizard at the keep-or-undo question."""
    window = plain(work, drive, held_there)
    window.asked("Step 4 of 5: Review", "Serial")
    window.answer(drive.removeprefix("/dev/"))
    window.asked("not in use yet", "K keep", "U undo")
    return window


@pytest.mark.parametrize("way", ["ctrl-c", "ctrl-d", "ended", "hung-up"])
@pytest.mark.parametrize("sure", [False, True], ids=["which", "sure"])
def test_unanswered_question_leaves_the_run_waiting(work: Work, full: str, sure: bool, way: str) -> None:
    before = work.digest(full)
    window = settling(work, full)
    barred = work.digest(full)
    if sure:
        window.answer("K")
        window.asked("Keep the result")
    code = end(window, way)
    assert code == (-SIGNALS[way] if way in SIGNALS else 0), "a run that is complete has not failed"
    assert "Traceback" not in window.said
    told = "sudo diskwright keep" if way not in SIGNALS else "not in use yet"
    assert told in flat(window.said)
    run = run_of(work)
    assert state(run) is RunState.WAITING and work.digest(full) == barred
    undone = diskwright(work, "undo", "--journal", str(work.runs))
    assert undone.returncode == 0 and work.digest(full) == before, undone.stderr


@pytest.mark.parametrize("answer", ["keep", "undo"])
def test_ctrl_c_during_keep_or_undo_lets_it_finish(work: Work, full: str, answer: str) -> None:
    before = work.digest(full)
    window = settling(work, full, held_there=True)
    window.answer({"keep": "K", "undo": "U"}[answer], "y")
    window.until("held at follow")
    ask_to_end(window, "ctrl-c")
    window.asked("Empty line: continue watching.")
    ask_to_end(window, "ctrl-c")
    window.until("Interrupted.")
    (work.folder / "let-go").touch()
    assert code_of(window, "ctrl-c") == 0, window.said
    assert "Traceback" not in window.said and "No data was written" not in flat(window.said)
    run = run_of(work)
    assert ended(run) is (RunState.KEPT if answer == "keep" else RunState.UNDONE), story(run)
    if answer == "undo":
        assert work.digest(full) == before
