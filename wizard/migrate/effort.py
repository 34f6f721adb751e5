"""How much a program of e2fsprogs that says nothing of how far it is has to read and write, roughly. Pure.

Counted on filesystems of 4 and 20 GiB with blocks of 1, 2 and 4 KiB, in sizes of the table of inodes as it is
afterwards: widening reads 2.0 and writes 1.0, and with an undo file reads 3.3 to 4.1; wider block numbers and
checksums read 1.0.
"""

from dataclasses import dataclass
from itertools import pairwise

from wizard.model.documents.migration import AddChecksums, OnDevice, WidenBlockNumbers, WidenInodes
from wizard.model.ext import ExtFacts

WIDENING_READS, WIDENING_READS_TO_UNDO = 2.0, 3.5


@dataclass(frozen=True, slots=True)
class Effort:
    """What a program reads, and what of its writing reaches the device, in bytes."""

    read_bytes: int
    written_bytes: int


def effort_of(operation: OnDevice, now: ExtFacts, *, undoable: bool) -> Effort | None:
    """Of the operation's program other than e2fsck, on the filesystem as it is now; None where that is done
    at once."""
    match operation:
        case WidenInodes(inode_bytes=size):
            table = now.inodes * size
            return Effort(int(table * (WIDENING_READS_TO_UNDO if undoable else WIDENING_READS)), table)
        case WidenBlockNumbers():
            return Effort(now.inodes * now.inode_bytes, 0)
        case AddChecksums():
            return Effort(now.inodes * now.inode_bytes, (now.inodes - now.free_inodes) * now.inode_bytes)
        case _:
            return None


def parts_of(operation: OnDevice, count: int) -> tuple[tuple[float, float], ...]:
    """From where to where in its step each of the operation's `count` commands goes, by the time they take;
    from 0 to 1."""
    # e2fsck after new checksums took twice as long as making them (2.6 s and 6.2 s).
    bounds = (
        (0.0, 0.3, 1.0)
        if isinstance(operation, AddChecksums)
        else tuple(number / count for number in range(count + 1))
    )
    return tuple(pairwise(bounds))
