"""What the device mapper has on stand-ins while something is rehearsed: containers that are open, and LVM's
volumes. udev ignores it, and it is gone before the stand-ins are.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from wizard.apply.block.devices import SYS_BLOCK, kernel_name, partition_nodes
from wizard.apply.block.unseen import heed, ignore_mapped
from wizard.apply.engine import words
from wizard.apply.steps.lvm import alone_on
from wizard.apply.system.mounts import read_mounts
from wizard.model.errors import Failed
from wizard.tools.program import run

RELEASE_SECONDS = 60.0
CONTAINER, LVM = "CRYPT-", "LVM-"
"""How the device mapper's UUIDs begin of what cryptsetup opens, and of LVM's volumes."""


@contextmanager
def mapped_unseen(run_folder: Path, nodes: Sequence[str], names: Sequence[str]) -> Iterator[None]:
    """Have udev ignore what the device mapper will call so, and take down at the end what stands on these
    stand-ins of a run. Raises Failed where that cannot be.

    udev leaves a stand-in alone while it is locked. What is mapped on it outlives a process that is killed,
    and so does the stand-in below, which nobody locks then: it is ignored as well.
    """
    with ExitStack() as after:
        for name in names:
            try:
                ignore_mapped(name, run_folder.name)
            except OSError as error:
                raise Failed(words.NOT_IGNORED(name=name, why=str(error.strerror))) from None
            after.callback(heed, name)
        after.callback(take_down, nodes)
        yield


def take_down(nodes: Sequence[str]) -> None:
    """Take down whatever the device mapper has on these stand-ins, what lies above first; what is mounted of
    it is unmounted. Raises Failed where somebody holds it."""
    for folder in _above(nodes):
        _unmount(folder)
        if _told(folder, "uuid").startswith(CONTAINER):
            run(("cryptsetup", "close", _told(folder, "name")), seconds=RELEASE_SECONDS)
    if any(_told(folder, "uuid").startswith(LVM) for folder in _above(nodes)):
        # By LVM itself, which takes away its links, too.
        run(alone_on(nodes, ("vgchange", "--activate", "n")), seconds=RELEASE_SECONDS, accept=range(256))
    for folder in _above(nodes):
        # Its records are gone, or were never whole.
        run(("dmsetup", "remove", "--retry", _told(folder, "name")), seconds=RELEASE_SECONDS)


def _above(nodes: Sequence[str]) -> tuple[Path, ...]:
    """The folders in sysfs of what the device mapper has on stand-ins, each once, what lies above first."""
    found: dict[Path, None] = {}
    for node in nodes:
        for part in (node, *partition_nodes(node)):
            found |= dict.fromkeys(_holders(SYS_BLOCK / kernel_name(part)))
    return tuple(found)


def _holders(folder: Path) -> Iterator[Path]:
    for entry in sorted((folder / "holders").glob("*")):
        holder = SYS_BLOCK / entry.name
        yield from _holders(holder)
        if (holder / "dm").is_dir():
            yield holder


def _told(folder: Path, what: str) -> str:
    return (folder / "dm" / what).read_text().strip()


def _unmount(folder: Path) -> None:
    names = (f"/dev/mapper/{_told(folder, 'name')}", f"/dev/{folder.name}")
    for mounted in reversed(read_mounts()):
        if mounted.source in names:
            run(("umount", mounted.mount_point), seconds=RELEASE_SECONDS)
