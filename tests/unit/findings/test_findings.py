"""Every finding: its condition, subject and severity, and its documented code."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import wizard.findings
from tests.readme import finding_codes
from tests.unit.findings.stacks import CHUNK, array, ext4, holding, luks, lvm, member
from tests.unit.machines import (
    E512,
    KN4,
    N512,
    SIZE_BYTES,
    drive,
    gpt,
    machine,
    mbr,
    partition,
    partitioned,
    unread,
)
from tests.unit.probe import rawfacts
from tests.unit.probe.gptimage import Image
from wizard.cli.inspect import drive_document
from wizard.documents.decode import decode
from wizard.filesystems import partition_types
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import Confidence, Pattern, RecordingKind
from wizard.model.drive_facts import Ata, Health, NvmeFormat, Smart
from wizard.model.finding import Finding, FindingCommand, Severity
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Extent, Layer, Obstacle, Signature, Table, Use
from wizard.model.run import Waiting
from wizard.model.said import GIB, KIB, MIB, TIB, Message
from wizard.probe.interpret import machine_of

LIST = (
    Pattern("SHINGLY[0-9]+", confidence=Confidence.HIGH),
    Pattern("RUMOUR1"),
    Pattern("PLAIN1", kind=RecordingKind.CONVENTIONAL),
    Pattern("LISTED1", kind=RecordingKind.LISTED_CONVENTIONAL, confidence=Confidence.HIGH),
)

DANGER, WARNING, INFO, OK = Severity


def of(subject: Drive, *, root: bool = True) -> list[Finding]:
    unread = tuple(replace(one, without_root=not root) for one in subject.unread)
    subject = replace(subject, unread=unread)
    return list(diagnose(machine(subject, root=root), subject, LIST).findings)


def severities(subject: Drive) -> dict[str, Severity]:
    return {finding.code: finding.severity for finding in of(subject)}


def with_signatures(*signatures: Signature) -> Drive:
    return partitioned(replace(partition(), signatures=signatures))


XFS = Signature("xfs", "filesystem", uuid="11")
EXTENDED = partition(1, MIB, 10 * GIB, type="0x05", kernel_size_bytes=1 * KIB)
LOGICAL = partition(5, 2 * MIB, GIB, type="0x83")

SCENARIOS: tuple[tuple[str, Severity, Drive], ...] = (
    ("alignment-physical", DANGER, partitioned(partition(1, 34 * 512))),
    (
        "alignment-physical",
        INFO,
        partitioned(partition(1, 34 * 512, 1024 * KIB, type="21686148-6449-6e6f-744e-656564454649")),
    ),
    (
        "alignment-physical",
        DANGER,
        partitioned(partition(1, MIB), geometry=Geometry(512, 4096, 3584, 4096, 0)),
    ),
    ("alignment-4096", WARNING, partitioned(partition(1, 63 * 512), geometry=N512)),
    ("alignment-grain", INFO, partitioned(partition(1, 40 * 512))),
    ("alignment-ok", OK, partitioned(partition())),
    ("alignment-end", INFO, partitioned(partition(1, MIB, GIB - 512))),
    ("geometry-large-blocks", INFO, drive(geometry=Geometry(4096, 16 * KIB, 0, 16 * KIB, 0))),
    ("drive-no-size", WARNING, drive(size_bytes=0, table=None)),
    ("identity-same-drive", WARNING, drive(same_serial=("/dev/sdb",), same_wwn=("/dev/sdb",))),
    ("identity-same-serial", INFO, drive(same_serial=("/dev/sdb",))),
    (
        "identity-same-filesystem",
        WARNING,
        partitioned(*(partition(number, number * GIB, signatures=(XFS,)) for number in (1, 2))),
    ),
    ("table-covered", DANGER, partitioned(partition(1, 4096), table=gpt(own=(Extent(1024, 16 * KIB),)))),
    ("table-no-bytes", WARNING, partitioned(partition(1, MIB, 0))),
    ("table-outside", DANGER, partitioned(EXTENDED, replace(LOGICAL, start_bytes=11 * GIB), table=mbr())),
    ("alignment-ok", OK, partitioned(partition(1, MIB + 3584), geometry=Geometry(512, 4096, 3584, 4096, 0))),
    ("alignment-stack", DANGER, partitioned(partition(), geometry=Geometry(512, 4096, -1, 524288, 1048576))),
    (
        "alignment-stack",
        DANGER,
        holding(member(MIB), layers=(array(0, 2, MIB, geometry=Geometry(512, 4096, -1, CHUNK, CHUNK)),)),
    ),
    ("alignment-inside", DANGER, holding(luks(MIB + 512))),
    ("alignment-compensated", INFO, holding(lvm(MIB + 3072), start_bytes=34 * 512)),
    ("alignment-chunk", WARNING, holding(member(MIB), layers=(array(5, 2, MIB, luks(MIB + 4096)),))),
    ("alignment-stripe", WARNING, holding(member(MIB), layers=(array(5, 2, MIB, ext4()),))),
    ("geometry-512e", INFO, drive()),
    ("geometry-4kn", INFO, drive(geometry=KN4)),
    (
        "geometry-contradiction",
        WARNING,
        drive(ata=Ata(physical_block_bytes=4096, alignment_offset_bytes=3584)),
    ),
    (
        "geometry-nvme-formats",
        INFO,
        drive(
            path="/dev/nvme0n1",
            bus="nvme",
            nvme_formats=(NvmeFormat(0, 512, 0, 2, in_use=True), NvmeFormat(1, 4096, 0, 0)),
        ),
    ),
    ("recording-contradiction", WARNING, drive(model="PLAIN1", smart=Smart(model_family="Plain (SMR)"))),
    ("recording-contradiction", INFO, drive(rotational=False, rotation_rate=1)),
    ("geometry-usb-4096", WARNING, drive(geometry=KN4, bus="usb")),
    ("geometry-optimal-io-bogus", WARNING, drive(geometry=replace(E512, optimal_io_bytes=33553920))),
    ("recording-zoned-host-managed", DANGER, drive(zoned="host-managed")),
    ("recording-zoned-host-aware", WARNING, drive(zoned="host-aware")),
    ("recording-shingled", WARNING, drive(model="SHINGLY8000-1NA17Z")),
    ("recording-shingled-likely", WARNING, drive(model="RUMOUR1")),
    ("recording-unknown", INFO, drive()),
    ("recording-listed-conventional", INFO, drive(model="LISTED1")),
    ("table-overlap", DANGER, partitioned(partition(1, MIB, GIB), partition(2, GIB, GIB), free=())),
    (
        "content-beyond-partition",
        DANGER,
        partitioned(partition(signatures=(Signature("ext4", "filesystem", size_bytes=2 * GIB),))),
    ),
    (
        "content-smaller",
        INFO,
        partitioned(partition(signatures=(Signature("ext4", "filesystem", size_bytes=GIB // 2),))),
    ),
    ("content-shared", WARNING, with_signatures(Signature("btrfs", "filesystem", devices=2))),
    ("contents-unrecognised", INFO, drive(data_at_bytes=MIB)),
    ("table-lost", DANGER, drive(data_at_bytes=MIB, lost=(partition(),))),
    ("disc-image", INFO, drive(signatures=(Signature("iso9660", "filesystem"),))),
    ("table-outside", DANGER, partitioned(partition(1, MIB, SIZE_BYTES), free=())),
    ("table-outside", DANGER, partitioned(partition(1, 512, MIB), free=())),
    ("table-kernel-differs", WARNING, partitioned(replace(partition(), kernel_size_bytes=MIB))),
    ("table-primary-damaged", DANGER, partitioned(partition(), table=gpt(primary="damaged"))),
    ("table-both-damaged", DANGER, drive(table=Table("gpt", primary="damaged", backup="missing"))),
    ("table-backup-missing", WARNING, partitioned(partition(), table=gpt(backup="missing"))),
    ("table-backup-damaged", WARNING, partitioned(partition(), table=gpt(backup="damaged"))),
    ("table-backup-misplaced", WARNING, partitioned(partition(), table=gpt(backup="misplaced"))),
    ("table-mbr-over-2tib", WARNING, drive(size_bytes=4 * TIB, table=mbr(4 * TIB))),
    ("table-hybrid", WARNING, partitioned(partition(), table=gpt(kind="hybrid"))),
    ("signatures-ambivalent", WARNING, with_signatures(Signature("ext4", "filesystem", ambivalent=True))),
    (
        "signatures-ambivalent",
        WARNING,
        with_signatures(Signature("ext4", "filesystem"), Signature("btrfs", "filesystem")),
    ),
    (
        "signatures-beside-table",
        WARNING,
        partitioned(partition(), signatures=(Signature("btrfs", "filesystem"),)),
    ),
    ("signatures-lost", WARNING, drive(superblock_copy_bytes=32768 * 4096)),
    ("signatures-lost", WARNING, partitioned(partition(superblock_copy_bytes=8193 * 1024))),
    ("use-mounted", INFO, drive(uses=(Use("mounted", "/dev/sda1", "/srv"),))),
    ("use-swap", INFO, drive(uses=(Use("swap", "/dev/sda1", "swap"),))),
    ("use-holder", INFO, drive(uses=(Use("holder", "/dev/sda1", "/dev/dm-0"),))),
    ("use-loop-backing", INFO, drive(uses=(Use("loop-backing", "/dev/sda1", "/dev/loop0"),))),
    ("use-raid-member", INFO, drive(uses=(Use("raid-member", "/dev/sda1", "/dev/md0"),))),
    ("use-running-system", INFO, drive(uses=(Use("running-system", "/dev/sda1", "/"),))),
    ("use-opened", INFO, drive(uses=(Use("opened", "/dev/sda", "a program"),))),
    ("drive-unread", WARNING, drive(table=None, unread=(unread("table", "Reading stopped after 10 s."),))),
    ("drive-unread", INFO, drive(unread=(unread("smart", "smartctl is not installed."),))),
    ("move-unfinished", DANGER, partitioned(partition(type=partition_types.MOVING_GPT))),
    (
        "drive-waiting",
        WARNING,
        drive(waiting=Waiting("0008-sdb", "2026-01-01", "ext4", MIB, 4096, bare=True)),
    ),
    ("drive-left", INFO, drive(waiting=Waiting("0008-sdb", "2026-01-01", "ext4", MIB, 4096, bare=False))),
    ("drive-read-only", INFO, drive(read_only=True)),
    ("drive-locked", DANGER, drive(ata=Ata(security=0b0111))),
    ("drive-locked", INFO, drive(ata=Ata(security=0b1011))),
    ("content-unclean", WARNING, with_signatures(Signature("ntfs", "filesystem", unclean=True))),
    ("content-hibernated", WARNING, with_signatures(Signature("swsuspend", "other"))),
    ("content-deprecated", INFO, drive(signatures=(Signature("xfs", "filesystem", version="4"),))),
    ("health-failing", DANGER, drive(smart=Smart(passed=False))),
    ("health-unreadable", DANGER, drive(smart=Smart(health=Health(pending=1)))),
    ("health-worn", WARNING, drive(smart=Smart(health=Health(reallocated=1)))),
)


@pytest.mark.parametrize(
    ("code", "severity", "subject"),
    SCENARIOS,
    ids=lambda value: value if isinstance(value, str) and "-" in value else "",
)
def test_each_problem_is_found_with_its_severity(code: str, severity: Severity, subject: Drive) -> None:
    assert severities(subject).get(code) is severity


def test_drive_with_a_waiting_run_has_not_lost_its_files() -> None:
    """The superblock copy belongs to content that the waiting run can restore."""
    waiting = Waiting("0008-sdb", "2026-01-01", "ext4", MIB, 4096, bare=True)
    table = Table("none")
    assert "signatures-lost" in severities(drive(table=table, superblock_copy_bytes=134217728))
    assert "signatures-lost" not in severities(
        drive(table=table, superblock_copy_bytes=134217728, waiting=waiting)
    )
    part = partition(superblock_copy_bytes=8193 * 1024)
    assert "signatures-lost" not in severities(partitioned(part, waiting=waiting))


def test_documented_and_emitted_codes_are_the_same() -> None:
    codes = finding_codes()
    assert codes == sorted(set(codes))
    emitted = {finding.code for _, _, subject in SCENARIOS for finding in of(subject)}
    assert emitted == {*codes} - {"boot-may-stop"}, "fstab is not a fact of a drive: tests/loop/probe"
    themes = "alignment|geometry|recording|table|signatures|use|drive|health|identity"
    words = re.compile(rf'^\s+(?:"|code = ")((?:{themes})-[a-z0-9-]+)"', re.MULTILINE)
    for module in Path(wizard.findings.__path__[0]).glob("*.py"):
        assert set(words.findall(module.read_text())) <= {*codes}, module.name


def test_findings_are_complete_sentences_about_a_node_of_the_drive() -> None:
    for _, _, subject in SCENARIOS:
        for finding in of(subject):
            assert finding.subject.startswith(subject.path) or finding.subject in [
                layer.path for layer in subject.layers
            ]
            for text in map(str, (finding.sentence, finding.why, finding.remedy)):
                assert text.endswith((".", "?")) and "{" not in text, text
            assert finding.source


def test_finding_survives_its_document() -> None:
    for _, _, subject in SCENARIOS:
        diagnosis = diagnose(machine(subject), subject, LIST)
        document = json.loads(json.dumps(drive_document(subject, diagnosis)))
        for written, finding in zip(document["findings"], diagnosis.findings, strict=True):
            for name in ("sentence", "why", "source", "remedy"):
                again = decode(written[name], Message)
                assert again == getattr(finding, name) and str(again) == str(getattr(finding, name))
        for written, clue in zip(
            document["recording"]["evidence"], diagnosis.recording.evidence, strict=True
        ):
            assert (decode(written["source"], Message), decode(written["says"], Message)) == (
                clue.source,
                clue.says,
            )


def test_sound_drive_has_only_information() -> None:
    found = diagnose(machine(), partitioned(partition()), ()).findings
    assert {finding.severity for finding in found} <= {Severity.INFO, Severity.OK}


def test_findings_are_sorted_worst_first() -> None:
    subject = partitioned(partition(1), partition(2, 2 * GIB + 512), table=gpt(backup="missing"))
    assert [finding.severity for finding in of(subject)][:2] == [DANGER, WARNING]


@pytest.mark.parametrize("start_bytes", [34 * 512, 40 * 512, 63 * 512, 2047 * 512, MIB, MIB + 4096, 5 * GIB])
@pytest.mark.parametrize(
    "geometry",
    [
        E512,
        N512,
        Geometry(512, 4096, 3584, 4096, 0),
        Geometry(512, 4096, 0, 65536, 0),
        Geometry(512, 512, 0, 65536 * 3, 0),
    ],
)
def test_danger_matches_the_alignment_formula_of_the_kernel(geometry: Geometry, start_bytes: int) -> None:
    codes = severities(partitioned(partition(1, start_bytes), geometry=geometry))
    assert ("alignment-physical" in codes) == (geometry.misalignment_bytes(start_bytes) != 0)
    assert sum(code.startswith("alignment-") for code in codes) == 1


@pytest.mark.parametrize("kind", ["isw_raid_member", "ddf_raid_member", "linux_raid_member"])
@pytest.mark.parametrize("backup", ["missing", "damaged", "misplaced"])
def test_table_repair_never_erases_array_metadata(kind: str, backup: str) -> None:
    alone = partitioned(partition(), table=gpt(backup=backup))
    member = replace(alone, signatures=(Signature(kind, "raid"),))
    code = f"table-backup-{backup}"
    assert severities(alone)[code] is WARNING and severities(member)[code] is INFO
    found = [next(one for one in of(subject) if one.code == code) for subject in (alone, member)]
    named = [bool(one.commands) for one in found]
    assert named == [True, False]


@pytest.mark.parametrize(
    "table", [gpt(backup="missing"), gpt(primary="damaged"), Table("mbr"), Table("hybrid")]
)
def test_tables_of_a_disc_image_are_no_fault(table: Table) -> None:
    overlapping = (partition(1, 0, GIB), partition(2, MIB, 4 * MIB))
    plain = partitioned(*overlapping, table=table, free=())
    image = replace(plain, signatures=(Signature("iso9660", "filesystem"),))
    assert DANGER in severities(plain).values()
    codes = severities(image)
    assert codes["disc-image"] is INFO and not any(code.startswith(("table-", "signat")) for code in codes)


@pytest.mark.parametrize("numbers", [{}, {"serial": None}, {"wwn": None, "same_wwn": ()}])
@pytest.mark.parametrize("other_bytes", [SIZE_BYTES // 2, SIZE_BYTES, None])
def test_drives_of_different_sizes_are_not_one_drive(
    numbers: dict[str, Any], other_bytes: int | None
) -> None:
    both = {"same_serial": ("/dev/sdb",), "same_wwn": ("/dev/sdb",), **numbers}
    subject = drive(**both)
    other = drive(path="/dev/sdb", size_bytes=other_bytes)
    codes = {one.code for one in diagnose(machine(subject, other), subject, LIST).findings}
    is_other = other_bytes == SIZE_BYTES // 2
    assert ("identity-same-serial" in codes, "identity-same-drive" in codes) == (is_other, not is_other)


@pytest.mark.parametrize("numbers", [{}, {"serial": None, "wwn": None}])
def test_paths_to_one_drive_name_each_other_and_are_no_copies(numbers: dict[str, Any]) -> None:
    mark = Signature("ext4", "filesystem", uuid="1")
    paths = [
        on(path, mark, layers=(Layer("multipath", "/dev/mapper/mpatha", path),), **numbers)
        for path in ("/dev/sda", "/dev/sdb")
    ]
    for subject, other in zip(paths, reversed(paths), strict=True):
        found = {one.code: one for one in diagnose(machine(*paths), subject, LIST).findings}
        named = str(found["identity-same-drive"].sentence)
        assert other.path in named and "/dev/mapper/mpatha" in named
        assert "identity-same-filesystem" not in found
    assert "identity-same-filesystem" in {
        one.code
        for one in diagnose(
            machine(*(replace(one, layers=()) for one in paths)), replace(paths[0], layers=()), LIST
        ).findings
    }


def on(path: str, *marks: Signature, **changes: Any) -> Drive:  # noqa: ANN401
    """Return a drive with a partition with these signatures."""
    table = gpt(uuid=path)
    part = partition(of=path, signatures=marks)
    return partitioned(part, **{"path": path, "serial": path, "wwn": path, "table": table, **changes})


def copies(*drives: Drive) -> list[list[tuple[str, ...]]]:
    """Return the values in each drive's finding: device, other device and kind of each pair, device and
    mount point."""
    return [
        [
            tuple(str(value) for _, value in part.values)
            for one in diagnose(machine(*drives), subject, LIST).findings
            if one.code == "identity-same-filesystem"
            for part in parts(one.sentence)
        ]
        for subject in drives
    ]


def parts(said: object) -> Iterator[Message]:
    """Yield the innermost messages of a message."""
    inner = [
        one
        for _, value in (said.values if isinstance(said, Message) else ())
        for one in (value if isinstance(value, tuple) else (value,))
        if isinstance(one, Message)
    ]
    for one in inner:
        yield from parts(one)
    if not inner and isinstance(said, Message):
        yield said


@pytest.mark.parametrize(
    "mark",
    [
        XFS,
        Signature("crypto_LUKS", "crypto", uuid="11"),
        Signature("LVM2_member", "raid", uuid="11"),
        Signature("btrfs", "filesystem", uuid="11", member="1"),
        Signature("linux_raid_member", "raid", uuid="11", member="1"),
        Signature("swap", "other", uuid="11"),
        Signature("vfat", "filesystem", uuid="11"),
    ],
)
def test_copy_is_found_from_either_side(mark: Signature) -> None:
    mounted = on("/dev/sda", mark, uses=(Use("mounted", "/dev/sda1", "/srv"),))
    pair, use = ["/dev/sda1", "/dev/sdb1"], ("/srv", "/dev/sda1")
    found = copies(mounted, on("/dev/sdb", mark))
    assert found == [[(pair[0], mark.kind, pair[1]), use], [(pair[1], mark.kind, pair[0]), use]]


@pytest.mark.parametrize(
    ("subject", "devices"),
    [
        (on("/dev/sda", XFS), ["/dev/sda1"]),
        (on("/dev/sda", XFS, table=gpt(uuid="/dev/sdb")), ["/dev/sda", "/dev/sda1"]),
        (on("/dev/sda", XFS, uses=(Use("mounted", "/dev/sda1", "/srv"),)), []),
        (on("/dev/sda", XFS, read_only=True), []),
        (on("/dev/sda", Signature("crypto_LUKS", "crypto", uuid="11")), ["/dev/sda1"]),
        (
            on("/dev/sda", XFS, table=gpt(uuid="/dev/sdb"), uses=(Use("swap", "/dev/sda2", "swap"),)),
            ["/dev/sda1"],
        ),
    ],
)
def test_new_uuid_is_offered_if_it_can_be_set(subject: Drive, devices: list[str]) -> None:
    other = on("/dev/sdb", *subject.partitions[0].signatures)
    (found,) = (
        one
        for one in diagnose(machine(subject, other), subject, LIST).findings
        if one.code == "identity-same-filesystem"
    )
    assert [command.argv[-1] for command in found.commands] == devices


def test_copied_table_is_found() -> None:
    first, second = on("/dev/sda"), on("/dev/sdb", table=gpt(uuid="/dev/sda"))
    assert copies(first, second)[0] == [("/dev/sda", "GPT", "/dev/sdb")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (on("/dev/sda", XFS), on("/dev/sdb", replace(XFS, uuid="22"))),
        (on("/dev/sda", XFS), on("/dev/sdb", Signature("ext4", "filesystem", uuid="11"))),
        (on("/dev/sda", replace(XFS, uuid=None)), on("/dev/sdb", replace(XFS, uuid=None))),
        (on("/dev/sda", replace(XFS, kind="iso9660")), on("/dev/sdb", replace(XFS, kind="iso9660"))),
        # One drive by two paths, and a loop device over the other.
        (
            on("/dev/sda", XFS, serial="S", same_serial=("/dev/sdb",), wwn=None),
            on("/dev/sdb", XFS, serial="S", same_serial=("/dev/sda",), wwn=None),
        ),
        (on("/dev/sda", XFS), on("/dev/loop0", XFS, backing_file="/dev/sda")),
        (on("/dev/loop1", XFS, backing_file="/i"), on("/dev/loop0", XFS, backing_file="/i")),
        *(
            (on("/dev/sda", replace(mark, member="1")), on("/dev/sdb", replace(mark, member=other)))
            for mark, other in (
                (Signature("btrfs", "filesystem", uuid="11"), "2"),
                (Signature("bcachefs", "filesystem", uuid="11"), "2"),
                (Signature("linux_raid_member", "raid", uuid="11"), "2"),
            )
        ),
        # A recording without member numbers, and mirrors that show their filesystem or table.
        (on("/dev/sda", replace(XFS, kind="btrfs")), on("/dev/sdb", replace(XFS, kind="btrfs"))),
        (
            on("/dev/sda", Signature("linux_raid_member", "raid", uuid="22", member="1"), XFS),
            on("/dev/sdb", Signature("linux_raid_member", "raid", uuid="22", member="2"), XFS),
        ),
        (
            on("/dev/sda", XFS, table=gpt(), signatures=(Signature("isw_raid_member", "raid", uuid="33"),)),
            on("/dev/sdb", XFS, table=gpt(), signatures=(Signature("isw_raid_member", "raid", uuid="33"),)),
        ),
    ],
)
def test_intentionally_shared_uuid_is_no_copy(first: Drive, second: Drive) -> None:
    assert copies(first, second) == [[], []]


@pytest.mark.parametrize(
    "subject",
    [
        drive(ata=Ata(security=0b1001)),
        with_signatures(Signature("ntfs", "filesystem")),
        with_signatures(Signature("xfs", "filesystem", version="5")),
        with_signatures(Signature("xfs", "filesystem")),
        with_signatures(Signature("swap", "other", version="4")),
    ],
)
def test_sound_content_has_no_state_to_report(subject: Drive) -> None:
    assert not [code for code in severities(subject) if code.startswith("content-") or "lock" in code]


def test_sentence_has_the_real_numbers() -> None:
    (found,) = (
        finding for finding in of(partitioned(partition(1, 34 * 512))) if finding.code == "alignment-physical"
    )
    assert found.subject == "/dev/sda1"
    assert "17408" in str(found.sentence) and "3072" in str(found.sentence)
    assert found.commands == (FindingCommand(("diskwright", "move", "/dev/sda1")),)


def test_ssd_finding_promises_no_ratio() -> None:
    (found,) = (
        finding
        for finding in of(partitioned(partition(1, 34 * 512), rotational=False))
        if finding.code == "alignment-physical"
    )
    assert "7.9" not in str(found.why) and "2010" not in str(found.source)


def test_raid_chunks_count_as_the_unit() -> None:
    (found,) = (
        f
        for f in of(partitioned(partition(1, 40 * 512), geometry=Geometry(512, 4096, 0, 65536, 0)))
        if "alignment" in f.code
    )
    assert (
        found.code == "alignment-physical"
        and "65536" in str(found.sentence)
        and "45056" in str(found.sentence)
    )


def test_logical_partitions_do_not_overlap_their_container() -> None:
    codes = severities(partitioned(EXTENDED, LOGICAL, table=mbr(), free=()))
    assert "table-overlap" not in codes and "table-kernel-differs" not in codes
    outside = replace(LOGICAL, start_bytes=10 * GIB)
    codes = severities(partitioned(EXTENDED, outside, table=mbr(), free=()))
    assert codes["table-outside"] is DANGER and "table-overlap" not in codes


def test_mbr_reaches_16_tib_with_4096_byte_blocks() -> None:
    assert "table-mbr-over-2tib" not in severities(
        drive(size_bytes=10 * TIB, geometry=KN4, table=mbr(10 * TIB, 4096))
    )


def test_plausible_optimal_size_is_not_reported() -> None:
    for optimal in (0, 64 * KIB, MIB, 192 * KIB):
        assert "geometry-optimal-io-bogus" not in severities(
            drive(geometry=replace(E512, optimal_io_bytes=optimal))
        )


def test_repair_from_a_copy_needs_an_intact_copy() -> None:
    lost = of(drive(table=Table("gpt", primary="damaged", backup="missing")))
    assert [finding.code for finding in lost if finding.code.startswith("table-")] == ["table-both-damaged"]
    assert not any("gdisk" in str(finding.advice) for finding in lost)
    without_record = {
        finding.code
        for finding in of(partitioned(partition(), table=gpt(primary="damaged", backup="missing")))
    }
    assert "table-both-damaged" not in without_record, (
        "the first copy is sound there; only the record in front of it is missing"
    )


def test_good_partitions_share_one_finding_and_others_have_their_own() -> None:
    fine = [partition(number, number * 16 * MIB, 8 * MIB) for number in range(1, 41)]
    found = [finding for finding in of(partitioned(*fine)) if finding.code.startswith("alignment-")]
    assert [(finding.code, finding.subject) for finding in found] == [("alignment-ok", "/dev/sda")]
    assert str(found[0].sentence).startswith("40 of 40 partitions")
    found = [
        finding
        for finding in of(partitioned(*fine, partition(41, GIB + 512, MIB)))
        if finding.code.startswith("alignment-")
    ]
    assert {(finding.code, finding.subject) for finding in found} == {
        ("alignment-ok", "/dev/sda"),
        ("alignment-physical", "/dev/sda41"),
    }
    assert any(str(finding.sentence).startswith("40 of 41 partitions") for finding in found)


@pytest.mark.parametrize(
    ("made_for", "obstacle"), [(None, Obstacle.CONTRADICTORY), (4096, Obstacle.OTHER_BLOCKS)]
)
def test_lost_table_differs_from_a_table_for_other_blocks(made_for: int | None, obstacle: Obstacle) -> None:
    """The same protective MBR: without a GPT, or with a GPT for another block size."""
    image = Image(8 * MIB, made_for or 512)
    image.protective()
    if made_for:
        image.gpt((256, 511, "one"))
    raw = rawfacts.drive(chunks=(rawfacts.chunk(0, bytes(image.data)),), table_kind="PMBR")
    (found,) = machine_of(rawfacts.machine(raw)).drives
    assert {one.obstacle for one in found.unread if one.what == "partitions"} == {obstacle}
