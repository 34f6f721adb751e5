"""Interpret superblocks and the layers on a drive. Pure, from raw facts, recorded or live."""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from wizard.model.machine import Layer, Partition, Signature, Striping
from wizard.probe.content import lvm
from wizard.probe.content.superblocks import find_copy, read_inside, replayed
from wizard.probe.facts import RawChunk, RawContent, RawDrive, RawGraph, RawLayer, RawSignature
from wizard.probe.host import sysfs
from wizard.probe.host.uses import node

LVM_UUID = re.compile(r"LVM-[0-9A-Za-z]{32}([0-9A-Za-z]{32})")
"""UUIDs of the volume group and the logical volume in the device mapper's uuid."""


def with_insides(
    signatures: tuple[Signature, ...], chunks: Iterable[RawChunk], size_bytes: int
) -> tuple[Signature, ...]:
    """Add locations and striping from recorded superblocks to signatures."""
    known = _decoded(chunks)
    return tuple(_with_inside(mark, known, size_bytes) for mark in signatures) if known else signatures


def copy_left(signatures: tuple[Signature, ...], chunks: Iterable[RawChunk]) -> int | None:
    """Return the offset of an ext backup superblock on a device without signatures, or None."""
    known = [] if signatures else _decoded(chunks)
    return find_copy(replayed(known)) if known else None


def _with_inside(mark: Signature, known: list[tuple[int, bytes]], size_bytes: int) -> Signature:
    found = read_inside(mark.kind, replayed(known), size_bytes, mark.offset_bytes)
    facts: dict[str, Any] = {name: getattr(found, name) for name in COMMON}
    return replace(mark, **facts, version=found.version or mark.version)


COMMON = {*lvm.DataLayout.__struct_fields__} - {"volumes", "version"}
"""Facts of a superblock that a signature has too."""


class LayerInput(Struct, frozen=True):
    """The device below a layer: signatures, size and recorded superblocks."""

    signatures: tuple[Signature, ...]
    size_bytes: int
    chunks: tuple[RawChunk, ...]

    def inside(self, kind: str) -> lvm.DataLayout:
        """Return the layout in the superblock of this kind, if there is one."""
        mark = next((mark for mark in self.signatures if mark.kind == kind), None)
        return (
            read_inside(kind, replayed(_decoded(self.chunks)), self.size_bytes, mark.offset_bytes)
            if mark
            else lvm.NOTHING
        )


