"""Machines of loop devices, for cases that need no particular drive or that the lab lacks."""

from dataclasses import dataclass

from tests.machines import images
from tests.machines.contents import Fill, mounted, nothing, on_node, partitions, read_only, two_minds, whole
from tests.machines.images import (
    Prepare,
    after,
    chain_to_itself,
    resized,
    slots,
    sound_gpt,
    table,
    untouched,
    zeros,
)
from wizard.model.said import GIB, MIB, TIB


@dataclass(frozen=True, slots=True)
class Made:
    """A loop device: its size, the content of its file before attaching, and of its nodes afterwards."""

    size_bytes: int = 256 * MIB
    prepare: Prepare = untouched
    fill: Fill = nothing
    block_bytes: int = 512


TWO = table("size=100MiB", "size=100MiB")
FILES = (
    "ext2",
    "ext3",
    "ext4",
    "xfs",
    "btrfs",
    "f2fs",
    "vfat",
    "swap",
    "jfs",
    "nilfs2",
    "reiserfs",
    "minix",
    "bfs",
    "luks2",
    "lvm",
)
"""What the first partitions of the crowded drive hold."""
GPT_SLOTS = 128

BROKEN = (
    Made(prepare=after(TWO, zeros(1))),
    Made(prepare=after(TWO, zeros(2))),
    Made(prepare=after(TWO, zeros(-1))),
    Made(prepare=after(TWO, zeros(1), zeros(-1))),
    Made(prepare=after(TWO, resized(384 * MIB))),
    Made(prepare=after(TWO, resized(160 * MIB))),
    Made(prepare=after(TWO, slots((0xEE, 1, 2047), (0x83, 2048, 100 * MIB // images.BLOCK)))),
    Made(prepare=sound_gpt((2048, 250_000, "one"), (200_000, 400_000, "two"))),
    Made(prepare=slots((0x83, 2048, 250_000), (0x83, 200_000, 200_000))),
    Made(prepare=slots((0x83, 2048, 10_000_000))),
    Made(
        prepare=after(table("type=5", "size=50MiB", "size=50MiB", "size=50MiB", label="dos"), chain_to_itself)
    ),
    Made(prepare=TWO, block_bytes=4096),
)
"""GPT: primary header, primary entries, backup header, both headers gone; grown and shrunk drive; hybrid;
overlapping. MBR: overlapping, past the end, chained to itself. And a table made for other logical blocks."""

CROWDED = (
    Made(
        8 * GIB,
        table(*[f"size=304MiB, name={name}" for name in FILES], *["size=8MiB"] * (GPT_SLOTS - len(FILES))),
        partitions(**{f"p{number}": kind for number, kind in enumerate(FILES, 1)}),
    ),
    Made(
        2 * GIB,
        table(
            "size=100MiB", "size=100MiB, type=82", "size=100MiB", "type=5", *["size=64MiB"] * 16, label="dos"
        ),
        partitions(p1="vfat", p2="swap", p3="ext3", **{f"p{number}": "ext4" for number in range(5, 21)}),
    ),
)
"""A GPT without a free entry, and an MBR with three primary and sixteen logical partitions."""

MANY = (
    Made(),
    Made(block_bytes=4096),
    Made(16 * MIB),
    Made(12 * TIB),
    Made(prepare=table()),
    Made(prepare=table(label="dos")),
    Made(prepare=table("start=63, size=200000", label="dos"), fill=partitions(p1="ext3")),
    Made(prepare=table("start=34, size=200000"), fill=partitions(p1="ext4")),
    Made(prepare=table("size=100MiB"), fill=partitions(p1="ext4")),
    Made(fill=on_node(table("size=+"), partitions(p1="ext4")), block_bytes=4096),
    Made(4 * TIB, table("size=+"), partitions(p1="xfs")),
    Made(fill=whole("ext2", "old")),
    Made(fill=whole("ext4", "plain")),
    Made(fill=whole("btrfs", "tree")),
    Made(fill=whole("f2fs", "flash")),
    Made(512 * MIB, table("size=+, type=c", label="dos"), partitions(p1="vfat")),
    Made(fill=whole("swap", "swap")),
    Made(fill=whole("luks2", "")),
    Made(fill=whole("lvm", "")),
    Made(fill=whole("jfs", "jfs")),
    Made(fill=two_minds),
    Made(fill=read_only),
    Made(fill=mounted),
    Made(
        2 * GIB,
        table("size=260MiB, type=U", "size=400MiB", "size=256MiB, type=S", "size=+"),
        partitions(p1="vfat", p2="ext4", p3="swap", p4="xfs"),
    ),
)
"""Twenty-four drives, no two alike."""

MACHINES: dict[str, tuple[Made, ...]] = {
    "none": (),
    "blank": (Made(64 * GIB),),
    "broken": BROKEN,
    "crowded": CROWDED,
    "many": MANY,
}
"""By the name of the recording."""
