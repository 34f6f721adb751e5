"""Delete the saved bytes of a run. That takes a proof: the result of comparing its drives just now."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from wizard.apply.block.extents import chunks, held
from wizard.apply.block.medium import DeviceMedium
from wizard.apply.engine.stores import FOLDER, Store, is_zero, new_file, old_file
from wizard.apply.engine.survey import Content
from wizard.model.errors import BadInput, Failed
from wizard.model.units import KERNEL_SECTOR_BYTES


@dataclass(frozen=True, slots=True)
class Proof:
    """What a comparison of all drives of a run showed, whose saved bytes are in `folder`. OLD: every saved
    byte is on its drive. NEW: the drives contain the planned bytes, or every check of the plan holds, and the
    user keeps them. Made by `compare_saved`, by the exchange and its checks, and after the plan's checks."""

    folder: Path
    content: Content


def delete_saved(proof: Proof) -> None:
    """Delete the saved bytes and the scratch copies. Undo is impossible afterwards."""
    if proof.content not in (Content.OLD, Content.NEW):
        raise ValueError(proof.content)
    rmtree(proof.folder, ignore_errors=True)


def delete_scratch(run: Path, nodes: Sequence[str]) -> None:
    """Delete what a rehearsal left that ended early: the scratch copies, and the saved bytes if each of them
    is still on its drive."""
    for number in range(len(nodes)):
        new_file(run, number).unlink(missing_ok=True)
    if proof := compare_saved(run, nodes):
        delete_saved(proof)


def compare_saved(run: Path, nodes: Sequence[str]) -> Proof | None:
    """Compare the saved bytes of a run that has no record of its changes with its drives. None if a drive
    differs, or cannot be read."""
    for number, node in enumerate(nodes):
        file = old_file(run, number)
        if not file.exists():
            continue
        try:
            with Store(file) as old, DeviceMedium(node) as drive:
                for chunk in chunks(held(old.fd)):
                    place = (chunk.start_bytes, min(chunk.end_bytes, drive.size_bytes) - chunk.start_bytes)
                    if not _contains(drive.read(*place), old.read(*place)):
                        return None
        except (BadInput, Failed):
            return None
    return Proof(run / FOLDER, Content.OLD)


def _contains(there: bytes, saved: bytes) -> bool:
    """Whether each sector that was saved is there. Where saving was cut off, the file has zeros."""
    size = KERNEL_SECTOR_BYTES
    return there == saved or all(
        there[at : at + size] == saved[at : at + size] or is_zero(saved[at : at + size])
        for at in range(0, len(saved), size)
    )
