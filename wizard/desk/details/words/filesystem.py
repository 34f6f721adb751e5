"""The sentences on filesystems, as they are ranked for a purpose."""

from wizard.model.said import Sentence

# How a filesystem stands.

# What stands behind it.

# Keys.

HELP = (
    Sentence(
        "The filesystems are ranked for this purpose on this drive. Any can be taken that can be made here."
    ),
    Sentence(
        "recommended: fits best. good too: a sound second choice. not recommended: does this work badly, or "
        "nothing speaks for it. cannot: it cannot be made here."
    ),
    Sentence(
        "The options stand below with their reasons: what mkfs and mount are given beyond their defaults. "
        "Further ones are offered by the key for options."
    ),
    Sentence(
        "Filesystems of the past stand last. They are recognised and never made; each says the way off it."
    ),
)
