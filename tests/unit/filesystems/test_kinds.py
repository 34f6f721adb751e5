"""Facts about each filesystem: complete, valid, and loaded from files alone."""

import re
from pathlib import Path

import pytest

import wizard.filesystems
from wizard.filesystems.kind import FilesystemKind, MadeKind
from wizard.filesystems.registry import KINDS, MADE, mounted_as, not_made_because
from wizard.model.errors import printable

FOLDER = Path(wizard.filesystems.__path__[0])
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
each_made = pytest.mark.parametrize("kind", MADE.values(), ids=MADE)


def is_sentence(text: str) -> bool:
    return text.endswith(".") and text[:1].isupper() and printable(text, 1000) == text and "  " not in text


def test_every_filesystem_module_is_found() -> None:
    pattern = re.compile(r'(?:Kind\(|replace\(\n    EXT2_KIND,)\n(?:    \w+=.*\n)*?    name="([a-z0-9]+)"')
    assert {name for file in FOLDER.glob("*.py") for name in pattern.findall(file.read_text())} == set(KINDS)
    assert {"ext2", "ext3", "reiserfs", "reiser4", "ufs", "jffs2", "yaffs2"} == {
        name for name in KINDS if name not in MADE
    }


@each_kind
def test_unsupported_filesystem_has_a_reason_and_a_way_off(kind: FilesystemKind) -> None:
    assert kind.title
    if kind.name in MADE:
        assert kind.why_not is None is kind.way_off
    else:
        assert is_sentence(str(kind.why_not))
        assert is_sentence(str(kind.way_off))


@each_made
def test_supported_filesystem_is_complete(kind: MadeKind) -> None:
    assert is_sentence(str(kind.in_general))
    assert 0 < kind.minimum_bytes < kind.maximum_bytes
    assert str(kind.minimum_why) and not str(kind.minimum_why).endswith(".")
    assert kind.label_bytes >= 11
    assert all(mounted_as(name) is kind for name in kind.kernel_names)
    assert mounted_as("tmpfs") is None
    assert all(seconds > 0 for seconds in kind.seconds)
    assert not kind.flags & kind.bare_flags
    assert {kind}


def test_unsupported_filesystem_has_a_reason() -> None:
    assert not_made_because("reiserfs").startswith("diskwright does not make ReiserFS. Linux dropped it")
    made = r"diskwright does not make 'z\\x1bfs'\. Available: ext4, xfs, btrfs, .*vfat"
    assert re.match(made, not_made_because("z\x1bfs"))
