"""Options that put data at risk: a plan has one only where its doubts say so, so that nobody applies it unwarned."""

import re
from collections.abc import Sequence

from wizard.model.plan import Volume

DANGERS = {
    "ext4": frozenset({"^has_journal", "nobarrier", "barrier=0", "data=writeback", "noauto_da_alloc"}),
    "btrfs": frozenset({"nobarrier", "nodatacow", "nodatasum", "degraded"}),
    "f2fs": frozenset({"nobarrier", "fsync_mode=nobarrier", "checkpoint=disable", "disable_roll_forward"}),
    "jfs": frozenset({"nointegrity"}),
    "nilfs2": frozenset({"nobarrier"}),
    "ntfs": frozenset({"force"}),
}
"""As they stand in lists of features and options, in every spelling. The catalogue's own are all among them; a plan is checked without the
catalogue, which users can change."""


def unsaid_danger(volume: Volume, doubts: Sequence[str]) -> str | None:
    """The first option of the volume that puts data at risk without a doubt that names it; None where there is none."""
    words = {part for option in (*volume.mkfs_options, *volume.mount_options) for part in option.split(",")}
    said = {word for doubt in doubts for word in re.split(r"[\s,;]+", doubt)}
    return min((words & DANGERS.get(volume.filesystem, frozenset())) - said, default=None)
