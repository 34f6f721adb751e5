"""Facts from a drive's own bytes: ATA IDENTIFY words in VPD page 89h, and NVMe Identify data."""

import errno
import json
from collections.abc import Sequence

import pytest

from tests.unit.probe import rawfacts
from wizard.documents.codec import from_json, to_json
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.findings.smr_evidence import NOT_ASKED
from wizard.model.drive_facts import Ata, NvmeFormat
from wizard.model.finding import Recorded
from wizard.model.machine import Drive, Obstacle
from wizard.model.said import t
from wizard.probe import facts
from wizard.probe.drive import ioctls
from wizard.probe.facts import RawDrive, RawError
from wizard.probe.interpret import drive_of, machine_of

MODEL = "ST8000AS0002-1NA17Z"


def words(*changes: tuple[int, int], model: str = MODEL, signed: bool = False) -> bytes:
    """Return IDENTIFY data of a plain 512e hard disk with some words changed, with a checksum if `signed`."""
    data = bytearray(512)
    text = model.encode().ljust(40)
    for index in range(40):
        data[54 + (index ^ 1)] = text[index]
    for number, value in ((0, 0x0040), (83, 0x7400), (106, 0x6003), (217, 5980), *changes):
        data[2 * number : 2 * number + 2] = value.to_bytes(2, "little")
    if signed:
        data[510] = 0xA5
        data[511] = -sum(data[:511]) % 256
    return bytes(data)


def page(data: bytes, command: int = 0xEC) -> bytes:
    """Return VPD page 89h with IDENTIFY data (SAT-4)."""
    head = bytearray(60)
    head[1:4] = b"\x89\x02\x38"
    head[8:36] = b"linux   libata          3.00"
    head[56] = command
    return bytes(head) + data


def seen(text: bytes | None, **changes: object) -> Drive:
    raw = rawfacts.drive(vpd={"89": text} if text is not None else {}, **changes)
    return drive_of(raw, rawfacts.machine(raw))


def ata(*changes: tuple[int, int], signed: bool = False) -> Ata:
    found = seen(page(words(*changes, signed=signed))).ata
    assert found is not None
    return found


def test_plain_disk() -> None:
    assert ata() == Ata(
        model=MODEL,
        zoned=None,
        trims=False,
        rotation_rate=5980,
        physical_block_bytes=4096,
        alignment_offset_bytes=None,
    )
    assert ata(signed=True) == ata()


@pytest.mark.parametrize(
    ("number", "field", "values"),
    [
        (128, "security", {0x0029: 9, 0x0007: 7, 0: None, 0xFFFF: None}),
        (
            69,
            "zoned",
            {0x4002: 2, 0x4001: 1, 0x0002: 2, 0x4000: 0, 0x4003: None, 0x0000: None, 0xFFFF: None},
        ),
        (169, "trims", {0: False, 1: True, 0xFFFE: False, 0xFFFF: None}),
        (
            217,
            "rotation_rate",
            {0: None, 1: 1, 2: None, 0x0400: None, 0x0401: 1025, 7200: 7200, 0xFFFF: None},
        ),
    ],
)
def test_field_of_one_word(number: int, field: str, values: dict[int, int | None]) -> None:
    assert {word: getattr(ata((number, word)), field) for word in values} == values


@pytest.mark.parametrize(
    ("changes", "physical", "offset"),
    [
        (((209, 0x4000),), 4096, 0),
        (((209, 0x4001),), 4096, 3584),
        (((209, 0x4007),), 4096, 512),
        (((209, 0x4008),), 4096, None),
        (((209, 0x0001),), 4096, None),
        (((209, 0xC001),), 4096, None),
        (((209, 0xFFFF),), 4096, None),
        (((106, 0x4000), (209, 0x4000)), 512, 0),
        (((106, 0x4000), (209, 0x4001)), 512, None),
        (((106, 0x0000), (209, 0x4000)), None, 0),
        (((106, 0xFFFF),), None, None),
        (((106, 0x5000), (117, 2048)), 4096, None),
        (((106, 0x7001), (117, 2048), (209, 0x4001)), 8192, 4096),
    ],
)
def test_words_106_and_209(
    changes: Sequence[tuple[int, int]], physical: int | None, offset: int | None
) -> None:
    found = ata(*changes)
    assert (found.physical_block_bytes, found.alignment_offset_bytes) == (physical, offset)


