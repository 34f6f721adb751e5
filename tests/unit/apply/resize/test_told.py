"""Output of tools about filesystems before they grow."""

import pytest

from wizard.apply.resize.btrfs import Chunk, chunks_in, in_use
from wizard.apply.resize.ext import writable
from wizard.apply.resize.xfs import free_in, superblock_in
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import GIB, MIB

CHUNKS = """chunk tree
leaf 22052864 items 7 free space 15466 generation 7 owner CHUNK_TREE
	item 0 key (DEV_ITEMS DEV_ITEM 1) itemoff 16185 itemsize 98
		devid 1 total_bytes 734003200 bytes_used 350224384
	item 1 key (FIRST_CHUNK_TREE CHUNK_ITEM 13631488) itemoff 16105 itemsize 80
		length 8388608 owner 2 stripe_len 65536 type DATA|single
		io_align 65536 io_width 65536 sector_size 4096
		num_stripes 1 sub_stripes 1
			stripe 0 devid 1 offset 13631488
			dev_uuid d18dcfe1-e8b5-4598-9882-b668796b2d2d
	item 2 key (FIRST_CHUNK_TREE CHUNK_ITEM 22020096) itemoff 15993 itemsize 112
		length 8388608 owner 2 stripe_len 65536 type SYSTEM|DUP
		io_align 65536 io_width 65536 sector_size 4096
		num_stripes 2 sub_stripes 1
			stripe 0 devid 1 offset 22020096
			dev_uuid d18dcfe1-e8b5-4598-9882-b668796b2d2d
			stripe 1 devid 1 offset 30408704
			dev_uuid d18dcfe1-e8b5-4598-9882-b668796b2d2d
"""
"""btrfs-progs 6.2."""

SUPERBLOCK = "blocksize = 4096\nagblocks = 100\nlogstart = 131078\nrblocks = 0\ndblocks = 179200\n"

FREE = """    agno    agbno      len
       0        6        1
       1       40       60
   from      to extents  blocks    pct
      1       1      12      12   0.01
"""


def test_chunks_are_read_with_all_their_places() -> None:
    files, system = chunks_in(CHUNKS)
    assert (files.holds, files.profile) == (frozenset({"DATA"}), "single")
    assert files.places == (Extent(13631488, 8388608),)
    assert (system.holds, system.profile) == (frozenset({"SYSTEM"}), "DUP")
    assert system.places == (Extent(22020096, 8388608), Extent(30408704, 8388608))


@pytest.mark.parametrize(
    "text", ["", CHUNKS.replace("length 8388608 owner 2 stripe_len 65536 type SYS", "?")]
)
def test_unknown_chunk_is_a_failure(text: str) -> None:
    with pytest.raises(Failed, match=r"does not report CHUNK_ITEM\. Nothing was written"):
        chunks_in(text)


def test_free_blocks_follow_the_preceding_groups() -> None:
    assert free_in(FREE, superblock_in(SUPERBLOCK)) == (
        Extent(6 * 4096, 4096),
        Extent(140 * 4096, 60 * 4096),
    )


def test_superblock_without_a_field_is_a_failure() -> None:
    with pytest.raises(Failed, match="xfs_db does not report agblocks and rblocks"):
        superblock_in("blocksize = 4096\nlogstart = 0\ndblocks = 1\n")


WORDS = """Filesystem features:      has_journal extent {more}
Block count:              262144
Block size:               {size}

Group 0: (Blocks 0-32767) csum 0x1 [ITABLE_ZEROED]
  Primary superblock at 0, Group descriptors at 1-1
  Reserved GDT blocks at 2-9
  Block bitmap at 10 (+10), csum 0x2
  Inode bitmap at 12 (+12), csum 0x3
  Inode table at 20-29 (+20)
  Free blocks: 40, 50-59
  Free inodes: 12-8192
"""


def test_resize_writes_only_to_metadata_and_free_space() -> None:
    found = writable(WORDS.format(more="", size=4096), Extent(MIB, GIB))
    blocks = sorted(
        block
        for place in found
        for block in range((place.start_bytes - MIB) // 4096, (place.end_bytes - MIB) // 4096)
    )
    assert blocks == [*range(10), 10, 12, *range(20, 30), 40, *range(50, 60)]
    for more, size, start in (("quota", 4096, MIB), ("", 0, MIB)):
        with pytest.raises(Failed, match=r"Nothing was written"):
            writable(WORDS.format(more=more, size=size), Extent(start, GIB))
    with pytest.raises(Failed, match="not unmounted cleanly"):
        writable(WORDS.format(more="needs_recovery", size=4096), Extent(MIB, GIB))


def test_files_are_located_by_chunks_and_extents() -> None:
    """A data chunk at logical address 1000 has two copies on the device, at 100 and 5000."""
    files = Chunk(1000, frozenset({"DATA"}), "DUP", (Extent(100, 500), Extent(5000, 500)))
    records = Chunk(2000, frozenset({"METADATA"}), "single", (Extent(700, 500),))
    text = (
        "item 0 key (1000 EXTENT_ITEM 50) itemoff\nitem 1 key (1200 EXTENT_ITEM 300)\n"
        "item 2 key (2000 EXTENT_ITEM 16)\nitem 3 key (1000 BLOCK_GROUP_ITEM 500)\n"
        "item 4 key (1500 EXTENT_ITEM 10)\n"
    )
    assert in_use((records, files), text) == (
        Extent(100, 50),
        Extent(300, 300),
        Extent(5000, 50),
        Extent(5200, 300),
    )
