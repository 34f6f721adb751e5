"""QEMU arguments for the drives of a fleet. Pure: the machine manages images and their paths."""

import json
from collections.abc import Mapping, Sequence
from errno import EIO

from tests.lab.drives.fleet import EVERYWHERE, TIB, Bus, EmulatedDrive, Fleet, Pace

Node = dict[str, object]

SATA_PORTS = 6
"""Of the controller that the q35 machine has (ide.0 to ide.5), and of each that is added to it."""

LARGEST_FILE_BYTES = 16 * TIB - 4096
"""Of ext4."""

NOWHERE = "null-co"
"""QEMU's own drive without a medium, for what no file can hold: reads zeroes, and forgets what is written."""


def fleet_arguments(fleet: Fleet, nodes: Mapping[str, Node]) -> list[str]:
    """Return QEMU's arguments for all drives. `nodes`: the block node with the content of each drive (see
    `file_node`)."""
    counts = {bus: [drive for drive in fleet.drives if drive.bus is bus] for bus in Bus}
    arguments: list[str] = []
    for number in range(1, -(-len(counts[Bus.SATA]) // SATA_PORTS)):
        arguments += ["-device", f"ahci,id=sata{number}"]
    if counts[Bus.SCSI]:
        arguments += ["-device", "virtio-scsi-pci,id=scsi"]
    if counts[Bus.USB] or counts[Bus.UAS]:
        arguments += ["-device", "qemu-xhci,id=xhci"]
    for drive in fleet.drives:
        if isinstance(drive.media, Pace):
            limits = {"iops-total": drive.media.requests_per_second}
            arguments += [
                "-object",
                json.dumps({"qom-type": "throttle-group", "id": _pace_id(drive), "limits": limits}),
            ]
        arguments += ["-blockdev", json.dumps(_node(drive, nodes[drive.name]))]
        for device in devices_of(drive, counts[drive.bus].index(drive)):
            arguments += ["-device", json.dumps(device)]
    return arguments


def file_node(drive: EmulatedDrive, image: str) -> Node:
    """Return the node of a drive with the file `image` as content.

    Bypasses the page cache of this machine and the cache of its drive: a flush returns at once, since no
    image outlives its lab.
    """
    if drive.size_bytes > LARGEST_FILE_BYTES:
        return {"driver": NOWHERE, "size": drive.size_bytes, "read-zeroes": True}
    return {
        "driver": "file",
        "filename": image,
        "cache": {"direct": True, "no-flush": True},
        "discard": "unmap",
    }


def logged_node(content: Node, log: str) -> Node:
    """Return a node that writes to `content`, and logs every write to the file `log` in the format of
    Linux drivers/md/dm-log-writes.c."""
    kept = {"driver": "file", "filename": log, "cache": {"direct": True, "no-flush": True}}
    return {
        "driver": "blklogwrites",
        "file": content,
        "log": kept,
        "log-sector-size": 512,
        "log-super-update-interval": 1,
    }


def image_bytes(drive: EmulatedDrive) -> int:
    """Return the size of the file for a drive's content. If the first physical block begins before the
    drive, the file has one physical block more."""
    return min(
        drive.size_bytes + (drive.physical_block_bytes if drive.alignment_offset_bytes else 0),
        LARGEST_FILE_BYTES,
    )


def _pace_id(drive: EmulatedDrive) -> str:
    return f"{drive.name}-pace"


def controller_id(drive: EmulatedDrive) -> str:
    """Return the QMP id of the controller of a USB or NVMe drive."""
    return f"{drive.name}-controller"


def _node(drive: EmulatedDrive, content: Node) -> Node:
    """Return the block nodes below a drive, top first. The alignment must be above the throttle, or the reads
    that it causes cost nothing.

    A drive whose first physical block does not begin at its first byte is a window on one that does, so
    everything is shifted.
    """
    node = content
    if isinstance(drive.media, Pace):
        node = {"driver": "throttle", "throttle-group": _pace_id(drive), "file": node}
        if drive.media.charges_rewrites:
            block = drive.hidden_block_bytes or drive.physical_block_bytes
            node = {"driver": "blkdebug", "align": block, "image": node}
            if drive.alignment_offset_bytes:
                shift = block - drive.alignment_offset_bytes
                node = {"driver": "raw", "offset": shift, "size": drive.size_bytes, "file": node}
    if drive.spoiled:
        # Only a node above tells blkdebug of what it is about to do.
        rules = [
            {"event": "read_aio", "state": 2, "iotype": "read", "errno": EIO, "sector": sector}
            for sector in drive.spoiled
        ]
        spoils = {"event": "write_aio", "state": 1, "new_state": 2}
        node = {"driver": "blkdebug", "inject-error": rules, "set-state": [spoils], "image": node}
        node = {"driver": "raw", "file": node}
    bad = [
        *(("read", sector) for sector in drive.unreadable),
        *(("write", sector) for sector in drive.unwritable),
    ]
    if bad:
        # A rule without a sector is about all of them.
        places = [{"sector": sector} if sector != EVERYWHERE else {} for _, sector in bad]
        rules = [
            {"event": "none", "iotype": kind, "errno": EIO} | place
            for (kind, _), place in zip(bad, places, strict=True)
        ]
        node = {"driver": "blkdebug", "inject-error": rules, "image": node}
    return node | {"node-name": drive.name}


def devices_of(drive: EmulatedDrive, number: int) -> Sequence[Node]:
    """Return the devices to add for a drive, its controller first. The drive is number `number` on its
    bus."""
    disk: Node = {
        "drive": drive.name,
        "id": f"{drive.name}-disk",
        "logical_block_size": drive.logical_block_bytes,
        "physical_block_size": drive.physical_block_bytes,
        "min_io_size": drive.minimum_io_bytes,
        "opt_io_size": drive.optimal_io_bytes,
    }
    named = disk | {"serial": drive.serial, "wwn": drive.wwn, "rotation_rate": drive.rotation_rate}
    scsi = named | {
        "driver": "scsi-hd",
        "product": drive.model,
        "vendor": drive.vendor,
        "removable": drive.removable or None,
    }
    scsi["discard_granularity"] = max(4096, drive.logical_block_bytes) if drive.discards else 0
    devices: list[Node] = []
    match drive.bus:
        case Bus.SATA:
            controller, port = divmod(number, SATA_PORTS)
            bus = f"ide.{port}" if controller == 0 else f"sata{controller}.{port}"
            # Left alone, they offer TRIM, as hardly any rotating drive does.
            trims = {} if drive.discards else {"discard_granularity": 0}
            devices = [named | {"driver": "ide-hd", "bus": bus, "model": drive.model} | trims]
        case Bus.SCSI:
            devices = [scsi | {"bus": "scsi.0", "scsi-id": number}]
        case Bus.VIRTIO:
            # QEMU 7.2 makes one request of several, adds a piece at either end where it does not begin with a
            # whole block of the file below, and then fails it, since it has more than 1024 pieces.
            merged = {"request-merging": False}
            devices = [disk | {"driver": "virtio-blk-pci", "serial": drive.serial} | merged]
        case Bus.NVME:
            devices = [
                {"driver": "nvme", "id": controller_id(drive), "serial": drive.serial},
                disk
                | {
                    "driver": "nvme-ns",
                    "bus": controller_id(drive),
                    "nsid": 1,
                    "ms": drive.metadata_bytes or None,
                    # As one piece with each block, for which the kernel has no use on PCI.
                    "mset": 1 if drive.metadata_bytes else None,
                }
                | _zones(drive),
            ]
        case Bus.USB | Bus.UAS:
            driver = "usb-bot" if drive.bus is Bus.USB else "usb-uas"
            bridge: Node = {
                "driver": driver,
                "id": controller_id(drive),
                "bus": "xhci.0",
                "serial": drive.serial,
            }
            devices = [bridge, scsi | {"bus": f"{controller_id(drive)}.0"}]
    return [{key: value for key, value in device.items() if value is not None} for device in devices]


def _zones(drive: EmulatedDrive) -> Node:
    if drive.zones is None:
        return {}
    return {
        "zoned": True,
        "zoned.zone_size": drive.zones.zone_bytes,
        "zoned.zone_capacity": drive.zones.capacity_bytes,
        "zoned.max_open": drive.zones.open_at_once,
        "zoned.max_active": drive.zones.open_at_once,
    }
