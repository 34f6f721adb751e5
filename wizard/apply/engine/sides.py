"""A drive of the exchange, with the files that a run keeps of it opened."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wizard.apply.block.extents import Read
from wizard.apply.block.medium import Medium
from wizard.apply.engine.record import Change
from wizard.apply.engine.stores import FOLDER, Store, new_file, notice_file, old_file
from wizard.apply.engine.survey import Side
from wizard.documents.notice import read_notice
from wizard.model.errors import Failed


@dataclass(frozen=True, slots=True)
class Kept:
    """The saved and planned bytes of a run's drives, in `folder`. `side_of` opens those of one drive, counted
    from 0."""

    folder: Path
    side_of: Callable[[int, Change, Medium, ExitStack], Side]


def kept_in(run: Path) -> Kept:
    """What lies in the run's own folder."""
    return Kept(run / FOLDER, partial(side_of, run))


def side_of(run: Path, number: int, change: Change, medium: Medium, files: ExitStack) -> Side:
    """Drive `number` of a run, counted from 0. What is opened goes into `files`."""
    return Side(
        change,
        medium,
        opened(lambda: files.enter_context(Store(old_file(run, number))).read),
        opened(lambda: files.enter_context(Store(new_file(run, number))).read),
        _notice(run, number, change),
    )


def opened(by: Callable[[], Read]) -> Read:
    """What opens a file, or fails when it is read: one way may not need it."""
    try:
        return by()
    except Failed as error:
        return _failing(str(error))


def _failing(why: str) -> Read:
    def read(offset: int, length: int) -> bytes:
        raise Failed(why)

    return read


def _notice(run: Path, number: int, change: Change) -> bytes:
    """The notice of a drive; empty where it has none, or it was damaged."""
    place = change.notice
    if place is None:
        return b""
    try:
        with Store(notice_file(run, number)) as kept:
            data = kept.read(place.start_bytes, place.size_bytes)
    except Failed:
        return b""
    return data if read_notice(data) else b""
