"""The guest's initramfs, a cpio archive: busybox, a script, and the modules for its drives and for
mounting this machine's root over 9p."""

import lzma
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from tests.lab.guest.distribution import GuestSystem
from tests.lab.trouble import CannotRun

MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
APPLETS = ("sh", "mount", "mkdir", "insmod", "cat", "ln", "sleep", "switch_root")
FOLDERS = ("bin", "dev", "proc", "sys", "run", "new", "low", "layer", "lab", "rw")
INIT = Path(__file__).with_name("init.sh")


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the archive: its mode with the file type, and its bytes (a link's target or a file's
    content)."""

    name: str
    mode: int
    content: bytes = b""


def load_order(dependencies: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return module files in the spelling of `modules.dep` (its text), sorted so that each is after its
    dependencies.

    modules.dep lists dependencies of dependencies last. - and _ in names are equal. Unlisted names are built
    into the kernel.
    """
    needs = {
        file: rest.split() for file, _, rest in (line.partition(":") for line in dependencies.splitlines())
    }
    by_name = {Path(file).name.split(".")[0].replace("-", "_"): file for file in needs}
    files = [by_name[name] for name in (name.replace("-", "_") for name in wanted) if name in by_name]
    ordered = [needed for file in files for needed in (*reversed(needs[file]), file)]
    return tuple(dict.fromkeys(ordered))


def archive(members: list[Member]) -> bytes:
    """Return a cpio archive in the kernel's format
    (Documentation/driver-api/early-userspace/buffer-format.rst)."""
    out = bytearray()
    for number, member in enumerate([*members, Member("TRAILER!!!", 0)], 1):
        name = os.fsencode(member.name) + b"\0"
        fields = (number, member.mode, 0, 0, 1, 0, len(member.content), 0, 0, 0, 0, len(name), 0)
        out += b"070701" + b"".join(b"%08X" % field for field in fields) + name
        out += b"\0" * (-len(out) % 4) + member.content
        out += b"\0" * (-len(out) % 4)
    return bytes(out)


def _module(file: Path) -> bytes:
    """Return a module uncompressed. Busybox loads no others, but newer distributions compress modules."""
    content = file.read_bytes()
    return lzma.decompress(content) if file.suffix == ".xz" else content


def busybox() -> bytes:
    """Return the path of busybox. Raises CannotRun if missing."""
    found = next((path for path in (Path("/usr/bin/busybox"), Path("/bin/busybox")) if path.exists()), None)
    if found is None:
        raise CannotRun("busybox is not installed: the package is busybox-static.")
    return found.read_bytes()


def first_root(
    system: GuestSystem, init: bytes, applets: tuple[str, ...], loads: dict[str, tuple[str, ...]]
) -> bytes:
    """Return an initramfs with this script and busybox programs. `loads`: modules by folder, numbered so
    that the script loads them in this order by name. Uncompressed: without KVM, decompression takes the
    guest longer than reading."""
    dependencies = (system.modules / "modules.dep").read_text()
    members = [Member(name, stat.S_IFDIR | 0o755) for name in (*FOLDERS, *loads)]
    members.append(Member("bin/busybox", stat.S_IFREG | 0o755, busybox()))
    members += [Member(f"bin/{applet}", stat.S_IFLNK | 0o777, b"busybox") for applet in applets]
    members.append(Member("init", stat.S_IFREG | 0o755, init))
    loaded: set[str] = set()
    for folder, wanted in loads.items():
        order = [file for file in load_order(dependencies, wanted) if file not in loaded]
        loaded.update(order)
        members += [
            Member(f"{folder}/{index:02}-{Path(f).name}", stat.S_IFREG | 0o644, _module(system.modules / f))
            for index, f in enumerate(order)
        ]
    return archive(members)


def write_initramfs(system: GuestSystem, drivers: tuple[str, ...], target: Path) -> None:
    """Write the initramfs of the lab's guests."""
    loads = {"modules": MODULES, "drivers": drivers}
    target.write_bytes(first_root(system, INIT.read_bytes(), APPLETS, loads))
