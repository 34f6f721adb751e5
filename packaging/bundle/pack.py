"""Pack the tree as a single executable file, a module for live systems, an archive and a Debian package.

The same tree results in the same bytes: dates are those of the last commit, lists are sorted, and the packing
tools are pinned.
"""

import gzip
import hashlib
import io
import os
import shutil
import tarfile
from collections.abc import Iterable
from pathlib import Path

from bundle.tree import CHECKOUT, HERE, LIBRARIES, LOADER
from shared.apt import run
from shared.modes import set_modes

BLOCK = 4096
STUB_ROOM = 2 * BLOCK
UNPACKS = "usr/bin/unsquashfs"
DESKTOP = {
    "diskwright.desktop": "applications/diskwright.desktop",
    "diskwright.svg": "icons/hicolor/scalable/apps/diskwright.svg",
    "org.diskwright.diskwright.metainfo.xml": "metainfo/org.diskwright.diskwright.metainfo.xml",
    "diskwright.policy.in": "polkit-1/actions/diskwright.policy",
}
"""Desktop files, and their paths below /usr/share."""

HEADER_ENDS = "Upstream-Name: diskwright\n"
OTHER_TERMS = f"""{HEADER_ENDS}Comment: Python and the libraries in /opt/diskwright have terms of their own.
 Those from Debian are in /opt/diskwright/copyright, those of the Python
 packages in /opt/diskwright/python/lib/python3/dist-packages/*.dist-info.
"""


def packed(tree: Path, output: Path, name: str, date: int, *, quick: bool) -> tuple[Path, ...]:
    """Return the files written to the folder `output`, the single executable first.

    `tree` is the top folder of the root that built the tree. `date` is in seconds since 1970. A `quick` build
    is for tests: low compression, and neither archive nor Debian package.
    """
    root = tree.parent
    set_modes(tree)
    squashed = _squashed(root, tree, output / f"{name}.squashfs", date, quick=quick)
    one = output / f"{name}.run"
    _one_file(_tools(root, date), squashed, one)
    squashed.unlink()
    installed = _installed(root, tree, date)
    module = _squashed(root, installed, output / f"{name}.srm", date, quick=quick)
    if quick:
        return one, module
    archive = _archived(root, installed / "opt/diskwright", output / f"{name}.tar.xz", date)
    return one, module, archive, _deb(root, installed, output, name, date)


def _squashed(root: Path, folder: Path, file: Path, date: int, *, quick: bool) -> Path:
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
        *("chroot", root, "tar", "--create", "--xz", "--file", "/packed", "--directory"),
        f"/{tree.relative_to(root)}",
        *("--sort=name", *owners, f"--mtime=@{date}", "--transform", f"flags=r;s,^\\.,{top},", "."),
        XZ_OPT="-9",
    )
    return Path(shutil.move(root / "packed", file))


def _installed(root: Path, tree: Path, date: int) -> Path:
    """Return the layout of an installed system or a live system that stacks the module over its root.

    The program is in /opt; man pages, completions and desktop files are in the usual folders.
    """
    installed = root / "installed"
    (installed / "opt").mkdir(parents=True)
    (installed / "usr/bin").mkdir(parents=True)
    tree.rename(installed / "opt/diskwright")
    (installed / "usr/bin/diskwright").symlink_to("/opt/diskwright/bin/diskwright")
    share, packaging = installed / "usr/share", CHECKOUT / "packaging"
    # -B: write no byte code to the checkout.
    run(
        *(installed / "opt/diskwright/python/bin/python", "-B", packaging / "papers/build.py", share.parent),
        SOURCE_DATE_EPOCH=str(date),
    )
    for name, place in DESKTOP.items():
        text = (packaging / "desktop" / name).read_text().replace("@FOLDER@", "/opt/diskwright/app")
        (share / place).parent.mkdir(parents=True, exist_ok=True)
        (share / place).write_text(text)
    terms = share / "doc/diskwright-bundle/copyright"
    terms.parent.mkdir(parents=True)
    terms.write_text((packaging / "debian/copyright").read_text().replace(HEADER_ENDS, OTHER_TERMS))
    set_modes(installed)
    return installed


def _deb(root: Path, installed: Path, output: Path, name: str, date: int) -> Path:
    """Build a Debian package without dependencies, since the tree contains everything."""
    version = name.split("-")[1]
    (root / "tmp").mkdir(exist_ok=True)
    about = installed / "DEBIAN/control"
    about.parent.mkdir()
    size = sum(file.lstat().st_size for file in installed.rglob("*") if not file.is_dir()) // 1024
    about.write_text((HERE / "control").read_text().format(version=version, size=size))
    for path in (installed, *installed.rglob("*")):
        os.utime(path, (date, date), follow_symlinks=False)
    run(
        *(
            "chroot",
            root,
            "dpkg-deb",
            "--root-owner-group",
            "-Zxz",
            "--build",
            f"/{installed.name}",
            "/packed",
        ),
        SOURCE_DATE_EPOCH=str(date),
    )
    return Path(shutil.move(root / "packed", output / f"{name}.deb"))


def _tools(root: Path, date: int) -> bytes:
    """Return unsquashfs and its libraries as tar.gz, for hosts that cannot unpack a squashfs."""
    loader, library_path = root / LOADER, root / LIBRARIES
    listed = run(loader, "--inhibit-cache", "--library-path", library_path, "--list", root / UNPACKS)
    needed = {words[0] for line in listed.splitlines() if "=> /" in line and (words := line.split())}
    libraries = {library_path / Path(name).name for name in needed}
    return _tar({root / UNPACKS, loader, *libraries}, date)


def _tar(files: Iterable[Path], date: int) -> bytes:
    held = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=held, mode="wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w") as archive,
    ):
        for file in sorted(files, key=lambda file: file.name):
            data = file.read_bytes()
            about = tarfile.TarInfo(file.name)
            about.size, about.mode, about.mtime = len(data), 0o755, date
            archive.addfile(about, io.BytesIO(data))
    return held.getvalue()


def _one_file(tools: bytes, squashed: Path, one: Path) -> None:
    rest, tools_at = squashed.read_bytes(), STUB_ROOM
    padded = tools.ljust(-(-len(tools) // BLOCK) * BLOCK, b"\0")
    rest_at = tools_at + len(padded)
    stub = (HERE / "stub.sh").read_text()
    for name, value in {
        "SUM": hashlib.sha256(padded + rest).hexdigest(),
        "TOOLS_AT": tools_at,
        "TOOLS_SIZE": len(tools),
        "REST_AT": rest_at,
        "REST_SIZE": len(rest),
    }.items():
        stub = stub.replace(f"@{name}@", str(value))
    written = stub.encode()
    if len(written) > STUB_ROOM:
        raise ValueError(f"stub.sh has {len(written)} bytes; the limit is {STUB_ROOM}.")
    # The stub ends with `exit`, so no shell reads the data after the stub.
    one.write_bytes(written.ljust(STUB_ROOM, b"\n") + padded + rest)
    one.chmod(0o755)
