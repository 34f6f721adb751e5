"""Profiles of the user's own: they extend and replace, and what is wrong in them is said with file, line and
key."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from wizard.advise.advise import advise
from wizard.advise.filesystems import FILESYSTEMS
from wizard.advise.workloads import find_workload, load_workloads
from wizard.cli import main
from wizard.documents import profiles
from wizard.layout.rules import mkfs_options_fault, mount_options_fault
from wizard.model.errors import BadInput, ExitCode
from wizard.model.finding import Recorded, Recording

WORKLOAD = """id = "photos"
title = "Photographs"
summary = "Pictures of some megabytes each."
label = "photos"

[[choices]]
filesystem = "ext4"
place = "chosen"
sentence = "It suits."
evidence = ["mine-1"]
mkfs = ["ext4-no-reserve", "my-inode-size"]
mount = ["noatime"]

[[choices]]
filesystem = "xfs"
place = "second"
sentence = "It suits too."
schedulers = ["mq-deadline"]

[choices.shingled]
place = "rejected"
sentence = "Less here."

[[choices]]
filesystem = "btrfs"
place = "rejected"
sentence = "It suits less."

[choices.shingled]
place = "second"
sentence = "More here."
"""

OPTIONS = """[[options]]
id = "my-inode-size"
kind = "mkfs"
filesystems = ["ext4"]
text = "-I 512"
why = "Room for attributes."
since = "2.6"
at_least = "1GiB"
conflicts = ["noatime"]
"""

EVIDENCE = """[study]
title = "Mine"
source = "my desk"
era = "2026"
kernel = "6.12"
hardware = "a laptop"

