"""What a drive is and holds, in plain words, the same on every face. All foreign text in them is
printable."""

from wizard.filesystems.registry import MADE
from wizard.model.finding import Recorded, Recording
from wizard.model.machine import Drive, Layer, Partition, Signature
from wizard.model.names import printable
from wizard.model.units import format_capacity, format_exact

_TABLES = {
    "gpt": "a GPT table",
    "mbr": "an MBR table",
    "hybrid": "a hybrid table (GPT and MBR)",
    "other": "a table of another kind",
}


def layer_words(layer: Layer) -> str:
    """`md raid0 /dev/md0 on /dev/sda1, data at 1 MiB, stripes of 2 x 64 KiB, holds ext4, mounted on /srv`."""
    said = [f"{layer.kind} {printable(layer.path, 60)} on {printable(layer.below, 60)}"]
    if layer.offset_bytes is not None:
        said.append(f"data at {format_exact(layer.offset_bytes)}")
    if (spread := layer.striping) and spread.unit_bytes:
        said.append(
            f"stripes of {spread.width_bytes // spread.unit_bytes} x {format_exact(spread.unit_bytes)}"
        )
    if layer.signatures:
        said.append(f"holds {'+'.join(printable(mark.kind, 20) for mark in layer.signatures)}")
    if layer.mount_points:
        said.append(f"mounted on {', '.join(printable(point, 60) for point in layer.mount_points)}")
    return ", ".join(said)


def recording_word(recording: Recording) -> str:
    """One word for a column."""
    return {
        Recorded.YES: "shingled",
        Recorded.LIKELY: "shingled?",
        Recorded.UNKNOWN: "unknown",
        Recorded.NOT_APPLICABLE: "no tracks",
    }[recording.verdict]


def size_words(drive: Drive) -> str:
    """`8.0 TB (8001563222016 bytes), logical blocks of 512 bytes, physical of 4096, rotating`."""
    if drive.size_bytes is None:
        return "not read"
    text = f"{format_capacity(drive.size_bytes)} ({drive.size_bytes} bytes)"
    if geometry := drive.geometry:
        text += (
            f", logical blocks of {geometry.logical_block_bytes} bytes, physical of "
            f"{geometry.physical_block_bytes}"
        )
    return text + {True: ", rotating", False: ", solid state", None: ""}[drive.rotational]


def contents_words(drive: Drive) -> str:
    """`a GPT table with 2 partitions, 4.0 TB free`."""
    if drive.table is None:
        return "not read"
    if drive.is_empty:
        return "nothing: no table, no partition, no filesystem"
    parts = []
    if drive.table.kind != "none":
        count = len(drive.partitions)
        parts.append(
            f"{_TABLES.get(drive.table.kind, drive.table.kind)} with {count or 'no'} "
            f"partition{'' if count == 1 else 's'}"
        )
    if drive.signatures:
        parts.append("on the drive itself: " + ", ".join(map(_mark, drive.signatures)))
    if drive.unrecognised_zones:
        parts.append(
            f"{drive.unrecognised_zones} zones that were written to, with nothing that is recognised"
        )
    if drive.waiting and drive.waiting.bare:
        parts.append(
            f"what waits from the run {printable(drive.waiting.run, 60)}, which nothing recognises yet"
        )
    free = sum(extent.size_bytes for extent in drive.free)
    if drive.partitions:
        parts.append(f"{format_capacity(free)} free" if free else "nothing free")
    return ", ".join(parts)


def _mark(mark: Signature) -> str:
    return printable(mark.kind, 20) + (f' "{printable(mark.label, 30)}"' if mark.label else "")


def partition_words(drive: Drive, part: Partition) -> str:
    """`/dev/sda1  4.0 TB  ext4  "films"  mounted on /srv`."""
    pieces = [
        part.path,
        format_capacity(part.size_bytes),
        part.filesystem
        or ("unclear" if part.signatures else "not read" if drive.is_unread(part) else "no filesystem"),
    ]
    if part.signatures and (label := part.signatures[0].label):
        pieces.append(f'"{printable(label, 30)}"')
    if part.mount_points:
        pieces.append("mounted on " + ", ".join(printable(point, 40) for point in part.mount_points))
    return "  ".join(pieces)


def tuning_words(drive: Drive) -> str:
    """How a filesystem that the drive holds is used better as it is; empty where there is none to which
    advice applies."""
    held = [(drive.path, drive.signatures), *((part.path, part.signatures) for part in drive.partitions)]
    known = [
        path
        for path, marks in held
        if len(marks) == 1 and marks[0].kind in MADE and MADE[marks[0].kind].mounts
    ]
    if not known:
        return ""
    which = known[0] if len(known) == 1 else f"{known[0]} and others"
    return (
        f"To keep {which} and only use it better: `diskwright tune {known[0]} --workload ID` says how, and "
        "erases nothing."
    )


def recording_words(recording: Recording) -> str:
    """How the drive records, with the two strongest clues."""
    said = {
        Recorded.YES: "shingled: tracks overlap, rewriting in place is slow",
        Recorded.LIKELY: "likely shingled (overlapping tracks), not proven",
        Recorded.UNKNOWN: "unknown: nothing proves that it is shingled, or that it is not",
        Recorded.NOT_APPLICABLE: "no tracks to overlap",
    }[recording.verdict]
    strongest = sorted(recording.evidence, key=lambda clue: ("high", "medium", "low").index(clue.confidence))
    clues = "; ".join(printable(f"{clue.source}: {clue.says}", 120) for clue in strongest[:2])
    return f"{said} ({clues})" if clues else said
