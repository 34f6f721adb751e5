"""Find the drive of a run's moves by the journal that they left there. Only reads.

The journal's name is drawn for one run alone, so it proves more than a serial number, which docks share, and
than the kernel's names and counts, which change with every start.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from wizard.apply.move.noted import Noted, load_notes
from wizard.apply.move.of_run import load_moves
from wizard.model.documents.move import Moves
from wizard.model.errors import Refused
from wizard.model.names import partition_path, printable
from wizard.model.said import t
from wizard.probe.content.moving import SLOT_BYTES, SLOTS, read_slot
from wizard.probe.host.sysfs import SYS, name_of
from wizard.probe.machine import list_drive_paths


def moves_here(run: Path) -> Moves:
    """Return the run's moves, on the node that their drive has now. Raises Refused if their journal is on
    two drives, BadInput if a file of the run cannot be read."""
    moves = load_moves(run)
    notes = load_notes(run, moves)
    if not any(noted.is_begun for noted in notes):
        return moves
    own = moves.drive.path
    others = (path for path in list_drive_paths(all_devices=True) if path != own and not _is_stacked(path))
    found = [path for path in (own, *others) if has_journal(path, moves, notes)]
    if len(found) > 1:
        raise Refused(
            t(
                "The journal of {run} is on more than one drive: {drives:list}. Detach the "
                "copies first. Nothing was written now.",
                run=run.name,
                drives=tuple(map(printable, found)),
            )
        )
    return _on(moves, found[0]) if found else moves


def has_journal(path: str, moves: Moves, notes: Sequence[Noted]) -> bool:
    """Return True if a journal of one of the moves is on the drive."""
    names = {name for noted in notes if noted.is_begun for name in (noted.name, noted.back) if name}
    with suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            starts = {move.journal.start_bytes for move in moves.moves}
            slots = (start + slot * SLOT_BYTES for start in starts for slot in range(SLOTS))
            return any(_run_of(os.pread(fd, SLOT_BYTES, at)) in names for at in slots)
        finally:
            os.close(fd)
    return False


def _run_of(raw: bytes) -> str | None:
    slot = read_slot(raw)
    with suppress(ValueError, KeyError, TypeError):
        return None if slot is None else str(json.loads(slot[1])["course"]["run"])
    return None


def _is_stacked(path: str) -> bool:
    """Return True if it shows the bytes of another device."""
    folder = SYS / "class/block" / name_of(path)
    with suppress(OSError):
        if (folder / "loop/backing_file").read_text().startswith("/dev/"):
            return True
    return any(folder.glob("slaves/*"))


def _on(moves: Moves, path: str) -> Moves:
    return replace(
        moves,
        moves=tuple(
            replace(move, drive=replace(move.drive, path=path), device=partition_path(path, move.number))
            for move in moves.moves
        ),
    )
