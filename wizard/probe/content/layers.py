"""Interpret superblocks and the layers on a drive. Pure, from raw facts, recorded or live."""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from wizard.model.machine import Layer, Partition, Signature, Striping
from wizard.probe.content.lvm import NOTHING, DataLayout, data_drives, striping
from wizard.probe.content.superblocks import find_copy, read_inside, replayed
from wizard.probe.facts import RawChunk, RawContent, RawDrive, RawGraph, RawLayer, RawSignature
from wizard.probe.host.sysfs import bytes_at, geometry_of, whole_number
from wizard.probe.host.uses import node

LVM_UUID = re.compile(r"LVM-[0-9A-Za-z]{32}([0-9A-Za-z]{32})")
"""The volume group's identity and the logical volume's, as the device mapper knows them."""


def with_insides(
    signatures: tuple[Signature, ...], chunks: Iterable[RawChunk], size_bytes: int
) -> tuple[Signature, ...]:
    """The signatures with what their superblocks say of places and striping, where those were read."""
    known = _decoded(chunks)
    return tuple(_with_inside(mark, known, size_bytes) for mark in signatures) if known else signatures


def copy_left(signatures: tuple[Signature, ...], chunks: Iterable[RawChunk]) -> int | None:
    """Where the copy of an ext superblock lies on a device on which nothing is recognised; None where there
    is none."""
    known = [] if signatures else _decoded(chunks)
    return find_copy(replayed(known)) if known else None


def _with_inside(mark: Signature, known: list[tuple[int, bytes]], size_bytes: int) -> Signature:
    found = read_inside(mark.kind, replayed(known), size_bytes, mark.offset_bytes)
    return replace(
        mark,
        data_offset_bytes=found.data_offset_bytes,
        striping=found.striping,
        block_bytes=found.block_bytes,
        features=found.features,
        unconverted=found.unconverted,
        taken_bytes=found.taken_bytes,
    )


@dataclass(frozen=True, slots=True)
class LayerInput:
    """What a layer may stand on: its signatures, its size and the recorded bytes of its superblocks."""

    signatures: tuple[Signature, ...]
    size_bytes: int
    chunks: tuple[RawChunk, ...]

    def inside(self, kind: str) -> DataLayout:
        """What the superblock of that kind says, if the ground has one."""
        mark = next((mark for mark in self.signatures if mark.kind == kind), None)
        return (
            read_inside(kind, replayed(_decoded(self.chunks)), self.size_bytes, mark.offset_bytes)
            if mark
            else NOTHING
        )


def layers_of(
    raw: RawDrive,
    graph: RawGraph,
    plain: tuple[Layer, ...],
    size_bytes: int,
    signatures: tuple[Signature, ...],
    partitions: tuple[Partition, ...],
) -> tuple[Layer, ...]:
    """The layers that the graph shows, with what was read of each."""
    if not plain:
        return ()
    names = {node(graph, name): name for name in (*graph.blocks, *raw.layers)}
    names |= {part.path: part.path.removeprefix("/dev/") for part in partitions if part.path not in names}
    grounds = {raw.path: LayerInput(signatures, size_bytes, raw.superblocks.get(raw.name, ()))}
    for part in partitions:
        grounds[part.path] = LayerInput(
            part.signatures, part.size_bytes, raw.superblocks.get(names[part.path], ())
        )
    marks: dict[str, tuple[Signature, ...]] = {}
    for layer in plain:
        known = raw.layers.get(names.get(layer.path, ""))
        if known is not None and layer.path not in grounds:
            size = bytes_at(known.sysfs, "size") or 0
            marks[layer.path] = with_insides(_signatures(known), known.superblocks, size)
            grounds[layer.path] = LayerInput(marks[layer.path], size, known.superblocks)
    found = []
    for layer in plain:
        known = raw.layers.get(name := names.get(layer.path, ""))
        if known is None:
            found.append(layer)
            continue
        texts, below = known.sysfs, names.get(layer.below, "")
        if "partition" in texts:
            whole = raw.layers.get(graph.blocks[name].disk or "" if name in graph.blocks else "", RawLayer())
            place, spread = _stands(whole.sysfs, below, grounds.get(layer.below))
            start = bytes_at(texts, "start")
            place = None if place is None or start is None else place + start
        else:
            place, spread = _stands(texts, below, grounds.get(layer.below))
        found.append(
            replace(
                layer,
                size_bytes=bytes_at(texts, "size"),
                geometry=geometry_of(texts),
                offset_bytes=place,
                striping=spread,
                signatures=marks.get(layer.path, ()),
            )
        )
    return tuple(found)


