"""Collect the superblocks on a drive, and the layers above (md, LVM, LUKS ...) with theirs. Runs in the
worker process of the underlying drive, since a layer can hang like a drive. Read-only."""

import base64
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wizard.model.machine import Obstacle
from wizard.probe import unread as words
from wizard.probe.content import superblocks
from wizard.probe.content.btrfs import read_profiles
from wizard.probe.host import sysfs
from wizard.probe.unread import not_read, obstacle_of, system_says, unread

Facts = dict[str, Any]
Udev = Callable[[str], dict[str, str]]

MOST_LAYERS = 256
MOST_READ = 64
"""Layers to read. Probing one takes some milliseconds of the drive's limited time."""

LAYER_ATTRIBUTES = (
    *("dev", "size", "partition", "start", "alignment_offset"),
    *("dm/name", "dm/uuid", "dm/suspended"),
    *("md/level", "md/chunk_size", "md/raid_disks", "md/layout", "md/array_state", "md/metadata_version"),
)
QUEUE_ATTRIBUTES = (
    "queue/logical_block_size",
    "queue/physical_block_size",
    "queue/minimum_io_size",
    "queue/optimal_io_size",
    "queue/rotational",
)
MOST_RECORDED = 4 * 1024 * 1024
"""Limit for recorded superblocks, in characters. A damaged drive can state any number of them."""
STOPPED = ("clear", "inactive", "suspended")


class Bytes:
    """Reads a device from an offset on and records the bytes. `node` names the device in errors."""

    def __init__(self, descriptor: int, start_bytes: int, node: str) -> None:
        self.descriptor, self.start_bytes, self.node = descriptor, start_bytes, node
        self.chunks: list[tuple[int, bytes]] = []
        self.trouble: Facts | None = None

    def read(self, offset_bytes: int, size_bytes: int) -> bytes:
        """Return bytes at an offset. Short at the end of the device, empty if unreadable."""
        try:
            data = os.pread(self.descriptor, size_bytes, self.start_bytes + offset_bytes)
        except (OSError, OverflowError) as error:
            why = words.BYTE(byte=offset_bytes, device=self.node, why=system_says(error))
            self.trouble = unread("layers", why, obstacle_of(error))
            return b""
        if data and (offset_bytes, data) not in self.chunks:
            self.chunks.append((offset_bytes, data))
        return data


def recorded_superblocks(
    path: str, content: Facts, offset_bytes: int, size_bytes: int, node: str
) -> tuple[list[Facts], Facts | None]:
    """Return RawChunks of the superblocks in `content`, and a RawError if any are unreadable. Raises OSError.
    Adds to LUKS signatures if a copy of the header is damaged, and to Btrfs the profiles.

    Offsets count from `offset_bytes`. `size_bytes` 0 means to the end of the device. `node` names the content
    in errors. For LUKS, only locations are recorded: no salts, digests or tokens.
    """
    signatures = [
        signature for signature in content["signatures"] if signature["kind"] in superblocks.READERS
    ]
    if content["signatures"] and not signatures:
        return [], None
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        size = size_bytes or os.lseek(descriptor, 0, os.SEEK_END) - offset_bytes
        found: list[Facts] = []
        trouble = None
        if not signatures:
            return _encoded(_backup_superblock(Bytes(descriptor, offset_bytes, node))), None
        for signature in signatures:
            reader = Bytes(descriptor, offset_bytes, node)
            if signature["kind"] == "crypto_LUKS":
                signature["damaged_copy"] = superblocks.has_damaged_copy(
                    Bytes(descriptor, offset_bytes, node).read
                )
            if signature["kind"] == "btrfs":
                profiles = read_profiles(Bytes(descriptor, offset_bytes, node).read)
                signature["data_profile"], signature["metadata_profile"] = profiles
            superblocks.read_inside(signature["kind"], reader.read, size, signature["offset_bytes"])
            chunks = _without_secrets(reader.chunks) if signature["kind"] == "crypto_LUKS" else reader.chunks
            found += _encoded(chunks)
            trouble = trouble or reader.trouble
        return found, trouble
    finally:
        os.close(descriptor)


