"""What a drive is and holds, in plain words, the same on every face. All foreign text in them is
printable."""

from wizard.diagnose.words import told as words
from wizard.filesystems.registry import MADE
from wizard.model.finding import Recorded, Recording
from wizard.model.machine import Drive, Layer, Partition, Signature
from wizard.model.said import Said
from wizard.model.units import format_capacity

_TABLES = {"gpt": words.GPT, "mbr": words.MBR, "hybrid": words.HYBRID}
_WORDS = {
    Recorded.YES: words.SHINGLED_WORD,
    Recorded.LIKELY: words.LIKELY_WORD,
    Recorded.UNKNOWN: words.UNKNOWN_WORD,
    Recorded.NOT_APPLICABLE: words.NO_TRACKS_WORD,
}


def layer_words(layer: Layer) -> str:
    """`md raid0 /dev/md0 on /dev/sda1, data at 1 MiB, stripes of 2 x 64 KiB, holds ext4, mounted on /srv`."""
    said = [words.LAYER(kind=layer.kind, path=layer.path, below=layer.below)]
    if layer.offset_bytes is not None:
        said.append(words.DATA_AT(offset=layer.offset_bytes))
    if (spread := layer.striping) and spread.unit_bytes:
        number = spread.width_bytes // spread.unit_bytes
        said.append(words.STRIPES(number=number, unit=spread.unit_bytes))
    if layer.signatures:
        said.append(words.HOLDS(kinds="+".join(mark.kind for mark in layer.signatures)))
    if layer.mount_points:
        said.append(words.MOUNTED_ON(points=layer.mount_points))
    return ", ".join(map(str, said))


def recording_word(recording: Recording) -> str:
    """One word for a column."""
    return str(_WORDS[recording.verdict]())


def size_words(drive: Drive) -> str:
    """`8.0 TB (8001563222016 bytes), logical blocks of 512 bytes, physical of 4096, rotating`."""
    if drive.size_bytes is None:
        return str(words.NOT_READ())
    said = [words.SIZE(size=drive.size_bytes)]
    if known := drive.geometry:
        said.append(words.BLOCKS(logical=known.logical_block_bytes, physical=known.physical_block_bytes))
    said.append(turning_words(drive))
    return ", ".join(map(str, said))


def turning_words(drive: Drive) -> Said:
    """`rotating`."""
    if drive.rotational is None:
        return words.ROTATION_UNTOLD()
    return words.ROTATING() if drive.rotational else words.NOT_ROTATING()


def contents_words(drive: Drive) -> str:
    """`a GPT table with 2 partitions, 4.0 TB free`."""
    if drive.table is None:
        return str(words.NOT_READ())
    if drive.is_empty:
        return str(words.NOTHING())
    said = []
    if drive.table.kind != "none":
        count, table = len(drive.partitions), _TABLES.get(drive.table.kind, words.OTHER_TABLE)()
        said.append(words.PARTITIONS(table=table, count=count) if count else words.NO_PARTITIONS(table=table))
    if drive.signatures:
        said.append(words.ON_DRIVE(marks=tuple(map(_mark, drive.signatures))))
    if drive.unrecognised_zones:
        said.append(words.ZONES(count=drive.unrecognised_zones))
    if drive.waiting and drive.waiting.bare:
        said.append(words.WAITING(run=drive.waiting.run))
    if drive.partitions:
        free = sum(extent.size_bytes for extent in drive.free)
        said.append(words.FREE(free=free) if free else words.NOTHING_FREE())
    return ", ".join(map(str, said))


def _mark(mark: Signature) -> Said | str:
    return words.LABELLED(kind=mark.kind, label=mark.label) if mark.label else mark.kind


def partition_words(drive: Drive, part: Partition) -> str:
    """`/dev/sda1  4.0 TB  ext4  "films"  mounted on /srv`."""
    unread = words.NOT_READ if drive.is_unread(part) else words.NO_FILESYSTEM
    held = words.UNCLEAR() if part.signatures else unread()
    said = [part.path, format_capacity(part.size_bytes), part.filesystem or str(held)]
    if part.signatures and (label := part.signatures[0].label):
        said.append(str(words.QUOTED(label=label)))
    if part.mount_points:
        said.append(str(words.MOUNTED_ON(points=part.mount_points)))
    return "  ".join(said)


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
    return str((words.TUNE if len(known) == 1 else words.TUNE_SEVERAL)(device=known[0]))
