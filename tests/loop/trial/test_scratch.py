"""`bench` on real block devices: its report, and no changed byte in any case."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.program import KIB, MIB, probe_drive
from tests.loop.trial.scratching import (
    ROOM,
    Known,
    bench,
    digest,
    ended_in_the_middle,
    known_drive,
    only_what_was_read,
    refused,
    watch_writes,
)
from tests.verdicts import read_verdict
from wizard.benchmark.alignment import run_alignment_trial
from wizard.model.verdict import Outcome, Verdict

pytestmark = pytest.mark.alone
SIZE_BYTES = 64 * MIB
PARTITIONS = ((34 * 512, 20480 * 512), (65599 * 512, 86079 * 512))


@pytest.fixture
def full(make_drive: MakeDrive, own: Callable[[str], None], image_of: Callable[[str], Path]) -> Known:
    """Two misaligned partitions and free space."""
    return known_drive(make_drive, own, image_of, SIZE_BYTES, *PARTITIONS)


def scratch(path: str, **kwargs: float) -> Verdict:
    return run_alignment_trial(
        probe_drive(path),
        write=True,
        seconds=kwargs.get("seconds", 2.0),
        on_progress=lambda _: None,
        stop=lambda: False,
        assume_physical_bytes=4096,
    )


def test_every_write_repeats_bytes_just_read_in_free_space(
    full: Known, monkeypatch: pytest.MonkeyPatch, own: Callable[[str], None]
) -> None:
    path, image, before = full
    content = image.read_bytes()
    written = watch_writes(monkeypatch, own, path)
    verdict = scratch(path)
    assert len(written) >= 2 * len(verdict.pairs) > 10
    assert any(start % 4096 == 512 for start, _ in written) and any(start % 4096 == 0 for start, _ in written)
    only_what_was_read(written, content, PARTITIONS)
    assert digest(image) == before


def test_loop_device_is_never_reported_as_faster_when_aligned(make_drive: MakeDrive) -> None:
    path = make_drive(SIZE_BYTES)
    reading = run_alignment_trial(
        probe_drive(path),
        write=False,
        seconds=5,
        on_progress=lambda _: None,
        stop=lambda: False,
        assume_physical_bytes=4096,
    )
    for verdict in (reading, scratch(path)):
        assert verdict.outcome in (Outcome.NO_DIFFERENCE, Outcome.INCONCLUSIVE), verdict.sentence
        assert any("loop device" in caveat for caveat in verdict.caveats)
    assert any("cannot rule out" in caveat for caveat in reading.caveats)


def test_bench_reports_that_misalignment_is_impossible(make_drive: MakeDrive) -> None:
    for logical, word in ((512, "--assume-physical 4096"), (4096, "smaller requests")):
        done = bench(make_drive(SIZE_BYTES, logical), "--json")
        assert done.returncode == 0, done.stderr
        verdict = read_verdict(done.stdout, "stdout", Verdict)
        assert verdict.outcome is Outcome.NOT_POSSIBLE and word in verdict.sentence


def test_bench_saves_the_verdict_and_preserves_the_drive(full: Known, tmp_path: Path) -> None:
    path, image, before = full
    kept = tmp_path / "verdict.json"
    token = path.removeprefix("/dev/")
    done = bench(
        path, "--scratch", "--confirm", token, "--assume-physical", "4096", "--seconds", "6", "-o", str(kept)
    )
    assert done.returncode == 0, done.stderr
    verdict = read_verdict(kept.read_text(), "kept", Verdict)
    assert " ".join(done.stdout.split()).startswith(verdict.sentence)
    assert re.search("misaligned +#", done.stdout)
    assert verdict.access == "write" and verdict.pairs
    assert digest(image) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted_bench_changes_no_data(full: Known, number: signal.Signals) -> None:
    path, image, before = full
    words = [
        path,
        "--scratch",
        "--confirm",
        path.removeprefix("/dev/"),
        "--assume-physical",
        "4096",
        "--seconds",
        "30",
    ]
    out = ended_in_the_middle(words, number)
    assert digest(image) == before
    assert not out or "writing:" in out


def test_unsafe_scratch_is_refused(
    make_drive: MakeDrive, own: Callable[[str], None], full: Known, tmp_path: Path
) -> None:
    path, image, before = full
    token = path.removeprefix("/dev/")
    scratching = ("--scratch", "--assume-physical", "4096", "--confirm")
    refused([path, *scratching, "another"], "does not confirm")
    tool("blockdev", "--setro", path)
    refused([path, *scratching, token], "read-only")
    tool("blockdev", "--setrw", path)
    held = os.open(path, os.O_RDONLY | os.O_EXCL)
    try:
        refused([path, *scratching, token], "in use")
    finally:
        os.close(held)
    argv = [
        sys.executable,
        "-c",
        "import sys; file = open(sys.argv[1], 'r+b', 0); print(flush=True); sys.stdin.read()",
        path,
    ]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        refused([path, *scratching, token], f"(process {other.pid}) has {path} open for writing.")
        other.communicate()
    upper = make_drive_over(path, own)
    try:
        refused([path, *scratching, token], "in use", upper)
    finally:
        tool("losetup", "--detach", upper)
    assert digest(image) == before

    mounted = make_drive(SIZE_BYTES)
    own(mounted)
    tool("mkfs.ext4", "-q", mounted)
    refused([mounted, *scratching, mounted.removeprefix("/dev/")], "ext4")
    point = tmp_path / "point"
    point.mkdir()
    tool("mount", mounted, str(point))
    refused([mounted, *scratching, mounted.removeprefix("/dev/")], "in use", str(point))

    unrecognised = make_drive(SIZE_BYTES)
    own(unrecognised)
    Path(unrecognised).write_bytes(os.urandom(SIZE_BYTES))
    refused([unrecognised, *scratching, unrecognised.removeprefix("/dev/")], "unrecognised data")


def make_drive_over(path: str, own: Callable[[str], None]) -> str:
    """Create a loop device over a test drive. The kernel lists no holder for it."""
    own(path)
    return tool(
        "losetup", "--find", "--show", "--offset", str(34 * 512), "--sizelimit", str(512 * KIB), path
    ).strip()


def test_reading_requires_root(make_drive: MakeDrive) -> None:
    path = make_drive(SIZE_BYTES)
    done = subprocess.run(
        [sys.executable, "-m", "wizard", "bench", path, "--assume-physical", "4096"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=ROOM,
        user=65534,
        group=65534,
        extra_groups=[],
        env={**os.environ, "HOME": "/nonexistent"},
    )
    assert done.returncode == 1, done.stderr
    assert "root" in done.stderr and "Traceback" not in done.stderr
