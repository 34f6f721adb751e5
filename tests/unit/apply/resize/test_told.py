"""Output of btrfs-progs about chunks and superblocks."""

import pytest

from wizard.apply.resize.resized import chunks_in, number_in
from wizard.model.errors import Failed

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


def test_chunks_are_read_with_their_types_and_profiles() -> None:
    assert chunks_in(CHUNKS) == ((frozenset({"DATA"}), "single"), (frozenset({"SYSTEM"}), "DUP"))


@pytest.mark.parametrize(
    "text", ["", CHUNKS.replace("length 8388608 owner 2 stripe_len 65536 type SYS", "?")]
)
def test_unknown_chunk_is_a_failure(text: str) -> None:
    with pytest.raises(Failed, match="btrfs does not report"):
        chunks_in(text)


def test_superblock_without_a_field_is_a_failure() -> None:
    assert number_in("log_root\t\t0\nnum_devices\t\t2\n", "num_devices") == 2
    with pytest.raises(Failed, match="btrfs does not report"):
        number_in("log_root_level\t\t0\n", "log_root")
