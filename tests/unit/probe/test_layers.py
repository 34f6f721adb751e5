"""Layers from raw facts: positions, striping and signatures of md, LVM and LUKS, from the kernel and
recorded superblocks."""

# ruff: noqa: ANN401 - the builders hand keywords of every type on to dataclasses

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.probe import rawfacts, superblocks
from tests.unit.probe.superblocks import Bytes
from wizard.documents.codec import from_json, to_json
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Layer, Obstacle, Striping
from wizard.model.said import KIB, MIB, t
from wizard.probe import facts as words
from wizard.probe.content import layers
from wizard.probe.facts import RawBlock, RawContent, RawDrive, RawError, RawLayer, RawMachine, RawSignature
from wizard.probe.host import sysfs
from wizard.probe.interpret import machine_of

QUEUE = {
    "queue/logical_block_size": "512",
    "queue/physical_block_size": "4096",
    "queue/minimum_io_size": "65536",
    "queue/optimal_io_size": "131072",
    "alignment_offset": "0",
}
BIG = 200 * MIB
SIZE = str(BIG // 512)


def content(kind: str, offset_bytes: int | None = None) -> RawContent:
    return RawContent((RawSignature(kind, "raid", offset_bytes=offset_bytes),))


def chunks(pieces: dict[int, bytes]) -> tuple[Any, ...]:
    return tuple(rawfacts.chunk(start, data) for start, data in pieces.items())


def drive_of(raw: RawDrive, **blocks: Any) -> Drive:
    """Return the drive read from a recording of the facts."""
    facts = rawfacts.machine(raw, graph=rawfacts.graph(**blocks))
    (drive,) = machine_of(from_json(to_json(facts), RawMachine, "facts")).drives
    return drive


def on_partition(kind: str, pieces: dict[int, bytes], layers: dict[str, RawLayer], **more: Any) -> RawDrive:
    return rawfacts.drive(
        partitions={"sda1": rawfacts.partition(1, 2048, BIG // 512)},
        contents={"sda": RawContent(), "sda1": content(kind, more.pop("mark", None))},
        superblocks={"sda1": chunks(pieces)},
        layers=layers,
        **more,
    )


def blocks_of(above: str, **more: Any) -> dict[str, RawBlock]:
    return {
        "sda": RawBlock("8:0"),
        "sda1": RawBlock("8:1", disk="sda", holders=(above,)),
        above: RawBlock("9:0", **more),
    }


def test_running_array_is_described_by_kernel_numbers() -> None:
    texts = {
        **QUEUE,
        "size": SIZE,
        "md/level": "raid5",
        "md/chunk_size": "65536",
        "md/raid_disks": "3",
        "md/layout": "2",
        "md/dev-sda1/offset": "2048",
    }
    md = RawLayer(texts, content=content("ext4"), superblocks=chunks({0: superblocks.ext(4096, 16, 32)}))
    pieces = {4096: superblocks.md_1(5, 3, 64 * KIB, MIB)}
    found = drive_of(
        on_partition("linux_raid_member", pieces, {"md0": md}, mark=4096),
        **blocks_of("md0", md_level="raid5"),
    )
    (layer,) = found.layers
    spread = Striping(64 * KIB, 128 * KIB)
    assert (layer.kind, layer.path, layer.below) == ("md raid5", "/dev/md0", "/dev/sda1")
    assert (layer.offset_bytes, layer.size_bytes, layer.striping) == (MIB, BIG, spread)
    assert layer.geometry == Geometry(512, 4096, 0, 65536, 131072)
    assert layer.signatures[0].kind == "ext4" and layer.signatures[0].striping == spread
    assert found.partitions[0].signatures[0].data_offset_bytes == MIB


def test_superblock_gives_the_offset_without_a_kernel_number() -> None:
    md = RawLayer({**QUEUE, "size": SIZE, "md/level": "raid1", "md/raid_disks": "2"})
    pieces = {4096: superblocks.md_1(1, 2, 0, 3 * MIB)}
    found = drive_of(
        on_partition("linux_raid_member", pieces, {"md0": md}), **blocks_of("md0", md_level="raid1")
    )
    assert (found.layers[0].offset_bytes, found.layers[0].striping) == (3 * MIB, None)


def test_partition_of_an_array_adds_its_own_start() -> None:
    md = RawLayer(
        {**QUEUE, "size": SIZE, "md/level": "raid1", "md/raid_disks": "2", "md/dev-sda1/offset": "2048"}
    )
    part = RawLayer({**QUEUE, "size": "2048", "partition": "1", "start": "34"})
    blocks = {**blocks_of("md0", md_level="raid1"), "md0p1": RawBlock("259:0", disk="md0")}
    found = drive_of(on_partition("linux_raid_member", {}, {"md0": md, "md0p1": part}), **blocks)
    assert {layer.path: layer.offset_bytes for layer in found.layers} == {
        "/dev/md0": MIB,
        "/dev/md0p1": MIB + 34 * 512,
    }


def test_luks_and_lvm_are_found_in_the_superblocks_below_them() -> None:
    uuid = f"LVM-{'G' * 32}{superblocks.LVM_WIDE}"
    secret = RawLayer(
        {**QUEUE, "size": SIZE, "dm/uuid": "CRYPT-LUKS2-8f0e-secret"},
        content=content("LVM2_member"),
        superblocks=chunks(superblocks.lvm(superblocks.lvm_text(2048), MIB)),
    )
    wide = RawLayer({**QUEUE, "size": SIZE, "dm/uuid": uuid})
    blocks = {
        **blocks_of("dm-0", dm_name="secret", dm_uuid="CRYPT-LUKS2-8f0e-secret", holders=("dm-1",)),
        "dm-1": RawBlock("253:1", dm_name="lab-wide", dm_uuid=uuid),
    }
    pieces = {0: superblocks.luks_2({"0": superblocks.segment(16 * MIB)})}
    found = drive_of(on_partition("crypto_LUKS", pieces, {"dm-0": secret, "dm-1": wide}), **blocks)
    luks, volume = found.layers
    assert (luks.kind, luks.path, luks.offset_bytes) == ("LUKS", "/dev/mapper/secret", 16 * MIB)
    assert (volume.kind, volume.below, volume.offset_bytes) == (
        "LVM",
        "/dev/mapper/secret",
        MIB + 5 * 4 * MIB,
    )
    assert volume.striping == Striping(64 * KIB, 128 * KIB)


def test_unread_facts_are_unknown() -> None:
    """An old recording, and a layer with unreadable bytes."""
    blocks = blocks_of("dm-0", dm_name="secret", dm_uuid="CRYPT-LUKS2-8f0e-secret")
    old = drive_of(replace(on_partition("crypto_LUKS", {}, {}), superblocks={}), **blocks)
    assert old.layers == (Layer("LUKS", "/dev/mapper/secret", "/dev/sda1"),)
    shut = RawLayer(
        {**QUEUE, "size": SIZE, "dm/uuid": "CRYPT-LUKS2-8f0e-secret"},
        udev={"ID_FS_TYPE": "ext4", "ID_FS_USAGE": "filesystem"},
    )
    (layer,) = drive_of(on_partition("crypto_LUKS", {}, {"dm-0": shut}), **blocks).layers
    assert layer.offset_bytes is None and layer.geometry is not None and layer.signatures[0].kind == "ext4"


def test_hostile_texts_and_bytes_of_layers_never_raise() -> None:
    texts = dict.fromkeys(
        (*QUEUE, "size", "start", "md/chunk_size", "md/raid_disks", "md/layout", "md/dev-sda1/offset"),
        "-99999999999999999999",
    )
    bad = RawLayer(
        {**texts, "md/level": "raid99999999", "partition": "x"},
        content=content("xfs", -1),
        superblocks=(rawfacts.chunk(-5, b"?"),),
    )
    broken = replace(
        bad, sysfs={"md/level": "raid5", "md/chunk_size": "1", "md/raid_disks": "9" * 20}, superblocks=()
    )
    for layer in (bad, broken):
        assert drive_of(
            on_partition("linux_raid_member", {0: b"x"}, {"md0": layer}), **blocks_of("md0", md_level="raid5")
        ).layers


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, dict[str, str]], None]:
    """Function that adds a node to a simulated sysfs."""
    monkeypatch.setattr(sysfs, "SYS", tmp_path)

    def add(name: str, texts: dict[str, str]) -> None:
        for key, value in texts.items():
            place = tmp_path / "class/block" / name / key
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(value + "\n")

    return add


def test_layers_are_walked_upwards_and_named_when_unreadable(
    system: Callable[[str, dict[str, str]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    system("sda", {"holders/dm-0": ""})
    system("dm-0", {"size": "64", "dm/uuid": "CRYPT-LUKS2-x", "holders/dm-1": "", "holders/dm-2": ""})
    system("dm-1", {"size": "64", "dm/suspended": "1", "dm/uuid": "LVM-x"})
    system("dm-2", {"size": "64", "dm/uuid": "mpath-x", "holders/dm-0": ""})
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    found, troubles = layers.read_layers(["sda"])
    assert list(found) == ["dm-0", "dm-1", "dm-2"]
    assert troubles == [
        RawError("layers", words.ROOT_READS, Obstacle.DENIED),
        RawError("layers", t("{device} is suspended, and reading would hang.", device="/dev/dm-1")),
    ]
    monkeypatch.setattr(layers, "MOST_LAYERS", 1)
    found, troubles = layers.read_layers(["sda"])
    assert list(found) == ["dm-0"] and troubles[-1] == RawError("layers", words.MANY_LAYERS(most=1))
    monkeypatch.setattr(layers, "MOST_RECORDED", -1)
    errors: list[RawError] = []
    reader = layers.Superblocks(errors)
    reader.record(layers.Place("sda", "/dev/sda"), RawContent())
    assert errors == [RawError("layers", words.MANY_SUPERBLOCKS)] and not reader.recorded


def test_unrecorded_gaps_are_zero_bytes() -> None:
    whole = Bytes(64, {8: b"ab", 20: b"cd"})
    from wizard.probe.content.superblocks import replayed

    assert (
        replayed([rawfacts.chunk(8, b"ab"), rawfacts.chunk(20, b"cd")])(4, 18) == whole.read(4, 18)
        and replayed([rawfacts.chunk(8, b"ab")])(10, 5) == b""
    )
