"""What on a drive can become an ext4 with its files kept, as far as a look at the drive tells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wizard.model.machine import Drive, Signature
from wizard.model.names import printable
from wizard.model.units import format_capacity

KINDS = frozenset({"ext2", "ext3"})
"""By libblkid's name. Of an ext4 only its superblock tells whether it was one of these."""

MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A filesystem of `kind` on the node `device`: the drive, a partition of it, or a layer above."""

    device: str
    kind: str
    label: str | None
    size_bytes: int | None


def old_filesystems(drive: Drive) -> tuple[Candidate, ...]:
    """The filesystems of an old kind on a drive, in the order in which they lie there, those of layers last."""
    return tuple(_found(drive))


def _found(drive: Drive) -> Iterator[Candidate]:
    places: list[tuple[str, int | None, Sequence[Signature]]] = [(drive.path, drive.size_bytes, drive.signatures)]
    places += [(part.path, part.size_bytes, part.signatures) for part in drive.partitions]
    places += [(layer.path, layer.size_bytes, layer.signatures) for layer in drive.layers]
    for path, size_bytes, signatures in places:
        # Where marks contradict each other, nobody knows what it is.
        if len(signatures) == 1 and not signatures[0].ambivalent and signatures[0].kind in KINDS:
            yield Candidate(path, signatures[0].kind, signatures[0].label, size_bytes)


def candidate_words(candidate: Candidate) -> str:
    """`ext3 on /dev/sda1, "photos", 465 GB`."""
    pieces = [
        f"{candidate.kind} on {printable(candidate.device, 200)}",
        f'"{printable(candidate.label)}"' if candidate.label else "",
        format_capacity(candidate.size_bytes) if candidate.size_bytes is not None else "",
    ]
    return ", ".join(filter(None, pieces))


def instead_words(found: Sequence[Candidate]) -> str:
    """That nothing needs to be erased for ext4, before the way to it; `found` are one or more."""
    return f"Not needed for ext4: {keeping_words(found)[:-1]}, by"


def keeping_words(found: Sequence[Candidate]) -> str:
    """That files can stay where they are; `found` are one or more."""
    which = " and ".join(f"the {one.kind} on {printable(one.device, 200)}" for one in found[:MOST_NAMED])
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f"{which}{more} can become ext4 with all files kept."
