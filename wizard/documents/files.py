"""Read and write document files: atomic writes, regular files only, and reads of limited length. Also selects
the language of messages."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from wizard.model.errors import BadInput, Failed
from wizard.model.said import Sentence, t

PROFILES = f"{__file__.rpartition('/documents/')[0]}/profiles"
CATALOGUES = f"{PROFILES}/locale"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@.-")


def speak(environment: Mapping[str, str] = os.environ) -> None:
    """Use the first available catalogue of the person's languages, or English."""
    for name in wanted(environment):
        if name == "en":
            return
        path = f"{CATALOGUES}/{name}/LC_MESSAGES/diskwright.mo"
        if os.path.exists(path):  # noqa: PTH110 - pathlib alone takes longer than all the rest
            import struct
            from gettext import GNUTranslations

            from wizard.model.said import Language

            with suppress(OSError, ValueError, struct.error), open(path, "rb") as file:  # noqa: PTH123
                catalogue = GNUTranslations(file)
                Language.one, Language.many = catalogue.gettext, catalogue.ngettext
                Language.of_profiles = catalogue.pgettext
            return


def wanted(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield catalogue names, the best first: `de_AT`, then `de`. LANGUAGE only counts if the locale is not C
    (gettext(3))."""
    locale = environment.get("LC_ALL") or environment.get("LC_MESSAGES") or environment.get("LANG") or "C"
    if locale.partition(".")[0] in ("C", "POSIX"):
        return
    for one in (*environment.get("LANGUAGE", "").split(":"), locale):
        if one and _PLAIN.issuperset(one) and not one.startswith("."):
            place, _, variant = one.partition("@")
            place = place.partition(".")[0]
            for name in dict.fromkeys((place, place.partition("_")[0])):
                yield from (f"{name}@{variant}", name) if variant else (name,)


def within(place: str, document: object = None) -> str:
    """Describe the container of a place: `drive 1, volume 2` for `drive[0].volume[1].size`. With the
    `document`, add names: `drive 1 (media), volume 2 (films)`."""
    shown = []
    for key in filter(None, place.split(".")[:-1]):
        part, *counts = re.findall(r"[^\[\]]+", key)
        document = document.get(part) if isinstance(document, dict) else None
        for count in map(int, counts):
            document = document[count] if isinstance(document, list) and count < len(document) else None
        table = document if isinstance(document, dict) else {}
        name = table.get("name") or table.get("label")
        shown.append(f"{_with_position(key)} ({name})" if isinstance(name, str) else _with_position(key))
    return ", ".join(shown)


def itself(place: str) -> str:
    """Describe a place without its containers."""
    keys = [key for key in place.split(".") if key]
    if not keys:
        return str(t("the document"))
    return _with_position(keys[-1]) if keys[-1].endswith("]") else f"`{keys[-1]}`"


def whole(place: str) -> str:
    """Describe a place with the containers."""
    return ", ".join(filter(None, (within(place), itself(place))))


def _with_position(key: str) -> str:
    name, *counts = re.split(r"\[(\d+)\]", key)
    return f"{name} {'.'.join(str(int(count) + 1) for count in counts if count)}".rstrip()


TOO_LARGE = Sentence("{file} is too large to be a diskwright document.")
UNREADABLE = Sentence("{file} cannot be read: {why}.")
NOT_A_FILE = Sentence("{file} is not a regular file. Name another one.")
NO_DOCUMENT = Sentence("{file} is not a diskwright document.")


NOT_WRITTEN = Sentence("{what} could not be written to {file}: {why}. No file was changed.")

LARGEST_BYTES = 64 * 1024 * 1024
"""Ten times the recording of a machine with a hundred drives."""

WRITER_SECONDS, PAUSE_SECONDS = 5.0, 0.05
"""Time for another process to open a pipe for writing, and interval between tries."""

FIRST_BYTES = 4096


def write_file(path: Path, text: str, what: str) -> None:
    """Write a file atomically. `what` describes the contents in errors. Raises BadInput if `path` is no
    regular file, such as a drive. Raises Failed on errors."""
    shown, temporary = str(path), None
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            raise BadInput(NOT_A_FILE(file=shown))
        temporary = target.with_name(f".{target.name[:200]}.{os.getpid()}")
        with temporary.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(target)
    except (OSError, RuntimeError, ValueError) as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()
        raise Failed(NOT_WRITTEN(what=what, file=shown, why=_reason(error))) from None


def read_file(path: Path, most_bytes: int = LARGEST_BYTES) -> str:
    """Return the text of a file or pipe. Raises FileNotFoundError; BadInput for devices, directories, pipes
    without a writer, binary and too long files."""
    shown = str(path)
    try:
        mode = path.stat().st_mode
        if stat.S_ISBLK(mode) or stat.S_ISDIR(mode):
            raise BadInput(NOT_A_FILE(file=shown))
        flags = os.O_NONBLOCK if stat.S_ISFIFO(mode) else 0
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags), "rb") as file:
            data = _first_of_pipe(file.fileno(), shown) if flags else b""
            data += file.read(max(0, most_bytes + 1 - len(data)))
        if len(data) > most_bytes:
            raise BadInput(TOO_LARGE(file=shown))
        return data.decode("utf-8")
    except FileNotFoundError:
        raise
    except UnicodeDecodeError:
        raise BadInput(NO_DOCUMENT(file=shown)) from None
    except (OSError, ValueError) as error:
        raise BadInput(UNREADABLE(file=shown, why=_reason(error))) from None


def _first_of_pipe(descriptor: int, shown: str) -> bytes:
    """Return no bytes if the writer is slow: later reads block. Raises BadInput without a writer."""
    limit = monotonic() + WRITER_SECONDS
    while True:
        try:
            first = os.read(descriptor, FIRST_BYTES)
        except BlockingIOError:
            first = None
        if first or first is None:
            os.set_blocking(descriptor, True)
            return first or b""
        if monotonic() > limit:
            raise BadInput(t("No data arrived through the pipe {file}.", file=shown))
        sleep(PAUSE_SECONDS)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(t("invalid file name"))
