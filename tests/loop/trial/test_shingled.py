"""`bench --scratch --shingled` on real block devices: its writes and report, and no changed byte."""

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.program import MIB, Refused, probe_drive
from tests.loop.trial.scratching import (
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
from wizard.benchmark.smr_cliff import PIECE_BYTES, run_shingled_trial
from wizard.model.verdict import CliffOutcome, CliffVerdict, WritePhase

SIZE_BYTES = 192 * MIB
MOST_BYTES = 96 * MIB
PARTITIONS = ((34 * 512, 20480 * 512), (327719 * 512, 348199 * 512))


@pytest.fixture
def full(make_drive: MakeDrive, own: Callable[[str], None], image_of: Callable[[str], Path]) -> Known:
    """Two partitions with free space between them."""
    return known_drive(make_drive, own, image_of, SIZE_BYTES, *PARTITIONS)


def probed(path: str) -> CliffVerdict:
    return run_shingled_trial(
        probe_drive(path), seconds=60, most_bytes=MOST_BYTES, on_progress=lambda _: None, stop=lambda: False
    )


def test_every_write_repeats_bytes_just_read_in_free_space(
    full: Known, monkeypatch: pytest.MonkeyPatch, own: Callable[[str], None]
) -> None:
    path, image, before = full
    content = image.read_bytes()
    written = watch_writes(monkeypatch, own, path)
    verdict = probed(path)
    assert digest(image) == before
    only_what_was_read(written, content, PARTITIONS)
    assert sum(len(data) for _, data in written) <= MOST_BYTES
    assert sum(len(data) == PIECE_BYTES for _, data in written) * PIECE_BYTES == verdict.random_bytes
    assert {WritePhase.SEQUENTIAL_BEFORE, WritePhase.RANDOM} <= {window.phase for window in verdict.windows}


def test_loop_device_is_never_reported_as_shingled(make_drive: MakeDrive) -> None:
    verdict = probed(make_drive(SIZE_BYTES, 4096))
    assert verdict.outcome is not CliffOutcome.FOUND, verdict.sentence
    assert any("loop device" in caveat for caveat in verdict.caveats)
    assert any("zeros" in caveat for caveat in verdict.caveats)


def test_command_shows_limits_and_preserves_the_drive(full: Known, tmp_path: Path) -> None:
    path, image, before = full
    kept = tmp_path / "cliff.json"
    words = (
        path,
        "--scratch",
        "--shingled",
        "--confirm",
        path.removeprefix("/dev/"),
        "--seconds",
        "30",
        "--most-bytes",
        "64M",
    )
    done = bench(*words, "-o", str(kept))
    assert done.returncode == 0, done.stderr
    assert "at most 64 MiB, for at most about 30 s" in " ".join(done.stderr.split())
    verdict = read_verdict(kept.read_text(), "kept", CliffVerdict)
    assert " ".join(done.stdout.split()).startswith(verdict.sentence)
    assert "Random writes, from:\n  0 B " in done.stdout
    assert sum(window.written_bytes for window in verdict.windows) <= 64 * MIB
    assert digest(image) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted_probe_changes_no_data(full: Known, number: signal.Signals) -> None:
    path, image, before = full
    words = [path, "--scratch", "--shingled", "--confirm", path.removeprefix("/dev/"), "--seconds", "30"]
    out = ended_in_the_middle(words, number)
    assert digest(image) == before
    assert not out or path in out


def test_unsafe_or_pointless_probe_is_refused(make_drive: MakeDrive, full: Known) -> None:
    path, image, before = full
    token = path.removeprefix("/dev/")
    refused([path, "--scratch", "--shingled", "--confirm", "another"], "does not confirm")
    held = os.open(path, os.O_RDONLY | os.O_EXCL)
    try:
        refused([path, "--scratch", "--shingled", "--confirm", token], "in use")
    finally:
        os.close(held)
    small = make_drive(48 * MIB)
    refused(
        [small, "--scratch", "--shingled", "--confirm", small.removeprefix("/dev/")],
        "of contiguous free space",
    )
    for words, expected in (
        ((path, "--shingled"), "--shingled requires --scratch"),
        ((path, "--scratch", "--shingled", "--confirm", token, "--most-bytes", "1M"), "--most-bytes"),
        ((path, "--scratch", "--shingled", "--confirm", token, "--seconds", "1"), "--seconds"),
    ):
        done = bench(*words)
        assert done.returncode == 2 and expected in done.stderr
    assert digest(image) == before


@pytest.mark.parametrize("trial", ["shingled", "alignment"])
def test_probe_ends_at_a_foreign_write_and_preserves_it(
    trial: str, full: Known, monkeypatch: pytest.MonkeyPatch, own: Callable[[str], None]
) -> None:
    """Write to the whole drive between two writes of the trial, despite the lock."""
    path, image, _ = full
    content = bytearray(image.read_bytes())
    real, calls, after = os.pwritev, 0, 0

    def pwritev(descriptor: int, buffers: Sequence[bytearray], start: int) -> int:
        nonlocal calls, after
        done = real(descriptor, buffers, start)
        calls += 1
        after += calls > 40
        if calls == 40:
            own(path)
            tool(
                "dd",
                "if=/dev/zero",
                f"of={path}",
                "bs=1M",
                "seek=20",
                "count=100",
                "oflag=direct",
                "conv=notrunc",
            )
            content[20 * MIB : 120 * MIB] = bytes(100 * MIB)
        return done

    monkeypatch.setattr(os, "pwritev", pwritev)
    with pytest.raises(Refused, match=r"Another program is writing to .*\. The trial stopped writing"):
        if trial == "shingled":
            probed(path)
        else:
            run_alignment_trial(
                probe_drive(path),
                write=True,
                seconds=20,
                on_progress=lambda _: None,
                stop=lambda: False,
                assume_physical_bytes=4096,
            )
    assert calls == 40 and after == 0
    assert image.read_bytes() == content
