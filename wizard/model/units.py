"""Sizes: bytes inside, words outside.

Suffixes follow util-linux: K, M, G, T and KiB, MiB, ... are powers of 1024; KB, MB, ... are powers of 1000.
"""

import re
from datetime import UTC, datetime

from wizard.model.errors import BadInput

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB
TIB = 1024 * GIB

KERNEL_SECTOR_BYTES = 512
"""The unit of every size and start in sysfs, whatever the logical block size
(Documentation/ABI/stable/sysfs-block)."""

_LETTERS = "KMGTPE"
_SIZE = re.compile(r"\s*(\d{1,24}(?:\.\d{1,24})?)\s*([KMGTPE]?)(iB|B|)\s*", re.IGNORECASE | re.ASCII)


def rounded_up(size_bytes: int, grain_bytes: int) -> int:
    """A size, or a place, up to the next whole grain; what is whole stays."""
    return -(-size_bytes // grain_bytes) * grain_bytes


def parse_size(text: str) -> int:
    """Bytes from `500G`, `1.5TiB`, `750GB` or `4096`; raises BadInput with the text in it."""
    match = _SIZE.fullmatch(text)
    if match is None:
        # Messages write sizes, so their module imports this one.
        from wizard.model.said import t

        raise BadInput(
            t(
                "{text!r} is not a size. Write a number with K, M, G or T behind it, such as 500G or 750GB.",
                text=text[:40],
            )
        )
    number, letter, unit = match.groups()
    if not letter:
        return int(float(number))
    base = 1000 if unit.upper() == "B" else 1024
    return int(float(number) * base ** (_LETTERS.index(letter.upper()) + 1))


def parse_place(text: str) -> int:
    """A place on a drive in bytes; `2048s` is in sectors of 512 bytes, as other tools count. Raises
    BadInput."""
    return int(text[:-1]) * KERNEL_SECTOR_BYTES if re.fullmatch(r"[0-9]{1,15}s", text) else parse_size(text)


def format_capacity(size_bytes: int) -> str:
    """As printed on a drive's label, in powers of 1000 and four characters of number at most: `8.0 TB`."""
    value = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 999.5:
            return f"{value:.0f} {unit}" if value >= 99.95 or unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} PB"


def format_exact(size_bytes: int) -> str:
    """Without rounding, in the largest power of 1024 that divides it: `1 MiB`, `17 KiB`, `3584 bytes`."""
    for factor, unit in ((TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size_bytes and size_bytes % factor == 0:
            return f"{size_bytes // factor} {unit}"
    return f"{size_bytes} bytes"


def format_round(size_bytes: int) -> str:
    """Without rounding where it is whole MiB, which is easy to read: `490 MiB`; else as on a drive's box."""
    return format_capacity(size_bytes) if size_bytes % MIB else format_exact(size_bytes)


def format_moment(moment: str) -> str:
    """A moment in ISO 8601 as it is said: `2026-11-23 05:30 UTC`. What is none, or tells no time zone, stays
    as it is."""
    try:
        when = datetime.fromisoformat(moment)
        return moment if when.tzinfo is None else f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError):
        return moment


def format_duration(seconds: float) -> str:
    """`40 s`, `3 min`, `2 h 10 min`: as coarse as an estimate deserves."""
    if seconds < 1:
        return "under 1 s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def format_nanoseconds(nanoseconds: float) -> str:
    """`8.5 us`, `85 us`, `12.3 ms`."""
    if nanoseconds < 10_000:
        return f"{nanoseconds / 1000:.1f} us"
    return f"{nanoseconds / 1000:.0f} us" if nanoseconds < 1_000_000 else f"{nanoseconds / 1_000_000:.1f} ms"


def roughly(seconds: float) -> str:
    """The same as an estimate in a sentence: `about 3 min`, `under 1 s`."""
    return f"about {format_duration(seconds)}" if seconds >= 1 else format_duration(seconds)
