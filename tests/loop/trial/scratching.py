"""Helpers for tests of writing trials: a drive with known content, recorded writes, and the command."""

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from time import sleep

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.program import MIB

ROOM = Path(__file__).parents[3]
Known = tuple[str, Path, str]
"""A drive's node, the file behind it, and that file's digest."""
Extent = tuple[int, int]
"""First byte and the one after the last."""


def digest(image: Path) -> str:
    """Return the digest of a whole file."""
    with image.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def known_drive(
    make_drive: MakeDrive,
    own: Callable[[str], None],
    image_of: Callable[[str], Path],
    size_bytes: int,
    *partitions: Extent,
) -> Known:
    """Create a drive with known content and a GPT with these partitions, possibly misaligned."""
    path = make_drive(size_bytes)
    own(path)
    image = image_of(path)
    image.write_bytes(Random(5).randbytes(size_bytes))
    lines = [
        "label: gpt",
        "unit: sectors",
        "first-lba: 34",
        *(f"start={start // 512}, size={(end - start) // 512}" for start, end in partitions),
    ]
    subprocess.run(
        ["sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", "--wipe", "never", str(image)],
        input="\n".join([*lines, ""]),
        text=True,
        check=True,
        timeout=20,
    )
    tool("blockdev", "--flushbufs", path)
    return path, image, digest(image)


def watch_writes(
    monkeypatch: pytest.MonkeyPatch, own: Callable[[str], None], path: str
) -> list[tuple[int, bytes]]:
    """Record the offsets and data of all writes, which must go to this drive."""
    written: list[tuple[int, bytes]] = []
    real = os.pwritev

    def pwritev(descriptor: int, buffers: Sequence[bytearray], start: int) -> int:
        own(path)
        written.append((start, b"".join(bytes(memoryview(buffer)) for buffer in buffers)))
        return real(descriptor, buffers, start)

    monkeypatch.setattr(os, "pwritev", pwritev)
    return written


def only_what_was_read(
    written: Sequence[tuple[int, bytes]], content: bytes, partitions: Sequence[Extent]
) -> None:
    """Check that every write repeats the existing bytes, at least 1 MiB from the drive's ends and all
    partitions."""
    for start, data in written:
        end = start + len(data)
        assert data == content[start:end]
        assert start >= MIB and end <= len(content) - MIB
        assert all(end <= first - MIB or behind + MIB <= start for first, behind in partitions)


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `diskwright bench`."""
    return subprocess.run(
        [sys.executable, "-m", "wizard", "bench", *words],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
        cwd=ROOM,
    )


def refused(words: Sequence[str], *expected: str) -> None:
    """Check that the command is refused with these words and reports that it wrote nothing."""
    done = bench(*words)
    assert done.returncode == 3, (done.returncode, done.stdout, done.stderr)
    assert not done.stdout
    for word in ("Nothing was written", *expected):
        assert word in done.stderr


def ended_in_the_middle(words: Sequence[str], number: signal.Signals) -> str:
    """Interrupt `diskwright bench` by a signal during writes, check its exit, and return its output."""
    argv = [sys.executable, "-m", "wizard", "bench", *words]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOM
    ) as process:
        assert process.stderr is not None
        assert "Rewriting" in process.stderr.readline()
        sleep(0.05)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert "Traceback" not in out + err
    assert number is signal.SIGKILL or process.returncode in (0, 130)
    return out if process.returncode == 130 else ""
