"""The ranking of filesystems by workload and drive, and its explanation if none fits."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.machines import ALL_GEOMETRIES, E512, TOOLS, WORKLOADS, drive, machine, unread
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.filesystems.registry import MADE
from wizard.model.advice import Advice, Choice
from wizard.model.drive_facts import Discard
from wizard.model.finding import Recorded, Recording
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Kernel, Machine
from wizard.model.said import GIB, MIB, TIB, in_english

UNKNOWN = Recording("unknown", None, Recorded.UNKNOWN, "low")
SHINGLED = Recording("shingled", "drive", Recorded.YES, "high")
LIKELY = Recording("shingled", "drive", Recorded.LIKELY, "medium")
NAMES = ("noatime", "mke2fs", "exFAT")
"""With these a sentence may begin in small letters."""


def advice_for(
    workload: str,
    of: Drive | None = None,
    recording: Recording = UNKNOWN,
    on: Machine | None = None,
    size_bytes: int | None = None,
) -> Advice:
    held = of or drive()
    return advise(on or machine(held), held, recording, find_workload(workload), size_bytes=size_bytes)


def ranking(advice: Advice) -> list[tuple[str, str]]:
    """Return the ranks of ext4, XFS and Btrfs, which every Linux system has."""
    return [
        (choice.filesystem, choice.place.value)
        for choice in advice.choices
        if choice.filesystem in ("ext4", "xfs", "btrfs")
    ]


def the(advice: Advice, filesystem: str) -> Choice:
    choice = advice.choice(filesystem)
    assert choice is not None
    return choice


def texts(choice: Choice) -> tuple[list[str], list[str]]:
    return [option.text for option in choice.mkfs], [option.text for option in choice.mount]


@pytest.mark.parametrize(
    ("workload", "order"),
    [
        ("small-files", ["ext4", "xfs", "btrfs"]),
        ("large-media", ["xfs", "ext4", "btrfs"]),
        ("desktop-root", ["ext4", "btrfs", "xfs"]),
        ("ssd-general", ["ext4", "xfs", "btrfs"]),
        ("archive-backup", ["ext4", "btrfs", "xfs"]),
        ("database", ["xfs", "ext4", "btrfs"]),
        ("vm-images", ["xfs", "ext4", "btrfs"]),
        ("mail", ["ext4", "xfs", "btrfs"]),
        ("web-cache", ["ext4", "xfs", "btrfs"]),
        ("nas", ["btrfs", "xfs", "ext4"]),
    ],
)
def test_order_on_an_ordinary_drive(workload: str, order: list[str]) -> None:
    for geometry in ALL_GEOMETRIES:
        advice = advice_for(workload, drive(geometry=geometry))
        assert ranking(advice) == list(zip(order, ["chosen", "second", "rejected"], strict=True))
        assert advice.choices[1].place.value == "second" and not any(
            choice.place.value != "rejected" for choice in advice.choices[2:]
        )
        assert advice.chosen is advice.choices[0]
        assert all("Run a trial" in doubt for doubt in advice.doubts)


@pytest.mark.parametrize("recording", [SHINGLED, LIKELY])
@pytest.mark.parametrize(
    ("workloads", "order"),
    [
        (
            (
                "archive-backup",
                "database",
                "desktop-root",
                "large-media",
                "mail",
                "small-files",
                "ssd-general",
                "vm-images",
                "web-cache",
            ),
            ["ext4", "btrfs", "xfs"],
        ),
        (("nas",), ["btrfs", "ext4", "xfs"]),
    ],
)
def test_order_on_a_shingled_drive(
    workloads: tuple[str, ...], order: list[str], recording: Recording
) -> None:
    for workload in workloads:
        advice = advice_for(workload, drive(size_bytes=8 * 1000**4), recording)
        assert ranking(advice) == list(zip(order, ["chosen", "second", "rejected"], strict=True))
        assert "shingled" in str(advice.choices[0].sentence)
        for choice in (the(advice, name) for name in order):
            figures = any(card.id.startswith("shingled-") for card in choice.evidence)
            assert (
                figures or "No study" in str(choice.sentence) or "not measure backups" in str(choice.sentence)
            )
            assert "noatime" in texts(choice)[1]
        assert "-E packed_meta_blocks=1" in texts(the(advice, "ext4"))[0]


def test_options_for_large_media_on_a_shingled_drive() -> None:
    choice = the(advice_for("large-media", drive(size_bytes=8 * 1000**4), SHINGLED), "ext4")
    assert texts(choice) == (["-m 0", "-T largefile4", "-E packed_meta_blocks=1"], ["noatime", "lazytime"])


def test_shingled_drive_is_unsuitable_only_for_a_system() -> None:
    assert any("Avoid shingled drives" in note for note in advice_for("desktop-root", None, SHINGLED).notes)
    assert not any(
        "Avoid shingled drives" in note for note in advice_for("large-media", None, SHINGLED).notes
    )


@pytest.mark.parametrize(
    ("workload", "filesystem", "mkfs", "mount"),
    [
        ("small-files", "ext4", ["-i 8192"], ["noatime"]),
        ("small-files", "xfs", [], ["noatime"]),
        ("small-files", "btrfs", ["-m dup"], ["noatime", "compress=zstd:1"]),
        ("large-media", "xfs", [], ["noatime"]),
        ("large-media", "ext4", ["-m 0", "-T largefile"], ["noatime"]),
        ("large-media", "btrfs", ["-m dup"], ["noatime"]),
        ("desktop-root", "ext4", [], []),
        ("desktop-root", "btrfs", ["-m dup"], ["noatime", "compress=zstd:1"]),
        ("archive-backup", "ext4", ["-m 0"], ["noatime"]),
        ("nas", "btrfs", ["-m dup"], ["noatime", "compress=zstd:1"]),
        ("web-cache", "ext4", ["-i 8192"], ["noatime"]),
        ("database", "xfs", [], ["noatime"]),
        ("vm-images", "xfs", [], ["noatime"]),
        ("mail", "ext4", [], ["noatime"]),
        ("portable", "exfat", [], ["noatime", "iocharset=utf8"]),
        ("portable", "vfat", [], ["noatime", "utf8", "flush"]),
    ],
)
def test_options_on_an_ordinary_drive(
    workload: str, filesystem: str, mkfs: list[str], mount: list[str]
) -> None:
    assert texts(the(advice_for(workload), filesystem)) == (mkfs, mount)


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("recording", [UNKNOWN, SHINGLED])
@pytest.mark.parametrize("rotational", [True, False])
def test_journal_and_barriers_are_always_kept(workload: str, recording: Recording, rotational: bool) -> None:
    for choice in advice_for(workload, drive(rotational=rotational), recording).choices:
        words = " ".join(option.text for option in (*choice.mkfs, *choice.mount))
        assert not any(bad in words for bad in ("has_journal", "barrier", "writeback", "discard"))
        for option in (*choice.mkfs, *choice.mount):
            assert str(option.why).endswith(".")


HARD_DISK, SSD = {"rotational": True}, {"rotational": False, "kernel_rotational": False}


@pytest.mark.parametrize(
    ("workload", "filesystem", "of", "applies"),
    [
        ("nas", "btrfs", HARD_DISK, True),
        ("nas", "btrfs", SSD, False),
        ("nas", "btrfs", SSD | {"bus": "nvme", "path": "/dev/nvme0n1"}, False),
        ("nas", "btrfs", {"rotational": None, "kernel_rotational": None}, True),
        ("database", "xfs", HARD_DISK, True),
        ("database", "xfs", SSD, False),
        ("ssd-general", "ext4", SSD, True),
        ("ssd-general", "ext4", HARD_DISK, False),
    ],
)
def test_figures_apply_only_to_the_measured_kind_of_drive(
    workload: str, filesystem: str, of: dict[str, Any], applies: bool
) -> None:
    (profile,) = [one for one in find_workload(workload).usual.choices if one.filesystem == filesystem]
    choice = the(advice_for(workload, drive(**of)), filesystem)
    said = in_english(choice.sentence)
    assert in_english(profile.results)
    assert (in_english(profile.results) in said) is applies
    assert ("Uncertain: " in said) is not applies
    assert bool(choice.evidence) is applies
    # Figure or not, what was measured is dated.
    first = profile.evidence[0]
    assert all(str(fact) in str(choice.sentence) for fact in (first.era, first.kernel, first.hardware))


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("of", [HARD_DISK, SSD])
def test_evidence_of_another_kind_of_drive_is_not_shown(workload: str, of: dict[str, Any]) -> None:
    advice = advice_for(workload, drive(**of))
    shown = [card for choice in advice.choices for card in choice.evidence]
    shown += [card for unmade in advice.unmade for card in unmade.evidence]
    assert all(card.rotational is of["rotational"] for card in shown)
    assert find_workload(workload).usual.figures == () or advice.doubts or of is HARD_DISK


def test_inode_count_depends_on_the_volume_size() -> None:
    big = drive(size_bytes=4 * TIB)
    assert "-i 8192" in texts(the(advice_for("small-files", big), "ext4"))[0]
    assert texts(the(advice_for("small-files", big), "xfs"))[0] == ["-i maxpct=25"]
    small = advice_for("small-files", big, size_bytes=400 * MIB)
    assert texts(the(small, "ext4"))[0] == []
    assert texts(the(small, "xfs"))[0] == []
    assert not {"-i 16384", "-i 32768"} & {
        one.text for one in the(advice_for("small-files", big), "ext4").withheld
    }
    for size in (33, 65, 91, 127):
        assert texts(the(advice_for("small-files", drive(size_bytes=size * TIB)), "ext4"))[0] == ["-i 32768"]
    huge = advice_for("small-files", drive(size_bytes=128 * TIB + 4 * MIB))
    assert texts(the(huge, "ext4"))[0] == [], "an inode for every 32 KiB would reach 2^32 inodes"
    reasons = {option.text: option.reason for option in the(huge, "ext4").withheld}
    assert "16 TiB" in str(reasons["-i 8192"])


def test_missing_tool_names_its_package_and_the_second_moves_up() -> None:
    on = machine(tools=tuple((name, name) for name in TOOLS if name != "mkfs.xfs"))
    advice = advice_for("large-media", on=on)
    assert ranking(advice) == [("ext4", "chosen"), ("btrfs", "second"), ("xfs", "rejected")]
    (obstacle,) = the(advice, "xfs").obstacles
    assert "mkfs.xfs" in obstacle and "xfsprogs" in obstacle
    moved = the(advice, "ext4").sentence
    assert "Moved up because XFS cannot be used here" in str(moved)
    assert "xfsprogs" in str(moved)
    assert "Moved up because XFS" in str(the(advice, "btrfs").sentence)
    assert "would suit this workload" in str(the(advice, "xfs").sentence)


def test_order_below_a_blocker_is_unchanged() -> None:
    on = machine(tools=tuple((name, name) for name in TOOLS if name != "mkfs.btrfs"))
    advice = advice_for("large-media", on=on)
    assert ranking(advice) == [("xfs", "chosen"), ("ext4", "second"), ("btrfs", "rejected")]
    assert the(advice, "ext4").sentence == the(advice_for("large-media"), "ext4").sentence


def test_shared_drives_get_no_linux_only_filesystem() -> None:
    everything = [program for kind in MADE.values() for program in kind.programs]
    kernel = Kernel("6.12.9", frozenset({"ext4", "xfs", "btrfs", "exfat", "ntfs3", "vfat"}))
    able = machine(kernel=kernel, tools=tuple((name, name) for name in (*TOOLS, *everything)))
    order = [
        (choice.filesystem, choice.place.value) for choice in advice_for("portable", on=able).choices[:3]
    ]
    assert order == [("exfat", "chosen"), ("ntfs", "second"), ("vfat", "rejected")]
    only_fat = replace(able, tools=tuple((name, name) for name in (*TOOLS, *MADE["vfat"].programs)))
    chosen, *others = advice_for("portable", on=only_fat).choices
    assert chosen.place == "chosen" and chosen.filesystem == "vfat" and "4 GiB" in str(chosen.sentence)
    assert others[0].filesystem == "exfat" and str(others[0].sentence).startswith(
        "exFAT would suit this workload"
    )
    assert (
        advice_for("portable", on=replace(able, tools=tuple((name, name) for name in TOOLS))).chosen is None
    )


def test_unfit_or_unranked_filesystem_never_moves_up() -> None:
    profile = find_workload("large-media")
    on = machine(tools=tuple((name, name) for name in TOOLS if name not in ("mkfs.xfs", "mkfs.ext4")))
    held = drive()
    for ranked in (True, False):
        stays = tuple(
            replace(one, moves_up=False, ranked=ranked) if one.filesystem == "btrfs" else one
            for one in profile.usual.choices
        )
        advice = advise(on, held, UNKNOWN, replace(profile, usual=replace(profile.usual, choices=stays)))
        assert advice.chosen is None
        assert the(advice, "btrfs").sentence == the(advice_for("large-media"), "btrfs").sentence


def test_kernel_without_the_filesystem() -> None:
    advice = advice_for("desktop-root", on=machine(kernel=Kernel("6.12.9", frozenset({"xfs"}))))
    assert ranking(advice)[0] == ("xfs", "chosen")
    assert "ext4 and Btrfs cannot be used here" in str(advice.choices[0].sentence)
    assert "6.12.9" in the(advice, "ext4").obstacles[0]


def test_unreadable_filesystem_list_is_a_doubt_not_a_blocker() -> None:
    advice = advice_for("desktop-root", on=machine(kernel=Kernel("6.12.9")))
    assert not any("kernel" in obstacle for choice in advice.choices for obstacle in choice.obstacles)
    assert any("kernel" in doubt for doubt in advice.doubts)


@pytest.mark.parametrize(
    ("room", "able"),
    [
        (0, set()),
        (16 * MIB - 1, set()),
        (16 * MIB, {"ext4"}),
        (127 * MIB, {"ext4"}),
        (128 * MIB, {"ext4", "btrfs"}),
        (299 * MIB, {"ext4", "btrfs"}),
        (300 * MIB, {"ext4", "btrfs", "xfs"}),
        (1024 * 1024 * TIB, {"ext4", "btrfs", "xfs"}),
        (1024 * 1024 * TIB + 4096, {"btrfs", "xfs"}),
    ],
)
def test_unsupported_volume_sizes_are_rejected(room: int, able: set[str]) -> None:
    """A whole drive needs 2 MiB more for the partition table than a volume."""
    for advice in (
        advice_for("large-media", drive(size_bytes=room + 2 * MIB)),
        advice_for("large-media", size_bytes=room),
    ):
        assert {choice.filesystem for choice in advice.choices if not choice.obstacles} & {
            "ext4",
            "btrfs",
            "xfs",
        } == able


def test_blocks_larger_than_the_filesystem_supports() -> None:
    advice = advice_for("large-media", drive(geometry=Geometry(16384, 16384, 0, 16384, 0)))
    assert advice.chosen is None
    assert "16384" in advice.choices[0].obstacles[0]


def test_scheduler_is_recommended_only_for_hard_disks_with_support() -> None:
    assert the(advice_for("large-media"), "xfs").scheduler is not None
    for of in (drive(rotational=False), drive(rotational=None), drive(schedulers=("none",))):
        choice = the(advice_for("large-media", of), "xfs")
        assert choice.scheduler is None
        assert any(option.text == "mq-deadline" and option.reason for option in choice.withheld)
    assert the(advice_for("small-files"), "ext4").scheduler is None, (
        "the kernel's default is right for small files"
    )


def test_ssd_workload_warns_on_a_rotating_drive() -> None:
    for rotational, told in ((True, 1), (False, 0), (None, 0)):
        notes = advice_for("ssd-general", drive(rotational=rotational)).notes
        assert sum("non-rotating drives" in note for note in notes) == told
    assert not any("non-rotating drives" in note for note in advice_for("mail").notes)


def test_discard_is_a_note_not_an_option() -> None:
    solid = advice_for("desktop-root", drive(rotational=False, discard=Discard(4096, GIB)))
    assert any("fstrim.timer" in note for note in solid.notes)
    assert not any("fstrim" in note for note in advice_for("desktop-root").notes)
    assert any(option.text == "discard" for option in the(solid, "ext4").withheld)


def test_old_advice_is_withheld_with_its_reason() -> None:
    reasons = {option.text: option.reason for option in the(advice_for("small-files"), "ext4").withheld}
    for text in (
        "nobarrier",
        "data=writeback",
        "-O ^has_journal",
        "notail",
        "nodiratime",
        "anticipatory",
        "deadline",
    ):
        assert str(reasons[text]).endswith(".")


def test_older_kernel_gets_no_newer_options() -> None:
    old = Kernel("4.9.0", frozenset({"ext4", "xfs", "btrfs"}))
    choice = the(advice_for("desktop-root", on=machine(kernel=old)), "btrfs")
    assert texts(choice)[1] == ["noatime"]
    assert any(
        option.text == "compress=zstd:1" and "5.1" in str(option.reason) and "4.9.0" in str(option.reason)
        for option in choice.withheld
    )


def test_unread_facts_are_doubts_with_a_reason() -> None:
    blind = drive(
        size_bytes=None,
        geometry=None,
        rotational=None,
        zoned=None,
        unread=(unread("rotational", "The probe was ended after 10 s."),),
    )
    doubts = advice_for("large-media", blind).doubts
    assert len([doubt for doubt in doubts if "`t`" not in doubt]) == 4
    assert any("rotates" in doubt and "10 s" in doubt for doubt in doubts)
    assert advice_for("large-media", blind).chosen is not None


def test_content_unreadable_by_root_is_a_doubt_about_the_drive() -> None:
    torn = drive(unread=(unread("signatures", "Byte 0 could not be read: Input/output error."),))
    assert any(
        "may be failing" in doubt and "Byte 0" in doubt
        for doubt in advice_for("large-media", torn, on=machine(root=True)).doubts
    )
    assert not any(
        "may be failing" in doubt for doubt in advice_for("large-media", torn, on=machine(root=False)).doubts
    )


@pytest.mark.parametrize("workload", WORKLOADS)
def test_same_facts_give_the_same_advice(workload: str) -> None:
    profile = find_workload(workload)
    held = drive()
    shingled = replace(profile.shingled, choices=profile.shingled.choices[::-1])
    backwards = advise(machine(held), held, SHINGLED, replace(profile, shingled=shingled))
    forwards = advise(machine(held), held, SHINGLED, profile)
    assert [one for one in forwards.choices if one.place != "rejected"] == [
        one for one in backwards.choices if one.place != "rejected"
    ]
    assert advise(machine(held), held, UNKNOWN, profile) == advise(
        machine(held), held, UNKNOWN, find_workload(workload)
    )


@pytest.mark.parametrize("workload", WORKLOADS)
def test_sentences_are_complete(workload: str) -> None:
    for recording in (UNKNOWN, LIKELY, SHINGLED):
        advice = advice_for(workload, drive(geometry=E512, rotational=None), recording)
        said = [str(choice.sentence) for choice in advice.choices] + [*advice.doubts, *advice.notes]
        said += [str(option.reason) for choice in advice.choices for option in choice.withheld]
        assert not [
            one
            for one in said
            if not one.endswith((".", ".)")) or not (one[0].isupper() or one.split()[0] in NAMES)
        ]
