"""Manifests: the same bytes give the same digests with any holes, and workers share all the work."""

import os
import signal
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from psutil import Process

from wizard.apply.tree import content as manifest_content
from wizard.apply.tree.content import (
    BLOCK_BYTES,
    SEGMENT_BYTES,
    ZEROS,
    Content,
    content_of,
    runs_of_data,
)
from wizard.apply.tree.entries import EntryKind, TreeEntry, from_line, to_line
from wizard.apply.tree.manifest import share_out
from wizard.model.errors import BadInput, Failed
from wizard.model.machine import Extent


@given(
    st.lists(st.sampled_from([ZEROS, b"\0" * 4095 + b"x", b"x" * BLOCK_BYTES]), max_size=8),
    st.sampled_from([b"", b"\0", b"\0y"]),
)
def test_runs_are_the_blocks_that_are_not_zero(blocks: list[bytes], tail: bytes) -> None:
    piece = b"".join(blocks) + tail
    assume(piece)
    found = list(runs_of_data(memoryview(piece)))
    kept = bytearray(len(piece))
    for start, end in found:
        kept[start:end] = piece[start:end]
    assert kept == piece
    assert all(start % BLOCK_BYTES == 0 and any(piece[start : start + BLOCK_BYTES]) for start, _ in found)
    assert all(first[1] < second[0] for first, second in pairwise(found))


def content(path: Path) -> Content:
    fd = os.open(path, os.O_RDONLY)
    try:
        return content_of(fd, path.stat().st_size, 2, lambda _more: None)
    finally:
        os.close(fd)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.booleans(), max_size=12), st.sampled_from([0, 1, 4095]), st.integers(1, 3))
def test_zeros_and_holes_have_the_same_digest(
    tmp_path_factory: pytest.TempPathFactory, blocks: list[bool], tail: int, segment: int
) -> None:
    """Segments of a few blocks replace those of 64 MiB."""
    folder = tmp_path_factory.mktemp("content")
    size = BLOCK_BYTES * len(blocks) + tail
    (folder / "written").write_bytes(
        b"".join(b"x" * BLOCK_BYTES if full else ZEROS for full in blocks) + b"\0" * tail
    )
    with (folder / "sparse").open("wb") as file:
        for number, full in enumerate(blocks):
            if full:
                os.pwrite(file.fileno(), b"x" * BLOCK_BYTES, number * BLOCK_BYTES)
        file.truncate(size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_content, "SEGMENT_BYTES", segment * BLOCK_BYTES)
        written, sparse = content(folder / "written"), content(folder / "sparse")
        assert written[0] == sparse[0]
        # Each block counts, and where it is.
        for number in range(len(blocks)):
            changed = folder / "changed"
            changed.write_bytes((folder / "written").read_bytes())
            with changed.open("rb+") as file:
                os.pwrite(file.fileno(), b"y", number * BLOCK_BYTES + 4000)
            assert content(changed)[0] != written[0]


def test_plain_file_has_the_digest_of_sha256sum(tmp_path: Path) -> None:
    for data in (b"", b"a", os.urandom(3 * BLOCK_BYTES + 5), b"\0" * 4095 + b"a"):
        (tmp_path / "file").write_bytes(data)
        assert content(tmp_path / "file")[0] == sha256(data).hexdigest()


ODD = TreeEntry(
    b"folder/\xff\xfe\n\t\"'",
    EntryKind.SYMLINK,
    0o777,
    1,
    2,
    3,
    "",
    -5,
    4 * 10**18,
    0,
    12,
    2,
    b"a\xc3",
    b"\x80 there",
    0x10,
    (("user.\udcff", "00ff"),),
    "",
    "8 in 1, 00",
)


def test_entry_is_read_as_written() -> None:
    assert from_line(to_line(ODD), "here") == ODD
    assert b"\n" not in to_line(ODD)
    # Version 1.0 wrote another last value.
    assert from_line(to_line(ODD).replace(b',""]', b',"4096 in 1, 00"]'), "here") == ODD


@pytest.mark.parametrize(
    "line", [b"", b"{}", b"[]", b"[1]", to_line(ODD)[:-9], to_line(ODD)[1:], b"[" * 9999]
)
def test_damaged_line_is_named(line: bytes) -> None:
    with pytest.raises(BadInput, match="entry 7 is damaged"):
        from_line(line, "entry 7")


def test_hashing_while_copying_equals_hashing_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.write(b"begin" * 3000)
        file.seek(SEGMENT_BYTES - 5000)
        file.write(b"over the bound" * 1000)
        file.seek(3 * SEGMENT_BYTES + 12345)
        file.write(b"end")
    for size in (path.stat().st_size, 14000, 0):
        os.truncate(path, size)
        done: list[Extent] = []
        with path.open("rb") as file:
            alone = content_of(file.fileno(), size, 2, lambda _more: None)
            beside = content_of(file.fileno(), size, 1, done.extend)
            assert beside == alone
            assert sum(one.size_bytes for one in done) == int(alone[1].partition(" ")[0])


@pytest.mark.parametrize("count", [0, 1, 17, 20_000])
@pytest.mark.parametrize("workers", [1, 3])
def test_every_piece_is_done_once(count: int, workers: int) -> None:
    assert sorted(share_out(range(count), workers, lambda piece: piece)) == list(range(count))


def test_failure_of_one_worker_ends_the_others() -> None:
    def fail(piece: int) -> None:
        if piece == 100:
            raise Failed("/a\udcff cannot be read")
        if piece > 100:
            signal.pause()

    before = Process().children()
    with pytest.raises(Failed, match="/a\udcff cannot be read"):
        list(share_out(range(200), 2, fail))
    assert Process().children() == before


def test_killed_worker_is_noticed() -> None:
    with pytest.raises(Failed, match="ended unexpectedly"):
        list(share_out([1], 2, lambda _piece: os.kill(os.getpid(), signal.SIGKILL)))


def fail_by_mistake(_piece: int) -> None:
    raise ZeroDivisionError


def test_workers_run_no_code_of_the_parent(tmp_path: Path) -> None:
    try:
        with pytest.raises(Failed, match="ended unexpectedly"):
            list(share_out([1], 1, fail_by_mistake))
    finally:
        with (tmp_path / "ends").open("a") as file:
            file.write(f"{os.getpid()}\n")
    assert (tmp_path / "ends").read_text() == f"{os.getpid()}\n"
