"""Lines of fstab and crypttab about volumes that a plan removes."""

from pathlib import Path
from uuid import uuid4

import pytest
from msgspec.structs import replace

from tests.unit.machines import machine, partition, partitioned
from tests.unit.plan.layouts import spec
from wizard.apply.run.backup_store import Environment
from wizard.apply.settings import existing_filesystem
from wizard.apply.system import fstab as system_fstab
from wizard.host.services import Services
from wizard.model.machine import Signature
from wizard.model.said import GIB, MIB
from wizard.plan.plan import Plan
from wizard.plan.request.plan_request import DeletePart, Mode, NewVolumes
from wizard.probe.host.sysfs import unescaped

OLD = "7d9fc3cb-0b76-4a4b-a6d2-000000000001"
FILMS = replace(
    partition(1, MIB, GIB, signatures=(Signature("ext4", "filesystem", uuid=OLD, label="films"),)),
    name="my photos",
)
OTHER = partition(2, 2 * GIB, GIB, filesystem="xfs")
DRIVE = partitioned(FILMS, OTHER)
LOCKED = partition(1, MIB, GIB, signatures=(Signature("crypto_LUKS", "crypto", uuid=OLD),))
BARE = partition(2, 2 * GIB, GIB)
CONTAINERS = partitioned(LOCKED, BARE)


def services(folder: Path, line: str) -> Services:
    fstab = folder / "fstab"
    fstab.write_text(f"# mounts\n{line}\n")
    return Services(environment=Environment(fstab=fstab))


def said(plan: Plan, folder: Path) -> str:
    return " ".join(str(doubt) for doubt in plan.doubts if str(folder) in str(doubt))


def replaced(folder: Path, line: str, label: str = "new", mode: Mode = Mode.REPLACE) -> str:
    specs = (spec("ext4", label=label),)
    return said(services(folder, line).plan(machine(DRIVE), (DRIVE,), NewVolumes(specs, mode)), folder)


@pytest.mark.parametrize(
    "source",
    [
        f"UUID={OLD}",
        f'UUID="{OLD.upper()}"',
        "LABEL=films",
        "LABEL='films'",
        "LABEL=\\146ilms",
        f"PARTUUID={FILMS.part_uuid}",
        "PARTLABEL=my\\040photos",
        "/dev/sda1",
        f"/dev/disk/by-uuid/{OLD}",
        "/dev/disk/by-label/films",
        f"/dev/disk/by-partuuid/{FILMS.part_uuid}",
        "/dev/disk/by-partlabel/my\\x20photos",
    ],
)
def test_line_for_lost_content_is_reported(source: str, tmp_path: Path) -> None:
    named = source
    stops = replaced(tmp_path, f"{source} /srv/films ext4 defaults 0 2")
    source = unescaped(source)
    assert stops.startswith("Line 2 of ") and source in stops and "lacks nofail" in stops
    assert "`diskwright unmount /dev/sda1 --boot`" in stops
    goes_on = replaced(tmp_path, f"{named} /srv/films ext4 noatime,nofail 0 2")
    assert source in goes_on and "lacks nofail" not in goes_on


@pytest.mark.parametrize(
    "signatures",
    [(), (Signature("ext4", "filesystem", uuid="1"), Signature("swap", "other", uuid="2", label="two"))],
)
@pytest.mark.parametrize("source", [f"PARTUUID={FILMS.part_uuid}", "PARTLABEL=my\\040photos", "/dev/sda1"])
def test_unclear_content_hides_no_line(
    tmp_path: Path, signatures: tuple[Signature, ...], source: str
) -> None:
    drive = partitioned(replace(FILMS, signatures=signatures), OTHER)
    sources = [source, *("UUID=2", "LABEL=two")[: len(signatures)]]
    for one in sources:
        ours = services(tmp_path, f"{one} /srv/films ext4 defaults 0 2")
        assert "lacks nofail" in said(
            ours.plan(machine(drive), (drive,), NewVolumes((spec("ext4"),), Mode.REPLACE)), tmp_path
        )


