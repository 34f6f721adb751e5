"""Read NVMe Identify data: LBA formats of a namespace, and the scope of a Format. Read-only.

Sources: NVM Express Base Specification 2.0, Identify (opcode 06h) and Identify Controller; NVM Command Set
Specification 1.0, Identify Namespace; Linux include/uapi/linux/nvme_ioctl.h.
"""

import base64
import binascii
import ctypes
import fcntl
import os
from typing import TYPE_CHECKING, Any

from wizard.model.drive_facts import NvmeFormat
from wizard.probe.unread import IDENTIFY as REFUSED
from wizard.probe.unread import Unreadable, not_read

if TYPE_CHECKING:
    from wizard.probe.facts import RawDrive

Facts = dict[str, Any]

NVME_IOCTL_ID = 0x4E40
NVME_IOCTL_ADMIN_CMD = 0xC0484E41
IDENTIFY = 0x06
OF_NAMESPACE, OF_CONTROLLER = 0, 1
"""What Identify is asked for: the field CNS of command dword 10."""

IDENTIFY_BYTES = 4096
NAMESPACE_BYTES = 384
"""Up to the end of the list of 64 formats; behind it begins what makers put there."""
CONTROLLER_BYTES = 544
"""Up to the fields about formatting."""
PATIENCE_MS = 3000

FORMATS_AT, FORMAT_BYTES = 128, 4
LEAST_EXPONENT, GREATEST_EXPONENT = 9, 16
"""Of a block's size: 512 bytes to 64 KiB. An exponent of 0 is an entry that is not to be had at present."""
FORMAT_COMMAND = 1 << 1
"""In the controller's bytes 257:256, optional admin commands: Format NVM."""
EVERY_NAMESPACE = 1 << 0
"""In the controller's byte 524, attributes of Format NVM: it formats all namespaces together."""


class NvmeCommand(ctypes.Structure):
    """struct nvme_passthru_cmd of the kernel."""

    _fields_ = (
        ("opcode", ctypes.c_uint8),
        ("flags", ctypes.c_uint8),
        ("rsvd1", ctypes.c_uint16),
        ("nsid", ctypes.c_uint32),
        ("cdw2", ctypes.c_uint32),
        ("cdw3", ctypes.c_uint32),
        ("metadata", ctypes.c_uint64),
        ("addr", ctypes.c_uint64),
        ("metadata_len", ctypes.c_uint32),
        ("data_len", ctypes.c_uint32),
        ("cdw10", ctypes.c_uint32),
        ("cdw11", ctypes.c_uint32),
        ("cdw12", ctypes.c_uint32),
        ("cdw13", ctypes.c_uint32),
        ("cdw14", ctypes.c_uint32),
        ("cdw15", ctypes.c_uint32),
        ("timeout_ms", ctypes.c_uint32),
        ("result", ctypes.c_uint32),
    )


def from_nvme(path: str, errors: list[Facts]) -> Facts:
    """The namespace's and the controller's Identify data, as an update of a drive's facts; where they are
    refused, `errors` with that added."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        return {"errors": [*errors, not_read("nvme_formats", path, error)]}
    try:
        number = fcntl.ioctl(descriptor, NVME_IOCTL_ID)
        namespace = _identify(descriptor, OF_NAMESPACE, number)[:NAMESPACE_BYTES]
        controller = _identify(descriptor, OF_CONTROLLER, 0)[:CONTROLLER_BYTES]
    except OSError as error:
        return {"errors": [*errors, not_read("nvme_formats", path, error)]}
    finally:
        os.close(descriptor)
    return {
        "nvme": {
            name: base64.b64encode(data).decode("ascii")
            for name, data in (("namespace", namespace), ("controller", controller))
        }
    }


def _identify(descriptor: int, wanted: int, namespace: int) -> bytes:
    """One Identify structure; raises OSError where kernel or drive refuses, the latter with its NVMe
    status."""
    buffer = (ctypes.c_uint8 * IDENTIFY_BYTES)()
    command = NvmeCommand(
        opcode=IDENTIFY,
        nsid=namespace,
        addr=ctypes.addressof(buffer),
        data_len=IDENTIFY_BYTES,
        cdw10=wanted,
        timeout_ms=PATIENCE_MS,
    )
    status = fcntl.ioctl(descriptor, NVME_IOCTL_ADMIN_CMD, command)
    if status:
        raise Unreadable(REFUSED(status=f"{status:#x}"))
    return bytes(buffer)


def formats_of(raw: "RawDrive") -> tuple[NvmeFormat, ...]:
    """The formats that the namespace can have, in their order; none where it was not asked or the answer
    makes no sense."""
    data = _decoded(raw.nvme.get("namespace"))
    if len(data) < NAMESPACE_BYTES:
        return ()
    count = min(data[25] + 1, (NAMESPACE_BYTES - FORMATS_AT) // FORMAT_BYTES)
    # Bits 6:5 carry the upper half of the number, where there are more formats than four bits can name.
    used = data[26] & 0xF | ((data[26] >> 5 & 3) << 4 if count > 16 else 0)
    found = []
    for number in range(count):
        at = FORMATS_AT + number * FORMAT_BYTES
        if LEAST_EXPONENT <= data[at + 2] <= GREATEST_EXPONENT:
            metadata = int.from_bytes(data[at : at + 2], "little")
            found.append(
                NvmeFormat(number, 1 << data[at + 2], metadata, data[at + 3] & 3, in_use=number == used)
            )
    return tuple(found)


def format_scope_of(raw: "RawDrive") -> str | None:
    """What a Format command erases: `namespace`, `all` namespaces of the controller, `none` where it knows no
    such command."""
    data = _decoded(raw.nvme.get("controller"))
    if len(data) < CONTROLLER_BYTES:
        return None
    if not int.from_bytes(data[256:258], "little") & FORMAT_COMMAND:
        return "none"
    return "all" if data[524] & EVERY_NAMESPACE else "namespace"


def _decoded(text: str | None) -> bytes:
    try:
        return base64.b64decode(text or "", validate=True)
    except (binascii.Error, ValueError):
        return b""
