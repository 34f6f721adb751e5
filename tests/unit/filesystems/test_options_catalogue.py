"""The option catalogue: covers the studies, with a phrase and reason for each danger, and kernel support."""

import re
from pathlib import Path

import pytest

from wizard.advice.catalogue import CatalogueOption, OptionKind, load_catalogue, on_kernel
from wizard.advice.missing import NO_DRIVER
from wizard.documents import profiles
from wizard.filesystems.registry import MADE
from wizard.model.errors import BadInput
from wizard.model.machine import Kernel
from wizard.operations.rules import mkfs_options_fault, mount_options_fault

ALIGNMENT, CHOICE, EXT, STRIPING, SHINGLED = (
    "alignment",
    "choice of 2010",
    "ext4 of 2009",
    "striping of 2004",
    "shingled drives",
)

OFFERED, DEFAULT, NOT_ADVISED, REFUSED, DANGEROUS = (
    "offered",
    "default",
    "not recommended",
    "refused",
    "dangerous",
)

NAMED = [
    (CHOICE, "mount", "ext4", "defaults", DEFAULT),
    (CHOICE, "mount", "ext4", "async", DEFAULT),
    (CHOICE, "mount", "ext4", "noatime", OFFERED),
    (CHOICE, "mount", "ext4", "nodiratime", NOT_ADVISED),
    (CHOICE, "mount", "ext4", "data=writeback", DANGEROUS),
    (CHOICE, "mount", "ext4", "barrier=0", DANGEROUS),
    (CHOICE, "mkfs", "ext4", "-O ^has_journal", DANGEROUS),
    (CHOICE, "tune", "ext4", "tune2fs -O^has_journal", DANGEROUS),
    (CHOICE, "tune", "ext3", "tune2fs -O^has_journal", DANGEROUS),
    (CHOICE, "mkfs", "ext4", "-b 4096", DEFAULT),
    (CHOICE, "mkfs", "ext4", "-O extent", DEFAULT),
    (CHOICE, "mount", "ext4", "delalloc", DEFAULT),
    (CHOICE, "mount", "reiserfs", "notail", REFUSED),
    (CHOICE, "mount", "reiserfs", "data=writeback", REFUSED),
    (CHOICE, "mount", "ext4", "notail", REFUSED),
    (CHOICE, "mount", "xfs", "barrier=0", REFUSED),
    (CHOICE, "mount", "xfs", "noatime", OFFERED),
    (CHOICE, "mount", "btrfs", "data=writeback", REFUSED),
    (CHOICE, "mount", "btrfs", "ssd", NOT_ADVISED),
    (CHOICE, "mount", "btrfs", "noatime", OFFERED),
    (CHOICE, "scheduler", "ext4", "deadline", REFUSED),
    (CHOICE, "scheduler", "ext4", "anticipatory", REFUSED),
    (EXT, "tune", "ext3", "tune2fs -O extent", OFFERED),
    (EXT, "mkfs", "ext4", "-O extents", DEFAULT),
    (EXT, "mkfs", "ext4", "-O huge_file", DEFAULT),
    (EXT, "mkfs", "ext4", "-O dir_nlink", DEFAULT),
    (EXT, "mkfs", "ext4", "-O uninit_bg", DEFAULT),
    (EXT, "mkfs", "ext4", "-I 256", DEFAULT),
    (EXT, "mkfs", "ext4", "-O extra_isize", DEFAULT),
    (EXT, "mkfs", "ext4", "-O ^has_journal", DANGEROUS),
    (EXT, "mount", "ext4", "delalloc", DEFAULT),
    (EXT, "mount", "ext4", "journal_checksum", DEFAULT),
    (EXT, "mount", "ext4", "journal_async_commit", REFUSED),
    (EXT, "mount", "ext4", "barrier=1", DEFAULT),
    (EXT, "mount", "ext4", "barrier=0", DANGEROUS),
    (EXT, "tune", "ext4", "e4defrag", OFFERED),
    (SHINGLED, "mount", "ext4", "noatime", OFFERED),
    (SHINGLED, "mount", "btrfs", "noatime", OFFERED),
    (SHINGLED, "mount", "ext4", "rw", DEFAULT),
    (SHINGLED, "mount", "ext4", "ro", NOT_ADVISED),
    (SHINGLED, "mount", "ext4", "remount,ro", NOT_ADVISED),
]
"""Study, kind, filesystem, option as the study writes it or means it, and what becomes of it. The one on
alignment names sectors only, the one on striping only a stripe of 128 KiB, which is `plan --chunk`."""


@pytest.fixture(scope="module")
def catalogue() -> dict[str, CatalogueOption]:
    return load_catalogue()


def spellings(option: CatalogueOption) -> set[str]:
    flag = option.text.split(" ")[0]
    return {option.text, *option.also, *(f"{flag} {text}" for text in option.also)}


@pytest.mark.parametrize(("study", "kind", "filesystem", "text", "becomes"), NAMED)
def test_every_option_in_a_study_is_known(
    catalogue: dict[str, CatalogueOption], study: str, kind: str, filesystem: str, text: str, becomes: str
) -> None:
    found = [
        option
        for option in catalogue.values()
        if option.kind == kind and filesystem in option.filesystems and text in spellings(option)
    ]
    assert len(found) == 1, (study, text)
    (option,) = found
    states = {
        OFFERED: not option.never,
        DEFAULT: option.default,
        REFUSED: option.refused,
        DANGEROUS: option.danger and not option.refused,
    }
    assert becomes in [state for state, holds in states.items() if holds] or (
        becomes == NOT_ADVISED and not any(states.values())
    )
    assert option.never.english.endswith(".") is (becomes != OFFERED)