@pytest.mark.parametrize("source", ["LABEL=Films", "PARTLABEL=films", "LABEL=my\\040photos", "UUID=films"])
def test_other_kind_of_name_is_another_device(tmp_path: Path, source: str) -> None:
    assert not replaced(tmp_path, f"{source} /srv/films ext4 defaults 0 2")


@pytest.mark.parametrize("name", [f"UUID={OLD}", "/dev/sda1", "PARTUUID=" + str(FILMS.part_uuid)])
def test_lost_hibernated_system_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    conf = tmp_path / "initramfs-tools/conf.d"
    conf.mkdir(parents=True)
    (conf / "resume").write_text(f"# swap\nRESUME={name}\n")
    assert f"Line 2 of {conf}/resume names" in replaced(tmp_path, "")
    (conf / "resume").write_text("RESUME=none\n")
    assert not replaced(tmp_path, "")
    (tmp_path / "cmdline").write_text(f"BOOT_IMAGE=/vmlinuz root=/dev/vda resume={name} quiet\n")
    monkeypatch.setattr(system_fstab, "CMDLINE", tmp_path / "cmdline")
    monkeypatch.setattr(existing_filesystem, "CMDLINE", tmp_path / "cmdline")
    monkeypatch.setattr(Environment, "is_running_system", True)
    assert f"Line 1 of {tmp_path}/cmdline names" in replaced(tmp_path, "")
    (tmp_path / "cmdline").write_text("BOOT_IMAGE=/vmlinuz root=/dev/vda resume=UUID=other quiet\n")
    assert not replaced(tmp_path, "")


def test_line_that_blocks_boot_is_reported_among_several(tmp_path: Path) -> None:
    lines = [
        f"UUID={OLD} /srv/{name} btrfs subvol={name}{more} 0 0"
        for name, more in (("a", ",nofail"), ("b", ""))
    ]
    told = replaced(tmp_path, "\n".join(lines))
    assert told.startswith("Line 3 of ") and "lacks nofail" in told


def test_line_for_remaining_content_is_not_reported(tmp_path: Path) -> None:
    assert not replaced(tmp_path, "UUID=another /srv/films ext4 defaults 0 2")
    assert not replaced(tmp_path, "LABEL=films /srv/films ext4 defaults 0 2", label="films")
    assert not replaced(tmp_path, f"UUID={OLD} /srv/films ext4 defaults 0 2", mode=Mode.USE_FREE)


def test_only_lines_of_the_selected_partition_are_reported(tmp_path: Path) -> None:
    ours = services(tmp_path, f"UUID={OLD} /srv/films ext4 defaults 0 2")
    for part, is_told in ((FILMS, True), (OTHER, False)):
        specs = (spec("ext4", label=str(uuid4())[:8]),)
        for request in (DeletePart(part), NewVolumes(specs, part=part)):
            assert bool(said(ours.plan(machine(DRIVE), (DRIVE,), request), tmp_path)) is is_told


def opened(folder: Path, crypttab: str, fstab: str = "", mode: Mode = Mode.REPLACE) -> str:
    (folder / "crypttab").write_text(f"# containers\n{crypttab}\n")
    ours = services(folder, fstab)
    plan = ours.plan(machine(CONTAINERS), (CONTAINERS,), NewVolumes((spec("ext4", label="films"),), mode))
    return said(plan, folder)


@pytest.mark.parametrize(
    "source", [f"UUID={OLD}", f'UUID="{OLD}"', f"PARTUUID={LOCKED.part_uuid}", "/dev/sda1"]
)
def test_container_opened_at_boot_is_reported(source: str, tmp_path: Path) -> None:
    stops = opened(tmp_path, f"media {source} none luks,discard")
    assert stops.startswith(f"Line 2 of {tmp_path}/crypttab names {source}") and "lacks nofail" in stops
    # Nothing of diskwright's takes such a line out.
    assert "`" not in stops and "Remove that line first." in stops
    for option in ("nofail", "noauto"):
        goes_on = opened(tmp_path, f"  media\t{source} /etc/keys/media.key luks,{option}")
        assert source in goes_on and "lacks nofail" not in goes_on
    assert "lacks nofail" in opened(tmp_path, f"media {source}")


