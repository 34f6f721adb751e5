"""The terminal disappears without a signal, because it does not control the wizard's session."""

import os
import pty
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.looks.terminals.terminal import ROOT
from tests.looks.workshop import workshop
from wizard.probe.machine import save_machine

SECONDS = 15.0
MOST_CPU_SECONDS = 1.0


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def shows(master: int, word: bytes) -> bool:
    """Return True if the wizard shows the word in time."""
    received, until = b"", monotonic() + 60
    while word not in received and monotonic() < until:
        received += os.read(master, 65536)
    return word in received


@pytest.mark.parametrize("prefix", [(), ("env", "--ignore-signal=HUP")], ids=["", "ignoring"])
@pytest.mark.parametrize("name", ["xterm-256color", "linux", "vt220", "dumb"])
def test_wizard_without_its_terminal_ends(tmp_path: Path, name: str, prefix: tuple[str, ...]) -> None:
    recorded = tmp_path / "recorded.json"
    save_machine(recorded, workshop())
    master, slave = pty.openpty()
    argv = (*prefix, sys.executable, "-m", "wizard", "--machine", str(recorded))
    environment = {**os.environ, "TERM": name, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        argv, stdin=slave, stdout=slave, stderr=slave, cwd=ROOT, env=environment, start_new_session=True
    ) as wizard:
        try:
            os.close(slave)
            assert shows(master, b"ST8000DM004")
            sleep(1)
            before = cpu_seconds(wizard.pid)
            os.close(master)
            _, _, used = os.wait4(wizard.pid, 0) if ended(wizard.pid) else (0, 0, None)
            assert used is not None, f"it still runs, after {cpu_seconds(wizard.pid) - before} s of work"
            assert used.ru_utime + used.ru_stime - before < MOST_CPU_SECONDS
        finally:
            wizard.kill()


def ended(pid: int) -> bool:
    """Return True if the process ends in time. It is not reaped."""
    until = monotonic() + SECONDS
    while monotonic() < until:
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        sleep(0.1)
    return False
