"""Interpret superblocks and the layers on a drive. Pure, from raw facts, recorded or live."""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import asdict, replace

from wizard.model.machine import Layer, Partition, Signature, Striping
from wizard.probe import facts
from wizard.probe.content import lvm, superblocks
from wizard.probe.content.gpt import Read
from wizard.probe.host import sysfs
from wizard.probe.host.uses import node

LVM_UUID = re.compile(r"LVM-[0-9A-Za-z]{32}([0-9A-Za-z]{32})")
"""UUIDs of the volume group and the logical volume in the device mapper's uuid."""


def copy_left(signatures: tuple[Signature, ...], raw: facts.RawDrive, name: str) -> int | None:
    """Return the offset of an ext backup superblock on a node without signatures, or None."""
    return None if signatures else superblocks.find_copy(recorded(raw.superblocks.get(name, ())))


def recorded(chunks: Iterable[facts.RawChunk]) -> Read:
    """Return a function that reads a device from the recorded bytes."""
    return superblocks.replayed((chunk.offset_bytes, chunk.content) for chunk in chunks)


class LayerInput(Struct, frozen=True):
    """The device below a layer: signatures, size and recorded superblocks."""

    signatures: tuple[Signature, ...]
    size_bytes: int
    chunks: tuple[facts.RawChunk, ...]

    def data_offset(self, kind: str) -> int | None:
        """Return the start of the data in a container of this kind."""
        return next((mark.data_offset_bytes for mark in self.signatures if mark.kind == kind), None)


def layers_of(
    raw: facts.RawDrive,
    graph: facts.RawGraph,
    plain: tuple[Layer, ...],
    size_bytes: int,
    signatures: tuple[Signature, ...],
    partitions: tuple[Partition, ...],
) -> tuple[Layer, ...]:
    """Return the graph's layers, with the facts recorded about each."""
    if not plain:
        return ()
    names = {node(graph, name): name for name in (*graph.blocks, *raw.layers)}
    names |= {part.path: part.path.removeprefix("/dev/") for part in partitions if part.path not in names}
    inputs = {raw.path: LayerInput(signatures, size_bytes, raw.superblocks.get(raw.name, ()))}
    for part in partitions:
        inputs[part.path] = LayerInput(
            part.signatures, part.size_bytes, raw.superblocks.get(names[part.path], ())
        )
    found = []
    for layer in plain:
        known = raw.layers.get(name := names.get(layer.path, ""))
        if known is None:
            found.append(layer)
            continue
        if layer.path not in inputs:
            size = sysfs.bytes_at(known.sysfs, "size") or 0
            marks = _signatures(known.content, known.udev, known.superblocks, size)
            inputs[layer.path] = LayerInput(marks, size, known.superblocks)
        texts, below = known.sysfs, names.get(layer.below, "")
        is_part = "partition" in texts
        disk = graph.blocks[name].disk if name in graph.blocks else None
        whole = raw.layers.get(disk or "", facts.RawLayer()).sysfs if is_part else texts
        place, spread = _placement(whole, below, inputs.get(layer.below))
        start = sysfs.bytes_at(texts, "start") if is_part else 0
        place = None if place is None or start is None else place + start
        found.append(
            replace(
                layer,
                size_bytes=sysfs.bytes_at(texts, "size"),
                geometry=sysfs.geometry_of(texts),
                offset_bytes=place,
                striping=spread,
                signatures=inputs[layer.path].signatures,
            )
        )
    return tuple(found)


def _placement(
    texts: Mapping[str, str], below: str, input_below: LayerInput | None
) -> tuple[int | None, Striping | None]:
    """Return the start of a layer's data on the device below, and the striping."""
    if "md/level" in texts:
        place = sysfs.bytes_at(texts, f"md/dev-{below}/offset")
        if place is None and input_below is not None:
            place = input_below.data_offset("linux_raid_member")
        level = re.fullmatch(r"raid(\d+)", texts["md/level"])
        # A reshape shows two numbers in sysfs, so its striping is unknown.
        chunk, drives, layout = (
            sysfs.whole_number(texts.get(f"md/{key}")) for key in ("chunk_size", "raid_disks", "layout")
        )
        spread = lvm.data_drives(int(level[1]), drives, layout or 0) if level and drives else 0
        return place, lvm.striping(chunk, chunk * spread) if chunk and spread else None
    uuid = texts.get("dm/uuid", "")
    if input_below is None:
        return None, None
    if uuid.startswith("CRYPT-LUKS"):
        return input_below.data_offset("crypto_LUKS"), None
    if match := LVM_UUID.match(uuid):
        read = recorded(input_below.chunks)
        for mark in (mark for mark in input_below.signatures if mark.kind == "LVM2_member"):
            for volume in lvm.read_group(mark, read, input_below.size_bytes)[1]:
                if volume.uuid == match[1]:
                    return volume.offset_bytes, volume.striping
    return None, None


def signatures_of(raw: facts.RawDrive, name: str, size_bytes: int) -> tuple[Signature, ...]:
    """Return the signatures on a node of the drive, with facts from the recorded superblocks."""
    udev = raw.udev if name == raw.name else raw.partitions[name].udev if name in raw.partitions else {}
    return _signatures(raw.content_on(name), udev, raw.superblocks.get(name, ()), size_bytes)


def _signatures(
    content: facts.RawContent | None,
    udev: Mapping[str, str],
    chunks: Iterable[facts.RawChunk],
    size_bytes: int,
) -> tuple[Signature, ...]:
    """Return signatures from libblkid with facts from superblocks, or from udev if libblkid did not run."""
    if content is not None:
        marks = (Signature(**asdict(mark), ambivalent=content.ambivalent) for mark in content.signatures)
        read = recorded(chunks)
        return tuple(superblocks.read_inside(mark, read, size_bytes) for mark in marks)
    if "ID_FS_AMBIVALENT" in udev:
        words = (word.partition(":") for word in udev["ID_FS_AMBIVALENT"].split())
        return tuple(Signature(kind or usage, usage, ambivalent=True) for usage, _, kind in words)
    if "ID_FS_TYPE" not in udev:
        return ()
    return (
        Signature(
            kind=udev["ID_FS_TYPE"],
            usage=udev.get("ID_FS_USAGE", "other"),
            label=unescaped(udev["ID_FS_LABEL_ENC"]) if "ID_FS_LABEL_ENC" in udev else None,
            uuid=udev.get("ID_FS_UUID"),
            version=udev.get("ID_FS_VERSION"),
            member=udev.get("ID_FS_UUID_SUB"),
        ),
    )


def unescaped(text: str) -> str:
    """Decode udev's escapes, such as `\\x20` for a space."""
    data = re.sub(rb"\\x([0-9a-fA-F]{2})", lambda match: bytes([int(match[1], 16)]), text.encode())
    return data.decode("utf-8", errors="replace")


def belongs_to_partition(mark: Signature, partitions: tuple[Partition, ...]) -> bool:
    """Return True if a signature on the drive is a partition's, to list it only once."""
    return any(
        part.start_bytes > 0
        and mark.offset_bytes is not None
        and inner.offset_bytes is not None
        and inner.kind == mark.kind
        and part.start_bytes + inner.offset_bytes == mark.offset_bytes
        for part in partitions
        for inner in part.signatures
    )