@pytest.mark.parametrize(
    ("pages", "source"),
    [
        (
            {"b1": b"\0\xb1\0\x3c" + b"\x15\x18\0\0\x20" + bytes(55)},
            "SCSI VPD page B1h, byte 8, bits 5:4",
        ),
        ({"89": page(words((69, 0x4002), model="LAB Unheard Of"))}, "IDENTIFY word 69, bits 1:0"),
    ],
    ids=["page B1h alone", "page 89h alone"],
)
def test_either_page_alone_reports_a_shingled_drive(pages: dict[str, bytes], source: str) -> None:
    """Without smartctl, and for an unlisted model."""
    raw = rawfacts.drive(vpd=pages, sysfs=rawfacts.SYSFS | {"device/model": "LAB Unheard Of"})
    machine = machine_of(rawfacts.machine(raw))
    found = diagnose(machine, machine.drives[0], load_patterns()).recording
    assert (found.verdict, found.management, found.confidence) == (Recorded.YES, "drive", "high")
    assert [str(clue.source) for clue in found.evidence if clue.confidence == "high"] == [source]
    assert len([clue for clue in found.evidence if clue.says.english == NOT_ASKED.english]) == 1


def test_wrong_checksum_is_reported_and_the_data_ignored() -> None:
    damaged = bytearray(words((69, 0x4000), signed=True))
    damaged[138] ^= 2
    drive = seen(page(bytes(damaged)))
    assert drive.ata is None
    assert [(one.what, one.why) for one in drive.unread] == [
        ("ata", t("The drive's IDENTIFY data is invalid."))
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, False),
        (b"\0", False),
        (page(b"short"), False),
        (page(words(), command=0xA1), False),
        (page(bytes(512)), True),
        (page(words((0, 0x8040))), True),
    ],
    ids=["no page", "damaged", "short", "optical", "zeroes", "no disk"],
)
def test_other_pages_are_ignored(text: bytes | None, told: bool) -> None:
    drive = seen(text)
    assert drive.ata is None
    assert [one.what for one in drive.unread] == ["ata"] * told


def test_whole_model_is_known_without_root_and_tools() -> None:
    """SCSI's field has only 16 characters."""
    sysfs = rawfacts.SYSFS | {"device/model": "TOSHIBA MQ04UBB4"}
    assert seen(None, sysfs=sysfs).model == "TOSHIBA MQ04UBB4"
    assert seen(page(words(model="TOSHIBA MQ04UBB400")), sysfs=sysfs).model == "TOSHIBA MQ04UBB400"


def test_bridge_keeps_its_own_name_next_to_the_drive_model() -> None:
    drive = seen(
        page(words(model="WDC WD40NDZW-11MR8S1")), sysfs=rawfacts.SYSFS | {"device/model": "My Passport 25E2"}
    )
    assert drive.model == "My Passport 25E2"
    assert drive.ata is not None
    assert drive.ata.model == "WDC WD40NDZW-11MR8S1"


def test_garbage_model_is_none() -> None:
    found = seen(page(words(model="\x01\x02"))).ata
    assert found is not None
    assert found.model is None


def test_model_reported_by_smartctl() -> None:
    raw = rawfacts.drive(
        smart=json.dumps({"model_name": "WDC WD40NDZW-11MR8S1  ", "smart_status": {"passed": True}})
    )
    assert drive_of(raw, rawfacts.machine(raw)).smart.model_name == "WDC WD40NDZW-11MR8S1"


def identified(*formats: tuple[int, int, int], used: int = 0, count: int | None = None) -> bytes:
    """Return Identify Namespace data: formats by metadata bytes, exponent of the data bytes, and relative
    performance."""
    data = bytearray(384)
    data[25] = (len(formats) if count is None else count) - 1
    data[26] = used
    for number, (metadata, exponent, performance) in enumerate(formats):
        data[128 + 4 * number : 132 + 4 * number] = metadata.to_bytes(2, "little") + bytes(
            [exponent, performance]
        )
    return bytes(data)


