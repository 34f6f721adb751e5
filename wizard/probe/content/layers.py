"""Collect the superblocks on a drive, and the layers above (md, LVM, LUKS ...) with theirs. Runs in the
worker process of the underlying drive, since a layer can hang like a drive. Read-only. Also interprets these
raw facts, recorded or live. Pure."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import asdict, replace

from wizard.model.machine import Layer, Obstacle, Partition, Signature, Striping
from wizard.model.said import MIB, t
from wizard.probe.content import lvm, superblocks
from wizard.probe.content.btrfs import read_profiles
from wizard.probe.facts import (
    MANY_LAYERS,
    MANY_SUPERBLOCKS,
    ROOT_READS,
    RawChunk,
    RawContent,
    RawDrive,
    RawError,
    RawGraph,
    RawLayer,
    not_read,
    obstacle_of,
    opened,
    reported,
    system_says,
)
from wizard.probe.host import sysfs
from wizard.probe.host.uses import UseState

MOST_LAYERS = 256
MOST_READ = 64
"""Layers to read. Probing one takes some milliseconds of the drive's limited time."""

LAYER_ATTRIBUTES = (
    *("dev", "size", "partition", "start", "alignment_offset"),
    *("dm/name", "dm/uuid", "dm/suspended"),
    *("md/level", "md/chunk_size", "md/raid_disks", "md/layout", "md/array_state", "md/metadata_version"),
)
MOST_RECORDED = 3 * MIB
"""Limit for recorded superblocks. A damaged drive can state any number of them."""
STOPPED = ("clear", "inactive", "suspended")


class Recorder:
    """Reads a device from an offset on, and records the bytes for a replay. Errors are about the field
    `what`, and name `node`."""

    def __init__(self, descriptor: int, what: str, node: str, start_bytes: int = 0) -> None:
        self.descriptor, self.what, self.node, self.start_bytes = descriptor, what, node, start_bytes
        self.chunks: list[RawChunk] = []
        self.errors: list[RawError] = []

    def read(self, offset_bytes: int, size_bytes: int) -> bytes:
        """Return bytes at an offset. Short at the end of the device, empty if unreadable."""
        try:
            data = os.pread(self.descriptor, size_bytes, self.start_bytes + offset_bytes)
        except (OSError, OverflowError) as error:
            why = t(
                "Cannot read byte {byte} of {device}: {why}.",
                byte=offset_bytes,
                device=self.node,
                why=system_says(error),
            )
            self.errors.append(RawError(self.what, why, obstacle_of(error)))
            return b""
        if data and (found := RawChunk(offset_bytes, data)) not in self.chunks:
            self.chunks.append(found)
        return data


class Place(Struct, frozen=True):
    """A range to search: of the device `path`, by default all of it. `node` names the contents. `number` is
    the partition's, 0 for the drive itself."""

    node: str
    path: str
    offset_bytes: int = 0
    size_bytes: int = 0
    number: int = 0


