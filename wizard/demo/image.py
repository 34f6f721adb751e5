"""Content of the demo drive: an old, badly aligned table in a sparse file. Needs no root or device."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wizard.model.said import GIB, KERNEL_SECTOR_BYTES, MIB
from wizard.process.program import run

SIZE_BYTES = 8 * GIB
"""Room for every filesystem's smallest volume and for free space; sparse, so that only what is written takes
space."""

FIRST_START_BYTES = 34 * KERNEL_SECTOR_BYTES
"""Right behind the table's entries, where early GPT tools began: 17 KiB, off every 4096-byte block."""

SECOND_START_BYTES = 2 * GIB + 63 * KERNEL_SECTOR_BYTES
"""63 modulo 64 sectors, as on drives laid out by cylinders of 63 sectors a track."""

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


@dataclass(frozen=True, slots=True)
class OldVolume:
    """A partition as somebody made it once. `content` is a folder whose files lie on it."""

    label: str
    start_bytes: int
    size_bytes: int
    filesystem: Literal["ext3", "ext4"] = "ext3"
    content: Path | None = None


def build_image(image: Path, scratch: Path) -> None:
    """Write the old layout into `image`, which must not exist yet; `scratch` is a folder for the files that
    go onto it."""
    with image.open("xb") as file:
        file.truncate(SIZE_BYTES)
    for name, text in FILES.items():
        path = scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    first = OldVolume("old-data", FIRST_START_BYTES, SECOND_START_BYTES - FIRST_START_BYTES, content=scratch)
    lay_out(image, "gpt", (first, OldVolume("old-backup", SECOND_START_BYTES, SECOND_SIZE_BYTES)))


def lay_out(image: Path, table: Literal["gpt", "dos"], volumes: Sequence[OldVolume]) -> None:
    """Write filesystems into a file, and a table (`dos` is an MBR) that has exactly them, however badly they
    lie."""
    for volume in volumes:
        _make_filesystem(image, volume)
    run(
        ["sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", str(image)],
        seconds=TOOL_SECONDS,
        stdin=_script(table, volumes).encode(),
    )


def _script(table: Literal["gpt", "dos"], volumes: Sequence[OldVolume]) -> str:
    lines = [f"label: {table}", "unit: sectors", *(["first-lba: 34"] if table == "gpt" else [])]
    for volume in volumes:
        start, size = (value // KERNEL_SECTOR_BYTES for value in (volume.start_bytes, volume.size_bytes))
        name = f', name="{volume.label}"' if table == "gpt" else ""
        lines.append(f"start={start}, size={size}, type=linux{name}")
    return "\n".join(lines) + "\n"


def _make_filesystem(image: Path, volume: OldVolume) -> None:
    """Within the file; nothing is discarded, since mke2fs would count that from the file's beginning."""
    filling = ["-d", str(volume.content)] if volume.content else []
    extended = f"offset={volume.start_bytes},nodiscard,root_owner=0:0"
    options = [
        "-q",
        "-F",
        "-t",
        volume.filesystem,
        "-L",
        volume.label,
        "-J",
        f"size={JOURNAL_MIB}",
        "-E",
        extended,
        *filling,
    ]
    run(["mke2fs", *options, str(image), f"{volume.size_bytes // 1024}k"], seconds=TOOL_SECONDS)


assert (
    SECOND_START_BYTES // KERNEL_SECTOR_BYTES % 64 == 63
    and SECOND_START_BYTES + SECOND_SIZE_BYTES < SIZE_BYTES - MIB
)
