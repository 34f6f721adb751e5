"""What is said of aligned against misaligned access: what a verdict says, and what it does not say."""

from wizard.model.said import t

LOOP = t(
    "This is a loop device: what was measured is the file beneath it and this machine's cache, not a drive."
)
