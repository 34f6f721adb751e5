"""Judge the state of a job's drives: old, new, or recognised by no tool. Rules judge every state, tools
some of them."""

import hashlib
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.devices import tool
from tests.simulator.drives import SimulatedDrive, Sparse
from tests.simulator.jobs import Job, Part
from wizard.model.machine import Extent


def is_old(job: Job, drives: Sequence[SimulatedDrive], *, saved: bool = False) -> bool:
    """Return True if every byte is as before, or every `saved` one."""
    return all(
        _holds(
            {at: data for at, data in part.old.items() if not (saved and at in part.unsaved)}, drive.content
        )
        for part, drive in zip(job.parts, drives, strict=True)
    )


def is_new(job: Job, drives: Sequence[SimulatedDrive]) -> bool:
    """Return True if every byte is as planned."""
    return all(_holds(part.new, drive.content) for part, drive in zip(job.parts, drives, strict=True))


def _holds(blocks: dict[int, bytes], content: Sparse) -> bool:
    return all(content.block(number) == data for number, data in blocks.items())


def digest(drives: Sequence[SimulatedDrive], record: bytes) -> bytes:
    """Return a digest of a state: all bytes of the drives that can change, and the run's record."""
    found = hashlib.sha256(record)
    for drive in drives:
        found.update(b"".join(drive.content.block(number) for number in drive.content.before))
    return found.digest()


@dataclass(frozen=True, slots=True)
class Rule:
    """Condition for recognising content. `shows`: the blocks that identify old or new content. `rest`: all
    other blocks with their required bytes."""

    shows: dict[int, bytes]
    rest: dict[int, bytes]

    def is_shown(self, content: Sparse) -> bool:
        return any(content.block(number) == data for number, data in self.shows.items())

    def holds(self, content: Sparse) -> bool:
        return _holds(self.rest, content)


class Rules:
    """Old content may be recognised only while all its bytes except its own signatures are there. The same
    applies to new content."""

    def __init__(self, job: Job) -> None:
        self._old = [_rule(part, old=True) for part in job.parts]
        self._new = [_rule(part, old=False) for part in job.parts]
        self._parts = job.parts
        self._orders = [(_order(part, old=True), _order(part, old=False)) for part in job.parts]

    def fault(self, drives: Sequence[SimulatedDrive]) -> str:
        """Return the fault of a state, or empty."""
        for name, rules in (("old", self._old), ("new", self._new)):
            shown = [rule.is_shown(drive.content) for rule, drive in zip(rules, drives, strict=True)]
            whole = all(rule.holds(drive.content) for rule, drive in zip(rules, drives, strict=True))
            if any(shown) and not whole:
                return (
                    f"drive {shown.index(True)} shows something {name}, and not all that is {name} is there"
                )
        for drive, (old, new) in zip(drives, self._orders, strict=True):
            if not (self._in_order(drive.content, old) and self._in_order(drive.content, new)):
                return "a mark shows before one that it stands for"
        for part, drive in zip(self._parts, drives, strict=True):
            stays = part.numbers(mark.extent for mark in part.marks if mark.stays)
            if any(drive.content.block(at) not in (part.old[at], part.new[at]) for at in stays):
                return "a table that stays is neither the old nor the new one"
        return ""

    def _in_order(self, content: Sparse, orders: list[dict[int, bytes]]) -> bool:
        """Return True if each visible signature has all earlier ones complete."""
        shown = [
            number
            for number, mark in enumerate(orders)
            if any(content.block(at) == data for at, data in mark.items())
        ]
        return not shown or all(_holds(mark, content) for mark in orders[: shown[-1]])

    def is_half(self, drives: Sequence[SimulatedDrive]) -> bool:
        """Return True if neither is there, so nothing may be recognised."""
        return not any(
            all(rule.holds(drive.content) for rule, drive in zip(rules, drives, strict=True))
            for rules in (self._old, self._new)
        )


def _rule(part: Part, *, old: bool) -> Rule:
    marks = part.change.old_marks if old else part.change.new_marks
    own, other = (part.old, part.new) if old else (part.new, part.old)
    numbers = part.numbers(mark.extent for mark in marks)
    shows = {number: own[number] for number in numbers if any(own[number]) and own[number] != other[number]}
    # The notice goes when all that it tells of is in place.
    apart = numbers if old else numbers | part.noted
    return Rule(shows, {number: data for number, data in own.items() if number not in apart})


def _order(part: Part, *, old: bool) -> list[dict[int, bytes]]:
    """Return the visible part of each signature in order, of blocks that belong to it alone."""
    marks = part.change.old_marks if old else part.change.new_marks
    own, other = (part.old, part.new) if old else (part.new, part.old)
    numbers = [part.numbers((mark.extent,)) for mark in marks]
    shared = Counter(number for found in numbers for number in found)
    return [
        {at: own[at] for at in found if shared[at] == 1 and any(own[at]) and own[at] != other[at]}
        for found in numbers
    ]


class Copies:
    """Images of a job's drives, for judging a state with real tools."""

    def __init__(self, job: Job, folder: Path) -> None:
        self._job = job
        self._files = [folder / f"copy{number}.img" for number in range(len(job.parts))]
        for part, file in zip(job.parts, self._files, strict=True):
            tool("cp", "--sparse=always", str(part.image), str(file))
        self.looked_at = 0

    def fault(self, drives: Sequence[SimulatedDrive], *, is_half: bool) -> str:
        """Return what tools recognise but must not, or must but do not; empty if correct."""
        self.looked_at += 1
        for part, file, drive in zip(self._job.parts, self._files, drives, strict=True):
            with file.open("r+b") as image:
                for number in drive.content.before:
                    image.seek(number * part.block_bytes)
                    image.write(drive.content.block(number))
            seen = set(_partitions(file, part.block_bytes))
            if lost := [place for place in part.kept if place not in seen]:
                return f"partx does not show what stays at {lost[0]}"
            if not is_half:
                continue
            if not part.kept:
                seen |= set(_partitions(file, part.block_bytes))
                shown = [str(place) for place in seen]
                shown += tool("wipefs", "--no-act", "--noheadings", str(file)).split()
                shown += _recognised(file, Extent(0, part.change.size_bytes))
                if shown:
                    return f"the drive is half written, and tools see {' '.join(shown)}"
            for volume in part.volumes:
                if shown := _recognised(file, volume):
                    return f"the drive is half written, and blkid sees {' '.join(shown)} at {volume}"
        return ""


def _partitions(file: Path, block_bytes: int) -> Iterator[Extent]:
    done = subprocess.run(
        (
            "partx",
            "--show",
            "--noheadings",
            "--sector-size",
            str(block_bytes),
            "--output",
            "START,SECTORS",
            str(file),
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    for line in done.stdout.splitlines():
        start, sectors = map(int, line.split())
        yield Extent(start * block_bytes, sectors * block_bytes)


def _recognised(file: Path, place: Extent) -> list[str]:
    where = ("--offset", str(place.start_bytes), "--size", str(place.size_bytes))
    done = subprocess.run(
        ("blkid", "--probe", *where, "--output", "value", str(file)),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()
