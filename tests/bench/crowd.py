"""`python -m tests.bench.crowd FILE [COUNT]`: write a machine with many drives, combined from the recorded
ones."""

import sys
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from tests.machines import recordings
from wizard.documents.codec import render_document, to_json
from wizard.probe.facts import SCHEMA, RawBlock, RawDrive, RawMachine
from wizard.probe.host.sysfs import node_of
from wizard.probe.machine import load_facts

COUNT = 64


@cache
def crowd(count: int = COUNT) -> RawMachine:
    """Return a machine with this number of different recorded drives under new names. Drives below other
    layers are skipped."""
    paths = recordings()
    found = list(islice(_drives(paths), count))
    if len(found) < count:
        raise SystemExit(f"only {len(found)} drives are recorded")
    around = load_facts(paths[0])
    blocks = {name: block for _, named in found for name, block in named.items()}
    return replace(
        around, drives=tuple(drive for drive, _ in found), graph=replace(around.graph, blocks=blocks)
    )


def _drives(paths: tuple[Path, ...]) -> Iterator[tuple[RawDrive, dict[str, RawBlock]]]:
    number = 0
    for path in paths:
        raw = load_facts(path)
        for drive in raw.drives:
            blocks = {
                name: block for name, block in raw.graph.blocks.items() if drive.name in (name, block.disk)
            }
            if not drive.layers and not any(block.holders for block in blocks.values()):
                # With a digit at the end where it had one: its partitions have a p before their number then.
                yield _renamed(drive, blocks, f"drive{number:02}" + ("" if drive.name[-1].isdigit() else "x"))
                number += 1


def _renamed(drive: RawDrive, blocks: dict[str, RawBlock], new: str) -> tuple[RawDrive, dict[str, RawBlock]]:
    """Rename a drive and its nodes, with unique device numbers."""

    def name(old: str) -> str:
        return new + old.removeprefix(drive.name)

    moved = replace(
        drive,
        name=new,
        path=node_of(new),
        partitions={name(old): part for old, part in drive.partitions.items()},
        contents=None
        if drive.contents is None
        else {name(old): content for old, content in drive.contents.items()},
        superblocks={name(old): chunks for old, chunks in drive.superblocks.items()},
        claimable={name(old): free for old, free in drive.claimable.items()},
    )
    nodes = {
        name(old): replace(block, number=f"{new}:{count}", disk=name(block.disk) if block.disk else None)
        for count, (old, block) in enumerate(blocks.items())
    }
    return moved, nodes


def write(path: Path, count: int = COUNT) -> None:
    """Write the machine to a file for `--machine`."""
    path.write_text(render_document(SCHEMA, to_json(crowd(count))), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else COUNT)
