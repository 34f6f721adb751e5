"""The notice on a drive with a waiting run: read as written, and other bytes are ignored."""

import zlib
from collections.abc import Callable
from hashlib import sha256

import pytest
from msgspec.structs import replace

from tests.unit.machines import machine
from tests.unit.probe import rawfacts
from wizard.documents.profiles import HEAD, MAGIC, read_notice, sealed_notice
from wizard.findings.diagnose import diagnose
from wizard.model.finding import HiddenBlock, Notice, notice_places
from wizard.model.machine import Extent
from wizard.model.said import GIB, MIB, TIB
from wizard.probe.content.notices import is_bare, notices
from wizard.probe.facts import RawNotice
from wizard.probe.interpret import machine_of

PLACE = 16 * MIB
NOTICE = Notice(
    run="0008-sdb",
    begun="2026-01-01T00:00:00+00:00",
    told="ext4 of 250 MB",
    plan="{}",
    number=0,
    drive_bytes=256 * MIB,
    start_bytes=PLACE,
    room_bytes=4096,
    places=(Extent(0, 4096), Extent(MIB, 8192)),
    digest="0" * 64,
    withheld=(
        HiddenBlock(0, 512, stays=False, data="AA=="),
        HiddenBlock(MIB, 4096, stays=False, data="AA=="),
    ),
    bare_digest=sha256(bytes(512 + 4096)).hexdigest(),
)


def drive_with(notice: bytes, at: int = PLACE) -> Callable[[int, int], bytes]:
    """Return a reader of a drive with these bytes only."""

    def read(start: int, length: int) -> bytes:
        image = bytes(max(0, at - start)) + notice[max(0, start - at) :]
        return image[:length].ljust(length, b"\0")

    return read


def found(data: bytes, at: int = PLACE) -> list[Notice]:
    return [notice for notice, _ in notices(drive_with(data, at), 256 * MIB)]


def test_notice_is_found_only_at_its_own_position() -> None:
    assert found(sealed_notice(NOTICE)) == [NOTICE]
    assert found(sealed_notice(NOTICE), 32 * MIB) == []
    assert found(sealed_notice(replace(NOTICE, drive_bytes=512 * MIB))) == []
    assert found(sealed_notice(replace(NOTICE, places=(Extent(0, 512 * MIB),)))) == []
    assert (
        found(sealed_notice(replace(NOTICE, withheld=(HiddenBlock(-512, 512, stays=False, data=""),)))) == []
    )


def test_partition_at_the_position_prevents_the_search() -> None:
    read = drive_with(sealed_notice(NOTICE))
    assert list(notices(read, 256 * MIB, (Extent(15 * MIB, 2 * MIB),))) == []


@pytest.mark.parametrize("at", [0, 16, 20, HEAD.size, -1])
def test_one_changed_byte_invalidates_it(at: int) -> None:
    data = bytearray(sealed_notice(NOTICE))
    data[at] ^= 1
    assert read_notice(bytes(data)) is None


def test_half_a_notice_is_invalid_and_following_bytes_do_not_matter() -> None:
    data = sealed_notice(NOTICE)
    assert read_notice(data[: len(data) // 2]) is None
    assert read_notice(data[:10]) is None
    assert read_notice(data + bytes(range(256))) == NOTICE


@pytest.mark.parametrize("body", [b"no zlib", zlib.compress(bytes(256 * MIB)), zlib.compress(b"[1, 2]")])
def test_sealed_nonsense_is_invalid(body: bytes) -> None:
    assert read_notice(HEAD.pack(MAGIC, len(body), sha256(body).digest()) + body) is None


def test_notice_waits_only_while_all_withheld_blocks_are_absent() -> None:
    assert is_bare(NOTICE, drive_with(b""))
    assert not is_bare(NOTICE, drive_with(b"\xeb", MIB + 100))


@pytest.mark.parametrize("size", [MIB, 16 * MIB, 96 * MIB, 8 * GIB, 18 * TIB + 512])
def test_positions_are_few_and_on_the_drive(size: int) -> None:
    places = list(notice_places(size))
    assert len(places) == len(set(places)) <= 60
    assert all(0 < start < size and start % MIB == 0 for start in places)


@pytest.mark.parametrize(
    ("named", "typed"),
    [
        ("0008-sdb", "0008-sdb"),
        ("/media/stick/runs/0008-sdb", "/media/stick/runs/0008-sdb"),
        ("'/media/my stick/runs/0008-sdb'", "'/media/my stick/runs/0008-sdb'"),
        # Whoever wrote to the drive may have chosen it.
        ("0008; rm -rf ~", "'0008; rm -rf ~'"),
        ("'0008-sdb' `id`", "''\"'\"'0008-sdb'\"'\"' `id`'"),
        ("it's", "'it'\"'\"'s'"),
        ("", "''"),
        ("$(reboot)\x1b[2J", "'$(reboot)?[2J'"),
    ],
)
def test_run_name_is_quoted_as_one_word(named: str, typed: str) -> None:
    notice = RawNotice(PLACE, sealed_notice(replace(NOTICE, run=named)), bare=True)
    (drive,) = machine_of(rawfacts.machine(rawfacts.drive(notice=notice))).drives
    assert drive.waiting is not None and drive.waiting.run == typed
    findings = diagnose(machine(drive), drive, ()).findings
    (advice,) = (one.advice for one in findings if one.code == "drive-waiting")
    assert f"`sudo diskwright keep {typed}`" in str(advice)