def controller(commands: int, attributes: int) -> bytes:
    data = bytearray(544)
    data[256:258] = commands.to_bytes(2, "little")
    data[524] = attributes
    return bytes(data)


def formats(text: bytes) -> tuple[NvmeFormat, ...]:
    return ioctls.formats_of(RawDrive("nvme0n1", "/dev/nvme0n1", nvme={"namespace": text}))


def test_formats_with_their_relative_performance() -> None:
    assert formats(identified((0, 9, 2), (8, 9, 2), (0, 12, 0), (64, 12, 3), used=2)) == (
        NvmeFormat(0, 512, 0, 2),
        NvmeFormat(1, 512, 8, 2),
        NvmeFormat(2, 4096, 0, 0, in_use=True),
        NvmeFormat(3, 4096, 64, 3),
    )


def test_unavailable_entries_are_skipped_and_numbers_kept() -> None:
    assert formats(identified((0, 9, 0), (0, 0, 0), (0, 12, 0), (0, 63, 0))) == (
        NvmeFormat(0, 512, 0, 0, in_use=True),
        NvmeFormat(2, 4096, 0, 0),
    )


def test_format_number_has_six_bits_only_beyond_sixteen_formats() -> None:
    few = formats(identified((0, 9, 0), (0, 12, 0), used=0b0110_0001))
    assert [one.number for one in few if one.in_use] == [1]
    many = formats(identified(*[(0, 9, 0)] * 20, used=0b0010_0011))
    assert [one.number for one in many if one.in_use] == [19]


@pytest.mark.parametrize("text", [b"", b"\0", bytes(100), identified((0, 9, 0), count=256)])
def test_malformed_answer_gives_no_formats_or_only_real_ones(text: bytes) -> None:
    assert len(formats(text)) <= 1


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        (controller(0, 1), "none"),
        (controller(2, 0), "namespace"),
        (controller(2, 1), "all"),
        (b"", None),
        (bytes(3), None),
    ],
)
def test_scope_of_a_format(text: bytes, scope: str | None) -> None:
    raw = rawfacts.drive(nvme={"controller": text})
    assert drive_of(raw, rawfacts.machine(raw)).nvme_format_scope == scope


def test_missing_permission_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("os.open", refused)
    before = RawError("smart", "x")
    told = [before]
    monkeypatch.setattr("os.geteuid", lambda: 0)
    with facts.reported(told, "nvme_formats", "/dev/nvme0n1"):
        ioctls.identify("/dev/nvme0n1")
    assert told[0] is before
    assert told[1] == RawError(
        "nvme_formats",
        facts.REFUSED(device="/dev/nvme0n1", why="Permission denied"),
        Obstacle.DENIED,
    )


@pytest.mark.parametrize(
    ("answer", "why"),
    [(0x4002, "NVMe status 0x4002"), (OSError(errno.ENOTTY, "Inappropriate ioctl"), "Inappropriate")],
)
def test_refusing_drive_is_reported(monkeypatch: pytest.MonkeyPatch, answer: int | OSError, why: str) -> None:
    def ioctl(_: int, request: int, *__: object) -> int:
        if request == ioctls.NVME_IOCTL_ID:
            return 1
        if isinstance(answer, OSError):
            raise answer
        return answer

    monkeypatch.setattr("fcntl.ioctl", ioctl)
    errors: list[RawError] = []
    with facts.reported(errors, "nvme_formats", "/dev/null"):
        ioctls.identify("/dev/null")
    (told,) = errors
    assert why in str(told.why) and told.obstacle is Obstacle.FAILED


def test_old_raw_facts_still_load_and_new_ones_round_trip() -> None:
    old = to_json(rawfacts.drive())
    del old["nvme"]
    assert from_json(old, RawDrive, "old") == rawfacts.drive()
    new = rawfacts.drive(nvme={"namespace": identified((0, 9, 0))})
    assert from_json(to_json(new), RawDrive, "new") == new