def _stands(
    texts: Mapping[str, str], below: str, ground: LayerInput | None
) -> tuple[int | None, Striping | None]:
    """Where a layer's data begin on what is below, and how it is striped; None where neither the kernel nor a
    superblock says so."""
    if "md/level" in texts:
        place = bytes_at(texts, f"md/dev-{below}/offset")
        return (
            place
            if place is not None or ground is None
            else ground.inside("linux_raid_member").data_offset_bytes
        ), _array(texts)
    uuid = texts.get("dm/uuid", "")
    if ground is None:
        return None, None
    if uuid.startswith("CRYPT-LUKS"):
        return ground.inside("crypto_LUKS").data_offset_bytes, None
    if match := LVM_UUID.match(uuid):
        volume = next((one for one in ground.inside("LVM2_member").volumes if one.uuid == match[1]), None)
        return (volume.offset_bytes, volume.striping) if volume else (None, None)
    return None, None


def _array(texts: Mapping[str, str]) -> Striping | None:
    """A running md array's striping. While it is reshaped sysfs shows two numbers, and nothing is claimed."""
    level = re.fullmatch(r"raid(\d+)", texts.get("md/level", ""))
    chunk, drives, layout = (
        whole_number(texts.get(f"md/{key}")) for key in ("chunk_size", "raid_disks", "layout")
    )
    if level is None or not chunk or not drives:
        return None
    spread = data_drives(int(level[1]), drives, layout or 0)
    return striping(chunk, chunk * spread) if spread else None


def _signatures(raw: RawLayer) -> tuple[Signature, ...]:
    """What lives on a layer: as read, or without that as udev's database has it."""
    if raw.content is not None:
        return tuple(
            Signature(
                mark.kind,
                mark.usage,
                mark.label,
                mark.uuid,
                mark.version,
                mark.offset_bytes,
                raw.content.ambivalent,
            )
            for mark in raw.content.signatures
        )
    if "ID_FS_TYPE" not in raw.udev:
        return ()
    return (
        Signature(
            raw.udev["ID_FS_TYPE"], raw.udev.get("ID_FS_USAGE", "other"), uuid=raw.udev.get("ID_FS_UUID")
        ),
    )


def _decoded(chunks: Iterable[RawChunk]) -> list[tuple[int, bytes]]:
    """The bytes; a chunk that is none is left out."""
    found = []
    for chunk in chunks:
        try:
            found.append((chunk.offset_bytes, base64.b64decode(chunk.data, validate=True)))
        except (binascii.Error, ValueError):
            continue
    return found


def signatures_of(raw: RawDrive, name: str) -> tuple[Signature, ...]:
    """What a node of the drive holds, by libblkid; where nobody looked, by udev."""
    if raw.contents is not None:
        content = raw.contents.get(name, RawContent())
        return tuple(_signature(mark, content.ambivalent) for mark in content.signatures)
    udev = raw.udev if name == raw.name else raw.partitions[name].udev if name in raw.partitions else {}
    if "ID_FS_AMBIVALENT" in udev:
        return tuple(
            Signature(word.partition(":")[2] or word, word.partition(":")[0], ambivalent=True)
            for word in udev["ID_FS_AMBIVALENT"].split()
        )
    if "ID_FS_TYPE" not in udev:
        return ()
    return (
        Signature(
            kind=udev["ID_FS_TYPE"],
            usage=udev.get("ID_FS_USAGE", "other"),
            label=unescaped(udev["ID_FS_LABEL_ENC"]) if "ID_FS_LABEL_ENC" in udev else None,
            uuid=udev.get("ID_FS_UUID"),
            version=udev.get("ID_FS_VERSION"),
        ),
    )


def _signature(mark: RawSignature, ambivalent: bool) -> Signature:
    return Signature(
        mark.kind, mark.usage, mark.label, mark.uuid, mark.version, mark.offset_bytes, ambivalent
    )


def superblock_digest_of(raw: RawDrive, name: str) -> str | None:
    """Of the superblock on a node of the drive; None where none was read."""
    return raw.contents.get(name, RawContent()).superblock_digest if raw.contents is not None else None


def unescaped(text: str) -> str:
    r"""Text as udev writes it, with `\x20` for a blank."""
    data = re.sub(rb"\\x([0-9a-fA-F]{2})", lambda match: bytes([int(match[1], 16)]), text.encode())
    return data.decode("utf-8", errors="replace")


def belongs_to_partition(mark: Signature, partitions: tuple[Partition, ...]) -> bool:
    """Whether a mark found from the drive's start is one that a partition has at the same place: one mark is
    listed once."""
    return any(
        part.start_bytes > 0
        and mark.offset_bytes is not None
        and inner.offset_bytes is not None
        and inner.kind == mark.kind
        and part.start_bytes + inner.offset_bytes == mark.offset_bytes
        for part in partitions
        for inner in part.signatures
    )
