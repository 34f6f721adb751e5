"""Whether what stands in a partition, or on the drive itself, begins where the drive's blocks do: the sum of
all offsets decides."""

from collections.abc import Iterator

from wizard.diagnose.places import Place, Standing
from wizard.diagnose.stripes import PARITY
from wizard.model.finding import Finding, Severity
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive
from wizard.model.names import printable

KERNEL = "Linux, block/blk-settings.c, queue_limit_alignment_offset, with the sum of all offsets as the start"
BAD = (Standing.OFF, Standing.HIDDEN)
REMEDIES = {
    "LVM2_member": (
        "`pvcreate --dataalignment 1m` (and no --dataalignmentoffset) lets LVM's data begin on 1 MiB"
    ),
    "crypto_LUKS": (
        "`cryptsetup luksFormat` without --offset and --align-payload lets LUKS choose an aligned place"
    ),
    "linux_raid_member": (
        "`mdadm --create` without --data-offset, or with one in whole MiB, lets the data begin on 1 MiB"
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
    leaf = next(place.leaves())
    where = (
        f" at byte {leaf.start_bytes} = {leaf.sum_words}"
        if leaf.start_bytes is not None
        else ", as the kernel adds it up"
    )
    return Finding(
        "alignment-compensated",
        Severity.INFO,
        place.device,
        f"{_first(place)} begins{_at(place)}, off {_blocks(geometry, place)}; what stands in it makes up for "
        f"that: {leaf.name} begins{where}, on a boundary.",
        "The start of the data decides, not that of what holds them; only the few writes to the headers in "
        "front of them straddle blocks.",
        KERNEL,
        "Nothing needs to be done.",
    )


def _inside(drive: Drive, geometry: Geometry, outer: Place, inner: Place) -> Finding:
    hidden = inner.standing is Standing.HIDDEN
    summed = f" ({inner.sum_words})" if len(inner.terms) > 1 else ""
    way = f"{inner.off_bytes} bytes before the next boundary of {_blocks(geometry, inner)}"
    right = f", although {outer.name} itself begins on one" if outer.standing is Standing.ON else ""
    plain = (
        "A write that fills a block of the filesystem fills no physical block, so that the drive must read, "
        "change and write two of them."
    )
    doubt = (
        "Drives that have 4096-byte blocks and claim 512 exist (WD10EARS, HD204UI); on those every write "
        "here would be slow."
    )
    kind = inner.container or KINDS.get(_kind(drive, inner).partition(" ")[0], "")
    anew = REMEDIES.get(kind, "its own tool must be told where its data begin")
    return Finding(
        "alignment-inside",
        Severity.WARNING if hidden else Severity.DANGER,
        inner.device,
        f"{_first(inner)} begins{_at(inner)} of the drive{summed}, {way}{right}.",
        doubt if hidden else plain,
        KERNEL,
        "Moving the partition cures nothing: copy the data elsewhere, make what holds them anew and copy "
        f"them back; {anew}.",
    )


def find_chunks(place: Place) -> Iterator[Finding]:
    """Data on a striped array that begin off its chunks or, where there is parity, off its full stripes."""
    for leaf in place.leaves():
        array = leaf.array
        if array is None or not array.start_bytes:
            continue
        unit, width = array.striping.unit_bytes, array.striping.width_bytes
        if off := array.start_bytes % unit:
            yield _chunk(
                leaf,
                f"{off} bytes behind the start of a chunk of {unit} bytes",
                "touch two drives instead of one",
            )
        elif array.layer.kind in PARITY and (off := array.start_bytes % width):
            yield _chunk(
                leaf,
                f"{off} bytes behind the start of a full stripe of {width} bytes",
                "make the array read before it writes parity",
            )


def _chunk(leaf: Place, where: str, costs: str) -> Finding:
    assert leaf.array is not None
    array = printable(leaf.array.layer.path, 60)
    return Finding(
        "alignment-chunk",
        Severity.WARNING,
        leaf.device,
        f"{_first(leaf)} begins at byte {leaf.array.start_bytes} of the array {array}, {where}.",
        f"Writes that a filesystem lays out for whole chunks or stripes straddle two, and {costs}.",
        "Linux, block/blk-settings.c: minimum_io_size and optimal_io_size of the array's queue, with the "
        "layer's own start",
        "It costs some speed and no data. Whoever makes it anew lets its data begin on a multiple of the "
        f"full stripe, {leaf.array.striping.width_bytes} bytes.",
    )


def _first(place: Place) -> str:
    """Its name, as the first word of a sentence."""
    return place.name[:1].upper() + place.name[1:]


def _kind(drive: Drive, place: Place) -> str:
    return next((layer.kind for layer in drive.layers if layer.path == place.device), "")


def _at(place: Place) -> str:
    return f" at byte {place.start_bytes}" if place.start_bytes is not None else ""


def _blocks(geometry: Geometry, place: Place) -> str:
    if place.standing is Standing.HIDDEN:
        return f"4096 bytes, on a drive that claims physical blocks of {geometry.physical_block_bytes}"
    return f"the drive's {geometry.granularity_bytes}-byte blocks"
