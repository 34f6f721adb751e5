"""What a state of a job's drives is: old, new, or nothing that any tool recognises. Asked by rules of every
state, of tools of some."""

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


def is_old(job: Job, drives: Sequence[SimulatedDrive]) -> bool:
    """Whether every byte is as it was."""
    return all(_holds(part.old, drive.content) for part, drive in zip(job.parts, drives, strict=True))


def is_new(job: Job, drives: Sequence[SimulatedDrive]) -> bool:
    """Whether every byte is as planned."""
    return all(_holds(part.new, drive.content) for part, drive in zip(job.parts, drives, strict=True))


def _holds(blocks: dict[int, bytes], content: Sparse) -> bool:
    return all(content.block(number) == data for number, data in blocks.items())


def digest(drives: Sequence[SimulatedDrive], record: bytes) -> bytes:
    """What tells a state from others: every byte of the drives that can change, and the run's record."""
    found = hashlib.sha256(record)
    for drive in drives:
        found.update(b"".join(drive.content.block(number) for number in drive.content.before))
    return found.digest()


@dataclass(frozen=True, slots=True)
class Rule:
    """What of a drive shows, and what must hold then: `shows` are the blocks by which the old or the new
    content is recognised and nothing else, `rest` all other blocks, with what they hold then.
    """

    shows: dict[int, bytes]
    rest: dict[int, bytes]

    def is_shown(self, content: Sparse) -> bool:
        return any(content.block(number) == data for number, data in self.shows.items())

    def holds(self, content: Sparse) -> bool:
        return _holds(self.rest, content)


class Rules:
    """Old content may show only while each of its bytes but its own marks is there; the same holds for what
    is new."""

    def __init__(self, job: Job) -> None:
        self._old = [_rule(part, old=True) for part in job.parts]
        self._new = [_rule(part, old=False) for part in job.parts]
        self._parts = job.parts
        self._orders = [(_order(part, old=True), _order(part, old=False)) for part in job.parts]

    def fault(self, drives: Sequence[SimulatedDrive]) -> str:
        """What is wrong with a state; empty where nothing is."""
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
        """Whether each mark that shows at all has every earlier one whole behind it."""
        shown = [
            number
            for number, mark in enumerate(orders)
            if any(content.block(at) == data for at, data in mark.items())
        ]
        return not shown or all(_holds(mark, content) for mark in orders[: shown[-1]])

    def is_half(self, drives: Sequence[SimulatedDrive]) -> bool:
        """Whether neither is there, so that nothing may be recognised."""
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
    """What shows of each mark, in their order, of the blocks that belong to it alone."""
    marks = part.change.old_marks if old else part.change.new_marks
    own, other = (part.old, part.new) if old else (part.new, part.old)
    numbers = [part.numbers((mark.extent,)) for mark in marks]
    shared = Counter(number for found in numbers for number in found)
    return [
        {at: own[at] for at in found if shared[at] == 1 and any(own[at]) and own[at] != other[at]}
        for found in numbers
    ]


class Copies:
    """Images of a job's drives, in which a state can be looked at by real tools."""

    def __init__(self, job: Job, folder: Path) -> None:
        self._job = job
        self._files = [folder / f"copy{number}.img" for number in range(len(job.parts))]
        for part, file in zip(job.parts, self._files, strict=True):
            tool("cp", "--sparse=always", str(part.image), str(file))
        self.looked_at = 0

    def fault(self, drives: Sequence[SimulatedDrive], *, is_half: bool) -> str:
        """What tools see that they must not, or do not see though they must; empty where all is right."""
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
