"""Host-managed zoned drives: the recommended filesystem, and the possible ones."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.lab.visits.drives.portraits import file_of
from tests.unit.machines import TOOLS, WORKLOADS, drive, machine
from tests.unit.pages import page_lines
from tests.unit.ui.live import Live
from tests.unit.ui.person import Person
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.cli.plan import advice_text
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.advice import Ability, Advice, Choice, Rank, ZonedUse
from wizard.model.drive_facts import Discard, Zones
from wizard.model.finding import Recorded, Recording
from wizard.model.machine import Drive, Kernel, Machine, Program
from wizard.model.said import GIB, MIB, TIB
from wizard.operations.rules import mkfs_options_fault, mount_options_fault
from wizard.probe.machine import load_machine

# ruff: noqa: ANN401 - the builders hand keywords of every type on to dataclasses.replace

MANAGED = Recording("shingled", "host-managed", Recorded.YES, "high")
FILESYSTEMS = frozenset({"ext4", "xfs", "btrfs", "f2fs", "zonefs"})
BTRFS = Program("mkfs.btrfs", (6, 2), frozenset({"mixed-bg", "zoned"}))


def zoned(drive_bytes: int = 14 * 1000**4, **zones: Any) -> Drive:
    """Return a host-managed disk with 256 MiB zones, the first 1 % conventional."""
    plain = Zones(256 * MIB, drive_bytes // (256 * MIB), 524, 256 * MIB, 128, 0, takes_partitions=False)
    return drive(size_bytes=drive_bytes, zoned="host-managed", zones=replace(plain, **zones))


def solid(**zones: Any) -> Drive:
    """Return a zoned NVMe drive with sequential zones only, whose capacity is below the zone size."""
    plain = Zones(2 * GIB, 900, 0, 1077 * MIB, 14, 14, takes_partitions=False)
    return drive(
        path="/dev/nvme0n1", bus="nvme", rotational=False, zoned="host-managed", zones=replace(plain, **zones)
    )


def host(release: str = "6.1.0-56-amd64", *tools: str, **changes: Any) -> Machine:
    """Return a machine whose kernel supports every filesystem for zones, with the usual tools."""
    kernel = Kernel(release, FILESYSTEMS, (("DM_ZONED", True),))
    found = tuple((name, f"/usr/sbin/{name}") for name in (*TOOLS, "mkfs.f2fs", *tools))
    return machine(
        **{"kernel": kernel, "tools": found, "programs": (BTRFS, Program("mkfs.xfs", (6, 1)))} | changes
    )


def advice_for(of: Drive, on: Machine, workload: str = "large-media") -> Advice:
    return advise(on, of, MANAGED, find_workload(workload))


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize(
    ("model", "kernels"),
    [("HGST HMH7210A0ALE600", None), ("HGST HMH7210A0AL", "none"), ("HSH721414ALE6M0", "none")],
)
def test_drive_without_random_writes_gets_no_options(model: str, kernels: str | None, workload: str) -> None:
    of = drive(model=model, zoned=kernels)
    recording = diagnose(host(), of, load_patterns()).recording
    assert recording.management == "host-managed"
    advice = advise(host(), of, recording, find_workload(workload))
    assert advice.chosen is None and not advice.usable
    for choice in advice.choices:
        assert choice.obstacles and not (choice.mkfs or choice.mount or choice.scheduler or choice.evidence)


def btrfs_of(advice: Advice) -> Choice:
    choice = advice.choice("btrfs")
    assert choice is not None
    return choice


def use(advice: Advice, title: str) -> ZonedUse:
    return next(use for use in advice.zoned if use.title == title)


def mkfs(choice: Choice) -> list[str]:
    return [option.text for option in choice.mkfs]


@pytest.mark.parametrize("workload", [name for name in WORKLOADS if name != "portable"])
def test_only_btrfs_is_recommended_and_others_give_a_reason(workload: str) -> None:
    advice = advice_for(zoned(), host(), workload)
    assert [(choice.filesystem, choice.place) for choice in advice.choices if not choice.obstacles] == [
        ("btrfs", Rank.RECOMMENDED)
    ]
    assert advice.chosen is btrfs_of(advice)
    for choice in advice.choices[1:]:
        assert choice.place is Rank.NOT_RECOMMENDED
        assert "would be" not in str(choice.sentence) and not choice.evidence
        assert any("accepts no partitions on the drive" in obstacle for obstacle in choice.obstacles) and all(
            obstacle.endswith(".") for obstacle in choice.obstacles
        )
    assert not advice.doubts


def test_btrfs_is_not_recommended_for_shared_drives() -> None:
    """Being the only possible filesystem does not make Btrfs readable on Windows."""
    advice = advice_for(zoned(), host(), "portable")
    assert advice.chosen is None and btrfs_of(advice).place is Rank.NOT_RECOMMENDED
    assert [choice.filesystem for choice in advice.usable] == ["btrfs"]
    assert "Readable only on Linux" in str(btrfs_of(advice).sentence)
    said = " ".join(page_lines(advice_text(advice, zoned())))
    assert "1. Btrfs: recommended" not in said and "can still be created" in said


@pytest.mark.parametrize("title", ["F2FS", "XFS"])
def test_usable_filesystems_are_never_called_unusable(title: str) -> None:
    advice = advice_for(zoned(), host("6.15.0", "mkfs.f2fs"))
    choice = advice.choice(title.lower())
    assert choice is not None and choice.obstacles
    said = " ".join(" ".join(page_lines(advice_text(advice, zoned()))).split())
    assert "cannot be used here" not in said and "needs a second, conventional drive" not in said
    assert f"diskwright does not set up {title} on zones" in " ".join(choice.obstacles)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_options_suit_zones_and_can_be_passed_on(workload: str) -> None:
    choice = btrfs_of(advice_for(zoned(), host(), workload))
    assert mkfs(choice) == ["-O zoned", "-d single", "-m single"]
    assert mkfs_options_fault("btrfs", tuple(word for text in mkfs(choice) for word in text.split())) is None
    mount = tuple(option.text for option in choice.mount)
    assert mount_options_fault(mount) is None
    assert not {"autodefrag", "nodatacow", "discard", "lazytime"} & set(mount)
    assert "noatime" in mount
    assert choice.scheduler is not None and choice.scheduler.text == "mq-deadline"
    assert not choice.evidence, "what was measured on drives that manage themselves says nothing here"


@pytest.mark.parametrize(
    ("release", "of", "copies"),
    [
        ("5.18.0", solid(), "-m single"),
        ("6.11.2", solid(), "-m single"),
        ("6.12.9", solid(), "-m dup"),
        ("6.12.9", zoned(), "-m single"),
        ("6.12.9", solid(conventional=None), "-m single"),
    ],
)
def test_metadata_is_duplicated_if_a_power_cut_is_harmless(release: str, of: Drive, copies: str) -> None:
    assert mkfs(btrfs_of(advice_for(of, host(release)))) == ["-O zoned", "-d single", copies]


def test_newer_kernels_leave_the_scheduler_to_the_drive() -> None:
    for release, text in (("6.9.1", "mq-deadline"), ("6.12.9", "none")):
        scheduler = btrfs_of(
            advice_for(replace(solid(), schedulers=("none", "mq-deadline")), host(release))
        ).scheduler
        assert (scheduler.text if scheduler else "none") == text


def test_ordinary_drive_gets_no_zone_advice() -> None:
    for of in (drive(), drive(zoned="host-aware", zones=Zones(256 * MIB, 100, 100))):
        advice = advise(
            host(), of, Recording("unknown", None, Recorded.UNKNOWN, "none"), find_workload("large-media")
        )
        assert not advice.zoned
        assert mkfs(btrfs_of(advice)) == ["-m dup"]
        assert not btrfs_of(advice).obstacles
        assert not any("zone" in option.text for choice in advice.choices for option in choice.withheld)


@pytest.mark.parametrize(
    ("of", "on", "says"),
    [
        (zoned(), host("5.11.0"), "Requires kernel 5.12"),
        (zoned(), host(kernel=Kernel("6.1.0", frozenset({"ext4"}))), "does not support Btrfs"),
        (zoned(), host(tools=()), "btrfs-progs"),
        (
            zoned(),
            host(programs=(Program("mkfs.btrfs", (6, 2), frozenset({"mixed-bg"})),)),
            "built without zone support",
        ),
        (zoned(size_bytes=2 * MIB), host(), "4 MiB"),
        (zoned(1024 * GIB, size_bytes=16 * GIB), host(), "16 GiB"),
        (zoned(1024 * GIB, size_bytes=96 * MIB), host(), "powers of two"),
        (zoned(GIB, count=15), host(), "15 zones"),
        (solid(most_active=7), host(), "7 zones at a time"),
        (replace(zoned(), size_bytes=100 * MIB), host(), "128 MiB"),
    ],
)
def test_no_recommendation_without_btrfs(of: Drive, on: Machine, says: str) -> None:
    advice = advice_for(of, on)
    assert advice.chosen is None
    assert any(says in obstacle for obstacle in btrfs_of(advice).obstacles), btrfs_of(advice).obstacles
    assert use(advice, "Btrfs").ability is Ability.CANNOT or "128 MiB" in says
    assert page_lines(advice_text(advice, of))[2] == "No filesystem can be created here."


@pytest.mark.parametrize(
    ("of", "on", "says"),
    [
        (zoned(), host(programs=()), "Unknown whether this mkfs.btrfs"),
        (zoned(), host("unknown"), "Cannot read the kernel version"),
        (drive(zoned="host-managed"), host(), "zones"),
        (zoned(), host(kernel=Kernel("6.1.0", frozenset(), ())), "kernel's list of filesystems"),
    ],
)
def test_unknown_facts_are_doubts_not_blockers(of: Drive, on: Machine, says: str) -> None:
    advice = advice_for(of, on)
    assert advice.chosen is btrfs_of(advice)
    assert any(says in doubt for doubt in advice.doubts), advice.doubts
    assert use(advice, "Btrfs").ability is Ability.DOUBT


def test_host_managed_model_without_visible_zones_is_unusable() -> None:
    advice = advise(host(), drive(), MANAGED, find_workload("large-media"))
    assert advice.chosen is None
    assert all("controller" in " ".join(choice.obstacles) for choice in advice.choices)


@pytest.mark.parametrize(("takes", "able"), [(False, 0), (True, 3), (None, 3)])
def test_host_aware_drive_without_partitions(takes: bool | None, able: int) -> None:
    of = drive(zoned="host-aware", zones=Zones(256 * MIB, 100, 100, takes_partitions=takes))
    advice = advise(
        host(), of, Recording("shingled", "host-aware", Recorded.YES, "high"), find_workload("large-media")
    )
    usual = [choice for choice in advice.choices if choice.filesystem in ("ext4", "xfs", "btrfs")]
    assert sum(not choice.obstacles for choice in usual) == able
    assert not advice.zoned
    if not able:
        assert all("6.8" in choice.obstacles[-1] for choice in advice.choices)


def test_possible_filesystems_with_this_kernel_and_tools() -> None:
    seen = {use.title: use.ability for use in advice_for(zoned(), host()).zoned}
    assert seen == {
        "Btrfs": Ability.CAN,
        "F2FS": Ability.CAN,
        "XFS": Ability.CANNOT,
        "zonefs": Ability.CANNOT,
        "dm-zoned": Ability.CANNOT,
        "ext4, JFS, NILFS2 and partitions": Ability.CANNOT,
    }
    everything = host("6.17.0", "mkzonefs", "dmzadm", programs=(BTRFS, Program("mkfs.xfs", (6, 15))))
    able = replace(everything, kernel=Kernel("6.17.0", FILESYSTEMS, (("DM_ZONED", True), ("XFS_RT", True))))
    assert [use.ability for use in advice_for(zoned(), able).zoned] == [Ability.CAN] * 5 + [Ability.CANNOT]


@pytest.mark.parametrize(
    ("title", "on", "says", "ability"),
    [
        ("XFS", host(), "Requires kernel 6.15", Ability.CANNOT),
        ("XFS", host(), "mkfs.xfs 6.1 is too old", Ability.CANNOT),
        (
            "XFS",
            host("6.17.0", programs=(Program("mkfs.xfs", (6, 15)),)),
            "It is unknown if the kernel has CONFIG_XFS_RT",
            Ability.DOUBT,
        ),
        ("XFS", host("6.17.0", programs=()), "Cannot read the version of mkfs.xfs", Ability.DOUBT),
        (
            "XFS",
            host("6.17.0", kernel=Kernel("6.17.0", FILESYSTEMS, (("XFS_RT", False),))),
            "built without CONFIG_XFS_RT",
            Ability.CANNOT,
        ),
        ("F2FS", host(kernel=Kernel("6.1.0", frozenset({"btrfs"}))), "does not support F2FS", Ability.CANNOT),
        ("F2FS", host(tools=()), "f2fs-tools", Ability.CANNOT),
        ("zonefs", host("5.5.0", "mkzonefs"), "Requires kernel 5.6", Ability.CANNOT),
        ("zonefs", host(), "zonefs-tools", Ability.CANNOT),
        ("dm-zoned", host(), "dm-zoned-tools", Ability.CANNOT),
        (
            "dm-zoned",
            host("6.1.0", "dmzadm", kernel=Kernel("6.1.0", FILESYSTEMS, (("DM_ZONED", False),))),
            "DM_ZONED",
            Ability.CANNOT,
        ),
        (
            "dm-zoned",
            host("6.1.0", "dmzadm", kernel=Kernel("6.1.0", FILESYSTEMS)),
            "It is unknown if the kernel has CONFIG_DM_ZONED",
            Ability.DOUBT,
        ),
    ],
)
def test_blockers_of_each_filesystem(title: str, on: Machine, says: str, ability: Ability) -> None:
    seen = use(advice_for(zoned(), on), title)
    assert says in seen.sentence
    assert seen.ability is ability


def test_commands_follow_from_the_zones() -> None:
    able = host("6.17.0", "mkzonefs", "dmzadm")
    alone, beside = advice_for(zoned(), able), advice_for(solid(), able)
    assert use(alone, "F2FS").commands == ("mkfs.f2fs -f -m /dev/sda", "mount -t f2fs /dev/sda /mnt")
    assert use(beside, "F2FS").commands == (
        "mkfs.f2fs -f -m -c /dev/nvme0n1 /dev/OTHER",
        "mount -t f2fs /dev/OTHER /mnt",
    )
    assert use(alone, "XFS").commands == ("mkfs.xfs -r zoned=1 /dev/sda", "mount -t xfs /dev/sda /mnt")
    few = advice_for(zoned(conventional=500), able)
    assert use(few, "XFS").commands[0] == "mkfs.xfs -r zoned=1,rtdev=/dev/sda /dev/OTHER", "1 % are 521 zones"
    assert use(beside, "XFS").commands[1] == "mount -t xfs -o rtdev=/dev/nvme0n1 /dev/OTHER /mnt"
    assert use(alone, "dm-zoned").commands == ("dmzadm --format /dev/sda", "dmzadm --start /dev/sda")
    assert use(beside, "dm-zoned").commands[0] == "dmzadm --format /dev/OTHER /dev/nvme0n1"
    assert use(beside, "zonefs").commands[0] == "mkzonefs /dev/nvme0n1"
    assert use(beside, "Btrfs").commands[0] == "mkfs.btrfs -O zoned -d single -m dup /dev/nvme0n1"
    assert "second, conventional drive" in use(beside, "F2FS").sentence


def test_drive_too_large_for_f2fs_and_unknown_zone_count() -> None:
    assert "exceeds the limit of F2FS" in use(advice_for(zoned(20 * TIB), host()), "F2FS").sentence
    uncounted = advice_for(zoned(conventional=None), host("6.1.0", "dmzadm"))
    assert [use(uncounted, title).ability for title in ("F2FS", "dm-zoned")] == [Ability.DOUBT, Ability.DOUBT]


@pytest.mark.parametrize("of", [zoned(), solid(), zoned(conventional=None)])
def test_sentences_are_complete_and_lines_fit(of: Drive) -> None:
    for on in (host(), host("6.17.0", "mkzonefs", "dmzadm"), host(tools=(), kernel=Kernel("5.4.0"))):
        advice = advice_for(of, on, "desktop-root")
        for said in (
            *(use.sentence for use in advice.zoned),
            *advice.notes,
            *advice.doubts,
            *(str(c.sentence) for c in advice.choices),
        ):
            assert said[0].isupper() or said.startswith(("mkfs", "mkzonefs", "dmzadm", "zonefs")), said
            assert said.endswith("."), said
        lines = page_lines(advice_text(advice, of))
        assert "Zone support with this kernel and these tools" in lines
        assert all(len(line) <= 80 for line in lines if not line.startswith("     # "))


def test_system_cannot_boot_from_it_and_volume_loses_old_data() -> None:
    assert any("boot from" in note for note in advice_for(zoned(), host(), "desktop-root").notes)
    assert not any("boot from" in note for note in advice_for(zoned(), host()).notes)
    trims = replace(solid(), discard=Discard(4096, GIB))
    assert not any("fstrim" in note for note in advice_for(trims, host()).notes), (
        "zones are emptied otherwise"
    )


def test_wizard_shows_the_same_uses_and_commands() -> None:
    on = zoned()
    person = Person(Live(replace(host(), drives=(on,))))
    person.act("set-up", on.path)
    person.act("plan", "large-media")
    person.act("filesystem")
    for one in advice_for(on, host()).zoned:
        assert one.verdict in person.text and all(command in person.text for command in one.commands)


@pytest.mark.parametrize(
    ("name", "f2fs"), [("host-managed", "mkfs.f2fs -f -m /dev/"), ("nvme-zoned", "mkfs.f2fs -f -m -c /dev/")]
)
def test_drives_recorded_in_the_lab(name: str, f2fs: str) -> None:
    on = load_machine(file_of(name))
    (of,) = on.drives
    advice = advice_for(of, on)
    assert advice.chosen is btrfs_of(advice)
    assert mkfs(btrfs_of(advice)) == ["-O zoned", "-d single", "-m single"]
    assert [use.ability for use in advice.zoned][:3] == [Ability.CAN, Ability.CAN, Ability.CANNOT]
    assert use(advice, "F2FS").commands[0].startswith(f2fs)
    assert not advice.doubts


def test_recorded_host_aware_drive_has_no_partitions() -> None:
    on = load_machine(file_of("host-aware"))
    advice = advise(
        on,
        on.drives[0],
        Recording("shingled", "host-aware", Recorded.YES, "high"),
        find_workload("large-media"),
    )
    assert advice.chosen is None and not advice.zoned
