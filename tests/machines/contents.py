"""What is made on a drive's nodes once it is attached: filesystems, swap and containers, small and with a
name."""

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
    """Left as it is."""


def whole(kind: str, label: str) -> Fill:
    """One filesystem on the drive itself, without a table."""
    return lambda path: make(kind, label, path)


def partitions(**found: str) -> Fill:
    """`p1="ext4"` makes an ext4 on the first partition."""

    def fill(path: str) -> None:
        for number, kind in found.items():
            make(kind, kind, partition_path(path, int(number[1:])))

    return fill


def on_node(prepare: Prepare, fill: Fill = nothing) -> Fill:
    """A table written through the node, in the drive's own blocks, and what its partitions hold."""

    def both(path: str) -> None:
        prepare(Path(path))
        tell_kernel(path)
        fill(path)

    return both


def tell_kernel(path: str) -> None:
    """Its partitions. That fails where there is no table, or none that makes sense to partx; then the kernel
    knows of none."""
    subprocess.run(["partx", "--add", path], capture_output=True, timeout=60, check=False)


def make(kind: str, label: str, path: str) -> None:
    """A filesystem on a node. What stood there before is not asked about: the node is one that was made for
    it."""
    shown = label.upper() if kind == "vfat" else label
    _run(*(word.format(label=shown, path=path) for word in MAKERS[kind]), path)


def two_minds(path: str) -> None:
    """A Btrfs's superblock left where an ext4 was made over it: both say that the drive is theirs."""
    make("btrfs", "first", path)
    kept = _bytes(path, 64 * 1024, 4096)
    make("ext4", "second", path)
    with Path(path).open("r+b", buffering=0) as file:
        file.seek(64 * 1024)
        file.write(kept)


def mounted(path: str) -> None:
    """An ext4, mounted beside the drives' files."""
    make("ext4", "inuse", path)
    point = Path("/sys/class/block") / Path(path).name / "loop/backing_file"
    folder = Path(point.read_text().strip()).parent / "mounted"
    folder.mkdir()
    _run("mount", path, str(folder))


def read_only(path: str) -> None:
    """A drive whose lock is switched on, with an ext4 on it."""
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
