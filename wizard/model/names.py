"""How the kernel names a drive's partitions (block/partitions/core.c: a `p` goes between where the drive's
name ends in a digit), and how foreign text is shown."""

import shlex


def partition_path(drive_path: str, number: int) -> str:
    """`/dev/sda` and 1 give `/dev/sda1`; `/dev/nvme0n1` and 1 give `/dev/nvme0n1p1`."""
    return f"{drive_path}{'p' if drive_path[-1:].isdigit() else ''}{number}"


def typed_word(text: str) -> str:
    """Foreign text as one word that a shell takes as it is: itself where it is one already, perhaps in
    quotes, and otherwise quoted."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    return text if len(words) == 1 and shlex.quote(words[0]) == text else shlex.quote(text)


def printable(text: str, limit: int = 80) -> str:
    """Foreign text made safe to show: control and escape characters become `?`, overlong text is cut."""
    safe = "".join(char if char.isprintable() else "?" for char in text)
    return safe if len(safe) <= limit else safe[: limit - 3] + "..."