def test_links_in_dev_disk_are_followed(tmp_path: Path) -> None:
    (tmp_path / "by-id").symlink_to(LOCKED.path)
    assert "Line 2 of" in opened(tmp_path, f"media {tmp_path}/by-id none luks")


def test_unrelated_or_remaining_container_is_not_reported(tmp_path: Path) -> None:
    assert not opened(tmp_path, f"media UUID={OLD} none luks", mode=Mode.USE_FREE)
    for line in (
        "media UUID=another none luks",
        f"#media UUID={OLD} none luks",
        "media",
        f"# UUID={OLD} none",
    ):
        assert not opened(tmp_path, line)


def test_mount_of_a_lost_container_is_reported_by_its_open_name(tmp_path: Path) -> None:
    crypttab = f"media UUID={OLD} none luks,nofail"
    both = opened(tmp_path, crypttab, "/dev/mapper/media /srv/media ext4 defaults 0 2")
    assert both.count("Line 2 of") == 2 and f"{tmp_path}/fstab names /dev/mapper/media" in both
    assert both.count("lacks nofail") == 1 and "unmount" not in both
    assert (
        opened(tmp_path, crypttab, "/dev/mapper/other /srv/media ext4 defaults 0 2").count("Line 2 of") == 1
    )


@pytest.mark.parametrize(
    ("mark", "source", "is_lost"),
    [
        (Signature("LVM2_member", "raid", group="nas-1"), "/dev/nas-1/photos", True),
        (Signature("LVM2_member", "raid", group="nas-1"), "/dev/mapper/nas--1-photos", True),
        (Signature("LVM2_member", "raid", group="nas"), "/dev/mapper/nas--1-photos", False),
        (Signature("LVM2_member", "raid", group="nas"), "/dev/nas-1/photos", False),
        (Signature("linux_raid_member", "raid", label="old:photos"), "/dev/md/photos", True),
        (Signature("linux_raid_member", "raid", label="old:photos"), "/dev/md/photos2", False),
    ],
)
def test_mount_of_a_lost_group_or_array_is_reported_by_name(
    mark: Signature, source: str, is_lost: bool, tmp_path: Path
) -> None:
    drive = partitioned(replace(FILMS, signatures=(mark,)), OTHER)
    ours = services(tmp_path, f"{source} /srv/photos ext4 defaults 0 2")
    told = said(ours.plan(machine(drive), (drive,), NewVolumes((spec("ext4"),), Mode.REPLACE)), tmp_path)
    assert ("lacks nofail" in told) is is_lost


def test_swap_recreated_at_boot_would_destroy_new_content(tmp_path: Path) -> None:
    erases = opened(tmp_path, "swap /dev/sda2 /dev/urandom swap,cipher=aes-xts-plain64")
    assert f"crypttab overwrites {BARE.path} at every boot" in erases
    assert "overwrites" in opened(tmp_path, "tmp /dev/sda2 /dev/urandom tmp=ext4")
    assert "overwrites" in opened(tmp_path, "old /dev/sda2 none luks\nnew /dev/sda2 /dev/urandom swap")
    # It is found by what is lost itself, or by hand alone.
    assert "overwrites" not in opened(tmp_path, f"swap UUID={OLD} /dev/urandom swap")
    assert "overwrites" not in opened(tmp_path, "swap /dev/sda2 /dev/urandom swap,noauto")


def test_boot_blocking_line_is_reported_of_several_for_one_device(tmp_path: Path) -> None:
    lines = f"UUID={OLD} /srv/a ext4 nofail 0 2\nUUID={OLD} /srv/b ext4 defaults 0 2"
    told = replaced(tmp_path, lines)
    assert told.startswith("Line 3 of") and told.count("Line") == 1


def test_unreadable_crypttab_hides_no_fstab_line(tmp_path: Path) -> None:
    (tmp_path / "crypttab").mkdir()
    assert "fstab" in replaced(tmp_path, f"UUID={OLD} /srv/films ext4 defaults 0 2")
