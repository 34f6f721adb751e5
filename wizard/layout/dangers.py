"""Options that put data at risk: a plan has one only where its doubts say so, so that nobody applies it
unwarned."""

import re
from collections.abc import Sequence

from wizard.advise.words import options
from wizard.layout import words
from wizard.layout.wishes.roles import is_systems
from wizard.model.plan import Volume
from wizard.model.said import Said

DANGERS = {
    "ext4": frozenset({"^has_journal", "nobarrier", "barrier=0", "data=writeback", "noauto_da_alloc"}),
    # XFS took it before kernel 4.19.
    "xfs": frozenset({"nobarrier", "barrier=0"}),
    "btrfs": frozenset({"nobarrier", "nodatacow", "nodatasum", "degraded"}),
    "f2fs": frozenset({"nobarrier", "fsync_mode=nobarrier", "checkpoint=disable", "disable_roll_forward"}),
    "jfs": frozenset({"nointegrity"}),
    "nilfs2": frozenset({"nobarrier"}),
    "ntfs": frozenset({"force"}),
}
"""As they stand in lists of features and options, in every spelling. The catalogue's own are all among them;
a plan is checked without the catalogue, which users can change."""


OTHERWISE = (
    ("ext4", re.compile(r"none|clear|\^feature_c.*"), "^has_journal"),
    ("ext4", re.compile(r"auto_da_alloc=0"), "noauto_da_alloc"),
)
"""Other words for the same. mke2fs clears all features at once, and knows each by a number too (e2fsprogs,
lib/e2p/feature.c)."""


SHOWN = 500
"""Characters of a doubt that every face shows; what stands behind them warns nobody."""

SAYING = (
    options.MADE_DANGEROUS,
    options.MADE_ASKED,
    options.MOUNTED_DANGEROUS,
    options.MOUNTED_ASKED,
)
"""The doubts that name an option that was asked for."""

LONGEST_OPTION = 100
"""Characters of an option within what every face shows of such a doubt."""


def unsaid_danger(volume: Volume, doubts: Sequence[Said | str]) -> str | None:
    """The first option of the volume that puts data at risk without a doubt that names it; None where there
    is none."""
    said = {_plainly(word, volume.filesystem) for doubt in doubts for word in _options_in(doubt)}
    return min(
        dangers_in((*volume.mkfs_options, *volume.mount_options), volume.filesystem) - said, default=None
    )


def _options_in(doubt: Said | str) -> list[str]:
    """The words of a doubt that may be options; of one that an earlier version wrote, all of them."""
    if isinstance(doubt, str):
        return re.split(r"[\s,;]+", doubt[:SHOWN])
    option = dict(doubt.values)["option"] if any(map(doubt.is_of, SAYING)) else ""
    return re.split(r"[\s,;]+", str(option)[:LONGEST_OPTION])


def danger_fault(volume: Volume, doubts: Sequence[Said | str]) -> Said | None:
    """What is wrong with a danger of the volume, as the end of a sentence: a system is to live on it, or no
    doubt says so."""
    if danger := systems_danger(
        volume.role, volume.filesystem, (*volume.mkfs_options, *volume.mount_options)
    ):
        return words.DANGER_IN_SYSTEM(danger=danger)
    if danger := unsaid_danger(volume, doubts):
        return words.DANGER_UNSAID(danger=danger)
    return None


def systems_danger(role: str, filesystem: str, options: Sequence[str]) -> str | None:
    """The first option that puts data at risk, where a system starts from the volume or lives on it; None
    where there is none."""
    return min(dangers_in(options, filesystem), default=None) if is_systems(role) else None


def dangers_in(options: Sequence[str], filesystem: str) -> frozenset[str]:
    """Those of the options that put data at risk, in the one spelling that is looked for."""
    words = {part for option in options for part in re.split(r"[,\s]+", option)}
    return frozenset(_plainly(word, filesystem) for word in words) & DANGERS.get(filesystem, frozenset())


def _plainly(word: str, filesystem: str) -> str:
    """An option in the one spelling that is looked for.

    mke2fs takes features in either case, and `-` for `^` (lib/e2p/feature.c); the kernel takes numbers as C
    writes them, such as `0x0` or `00` for 0; and what F2FS is told behind a colon only says how much.
    """
    key, equals, value = word.lower().partition("=")
    key, value = re.sub(r"^-", "^", key), value.partition(":")[0]
    value = "0" if re.fullmatch(r"[+-]?(0x)?0+", value) else value
    plain = f"{key}{equals}{value}"
    return next(
        (same for kind, other, same in OTHERWISE if kind == filesystem and other.fullmatch(plain)), plain
    )
