"""Whether what stands in a partition, or on the drive itself, begins where the drive's blocks do: the sum of
all offsets decides."""

from collections.abc import Iterator

from wizard.diagnose.places import Array, Place, Standing
from wizard.diagnose.stripes import PARITY
from wizard.diagnose.words import inside as words
from wizard.diagnose.words import shared
from wizard.model.finding import Finding, Severity
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive
from wizard.model.said import Said, in_a_row

BAD = (Standing.OFF, Standing.HIDDEN)
REMEDIES = {
    "LVM2_member": words.ANEW_LVM,
    "crypto_LUKS": words.ANEW_LUKS,
    "linux_raid_member": words.ANEW_MD,
}
KINDS = {"LVM": "LVM2_member", "LUKS": "crypto_LUKS", "md": "linux_raid_member"}


def makes_up(place: Place) -> bool:
    """Whether all data within begin on a boundary, wherever the place itself begins."""
    leaves = list(place.leaves())
    return leaves != [place] and all(leaf.standing is Standing.ON for leaf in leaves)


def find_inside(drive: Drive, geometry: Geometry, place: Place, *, told: bool = False) -> Iterator[Finding]:
    """Findings on what stands within `place`. `told`: it is known already that it begins in the wrong place,
    and why."""
    for inner in place.within:
        off = inner.standing in BAD
        if off and makes_up(inner):
            yield compensated(geometry, inner)
            continue
        if off and not told:
            yield _inside(drive, geometry, place, inner)
        yield from find_inside(drive, geometry, inner, told=off)


def compensated(geometry: Geometry, place: Place) -> Finding:
    """It begins in the wrong place, and what stands in it makes up for that."""
    leaf, blocks = next(place.leaves()), _blocks(geometry, place)
    return Finding(
        "alignment-compensated",
        Severity.INFO,
        place.device,
        in_a_row(
            words.OFF(place=place.name, blocks=blocks)
            if place.start_bytes is None
            else words.OFF_AT(place=place.name, start=place.start_bytes, blocks=blocks),
            words.MADE_UP_BY_KERNEL(data=leaf.name)
            if leaf.start_bytes is None
            else words.MADE_UP(data=leaf.name, start=leaf.start_bytes, terms=leaf.summands),
        ),
        words.MADE_UP_WHY(),
        words.SOURCE(),
        shared.NOTHING_TO_DO(),
    )


def _inside(drive: Drive, geometry: Geometry, outer: Place, inner: Place) -> Finding:
    hidden = inner.standing is Standing.HIDDEN
    off, blocks = inner.off_bytes, _blocks(geometry, inner)
    said = [
        words.INSIDE(place=inner.name, off=off, blocks=blocks)
        if inner.start_bytes is None
        else words.INSIDE_AT(place=inner.name, start=inner.start_bytes, off=off, blocks=blocks)
    ]
    if len(inner.terms) > 1:
        said.append(words.SUM(terms=inner.summands))
    if outer.standing is Standing.ON:
        said.append(words.HOLDER_FINE(holder=outer.name))
    kind = inner.container or KINDS.get(_kind(drive, inner).partition(" ")[0], "")
    return Finding(
        "alignment-inside",
        Severity.WARNING if hidden else Severity.DANGER,
        inner.device,
        in_a_row(*said),
        shared.LIARS() if hidden else shared.TWO_BLOCKS(),
        words.SOURCE(),
        in_a_row(words.ANEW(), REMEDIES.get(kind, words.ANEW_OTHER)()),
    )


def find_chunks(place: Place) -> Iterator[Finding]:
    """Data on a striped array that begin off its chunks or, where there is parity, off its full stripes."""
    for leaf in place.leaves():
        array = leaf.array
        if array is None or not array.start_bytes:
            continue
        unit, width, start = array.striping.unit_bytes, array.striping.width_bytes, array.start_bytes
        name, path = leaf.name, array.layer.path
        if off := start % unit:
            sentence = words.OFF_CHUNK(place=name, start=start, array=path, off=off, unit=unit)
            yield _chunk(leaf, array, sentence, words.OFF_CHUNK_WHY())
        elif array.layer.kind in PARITY and (off := start % width):
            sentence = words.OFF_STRIPE(place=name, start=start, array=path, off=off, width=width)
            yield _chunk(leaf, array, sentence, words.OFF_STRIPE_WHY())


def _chunk(leaf: Place, array: Array, sentence: Said, why: Said) -> Finding:
    return Finding(
        "alignment-chunk",
        Severity.WARNING,
        leaf.device,
        sentence,
        why,
        words.ARRAY_SOURCE(),
        words.ARRAY_REMEDY(width=array.striping.width_bytes),
    )


def _kind(drive: Drive, place: Place) -> str:
    return next((layer.kind for layer in drive.layers if layer.path == place.device), "")


def _blocks(geometry: Geometry, place: Place) -> Said:
    if place.standing is Standing.HIDDEN:
        return shared.HIDDEN_BLOCKS(block=geometry.physical_block_bytes)
    return shared.BLOCKS(block=geometry.granularity_bytes)
