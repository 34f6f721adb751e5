"""The guest's kernel and udev: packages of the distribution, downloaded and unpacked to a cache folder, never
installed.

The cache has a folder per kernel release: `vmlinuz`, if available `vmlinux`, and `layer/`, which is mounted
over this machine's root in the guest.
"""

import lzma
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tests.lab.trouble import CannotRun
from wizard.model.errors import Failed
from wizard.process.program import find, run

CACHE = Path(os.environ.get("DISKWRIGHT_LAB_CACHE") or "/var/cache/diskwright-lab")
KERNEL = "linux-image-amd64"
"""Depends on the package of the real kernel."""
COMPANIONS = ("udev", "libudev1")
"""Users have udev running; this machine may not even have it. libudev1 must be of the very same version."""
LAYOUT = 2
"""Goes up when what the cache holds changes, so that an old cache is not taken for a new one."""
MODULE_FOLDERS = ("fs", "lib", "crypto", "block", "arch", "mm", "net/9p", *(f"drivers/{name}" for name in (
    "ata", "block", "cdrom", "char", "crypto", "dax", "md", "nvme", "scsi", "usb", "virtio",
)))  # fmt: skip
XZ_MAGIC = b"\xfd7zXZ\0"


@dataclass(frozen=True, slots=True)
class GuestSystem:
    """A bootable kernel, and the folder mounted over the guest's root (`usr/lib/modules`, udev).

    `kernel` boots fastest. `packed` uses the firmware's screen as on a PC, unlike the other.
    """

    release: str
    kernel: Path
    packed: Path
    layer: Path

    @property
    def modules(self) -> Path:
        """Folder with `modules.dep`."""
        return self.layer / "usr/lib/modules" / self.release


def guest_system() -> GuestSystem:
    """Return the cached guest system, or fetch one. Raises CannotRun if neither is possible."""
    if not Path("/lib").is_symlink():
        raise CannotRun(
            "The lab needs a system on which /lib is a link to /usr/lib (Debian 12, Ubuntu 22.04 or later)."
        )
    cached = sorted(CACHE.glob(f"v{LAYOUT}-*/layer"))
    if cached:
        return _system(cached[-1].parent)
    try:
        return _fetch()
    except (Failed, OSError, tarfile.TarError) as error:
        raise CannotRun(f"The guest's kernel cannot be fetched: {error}") from None


def _system(folder: Path) -> GuestSystem:
    release = folder.name.removeprefix(f"v{LAYOUT}-")
    kernel = next(path for name in ("vmlinux", "vmlinuz") if (path := folder / name).exists())
    return GuestSystem(release, kernel, folder / "vmlinuz", folder / "layer")


def _fetch() -> GuestSystem:
    """Build the cache elsewhere and move it into place whole, so that an interrupted build is not used."""
    for tool in ("apt-get", "apt-cache", "dpkg-deb", "depmod"):
        if find(tool) is None:
            raise CannotRun(f"{tool} is missing; the lab takes its kernel from a Debian or Ubuntu archive.")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="building-", dir=CACHE) as temporary:
        downloads, made = Path(temporary, "packages"), Path(temporary, "made")
        downloads.mkdir()
        layer = made / "layer"
        layer.mkdir(parents=True)
        name = _real_kernel_package()
        release = name.removeprefix("linux-image-")
        for package in _download((name, *COMPANIONS), downloads):
            _unpack(package, layer)
        image = layer / "usr/boot" / f"vmlinuz-{release}"
        _keep_kernel(image, made)
        shutil.rmtree(image.parent)
        (layer / "lib").symlink_to("usr/lib")
        run(["depmod", "-b", str(layer), release], seconds=120)
        place = CACHE / f"v{LAYOUT}-{release}"
        made.rename(place)
    return _system(place)


def _real_kernel_package() -> str:
    depends = run(["apt-cache", "depends", KERNEL], seconds=60).output
    match = re.search(r"Depends: (linux-image-\d\S+)", depends)
    if match is None:
        raise CannotRun(f"No package source of this machine has {KERNEL}; `apt-get update` may help.")
    return match[1]


def _download(names: tuple[str, ...], folder: Path) -> list[Path]:
    """Download to `folder`. apt downloads to the current directory as another user, who needs access."""
    for parent in (folder, folder.parent):
        parent.chmod(0o755)
    with subprocess.Popen(
        ["apt-get", "download", "-q", *names], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as apt:
        try:
            said, _ = apt.communicate(timeout=600)
        except subprocess.TimeoutExpired:
            apt.kill()
            raise Failed("apt-get download did not finish within 600 s.") from None
    if apt.returncode:
        raise Failed(f"apt-get download failed: {said.decode(errors='replace').strip().splitlines()[-1:]}")
    return sorted(folder.glob("*.deb"))


def _unpack(package: Path, layer: Path) -> None:
    """Unpack everything into `usr/`, as on a system with merged folders, but only the kernel modules for
    drives."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE) as unpacker:
        with tarfile.open(fileobj=unpacker.stdout, mode="r|") as archive:
            for member in archive:
                parts = PurePosixPath(member.name).parts
                if parts and ".." not in parts and is_wanted(parts):
                    _write_member(
                        archive, member, layer.joinpath(*(() if parts[0] == "usr" else ("usr",)), *parts)
                    )
        unpacker.communicate()
    if unpacker.returncode:
        raise Failed(f"{package.name} cannot be unpacked.")


def _write_member(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    """Write a file or symbolic link. Folders are created for their content."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if member.issym():
        target.symlink_to(member.linkname)
    elif (content := archive.extractfile(member)) is not None:
        target.write_bytes(content.read())
        target.chmod(member.mode)


def is_wanted(parts: tuple[str, ...]) -> bool:
    """Return True if a packaged file (parts of its path) is useful in the guest."""
    match parts:
        case ("boot", name):
            return name.startswith("vmlinuz-")
        case ("lib" | "usr", *_, "doc" | "man", _, _):
            return False
        case ("lib", "modules", _, "kernel", *rest) | ("usr", "lib", "modules", _, "kernel", *rest):
            return "/".join(rest).startswith(tuple(f"{folder}/" for folder in MODULE_FOLDERS))
        case ("etc", *_):
            return False
    return True


def _keep_kernel(image: Path, folder: Path) -> None:
    """Store the kernel, and its ELF image if available: without KVM, decompression takes the guest some
    three seconds."""
    packed = image.read_bytes()
    (folder / "vmlinuz").write_bytes(packed)
    start = packed.find(XZ_MAGIC)
    if start >= 0:
        try:
            unpacked = lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(packed[start:])
        except lzma.LZMAError:
            unpacked = b""
        if unpacked.startswith(b"\x7fELF"):
            (folder / "vmlinux").write_bytes(unpacked)
