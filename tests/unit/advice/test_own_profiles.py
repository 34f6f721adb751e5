"""User profiles: their folders, and how they extend and replace bundled profiles."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.advice.ownprofiles import OPTIONS, WORKLOAD, Write, line, write_sound, writing
from tests.unit.machines import drive, machine
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload, load_workloads
from wizard.cli.main import main
from wizard.documents import profiles
from wizard.filesystems.registry import MADE
from wizard.model.errors import BadInput
from wizard.model.finding import Recorded, Recording
from wizard.operations.rules import mkfs_options_fault, mount_options_fault


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    return writing(tmp_path, monkeypatch)


@pytest.fixture
def mine(write: Write) -> Path:
    return write_sound(write)


def test_bundled_workloads() -> None:
    found = {profile.workload.id: profile for profile in load_workloads()}
    assert set(found) >= {"small-files", "large-media", "desktop-root"}
    for profile in found.values():
        assert Path(profile.workload.origin).is_file()
        assert profile.workload.label.isascii() and len(profile.workload.label) <= 12
    assert found["desktop-root"].root and not found["large-media"].root


def test_layout_accepts_every_offered_option() -> None:
    for profile in load_workloads():
        for standing in (*profile.usual.choices, *profile.shingled.choices):
            words = tuple(word for option in standing.mkfs for word in option.text.split())
            assert mkfs_options_fault(standing.filesystem, words) is None
            assert mount_options_fault(tuple(option.text for option in standing.mount)) is None


def test_user_workload_is_added(mine: Path) -> None:
    profile = find_workload("photos")
    assert profile.workload.origin == str(mine)
    ext4, xfs, *_ = profile.usual.choices
    assert [option.text for option in ext4.mkfs] == ["-m 0", "-I 512"]
    assert ext4.evidence[0].figures == (("ext4", 3), ("xfs", 3.5))
    alike, less, *_ = profile.shingled.choices
    assert alike == ext4 and str(less.sentence) == "Less here." and less.schedulers == xfs.schedulers
    assert {other.workload.id for other in load_workloads()} >= {"photos", "small-files"}


def test_workloads_are_listed_by_popularity_and_custom_ones_last(mine: Path) -> None:
    names = [profile.workload.id for profile in load_workloads()]
    assert names[:3] == ["desktop-root", "large-media", "ssd-general"]
    assert names[-2:] == ["web-cache", "photos"]
    mine.write_text(mine.read_text().replace("label = ", "order = 15\nlabel = ", 1))
    assert [profile.workload.id for profile in load_workloads()][:3] == [
        "desktop-root",
        "photos",
        "large-media",
    ]


def test_user_workload_and_option_replace_the_bundled_ones(write: Write) -> None:
    path = write(
        "workloads/x.toml",
        WORKLOAD.replace('"photos"', '"small-files"', 1)
        .replace(', "my-inode-size"', "")
        .replace('["mine-1"]', "[]"),
    )
    write("options/y.toml", OPTIONS.replace("my-inode-size", "ext4-no-reserve").replace('["noatime"]', "[]"))
    found = [profile for profile in load_workloads() if profile.workload.id == "small-files"]
    assert [profile.workload.origin for profile in found] == [str(path)]
    assert [option.text for option in found[0].usual.choices[0].mkfs] == ["-I 512"]


def test_unknown_workload_names_the_known_ones() -> None:
    with pytest.raises(
        BadInput, match=r"Unknown workload 'videos\\x1b\[2J'.*desktop-root, large-media, .*small-files"
    ):
        find_workload("videos\x1b[2J")


def test_omitted_filesystem_is_rejected_with_its_own_sentence(mine: Path) -> None:
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
    assert advice.choices[2].sentence == MADE["btrfs"].in_general


def test_user_workload_is_recommended(mine: Path) -> None:
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
def test_folders_belong_to_the_caller_also_under_sudo(
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


def test_unknown_user_has_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    assert list(profiles.profile_folders()) == [profiles.BUNDLED, Path("/etc/diskwright")]


def test_workloads_command_shows_the_source_of_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    own = tmp_path / "diskwright" / "workloads" / "photos.toml"
    own.parent.mkdir(parents=True)
    own.write_text(WORKLOAD.replace(', "my-inode-size"', "").replace('["mine-1"]', "[]"), encoding="utf-8")
    assert main(["workloads"]) == 0
    said = capsys.readouterr().out
    assert str(own) in said and f"{profiles.BUNDLED}/workloads/mail.toml" in said
    assert main(["workloads", "--json"]) == 0
    origins = {one["id"]: one["origin"] for one in json.loads(capsys.readouterr().out)["workloads"]}
    assert origins["photos"] == str(own) and origins["mail"] == str(
        profiles.BUNDLED / "workloads" / "mail.toml"
    )
    own.write_text(own.read_text().replace("It suits too.", ""), encoding="utf-8")
    assert main(["workloads"]) == 2
    assert f"{own}, line {line(own, 'sentence', 1)}, choices 2, `sentence`: " in capsys.readouterr().err
