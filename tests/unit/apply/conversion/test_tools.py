"""Output of programs: progress of e2fsck, counts of inodes, chunks and superblocks of Btrfs."""

import os
import sys
from pathlib import Path

import pytest

from wizard.apply.conversion.rehearsal import progress_parser
from wizard.apply.resize.resized import chunks_in, number_in
from wizard.model.errors import Failed
from wizard.operations.ext4 import (
    extent_share,
)
from wizard.process.output import listening
from wizard.process.program import run


def told_by(*lines: str) -> list[float]:
    told: list[float] = []
    parse = progress_parser(told.append)
    for line in lines:
        parse(line)
    return told


def test_passes_add_up_and_never_decrease() -> None:
    told = told_by(*(f"{turn} {done} 10 x" for turn in range(1, 6) for done in range(11)))
    assert told == sorted(told) and told[0] == 0.0 and told[-1] == 1.0
    assert told_by("1 5 10 x", "2 0 0 x") == pytest.approx([0.35, 0.9])


def test_only_progress_lines_are_reported() -> None:
    told = told_by("1 5 10 /dev/sda1", "1 6 10 /dev/sda1", "no progress", "2 5 10 old films")
    assert told == pytest.approx([0.35, 0.42, 0.8])


def test_command_writes_to_its_own_pipe(tmp_path: Path) -> None:
    lines: list[str] = []
    with listening(lines.append) as end:
        code = f"import os; os.write({end}, b'1 2 3 x\\n4 5'); print('found'); os.write({end}, b' 6 y')"
        done = run([sys.executable, "-I", "-c", code], seconds=60, keep_open=(end,))
    assert lines == ["1 2 3 x", "4 5 6 y"] and done.output == "found\n"
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(end)


SAID = """
             # of inodes with ind/dind/tind blocks: 0/0/0
             Extent depth histogram: {depths}
        1201 regular files
           {folders}
           0 links
           {links}
"""


@pytest.mark.parametrize(
    ("depths", "folders", "links", "share"),
    [
        ("1230/3", "32 directories", "0 symbolic links (0 fast symbolic links)", (1233, 1233)),
        ("1200/3", "1 directory", "2 symbolic links (1 fast symbolic link)", (1203, 1203)),
        ("1200", "2 directories", "0 symbolic links (0 fast symbolic links)", (1200, 1203)),
    ],
)
def test_share_of_files_mapped_by_extents(
    depths: str, folders: str, links: str, share: tuple[int, int]
) -> None:
    assert extent_share(SAID.format(depths=depths, folders=folders, links=links)) == share


def test_without_extents_no_files_are_mapped_by_them() -> None:
    said = "1201 regular files\n 2 directories\n 0 symbolic links (0 fast symbolic links)"
    assert extent_share(said) == (0, 1203)


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
