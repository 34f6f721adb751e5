"""Create the machines of loop devices, survey them like `inspect --save`, and store the facts. Needs root;
writes nowhere else."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from tests.devices import Bench, release, remove_loop_device, tool
from tests.lab.errands.record import traces
from tests.lab.visits.drives.portraits import file_of
from tests.machines import LOOPS
from tests.machines.contents import tell_kernel
from tests.machines.made import Made
from wizard.documents.codec import render_document, to_json
from wizard.probe.facts import SCHEMA, RawGraph, RawMachine
from wizard.probe.machine import load_facts, survey

FOLDER = Path("/var/tmp/drives")
"""Where the drives' files lie while they are recorded. Always the same: the kernel tells the name of a loop
device's file."""
FIRST_NUMBER = 64
"""Loop devices from here on, so that they are called the same each time, whatever else the computer has."""
PATIENCE_SECONDS = 120.0
AROUND = "old"
"""The lab's recording whose kernel, tools and memory the loop devices get: nothing is told of the computer
that they were made on."""


class Numbered(Bench):
    """A bench that numbers its drives from `FIRST_NUMBER`."""

    def add(self, made: Made) -> str:
        """Create a drive and attach it, with its partitions."""
        number = FIRST_NUMBER + len(self.images)
        path, image = f"/dev/loop{number}", self.folder / f"{number}.img"
        if Path(f"/sys/block/loop{number}/loop").exists():
            raise SystemExit(f"{path} is in use: it is needed for recording")
        with image.open("xb") as file:
            file.truncate(made.size_bytes)
        made.prepare(image)
        tool("losetup", "--sector-size", str(made.block_bytes), path, str(image))
        self.images[path] = image
        self.own(path)
        tell_kernel(path)
        made.fill(path)
        return path

    def leave(self) -> None:
        """Detach everything, and remove the added loop devices."""
        for path in self.images:
            release(path)
        self.take_down()
        for path in self.images:
            remove_loop_device(path)


@contextmanager
def attached(drives: Sequence[Made]) -> Iterator[tuple[str, ...]]:
    """Attach the drives for the duration of the survey."""
    FOLDER.mkdir(mode=0o700)
    try:
        bench = Numbered(FOLDER)
        try:
            yield tuple(bench.add(made) for made in drives)
        finally:
            bench.leave()
    finally:
        shutil.rmtree(FOLDER)


def facts_of(drives: Sequence[Made]) -> RawMachine:
    """Return the facts about the drives as if they were the only ones on the lab's machine."""
    around = load_facts(file_of(AROUND))
    with attached(drives) as paths:
        raw = survey(paths, seconds=PATIENCE_SECONDS)
    names = {drive.name for drive in raw.drives}
    return replace(around, drives=raw.drives, links={}, graph=_of_these(raw.graph, names, around.graph))


def _of_these(graph: RawGraph, names: set[str], around: RawGraph) -> RawGraph:
    """Return the drives' part of the graph, with the lab's mounts and without paths of this computer."""
    blocks = {
        name: replace(block, backing_inode=None)
        for name, block in graph.blocks.items()
        if name in names or block.disk in names
    }
    numbers = {block.number for block in blocks.values()}
    (space,) = around.mounts
    mounted = "\n".join(mounts.text for mounts in graph.mounts if mounts.own).split("\n")
    theirs = [line for line in mounted if line and line.split(" ")[2] in numbers]
    return RawGraph(
        blocks=blocks,
        mounts=(replace(space, text="\n".join([space.text, *theirs])),),
        swaps=around.swaps,
        numbers={path: number for path, number in graph.numbers.items() if number in numbers},
        btrfs={uuid: found for uuid, found in graph.btrfs.items() if set(found) <= set(blocks)},
        active={
            kind: kept
            for kind, found in graph.active.items()
            if (kept := tuple(name for name in found if name in blocks))
        },
    )


def keep(name: str, drives: Sequence[Made]) -> str:
    """Record a machine. Returns what the file would reveal about this computer; then it is not written."""
    text = render_document(SCHEMA, to_json(facts_of(drives)))
    found = traces(text)
    if found:
        return ", ".join(found)
    LOOPS.mkdir(exist_ok=True)
    (LOOPS / f"{name}.json").write_text(text, encoding="utf-8")
    return ""


def may_record() -> bool:
    """Return True if this user can create loop devices."""
    return os.geteuid() == 0 and Path("/dev/loop-control").exists()
