"""LVM2 physical volumes from their bytes: the label, where data begin, and which logical volumes lie where.

Sources: lvm2's lib/format_text/layout.h and lib/label/label.h, and the text format of its metadata
(vgcfgbackup(8), lvm.conf(5)). Pure and bounded; bytes that make no sense give less, never an error.
"""

import re
import struct
from collections.abc import Iterator
from typing import Any

from wizard.model.machine import Striping
from wizard.probe.content.placed import NOTHING, SECTOR_BYTES, Inside, Volume, striping
from wizard.probe.table.gpt import Read

LABEL_SECTORS = 4
"""The label lies in one of these; every tool writes it to the second."""
AREA_MAGIC = b" LVM2 x[5A%r0N*>"
AREA_HEADER_BYTES = 512
MOST_TEXT_BYTES = 1024 * 1024
MOST_PLACES = 16
MOST_DEPTH = 16
MOST_TOKENS = 400_000
IGNORED = 1

Section = dict[str, Any]
"""A section of the metadata: numbers, texts, lists of them, and further sections. Untyped until each value is
looked at."""

TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([A-Za-z0-9_.+/-]+)|([{}=\[\],])|#[^\n]*|\s+', re.DOTALL)


def read_physical_volume(read: Read, size_bytes: int, _mark_bytes: int | None = None) -> Inside:
    """Where the data area begins (pe_start), and the logical volumes with extents on it."""
    labels = read(0, LABEL_SECTORS * SECTOR_BYTES)
    for place in range(0, len(labels), SECTOR_BYTES):
        sector = labels[place : place + SECTOR_BYTES]
        if len(sector) == SECTOR_BYTES and sector[:8] == b"LABELONE" and sector[24:32] == b"LVM2 001":
            return _labelled(read, sector, size_bytes)
    return NOTHING


def _labelled(read: Read, sector: bytes, size_bytes: int) -> Inside:
    header = struct.unpack_from("<I", sector, 20)[0]
    if header + 40 > SECTOR_BYTES:
        return NOTHING
    own_uuid = sector[header : header + 32].decode("latin-1")
    data, behind = _places(sector, header + 40)
    areas, _ = _places(sector, behind)
    start = data[0][0] if data else None
    for offset, length in areas:
        group = _metadata(read, offset, length, size_bytes)
        told = _of_group(group, own_uuid) if group else None
        if told is not None:
            return told
    return Inside(start)


def _places(sector: bytes, at: int) -> tuple[list[tuple[int, int]], int]:
    """A list of offsets and sizes, ended by a pair of zeroes, and where it ends."""
    found: list[tuple[int, int]] = []
    while at + 16 <= len(sector) and len(found) < MOST_PLACES:
        offset, size = struct.unpack_from("<QQ", sector, at)
        at += 16
        if not offset:
            break
        found.append((offset, size))
    return found, at


def _metadata(read: Read, offset: int, length: int, size_bytes: int) -> Section | None:
    """The volume group's section of the text in a metadata area, which is a ring behind its header."""
    if offset + AREA_HEADER_BYTES > size_bytes:
        return None
    header = read(offset, AREA_HEADER_BYTES)
    if len(header) < AREA_HEADER_BYTES or header[4:20] != AREA_MAGIC:
        return None
    place, size, _, flags = struct.unpack_from("<QQII", header, 40)
    length = min(length, size_bytes - offset)
    if flags & IGNORED or not 0 < size <= MOST_TEXT_BYTES or not AREA_HEADER_BYTES <= place < length:
        return None
    first = min(size, length - place)
    text = read(offset + place, first)
    if first < size:
        text += read(offset + AREA_HEADER_BYTES, min(size - first, length - AREA_HEADER_BYTES))
    whole = parse(text.rstrip(b"\0\n").decode("latin-1"))
    return next(
        (value for value in whole.values() if isinstance(value, dict) and "physical_volumes" in value), None
    )


def _of_group(group: Section, own_uuid: str) -> Inside | None:
    """What the text says of the physical volume with that identity; None where it does not name it."""
    sectors = _number(group.get("extent_size"))
    for name, volume in _sections(group.get("physical_volumes")):
        if _bare(volume.get("id")) != own_uuid:
            continue
        start = _number(volume.get("pe_start"))
        if start is None:
            return None
        volumes = _volumes(group, name, start, sectors) if sectors else ()
        return Inside(start * SECTOR_BYTES, volumes=tuple(volumes))
    return None


def _volumes(group: Section, physical: str, start: int, extent: int) -> Iterator[Volume]:
    """The logical volumes that have extents on the physical volume of that name, in the text's order. Sizes
    in sectors."""
    for _, volume in _sections(group.get("logical_volumes")):
        segments = sorted(
            (_number(segment.get("start_extent")) or 0, key, segment)
            for key, segment in _sections(volume)
            if key.startswith("segment")
        )
        places: list[int] = []
        spread: Striping | None = None
        for _, _, segment in segments:
            stripes = segment.get("stripes")
            pairs = list(zip(stripes[::2], stripes[1::2], strict=False)) if isinstance(stripes, list) else []
            here = [
                number
                for owner, extents in pairs
                if owner == physical and (number := _number(extents)) is not None
            ]
            if here and not places and len(pairs) > 1:
                unit = (_number(segment.get("stripe_size")) or 0) * SECTOR_BYTES
                spread = striping(unit, unit * len(pairs)) if unit else None
            places += [(start + number * extent) * SECTOR_BYTES for number in here]
        if places:
            yield Volume(_bare(volume.get("id")), places[0], spread)


def _sections(value: object) -> Iterator[tuple[str, Section]]:
    if isinstance(value, dict):
        yield from ((name, inner) for name, inner in value.items() if isinstance(inner, dict))


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 1 << 62 else None


def _bare(value: object) -> str:
    """An identity without the dashes that the text writes it with."""
    return value.replace("-", "") if isinstance(value, str) else ""


def parse(text: str) -> Section:
    """The text as sections. What does not fit the grammar ends it: what was read before stands."""
    whole: Section = {}
    stack: list[Section] = [whole]
    name: str | None = None
    tokens = _tokens(text)
    for kind, token in tokens:
        if kind == "mark" and token == "{" and name is not None and len(stack) < MOST_DEPTH:
            inner: Section = {}
            stack[-1][name] = inner
            stack.append(inner)
            name = None
        elif kind == "mark" and token == "}" and len(stack) > 1:
            stack.pop()
        elif kind == "mark" and token == "=" and name is not None:
            stack[-1][name] = _value(tokens)
            name = None
        elif kind == "word" and name is None:
            name = token
        else:
            break
    return whole


def _value(tokens: Iterator[tuple[str, str]]) -> Any:  # noqa: ANN401 - a number, a text or a list of them
    kind, token = next(tokens, ("end", ""))
    if (kind, token) != ("mark", "["):
        return _scalar(kind, token)
    found = []
    for kind, token in tokens:
        if kind == "mark" and token == "]":
            break
        if kind != "mark":
            found.append(_scalar(kind, token))
    return found


def _scalar(kind: str, token: str) -> int | str:
    return int(token) if kind == "word" and re.fullmatch(r"-?[0-9]{1,18}", token) else token


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Words, quoted texts and marks; ends at a character that has no place in the format."""
    position = 0
    for _ in range(MOST_TOKENS):
        match = TOKEN.match(text, position)
        if match is None or match.end() == position:
            return
        position = match.end()
        if match[1] is not None:
            yield "text", match[1]
        elif match[2] is not None:
            yield "word", match[2]
        elif match[3] is not None:
            yield "mark", match[3]
