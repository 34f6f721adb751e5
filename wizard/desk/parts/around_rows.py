"""What is to be told of the system that diskwright runs on: below the drives, and of what is not among them.
Pure."""

from collections.abc import Mapping, Sequence

from wizard.desk.view import Piece, Tone
from wizard.model.finding import Diagnosis
from wizard.model.machine import Drive, Machine
from wizard.model.said import t, tn
from wizard.services.contract import Services

NEEDED = ("partx", "wipefs")
"""Programs without which nothing can be set up at all."""

OTHERS = ("mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "mkfs.vfat", "smartctl", "cryptsetup")
"""What people expect of a medium for drives; elsewhere it is told when they are wanted."""

Found = tuple[Drive, Diagnosis] | None


def listed(around: Machine | None, found: Mapping[str, Found]) -> dict[str, Found]:
    """All drives but the medium that a live system was started from."""
    return {path: one for path, one in found.items() if not (around and one and around.is_medium(one[0]))}


def notice(
    services: Services, around: Machine | None, drives: Sequence[Drive], *, nothing: bool, brief: bool
) -> Piece | None:
    """One line: that there is no drive, why nothing can be written, what is missing, or which drive
    is left out of the list. A `brief` one tells no more than what stands against everything."""
    if nothing:
        return Piece(t("No drive was found. Plug one in."))
    if services.apply_obstacle:
        return Piece(services.apply_obstacle, Tone.WARN)
    if around is None or not around.tools:
        return None
    if absent := _absent(around, NEEDED):
        return Piece(
            t("Nothing can be set up here: this system lacks {programs:and}.", programs=absent), Tone.WARN
        )
    if brief or not around.live_medium:
        return None
    if absent := _absent(around, OTHERS):
        return Piece(t("This system lacks {programs:and}; the rest works.", programs=absent), Tone.WARN)
    medium = tuple(drive.path for drive in drives if around.is_medium(drive))
    return (
        Piece(
            tn(
                "{drives:and} is not listed: this system was started from it.",
                "{drives:and} are not listed: this system was started from them.",
                drives=medium,
                count=len(medium),
            ),
            Tone.MUTED,
        )
        if medium
        else None
    )


def _absent(around: Machine, programs: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in programs if not around.has_tool(name))
