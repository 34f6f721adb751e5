"""Build the tree in every package: Python with libraries and glibc, and the program.

    app/        wizard and profiles
    python/     the interpreter; bin/python starts through the bundled loader
    lib/        the loader, and every library that the interpreter and its modules need
    bin/        diskwright
    copyright/  licences of all third-party parts

The environment of child processes does not refer to the tree: mkfs and other tools use the host's libraries.
"""

import shutil
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from shared.apt import Apt, NotBuilt, check_lock, run, unpack

SUITE, PYTHON = "trixie", "python3.13"
CARRIED = (PYTHON, "python3-parted", "libudev1", "libblkid1", "squashfs-tools")
BUILDS = ("dash", "coreutils", "tar", "xz-utils", "dpkg")
"""Packages that pack the tree, pinned for reproducible builds."""

LIBRARIES = "usr/lib/x86_64-linux-gnu"
LOADER = f"{LIBRARIES}/ld-linux-x86-64.so.2"
NOT_USED = (
    *("test", "idlelib", "tkinter", "turtledemo", "ensurepip", "pydoc_data", "sqlite3", "dbm", "venv"),
    *("xmlrpc", "wsgiref", "turtle.py", "curses", "__phello__", "_pyrepl", "unittest"),
    *("pdb.py", "pydoc.py", "doctest.py"),
    *("config-*", "_sysconfigdata__*.a", "sitecustomize.py"),
    *(
        f"lib-dynload/{name}*"
        for name in ("_sqlite3", "_dbm", "_gdbm", "_tkinter", "_ssl", "_codecs_", "_test", "_xx")
    ),
    *(f"lib-dynload/{name}*" for name in ("_ctypes_test", "xx", "_curses", "readline")),
)
"""Unused parts of the standard library."""

LEXERS = ("__init__.py", "_mapping.py", "python.py", "special.py")
"""Lexers of pygments to include, for tracebacks. Other languages are never shown."""

LOADED_BY_NAME = ("libblkid.so.1", "libudev.so.1", "libcap.so.2", "libnss_files.so.2")
"""Libraries loaded by name at run time, mostly through ctypes, and so not listed by any other library."""

PYTHON_STARTS = """#!/bin/sh
# Python by the carried loader.
here=${0%/*}
exec "$here/../../lib/ld-linux-x86-64.so.2" --inhibit-cache --argv0 "$0" --library-path "$here/../../lib" \\
    "$here/python.real" "$@"
"""

DISKWRIGHT_STARTS = """#!/bin/sh
here=$(readlink -f "$0") here=${here%/*}
unset PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONUSERBASE
PYTHONPATH=$here/../app PYTHONSAFEPATH=1 PYTHONNOUSERSITE=1 PYTHONDONTWRITEBYTECODE=1
DISKWRIGHT_CALLED=${DISKWRIGHT_CALLED:-$here/diskwright}
export PYTHONPATH PYTHONSAFEPATH PYTHONNOUSERSITE PYTHONDONTWRITEBYTECODE DISKWRIGHT_CALLED
exec "$here/../python/bin/python" -m wizard "$@"
"""

ROOT_STARTS = """#!/bin/sh
# What pkexec, run0 and sudo start as root for a plain user's diskwright; it takes no argument.
set -eu
[ $# = 0 ] || exit 2
here=$(readlink -f "$0") here=${here%/*}
exec "$here/../python/bin/python" -I -B "$here/wizard/process/module.py" wizard.apply.privilege.server
"""

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]


class Lock(Enum):
    """What to do with packages.lock: check the downloads against the file, rewrite the file, or ignore it."""

    HELD, RENEWED, IGNORED = range(3)


def build_tree(work: Path, lock: Lock) -> Path:
    """Build the tree in the empty folder `work` and return its path, /tree in the root that built it. Raises
    NotBuilt."""
    apt = Apt(work / "apt", SUITE)
    carried = apt.downloaded(CARRIED)
    carried_root, builds_root = work / "carried", work / "builds"
    unpack(carried, carried_root)
    builds = apt.downloaded((*CARRIED, *BUILDS))
    unpack(builds, builds_root)
    file = HERE / "packages.lock"
    if lock is Lock.RENEWED:
        file.write_text("".join(f"{deb.line}\n" for deb in builds))
    elif lock is Lock.HELD:
        check_lock(file, builds)
    tree = builds_root / "tree"
    for name in ("app", "bin", "lib", "python/bin", "python/lib", "copyright"):
        (tree / name).mkdir(parents=True)
    site = tree / "python/lib/python3/dist-packages"
    _put_python(carried_root, tree)
    _put_modules(work, carried_root, site)
    _put_libraries(carried_root, tree, site)
    _put_program(tree)
    _put_copyright(carried_root, tree)
    _compile(tree)
    return tree


