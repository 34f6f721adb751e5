"""Drives without serial numbers that swap nodes, as after a reboot, and clones. Another test can grab a
detached node, so tests that swap are marked `alone`."""

import subprocess
from pathlib import Path
from shutil import copyfile

from tests.devices import Bench, forget_partitions, tool


def swap(bench: Bench, *nodes: str) -> None:
    """Give each drive the node of the next one."""
    images = dict(zip(nodes, (*nodes[1:], nodes[0]), strict=True))
    held = {node: bench.image_of(node) for node in images}
    for node in images:
        bench.own(node)
        forget_partitions(node)
        tool("losetup", "--detach", node)
    for node, other in images.items():
        tool("losetup", node, str(held[other]))
        bench.images[node] = held[other]
        know_partitions(node)


def know_partitions(node: str) -> None:
    """Make the kernel read the table, if any."""
    subprocess.run(["partx", "--update", node], capture_output=True, timeout=20, check=False)


def clone(bench: Bench, one: str, other: str) -> None:
    """Copy a drive's bytes to another drive."""
    tool("blockdev", "--flushbufs", one)
    put_in(bench, other, bench.image_of(one))


def put_in(bench: Bench, node: str, image: Path) -> None:
    """Copy an image to a drive, as if another drive were in its place."""
    bench.own(node)
    copyfile(image, bench.image_of(node))
    tool("blockdev", "--flushbufs", node)
    forget_partitions(node)
    know_partitions(node)
