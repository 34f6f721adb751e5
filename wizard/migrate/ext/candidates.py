"""What on a drive can become an ext4 with its files kept, as far as a look at the drive tells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wizard.migrate.ext.superblock import named_features, seems_once_ext3
from wizard.model.machine import Drive, Signature

KINDS = frozenset({"ext2", "ext3"})
"""By libblkid's name. Of an ext4 only its features tell whether it was one of these."""

INCOMPLETE = "incomplete ext4"
"""An ext4 that lacks what every new one has, or whose files were never converted: as one that was an ext3."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A filesystem on the node `device`: the drive, a partition of it, or a layer above. `kind`: ext2, ext3
    or an incomplete ext4."""

    device: str
    kind: str
    label: str | None


def old_filesystems(drive: Drive) -> tuple[Candidate, ...]:
    """The filesystems of an old kind on a drive, and what was left between the kinds, in the order in which
    they lie there, those of layers last.
    """
    return tuple(_found(drive))


def _found(drive: Drive) -> Iterator[Candidate]:
    places: list[tuple[str, Sequence[Signature]]] = [(drive.path, drive.signatures)]
    places += [(part.path, part.signatures) for part in drive.partitions]
    places += [(layer.path, layer.signatures) for layer in drive.layers]
    for path, signatures in places:
        # Where marks contradict each other, nobody knows what it is.
        if len(signatures) == 1 and not signatures[0].ambivalent and (kind := _old_kind(signatures[0])):
            yield Candidate(path, kind, signatures[0].label)


def _old_kind(mark: Signature) -> str | None:
    """How it is called to a person; None for what is nothing of the kind, or an ext4 whose features nobody
    could read."""
    if mark.kind in KINDS:
        return mark.kind
    if mark.kind != "ext4" or mark.features is None:
        return None
    return INCOMPLETE if mark.unconverted or seems_once_ext3(named_features(mark.features)) else None
