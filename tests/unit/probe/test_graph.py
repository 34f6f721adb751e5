"""Uses and layers on synthetic graphs of block devices: LUKS under LVM, RAID, multipath, a live medium, a
root on layers."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from tests.unit.probe import rawfacts
from wizard.model.machine import Layer, Use
from wizard.probe.facts import RawBlock, RawGraph, RawMounts
from wizard.probe.host import system
from wizard.probe.host.uses import ANOTHER, UseState, is_hidden, is_live, use_state

LUKS = "CRYPT-LUKS2-8f0e-luks"
LVM = "LVM-abcdef"


def stack(mounts: str) -> RawGraph:
    """Return a graph of LVM on LUKS on sda2."""
    blocks: dict[str, Any] = {
        "sda": RawBlock("8:0"),
        "sda1": RawBlock("8:1", disk="sda"),
        "sda2": RawBlock("8:2", disk="sda", holders=("dm-0",)),
        "dm-0": RawBlock("253:0", holders=("dm-1",), dm_name="secret", dm_uuid=LUKS),
        "dm-1": RawBlock("253:1", dm_name="vg-root", dm_uuid=LVM),
    }
    return rawfacts.graph(mounts, **blocks)


def of(graph: RawGraph, *names: str, **claimable: bool) -> UseState:
    return use_state(graph, names, claimable)


def test_root_on_lvm_on_luks_marks_its_drive_as_running_system() -> None:
    found = of(
        stack("30 1 253:1 / / rw - ext4 /dev/mapper/vg-root rw\n31 30 8:1 / /boot rw - ext4 /dev/sda1 rw"),
        "sda",
        "sda1",
        "sda2",
    )
    assert found.layers == (
        Layer("LUKS", "/dev/mapper/secret", "/dev/sda2"),
        Layer("LVM", "/dev/mapper/vg-root", "/dev/mapper/secret", ("/",)),
    )
    assert set(found.uses) == {
        Use("mounted", "/dev/sda1", "/boot"),
        Use("mounted", "/dev/mapper/vg-root", "/"),
        Use("holder", "/dev/sda2", "/dev/mapper/secret"),
        Use("holder", "/dev/mapper/secret", "/dev/mapper/vg-root"),
        Use("running-system", "/dev/sda1", "/boot"),
        Use("running-system", "/dev/mapper/vg-root", "/"),
    }


def test_raid_member_is_named_as_such() -> None:
    graph = rawfacts.graph(
        sda=RawBlock("8:0", holders=("md127",)), md127=RawBlock("9:127", md_level="raid1", md_state="clean")
    )
    found = of(graph, "sda")
    assert found.uses == (Use("raid-member", "/dev/sda", "/dev/md127"),)
    assert found.layers == (Layer("md raid1", "/dev/md127", "/dev/sda"),)


def test_swap_by_its_node_or_by_another_path_to_it() -> None:
    blocks: dict[str, Any] = {"sda": RawBlock("8:0"), "sda2": RawBlock("8:2", disk="sda")}
    by_node = rawfacts.graph(swaps="/dev/sda2    partition 100 0 -2", **blocks)
    by_path = rawfacts.graph(
        swaps="/dev/disk/by-id/x\tpartition\t100", numbers={"/dev/disk/by-id/x": "8:2"}, **blocks
    )
    assert (
        of(by_node, "sda", "sda2").uses
        == of(by_path, "sda", "sda2").uses
        == (Use("swap", "/dev/sda2", "swap"),)
    )


def test_filesystem_with_an_anonymous_device_is_found_by_its_source() -> None:
    line = "40 1 0:45 /@home /home rw - btrfs /dev/sda1 rw,subvol=/@home"
    graph = rawfacts.graph(
        line, numbers={"/dev/sda1": "8:1"}, sda=RawBlock("8:0"), sda1=RawBlock("8:1", disk="sda")
    )
    assert of(graph, "sda", "sda1").uses == (Use("mounted", "/dev/sda1", "/home"),)


def test_bind_mounts_and_other_namespaces_add_no_further_use() -> None:
    own = "40 1 8:1 / /data rw - ext4 /dev/sda1 rw\n41 1 8:1 /x /srv/x rw - ext4 /dev/sda1 rw"
    other = RawMounts(own=False, first=False, text="90 1 8:1 / /container rw - ext4 /dev/sda1 rw")
    graph = rawfacts.graph(own, more=(other,), sda=RawBlock("8:0"), sda1=RawBlock("8:1", disk="sda"))
    assert of(graph, "sda", "sda1").uses == (Use("mounted", "/dev/sda1", "/data"),)
    alone = rawfacts.graph("", more=(other,), sda=RawBlock("8:0"), sda1=RawBlock("8:1", disk="sda"))
    found = of(alone, "sda", "sda1")
    (use,) = found.uses
    assert is_hidden(use) and use.subject == "/dev/sda1" and found.mount_points["/dev/sda1"] == ()


def test_mount_point_with_a_space_is_unescaped() -> None:
    graph = rawfacts.graph("40 1 8:0 / /my\\040disk rw - ext4 /dev/sda rw", sda=RawBlock("8:0"))
    assert of(graph, "sda").mount_points == {"/dev/sda": ("/my disk",)}


def test_live_medium_is_part_of_the_running_system() -> None:
    lines = [
        "20 1 0:30 / / rw - overlay overlay rw",
        "21 20 8:1 / /run/live/medium ro - iso9660 /dev/sda1 ro",
        "22 20 7:0 / /run/live/rootfs ro - squashfs /dev/loop0 ro",
    ]
    graph = rawfacts.graph(
        "\n".join(lines),
        sda=RawBlock("8:0"),
        sda1=RawBlock("8:1", disk="sda"),
        loop0=RawBlock("7:0", backing_file="/run/live/medium/live/filesystem.squashfs"),
    )
    assert is_live(graph)
    assert Use("running-system", "/dev/sda1", "/run/live/medium") in of(graph, "sda", "sda1").uses


def test_failed_claim_counts_only_without_another_explanation() -> None:
    graph = rawfacts.graph(
        "40 1 8:1 / /data rw - ext4 /dev/sda1 rw", sda=RawBlock("8:0"), sda1=RawBlock("8:1", disk="sda")
    )
    assert [use.kind for use in of(graph, "sda", "sda1", sda=False, sda1=False).uses] == ["mounted"]
    idle = rawfacts.graph("", sda=RawBlock("8:0"))
    assert of(idle, "sda", sda=False).uses == (Use("opened", "/dev/sda", ANOTHER),)
    assert of(idle, "sda", sda=True).uses == ()


def test_cyclic_graph_ends() -> None:
    blocks: dict[str, Any] = {
        "sda": RawBlock("8:0", holders=("dm-0",)),
        "dm-0": RawBlock("253:0", holders=("sda", "gone")),
    }
    graph = rawfacts.graph(**blocks)
    assert {layer.path for layer in of(graph, "sda").layers} == {"/dev/dm-0", "/dev/sda", "/dev/gone"}


def test_device_that_vanishes_during_the_scan_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python reads a link twice; the device disappears in between."""
    (tmp_path / "class/block").mkdir(parents=True)
    for name in ("loop4", "loop4p1", "sda"):
        (tmp_path / "devices" / name).mkdir(parents=True)
        (tmp_path / "devices" / name / "dev").write_text("7:4\n")
        (tmp_path / "class/block" / name).symlink_to(tmp_path / "devices" / name)
    read = os.readlink

    def gone(path: str) -> str:
        if str(path).endswith("loop4p1"):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        return read(path)

    monkeypatch.setattr(os, "readlink", gone)
    monkeypatch.setattr("wizard.probe.host.sysfs.SYS", tmp_path)
    assert sorted(system.read_graph().blocks) == ["loop4", "sda"]