class Superblocks:
    """Records the superblocks of contents, by node, up to a limit. Adds errors to `errors`."""

    def __init__(self, errors: list[RawError]) -> None:
        self.recorded: dict[str, tuple[RawChunk, ...]] = {}
        self.errors = errors

    def record(self, place: Place, content: RawContent) -> RawContent:
        """Record the superblocks in a place, with offsets from its start. Returns the content with facts that
        need more than the recorded bytes: for LUKS, if a copy of the header is damaged, for Btrfs the
        profiles. For LUKS, only locations are recorded: no salts, digests or tokens."""
        if sum(len(chunk.data) for chunks in self.recorded.values() for chunk in chunks) > MOST_RECORDED:
            self.errors.append(RawError("layers", MANY_SUPERBLOCKS))
            return content
        if content.signatures and not any(mark.kind in superblocks.READERS for mark in content.signatures):
            return content
        node = sysfs.node_of(place.node)
        with reported(self.errors, "layers", node), opened(place.path) as descriptor:

            def recorder() -> Recorder:
                return Recorder(descriptor, "layers", node, place.offset_bytes)

            size = place.size_bytes or os.lseek(descriptor, 0, os.SEEK_END) - place.offset_bytes
            found: list[RawChunk] = []
            faults: list[RawError] = []
            marks = []
            if not content.signatures:
                # Look for a backup superblock.
                reader = recorder()
                start = superblocks.find_copy(reader.read)
                found = [one for one in reader.chunks if one.offset_bytes == start]
            for mark in content.signatures:
                if mark.kind == "crypto_LUKS":
                    mark = replace(mark, damaged_copy=superblocks.has_damaged_copy(recorder().read))
                if mark.kind == "btrfs":
                    data, metadata = read_profiles(recorder().read)
                    mark = replace(mark, data_profile=data, metadata_profile=metadata)
                marks.append(mark)
                reader = recorder()
                plain = Signature(mark.kind, "", offset_bytes=mark.offset_bytes)
                superblocks.read_inside(plain, reader.read, size)
                found += _without_secrets(reader.chunks) if mark.kind == "crypto_LUKS" else reader.chunks
                faults += reader.errors
            self.errors += faults[:1]
            if found:
                self.recorded[place.node] = tuple(found)
            return replace(content, signatures=tuple(marks))
        return content


def _without_secrets(chunks: Iterable[RawChunk]) -> Iterator[RawChunk]:
    for one in chunks:
        if one.offset_bytes < superblocks.LUKS2_HEADER_BYTES:
            yield one
        elif segments := superblocks.segments_of(one.data):
            start, end, _ = segments
            yield RawChunk(one.offset_bytes + start, one.data[start:end])


def read_layers(names: Sequence[str]) -> tuple[dict[str, RawLayer], list[RawError]]:
    """Return each device built on the devices `names`, by name, and the errors."""
    found: dict[str, RawLayer] = {}
    errors: list[RawError] = []
    reader = Superblocks(errors)
    pending = list(names)
    while pending:
        folder = sysfs.folder_of(name := pending.pop(0))
        parts = sysfs.partition_names(folder) if sysfs.LAYER.match(name) else []
        for above in (*sysfs.names_in(folder / "holders"), *parts):
            if above in found or above in names:
                continue
            if len(found) >= MOST_LAYERS:
                errors.append(RawError("layers", MANY_LAYERS(most=MOST_LAYERS)))
                break
            found[above] = _layer(above)
            found[above] = _read_layer(above, found[above], len(found), reader)
            pending.append(above)
    return found, [error for at, error in enumerate(errors) if error not in errors[:at]]


def _layer(name: str) -> RawLayer:
    folder = sysfs.folder_of(name)
    texts, udev = sysfs.known_facts(folder, LAYER_ATTRIBUTES)
    there = sysfs.target(folder)
    whole = there.parent if there is not None and "partition" in texts else folder
    members = sorted(member.name for member in folder.glob("md/dev-*"))
    texts |= sysfs.attributes(whole, sysfs.QUEUE_ATTRIBUTES)
    texts |= sysfs.attributes(folder, tuple(f"md/{member}/offset" for member in members))
    return RawLayer(texts, udev)


def _read_layer(name: str, layer: RawLayer, count: int, reader: Superblocks) -> RawLayer:
    """Skips layers that could hang, and those above the limit."""
    from wizard.probe.content import blkid

    texts, path = layer.sysfs, sysfs.node_of(name)
    if texts.get("size", "0") == "0" or texts.get("md/array_state") in STOPPED:
        return layer
    if texts.get("dm/suspended") == "1":
        reader.errors.append(
            RawError("layers", t("{device} is suspended, and reading would hang.", device=path))
        )
    elif texts.get("dm/uuid", "").startswith("mpath-"):
        return layer
    elif count > MOST_READ:
        reader.errors.append(RawError("layers", MANY_LAYERS(most=MOST_READ)))
    else:
        try:
            content = reader.record(Place(name, path), blkid.read_content(path))
            return replace(layer, content=content, superblocks=reader.recorded.get(name, ()))
        except OSError as error:
            denied = RawError("layers", ROOT_READS, Obstacle.DENIED)
            reader.errors.append(not_read("layers", path, error) if os.geteuid() == 0 else denied)
    return layer