[[measurements]]
id = "mine-1"
title = "Copying photographs"
unit = "s"
lower_is_better = true
figures = [["ext4", 3], ["xfs", 3.5]]
"""

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """`write("workloads/a.toml", text)` puts a file into the user's own folder, which only this test sees."""
    monkeypatch.setattr(profiles, "profile_folders", lambda: (profiles.BUNDLED, tmp_path))

    def put(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return put


@pytest.fixture
def mine(write: Write) -> Path:
    """A sound workload with an option and a figure of the user's own."""
    write("options/mine.toml", OPTIONS.replace('conflicts = ["noatime"]\n', ""))
    write("evidence/mine.toml", EVIDENCE)
    return write("workloads/photos.toml", WORKLOAD)


def line(path: Path, text: str, nth: int = 0) -> int:
    """The number, from 1, of the nth line that begins so."""
    return [
        number for number, found in enumerate(path.read_text().splitlines(), 1) if found.startswith(text)
    ][nth]


def fault(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        load_workloads()
    said = str(caught.value)
    assert said.startswith(str(path)), said
    assert caught.value.exit_code is ExitCode.USAGE
    return said


def test_the_bundled_workloads() -> None:
    found = {profile.workload.id: profile for profile in load_workloads()}
    assert set(found) >= {"small-files", "large-media", "desktop-root"}
    for profile in found.values():
        assert Path(profile.workload.origin).is_file()
        assert profile.workload.label.isascii() and len(profile.workload.label) <= 12
    assert found["desktop-root"].root and not found["large-media"].root


def test_the_layout_takes_every_option_that_can_be_offered() -> None:
    for profile in load_workloads():
        for candidate in profile.candidates:
            for standing in (candidate.usual, candidate.shingled):
                words = tuple(word for option in standing.mkfs for word in option.text.split())
                assert mkfs_options_fault(candidate.filesystem, words) is None
                assert mount_options_fault(tuple(option.text for option in standing.mount)) is None


def test_a_users_workload_is_added(mine: Path) -> None:
    profile = find_workload("photos")
    assert profile.workload.origin == str(mine)
    ext4 = profile.candidates[0]
    assert [option.text for option in ext4.usual.mkfs] == ["-m 0", "-I 512"]
    assert ext4.usual.evidence[0].figures == (("ext4", 3), ("xfs", 3.5))
    assert ext4.shingled == ext4.usual
    xfs = profile.candidates[1]
    assert xfs.shingled.sentence == "Less here." and xfs.shingled.schedulers == xfs.usual.schedulers
    assert {other.workload.id for other in load_workloads()} >= {"photos", "small-files"}


def test_purposes_are_listed_by_what_people_come_for_and_a_users_own_last(mine: Path) -> None:
    names = [profile.workload.id for profile in load_workloads()]
    assert names[:3] == ["desktop-root", "large-media", "ssd-general"]
    assert names[-2:] == ["web-cache", "photos"]
    mine.write_text(mine.read_text().replace("label = ", "order = 15\nlabel = ", 1))
    assert [profile.workload.id for profile in load_workloads()][:3] == [
        "desktop-root",
        "photos",
        "large-media",
    ]


def test_a_users_workload_and_option_replace_the_bundled_ones(write: Write) -> None:
    path = write(
        "workloads/x.toml",
        WORKLOAD.replace('"photos"', '"small-files"', 1)
        .replace(', "my-inode-size"', "")
        .replace('["mine-1"]', "[]"),
    )
    write("options/y.toml", OPTIONS.replace("my-inode-size", "ext4-no-reserve").replace('["noatime"]', "[]"))
    found = [profile for profile in load_workloads() if profile.workload.id == "small-files"]
    assert [profile.workload.origin for profile in found] == [str(path)]
    assert [option.text for option in found[0].candidates[0].usual.mkfs] == ["-I 512"]


def test_an_unknown_workload_names_the_known_ones() -> None:
    with pytest.raises(
        BadInput, match=r"no workload 'videos\?\[2J'.*desktop-root, large-media, .*small-files"
    ):
        find_workload("videos\x1b[2J")


@pytest.mark.parametrize(
    ("old", "new", "at", "nth", "key", "says"),
    [
        ('place = "chosen"', 'place = "best"', "place", 0, "choices[0].place", "best"),
        ('place = "chosen"', 'palce = "chosen"', "palce", 0, "choices[0].palce", "extra field"),
        ('sentence = "It suits too."\n', "", "[[choices]]", 1, "choices[1]", "sentence"),
        (
            'place = "second"\nsentence = "More here."',
            'place = 2\nsentence = "More here."',
            "place",
            4,
            "choices[2].shingled.place",
            "2",
        ),
        ('id = "photos"', 'id = "Photos 1"', "id", 0, "id", "no id"),
        ('label = "photos"', 'label = "photographs-2026"', "label", 0, "label", "1 to 12"),
        ('label = "photos"', 'label = "фото"', "label", 0, "label", "1 to 12"),
        ('title = "Photographs"', 'title = "a\\u001b[2Jb"', "title", 0, "title", "plain text"),
        (
            '["ext4-no-reserve", ',
            '["ext4-no-reserv", ',
            "mkfs",
            0,
            "choices[0].mkfs",
            "no option 'ext4-no-reserv'",
        ),
        (
            '["ext4-no-reserve", ',
            '["noatime", ',
            "mkfs",
            0,
            "choices[0].mkfs",
            "noatime is an option for mount",
        ),
        (
            '["ext4-no-reserve", ',
            '["btrfs-metadata-twice", ',
            "mkfs",
            0,
            "choices[0].mkfs",
            "is for btrfs, not for ext4",
        ),
        (
            '["ext4-no-reserve", ',
            '["ext4-no-journal", ',
            "mkfs",
            0,
            "choices[0].mkfs",
            "never offered: Without a journal",
        ),
        (
            'mount = ["noatime"]',
            'mount = ["noatime", "ext4-barrier-0"]',
            "mount",
            0,
            "choices[0].mount",
            "never offered",
        ),
        (
            '["ext4-no-reserve", ',
            '["ext4-largefile", "ext4-largefile4", ',
            "mkfs",
            0,
            "choices[0].mkfs",
            "cannot be used together",
        ),
        ('["mq-deadline"]', '["elevator"]', "schedulers", 0, "choices[1].schedulers", "no option 'elevator'"),
        ('["mine-1"]', '["mine-2"]', "evidence", 0, "choices[0].evidence", "no evidence 'mine-2'"),
        (
            'filesystem = "xfs"',
            'filesystem = "reiserfs"',
            "filesystem",
            1,
            "choices[1].filesystem",
            "'reiserfs' is none of ",
        ),
        (
            'filesystem = "xfs"',
            'filesystem = "ext4"',
            "filesystem",
            1,
            "choices[1].filesystem",
            "ranked before",
        ),
        (
            'place = "second"\nsentence = "It suits too."',
            'place = "chosen"\nsentence = "It suits too."',
            "place",
            1,
            "choices[1].place",
            "more than one",
        ),
        (
            'place = "second"\nsentence = "More here."',
            'place = "chosen"\nsentence = "More here."',
            "place",
            4,
            "choices[2].shingled.place",
            "more than one",
        ),
        ('place = "chosen"', 'place = "rejected"', "[[choices]]", 0, "choices", "no filesystem is chosen"),
        (
            'place = "rejected"\nsentence = "It suits less."',
            'place = "second"\nsentence = "It suits less."',
            "place",
            3,
            "choices[2].place",
            "more than one filesystem is second; at most one",
        ),
        (
            'label = "photos"',
            'label = "photos"\nmeasured = ["mine-3"]',
            "measured",
            0,
            "measured",
            "no evidence 'mine-3'",
        ),
        (
            'sentence = "It suits."',
            'sentence = "It suits."\nunfit = true',
            "unfit",
            0,
            "choices[0].unfit",
            "only a filesystem that is rejected",
        ),
        (
            'sentence = "It suits less."',
            'sentence = " "',
            "sentence",
            3,
            "choices[2].sentence",
            "say in a sentence",
        ),
    ],
)
def test_faults_in_a_workload(mine: Path, old: str, new: str, at: str, nth: int, key: str, says: str) -> None:
    assert old in WORKLOAD
    mine.write_text(WORKLOAD.replace(old, new, 1), encoding="utf-8")
    said = fault(mine)
    assert f"line {line(mine, at, nth)}, {key}" in said
    assert says in said
    assert "\x1b" not in said


def test_a_filesystem_left_out_is_rejected_with_its_own_sentence(mine: Path) -> None:
    from tests.unit.machines import drive, machine

    mine.write_text(
        WORKLOAD[: WORKLOAD.rindex("[[choices]]")].replace('place = "second"', 'place = "rejected"', 1)
    )
    held = drive()
    advice = advise(
        machine(held), held, Recording("unknown", None, Recorded.UNKNOWN, "low"), find_workload("photos")
    )
    assert [(choice.filesystem, choice.ranked) for choice in advice.choices[:3]] == [
        ("ext4", True),
        ("xfs", True),
        ("btrfs", False),
    ]
    assert [choice.place.value for choice in advice.choices[:3]] == ["chosen", "rejected", "rejected"]
    assert advice.choices[2].sentence == FILESYSTEMS["btrfs"].in_general


def test_the_same_id_twice_in_one_folder(mine: Path, write: Write) -> None:
    second = write("workloads/second.toml", WORKLOAD)
    said = fault(second)
    assert "line 1, id" in said and str(mine) in said


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        ('"-I 512"', '"-J device=/dev/sdb"', "text", "cannot be written"),
        ('"-I 512"', '"-I 512 /dev/sdb"', "text", "cannot be written"),
        ('"-I 512"', '"-U clear"', "text", "diskwright itself"),
        ('"-I 512"', '"$(reboot)"', "text", "cannot be written"),
        ('kind = "mkfs"', 'kind = "mkswap"', "kind", "mkswap"),
        ('["ext4"]', '["ext5"]', "filesystems", "none of ext4"),
        ('["ext4"]', "[]", "filesystems", "at least one"),
        ('"2.6"', '"2.6.33"', "since", "kernel version"),
        ('"1GiB"', '"much"', "at_least", "not a size"),
        ('["noatime"]', '["notime"]', "conflicts", "no option 'notime'"),
        ('conflicts = ["noatime"]', "danger = true", "never", "say why"),
        ('since = "2.6"', "since = 2.6", "since", "expected str"),
    ],
)
def test_faults_in_an_option(write: Write, old: str, new: str, key: str, says: str) -> None:
    assert old in OPTIONS
    path = write("options/mine.toml", OPTIONS.replace(old, new, 1))
    said = fault(path)
    at = key if key != "never" else "[[options]]"
    assert f"line {line(path, at)}, options[0].{key}" in said
    assert says in said


