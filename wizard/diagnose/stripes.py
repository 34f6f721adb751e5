"""Whether a filesystem is laid out for the array that it stands on: ext's stride and stripe width, XFS' su
and sw."""

from collections.abc import Iterator

from wizard.diagnose.places import Array, Place
from wizard.diagnose.words import shared
from wizard.model.finding import Finding, Severity
from wizard.model.geometry import Geometry, plausible_optimal_io_bytes
from wizard.model.machine import Signature, Striping
from wizard.model.said import Said, t

WHY = t(
    "By these numbers the filesystem spreads its tables over the drives and "
    "gathers writes to full stripes. Wrong ones give one drive more work, and "
    "make an array with parity read before it writes."
)

PARITY = ("md raid4", "md raid5", "md raid6")
EXT = ("ext2", "ext3", "ext4", "ext4dev")
SECTOR_BYTES = 512
LARGEST_BLOCK_BYTES = 4096
"""Of the physical blocks that drives have; no array has chunks that small."""


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
    array_named = shared.NAMED(path=array.layer.path, kind=array.layer.kind)
    if stated is not None and (stated == wanted or _is_kernels(stated, leaf.geometry)):
        fits = t(
            "{filesystem} on {device} fits its array {array}: {striping}.",
            filesystem=mark.kind,
            device=leaf.device,
            array=array_named,
            striping=_words(stated),
        )
        return _stripe(Severity.OK, leaf, fits, WHY, shared.NOTHING_TO_DO)
    if stated is None:
        severity = Severity.WARNING if array.layer.kind in PARITY else Severity.INFO
        sentence = t(
            "{filesystem} on {device} is not laid out for its array {array}, which has {striping}.",
            filesystem=mark.kind,
            device=leaf.device,
            array=array_named,
            striping=_words(wanted),
        )
    else:
        severity = Severity.WARNING
        sentence = t(
            "{filesystem} on {device} does not fit its array {array}. It is laid out for "
            "{stated}; the array has {striping}.",
            filesystem=mark.kind,
            device=leaf.device,
            array=array_named,
            stated=_words(stated),
            striping=_words(wanted),
        )
    return _stripe(severity, leaf, sentence, WHY, _remedy(leaf, mark, wanted))


def _on_plain(leaf: Place, mark: Signature) -> Finding | None:
    """Striping where no array is known: as the drive asks for it, taken from a number that it cannot mean, or
    of an array elsewhere."""
    stated, geometry = _stated(mark), leaf.geometry
    if stated is None or geometry is None or _is_kernels(stated, geometry):
        return None
    block = mark.block_bytes or 1
    bogus = (
        plausible_optimal_io_bytes(geometry) is None
        and 0 < stated.width_bytes // block == geometry.optimal_io_bytes // block
    )
    undo = (
        t(
            "`tune2fs -E stride=0,stripe_width=0 {device}` removes the numbers; it changes no data.",
            device=leaf.device,
        )
        if mark.kind in EXT
        else t("Mounted with `noalign`, XFS ignores the numbers.")
    )
    if bogus:
        believed = t(
            "{filesystem} on {device} is laid out for {stated}. mkfs believed the "
            "drive's impossible optimal I/O size of {optimal} bytes.",
            filesystem=mark.kind,
            device=leaf.device,
            stated=_words(stated),
            optimal=geometry.optimal_io_bytes,
        )
        return _stripe(
            Severity.WARNING,
            leaf,
            believed,
            t("The drive's number is wrong, not the filesystem: there is no stripe of that width to fill."),
            undo,
        )
    alone = t(
        "{filesystem} on {device} is laid out for {stated}, but no array is seen beneath it.",
        filesystem=mark.kind,
        device=leaf.device,
        stated=_words(stated),
    )
    return _stripe(
        Severity.INFO,
        leaf,
        alone,
        t("It may have been copied from an array. Or a controller hides one, and the numbers may be right."),
        t("Only where no controller hides an array: {remedy}", remedy=undo),
    )


def _stripe(severity: Severity, leaf: Place, sentence: Said, why: Said, remedy: Said) -> Finding:
    return Finding(
        "alignment-stripe",
        severity,
        leaf.device,
        sentence,
        why,
        t(
            "the filesystem's superblock; md's superblock, LVM's metadata and the queue "
            "limits of the kernel; mke2fs(8), xfs(5)"
        ),
        remedy,
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


def _words(stated: Striping) -> Said:
    unit, width = stated.unit_bytes, stated.width_bytes
    if not unit:
        return t("an unknown number of bytes a chunk and {width} a full stripe", width=width)
    return (
        t("{unit} bytes a chunk and {width} a full stripe", unit=unit, width=width)
        if width
        else t("{unit} bytes a chunk and an unknown number a full stripe", unit=unit)
    )


def _remedy(leaf: Place, mark: Signature, wanted: Striping) -> Said:
    block, unit, width = mark.block_bytes or 1, wanted.unit_bytes, wanted.width_bytes
    if mark.kind in EXT:
        if unit % block:
            return t("Only a new filesystem can fit: this one's blocks do not divide the array's chunks.")
        return t(
            "`tune2fs -E stride={stride},stripe_width={width} {device}` corrects it for "
            "new writes; then mount it anew.",
            stride=unit // block,
            width=width // block,
            device=leaf.device,
        )
    old = mark.striping.unit_bytes if mark.striping else 0
    if old and unit % old == 0 and (unit // old).bit_count() == 1:
        return t(
            "`mount -o sunit={sunit},swidth={swidth}` (in units of 512 bytes), once. XFS keeps them.",
            sunit=unit // SECTOR_BYTES,
            swidth=width // SECTOR_BYTES,
        )
    return t(
        "XFS cannot change it later. A new one made with `mkfs.xfs -d su={unit},sw={drives}` fits.",
        unit=unit,
        drives=width // unit,
    )
