"""What a drive is and holds, in plain words, the same on every face. All foreign text in them is
printable."""

from wizard.filesystems.registry import MADE
from wizard.model.finding import Recorded, Recording
from wizard.model.machine import Drive, Layer, Partition, Signature
from wizard.model.said import Said, Sentence, t, tn
from wizard.model.units import format_capacity

NOT_READ = Sentence("not read")
MOUNTED_ON = Sentence("mounted on {points:list}")

_TABLES = {
    "gpt": Sentence("a GPT table"),
    "mbr": Sentence("an MBR table"),
    "hybrid": Sentence("a hybrid table (GPT and MBR)"),
}
_WORDS = {
    Recorded.YES: Sentence("shingled"),
    Recorded.LIKELY: Sentence("shingled?"),
    Recorded.UNKNOWN: Sentence("unknown"),
    Recorded.NOT_APPLICABLE: Sentence("no tracks"),
}


def layer_words(layer: Layer) -> str:
    """`md raid0 /dev/md0 on /dev/sda1, data at 1 MiB, stripes of 2 x 64 KiB, holds ext4, mounted on /srv`."""
    said = [t("{kind} {path} on {below}", kind=layer.kind, path=layer.path, below=layer.below)]
    if layer.offset_bytes is not None:
        said.append(t("data at {offset:exact}", offset=layer.offset_bytes))
    if (spread := layer.striping) and spread.unit_bytes:
        number = spread.width_bytes // spread.unit_bytes
        said.append(t("stripes of {number} x {unit:exact}", number=number, unit=spread.unit_bytes))
    if layer.signatures:
        said.append(t("holds {kinds}", kinds="+".join(mark.kind for mark in layer.signatures)))
    if layer.mount_points:
        said.append(MOUNTED_ON(points=layer.mount_points))
    return ", ".join(map(str, said))


def recording_word(recording: Recording) -> str:
    """One word for a column."""
    return str(_WORDS[recording.verdict]())


def size_words(drive: Drive) -> str:
    """`8.0 TB (8001563222016 bytes), logical blocks of 512 bytes, physical of 4096, rotating`."""
    if drive.size_bytes is None:
        return str(NOT_READ())
    said = [t("{size:size} ({size} bytes)", size=drive.size_bytes)]
    if known := drive.geometry:
        said.append(
            t(
                "logical blocks of {logical} bytes, physical of {physical}",
                logical=known.logical_block_bytes,
                physical=known.physical_block_bytes,
            )
        )
    said.append(turning_words(drive))
    return ", ".join(map(str, said))


def turning_words(drive: Drive) -> Said:
    """`rotating`."""
    if drive.rotational is None:
        return t("rotation not reported")
    return t("rotating") if drive.rotational else t("not rotating")


def contents_words(drive: Drive) -> str:
    """`a GPT table with 2 partitions, 4.0 TB free`."""
    if drive.table is None:
        return str(NOT_READ())
    if drive.is_empty:
        return str(t("nothing: no table, no partition, no filesystem"))
    said = []
    if drive.table.kind != "none":
        count, table = (
            len(drive.partitions),
            _TABLES.get(drive.table.kind, Sentence("a table of another kind"))(),
        )
        said.append(
            tn("{table} with {count} partition", "{table} with {count} partitions", table=table, count=count)
            if count
            else t("{table} with no partitions", table=table)
        )
    if drive.signatures:
        said.append(t("on the drive itself: {marks:list}", marks=tuple(map(_mark, drive.signatures))))
    if drive.unrecognised_zones:
        said.append(
            tn(
                "{count} zone that was written to, with nothing recognised",
                "{count} zones that were written to, with nothing recognised",
                count=drive.unrecognised_zones,
            )
        )
    if drive.waiting and drive.waiting.bare:
        said.append(t("what waits from the run {run}, which nothing recognises yet", run=drive.waiting.run))
    if drive.partitions:
        free = sum(extent.size_bytes for extent in drive.free)
        said.append(t("{free:size} free", free=free) if free else t("nothing free"))
    return ", ".join(map(str, said))


def _mark(mark: Signature) -> Said | str:
    return t('{kind} "{label}"', kind=mark.kind, label=mark.label) if mark.label else mark.kind


def partition_words(drive: Drive, part: Partition) -> str:
    """`/dev/sda1  4.0 TB  ext4  "films"  mounted on /srv`."""
    unread = NOT_READ if drive.is_unread(part) else Sentence("no filesystem")
    held = t("unclear") if part.signatures else unread()
    said = [part.path, format_capacity(part.size_bytes), part.filesystem or str(held)]
    if part.signatures and (label := part.signatures[0].label):
        said.append(str(t('"{label}"', label=label)))
    if part.mount_points:
        said.append(str(MOUNTED_ON(points=part.mount_points)))
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
    return str(
        (
            Sentence(
                "To keep {device} and use it better: `diskwright tune {device} --workload "
                "ID`. Nothing is erased."
            )
            if len(known) == 1
            else Sentence(
                "To keep {device} and others and use them better: `diskwright tune {device} "
                "--workload ID`. Nothing is erased."
            )
        )(device=known[0])
    )