def layers_of(
    raw: RawDrive,
    graph: RawGraph,
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
    signatures_by_path: dict[str, tuple[Signature, ...]] = {}
    for layer in plain:
        known = raw.layers.get(names.get(layer.path, ""))
        if known is not None and layer.path not in inputs:
            size = sysfs.bytes_at(known.sysfs, "size") or 0
            signatures_by_path[layer.path] = with_insides(_signatures(known), known.superblocks, size)
            inputs[layer.path] = LayerInput(signatures_by_path[layer.path], size, known.superblocks)
    found = []
    for layer in plain:
        known = raw.layers.get(name := names.get(layer.path, ""))
        if known is None:
            found.append(layer)
            continue
        texts, below = known.sysfs, names.get(layer.below, "")
        if "partition" in texts:
            whole = raw.layers.get(graph.blocks[name].disk or "" if name in graph.blocks else "", RawLayer())
            place, spread = _placement(whole.sysfs, below, inputs.get(layer.below))
            start = sysfs.bytes_at(texts, "start")
            place = None if place is None or start is None else place + start
        else:
            place, spread = _placement(texts, below, inputs.get(layer.below))
        found.append(
            replace(
                layer,
                size_bytes=sysfs.bytes_at(texts, "size"),
                geometry=sysfs.geometry_of(texts),
                offset_bytes=place,
                striping=spread,
                signatures=signatures_by_path.get(layer.path, ()),
            )
        )
    return tuple(found)


def _placement(
    texts: Mapping[str, str], below: str, input_below: LayerInput | None
) -> tuple[int | None, Striping | None]:
    """Return the start of a layer's data on the device below, and the layer's striping. None if unknown."""
    if "md/level" in texts:
        place = sysfs.bytes_at(texts, f"md/dev-{below}/offset")
        return (
            place
            if place is not None or input_below is None
            else input_below.inside("linux_raid_member").data_offset_bytes
        ), _array(texts)
    uuid = texts.get("dm/uuid", "")
    if input_below is None:
        return None, None
    if uuid.startswith("CRYPT-LUKS"):
        return input_below.inside("crypto_LUKS").data_offset_bytes, None
    if match := LVM_UUID.match(uuid):
        volume = next(
            (one for one in input_below.inside("LVM2_member").volumes if one.uuid == match[1]), None
        )
        return (volume.offset_bytes, volume.striping) if volume else (None, None)
    return None, None


def _array(texts: Mapping[str, str]) -> Striping | None:
    """Return the striping of a running md array. None during a reshape, when sysfs shows two numbers."""
    level = re.fullmatch(r"raid(\d+)", texts.get("md/level", ""))
    chunk, drives, layout = (
        sysfs.whole_number(texts.get(f"md/{key}")) for key in ("chunk_size", "raid_disks", "layout")
    )
    if level is None or not chunk or not drives:
        return None
    spread = lvm.data_drives(int(level[1]), drives, layout or 0)
    return lvm.striping(chunk, chunk * spread) if spread else None


def _signatures(raw: RawLayer) -> tuple[Signature, ...]:
    """Return a layer's signatures as recorded, else from udev's database."""
    if raw.content is not None:
        return tuple(_signature(mark, raw.content.ambivalent) for mark in raw.content.signatures)
    if "ID_FS_TYPE" not in raw.udev:
        return ()
    return (
        Signature(
            raw.udev["ID_FS_TYPE"], raw.udev.get("ID_FS_USAGE", "other"), uuid=raw.udev.get("ID_FS_UUID")
        ),
    )


def _decoded(chunks: Iterable[RawChunk]) -> list[tuple[int, bytes]]:
    """Return the decoded bytes. Skips invalid base64."""
    found = []
    for chunk in chunks:
        try:
            found.append((chunk.offset_bytes, base64.b64decode(chunk.data, validate=True)))
        except (binascii.Error, ValueError):
            continue
    return found


def signatures_of(raw: RawDrive, name: str) -> tuple[Signature, ...]:
    """Return the signatures on a node of the drive from libblkid, or from udev if libblkid did not run."""
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
            member=udev.get("ID_FS_UUID_SUB"),
        ),
    )


def _signature(mark: RawSignature, ambivalent: bool) -> Signature:
    facts: dict[str, Any] = {name: getattr(mark, name) for name in mark.__struct_fields__}
    return Signature(**facts, ambivalent=ambivalent)


def superblock_digest_of(raw: RawDrive, name: str) -> str | None:
    """Return the digest of the superblocks on a node of the drive, or None."""
    return raw.contents.get(name, RawContent()).superblock_digest if raw.contents is not None else None


def unescaped(text: str) -> str:
    r"""Return text without udev's escapes, such as `\x20` for a space."""
    data = re.sub(rb"\\x([0-9a-fA-F]{2})", lambda match: bytes([int(match[1], 16)]), text.encode())
    return data.decode("utf-8", errors="replace")


def belongs_to_partition(mark: Signature, partitions: tuple[Partition, ...]) -> bool:
    """Return True if a signature on the drive is a partition's at the same offset, to list it only once."""
    return any(
        part.start_bytes > 0
        and mark.offset_bytes is not None
        and inner.offset_bytes is not None
        and inner.kind == mark.kind
        and part.start_bytes + inner.offset_bytes == mark.offset_bytes
        for part in partitions
        for inner in part.signatures
    )
