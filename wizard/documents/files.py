"""Read and write document files: atomic writes, regular files only, and reads of limited length.

Also selects the language of messages.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from wizard.model.errors import BadInput, Failed, printable
from wizard.model.said import Sentence, t

PROFILES = f"{__file__.rpartition('/documents/')[0]}/profiles"
CATALOGUES = f"{PROFILES}/locale"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@.-")


def speak(environment: Mapping[str, str] = os.environ) -> None:
    """Say every sentence in the person's language from now on: the first that there is a catalogue for.
    English needs none, and is spoken where a catalogue cannot be read."""
    for name in wanted(environment):
        if name == "en":
            return
        path = f"{CATALOGUES}/{name}/LC_MESSAGES/diskwright.mo"
        if os.path.exists(path):  # noqa: PTH110 - pathlib alone takes longer than all the rest
            _speak(path)
            return


def _speak(path: str) -> None:
    import struct
    from gettext import GNUTranslations

    from wizard.model.said import Language

    try:
        with open(path, "rb") as file:  # noqa: PTH123
            spoken = GNUTranslations(file)
    except (OSError, ValueError, struct.error):
        return
    Language.one, Language.many, Language.of_profiles = spoken.gettext, spoken.ngettext, spoken.pgettext


def wanted(environment: Mapping[str, str]) -> Iterator[str]:
    """The catalogues to look for, the best first: `de_AT`, then `de`. LANGUAGE counts only where the locale
    is one of a language (gettext(3))."""
    locale = environment.get("LC_ALL") or environment.get("LC_MESSAGES") or environment.get("LANG") or "C"
    if locale.partition(".")[0] in ("C", "POSIX"):
        return
    for one in (*environment.get("LANGUAGE", "").split(":"), locale):
        if one and _PLAIN.issuperset(one) and not one.startswith("."):
            place, _, variant = one.partition("@")
            place = place.partition(".")[0]
            for name in dict.fromkeys((place, place.partition("_")[0])):
                yield from (f"{name}@{variant}", name) if variant else (name,)


def within(place: str) -> str:
    """What holds the value at a place (`drive[0].volume[1].size`): `drive 1, volume 2`. Empty where that is
    the document itself."""
    return ", ".join(map(_counted, _keys(place)[:-1]))


def itself(place: str) -> str:
    """The value at a place, without what holds it."""
    keys = _keys(place)
    if not keys:
        return str(t("the document"))
    return _counted(keys[-1]) if keys[-1].endswith("]") else f"`{keys[-1]}`"


def whole(place: str) -> str:
    """The value at a place, with what holds it."""
    return ", ".join(filter(None, (within(place), itself(place))))


def _keys(place: str) -> list[str]:
    return [key for key in place.split(".") if key]


def _counted(key: str) -> str:
    """A key, and of a list's values which one, counted from 1."""
    name, *counts = re.split(r"\[(\d+)\]", key)
    return f"{name} {'.'.join(str(int(count) + 1) for count in counts if count)}".rstrip()


# A value that is not what it has to be. `what` names it: `size`, or option 2.


# Types of values.

# Where it stands.


TOO_LARGE = Sentence("{file} is too large to be a diskwright document.")
UNREADABLE = Sentence("{file} cannot be read: {why}.")


NOT_WRITTEN = Sentence("{what} could not be written to {file}: {why}. No file was changed.")

LARGEST_BYTES = 64 * 1024 * 1024
"""A machine with a hundred drives is a tenth of this."""

WRITER_SECONDS, PAUSE_SECONDS = 5.0, 0.05
"""How long somebody may take to open the other end of a pipe."""

FIRST_BYTES = 4096


def write_file(path: Path, text: str, what: str) -> None:
    """Put `text` in a file in one move; `what` it is begins the sentence of an error.

    Raises BadInput for a place that holds something else than a file, which a drive's node does; Failed where
    it cannot be written.
    """
    shown = printable(str(path), 200)
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            raise BadInput(
                str(
                    t(
                        "{file} is not a regular file; name another file for {what}.",
                        file=shown,
                        what=f"{what[:1].lower()}{what[1:]}",
                    )
                )
            )
        beside = target.with_name(f".{target.name[:200]}.{os.getpid()}")
    except (OSError, RuntimeError, ValueError) as error:
        raise Failed(str(NOT_WRITTEN(what=what, file=shown, why=_reason(error)))) from None
    try:
        with beside.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.rename(target)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise Failed(str(NOT_WRITTEN(what=what, file=shown, why=_reason(error)))) from None


def read_file(path: Path, most_bytes: int = LARGEST_BYTES) -> str:
    """The text of a file, or of what comes through a pipe.

    Raises FileNotFoundError where there is none; BadInput for drives, folders, pipes that nobody writes to,
    what is no text, and what is too long to be a document.
    """
    shown = printable(str(path), 200)
    try:
        mode = path.stat().st_mode
        if stat.S_ISBLK(mode):
            raise BadInput(str(t("{file} is a block device, not a file.", file=shown)))
        if stat.S_ISDIR(mode):
            raise BadInput(str(t("{file} is a directory; name a file inside.", file=shown)))
        flags = os.O_NONBLOCK if stat.S_ISFIFO(mode) else 0
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags), "rb") as file:
            data = _first_of_pipe(file.fileno(), shown) if flags else b""
            data += file.read(max(0, most_bytes + 1 - len(data)))
        if len(data) > most_bytes:
            raise BadInput(str(TOO_LARGE(file=shown)))
        return data.decode("utf-8")
    except FileNotFoundError:
        raise
    except UnicodeDecodeError:
        raise BadInput(str(t("{file} is not a diskwright document: not a text file.", file=shown))) from None
    except (OSError, ValueError) as error:
        raise BadInput(str(UNREADABLE(file=shown, why=_reason(error)))) from None


def _first_of_pipe(descriptor: int, shown: str) -> bytes:
    """The first that comes through a pipe, or nothing, where somebody has it open and takes their time; from
    then on reading waits. Raises BadInput where nobody has."""
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
            raise BadInput(str(t("No data arrived through the pipe {file}.", file=shown)))
        sleep(PAUSE_SECONDS)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(t("invalid file name"))
