"""Profiles: TOML files that extend diskwright without code.

Order: bundled, then the machine's, then the user's. Later ones replace earlier ones.
"""

import json
import os
import re
import struct
import tomllib
import zlib
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from pwd import getpwuid
from typing import Any, TypeVar

from wizard.documents import files
from wizard.documents.codec import from_json, parse_document, to_json
from wizard.documents.decode import Misfit, decode
from wizard.documents.files import PROFILES, whole, within
from wizard.model.errors import BadInput, printable
from wizard.model.finding import MOST_BYTES, Notice
from wizard.model.said import Message, t

T = TypeVar("T")

BUNDLED = Path(PROFILES).resolve()


def profile_folders() -> tuple[Path, ...]:
    """Where profiles are looked for, in the order in which later ones replace earlier ones.

    Where root runs for someone (sudo, run0, pkexec), that person's folder comes after root's own.
    """
    named = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    configs = [named] if named.is_absolute() else [home / ".config" for home in _homes()]
    return tuple(dict.fromkeys((BUNDLED, *(folder / "diskwright" for folder in (Path("/etc"), *configs)))))


def _homes() -> list[Path]:
    """The home directory, and the caller's where root runs for someone; a user without one has no files of
    their own."""
    found: list[Path] = []
    with suppress(RuntimeError):  # neither HOME nor a user of this number
        found.append(Path.home())
    caller = os.environ.get("SUDO_UID") or os.environ.get("PKEXEC_UID") or ""
    if os.geteuid() == 0 and re.fullmatch(r"\d{1,10}", caller, re.ASCII):
        with suppress(KeyError, OverflowError):  # no such user
            found.append(Path(getpwuid(int(caller)).pw_dir))
    return [home for home in found if home.is_absolute()]


def profile_files(room: str) -> tuple[Path, ...]:
    """All TOML files of one room (`workloads`, `drives`, `evidence`), in order of folder and name."""
    return tuple(path for folder in profile_folders() for path in _toml_files(folder / room))


def _toml_files(folder: Path) -> list[Path]:
    """Those in a folder; none where it is missing or another user's, as HOME may be after a change of
    user."""
    try:
        return sorted(folder.glob("*.toml"))
    except OSError:
        return []


def read_profile(path: Path, wanted: type[T]) -> T:
    """A profile as the frozen dataclass `wanted`; raises BadInput naming file, line and key."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(str(files.UNREADABLE(file=str(path), why=str(error)))) from None
    return read_toml(text, str(path), wanted)


def read_toml(text: str, where: str, wanted: type[T]) -> T:
    """A TOML text as the frozen dataclass `wanted`; raises BadInput naming `where` (a file), line and key."""
    key: Any = wanted
    found: T = _read_toml(text, where, key)
    return found


@lru_cache(maxsize=512)
def _read_toml(text: str, where: str, wanted: type[Any]) -> Any:
    """Screens ask for the same profiles at every key, so the same text is decoded once."""
    try:
        return decode(tomllib.loads(text), wanted)
    except Misfit as misfit:
        why = printable(str(misfit.said), 220)
        raise _at_line(where, line_of(text, misfit.key), within(misfit.key), why) from None
    except RecursionError:
        raise BadInput(str(t("{file} cannot be read: values are nested too deeply.", file=where))) from None
    except ValueError as error:
        # No TOML, or a number of more digits than Python reads.
        raise BadInput(f"{where}: {error}") from None


def fault_at(path: Path, key: str, why: Message) -> BadInput:
    """The error to raise about the value at `key` (`choices[1].sentence`) of a profile: file, line and
    place."""
    return _at_line(str(path), line_of(path.read_text(encoding="utf-8"), key), whole(key), str(why))


def _at_line(where: str, line: int, place: str, why: str) -> BadInput:
    if place:
        return BadInput(
            str(
                t(
                    "{file}, line {line}, {place}: {why}",
                    file=where,
                    line=line,
                    place=printable(place, 100),
                    why=why,
                )
            )
        )
    return BadInput(str(t("{file}, line {line}: {why}", file=where, line=line, why=why)))


def line_of(text: str, key: str) -> int:
    """The line, from 1, on which the value at `key` (`choices[1].sentence`) stands in a TOML text; the
    header's where it is missing.

    Values within inline arrays are found by the line of their key.
    """
    wanted = key.split(".")
    seen: dict[str, int] = {}
    header: list[str] = []
    best, depth = 1, 0
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.fullmatch(r"\s*(\[\[?)\s*([\w.-]+)\s*\]\]?\s*(#.*)?", line):
            header = _numbered(match[2].split("."), seen, array=match[1] == "[[")
            position = header
        elif match := re.match(r"\s*([\w-]+)\s*=", line):
            position = [*header, match[1]]
        else:
            continue
        there = wanted[: len(position)]
        inline = [*there[:-1], there[-1].partition("[")[0]]
        if len(position) > depth and position in (there, inline):
            best, depth = number, len(position)
    return best


def _numbered(parts: list[str], seen: dict[str, int], *, array: bool) -> list[str]:
    """The header's parts with the index of each array of tables, as the error's place writes them:
    `choices[1]`, `mount[0]`."""
    named: list[str] = []
    for index, part in enumerate(parts):
        key = ".".join([*named, part])
        if array and index == len(parts) - 1:
            seen[key] = seen.get(key, -1) + 1
        named.append(f"{part}[{seen[key]}]" if key in seen else part)
    return named


SCHEMA = "diskwright.notice/1"
MAGIC = b"DISKWRIGHT-WAITS"
HEAD = struct.Struct("<16sI32s")
MOST_UNPACKED_BYTES = 32 * MOST_BYTES


def sealed_notice(notice: Notice) -> bytes:
    """The notice as bytes."""
    text = json.dumps({"schema": SCHEMA, **to_json(notice)}, separators=(",", ":"))
    body = zlib.compress(text.encode("ascii"), 9)
    return HEAD.pack(MAGIC, len(body), sha256(body).digest()) + body


def notice_bytes(head: bytes) -> int:
    """How long the notice is that begins with these bytes; 0 where they begin none."""
    if len(head) < HEAD.size:
        return 0
    magic, length, _ = HEAD.unpack_from(head)
    return HEAD.size + length if magic == MAGIC and length <= MOST_BYTES - HEAD.size else 0


def read_notice(data: bytes) -> Notice | None:
    """The notice in these bytes, whatever follows it; None where there is no whole one. Never raises."""
    size = notice_bytes(data)
    if not size or len(data) < size:
        return None
    body = data[HEAD.size : size]
    if sha256(body).digest() != HEAD.unpack_from(data)[2]:
        return None
    try:
        text = zlib.decompressobj().decompress(body, MOST_UNPACKED_BYTES).decode("ascii")
        return from_json(parse_document(text, SCHEMA, "The notice"), Notice, "The notice")
    except (zlib.error, UnicodeDecodeError, BadInput):
        return None
