"""One entry of a manifest: what a file, folder or anything else of a filesystem is, as a line of text and
back."""

import json
import os
from dataclasses import dataclass
from enum import StrEnum

from wizard.model.errors import BadInput
from wizard.model.said import Said, t

_encode = json.JSONEncoder(separators=(",", ":")).encode


class Kind(StrEnum):
    """What an entry is, as a manifest has it."""

    FILE = "file"
    FOLDER = "folder"
    SYMLINK = "symbolic link"
    FIFO = "named pipe"
    SOCKET = "socket"
    CHARACTERS = "character device"
    BLOCKS = "block device"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a filesystem. `path` is from its top, as the bytes that lie on the disk; empty for the top
    itself.

    `mode` are the permission bits. `size_bytes` is 0 for a folder, whose size is no property of what it
    holds. `device` is `8:1` for a device. The times are nanoseconds since 1970. `same_as` is the first path
    that leads to this inode, where another one comes before this. `flags` are those that chattr(1) sets.
    `attributes` are pairs of an extended attribute's name and its value in hexadecimal digits, or `sha256:`
    and its digest where it is long; ACLs are among them.

    `digest` is of a file's content (see `manifest_content`), `data` says where it has data: how many bytes
    and ranges and a digest of where they are; `wide_data` the same with every range widened to whole blocks
    of 4096 bytes, as a filesystem with such blocks keeps them.
    """

    path: bytes
    kind: Kind
    mode: int
    uid: int
    gid: int
    size_bytes: int
    device: str
    modified: int
    accessed: int
    changed: int
    inode: int
    links: int
    same_as: bytes
    target: bytes
    flags: int
    attributes: tuple[tuple[str, str], ...]
    digest: str
    data: str
    wide_data: str

    @property
    def order(self) -> list[bytes]:
        """Where it comes in a manifest: a folder before what it holds, names by their bytes."""
        return self.path.split(b"/") if self.path else []


def to_line(entry: Entry) -> bytes:
    """The entry as one line of JSON, without its end; names that are not UTF-8 keep their bytes as lone
    surrogates (PEP 383)."""
    fields = (
        os.fsdecode(entry.path),
        entry.kind.value,
        entry.mode,
        entry.uid,
        entry.gid,
        entry.size_bytes,
        entry.device,
        entry.modified,
        entry.accessed,
        entry.changed,
        entry.inode,
        entry.links,
        os.fsdecode(entry.same_as) if entry.same_as else "",
        os.fsdecode(entry.target) if entry.target else "",
        entry.flags,
        entry.attributes,
        entry.digest,
        entry.data,
        "" if entry.wide_data == entry.data else entry.wide_data,
    )
    return _encode(fields).encode()


def from_line(line: bytes, what: str | Said) -> Entry:
    """What `to_line` wrote; raises BadInput for anything else, which it calls `what`."""
    try:
        (
            path,
            kind,
            mode,
            uid,
            gid,
            size,
            device,
            modified,
            accessed,
            changed,
            inode,
            links,
            same,
            target,
            flags,
            attributes,
            *content,
        ) = json.loads(line.decode())
        digest, data, wide = content
        return Entry(
            os.fsencode(path),
            Kind(kind),
            int(mode),
            int(uid),
            int(gid),
            int(size),
            str(device),
            int(modified),
            int(accessed),
            int(changed),
            int(inode),
            int(links),
            os.fsencode(same),
            os.fsencode(target),
            int(flags),
            tuple((str(name), str(value)) for name, value in attributes),
            str(digest),
            str(data),
            str(wide or data),
        )
    except (ValueError, TypeError, RecursionError):
        raise BadInput(t("{entry} is damaged.", entry=what)) from None
