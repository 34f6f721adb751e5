"""The quick test on a file instead of a drive, and refused drives."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from tests.unit.machines import E512, drive, gpt, partition, partitioned
from tests.unit.machines import SIZE_BYTES as MACHINE_BYTES
from tests.verdicts import read_verdict
from wizard.benchmark import smr_probe as running
from wizard.benchmark.access import Clock, MeasureProgress, TimedDrive
from wizard.benchmark.results import render_verdict
from wizard.benchmark.scratch import Watch
from wizard.benchmark.smr_probe import (
    media_cache_sentence,
    probe_extents,
    quick_test_obstacle,
    run_smr_probe,
)
from wizard.findings.geometry import Pattern, load_patterns
from wizard.model.drive_facts import Ata
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Drive, Extent, Use
from wizard.model.said import MIB
from wizard.model.verdict import Basis, Displaced, DisplacedVerdict

TURNS = Ata(rotation_rate=7200)


class Calm(Watch):
    """A watch without any other writer."""

    def __init__(self) -> None:
        super().__init__("/dev/nothing")

    def trouble(self) -> None:
        return None


# Where it is not possible


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        (drive(path="/dev/loop7", bus="loop"), "SATA, SAS and USB"),
        (drive(path="/dev/vda", bus="virtio"), "SATA, SAS and USB"),
        (drive(bus="nvme", rotational=False), "SATA, SAS and USB"),
        (drive(bus="scsi", vendor="AVAGO"), "SATA, SAS and USB"),
        (drive(bus=None, vendor=None), "SATA, SAS and USB"),
        (drive(model="QEMU HARDDISK"), "emulated"),
        (drive(rotational=False), "SATA, SAS and USB"),
        (drive(rotational=None), "does not report rotation"),
        (drive(bus="usb", rotational=None), "does not report rotation"),
        (drive(geometry=replace(E512, physical_block_bytes=1 << 20)), "implausible physical blocks"),
        (drive(size_bytes=512 * MIB), "The quick test needs"),
        (drive(read_only=True), "read-only"),
        (drive(zoned="host-managed"), "host-managed"),
        (drive(uses=(Use("mounted", "/dev/sda", "/srv"),)), "in use"),
        (partitioned(partition(1, MIB, MACHINE_BYTES - 3 * MIB), free=()), "contiguous free space"),
    ],
)
def test_refused_test_gives_the_reason_and_writes_no_byte(subject: Drive, said: str) -> None:
    with pytest.raises(Refused) as refused:
        probe_extents(subject)
    assert said in str(refused.value) and "Nothing was written" in str(refused.value)
    assert str(refused.value).startswith(quick_test_obstacle(subject, ()) or "-")
    with pytest.raises(Refused):
        run_smr_probe(subject, on_progress=lambda _: None, stop=lambda: False, patterns=())


@pytest.mark.parametrize(
    "subject",
    [
        drive(),
        drive(bus="ata"),
        drive(bus="sas", vendor="SEAGATE"),
        drive(bus="scsi", vendor="ATA"),
        drive(bus="usb", ata=TURNS),
        partitioned(partition(1, MIB, 100 * MIB), table=gpt(), free=(Extent(200 * MIB, 2048 * MIB),)),
    ],
)
def test_run_is_possible_on_whole_hard_disks_with_free_space(subject: Drive) -> None:
    assert probe_extents(subject) and quick_test_obstacle(subject, ()) == ""


LISTED = (
    "HGST HUS726040ALE614",
    "HGST HUH728080ALE600",
    "WDC  WUH721414ALE6L4",
    "HGST HUS728T8TALE6L4",
    "WDC WD4003FRYZ-01F0DB0",
    "WDC WD121KRYZ-01W0RB0",
    "ST8000NM0055-1RM112",
    "ST16000NM001G-2KK103",
)
NOT_LISTED = (
    "ST8000AS0002-1NA17Z",
    "ST4000VN008-2DR166",
    "WDC WD40EFRX-68N32N0",
    "WDC WD40EFAX-68JH4N0",
    "TOSHIBA MG08ACA16TE",
    "HGST HDN724040ALE640",
)


@pytest.mark.parametrize("model", [*LISTED, *NOT_LISTED])
def test_models_with_a_media_cache_are_recognised(model: str) -> None:
    assert bool(media_cache_sentence(drive(model=model), load_patterns())) is (model in LISTED)


def test_listed_model_is_inconclusive_without_any_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wizard.benchmark.access.claimed", lambda *_, **__: pytest.fail("claimed"))
    subject = drive(model="HGST HUS726040ALE614")
    verdict = run_smr_probe(subject, on_progress=lambda _: None, stop=lambda: False)
    assert (verdict.outcome, verdict.basis) == (Displaced.CANNOT_TELL, Basis.MEDIA_CACHE)
    assert "7K6000" in verdict.sentence and "Nothing was written" in verdict.sentence
    assert quick_test_obstacle(subject, load_patterns()) == verdict.sentence
    assert not verdict.written_bytes and all(item.source for item in _media_caches())


def _media_caches() -> list[Pattern]:
    found = [one for one in load_patterns() if one.kind.value == "media-cache"]
    assert found
    return found


# On a file

SIZE_BYTES = 1200 * MIB
FREE = Extent(100 * MIB, 1050 * MIB)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """Sparse image with data at every place the test reads."""
    made = tmp_path / "image"
    with made.open("wb") as file:
        file.truncate(SIZE_BYTES)
        for place in range(0, SIZE_BYTES, 64 * 1024):
            file.seek(place)
            file.write(place.to_bytes(8, "big"))
    return made


def tried(
    image: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    stop: Callable[[], bool] = lambda: False,
    flags: int = 0,
) -> tuple[DisplacedVerdict, list[MeasureProgress]]:
    subject = drive(size_bytes=SIZE_BYTES, free=(FREE,))

    @contextmanager
    def claimed(_drive: Drive, piece_bytes: int, *, synchronous: bool) -> Iterator[TimedDrive]:
        assert synchronous
        descriptor = os.open(image, os.O_RDWR | flags)
        try:
            yield TimedDrive(subject.path, descriptor, piece_bytes, (FREE,), Calm())
        finally:
            os.close(descriptor)

    monkeypatch.setattr("wizard.benchmark.access.claimed", claimed)
    told: list[MeasureProgress] = []
    verdict = run_smr_probe(subject, on_progress=told.append, stop=stop, patterns=(), random=Random(7))
    return verdict, told


def test_writes_repeat_the_read_bytes_in_free_space(image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = image.read_bytes()
    seen: list[tuple[int, bytes]] = []
    real = os.pwritev

    def pwritev(descriptor: int, buffers: list[bytearray], start: int) -> int:
        seen.append((start, b"".join(bytes(memoryview(buffer)) for buffer in buffers)))
        return real(descriptor, buffers, start)

    monkeypatch.setattr(os, "pwritev", pwritev)
    # A file's reads are quick as no platter's: the answer is not the point here.
    monkeypatch.setattr("wizard.benchmark.smr_probe.QUICKEST_READ_NS", 0.0)
    verdict, told = tried(image, monkeypatch)
    assert len(seen) == running.WRITES == verdict.written_bytes // 4096
    assert all(data == before[start : start + 4096] for start, data in seen)
    assert all(
        FREE.start_bytes <= start and start + 4096 <= FREE.end_bytes and start % 4096 == 0
        for start, _ in seen
    )
    assert image.read_bytes() == before
    assert verdict.outcome is Displaced.CANNOT_TELL and ": inconclusive; " in verdict.sentence
    assert [one.share for one in told] == sorted(one.share for one in told)
    assert len({one.said[0] for one in told}) == 4
    assert read_verdict(render_verdict(verdict), "it", DisplacedVerdict) == verdict
    assert any("unconfirmed on real drives" in caveat for caveat in verdict.caveats)


def test_direct_writes_come_from_whole_pages(image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.benchmark.smr_probe.QUICKEST_READ_NS", 0.0)
    try:
        os.close(os.open(image, os.O_RDWR | os.O_DIRECT))
    except OSError:
        pytest.skip("no direct access in this folder")
    assert tried(image, monkeypatch, flags=os.O_DIRECT)[0].written_bytes == running.WRITES * 4096


def test_stopped_test_reports_the_stop(image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        return calls > 100

    verdict, _ = tried(image, monkeypatch, stop=stop)
    assert (verdict.outcome, verdict.basis) == (Displaced.CANNOT_TELL, Basis.ENDED)
    assert not verdict.written_bytes and "you stopped the test" in verdict.sentence


def timed(image: Path) -> TimedDrive:
    return TimedDrive(str(image), os.open(image, os.O_RDWR), 4096, (FREE,), Calm())


def test_read_back_mismatch_is_reported(image: Path) -> None:
    place = FREE.start_bytes
    subject = timed(image)
    subject.keep(place)
    subject.write(place)
    subject.read(place)
    with image.open("r+b") as file:
        file.seek(place)
        file.write(b"other")
    with pytest.raises(Failed, match="does not read back as written"):
        subject.read(place)
    with pytest.raises(KeyError):
        subject.write(place + 4096)


def test_writes_stay_in_free_space_and_time_limits_a_long_read(image: Path) -> None:
    subject = timed(image)
    subject.keep(MIB)
    with pytest.raises(Refused, match="outside"):
        subject.write(MIB)
    assert subject.stream(0, 8 * MIB, lambda: False) and subject.read_bytes == 8 * MIB + 4096
    assert not subject.stream(0, 8 * MIB, Clock(0, lambda: False).is_over)
