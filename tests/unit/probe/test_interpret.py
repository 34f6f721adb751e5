"""From raw facts to the model: identity, geometry, udev without root, hostile recordings."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.probe import rawfacts
from tests.unit.probe.gptimage import Image
from wizard.documents.codec import from_json, render_document, to_json
from wizard.model.drive_facts import Discard, Smart
from wizard.model.errors import BadInput, Failed
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Extent, Obstacle
from wizard.model.said import Message, t
from wizard.probe import facts as words
from wizard.probe.collect import smartctl_output
from wizard.probe.facts import SCHEMA, RawChunk, RawContent, RawDrive, RawEntry, RawError, RawSignature
from wizard.probe.host.sysfs import link_attributes
from wizard.probe.interpret import drive_of, machine_of
from wizard.probe.machine import load_machine, save_machine

MIB = 1024 * 1024


def seen(raw: RawDrive) -> Drive:
    return drive_of(raw, rawfacts.machine(raw))


def sysfs(**changes: str) -> dict[str, str]:
    return rawfacts.SYSFS | {key.replace("__", "/"): value for key, value in changes.items()}


def test_sata_disk_is_identified() -> None:
    drive = seen(rawfacts.drive())
    assert (drive.model, drive.vendor, drive.revision) == ("ST8000AS0002-1NA17Z", "ATA", "AR15")
    assert (drive.serial, drive.wwn, drive.bus, drive.token) == (
        "Z8400ABC",
        "0x5000c500a1b2c3d4",
        "sata",
        "Z8400ABC",
    )
    assert drive.by_id == ("/dev/disk/by-id/ata-ST8000AS0002_Z8400ABC",)
    assert drive.geometry == Geometry(512, 4096, 0, 4096, 0)
    assert (drive.rotational, drive.removable, drive.read_only, drive.diskseq) == (True, False, False, 7)
    assert (drive.scheduler, drive.schedulers) == ("mq-deadline", ("none", "mq-deadline", "bfq"))
    assert drive.discard == Discard(0, 0)
    assert drive.is_empty and drive.free == (Extent(0, 16 * MIB),) and not drive.unread


@pytest.mark.parametrize(
    ("path", "bus"),
    [
        ("/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb", "usb"),
        ("/sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1", "nvme"),
        ("/sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda", "virtio"),
        ("/sys/devices/platform/mmc0/mmc_host/mmc0/mmc0:0001/block/mmcblk0", "mmc"),
        (
            "/sys/devices/pci0000:00/0000:03:00.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/block/sdc",
            "sas",
        ),
        ("/sys/devices/virtual/block/loop0", "loop"),
        ("/sys/devices/virtual/block/zram0", None),
    ],
)
def test_bus_is_read_from_the_device_path(path: str, bus: str | None) -> None:
    assert seen(rawfacts.drive(sysfs_path=path)).bus == bus


@pytest.mark.parametrize(
    ("texts", "megabits"),
    [
        ({"speed": "480"}, 480),
        ({"sata_spd": "6.0 Gbps"}, 6000),
        ({"sata_spd": "<unknown>"}, None),
        ({"speed": "9" * 400}, None),
        ({"current_link_speed": "8.0 GT/s PCIe", "current_link_width": "4"}, 31508),
        ({"current_link_speed": "5.0 GT/s PCIe", "current_link_width": "2"}, 8000),
        ({"current_link_speed": "Unknown", "current_link_width": "63"}, None),
    ],
)
def test_speed_of_the_link_is_read_as_the_kernel_writes_it(
    texts: dict[str, str], megabits: int | None
) -> None:
    assert seen(rawfacts.drive(sysfs=sysfs(**texts))).link_megabits == megabits


PCI = "devices/pci0000:00/0000:00:1d.0"


@pytest.mark.parametrize(
    ("name", "device", "file", "text"),
    [
        ("sdb", "usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0", "usb2/2-1/speed", "5000"),
        ("sda", "ata3/host2/target2:0:0/2:0:0:0", "ata3/link3/ata_link/link3/sata_spd", "6.0 Gbps"),
        ("nvme0n1", "nvme/nvme0", "current_link_speed", "8.0 GT/s PCIe"),
        ("vda", "virtio1", "current_link_speed", ""),
    ],
)
def test_speed_is_read_from_the_drives_own_link(
    name: str, device: str, file: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / PCI / device).mkdir(parents=True)
    (tmp_path / PCI / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / PCI / file).write_text(f"{text or '2.5 GT/s PCIe'}\n")
    if file.endswith("/speed"):
        (tmp_path / PCI / "usb2/2-1/busnum").write_text("2\n")
    folder = tmp_path / "block" / name
    folder.mkdir(parents=True)
    (folder / "device").symlink_to(tmp_path / PCI / device)
    assert link_attributes(folder) == ({file.split("/")[-1]: text} if text else {})


def test_nvme_drive_has_its_names_elsewhere() -> None:
    facts = {k: v for k, v in rawfacts.SYSFS.items() if not k.startswith("device/")} | {
        "wwid": "eui.0025385b71b00d4e",
        "device/serial": "S4EWNX0R   ",
        "device/model": "Samsung SSD 970 EVO Plus 1TB            ",
        "device/firmware_rev": "2B2QEXM7",
    }
    drive = seen(rawfacts.drive(sysfs=facts, vpd={}))
    assert (drive.serial, drive.wwn, drive.revision) == ("S4EWNX0R", "eui.0025385b71b00d4e", "2B2QEXM7")
    assert drive.model == "Samsung SSD 970 EVO Plus 1TB"


def test_vendor_text_is_no_world_wide_name() -> None:
    assert seen(rawfacts.drive(sysfs=sysfs(device__wwid="t10.ATA     QEMU HARDDISK   QM00001"))).wwn is None


def test_zones_from_the_vital_page_and_from_the_drive() -> None:
    assert seen(rawfacts.drive(vpd={"b1": rawfacts.page(bytes([0x1C, 0x20, 0, 0, 0x20]))})).vpd_zoned == 2
    assert seen(rawfacts.drive(sysfs=sysfs(zoned_cap="drive-managed"))).vpd_zoned == 2
    assert seen(rawfacts.drive()).vpd_zoned is None


def test_zone_size_only_of_zoned_drives() -> None:
    assert (
        seen(
            rawfacts.drive(sysfs=sysfs(queue__zoned="host-managed", queue__chunk_sectors="524288"))
        ).zone_bytes
        == 256 * MIB
    )
    assert seen(rawfacts.drive(sysfs=sysfs(queue__chunk_sectors="128"))).zone_bytes is None


def test_smart_as_smartctl_prints_it() -> None:
    said = {
        "model_family": "Seagate Archive HDD (SMR)",
        "zoned_device": {"capabilities": "device_managed"},
        "rotation_rate": 5980,
        "trim": {"supported": False},
        "smart_status": {"passed": True},
    }
    assert seen(rawfacts.drive(smart=json.dumps(said))).smart == Smart(
        True, "Seagate Archive HDD (SMR)", "device_managed", False, 5980
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            '{"smartctl": {"messages": [{"string": "Unknown USB bridge", "severity": "error"}]}}',
            t("smartctl: {said}.", said="Unknown USB bridge"),
        ),
        ("not json at all", t("smartctl output is unreadable.")),
        ('{"power_mode": {"name": "STANDBY"}}', t("The drive is asleep ({mode}).", mode="STANDBY")),
    ],
)
def test_useless_smartctl_output_is_reported_with_its_reason(text: str, why: Message) -> None:
    drive = seen(rawfacts.drive(smart=text))
    assert drive.smart == Smart()
    assert [(one.what, one.why) for one in drive.unread] == [("smart", why)]


def test_smartctl_obstacle_is_known_in_every_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "wizard.model.said.Language.one", staticmethod(lambda english: english.replace(" ", "_"))
    )
    monkeypatch.setattr("wizard.probe.collect.os.geteuid", lambda: 0)
    monkeypatch.setattr("wizard.process.program.find", lambda name: None)
    errors: list[RawError] = []
    assert smartctl_output("sda", errors, 1.0) is None
    assert [one.obstacle for one in errors] == [Obstacle.NOT_INSTALLED]
    bridged = seen(rawfacts.drive(smart='{"smartctl": {"messages": [{"string": "Unknown USB bridge"}]}}'))
    assert [one.obstacle for one in bridged.unread] == [Obstacle.UNKNOWN_BRIDGE]


def test_udev_database_is_used_without_root_and_gaps_have_reasons() -> None:
    part = rawfacts.partition(
        1,
        2048,
        4096,
        ID_PART_ENTRY_TYPE="0fc63daf-8483-4772-8e79-3d69d8477de4",
        ID_PART_ENTRY_NAME="my\\x20data",
        ID_PART_ENTRY_UUID="aaaa",
        ID_PART_ENTRY_FLAGS="0x4",
        ID_FS_TYPE="ext4",
        ID_FS_USAGE="filesystem",
        ID_FS_LABEL_ENC="gr\\xc3\\xbcn",
        ID_FS_UUID="bbbb",
    )
    raw = rawfacts.unreadable(
        partitions={"sda1": part},
        udev={"ID_PART_TABLE_TYPE": "gpt", "ID_PART_TABLE_UUID": "cccc"},
        errors=(RawError("contents", words.ROOT_READS, Obstacle.DENIED),),
    )
    drive = seen(raw)
    assert drive.table is not None and (drive.table.kind, drive.table.uuid, drive.table.primary) == (
        "gpt",
        "cccc",
        None,
    )
    [found] = drive.partitions
    assert (found.start_bytes, found.size_bytes, found.name, found.part_uuid, found.attributes) == (
        MIB,
        2 * MIB,
        "my data",
        "aaaa",
        4,
    )
    assert (found.filesystem, found.signatures[0].label, found.signatures[0].uuid) == ("ext4", "grün", "bbbb")
    assert drive.content_digest is None and drive.free == ()
    assert {one.what for one in drive.unread} == {
        "table",
        "signatures",
        "partitions",
        "free",
        "content_digest",
    }
    assert {one.why for one in drive.unread} == {words.ROOT_READS}


def test_drive_is_not_called_empty_without_root_and_udev() -> None:
    drive = seen(rawfacts.unreadable(errors=(RawError("contents", words.ROOT_READS, Obstacle.DENIED),)))
    assert drive.table is None and drive.is_empty is None and drive.content_digest is None


def test_signature_is_listed_once_in_its_place() -> None:
    image = Image(16 * MIB)
    image.protective()
    image.gpt((34, 8191, ""))
    start = 34 * 512
    raw = rawfacts.drive(
        chunks=rawfacts.chunks_of(image),
        contents={"sda": rawfacts.mark("btrfs", start + 65600), "sda1": rawfacts.mark("btrfs", 65600)},
        table_kind="gpt",
    )
    drive = seen(raw)
    assert drive.signatures == () and drive.partitions[0].filesystem == "btrfs"
    other = replace(
        raw, contents={"sda": rawfacts.mark("btrfs", 65600), "sda1": rawfacts.mark("btrfs", 65600)}
    )
    assert [mark.kind for mark in seen(other).signatures] == ["btrfs"], "a mark of the drive's own is another"


def test_partition_known_only_to_the_kernel_is_listed() -> None:
    drive = seen(rawfacts.drive(partitions={"sda3": rawfacts.partition(3, 2048, 4096)}))
    [part] = drive.partitions
    assert (part.path, part.type, part.start_bytes, part.kernel_start_bytes) == ("/dev/sda3", None, MIB, MIB)
    assert drive.is_empty is False and drive.free == ()


def test_stale_partitions_in_the_kernel_are_reported() -> None:
    image = Image(16 * MIB)
    image.protective()
    image.gpt((4096, 8191, ""))
    raw = rawfacts.drive(
        chunks=rawfacts.chunks_of(image), partitions={"sda1": rawfacts.partition(1, 2048, 4096)}
    )
    [part] = seen(raw).partitions
    assert (part.start_bytes, part.kernel_start_bytes, part.kernel_size_bytes) == (2 * MIB, MIB, 2 * MIB)


def test_slices_read_only_by_the_library_come_with_the_mbr() -> None:
    image = Image(16 * MIB)
    image.mbr((0xA5, 2048, 16000))
    entries = (RawEntry(1, MIB, 16000 * 512, 0xA5), RawEntry(5, MIB + 8192, 4096, 7))
    drive = seen(rawfacts.drive(chunks=rawfacts.chunks_of(image), table_kind="dos", table_entries=entries))
    assert [(part.number, part.start_bytes, part.type) for part in drive.partitions] == [
        (1, MIB, "0xa5"),
        (5, MIB + 8192, "0x07"),
    ]


def test_partially_read_content_has_no_digest() -> None:
    raw = rawfacts.drive(errors=(RawError("signatures", "/dev/sda2: Input/output error"),))
    assert seen(raw).content_digest is None
    assert seen(rawfacts.drive()).content_digest is not None


def test_hung_drive_keeps_facts_read_before() -> None:
    why = t("The drive did not answer within {seconds:g} s.", seconds=10)
    drive = seen(rawfacts.unreadable(errors=(RawError("drive", why),)))
    assert drive.model == "ST8000AS0002-1NA17Z" and drive.table is None
    assert [(one.what, one.why) for one in drive.unread] == [("drive", why)]
    bare = seen(RawDrive(name="sdq", path="/dev/sdq", errors=(RawError("drive", why),)))
    assert bare.size_bytes is None and bare.geometry is None and bare.token == "sdq"


def test_machine_facts() -> None:
    machine = machine_of(rawfacts.machine(rawfacts.drive()))
    assert {"ext4", "xfs", "sysfs"} <= machine.kernel.filesystems
    assert machine.kernel.version == (6, 12)
    assert machine.memory_bytes == 8000000 * 1024 and machine.root and machine.has_tool("mkfs.ext4")


def test_recording_replays_to_the_same_machine(tmp_path: Path) -> None:
    raw = rawfacts.machine(rawfacts.drive(partitions={"sda1": rawfacts.partition(1, 2048, 4096)}))
    saved = tmp_path / "facts.json"
    assert save_machine(saved, raw) == machine_of(raw) == load_machine(saved)
    assert json.loads(saved.read_text())["schema"] == SCHEMA
    with pytest.raises(Failed, match="could not be written"):
        save_machine(tmp_path / "no" / "folder", raw)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a complete JSON document"),
        ("[]", "is not a diskwright document"),
        ('{"schema": "diskwright.plan/1"}', "not a diskwright.facts"),
        ('{"schema": "diskwright.facts/9"}', "version 9"),
        ('{"schema": "diskwright.facts/1", "release": 5}', "release"),
        ('{"schema": "diskwright.facts/1"}', "release"),
    ],
)
def test_file_that_is_no_recording_is_refused_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "facts.json"
    file.write_text(text)
    with pytest.raises(BadInput, match=said) as refused:
        load_machine(file)
    assert str(file) in str(refused.value) and "\n" not in str(refused.value)


def test_binary_or_missing_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "facts.json"
    file.write_bytes(b"\xff\xfe\0")
    with pytest.raises(BadInput, match="is not a diskwright document"):
        load_machine(file)
    with pytest.raises(BadInput, match="does not exist"):
        load_machine(tmp_path / "none")
    with pytest.raises(BadInput, match="is not a regular file"):
        load_machine(tmp_path)


def test_damaged_base64_is_read_as_no_bytes() -> None:
    for text in ("%%%", "Zm9", "²"):
        assert from_json({"offset_bytes": 0, "data": text}, RawChunk, "facts") == rawfacts.chunk(0, b"")
    whole = rawfacts.chunk(0, b"foo")
    assert from_json(to_json(whole), RawChunk, "facts") == whole


HOSTILE = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["-1", "0", "99999999999999999999", "1e9", "0x10", "\x1b[31m", "²", " 7 "]),
)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_hostile_facts_never_raise(data: st.DataObject) -> None:
    draw = data.draw
    keys = st.sampled_from(sorted(rawfacts.SYSFS))
    image = Image(16 * MIB)
    image.protective()
    image.gpt((2048, 4095, ""))
    part = rawfacts.partition(1, 2048, 4096)
    raw = rawfacts.drive(
        sysfs=rawfacts.SYSFS | draw(st.dictionaries(keys, HOSTILE)),
        vpd=draw(st.dictionaries(st.sampled_from(["80", "b1"]), st.binary(max_size=80))),
        udev=draw(
            st.dictionaries(
                st.sampled_from(["ID_MODEL", "ID_PART_TABLE_TYPE", "ID_FS_AMBIVALENT", "ID_FS_TYPE"]), HOSTILE
            )
        ),
        partitions={
            draw(st.sampled_from(["sda1", "sda2", "x"])): replace(
                part,
                sysfs=part.sysfs | draw(st.dictionaries(st.sampled_from(sorted(part.sysfs)), HOSTILE)),
                udev=draw(
                    st.dictionaries(
                        st.sampled_from(["ID_PART_ENTRY_TYPE", "ID_PART_ENTRY_FLAGS", "ID_FS_LABEL_ENC"]),
                        HOSTILE,
                    )
                ),
            )
        },
        table_kind=draw(st.one_of(st.none(), HOSTILE, st.sampled_from(["dos", "gpt", "mac"]))),
        table_entries=(
            RawEntry(
                draw(st.integers(-5, 2**40)), draw(st.integers(-5, 2**70)), draw(st.integers(-5, 2**70)), 0x83
            ),
        ),
        chunks=draw(st.sampled_from([(), rawfacts.chunks_of(image), (rawfacts.chunk(0, b""),)])),
        contents=draw(
            st.sampled_from(
                [
                    None,
                    {},
                    {
                        "sda": RawContent(
                            (RawSignature("x" * 400, "y", "\x1b", offset_bytes=-3),) * 3, ambivalent=True
                        )
                    },
                ]
            )
        ),
        smart=draw(
            st.one_of(st.none(), HOSTILE, st.just("[" * 5000), st.just('{"smartctl": 4, "trim": []}'))
        ),
    )
    drive = seen(raw)
    assert drive.path == "/dev/sda"
    render_document(SCHEMA, to_json(rawfacts.machine(raw)))
