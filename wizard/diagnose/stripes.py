"""Whether a filesystem is laid out for the array that it stands on: ext's stride and stripe width, XFS' su
and sw."""

from collections.abc import Iterator

from wizard.diagnose.places import Array, Place
from wizard.model.finding import Finding, Severity
from wizard.model.geometry import Geometry, plausible_optimal_io_bytes
from wizard.model.machine import Signature, Striping
from wizard.model.names import printable

PARITY = ("md raid4", "md raid5", "md raid6")
EXT = ("ext2", "ext3", "ext4", "ext4dev")
SECTOR_BYTES = 512
LARGEST_BLOCK_BYTES = 4096
"""Of the physical blocks that drives have; no array has chunks that small."""
WHY = (
    "The filesystem spreads its tables over the drives and gathers writes to full stripes by these numbers; "
    "with wrong ones a single drive gets more work, and an array with parity reads before it writes."
)
SOURCE = (
    "the filesystem's superblock; md's superblock, LVM's metadata and the queue limits of the kernel; "
    "mke2fs(8), xfs(5)"
)


def find_stripes(place: Place) -> Iterator[Finding]:
    """One finding a filesystem that stands on an array, or that is laid out for one that is not there."""
    for leaf in place.leaves():
        for mark in leaf.signatures:
            if mark.block_bytes and not mark.ambivalent and (mark.kind in EXT or mark.kind == "xfs"):
                finding = _on_array(leaf, mark, leaf.array) if leaf.array else _on_plain(leaf, mark)
                if finding is not None:
                    yield finding


def _on_array(leaf: Place, mark: Signature, array: Array) -> Finding | None:
    wanted, stated = array.striping, _stated(mark)
    below = f"{printable(array.layer.path, 60)} ({array.layer.kind})"
    subject = f"{mark.kind} on {printable(leaf.device, 60)}"
    fits = f"{wanted.unit_bytes} bytes a chunk and {wanted.width_bytes} a full stripe"
    if stated is not None and (stated == wanted or _is_kernels(stated, leaf.geometry)):
        sentence = f"{subject} is laid out for the array that it stands on, {below}: {_words(stated)}."
        return Finding(
            "alignment-stripe", Severity.OK, leaf.device, sentence, WHY, SOURCE, "Nothing needs to be done."
        )
    if stated is None:
        severity = Severity.WARNING if array.layer.kind in PARITY else Severity.INFO
        sentence = f"{subject} knows nothing of the array that it stands on, {below}, which has {fits}."
    else:
        severity = Severity.WARNING
        sentence = (
            f"{subject} is laid out for {_words(stated)}, but the array that it stands on, {below}, has "
            f"{fits}."
        )
    return Finding(
        "alignment-stripe", severity, leaf.device, sentence, WHY, SOURCE, _remedy(leaf, mark, wanted)
    )


def _on_plain(leaf: Place, mark: Signature) -> Finding | None:
    """Striping where no array is known: as the drive asks for it, taken from a number that it cannot mean, or
    of an array elsewhere."""
    stated, geometry = _stated(mark), leaf.geometry
    if stated is None or geometry is None or _is_kernels(stated, geometry):
        return None
    subject = f"{mark.kind} on {printable(leaf.device, 60)} is laid out for {_words(stated)}"
    block = mark.block_bytes or 1
    bogus = (
        plausible_optimal_io_bytes(geometry) is None
        and 0 < stated.width_bytes // block == geometry.optimal_io_bytes // block
    )
    undo = (
        f"`tune2fs -E stride=0,stripe_width=0 {printable(leaf.device, 60)}` takes the numbers out; it "
        "changes no data."
    )
    undo = undo if mark.kind in EXT else "Mounting it with `noalign` lets XFS ignore the numbers."
    if bogus:
        return Finding(
            "alignment-stripe",
            Severity.WARNING,
            leaf.device,
            f"{subject}: mkfs took over the optimal I/O size of {geometry.optimal_io_bytes} bytes, which "
            "cannot be meant.",
            "The drive's number is wrong, not the filesystem: there is no stripe of that width to fill.",
            SOURCE,
            undo,
        )
    return Finding(
        "alignment-stripe",
        Severity.INFO,
        leaf.device,
        f"{subject}, but no array is seen beneath it.",
        "It may have been copied from an array; or a controller hides one, and then the numbers may be "
        "right.",
        SOURCE,
        f"Where no controller hides an array: {undo[:1].lower()}{undo[1:]}",
    )


def _stated(mark: Signature) -> Striping | None:
    """What the filesystem says; mke2fs writes a stripe of one physical block where a device asks for no more,
    which is none."""
    spread = mark.striping
    return (
        None
        if spread is None or max(spread.unit_bytes, spread.width_bytes) <= LARGEST_BLOCK_BYTES
        else spread
    )


def _is_kernels(stated: Striping, geometry: Geometry | None) -> bool:
    """Whether it is what the kernel says of the device: what mkfs takes."""
    if geometry is None or plausible_optimal_io_bytes(geometry) is None:
        return False
    return stated.width_bytes == geometry.optimal_io_bytes and stated.unit_bytes in (
        0,
        geometry.minimum_io_bytes,
    )


def _words(stated: Striping) -> str:
    unit = f"{stated.unit_bytes} bytes" if stated.unit_bytes else "an unknown number of bytes"
    width = f"{stated.width_bytes}" if stated.width_bytes else "an unknown number"
    return f"{unit} a chunk and {width} a full stripe"


def _remedy(leaf: Place, mark: Signature, wanted: Striping) -> str:
    device, block = printable(leaf.device, 60), mark.block_bytes or 1
    unit, width = wanted.unit_bytes, wanted.width_bytes
    if mark.kind in EXT:
        if unit % block:
            return "The filesystem's blocks do not divide the array's chunks: only a new filesystem can fit."
        return (
            f"`tune2fs -E stride={unit // block},stripe_width={width // block} {device}` corrects it for "
            "what is written from then on; mount it anew afterwards."
        )
    old = mark.striping.unit_bytes if mark.striping else 0
    if old and unit % old == 0 and (unit // old).bit_count() == 1:
        return (
            f"`mount -o sunit={unit // SECTOR_BYTES},swidth={width // SECTOR_BYTES}` (in units of 512 "
            "bytes), once: XFS keeps them."
        )
    return f"XFS cannot change it later: a new one made with `mkfs.xfs -d su={unit},sw={width // unit}` fits."