def test_conflicts_are_seen_from_either_side(mine: Path, write: Write) -> None:
    write("options/mine.toml", OPTIONS.replace('["noatime"]', '["ext4-no-reserve"]'))
    assert "ext4-no-reserve and my-inode-size cannot be used together" in fault(mine)


@pytest.mark.parametrize(
    ("old", "new", "at", "key", "says"),
    [
        (
            '[["ext4", 3], ["xfs", 3.5]]',
            '[["ext4", "X"]]',
            "figures",
            "measurements[0].figures",
            "expected float",
        ),
        ('[["ext4", 3], ["xfs", 3.5]]', "[]", "figures", "measurements[0].figures", "no figure"),
        (
            "lower_is_better = true",
            'lower_is_better = "yes"',
            "lower_is_better",
            "measurements[0].lower_is_better",
            "expected bool",
        ),
        ('era = "2026"\n', "", "[study]", "study", "era"),
    ],
)
def test_faults_in_evidence(write: Write, old: str, new: str, at: str, key: str, says: str) -> None:
    path = write("evidence/mine.toml", EVIDENCE.replace(old, new, 1))
    said = fault(path)
    assert f"line {line(path, at)}, {key}" in said
    assert says in said


def test_a_file_that_is_no_toml(write: Write) -> None:
    path = write("workloads/broken.toml", 'id = "x\n')
    assert "line 1" in fault(path)


