"""Read NVMe Identify data: LBA formats of a namespace, and the scope of a Format. Read-only.

Sources: NVM Express Base Specification 2.0, Identify (opcode 06h) and Identify Controller; NVM Command Set
Specification 1.0, Identify Namespace; Linux include/uapi/linux/nvme_ioctl.h.
"""

import ctypes
import fcntl
import struct

from wizard.model.drive_facts import NvmeFormat
from wizard.model.said import t
from wizard.probe import facts
from wizard.probe.unread import Unreadable, opened

NVME_IOCTL_ID = 0x4E40
NVME_IOCTL_ADMIN_CMD = 0xC0484E41
IDENTIFY = 0x06
OF_NAMESPACE, OF_CONTROLLER = 0, 1
"""Values of CNS in command dword 10: the structure that Identify returns."""

IDENTIFY_BYTES = 4096
NAMESPACE_BYTES = 384
"""Up to the end of the 64 formats. Vendor-specific bytes follow."""
CONTROLLER_BYTES = 544
"""Through the fields about formatting."""
PATIENCE_MS = 3000

FORMATS_AT, FORMAT = 128, struct.Struct("<HBB")
"""Start of the formats; bytes of metadata, exponent of the block size, and relative performance of each."""
LEAST_EXPONENT, GREATEST_EXPONENT = 9, 16
"""Block sizes as exponents: 512 bytes to 64 KiB. 0 marks a format that is currently unavailable."""
FORMAT_COMMAND = 1 << 1
"""Format NVM, in the optional admin commands (controller bytes 257:256)."""
EVERY_NAMESPACE = 1 << 0
"""In the attributes of Format NVM (controller byte 524): a format affects all namespaces."""


COMMAND = struct.Struct("=B3xI16xQ4xII20xI4x")
"""The kernel's struct nvme_passthru_cmd: opcode, namespace, address and length of the data, command dword 10
and time limit in milliseconds."""


def identify(path: str) -> dict[str, str]:
    """Return the Identify data of namespace and controller, in base64. Raises OSError."""
    with opened(path) as descriptor:
        number = fcntl.ioctl(descriptor, NVME_IOCTL_ID)
        return {
            "namespace": facts.encoded(_identify(descriptor, OF_NAMESPACE, number)[:NAMESPACE_BYTES]),
            "controller": facts.encoded(_identify(descriptor, OF_CONTROLLER, 0)[:CONTROLLER_BYTES]),
        }


def _identify(descriptor: int, wanted: int, namespace: int) -> bytes:
    buffer = ctypes.create_string_buffer(IDENTIFY_BYTES)
    address = ctypes.addressof(buffer)
    command = bytearray(COMMAND.pack(IDENTIFY, namespace, address, IDENTIFY_BYTES, wanted, PATIENCE_MS))
    status = fcntl.ioctl(descriptor, NVME_IOCTL_ADMIN_CMD, command)
    if status:
        raise Unreadable(t("The drive answered Identify with NVMe status {status}.", status=f"{status:#x}"))
    return buffer.raw


def formats_of(raw: facts.RawDrive) -> tuple[NvmeFormat, ...]:
    """Return the LBA formats of the namespace in order. Empty if unread or invalid."""
    data = facts.decoded(raw.nvme.get("namespace", ""))
    if len(data) < NAMESPACE_BYTES:
        return ()
    count = min(data[25] + 1, (NAMESPACE_BYTES - FORMATS_AT) // FORMAT.size)
    # With more than 16 formats, bits 6:5 are the upper bits of the number.
    used = data[26] & 0xF | ((data[26] >> 5 & 3) << 4 if count > 16 else 0)
    formats = FORMAT.iter_unpack(data[FORMATS_AT : FORMATS_AT + count * FORMAT.size])
    return tuple(
        NvmeFormat(number, 1 << exponent, metadata, rating & 3, in_use=number == used)
        for number, (metadata, exponent, rating) in enumerate(formats)
        if LEAST_EXPONENT <= exponent <= GREATEST_EXPONENT
    )


def format_scope_of(raw: facts.RawDrive) -> str | None:
    """Return the scope of a Format: `namespace`, `all` of the controller, or `none`."""
    data = facts.decoded(raw.nvme.get("controller", ""))
    if len(data) < CONTROLLER_BYTES:
        return None
    if not int.from_bytes(data[256:258], "little") & FORMAT_COMMAND:
        return "none"
    return "all" if data[524] & EVERY_NAMESPACE else "namespace"
