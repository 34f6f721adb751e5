"""An entry of one of the two files that say what a start does with devices: fstab and crypttab."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

STARTS_ALL_THE_SAME = frozenset({"nofail", "noauto"})
"""With these a start does not wait for what is not there (systemd.mount(5), crypttab(5))."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """`number` counts the file's lines from 1; `source` is the device, as the line names it."""

    number: int
    source: str
    options: tuple[str, ...]

    @property
    def may_stop(self) -> bool:
        """Whether a start waits for its device, and may stop without it."""
        return not STARTS_ALL_THE_SAME.intersection(self.options)

    @property
    def overwrites(self) -> bool:
        """Whether each start overwrites its device."""
        return False

    def names(self, tags: Mapping[str, str | None]) -> bool | None:
        """Whether its source is one of these tags (UUID, LABEL, PARTUUID, PARTLABEL) with that value; None
        where it is no tag."""
        tag, _, value = self.source.partition("=")
        if tag not in tags:
            return None
        return tags[tag] is not None and str(tags[tag]).lower() == value.strip('"').lower()

    def means(self, node: str, tags: Mapping[str, str | None]) -> bool:
        """Whether its source is the device with this node: by a tag, or by a path that leads there now."""
        named = self.names(tags)
        if named is not None:
            return named
        return self.source.startswith("/") and os.path.realpath(self.source) == node