def test_two_options_with_the_same_flag_exclude_each_other(write: Write, mine: Path) -> None:
    write("options/mine.toml", OPTIONS.replace('"-I 512"', '"-m 1"').replace('["noatime"]', "[]"))
    assert "cannot be used together" in fault(mine)


def test_a_users_workload_is_advised(mine: Path) -> None:
    from tests.unit.machines import drive, machine

    held = drive()
    advice = advise(
        machine(held), held, Recording("unknown", None, Recorded.UNKNOWN, "low"), find_workload("photos")
    )
    assert advice.chosen is not None and advice.chosen.filesystem == "ext4"


@pytest.mark.parametrize(
    ("root", "environment", "homes"),
    [
        (False, {}, ["/home/me/.config"]),
        (False, {"SUDO_UID": "7"}, ["/home/me/.config"]),
        (True, {"SUDO_UID": "7"}, ["/home/me/.config", "/home/caller/.config"]),
        (True, {"PKEXEC_UID": "7"}, ["/home/me/.config", "/home/caller/.config"]),
        (True, {"SUDO_UID": "7", "HOME": "/home/caller"}, ["/home/caller/.config"]),
        (True, {"SUDO_UID": "8"}, ["/home/me/.config"]),
        (True, {"SUDO_UID": "-7"}, ["/home/me/.config"]),
        (True, {"SUDO_UID": "7", "XDG_CONFIG_HOME": "/srv/settings"}, ["/srv/settings"]),
        (False, {"XDG_CONFIG_HOME": "settings"}, ["/home/me/.config"]),
        (False, {"XDG_CONFIG_HOME": ""}, ["/home/me/.config"]),
        (False, {"HOME": "here"}, []),
    ],
)
def test_the_folders_are_those_of_who_asks_also_under_sudo(
    monkeypatch: pytest.MonkeyPatch, root: bool, environment: dict[str, str], homes: list[str]
) -> None:
    def known(number: int) -> SimpleNamespace:
        if number != 7:
            raise KeyError(number)
        return SimpleNamespace(pw_dir="/home/caller")

    for name in ("SUDO_UID", "PKEXEC_UID", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000)
    monkeypatch.setattr(profiles, "getpwuid", known)
    assert list(profiles.profile_folders()) == [
        profiles.BUNDLED,
        *(Path(folder, "diskwright") for folder in ("/etc", *homes)),
    ]


def test_a_user_whom_the_system_does_not_know_has_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    assert list(profiles.profile_folders()) == [profiles.BUNDLED, Path("/etc/diskwright")]


def test_workloads_shows_where_each_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    own = tmp_path / "diskwright" / "workloads" / "photos.toml"
    own.parent.mkdir(parents=True)
    own.write_text(WORKLOAD.replace(', "my-inode-size"', "").replace('["mine-1"]', "[]"), encoding="utf-8")
    assert main(["workloads"]) == 0
    said = capsys.readouterr().out
    assert f"from {own}" in said and f"from {profiles.BUNDLED}/workloads/mail.toml" in said
    assert main(["workloads", "--json"]) == 0
    origins = {one["id"]: one["origin"] for one in json.loads(capsys.readouterr().out)["workloads"]}
    assert origins["photos"] == str(own) and origins["mail"] == str(
        profiles.BUNDLED / "workloads" / "mail.toml"
    )
    own.write_text(own.read_text().replace("It suits too.", ""), encoding="utf-8")
    assert main(["workloads"]) == 2
    assert f"{own}, line {line(own, 'sentence', 1)}, choices[1].sentence: " in capsys.readouterr().err
