"""Who else changes a drive while a trial writes to it: new partitions, and writes that are not the trial's
own."""

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from wizard.model.said import t
from wizard.model.units import KERNEL_SECTOR_BYTES
from wizard.probe.host.sysfs import SYS, name_of, node_of

SECTORS_WRITTEN = 6
"""The field of a block device's `stat` (Documentation/block/stat.rst), counting 512 bytes. It is up to date
when a write returns."""

STAT_BYTES = 512
DEV = Path("/dev")


class Watch:
    """Asked before each write. A trial writes back what it read a moment ago, and whoever writes there
    meanwhile must not lose it.

    It must answer quickly: a drive that works off what it took before uses the time between two timed writes.

    Somebody else's buffered writes are seen when the kernel sends them to the drive. At most one piece of the
    trial's may come after them: the kernel sends what lies in its way first, and the next look finds it.
    """

    def __init__(self, path: str, sys: Path = SYS, dev: Path = DEV) -> None:
        self.path = path
        self._folder, self._nodes_folder = sys / "block" / name_of(path), dev
        self._known = _partitions_in(self._folder)
        self._descriptors: list[int] = []
        self._marks: tuple[int, int] | None = None
        self._counted: int | None = None
        self._has_counted = False

    def __enter__(self) -> Self:
        try:
            for place in (self._folder, self._nodes_folder, self._folder / "stat"):
                self._descriptors.append(os.open(place, os.O_RDONLY | os.O_CLOEXEC))
        except OSError:
            self.__exit__(None, None, None)
        self._marks = self._read_marks()
        self._counted = self._read_sectors()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())

    @property
    def partitions(self) -> frozenset[str]:
        """The nodes of the partitions that the kernel had when the watch was made."""
        return frozenset(node_of(name) for name in self._known)

    def trouble(self) -> str | None:
        """Why the trial must not write any more, as the beginning of a sentence; None while all is well."""
        marks = self._read_marks()
        if marks is None or marks != self._marks:
            if _partitions_in(self._folder) != self._known:
                return str(t("The partitions of {drive} have changed since the trial began", drive=self.path))
            self._marks = marks
        if self._counted is not None and self._read_sectors() != self._counted:
            return str(t("Another program writes to {drive}", drive=self.path))
        return None

    def wrote(self, size_bytes: int) -> None:
        """The trial has written so much: the kernel's count must have risen by it, and by no more."""
        if self._counted is None:
            return
        before = self._counted
        self._counted += size_bytes // KERNEL_SECTOR_BYTES
        if not self._has_counted and self._read_sectors() == before:
            # A kernel that was told to keep no statistics of this drive (queue/iostats).
            self._counted = None
        self._has_counted = True

    def _read_marks(self) -> tuple[int, int] | None:
        """Two numbers of which one changes whenever the kernel makes or drops a partition: the folders
        beneath the drive's own in sysfs are counted as links, and a node that comes or goes is a change of
        /dev. Both are read much faster than a list of partitions."""
        if not self._descriptors:
            return None
        return os.fstat(self._descriptors[0]).st_nlink, os.fstat(self._descriptors[1]).st_mtime_ns

    def _read_sectors(self) -> int | None:
        if not self._descriptors:
            return None
        try:
            return int(os.pread(self._descriptors[2], STAT_BYTES, 0).split()[SECTORS_WRITTEN])
        except (OSError, IndexError, ValueError):
            return None


def other_writer(nodes: Collection[str]) -> str | None:
    """A process, not this one, that has one of these nodes open for writing, as the beginning of a sentence;
    None where none is seen.

    A virtual machine's drive, for one: claiming it alone does not fail. Root sees all processes of its own
    container, others only theirs.
    """
    # psutil is needed here alone, and takes a moment to load.
    from wizard.probe.host.programs import name_of, opened, others, writes

    for number in others():
        for descriptor, node in opened(number):
            # It may be closed at any moment, and its program be gone.
            with suppress(OSError):
                if node in nodes and writes(number, descriptor) and (name := name_of(number)) is not None:
                    return str(
                        t(
                            "{name} (process {process}) has {node} open for writing",
                            name=name,
                            process=str(number),
                            node=node,
                        )
                    )
    return None


def _partitions_in(folder: Path) -> frozenset[str]:
    """The names of a drive's partitions; nothing where it is gone."""
    try:
        return frozenset(entry.name for entry in folder.iterdir() if entry.name.startswith(folder.name))
    except OSError:
        return frozenset()
