"""A way to ext4 that is carried to a rescue medium: what may be carried, what is told, and that nothing else
fits there."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.ext4.migrations import EXT3, situation
from wizard.cli.conversion import carried_lines
from wizard.cli.main import main
from wizard.ext4.assessment import BootPath, Situation
from wizard.ext4.carry import difference, is_carried, is_in_use, make_carried, read_carried, render_carried
from wizard.ext4.check import is_migration
from wizard.model.errors import BadInput, Refused
from wizard.model.migration import Way

SIZE = EXT3.size_bytes
MOUNTED = replace(EXT3, features=EXT3.features | {"needs_recovery"}, needs_recovery=True, free_blocks=0)
ROOT = situation(
    MOUNTED, device_bytes=SIZE, is_root=True, mounts=("/",), boot=BootPath("/", initramfs="dracut")
)
THERE = situation(device_bytes=SIZE, device="/dev/sdc1")


def told(found: Situation) -> str:
    return " ".join(carried_lines(make_carried(found, Way.FULL), 2000, "/root/my plan.json"))


def test_what_is_in_use_can_be_carried_whatever_only_its_use_stands_against() -> None:
    assert not is_in_use(THERE)
    for found in (ROOT, replace(THERE, mounts=("/var",)), replace(THERE, swap_files=("/swap",))):
        assert is_in_use(found) and make_carried(found, Way.LIGHT, manifest=True).manifest
    gone = replace(ROOT, missing=("tune2fs",), e2fsprogs=(1, 40), no_snapshots="there is no dmsetup")
    assert make_carried(gone, Way.FULL).way is Way.FULL


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"features": MOUNTED.features | {"encrypt"}}, "encrypt"),
        ({"has_errors": True}, "--repair"),
        ({"journal_device": True}, "journal"),
    ],
)
def test_what_stands_against_it_anywhere_is_refused_here(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(Refused, match=said):
        make_carried(replace(ROOT, ext=replace(MOUNTED, **changes)), Way.FULL)
    if "has_errors" in changes:
        assert make_carried(replace(ROOT, ext=replace(MOUNTED, **changes)), Way.FULL, repairs=True).repairs
    for way in (Way.MOUNT, Way.FRESH):
        with pytest.raises(BadInput, match="light and full"):
            make_carried(ROOT, way)


def test_the_steps_say_how_and_where_fstab_is_changed() -> None:
    # A system stands on its /usr, too.
    root, var, usr = (
        told(ROOT),
        told(replace(ROOT, is_root=False, mounts=("/var",))),
        told(replace(ROOT, mounts=("/usr",))),
    )
    for said in (root, var, usr):
        assert (
            "diskwright apply '/mnt/my plan.json' --journal /mnt/diskwright --confirm TOKEN" in said
            and "dracut -f" in said
        )
    # Of a root the line lies on itself, and is changed with it.
    assert "--way mount" in var and "--way mount" in usr and "--way mount" not in root


def test_a_plain_user_is_told_what_root_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "carry.json"
    file.write_text(render_carried(make_carried(ROOT, Way.FULL)))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert main(["apply", str(file), "--store", "/mnt/s"]) == 3
    said = capsys.readouterr().err
    assert "requires root" in said and f"sudo diskwright apply {file} --store=/mnt/s" in said


def test_what_is_found_as_it_was_carried_fits_whatever_its_names_are() -> None:
    carried = make_carried(ROOT, Way.FULL)
    later = replace(EXT3, free_blocks=7, mounts=99, mounted=1_800_000_000, label="other")
    moved = replace(
        THERE, ext=later, drive=replace(THERE.drive, path="/dev/sdc", diskseq=77, content_digest="other")
    )
    assert difference(carried, moved) is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"features": EXT3.features | {"extent"}}, "features"),
        ({"features": EXT3.features - {"dir_index"}}, "features"),
        ({"blocks": EXT3.blocks - 1}, "number of blocks"),
        ({"inode_bytes": 256}, "inode size"),
        ({"uuid": "0d2c3b7a-1111-4000-8000-000000000002"}, "UUID"),
    ],
)
def test_another_filesystem_does_not_fit(changes: dict[str, Any], said: str) -> None:
    found = difference(make_carried(ROOT, Way.FULL), replace(THERE, ext=replace(EXT3, **changes)))
    assert found is not None and said in str(found)


def test_another_device_or_drive_does_not_fit() -> None:
    carried = make_carried(ROOT, Way.FULL)
    others = (
        ("size", replace(THERE, device_bytes=SIZE + 512)),
        ("serial", replace(THERE, drive=replace(THERE.drive, serial="OTHER"))),
    )
    for what, other in others:
        assert what in str(difference(carried, other))


def test_the_document_reads_as_it_was_written_and_nothing_else_does() -> None:
    carried = make_carried(ROOT, Way.FULL)
    text = render_carried(carried)
    assert is_carried(text) and not is_migration(text) and read_carried(text, "c.json") == carried
    with pytest.raises(BadInput, match="digest"):
        read_carried(text.replace('"way": "full"', '"way": "light"'), "c.json")
    wrong: dict[str, Any]
    for wrong in (
        {"way": Way.FRESH},
        {"device": "/etc/passwd"},
        {"device_bytes": 0},
        {"before": replace(EXT3, blocks=0)},
    ):
        with pytest.raises(BadInput, match="is inconsistent"):
            read_carried(render_carried(replace(carried, **wrong)), "c.json")
