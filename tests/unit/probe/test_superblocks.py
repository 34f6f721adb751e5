"""Superblocks: data offset and striping, from bytes of every version and from hostile bytes."""

from functools import partial
from itertools import starmap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.probe import superblocks as made
from tests.unit.probe.superblocks import Bytes
from wizard.model.machine import Signature, Striping
from wizard.model.said import KIB, MIB
from wizard.probe.content import layers
from wizard.probe.content.lvm import LogicalVolume, data_drives, parse, read_group
from wizard.probe.content.superblocks import READERS, read_inside, replayed
from wizard.probe.facts import RawChunk, RawContent, RawError, RawSignature

SIZE = 64 * MIB + 3 * KIB
CHUNK = 512 * KIB
END_1_0 = (SIZE // 512 - 16) // 8 * 8 * 512
END_0_90 = SIZE // 65536 * 65536 - 65536


facts = partial(Signature, "", "")
NOTHING = facts()


def inside(kind: str, pieces: dict[int, bytes], mark: int | None = None, size: int = SIZE) -> Signature:
    """Read a superblock. tests/loop/partition/test_beyond_partition.py compares the size in it, and
    tests/loop/probe/test_used_space.py the used space."""
    found = read_inside(Signature(kind, "", offset_bytes=mark), Bytes(size, pieces).read, size)
    return replace(found, kind="", offset_bytes=None, size_bytes=None, used_bytes=None)


@pytest.mark.parametrize("place", [0, 4096, END_1_0])
def test_md_members_of_every_version_have_data_offset_and_striping(place: int) -> None:
    found = inside("linux_raid_member", {place: made.md_1(5, 3, CHUNK, 3 * MIB)})
    assert found == facts(
        data_offset_bytes=3 * MIB, striping=Striping(CHUNK, 2 * CHUNK), level="raid5", number=1, devices=3
    )


@pytest.mark.parametrize("order", ["<", ">"])
def test_old_md_format_is_read_at_the_end_in_either_byte_order(order: str) -> None:
    found = inside("linux_raid_member", {END_0_90: made.md_0(0, 4, 64 * KIB, order)})
    assert found == facts(
        data_offset_bytes=0, striping=Striping(64 * KIB, 256 * KIB), level="raid0", number=1, devices=4
    )


@pytest.mark.parametrize("role", [0xFFFF, 0xFFFE, 0xFFFD])
def test_spare_failed_or_journal_device_of_md_has_no_number(role: int) -> None:
    found = inside("linux_raid_member", {4096: made.md_1(1, 2, 0, MIB, role=role)})
    assert (found.level, found.number) == ("raid1", None)


@pytest.mark.parametrize(("flags", "unclean"), [(0, False), (1, True), (0x4001, True), (0x8080, False)])
@pytest.mark.parametrize(("record", "cluster"), [(0xF6, 8), (0xF6, 0xF9), (1, 2)])
def test_unclean_ntfs_is_known_by_its_volume_flags(
    flags: int, unclean: bool, record: int, cluster: int
) -> None:
    pieces = made.ntfs(flags, record, cluster)
    assert inside("ntfs", pieces).unclean is unclean
    assert not inside("ntfs", {0: pieces[0]}).unclean


def test_md_is_read_at_the_offset_of_libblkid_not_an_old_one() -> None:
    pieces = {0: made.md_1(0, 2, CHUNK, MIB), 4096: made.md_1(0, 3, CHUNK, 2 * MIB)}
    assert inside("linux_raid_member", pieces, 0).data_offset_bytes == MIB
    assert inside("linux_raid_member", pieces, 4096).data_offset_bytes == 2 * MIB


def test_unstriped_or_reshaping_md_arrays_claim_no_striping() -> None:
    for level, drives, chunk, features in (
        (1, 2, 0, 0),
        (-1, 2, CHUNK, 0),
        (1, 2, CHUNK, 0),
        (5, 3, CHUNK, 4),
        (0, 0, CHUNK, 0),
    ):
        found = inside("linux_raid_member", {4096: made.md_1(level, drives, chunk, MIB, features=features)})
        name = f"raid{level}" if level >= 0 else "linear"
        assert found == facts(data_offset_bytes=MIB, level=name, number=1, devices=drives)


@pytest.mark.parametrize(
    ("level", "drives", "layout", "data"),
    [(0, 3, 0, 3), (5, 3, 2, 2), (6, 6, 2, 4), (10, 4, 0x102, 2), (10, 3, 0x102, 3), (1, 2, 0, 0)],
)
def test_md_data_drives_are_counted(level: int, drives: int, layout: int, data: int) -> None:
    assert data_drives(level, drives, layout) == data


def test_luks_has_a_payload_offset_except_with_a_detached_header() -> None:
    assert inside("crypto_LUKS", {0: made.luks_1(4096)}).data_offset_bytes == 2 * MIB
    assert inside("crypto_LUKS", {0: made.luks_1(0)}) == NOTHING
    assert (
        inside("crypto_LUKS", {0: made.luks_2({"0": made.segment(16 * MIB)})}).data_offset_bytes == 16 * MIB
    )
    assert inside("crypto_LUKS", {0: made.luks_2({"0": made.segment(0)})}) == NOTHING


def test_luks_being_reencrypted_starts_with_its_first_segment() -> None:
    segments = {
        "2": made.segment(20 * MIB),
        "1": made.segment(17 * MIB),
        "0": made.segment(MIB, flags=["backup-previous"]),
    }
    assert inside("crypto_LUKS", {0: made.luks_2(segments)}).data_offset_bytes == 17 * MIB


def test_lvm_has_its_data_area_and_volume_offsets() -> None:
    found, volumes = read_group(NOTHING, Bytes(SIZE, made.lvm(made.lvm_text(2048), MIB)).read, SIZE)
    extent = 4 * MIB
    plain = LogicalVolume(made.LVM_VOLUME, MIB + 3 * extent)
    wide = LogicalVolume(made.LVM_WIDE, MIB + 5 * extent, Striping(64 * KIB, 128 * KIB))
    assert volumes == (plain, wide)
    assert (found.data_offset_bytes, found.group, found.devices) == (MIB, "lab", 2)


@pytest.mark.parametrize(("stripes", "extents"), [(1, 3 + 4), (2, 3 + 2), (4, 3 + 1)])
def test_used_extents_of_a_physical_volume_are_counted(stripes: int, extents: int) -> None:
    others = "".join(f',\n"pv{number}", 0' for number in range(1, stripes))
    text = made.lvm_text(2048).replace(',\n"pv1", 0', others)
    found = read_inside(Signature("LVM2_member", ""), Bytes(SIZE, made.lvm(text, MIB)).read, SIZE)
    assert found.used_bytes == extents * 4 * MIB


@pytest.mark.parametrize(
    ("percent", "used"), [(0, 0), (40, 40 * 1000 * KIB // 100), (100, 1000 * KIB), (255, None)]
)
def test_exfat_counts_its_use_in_percent(percent: int, used: int | None) -> None:
    boot = bytearray(512)
    boot[3:11], boot[510:], boot[108], boot[112] = b"EXFAT   ", b"\x55\xaa", 9, percent
    boot[72:80], boot[88:92] = (2048).to_bytes(8, "little"), (48).to_bytes(4, "little")
    assert read_inside(Signature("exfat", ""), Bytes(SIZE, {0: bytes(boot)}).read, SIZE).used_bytes == used


def test_lvm_metadata_in_a_ring_is_read_around_its_end() -> None:
    text = made.lvm_text(2055)
    area = 64 * KIB
    pieces = made.lvm(text, MIB, text_at=area - 700, area_bytes=area)
    found, volumes = read_group(NOTHING, Bytes(SIZE, pieces).read, SIZE)
    assert found.data_offset_bytes == 2055 * 512 and [volume.uuid for volume in volumes] == [
        made.LVM_VOLUME,
        made.LVM_WIDE,
    ]


def test_lvm_without_its_own_metadata_still_has_its_label() -> None:
    label_only = facts(data_offset_bytes=MIB)
    assert inside("LVM2_member", made.lvm(made.lvm_text(2055), MIB, flags=1)) == label_only
    assert inside("LVM2_member", made.lvm(made.lvm_text(2055, own="E" * 32), MIB)) == label_only
    assert inside("LVM2_member", made.lvm("lab {{{{", MIB)) == label_only


@pytest.mark.parametrize("lost", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("top", "more", "level", "devices"),
    [
        (made.zfs_top("raidz", 4, nparity=2), {}, "raidz2", 4),
        (made.zfs_top("mirror", 2), {"vdev_children": 3}, "mirror", 4),
        (made.zfs_top("disk", 1), {"vdev_children": 3, "hole_array": (1,)}, "disk", 2),
        (
            made.zfs_top("disk", 1),
            {"vdev_children": 2, "features_for_read": {"com.delphix:device_removal": 1}},
            "disk",
            1,
        ),
        (made.zfs_top("draid", 5, nparity=1), {}, None, 5),
    ],
)
def test_zfs_pool_usage_is_read_from_any_label(
    top: dict[str, object], more: dict[str, object], level: str | None, devices: int, lost: int
) -> None:
    pieces = made.zfs(SIZE, made.zfs_list("tank", top, **more))
    lists = sorted(place for place in pieces if place % (256 * KIB) == 16 * KIB)
    left = {place: data for place, data in pieces.items() if place not in lists[:lost]}
    assert inside("zfs_member", left) == facts(level=level, devices=devices)


SET, OWN = "0d7f3b1c-93a5-4e0b-8f53-6a1f0c7c2d4e", "5b1c2f6e-1111-4222-8333-444455556666"


@pytest.mark.parametrize(
    ("version", "state", "level", "devices"),
    [
        (3, 0, "cache", None),
        (0, 0, "cache", None),
        (1, 1, "backing", 2),
        (4, 2, "backing", 2),
        (1, 0, None, None),
    ],
)
def test_bcache_has_its_set_unless_never_attached_to_a_cache(
    version: int, state: int, level: str | None, devices: int | None
) -> None:
    found = inside("bcache", {4096: made.bcache(version, SET, OWN, state)})
    assert found == facts(level=level, devices=devices, group=SET if level else None)


def test_invalid_lvm_grammar_is_ignored() -> None:
    text = 'a = 1\nb { c = [ "x y", -2 ] # { "\n} d = "e"'
    assert parse(text) == {"a": 1, "b": {"c": ["x y", -2]}, "d": "e"}
    assert not any(map(parse, (f"{text} ? f = 2", "a {" * 4000, "= = {", "a = [")))


def test_ext_and_xfs_state_their_striping_in_blocks() -> None:
    assert inside("ext4", {0: made.ext(4096, 128, 256)}) == facts(
        striping=Striping(512 * KIB, MIB), block_bytes=4096, features=(0, 0, 0)
    )
    assert inside("ext3", {0: made.ext(1024, 0, 0)}) == facts(block_bytes=1024, features=(0, 0, 0))
    assert inside("xfs", {0: made.xfs(4096, 16, 48)}) == facts(
        striping=Striping(64 * KIB, 192 * KIB), block_bytes=4096, version="5"
    )
    assert inside("xfs", {0: made.xfs(4096, 0, 0, 4)}) == facts(block_bytes=4096, version="4")


def test_offset_outside_the_device_is_none() -> None:
    assert inside("crypto_LUKS", {0: made.luks_1(0xFFFFFFFF)}).data_offset_bytes is None
    assert inside("linux_raid_member", {4096: made.md_1(1, 2, 0, 1 << 60)}).data_offset_bytes is None
    assert inside("btrfs", {}) == NOTHING


def test_recorded_bytes_equal_the_device_and_contain_no_secrets(tmp_path: Path) -> None:
    devices = {
        "crypto_LUKS": {0: made.luks_2({"0": made.segment(16 * MIB)})},
        "LVM2_member": made.lvm(made.lvm_text(2048), MIB),
        "linux_raid_member": {4096: made.md_1(5, 3, CHUNK, 3 * MIB)},
        "ext4": {0: made.ext(4096, 128, 256)},
    }
    for kind, pieces in devices.items():
        image = tmp_path / kind
        image.write_bytes(bytes(MIB) + Bytes(SIZE, pieces).read(0, SIZE))
        content = RawContent((RawSignature(kind, ""),))
        trouble: list[RawError] = []
        place = layers.Place("sda1", str(image), MIB, SIZE)
        reader = layers.Superblocks(trouble)
        reader.record(place, content)
        chunks = reader.recorded["sda1"]
        kept = [(chunk.offset_bytes, chunk.data) for chunk in chunks]
        assert trouble == []
        read = read_inside(Signature(kind, ""), replayed(chunks), SIZE)
        assert replace(read, kind="", size_bytes=None, used_bytes=None) == inside(kind, pieces) != NOTHING
        assert b"secret" not in b"".join(data for _, data in kept) and b"c2VjcmV0" not in b"".join(
            data for _, data in kept
        )
        assert sum(len(data) for _, data in kept) < 8 * KIB


def test_luks1_key_digest_is_not_recorded(tmp_path: Path) -> None:
    image = tmp_path / "luks"
    image.write_bytes(Bytes(MIB * 4, {0: made.luks_1(4096)}).read(0, 4 * MIB))
    content = RawContent((RawSignature("crypto_LUKS", "", offset_bytes=0),))
    reader = layers.Superblocks([])
    reader.record(layers.Place("sda", str(image)), content)
    assert [len(chunk.data) for chunk in reader.recorded["sda"]] == [112]


SOUND = [
    ("linux_raid_member", {4096: made.md_1(5, 3, CHUNK, 3 * MIB)}),
    ("linux_raid_member", {END_0_90: made.md_0(0, 4, 64 * KIB)}),
    ("crypto_LUKS", {0: made.luks_1(4096)}),
    ("crypto_LUKS", {0: made.luks_2({"0": made.segment(16 * MIB)})}),
    ("LVM2_member", made.lvm(made.lvm_text(2048), MIB)),
    ("ext4", {0: made.ext(4096, 128, 256)}),
    ("xfs", {0: made.xfs(4096, 16, 48)}),
    ("zfs_member", made.zfs(SIZE, made.zfs_list("tank", made.zfs_top("raidz", 30, nparity=1)))),
    ("bcache", {4096: made.bcache(1, SET, OWN, 1)}),
]


@given(
    st.sampled_from(SOUND),
    st.lists(st.tuples(st.integers(0, 1 << 14), st.binary(min_size=1, max_size=16)), max_size=4),
    st.data(),
)
@settings(max_examples=300, deadline=None)
def test_hostile_superblocks_never_raise_and_never_point_outside(
    sound: tuple[str, dict[int, bytes]], scars: list[tuple[int, bytes]], draw: st.DataObject
) -> None:
    kind, pieces = sound
    hurt = {}
    for start, data in pieces.items():
        damaged = bytearray(data)
        for place, scar in scars:
            at = place % len(damaged)
            damaged[at : at + len(scar)] = scar
        hurt[start] = (
            bytes(damaged[: draw.draw(st.integers(0, len(damaged)))])
            if draw.draw(st.booleans())
            else bytes(damaged[: len(data)])
        )
    mark = Signature(kind, "", offset_bytes=draw.draw(st.sampled_from([None, 0, 4096, -5, 1 << 62])))
    found = read_inside(mark, replayed(starmap(RawChunk, hurt.items())), SIZE)
    assert found.data_offset_bytes is None or 0 <= found.data_offset_bytes < SIZE
    assert found.striping is None or (found.striping.unit_bytes >= 0 and found.striping.width_bytes >= 0)
    volumes = read_group(mark, replayed(starmap(RawChunk, hurt.items())), SIZE)[1]
    assert all(0 <= volume.offset_bytes < SIZE for volume in volumes)


@given(st.sampled_from(sorted(READERS)), st.binary(max_size=8192), st.integers(-1, 1 << 40))
@settings(max_examples=200, deadline=None)
def test_noise_is_ignored_and_never_raises(kind: str, noise: bytes, size: int) -> None:
    found = read_inside(Signature(kind, ""), replayed([RawChunk(0, noise)]), size)
    assert found.data_offset_bytes is None or 0 <= found.data_offset_bytes < size


@given(st.text(max_size=300))
@settings(deadline=None)
def test_any_text_can_be_parsed(text: str) -> None:
    assert isinstance(parse(text), dict)