def test_every_option_has_a_purpose_and_a_source(catalogue: dict[str, CatalogueOption]) -> None:
    for option in catalogue.values():
        for said in (option.why, option.does, option.risk, option.never):
            assert not said or (str(said).endswith(".") and str(said).isprintable()), (option.id, said)
        assert option.why and option.source, option.id


def test_available_options_are_accepted_by_the_layout(catalogue: dict[str, CatalogueOption]) -> None:
    for option in catalogue.values():
        for filesystem in option.filesystems:
            if option.refused or filesystem not in MADE:
                continue
            if option.kind is OptionKind.MKFS:
                assert mkfs_options_fault(filesystem, tuple(option.text.split())) is None, option.text
            elif option.kind is OptionKind.MOUNT and MADE[filesystem].mounts:
                assert mount_options_fault((option.text,)) is None, option.text


def test_options_with_the_same_text_differ_in_requirements(catalogue: dict[str, CatalogueOption]) -> None:
    seen: dict[tuple[str, str, str], CatalogueOption] = {}
    for option in catalogue.values():
        for filesystem in option.filesystems:
            other = seen.setdefault((option.kind, filesystem, option.text), option)
            assert other is option or other.needs != option.needs, (option.id, other.id)


@pytest.mark.parametrize(
    ("name", "release", "takes", "says"),
    [
        ("btrfs-csum-xxhash", "5.4.0", False, "Requires kernel 5.5"),
        ("btrfs-csum-xxhash", "5.5.0", True, ""),
        ("btrfs-csum-xxhash", "unheard-of", None, "Cannot read the kernel version"),
        ("mq-deadline-for-zones", "6.9.1", True, ""),
        ("mq-deadline-for-zones", "6.10.0", False, "Not supported since kernel 6.10"),
        ("xfs-nobarrier", "6.12.0", False, "Removed from the kernel"),
        ("xfs-nobarrier", "4.18.0", True, ""),
        ("xfs-nobarrier", "unheard-of", False, "Removed from the kernel"),
        ("btrfs-inode-cache", "6.1.0", True, ""),
        ("btrfs-inode-cache", "6.8.0", False, "fails from 6.8 on"),
        ("reiserfs-notail", "6.12.0", False, "does not support ReiserFS"),
        ("ext4-commit-30", "unheard-of", True, ""),
        ("ext4-barrier-0", "6.12.0", True, ""),
    ],
)
def test_kernel_support_is_explained(
    catalogue: dict[str, CatalogueOption], name: str, release: str, takes: bool | None, says: str
) -> None:
    verdict = on_kernel(catalogue[name], Kernel(release, frozenset({"ext4", "xfs", "btrfs"})))
    assert verdict.takes is takes
    assert says in str(verdict.why) and bool(says) is bool(verdict.why)


def test_kernel_without_the_filesystem_supports_no_options(catalogue: dict[str, CatalogueOption]) -> None:
    bare = Kernel("6.12.0", frozenset({"ext4"}))
    assert on_kernel(catalogue["xfs-logbsize-256k"], bare).why == NO_DRIVER(release="6.12.0", title="XFS")
    assert on_kernel(catalogue["noatime"], bare).takes


OWN = """[[options]]
id = "mine"
kind = "mount"
filesystems = ["ext4"]
text = "commit=600"
why = "It is mine."
"""


@pytest.mark.parametrize(
    ("added", "key", "says"),
    [
        ('never = "It hurts."\ndanger = true', "phrase", "need a phrase to confirm"),
        ('never = "It hurts."\nphrase = "it hurts"', "phrase", "need a phrase to confirm"),
        (
            'never = "It hurts."\ndanger = true\nrefused = true\nphrase = "it hurts"',
            "phrase",
            "need a phrase to confirm",
        ),
        ('never = "It hurts."\ndanger = true\nphrase = "it  hurts"', "phrase", "one line of plain text"),
        ('never = "It hurts."\ndanger = true\nphrase = "it\\thurts"', "phrase", "one line of plain text"),
        ("default = true", "never", "add the reason"),
    ],
)
def test_danger_without_a_phrase_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, added: str, key: str, says: str
) -> None:
    monkeypatch.setattr(profiles, "profile_folders", lambda: (profiles.BUNDLED, tmp_path))
    (tmp_path / "options").mkdir()
    (tmp_path / "options/mine.toml").write_text(f"{OWN}{added}\n")
    with pytest.raises(BadInput, match=rf"mine\.toml, line \d+, options 1, `{key}`: .*{re.escape(says)}"):
        load_catalogue()


@pytest.mark.parametrize(
    "text", ["tune2fs -O quota /dev/sda", "rm -rf", "tune2fs -O $(reboot)", "mkfs.ext4", "-m 0"]
)
def test_tune_option_is_a_known_program_without_a_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(profiles, "profile_folders", lambda: (profiles.BUNDLED, tmp_path))
    (tmp_path / "options").mkdir()
    (tmp_path / "options/mine.toml").write_text(
        OWN.replace('"mount"', '"tune"').replace('"commit=600"', f'"{text}"')
    )
    with pytest.raises(BadInput, match="cannot be written as a single tune option"):
        load_catalogue()
