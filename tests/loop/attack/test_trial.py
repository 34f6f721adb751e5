"""A partition created inside the area of a writing trial keeps its data."""

import os
import subprocess
import sys
from mmap import mmap
from pathlib import Path
from signal import SIGCONT, SIGSTOP

from tests.devices import MakeDrive, tool
from tests.loop.applying import ROOT, until
from tests.loop.program import MIB


def written(node: str, fill: bytes, size_mib: int) -> None:
    descriptor = os.open(node, os.O_RDWR | os.O_DIRECT)
    buffer = mmap(-1, MIB)
    buffer[:] = fill * MIB
    for place in range(size_mib):
        os.pwritev(descriptor, [buffer], place * MIB)
    os.close(descriptor)


def test_partition_created_during_a_trial_keeps_its_data(make_drive: MakeDrive) -> None:
    drive = make_drive(96 * MIB)
    argv = [
        sys.executable,
        "-m",
        "wizard",
        "bench",
        drive,
        "--scratch",
        "--confirm",
        drive.removeprefix("/dev/"),
        "--seconds",
        "8",
    ]
    with subprocess.Popen(
        [*argv, "--assume-physical", "4096"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as trial:
        assert trial.stderr is not None and "Rewriting" in trial.stderr.readline()
        # Held still meanwhile: on a fast machine it would be over before the attack.
        trial.send_signal(SIGSTOP)
        try:
            tool("addpart", drive, "1", str(2 * MIB // 512), str(90 * MIB // 512))
            until(Path(f"{drive}p1").is_block_device)
        finally:
            trial.send_signal(SIGCONT)
        for fill in (b"a", b"b", b"c"):
            written(f"{drive}p1", fill, 90)
        said = trial.stderr.read()
    assert trial.returncode == 3, said
    assert "stopped writing" in said
    assert Path(f"{drive}p1").read_bytes() == b"c" * 90 * MIB
