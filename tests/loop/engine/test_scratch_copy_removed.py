"""Scratch copies disappear after use, even if another program has them open."""

import subprocess
from pathlib import Path

from tests.loop.program import MIB
from wizard.apply.block.devices import add_partitions, partition_nodes
from wizard.apply.block.scratch_device import attached
from wizard.process.program import run

HOLDING = "exec 3< {}; echo; sleep 1"


def test_scratch_copy_disappears_although_a_partition_was_open(tmp_path: Path) -> None:
    table = tmp_path / "table"
    with table.open("wb") as file:
        file.truncate(16 * MIB)
    run(("sfdisk", "--quiet", "--label", "gpt", str(table)), seconds=30, stdin=b"start=2048\n")
    with table.open("r+b") as image, attached(image.fileno(), 512) as node:
        add_partitions(node, (1,))
        (partition,) = partition_nodes(node)
        holder = subprocess.Popen(["sh", "-c", HOLDING.format(partition)], stdout=subprocess.PIPE)
        assert holder.stdout is not None and holder.stdout.read(1)
    assert holder.poll() is not None, "it is over only when nobody holds it"
    held = Path("/sys/block", Path(node).name, "loop/backing_file")
    # Somebody else can have a loop device by this name at once.
    assert not held.exists() or "stand-in" not in held.read_text()
    assert not Path(partition).exists() or held.exists()
