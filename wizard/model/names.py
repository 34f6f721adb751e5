"""How the kernel names a drive's partitions (block/partitions/core.c: a `p` goes between where the drive's
name ends in a digit)."""


def partition_path(drive_path: str, number: int) -> str:
    """`/dev/sda` and 1 give `/dev/sda1`; `/dev/nvme0n1` and 1 give `/dev/nvme0n1p1`."""
    return f"{drive_path}{'p' if drive_path[-1:].isdigit() else ''}{number}"


def printable(text: str, limit: int = 80) -> str:
    """Foreign text made safe to show: control and escape characters become `?`, overlong text is cut."""
    safe = "".join(char if char.isprintable() else "?" for char in text)
    return safe if len(safe) <= limit else safe[: limit - 3] + "..."
