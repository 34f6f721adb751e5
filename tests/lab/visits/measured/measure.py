"""Job: the benchmark's verdict on each drive, compared with another tool on the same drive."""

import json
import mmap
import os
import random
import re
import sys
from collections.abc import Iterator
from fcntl import LOCK_EX, flock
from pathlib import Path
from statistics import median
from time import perf_counter

from tests.lab.drives.fleet import EmulatedDrive, Fleet
from tests.lab.guest.inside import diskwright, node_of, shown, tool
from wizard.model.run import Check
from wizard.model.verdict import Outcome
from wizard.process.program import find

BLOCK_BYTES = 4096
SHIFT_BYTES = 512
TOLERANCE = 0.1
HAND_SECONDS = 3
HAND_ROUNDS = 3
HAND_REGION_BYTES = 64 * 1024 * 1024


def measure(fleet: Fleet) -> Iterator[Check]:
    """Check the benchmark's verdict on each drive. Every byte must stay: the lab compares the images after
    this guest."""
    for drive in fleet.drives:
        told = diskwright("bench", node_of(drive), "--scratch", "--confirm", drive.serial, "--json")
        verdict = json.loads(told.output)
        yield _outcome(drive, verdict)
        yield Check(
            f"{drive.name}: the benchmark takes at most 30 s",
            verdict["seconds"] <= 31,
            shown(verdict["seconds"]),
        )
        if verdict["outcome"] == Outcome.ALIGNED_FASTER:
            yield _sentence_has_ratio(drive, verdict)


def compare(fleet: Fleet) -> Iterator[Check]:
    """Compare the benchmark's ratio with that of fio, or of a plain loop of writes without fio, measured just
    afterwards: other costs of a write depend on the host's load.

    Overwrites the drive.
    """
    for drive in fleet.drives:
        if not drive.charges:
            continue
        path = node_of(drive)
        told = diskwright("bench", path, "--scratch", "--confirm", drive.serial, "--json")
        ratio = json.loads(told.output)["ratio"]
        by_hand, how = (by_fio(path), "fio") if find("fio") else (_by_loop(path), "a loop of writes")
        print(f"{how} {by_hand:.2f}, the benchmark {shown(ratio)}", file=sys.stderr)
        holds = ratio is not None and abs(ratio["estimate"] / by_hand - 1) <= TOLERANCE
        yield Check(
            f"{drive.name}: the ratio is within 10% of {how}",
            holds,
            f"{by_hand:.2f}; the benchmark: {shown(ratio)}",
        )


def _outcome(drive: EmulatedDrive, verdict: dict[str, object]) -> Check:
    if drive.logical_block_bytes == drive.physical_block_bytes:
        wanted = Outcome.NOT_POSSIBLE
    elif drive.charges:
        wanted = Outcome.ALIGNED_FASTER
    else:
        wanted = Outcome.NO_DIFFERENCE
    return Check(
        f"{drive.name}: the verdict is {wanted}",
        verdict["outcome"] == wanted,
        f"{verdict['sentence']} {shown(verdict['ratio'])}",
    )


def _sentence_has_ratio(drive: EmulatedDrive, verdict: dict[str, object]) -> Check:
    """Check that the displayed number is the measured one."""
    ratio, sentence = verdict["ratio"], str(verdict["sentence"])
    assert isinstance(ratio, dict)
    numbers = [float(number) for number in re.findall(r"\d+\.\d+", sentence)]
    holds = any(abs(number - ratio["estimate"]) < 0.06 for number in numbers)
    return Check(f"{drive.name}: the ratio is displayed", holds, f"{sentence} ({ratio['estimate']:.3f})")


def by_fio(path: str) -> float:
    """Return the ratio of misaligned to aligned time of the median write, as the median of several rounds. On
    a stalled machine, a few very slow writes would distort the mean or writes per second.

    After each close, udev would read the drive at the same speed during the next fio. udev ignores locked
    drives.
    """
    with Path(path).open("rb") as drive_file:
        flock(drive_file, LOCK_EX)
        return median(
            _fio_middle_write(path, SHIFT_BYTES) / _fio_middle_write(path, 0) for _ in range(HAND_ROUNDS)
        )


def _fio_middle_write(path: str, shift_bytes: int) -> float:
    """Return nanoseconds. The writes are synchronous, as in the benchmark."""
    region = f"--offset={HAND_REGION_BYTES + shift_bytes}", f"--size={HAND_REGION_BYTES - BLOCK_BYTES}"
    said = tool(
        *(
            "fio",
            "--name=hand",
            f"--filename={path}",
            "--rw=randwrite",
            f"--bs={BLOCK_BYTES}",
            "--direct=1",
            "--sync=dsync",
            "--ioengine=psync",
        ),
        *("--time_based", f"--runtime={HAND_SECONDS}", "--output-format=json", *region),
    )
    return float(json.loads(said)["jobs"][0]["write"]["clat_ns"]["percentile"]["50.000000"])


def _by_loop(path: str) -> float:
    """Return the ratio of misaligned to aligned time per write. Unlike the benchmark: no pairs, no
    interval, one series after the other."""
    places = random.Random(1)
    starts = [HAND_REGION_BYTES + places.randrange(HAND_REGION_BYTES // 8192) * 8192 for _ in range(200)]
    times = []
    drive_file = os.open(Path(path), os.O_WRONLY | os.O_DIRECT)
    try:
        with mmap.mmap(-1, BLOCK_BYTES) as buffer:
            for shift in (0, SHIFT_BYTES):
                begun = perf_counter()
                for start in starts:
                    os.pwrite(drive_file, buffer, start + shift)
                times.append(perf_counter() - begun)
    finally:
        os.close(drive_file)
    return times[1] / times[0]


JOBS = {"measure": measure, "compare": compare}
