"""Whether what stands in a partition, or on the drive itself, begins where the drive's blocks do: the sum of
all offsets decides."""

from collections.abc import Iterator

from wizard.diagnose.places import Array, Place, Standing
from wizard.diagnose.stripes import PARITY
from wizard.diagnose.words import shared
from wizard.model.finding import Finding, Severity
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive
from wizard.model.said import Said, Sentence, in_a_row, t

SOURCE = t(
    "Linux, block/blk-settings.c, queue_limit_alignment_offset, with the sum of all offsets as the start"
)

BAD = (Standing.OFF, Standing.HIDDEN)
REMEDIES = {
    "LVM2_member": Sentence(
        "`pvcreate --dataalignment 1m` (and no --dataalignmentoffset) starts LVM's data on 1 MiB."
    ),
    "crypto_LUKS": Sentence(
        "`cryptsetup luksFormat` without --offset and --align-payload lets LUKS choose an aligned place."
    ),
    "linux_raid_member": Sentence(
        "`mdadm --create` without --data-offset, or with one in whole MiB, starts the data on 1 MiB."
    ),
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
            t("{place:First} starts off {blocks}.", place=place.name, blocks=blocks)
            if place.start_bytes is None
            else t(
                "{place:First} starts at byte {start}, off {blocks}.",
                place=place.name,
                start=place.start_bytes,
                blocks=blocks,
            ),
            t(
                "What it holds makes up for that: {data} starts on a boundary, as the kernel adds it up.",
                data=leaf.name,
            )
            if leaf.start_bytes is None
            else t(
                "What it holds makes up for that: {data} starts at byte {start} = "
                "{terms:sum}, on a boundary.",
                data=leaf.name,
                start=leaf.start_bytes,
                terms=leaf.summands,
            ),
        ),
        t(
            "The start of the data decides, not that of what holds it. Only the few "
            "writes to the headers straddle blocks."
        ),
        SOURCE,
        shared.NOTHING_TO_DO,
    )


def _inside(drive: Drive, geometry: Geometry, outer: Place, inner: Place) -> Finding:
    hidden = inner.standing is Standing.HIDDEN
    off, blocks = inner.off_bytes, _blocks(geometry, inner)
    said = [
        t(
            "{place:First} is misaligned: it starts {off} bytes before the next boundary of {blocks}.",
            place=inner.name,
            off=off,
            blocks=blocks,
        )
        if inner.start_bytes is None
        else t(
            "{place:First} is misaligned: it starts at byte {start} of the drive, {off} "
            "bytes before the next boundary of {blocks}.",
            place=inner.name,
            start=inner.start_bytes,
            off=off,
            blocks=blocks,
        )
    ]
    if len(inner.terms) > 1:
        said.append(t("That is {terms:sum}.", terms=inner.summands))
    if outer.standing is Standing.ON:
        said.append(t("{holder:First} itself starts on a boundary.", holder=outer.name))
    kind = inner.container or KINDS.get(_kind(drive, inner).partition(" ")[0], "")
    return Finding(
        "alignment-inside",
        Severity.WARNING if hidden else Severity.DANGER,
        inner.device,
        in_a_row(*said),
        shared.LIARS if hidden else shared.TWO_BLOCKS,
        SOURCE,
        in_a_row(
            t(
                "Moving the partition does not help. Copy the data elsewhere, make what "
                "holds it anew, and copy it back."
            ),
            REMEDIES.get(kind, Sentence("Its own tool must be told where the data starts."))(),
        ),
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
            sentence = t(
                "{place:First} starts at byte {start} of the array {array}, {off} bytes past "
                "the start of a {unit}-byte chunk.",
                place=name,
                start=start,
                array=path,
                off=off,
                unit=unit,
            )
            yield _chunk(
                leaf,
                array,
                sentence,
                t(
                    "Writes that a filesystem lays out for whole chunks straddle two, and go to "
                    "two drives instead of one."
                ),
            )
        elif array.layer.kind in PARITY and (off := start % width):
            sentence = t(
                "{place:First} starts at byte {start} of the array {array}, {off} bytes past "
                "the start of a {width}-byte full stripe.",
                place=name,
                start=start,
                array=path,
                off=off,
                width=width,
            )
            yield _chunk(
                leaf,
                array,
                sentence,
                t(
                    "Writes that a filesystem lays out for full stripes straddle two. The array "
                    "then reads before it writes parity."
                ),
            )


def _chunk(leaf: Place, array: Array, sentence: Said, why: Said) -> Finding:
    return Finding(
        "alignment-chunk",
        Severity.WARNING,
        leaf.device,
        sentence,
        why,
        t(
            "Linux, block/blk-settings.c: minimum_io_size and optimal_io_size of the "
            "array's queue, with the layer's own start"
        ),
        t(
            "It costs some speed and no data. If you make it anew, start its data on a "
            "multiple of the full stripe, {width} bytes.",
            width=array.striping.width_bytes,
        ),
    )


def _kind(drive: Drive, place: Place) -> str:
    return next((layer.kind for layer in drive.layers if layer.path == place.device), "")


def _blocks(geometry: Geometry, place: Place) -> Said:
    if place.standing is Standing.HIDDEN:
        return t(
            "4096-byte blocks (the drive reports {block}-byte physical blocks)",
            block=geometry.physical_block_bytes,
        )
    return t("the drive's {block}-byte blocks", block=geometry.granularity_bytes)
