"""Parallel commands: each one's output stays together, a hanging one is ended alone, and none survives its
starter."""

import os
import select
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.lab.errands.together import Outcome, Task, run_together

PATIENCE = 60.0
CHECKOUT = Path(__file__).parents[3]


def python(name: str, code: str) -> Task:
    """Return a task that runs `code`. `tell` writes to its descriptor."""
    begin = (
        "import os, sys, time, signal\nfrom pathlib import Path\n"
        "tell = lambda word: os.write(int(sys.argv[1]), word)\n"
    )
    return Task(name, (sys.executable, "-c", begin + textwrap.dedent(code)), PATIENCE)


def meets(own: Path, other: Path) -> str:
    """Return code that announces itself and waits for the other one."""
    return f"Path({str(own)!r}).touch()\nwhile not Path({str(other)!r}).exists(): time.sleep(0.01)\n"


def alive(pid: int) -> bool:
    """Return True if a process is running, not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


def test_two_run_in_parallel_with_separate_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    here = [tmp_path / name for name in "ab"]
    tasks = [
        python(
            name,
            f"print('{name} 1', flush=True)\n{meets(*places)}print('{name} 2', file=sys.stderr)\n"
            f"tell(b'{name}')",
        )
        for name, places in (("a", here), ("b", here[::-1]))
    ]
    ended: list[Outcome] = []
    run_together(tasks, 2, ended.append)
    assert {(one.task.name, one.status, one.result, one.late) for one in ended} == {
        ("a", 0, b"a", False),
        ("b", 0, b"b", False),
    }
    said = capfd.readouterr().out
    assert "a 1\na 2\n" in said
    assert "b 1\nb 2\n" in said


def test_parallel_commands_never_exceed_the_limit(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code = f"os.mkdir({str(mark)!r})\ntime.sleep(0.05)\nos.rmdir({str(mark)!r})"
    ended: list[Outcome] = []
    run_together([python(str(number), code) for number in range(4)], 1, ended.append)
    assert [(one.task.name, one.status) for one in ended] == [(str(number), 0) for number in range(4)]


def test_hanging_command_is_ended_alone_and_may_clean_up(tmp_path: Path) -> None:
    cleaned = tmp_path / "cleaned"
    hangs = (
        f"trap 'touch {cleaned}; kill $!; exit 143' TERM; printf begun >/proc/self/fd/$0; sleep 600 & wait"
    )
    ended: list[Outcome] = []
    run_together([Task("hangs", ("sh", "-c", hangs), 2.0), python("works", "tell(b'done')")], 2, ended.append)
    assert {(one.task.name, one.status, one.result, one.late) for one in ended} == {
        ("hangs", 143, b"begun", True),
        ("works", 0, b"done", False),
    }
    assert cleaned.exists()


def test_killed_command_does_not_end_others() -> None:
    ended: list[Outcome] = []
    run_together(
        [python("dies", "os.kill(os.getpid(), signal.SIGKILL)"), python("works", "")], 2, ended.append
    )
    assert {(one.task.name, one.status) for one in ended} == {("dies", -signal.SIGKILL), ("works", 0)}


def test_interruption_ends_all_commands(tmp_path: Path) -> None:
    pid, here = tmp_path / "pid", tmp_path / "here"
    waits = f"Path({str(pid)!r}).write_text(str(os.getpid()))\nPath({str(here)!r}).touch()\ntime.sleep(600)"

    def break_off(_: Outcome) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_together([python("waits", waits), python("ends", meets(tmp_path / "there", here))], 2, break_off)
    assert not alive(int(pid.read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_command_outlives_its_starter(number: signal.Signals, tmp_path: Path) -> None:
    pid, here, cleaned = tmp_path / "pid", tmp_path / "here", tmp_path / "cleaned"
    waits = f"""
        signal.signal(signal.SIGTERM, lambda *_: (Path({str(cleaned)!r}).touch(), sys.exit(143)))
        Path({str(pid)!r}).write_text(str(os.getpid()))
        Path({str(here)!r}).touch()
        while True: time.sleep(60)
    """
    task = python("waits", waits)
    code = f"""
        from tests.lab.guest.machine import ended_by_signals
        from tests.lab.errands.together import Task, run_together
        ended_by_signals()
        run_together([Task("waits", {task.argv!r}, 600.0)] * 2, 1, print)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        stderr=subprocess.PIPE,
    ) as parent:
        while not here.exists():
            assert parent.poll() is None
        descriptor = os.pidfd_open(int(pid.read_text()))
        parent.send_signal(number)
        parent.communicate(timeout=PATIENCE)
    try:
        # Readable as soon as the process has ended.
        assert select.select([descriptor], [], [], PATIENCE)[0]
    finally:
        os.close(descriptor)
    assert cleaned.exists()
