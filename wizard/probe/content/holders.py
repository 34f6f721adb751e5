"""Collect the superblocks on a drive, and the layers above (md, LVM, LUKS ...) with theirs. Runs in the
worker process of the underlying drive, since a layer can hang like a drive. Read-only."""

import os
from collections.abc import Iterable, Sequence

from msgspec import Struct

from wizard.model.machine import Obstacle, Signature
from wizard.model.said import t
from wizard.probe.content import superblocks
from wizard.probe.content.btrfs import read_profiles
from wizard.probe.facts import Facts, chunk
from wizard.probe.host import sysfs
from wizard.probe.unread import (
    MANY_LAYERS,
    MANY_SUPERBLOCKS,
    ROOT_READS,
    not_read,
    obstacle_of,
    opened,
    system_says,
    unread,
)

MOST_LAYERS = 256
MOST_READ = 64
"""Layers to read. Probing one takes some milliseconds of the drive's limited time."""

LAYER_ATTRIBUTES = (
    *("dev", "size", "partition", "start", "alignment_offset"),
    *("dm/name", "dm/uuid", "dm/suspended"),
    *("md/level", "md/chunk_size", "md/raid_disks", "md/layout", "md/array_state", "md/metadata_version"),
)
MOST_RECORDED = 4 * 1024 * 1024
"""Limit for recorded superblocks, in characters. A damaged drive can state any number of them."""
STOPPED = ("clear", "inactive", "suspended")


class Recorder:
    """Reads a device from an offset on, and records the bytes for a replay. Errors are about the field
    `what`, and name `node`."""

    def __init__(self, descriptor: int, what: str, node: str, start_bytes: int = 0) -> None:
        self.descriptor, self.what, self.node, self.start_bytes = descriptor, what, node, start_bytes
        self.chunks: list[tuple[int, bytes]] = []
        self.errors: list[Facts] = []

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
            self.errors.append(unread(self.what, why, obstacle_of(error)))
            return b""
        if data and (offset_bytes, data) not in self.chunks:
            self.chunks.append((offset_bytes, data))
        return data


class Place(Struct, frozen=True):
    """A range to search: of the device `path`, by default all of it. `node` names the contents. `number` is
    the partition's, 0 for the drive itself."""

    node: str
    path: str
    offset_bytes: int = 0
    size_bytes: int = 0
    number: int = 0


def recorded_superblocks(place: Place, content: Facts, errors: list[Facts]) -> list[Facts]:
    """Return RawChunks of the superblocks in `content`, with offsets from the start of the place. Adds the
    first RawError to `errors`, and to LUKS signatures if a copy of the header is damaged, and to Btrfs the
    profiles. For LUKS, only locations are recorded: no salts, digests or tokens. Raises OSError."""
    signatures = [
        signature for signature in content["signatures"] if signature["kind"] in superblocks.READERS
    ]
    if content["signatures"] and not signatures:
        return []
    with opened(place.path) as descriptor:

        def recorder() -> Recorder:
            return Recorder(descriptor, "layers", sysfs.node_of(place.node), place.offset_bytes)

        size = place.size_bytes or os.lseek(descriptor, 0, os.SEEK_END) - place.offset_bytes
        found: list[tuple[int, bytes]] = []
        faults: list[Facts] = []
        if not signatures:
            # Look for a backup superblock.
            reader = recorder()
            start = superblocks.find_copy(reader.read)
            found = [one for one in reader.chunks if one[0] == start]
        for signature in signatures:
            kind, reader = signature["kind"], recorder()
            if kind == "crypto_LUKS":
                signature["damaged_copy"] = superblocks.has_damaged_copy(recorder().read)
            if kind == "btrfs":
                profiles = read_profiles(recorder().read)
                signature["data_profile"], signature["metadata_profile"] = profiles
            mark = Signature(kind, "", offset_bytes=signature["offset_bytes"])
            superblocks.read_inside(mark, reader.read, size)
            for start, data in reader.chunks:
                if kind != "crypto_LUKS" or start < superblocks.LUKS2_HEADER_BYTES:
                    found.append((start, data))
                elif segments := superblocks.segments_of(data):
                    # Without secrets.
                    found.append((start + segments[0], data[segments[0] : segments[1]]))
            faults += reader.errors
        errors += faults[:1]
        return [chunk(start, data) for start, data in found]


def length(found: Iterable[list[Facts]]) -> int:
    """Return the size of the recorded superblocks in characters."""
    return sum(len(chunk["data"]) for chunks in found for chunk in chunks)


def layers(names: Sequence[str]) -> tuple[dict[str, Facts], list[Facts]]:
    """Return a RawLayer by name for each device built on the devices `names`, and the errors."""
    found: dict[str, Facts] = {}
    errors: list[Facts] = []
    pending = list(names)
    while pending:
        folder = sysfs.folder_of(name := pending.pop(0))
        parts = sysfs.partition_names(folder) if sysfs.LAYER.match(name) else []
        for above in (*sysfs.names_in(folder / "holders"), *parts):
            if above in found or above in names:
                continue
            if len(found) >= MOST_LAYERS:
                errors.append(unread("layers", MANY_LAYERS(most=MOST_LAYERS)))
                break
            found[above] = _layer(above)
            recorded = length(facts["superblocks"] for facts in found.values())
            if recorded > MOST_RECORDED:
                errors.append(unread("layers", MANY_SUPERBLOCKS))
            else:
                _read_layer(above, found[above], len(found), errors)
            pending.append(above)
    return found, [error for at, error in enumerate(errors) if error not in errors[:at]]


def _layer(name: str) -> Facts:
    folder = sysfs.folder_of(name)
    found = sysfs.known_facts(folder, LAYER_ATTRIBUTES)
    there = sysfs.target(folder)
    whole = there.parent if there is not None and "partition" in found["sysfs"] else folder
    members = sorted(member.name for member in folder.glob("md/dev-*"))
    found["sysfs"] |= sysfs.attributes(whole, sysfs.QUEUE_ATTRIBUTES)
    found["sysfs"] |= sysfs.attributes(folder, tuple(f"md/{member}/offset" for member in members))
    return {**found, "content": None, "superblocks": []}


def _read_layer(name: str, facts: Facts, count: int, errors: list[Facts]) -> None:
    """Skips layers that could hang, and those above the limit."""
    from wizard.probe.content import blkid

    texts, path = facts["sysfs"], sysfs.node_of(name)
    if texts.get("size", "0") == "0" or texts.get("md/array_state") in STOPPED:
        return
    if texts.get("dm/suspended") == "1":
        errors.append(unread("layers", t("{device} is suspended, and reading would hang.", device=path)))
    elif texts.get("dm/uuid", "").startswith("mpath-"):
        return
    elif count > MOST_READ:
        errors.append(unread("layers", MANY_LAYERS(most=MOST_READ)))
    else:
        try:
            facts["content"] = blkid.read_content(path)
            facts["superblocks"] = recorded_superblocks(Place(name, path), facts["content"], errors)
        except OSError as error:
            denied = unread("layers", ROOT_READS, Obstacle.DENIED)
            errors.append(not_read("layers", path, error) if os.geteuid() == 0 else denied)