def _backup_superblock(reader: Bytes) -> list[tuple[int, bytes]]:
    """Return the backup superblock on a device without signatures."""
    place = superblocks.find_copy(reader.read)
    return [(start, data) for start, data in reader.chunks if start == place]


def _encoded(chunks: Iterable[tuple[int, bytes]]) -> list[Facts]:
    return [{"offset_bytes": start, "data": base64.b64encode(data).decode("ascii")} for start, data in chunks]


def length(found: Iterable[list[Facts]]) -> int:
    """Return the size of the recorded superblocks in characters."""
    return sum(len(chunk["data"]) for chunks in found for chunk in chunks)


def _without_secrets(chunks: list[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Keep only the segments of LUKS2 metadata."""
    for start, data in chunks:
        if start < superblocks.LUKS2_HEADER_BYTES:
            yield start, data
        elif found := superblocks.segments_of(data):
            yield start + found[0], data[found[0] : found[1]]


def layers(names: Sequence[str], udev: Udev) -> tuple[dict[str, Facts], list[Facts]]:
    """Return a RawLayer by name for each device built on the devices `names`, and the errors."""
    found: dict[str, Facts] = {}
    errors: list[Facts] = []
    pending = list(names)
    while pending:
        for above in _above(pending.pop(0)):
            if above in found or above in names:
                continue
            if len(found) >= MOST_LAYERS:
                errors.append(unread("layers", words.MANY_LAYERS(most=MOST_LAYERS)))
                break
            found[above] = _layer(above, udev)
            recorded = length(facts["superblocks"] for facts in found.values())
            if recorded > MOST_RECORDED:
                errors.append(unread("layers", words.MANY_SUPERBLOCKS))
            elif trouble := _read_layer(above, found[above], len(found)):
                errors.append(trouble)
            pending.append(above)
    return found, [error for at, error in enumerate(errors) if error not in errors[:at]]


def _above(name: str) -> list[str]:
    """Return the holders of a device, and the partitions of a layer."""
    folder = sysfs.SYS / "class/block" / name
    parts = sysfs.partition_names(folder) if sysfs.LAYER.match(name) else []
    try:
        return [*sorted(entry.name for entry in (folder / "holders").iterdir()), *parts]
    except OSError:
        return parts


def _layer(name: str, udev: Udev) -> Facts:
    folder = sysfs.SYS / "class/block" / name
    texts = sysfs.attributes(folder, LAYER_ATTRIBUTES)
    there = sysfs.target(folder)
    whole = there.parent if there is not None and "partition" in texts else folder
    texts |= sysfs.attributes(whole, QUEUE_ATTRIBUTES)
    texts |= sysfs.attributes(folder, tuple(f"md/{member.name}/offset" for member in _members(folder)))
    return {"sysfs": texts, "udev": udev(name), "content": None, "superblocks": []}


def _members(folder: Path) -> list[Path]:
    return sorted((folder / "md").glob("dev-*")) if (folder / "md").exists() else []


def _read_layer(name: str, facts: Facts, count: int) -> Facts | None:
    """Read the layer's signatures and superblocks. Skips layers that could hang, and those above the limit.
    Returns a RawError if the content stays unknown."""
    from wizard.probe.content import blkid

    texts, path = facts["sysfs"], sysfs.node_of(name)
    if texts.get("size", "0") == "0" or texts.get("md/array_state") in STOPPED:
        return None
    if texts.get("dm/suspended") == "1":
        return unread("layers", words.SUSPENDED(device=path))
    if texts.get("dm/uuid", "").startswith("mpath-"):
        return None
    if count > MOST_READ:
        return unread("layers", words.MANY_LAYERS(most=MOST_READ))
    try:
        facts["content"] = blkid.read_content(path)
        facts["superblocks"], trouble = recorded_superblocks(path, facts["content"], 0, 0, path)
    except OSError as error:
        if os.geteuid() != 0:
            return unread("layers", words.ROOT_READS, Obstacle.DENIED)
        return not_read("layers", path, error)
    return trouble
