"""Reboots during a run: mounts and swap disappear, and drives can change names."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.devices import MOUNTINFO, release, remove_loop_device, tool
from tests.loop.applying import Work, carry_out, until, without_power
from tests.loop.engine.accidents import plug_in
from tests.loop.program import Event, Journal, Plan, Purpose

FIRST_NUMBER = 2000
"""Loop devices from here on are given to nobody who asks for any free one."""


@dataclass
class Attached:
    """Drives without serial numbers, with their current names."""

    work: Work
    nodes: tuple[str, ...]
    images: list[Path] = field(default_factory=list)

    def reboot(self, order: Sequence[int] | None = None) -> None:
        """Unmount all, turn swap off, detach every drive, and attach drive `order[n]` as node n."""
        there = [node for node in self.nodes if node in self.work.bench.images]
        for node in there:
            self.work.bench.own(node)
        # A Btrfs over two is mounted by one of them, and holds the other until then.
        until(lambda: all([_released(node) for node in there]))
        for node in there:
            del self.work.bench.images[node]
        if order is not None:
            self.images = [self.images[number] for number in order]
        for node, image in zip(self.nodes, self.images, strict=False):
            plug_in(self.work, node, image)


def _released(node: str) -> bool:
    release(node)
    return not Path(f"/sys/block/{Path(node).name}/loop/backing_file").exists()


@contextmanager
def attached(work: Work, *sizes_bytes: int) -> Iterator[Attached]:
    """Create drives with reserved names for this test."""
    start = FIRST_NUMBER + os.getpid() % 1000 * 4
    made = Attached(work, tuple(f"/dev/loop{start + number}" for number in range(len(sizes_bytes))))
    try:
        for number, size in enumerate(sizes_bytes):
            image = work.bench.folder / f"attached{number}.img"
            with image.open("wb") as file:
                file.truncate(size)
            plug_in(work, made.nodes[number], image)
            made.images.append(image)
        yield made
    finally:
        work.leave()
        made.images.clear()
        made.reboot()
        for node in made.nodes:
            with suppress(OSError):
                remove_loop_device(node)


def cuts(plan: Plan) -> list[tuple[Event, int | None]]:
    """Return every moment before and after a step that mounts or activates a volume, and the end."""
    moments = (Event.STEP_STARTED, Event.STEP_DONE)
    return [
        *((event, number) for number, _ in plan.use_steps() for event in moments),
        (Event.VERIFIED, None),
    ]


def cut_at(
    monkeypatch: pytest.MonkeyPatch, run: Path, purpose: Purpose, event: Event, step: int | None
) -> None:
    """Run until a power cut before this journal entry."""
    journal = Journal(run)
    journal.add(Event.STARTED, "begun by a test")
    journal.close()
    without_power(monkeypatch, event, step, lambda: carry_out(run, purpose, ()))


def mounted_from(node: str) -> list[str]:
    """Return the mount points of a drive and its partitions, and `swap` for active swap."""
    names = [node, *(f"{node}p{number}" for number in range(1, 5))]
    lines = [line.partition(" - ") for line in MOUNTINFO.read_text().splitlines()]
    places = [before.split(" ")[4] for before, _, after in lines if after.split(" ")[1] in names]
    swaps = [line.split()[0] for line in Path("/proc/swaps").read_text().splitlines()[1:]]
    return [*places, *("swap" for name in swaps if name in names)]


def uuid_of(node: str) -> str:
    """Return the UUID on a node from libblkid."""
    return tool("blkid", "-p", "-o", "value", "-s", "UUID", node).strip()
