"""A loop device left read-only by an earlier user becomes writable when the program attaches it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.devices import tool
from tests.loop.program import MIB
from wizard.apply.block.scratch_device import attached
from wizard.demo.drive import demo_drive

GET_FREE = 0x4C82


@contextmanager
def free_node_left_read_only() -> Iterator[str]:
    """Set the next free loop device read-only, like a detached drive can leave it."""
    control = os.open("/dev/loop-control", os.O_RDWR)
    try:
        node = f"/dev/loop{fcntl.ioctl(control, GET_FREE)}"
    finally:
        os.close(control)
    tool("blockdev", "--setro", node)
    try:
        yield node
    finally:
        tool("blockdev", "--setrw", node)


def takes_writes(node: str) -> bool:
    return tool("blockdev", "--getro", node).strip() == "0"


@pytest.mark.alone
def test_read_only_loop_device_becomes_writable(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(MIB))
    with (
        (tmp_path / "file").open("r+b") as file,
        free_node_left_read_only() as node,
        attached(file.fileno(), 512) as one,
    ):
        assert one == node and takes_writes(node)
    with free_node_left_read_only() as node, demo_drive() as demo:
        assert demo.path == node and takes_writes(node)
