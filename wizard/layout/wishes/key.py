"""The file with the key that opens an encrypted volume: where it may lie, and what may be in it. Pure."""

import re
from collections.abc import Sequence

from wizard.model.said import Said, t

MOST_CHARACTERS = 200
LEAST_BYTES, MOST_BYTES = 16, 4096
"""Shorter ones can be tried out. Longer ones may not fit into a pipe whole."""

GONE_AT_START = ("/dev", "/proc", "/run", "/sys", "/tmp")
"""What lies there is another thing after each start."""

PLAIN = re.compile(r"(/[A-Za-z0-9._-]+)+", re.ASCII)
"""What crypttab takes as it is: blanks, colons and the like mean something there (crypttab(5))."""


def key_fault(path: str, *, encrypts: bool = True) -> Said | None:
    """Why a volume cannot be opened by the file with this path, as the end of a sentence, or None."""
    if not encrypts:
        return t("is for an encrypted volume: say encrypt, too")
    if not PLAIN.fullmatch(path) or {".", ".."} & {*path.split("/")} or len(path) > MOST_CHARACTERS:
        return t("is no plain path, such as /etc/keys/media.key, which crypttab takes as it is")
    if f"/{path.split('/')[1]}" in GONE_AT_START:
        return t("lies where nothing stays until the next start")
    return None


def keys_fault(keys: Sequence[str], mount_points: Sequence[str]) -> Said | None:
    """Why the encrypted volumes of a drive, mounted there, cannot have these keys (empty for none), as the
    end of a sentence, or None."""
    if len({*keys}) > 1:
        return t("has to be the same for all of a drive")
    for key in filter(None, keys):
        if fault := key_fault(key):
            return fault
        if any(key.startswith(f"{place.rstrip('/')}/") for place in mount_points if place != "/"):
            return t("lies in a volume of the same drive")
    return None


def content_fault(content: bytes) -> Said | None:
    """Why these bytes are no key, as the end of a sentence, or None. All of a file counts, its line end,
    too."""
    if not LEAST_BYTES <= len(content) <= MOST_BYTES:
        return t(
            "has {count} bytes; a key has {least} to {most}, all random at best",
            count=len(content),
            least=LEAST_BYTES,
            most=MOST_BYTES,
        )
    return None
