"""Image of the demo drive: an old, misaligned table in a sparse file. Needs no root or device."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from wizard.model.said import GIB, KERNEL_SECTOR_BYTES, MIB
from wizard.process.program import run

SIZE_BYTES = 8 * GIB
"""Large enough for the smallest volume of every filesystem plus free space. Sparse, so only written blocks
use space."""

FIRST_START_BYTES = 34 * KERNEL_SECTOR_BYTES
"""Immediately after the table's entries, as with early GPT tools: at 17 KiB, not aligned to 4096-byte
blocks."""

SECOND_START_BYTES = 2 * GIB + 63 * KERNEL_SECTOR_BYTES
"""63 modulo 64 sectors, as on drives partitioned by cylinders with 63 sectors per track."""

SECOND_SIZE_BYTES = GIB
JOURNAL_MIB = 16
TOOL_SECONDS = 60.0

FILES = {
    "README.txt": (
        "These files are on the demo drive of diskwright. They were made a moment ago and will be gone with "
        "it.\n"
    ),
    "letters/1999-05-17.txt": (
        "Dear Ada,\n\nthe new disk has arrived. Nine gigabytes! We shall never fill it.\n\nYours,\nGrace\n"
    ),
    "recipes/lentil-soup.txt": "Lentils, an onion, two carrots, cumin, lemon. Simmer for 40 minutes.\n",
    "accounts/2004.csv": "month,income,spent\n"
    + "".join(f"{month},{1900 + 7 * month},{1400 + 31 * month}\n" for month in range(1, 13)),
}


class OldVolume(Struct, frozen=True):
    """An old partition. `content` is a folder of files to copy into it."""

    label: str
    start_bytes: int
    size_bytes: int
    filesystem: Literal["ext3", "ext4"] = "ext3"
    content: Path | None = None


def build_image(image: Path, scratch: Path) -> None:
    """Create `image`. `scratch` is for temporary files. Raises FileExistsError."""
    with image.open("xb") as file:
        file.truncate(SIZE_BYTES)
    for name, text in FILES.items():
        path = scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    first = OldVolume("old-data", FIRST_START_BYTES, SECOND_START_BYTES - FIRST_START_BYTES, content=scratch)
    lay_out(image, "gpt", (first, OldVolume("old-backup", SECOND_START_BYTES, SECOND_SIZE_BYTES)))


def lay_out(image: Path, table: Literal["gpt", "dos"], volumes: Sequence[OldVolume]) -> None:
    """Write filesystems and a table (`dos` is MBR) with exactly these partitions."""
    script = f"label: {table}\nunit: sectors\n"
    if table == "gpt":
        script += "first-lba: 34\n"
    for volume in volumes:
        # Without discard, which mke2fs would start at the beginning of the file.
        extra = f"offset={volume.start_bytes},nodiscard,root_owner=0:0"
        words = ["-t", volume.filesystem, "-L", volume.label, "-J", f"size={JOURNAL_MIB}", "-E", extra]
        words += ["-d", str(volume.content)] if volume.content else []
        kib = f"{volume.size_bytes // 1024}k"
        run(["mke2fs", "-q", "-F", *words, str(image), kib], seconds=TOOL_SECONDS)
        start, size = (value // KERNEL_SECTOR_BYTES for value in (volume.start_bytes, volume.size_bytes))
        name = f', name="{volume.label}"' if table == "gpt" else ""
        script += f"start={start}, size={size}, type=linux{name}\n"
    run(
        ["sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", str(image)],
        seconds=TOOL_SECONDS,
        stdin=script.encode(),
    )


assert (
    SECOND_START_BYTES // KERNEL_SECTOR_BYTES % 64 == 63
    and SECOND_START_BYTES + SECOND_SIZE_BYTES < SIZE_BYTES - MIB
)
