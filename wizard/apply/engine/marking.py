"""What a drive is recognised by, found on its stand-in: marks are taken away there until no tool sees
anything any more."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from wizard.apply.block.devices import forget_caches, read_bytes, write_bytes
from wizard.apply.block.extents import GRAIN_BYTES
from wizard.apply.engine import words
from wizard.apply.engine.marks import copies, widened
from wizard.apply.steps.lvm import alone_on
from wizard.apply.steps.wipe import TABLE_MARKS, list_signatures
from wizard.filesystems.registry import KINDS
from wizard.layout.several.striping import MEMBER_KINDS
from wizard.layout.steps.commands import PRIVATE_PLACES
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.names import printable
from wizard.tools.program import find, run

MOST_ROUNDS = 50
"""Behind one mark another can come to light; ZFS has the most."""

ASKED = ((("cryptsetup", "isLuks"), (0, 1)), (("mdadm", "--examine"), range(256)))
"""Commands that end with 0 only if they recognise something on the device behind them, and the statuses that
are an answer: cryptsetup(8) gives any other for an error, mdadm(8) documents none."""

PROBE = ("blkid", "--probe", "--output", "value", "--match-tag", "TYPE", "--match-tag", "PTTYPE")
"""Prints what it recognises; by its status it also tells of the partition's entry in its drive's table."""

PROBED = (0, 2)
"""The statuses of blkid(8) that are an answer. With 8 it recognises several things, and prints none."""


class Marking:
    """Takes marks away from the stand-in `node`, whose blocks have `block_bytes`, and keeps what stood
    there."""

    def __init__(self, node: str, size_bytes: int, block_bytes: int, seconds: float) -> None:
        self._node, self._drive, self._block, self._seconds = (
            node,
            Extent(0, size_bytes),
            block_bytes,
            seconds,
        )
        self._held: dict[Extent, bytes] = {}

    def volume(self, part: str, volume: Extent) -> tuple[Extent, ...]:
        """The places by which a partition is recognised, those that showed first in front; nothing shows them
        afterwards."""
        found = dict.fromkeys(
            self._shown(part, volume, lambda kind, offset: widened(Extent(offset, 1), volume, self._block))
        )
        return tuple(found)

    def drive(self) -> tuple[tuple[Extent, ...], tuple[Extent, ...]]:
        """The places by which the drive itself is recognised: what lies on it without a table, and its
        table."""
        tables: dict[Extent, None] = {}

        def place_of(kind: str, offset: int) -> Extent:
            if kind not in TABLE_MARKS:
                return widened(Extent(offset, 1), self._drive, self._block)
            place = Extent(offset // self._block * self._block, self._block)
            tables[place] = None
            return place

        found = dict.fromkeys(self._shown(self._node, self._drive, place_of))
        return tuple(place for place in found if place not in tables), tuple(tables)

    def _shown(self, node: str, volume: Extent, place_of: Callable[[str, int], Extent]) -> Iterator[Extent]:
        known = [
            widened(place, volume, self._block) for place in copies(self._within(volume), volume.size_bytes)
        ]
        for _ in range(MOST_ROUNDS):
            forget_caches(node)
            rows = list_signatures(node, self._seconds)
            if not rows:
                break
            for place in [place_of(kind, offset) for kind, offset in rows]:
                self._hide(place)
                yield place
        else:
            raise Failed(words.STILL_SHOWS(node=node, kind=rows[0][0]))
        for place in known:
            self._hide(place)
            yield place

    def _within(self, volume: Extent) -> Callable[[int, int], bytes]:
        def read(start: int, length: int) -> bytes:
            if start + length > volume.size_bytes:
                return b""
            begin = (volume.start_bytes + start) // self._block * self._block
            end = min(begin + length + GRAIN_BYTES, self._drive.size_bytes)
            return read_bytes(self._node, begin, end - begin)[volume.start_bytes + start - begin :][:length]

        return read

    def _hide(self, place: Extent) -> None:
        held = read_bytes(self._node, place.start_bytes, place.size_bytes)
        self._held.setdefault(place, held)
        write_bytes(self._node, place.start_bytes, bytes(place.size_bytes))

    def put_back(self) -> None:
        """Write again what stood in every place."""
        for place, data in reversed(self._held.items()):
            write_bytes(self._node, place.start_bytes, data)
        forget_caches(self._node)

    def refuse_recognised(self, part: str, filesystem: str | None) -> None:
        """Raises Failed if a tool still recognises what a partition holds, the kernel mounts it, or a tool
        fails."""
        forget_caches(part)
        if seen := run((*PROBE, part), seconds=self._seconds, accept=PROBED).output.split():
            raise Failed(words.BLKID_SEES(seen=printable(" ".join(seen), 60), part=part))
        for argv, answers in ASKED:
            if find(argv[0]) is not None and _succeeds((*argv, part), self._seconds, answers):
                raise Failed(words.STILL_SEEN(program=argv[0], part=part))
        if filesystem == MEMBER_KINDS["lvm"] and _succeeds(
            alone_on([self._node], ("pvs", part)), self._seconds
        ):
            raise Failed(words.STILL_SEEN(program="LVM", part=part))
        place = Path(PRIVATE_PLACES) / f"hidden-{os.getpid()}"
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        kind = KINDS.get(filesystem or "")
        for name in kind.kernel_names if kind else ():
            if _succeeds(("mount", "-t", name, "-o", "ro", part, str(place)), self._seconds):
                run(("umount", str(place)), seconds=self._seconds)
                raise Failed(words.KERNEL_MOUNTS(part=part, kind=name))
        with suppress(OSError):
            place.rmdir()


def _succeeds(argv: tuple[str, ...], seconds: float, answers: Sequence[int] = range(256)) -> bool:
    """Return True for status 0. Raises Failed for a status that is no answer; a signal never is one."""
    return run(argv, seconds=seconds, accept=answers).status == 0
