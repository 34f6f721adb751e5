"""Content on the nodes of attached drives: small, labelled filesystems, swap and containers."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.machines.images import Prepare
from wizard.model.errors import partition_path

Fill = Callable[[str], None]

MAKERS: dict[str, tuple[str, ...]] = {
    "ext2": ("mkfs.ext2", "-q", "-L", "{label}"),
    "ext3": ("mkfs.ext3", "-q", "-L", "{label}"),
    "ext4": ("mkfs.ext4", "-q", "-L", "{label}"),
    "xfs": ("mkfs.xfs", "-q", "-f", "-L", "{label}"),
    "btrfs": ("mkfs.btrfs", "-q", "-f", "-L", "{label}"),
    "f2fs": ("mkfs.f2fs", "-q", "-f", "-l", "{label}"),
    "vfat": ("mkfs.vfat", "-n", "{label}"),
    "swap": ("mkswap", "-q", "-L", "{label}"),
    "jfs": ("mkfs.jfs", "-q", "-L", "{label}"),
    "nilfs2": ("mkfs.nilfs2", "-q", "-f", "-L", "{label}"),
    "reiserfs": ("mkfs.reiserfs", "-q", "-f", "-l", "{label}"),
    "minix": ("mkfs.minix",),
    "bfs": ("mkfs.bfs",),
    "luks2": (
        "cryptsetup",
        "--batch-mode",
        "--pbkdf=pbkdf2",
        "--pbkdf-force-iterations=1000",
        "--key-file=/proc/version",
        "luksFormat",
    ),
    "lvm": ("pvcreate", "--quiet", "--yes", "--devices", "{path}"),
}
"""How each is made. The key of the LUKS container is worth nothing: there is nothing in it."""


def nothing(path: str) -> None:
    """Leave the node unchanged."""


def whole(kind: str, label: str) -> Fill:
    """Create one filesystem on the drive itself, without a table."""
    return lambda path: make(kind, label, path)


def partitions(**found: str) -> Fill:
    """Create filesystems by partition: `p1="ext4"`."""

    def fill(path: str) -> None:
        for number, kind in found.items():
            make(kind, kind, partition_path(path, int(number[1:])))

    return fill


def on_node(prepare: Prepare, fill: Fill = nothing) -> Fill:
    """Write a table through the node, in the drive's logical blocks, and fill its partitions."""

    def both(path: str) -> None:
        prepare(Path(path))
        tell_kernel(path)
        fill(path)

    return both


def tell_kernel(path: str) -> None:
    """Add the partitions to the kernel. Fails without a table that partx understands; the kernel then has
    no partitions."""
    subprocess.run(["partx", "--add", path], capture_output=True, timeout=60, check=False)


def make(kind: str, label: str, path: str) -> None:
    """Create a filesystem on a node without questions about its old content. The node was created for it."""
    shown = label.upper() if kind == "vfat" else label
    _run(*(word.format(label=shown, path=path) for word in MAKERS[kind]), path)


def two_minds(path: str) -> None:
    """Leave a Btrfs superblock on a drive with a new ext4, so that both signatures claim the drive."""
    make("btrfs", "first", path)
    kept = _bytes(path, 64 * 1024, 4096)
    make("ext4", "second", path)
    with Path(path).open("r+b", buffering=0) as file:
        file.seek(64 * 1024)
        file.write(kept)


def mounted(path: str) -> None:
    """Create and mount an ext4."""
    make("ext4", "inuse", path)
    point = Path("/sys/class/block") / Path(path).name / "loop/backing_file"
    folder = Path(point.read_text().strip()).parent / "mounted"
    folder.mkdir()
    _run("mount", path, str(folder))


def read_only(path: str) -> None:
    """Create a write-protected drive with an ext4."""
    make("ext4", "locked", path)
    _run("blockdev", "--setro", path)


def _bytes(path: str, offset_bytes: int, size_bytes: int) -> bytes:
    with Path(path).open("rb", buffering=0) as file:
        file.seek(offset_bytes)
        return file.read(size_bytes)


def _run(*argv: str) -> None:
    done = subprocess.run(
        argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)}: {done.stderr or done.stdout}")