def _put_python(root: Path, tree: Path) -> None:
    library = tree / "python/lib" / PYTHON
    shutil.copytree(root / "usr/lib" / PYTHON, library, symlinks=True)
    for pattern in NOT_USED:
        for path in library.glob(pattern):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    shutil.copy(root / "usr/bin" / PYTHON, tree / "python/bin/python.real")
    shutil.copy(root / LOADER, tree / "lib")
    _script(tree / "python/bin/python", PYTHON_STARTS)


def _put_modules(work: Path, root: Path, site: Path) -> None:
    """Install the wheels, and libparted's Python binding from Debian."""
    site.mkdir(parents=True)
    _put_wheels(work, site)
    from_debian = root / "usr/lib/python3/dist-packages"
    shutil.copytree(from_debian / "parted", site / "parted")
    for module in from_debian.glob("_ped*.so"):
        shutil.copy(module, site)
    shutil.copy(HERE / "sitecustomize.py", site)


def _put_wheels(work: Path, site: Path) -> None:
    """Install the wheels of requirements.lock, checking their hashes."""
    lock = CHECKOUT / "requirements.lock"
    run("python3", "-m", "venv", work / "pip")
    pip = (work / "pip/bin/python", "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check")
    # Compiled wheels are for the bundled interpreter (msgspec) or for the stable ABI (psutil).
    fitting = (
        *("--python-version", PYTHON.removeprefix("python"), "--implementation", "cp"),
        *("--abi", f"cp{PYTHON.removeprefix('python').replace('.', '')}", "--abi", "abi3", "--abi", "none"),
        *("--platform", "manylinux2014_x86_64", "--platform", "any"),
    )
    only = ("--no-deps", "--require-hashes", "--only-binary", ":all:", *fitting)
    run(*pip, "download", *only, "-d", work / "wheels", "-r", lock)
    for wheel in sorted((work / "wheels").iterdir()):
        shutil.unpack_archive(wheel, site, "zip")
    for lexer in (site / "pygments/lexers").glob("*.py"):
        if lexer.name not in LEXERS:
            lexer.unlink()


def _put_libraries(root: Path, tree: Path, site: Path) -> None:
    """Copy all libraries that the interpreter and its modules need, as found by the bundled loader."""
    modules = [*site.rglob("*.so"), *(tree / "python/lib" / PYTHON / "lib-dynload").glob("*.so")]
    found = {
        path for file in (tree / "python/bin/python.real", *modules) for path in _needed(root, tree, file)
    }
    for path in sorted(found | {root / LIBRARIES / name for name in LOADED_BY_NAME}):
        if path.exists():
            shutil.copy(path, tree / "lib" / path.name)


def _needed(root: Path, tree: Path, file: Path) -> Iterator[Path]:
    listed = run(
        tree / "lib" / Path(LOADER).name,
        "--inhibit-cache",
        "--library-path",
        root / LIBRARIES,
        "--list",
        file,
    )
    for line in listed.splitlines():
        match line.split():
            case [_, "=>", "not", "found"]:
                raise NotBuilt(f"{file.name}: {line.strip()}")
            case [name, "=>", _, *_]:
                # The loader is listed with its path on a host.
                yield root / LIBRARIES / Path(name).name


def _put_program(tree: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(CHECKOUT / "wizard", tree / "app/wizard", symlinks=True, ignore=ignored)
    shutil.copytree(CHECKOUT / "profiles", tree / "app/profiles", ignore=ignored)
    shutil.copy(CHECKOUT / "LICENSE", tree / "copyright/diskwright")
    _script(tree / "bin/diskwright", DISKWRIGHT_STARTS)
    _script(tree / "app/as-root", ROOT_STARTS)


def _put_copyright(root: Path, tree: Path) -> None:
    """Copy the licences of the bundled packages. Wheels include their own."""
    for file in sorted((root / "usr/share/doc").glob("*/copyright")):
        shutil.copy(file, tree / "copyright" / file.parent.name)
    # The lock files identify the sources.
    for lock in (HERE / "packages.lock", CHECKOUT / "requirements.lock"):
        shutil.copy(lock, tree / "copyright")


def _compile(tree: Path) -> None:
    """Compile byte code that is never checked against the source. The sources do not change later, and builds
    are reproducible."""
    python = tree / "python/bin/python"
    # -B: the compiler's own byte code would contain the path of the build folder.
    compiles = (python, "-I", "-B", "-m", "compileall", "-q", "-f", "-s", tree)
    run(*compiles, "--invalidation-mode", "unchecked-hash", tree)


def _script(file: Path, text: str) -> None:
    file.write_text(text)
    file.chmod(0o755)
