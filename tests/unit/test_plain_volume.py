"""Step 4 of the line-by-line wizard in full: shares, roles, encryption, subvolumes, the desktop's set, the
kind of table."""

from pathlib import Path

from tests.unit.conversation import Told, converse_with, number_of
from tests.unit.layouts import EVERYTHING
from tests.unit.machines import SIZE_BYTES, drive, machine, partition, partitioned
from wizard.filesystems.partitions import ESP_GPT_TYPE
from wizard.layout.document import read_plan
from wizard.model.machine import Drive
from wizard.model.plan import Plan, WriteTable
from wizard.model.units import GIB, MIB, TIB
from wizard.services.recorded import RecordedServices

KEEP_KIND = ("", "")
"""Purpose and filesystem as they are."""

SAVE = ("", "", "", "1")
"""On through preview and benchmark, and the first answer of the last step."""

ROLE, ENCRYPTION, SUBVOLUMES = "2", "3", "4"
DESKTOP, TABLE = "6", "7"


def services(of: Drive | None = None, without: str = "") -> RecordedServices:
    tools = tuple(
        tool for tool in (*EVERYTHING, ("cryptsetup", "/usr/sbin/cryptsetup")) if tool[0] != without
    )
    return RecordedServices(machine(of or drive(), tools=tools), "a test")


def media(of: RecordedServices, *then: str) -> Told:
    return converse_with(of, ["", number_of(of, "large-media"), "", *then])


def saved(of: RecordedServices, folder: Path, *then: str) -> Plan:
    """The plan that the answers lead to."""
    kept = folder / "kept.json"
    told = media(of, *then, *SAVE, str(kept), "3")
    assert kept.exists(), told.text
    return read_plan(kept.read_text(), "kept.json")


def table_of(plan: Plan) -> WriteTable:
    return next(step.operation for step in plan.steps if isinstance(step.operation, WriteTable))


def test_a_share_is_typed_and_said_in_bytes_too(tmp_path: Path) -> None:
    told = media(services(), "3", *KEEP_KIND, "30%", "", "", "")
    assert "30 %: 150 GB" in told.after("Volume 1: ")
    plan = saved(services(), tmp_path, "3", *KEEP_KIND, "30%", "", "", "")
    (slot,) = plan.after.partitions
    assert slot.size_bytes == (SIZE_BYTES // MIB - 2) * 30 // 100 * MIB


def test_a_share_of_more_than_everything_is_asked_for_again() -> None:
    told = media(services(), "3", *KEEP_KIND, "130%")
    assert "is no share of the room" in told.flat
    assert "How large?" in told.after("is no share of the room")


def test_a_role_brings_filesystem_size_and_label(tmp_path: Path) -> None:
    esp = ("2", *KEEP_KIND, "10G", "", "", ROLE, "2", "")
    told = media(services(), *esp)
    assert "The volume is now vfat, size 1 GiB, and mounted nowhere." in told.flat
    assert 'Volume 2: EFI system partition, vfat, 1 GiB, label "EFI", not mounted.' in told.flat
    plan = saved(services(), tmp_path, *esp)
    assert [slot.type for slot in plan.after.partitions][1] == ESP_GPT_TYPE


def test_a_role_for_which_a_program_is_missing_says_which() -> None:
    told = media(services(without="mkfs.vfat"), "3", *KEEP_KIND, "", "", "", ROLE, "2")
    assert "Cannot be chosen: EFI system partition: mkfs.vfat is not installed" in told.flat
    assert "Number 2 cannot be chosen: " in told.flat


def test_a_volume_is_encrypted_and_says_so(tmp_path: Path) -> None:
    plan = saved(services(), tmp_path, "3", *KEEP_KIND, "", "", "", ENCRYPTION, "")
    assert plan.volumes[0].encryption is not None
    told = media(services(), "3", *KEEP_KIND, "", "", "", ENCRYPTION, "")
    assert "mounted at /srv/media, encrypted." in told.after("Volume 1: ")


def test_encryption_that_cannot_be_says_why_before_it_is_asked_for() -> None:
    told = media(services(without="cryptsetup"), "3", *KEEP_KIND, "", "", "", ENCRYPTION)
    assert "Its encryption, which is none. Cannot be chosen: cryptsetup is not installed" in told.flat
    assert "Number 3 cannot be chosen: " in told.flat


def test_subvolumes_are_typed_and_only_btrfs_has_them(tmp_path: Path) -> None:
    of = services()
    names = [
        choice.filesystem
        for choice in of.volume_choices(
            of.machine, drive(), of.diagnose(None, drive()).recording, "large-media", ""
        )
    ]
    btrfs = str(names.index("btrfs") + 1)
    typed = "@:/mnt/new, @home:/mnt/new/home, @snapshots"
    plan = saved(of, tmp_path, "3", "", btrfs, "", "", "", SUBVOLUMES, typed, "")
    assert [(one.name, one.mount_point) for one in plan.volumes[0].subvolumes] == [
        ("@", "/mnt/new"),
        ("@home", "/mnt/new/home"),
        ("@snapshots", None),
    ]
    told = media(of, "3", "", str(names.index("xfs") + 1), "", "", "", SUBVOLUMES)
    assert "Its subvolumes, which are none. Cannot be chosen: " in told.flat and "xfs has none" in told.flat


def test_the_desktops_volumes_are_one_answer_and_can_be_changed(tmp_path: Path) -> None:
    told = media(services(), DESKTOP)
    listed = told.after("is to be done with the list of volumes?")
    for number, words in enumerate(
        ("EFI system partition, vfat, 1 GiB", "Swap, swap, 8 GiB", "System (root), ", "Home directories, "), 1
    ):
        assert f"Volume {number}: {words}" in told.flat
    assert "An empty line means 1." in listed
    plan = saved(services(), tmp_path, DESKTOP, "3", "1", *KEEP_KIND, "2G", "", "", "")
    assert plan.after.partitions[0].size_bytes == 2 * GIB
    assert len(plan.volumes) == 4


def test_a_desktop_on_too_small_a_drive_says_so_beside_its_number() -> None:
    told = media(services(drive(size_bytes=8 * GIB)), DESKTOP)
    assert "Cannot be chosen: A desktop needs 24 GiB" in told.flat
    assert f"Number {DESKTOP} cannot be chosen: " in told.flat


def test_an_mbr_is_made_and_unmade_by_its_number(tmp_path: Path) -> None:
    plan = saved(services(), tmp_path, TABLE)
    assert table_of(plan).table == "mbr"
    told = media(services(), TABLE, TABLE)
    assert "An MBR is made instead of a GPT." in told.flat
    assert "An MBR is made" not in told.after("Make a GPT, as is usual, instead of the MBR.")


def test_an_mbr_that_cannot_be_says_why() -> None:
    large = media(services(drive(size_bytes=8 * TIB)), TABLE)
    assert "Cannot be chosen: An MBR counts blocks in 32 bits" in large.flat
    kept = media(services(partitioned(partition(filesystem="ext4"))), "", TABLE)
    assert "a new MBR can only be made where everything on the drive is replaced" in kept.flat
