"""Profiles: TOML files that extend diskwright without code. Order: bundled, then the machine's, then the
user's. Later ones replace earlier ones."""

import json
import os
import re
import struct
import tomllib
import zlib
from bisect import bisect_left
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from pwd import getpwuid
from typing import Any, TypeVar

from wizard.documents import codec, files
from wizard.documents.decode import Misfit, decode
from wizard.model.errors import BadInput
from wizard.model.finding import MOST_BYTES, Notice
from wizard.model.said import Message, t

T = TypeVar("T")

BUNDLED = Path(files.PROFILES).resolve()


def profile_folders() -> tuple[Path, ...]:
    """Return the folders of profiles; later ones replace earlier ones. The user for whom root runs comes
    after root."""
    found = [Path(os.environ.get("XDG_CONFIG_HOME", ""))]
    if not found[0].is_absolute():
        with suppress(RuntimeError):  # no HOME, and no user with this UID
            found.append(Path.home() / ".config")
        caller = os.environ.get("SUDO_UID") or os.environ.get("PKEXEC_UID") or ""
        if os.geteuid() == 0 and re.fullmatch(r"\d{1,10}", caller, re.ASCII):
            with suppress(KeyError, OverflowError):  # no such user
                found.append(Path(getpwuid(int(caller)).pw_dir, ".config"))
    configs = (folder / "diskwright" for folder in (Path("/etc"), *found) if folder.is_absolute())
    return tuple(dict.fromkeys((BUNDLED, *configs)))


def profile_files(room: str) -> tuple[Path, ...]:
    """Return all TOML files of a kind (`workloads`, `drives`, `evidence`)."""
    found: list[Path] = []
    for folder in profile_folders():
        # The folder may be missing, or unreadable as HOME may be after su.
        with suppress(OSError):
            found += sorted((folder / room).glob("*.toml"))
    return tuple(found)


def read_profile(path: Path, wanted: type[T]) -> T:
    """Parse a profile. Raises BadInput with file, line and key."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(files.UNREADABLE(file=str(path), why=str(error))) from None
    return read_toml_or_json(text, str(path), wanted)


def read_toml_or_json(text: str, where: str, wanted: type[T]) -> T:
    """Decode TOML, or JSON if the text begins with a brace. Raises BadInput with file, line and key."""
    key: Any = wanted
    found: T = _decoded(text, where, key)
    return found


Parser = Callable[[str], object]


@lru_cache(maxsize=512)
def _decoded(text: str, where: str, wanted: type[Any]) -> Any:
    """Cached, since screens ask for the same profiles at every key."""
    parse = _parser_of(text)
    try:
        return decode(parse(text), wanted)
    except Misfit as misfit:
        why = str(misfit.said)
        raise _at_line(text, where, misfit.key, files.within(misfit.key, parse(text)), why) from None
    except RecursionError:
        raise BadInput(t("{file} cannot be read: values are nested too deeply.", file=where)) from None
    except ValueError as error:
        # Invalid TOML or JSON, or a number with more digits than Python accepts.
        raise BadInput(f"{where}: {error}") from None


def _parser_of(text: str) -> Parser:
    if text.lstrip().startswith("{"):
        return partial(json.loads, object_pairs_hook=_without_doubles)
    return tomllib.loads


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"Duplicate key {next(key for key in keys if keys.count(key) > 1)!r}")
    return found


def fault_at(path: Path, key: str, why: Message) -> BadInput:
    """Return the error about the value at `key` in a profile."""
    return _at_line(path.read_text(encoding="utf-8"), str(path), key, files.whole(key), str(why))


def fault_within(text: str, where: str, key: str, why: Message | str) -> BadInput:
    """Return the error about the value at `key` (`drive[0].size`, or `drive[0].` for a table) in valid TOML
    or JSON."""
    return _at_line(text, where, key, files.within(key, _parser_of(text)(text)), str(why))


def _at_line(text: str, where: str, key: str, place: str, why: str) -> BadInput:
    within = ", ".join(filter(None, (str(_line_of(text, key)), place)))
    return BadInput(t("{file}, line {line}: {why}", file=where, line=within, why=why))


BRACKETED = re.compile(r'"(?:[^"\\]|\\.)*"|[^][{}]')
"""Everything in JSON except brackets."""


def _line_of(text: str, key: str) -> int:
    """Return the line of the value at `key` in valid TOML or JSON, from 1. For a missing key, that of the
    innermost table, where it begins."""
    lines, parse = text.replace("\r\n", "\n").split("\n"), _parser_of(text)
    wanted = re.findall(r"[^.\[\]]+", key)

    def parsed(end: int) -> Any:
        part = "\n".join(lines[:end])
        if parse is not tomllib.loads:
            brackets = BRACKETED.sub("", part)
            while (rest := re.sub(r"\[\]|\{\}", "", brackets)) != brackets:
                brackets = rest
            part = part.rstrip(", \n\r\t") + brackets[::-1].translate(str.maketrans("[{", "]}"))
        return parse(part)

    def reached(end: int) -> int:
        """Return how many parts of the key are in the first lines, and in the rest of the last value."""
        found, tries = None, 0
        while found is None:
            with suppress(ValueError):
                found = parsed(min(end, len(lines)))
            # A value of very many lines need not be found exactly.
            tries += 1
            end += 1 + tries // 1000 * tries
        depth = 0
        with suppress(LookupError, TypeError, ValueError):
            for name in wanted:
                found = found[int(name) if isinstance(found, list) else name]
                depth += 1
        return depth

    return bisect_left(range(1, len(lines)), reached(len(lines)), key=reached) + 1


SCHEMA = "diskwright.notice/1"
MAGIC = b"DISKWRIGHT-WAITS"
HEAD = struct.Struct("<16sI32s")
MOST_UNPACKED_BYTES = 32 * MOST_BYTES


def sealed_notice(notice: Notice) -> bytes:
    """Return the notice as bytes."""
    plain = codec.to_json(notice)
    if not notice.zeros:
        # Earlier versions do not know them.
        del plain["zeros"]
    text = json.dumps({"schema": SCHEMA, **plain}, separators=(",", ":"))
    body = zlib.compress(text.encode("ascii"), 9)
    return HEAD.pack(MAGIC, len(body), sha256(body).digest()) + body


def notice_bytes(head: bytes) -> int:
    """Return the length of the notice that starts here, or 0."""
    if len(head) < HEAD.size:
        return 0
    magic, length, _ = HEAD.unpack_from(head)
    return HEAD.size + length if magic == MAGIC and length <= MOST_BYTES - HEAD.size else 0


def read_notice(data: bytes) -> Notice | None:
    """Return the notice at the start of these bytes, or None. Never raises."""
    size = notice_bytes(data)
    if not size or len(data) < size:
        return None
    body = data[HEAD.size : size]
    if sha256(body).digest() != HEAD.unpack_from(data)[2]:
        return None
    try:
        text = zlib.decompressobj().decompress(body, MOST_UNPACKED_BYTES).decode("ascii")
        return codec.parse_document(text, SCHEMA, Notice, "The notice")
    except (zlib.error, UnicodeDecodeError, BadInput):
        return None
