"""The tree as files: the one that runs anywhere, a module for live systems, and an archive. The same tree
gives the same bytes: dates are those of the last commit, what is listed is sorted, and what packs is pinned."""

import gzip
import hashlib
import io
import shutil
import tarfile
from collections.abc import Iterable
from pathlib import Path

from debian import run
from tree import HERE, LIBRARIES, LOADER

BLOCK = 4096
UNPACKS = "usr/bin/unsquashfs"


def packed(tree: Path, output: Path, name: str, date: int, *, quick: bool) -> tuple[Path, ...]:
    """The files that were made, in the folder `output`; the one that runs anywhere comes first.

    `tree` lies at the top of the root that it was built in. `date` is in seconds since 1970. A `quick` build is
    for trying: it packs loosely, and only the first.
    """
    root = tree.parent
    squashed = _squashed(root, tree, output / f"{name}.squashfs", date, quick=quick)
    one = output / f"{name}.run"
    _one_file(_tools(root, date), squashed, one)
    squashed.unlink()
    if quick:
        return (one,)
    return one, _archived(root, tree, output / f"{name}.tar.xz", date), _module(root, tree, output, name, date)


def _squashed(root: Path, folder: Path, file: Path, date: int, *, quick: bool = False) -> Path:
    packing = ("-comp", "gzip", "-Xcompression-level", "1") if quick else ("-comp", "xz", "-b", "1M")
    run(
        *("chroot", root, "mksquashfs", f"/{folder.name}", "/packed", "-quiet", "-no-progress", *packing),
        *("-all-root", "-noappend", "-no-xattrs", "-mkfs-time", str(date), "-all-time", str(date)),
    )
    return Path(shutil.move(root / "packed", file))


def _archived(root: Path, tree: Path, file: Path, date: int) -> Path:
    owners = ("--owner=0", "--group=0", "--numeric-owner")
    top = file.name.removesuffix(".tar.xz")
    run(
        *("chroot", root, "tar", "--create", "--xz", "--file", "/packed", "--directory", f"/{tree.name}"),
        *("--sort=name", *owners, f"--mtime=@{date}", "--transform", f"flags=r;s,^\\.,{top},", "."),
        XZ_OPT="-9",
    )
    return Path(shutil.move(root / "packed", file))


def _module(root: Path, tree: Path, output: Path, name: str, date: int) -> Path:
    """As live systems stack it over their own root: the tree in /opt, and its command on the PATH."""
    module = root / "module"
    (module / "opt").mkdir(parents=True)
    (module / "usr/local/bin").mkdir(parents=True)
    tree.rename(module / "opt/diskwright")
    (module / "usr/local/bin/diskwright").symlink_to("/opt/diskwright/bin/diskwright")
    return _squashed(root, module, output / f"{name}.srm", date)


def _tools(root: Path, date: int) -> bytes:
    """What unpacks a squashfs where the host cannot, as a tar.gz.gz."""
    loader, library_path = root / LOADER, root / LIBRARIES
    listed = run(loader, "--inhibit-cache", "--library-path", library_path, "--list", root / UNPACKS)
    needed = {words[0] for line in listed.splitlines() if "=> /" in line and (words := line.split())}
    libraries = {library_path / Path(name).name for name in needed}
    return _tar({root / UNPACKS, loader, *libraries}, date)


def _tar(files: Iterable[Path], date: int) -> bytes:
    held = io.BytesIO()
    with gzip.GzipFile(fileobj=held, mode="wb", mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as archive:
        for file in sorted(files, key=lambda file: file.name):
            data = file.read_bytes()
            about = tarfile.TarInfo(file.name)
            about.size, about.mode, about.mtime = len(data), 0o755, date
            archive.addfile(about, io.BytesIO(data))
    return held.getvalue()


def _one_file(tools: bytes, squashed: Path, one: Path) -> None:
    rest = squashed.read_bytes()
    tools_at, rest_at = BLOCK, BLOCK + -(-len(tools) // BLOCK) * BLOCK
    stub = (HERE / "stub.sh").read_text()
    for name, value in {
        "DIGEST": hashlib.sha256(rest).hexdigest()[:12],
        "TOOLS_AT": tools_at,
        "TOOLS_SIZE": len(tools),
        "REST_AT": rest_at,
        "REST_SIZE": len(rest),
    }.items():
        stub = stub.replace(f"@{name}@", str(value))
    written = stub.encode()
    if len(written) > BLOCK:
        raise ValueError(f"stub.sh has {len(written)} bytes, and {BLOCK} are its room.")
    # It ends with `exit`: what follows is no shell's to read.
    with one.open("wb") as file:
        file.write(written.ljust(BLOCK, b"\n"))
        file.write(tools.ljust(rest_at - tools_at, b"\0"))
        file.write(rest)
    one.chmod(0o755)