LVM_UUID = re.compile(r"LVM-[0-9A-Za-z]{32}([0-9A-Za-z]{32})")
"""UUIDs of the volume group and the logical volume in the device mapper's uuid."""


def copy_left(signatures: tuple[Signature, ...], raw: RawDrive, name: str) -> int | None:
    """Return the offset of an ext backup superblock on a node without signatures, or None."""
    return None if signatures else superblocks.find_copy(superblocks.replayed(raw.superblocks.get(name, ())))


class LayerInput(Struct, frozen=True):
    """The device below a layer: signatures, size and recorded superblocks."""

    signatures: tuple[Signature, ...]
    size_bytes: int
    chunks: tuple[RawChunk, ...]

    def data_offset(self, kind: str) -> int | None:
        """Return the start of the data in a container of this kind."""
        return next((mark.data_offset_bytes for mark in self.signatures if mark.kind == kind), None)


def layers_of(
    raw: RawDrive,
    graph: RawGraph,
    found: UseState,
    size_bytes: int,
    signatures: tuple[Signature, ...],
    partitions: tuple[Partition, ...],
) -> tuple[Layer, ...]:
    """Return the graph's layers, with the facts recorded about each."""
    places = ((part.path, part.signatures, part.size_bytes) for part in partitions)
    inputs = {
        path: LayerInput(marks, size, raw.superblocks.get(sysfs.name_of(path), ()))
        for path, marks, size in ((raw.path, signatures, size_bytes), *places)
    }
    layers = []
    for layer in found.layers:
        name, below = found.names[layer.path], found.names[layer.below]
        known = raw.layers.get(name)
        if known is None:
            layers.append(layer)
            continue
        if layer.path not in inputs:
            size = sysfs.bytes_at(known.sysfs, "size") or 0
            marks = _signatures(known.content, known.udev, known.superblocks, size)
            inputs[layer.path] = LayerInput(marks, size, known.superblocks)
        texts, is_part = known.sysfs, "partition" in known.sysfs
        disk = graph.blocks[name].disk if name in graph.blocks else None
        whole = raw.layers.get(disk or "", RawLayer()).sysfs if is_part else texts
        place, spread = _placement(whole, below, inputs.get(layer.below))
        start = sysfs.bytes_at(texts, "start") if is_part else 0
        place = None if place is None or start is None else place + start
        layers.append(
            replace(
                layer,
                size_bytes=sysfs.bytes_at(texts, "size"),
                geometry=sysfs.geometry_of(texts),
                offset_bytes=place,
                striping=spread,
                signatures=inputs[layer.path].signatures,
            )
        )
    return tuple(layers)


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
        read = superblocks.replayed(input_below.chunks)
        for mark in (mark for mark in input_below.signatures if mark.kind == "LVM2_member"):
            for volume in lvm.read_group(mark, read, input_below.size_bytes)[1]:
                if volume.uuid == match[1]:
                    return volume.offset_bytes, volume.striping
    return None, None


def signatures_of(raw: RawDrive, name: str, size_bytes: int) -> tuple[Signature, ...]:
    """Return the signatures on a node of the drive, with facts from the recorded superblocks."""
    udev = raw.udev if name == raw.name else raw.partitions[name].udev if name in raw.partitions else {}
    return _signatures(raw.content_on(name), udev, raw.superblocks.get(name, ()), size_bytes)


def _signatures(
    content: RawContent | None,
    udev: Mapping[str, str],
    chunks: Iterable[RawChunk],
    size_bytes: int,
) -> tuple[Signature, ...]:
    """Return signatures from libblkid with facts from superblocks, or from udev if libblkid did not run."""
    if content is not None:
        marks = (Signature(**asdict(mark), ambivalent=content.ambivalent) for mark in content.signatures)
        read = superblocks.replayed(chunks)
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
