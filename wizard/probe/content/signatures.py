"""What lies on a device by its marks, from raw facts. Pure."""

import re

from wizard.model.machine import Partition, Signature
from wizard.probe.facts import (
    RawContent,
    RawDrive,
    RawSignature,
)


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
