"""GRUB's own driver for ext filesystems, as a program: what it reads of a migrated one, compared with what
Linux reads."""

from collections.abc import Callable, Iterator
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from wizard.apply.manifest.mount_read_only import mounted_read_only
from wizard.apply.migration.looking.debugfs_read import seen_inside
from wizard.model.errors import Failed
from wizard.model.journal import Check
from wizard.model.said import t, tn
from wizard.tools.program import Result, find

READERS = ("grub-fstest", "grub2-fstest")
FOLDERS = ("/boot/grub", "/boot/grub2", "/grub", "/grub2")
"""Where GRUB's folder lies on a system's root, and on a filesystem that is its /boot."""

SETTINGS = "grub.cfg"
KERNELS = ("vmlinuz", "vmlinux", "kernel", "bzImage")
"""How the names of kernels begin."""

DEVICE = "(loop0)"
"""What GRUB calls the image that it is given."""


def reader() -> str:
    """The program that has GRUB's driver; empty where there is none."""
    return next((name for name in READERS if find(name)), "")


def folder_inside(node: str) -> str:
    """GRUB's folder with its settings on a filesystem that nobody has mounted; empty where there is none, or
    it cannot be looked for."""
    try:
        seen = seen_inside(node, [f"{folder}/{SETTINGS}" for folder in FOLDERS])
    except Failed:
        return ""
    return next((folder for folder in FOLDERS if f"{folder}/{SETTINGS}" in seen), "")


def grub_checks(node: str, command: Callable[..., Result]) -> Iterator[Check]:
    """Whether GRUB lists its folder on the filesystem of a node, and reads its settings and the newest
    kernel, as Linux does; nothing where it has no such folder, or the program is missing. Raises Failed where
    the filesystem cannot be mounted to look.
    """
    program = reader()
    if not program or not folder_inside(node):
        return
    with mounted_read_only(node) as top:
        folder = next((folder for folder in FOLDERS if _is_real(top, f"{folder}/{SETTINGS}")), "")
        if not folder:
            return
        yield _lists(top, folder, lambda *asked: command((program, node, *asked), accept=range(256)))
        for path in (f"{folder}/{SETTINGS}", *_newest_kernel(top, str(Path(folder).parent))):
            told = command((program, node, "cmp", f"{DEVICE}{path}", f"{top}{path}"), accept=range(256))
            seen = (
                told.last_words
                if told.status
                else str(t("{program} finds every byte the same", program=program))
            )
            yield Check(
                str(t("GRUB's own driver reads {path} as Linux does.", path=path)), told.status == 0, seen
            )


def _lists(top: Path, folder: str, ask: Callable[..., Result]) -> Check:
    told = ask("ls", f"{DEVICE}{folder}/")
    wanted = {
        word
        for entry in (top / folder[1:]).iterdir()
        if not entry.name.startswith(".")
        for word in entry.name.split()
    }
    missing = wanted - {word.rstrip("/") for word in told.output.split()}
    seen = (
        t("{names:list} missing: {said}", names=tuple(sorted(missing)[:5]), said=told.last_words)
        if missing
        else tn("the one name", "all {count} names", count=len(wanted))
    )
    return Check(
        str(t("GRUB's own driver lists {folder} as Linux does.", folder=folder)),
        told.status == 0 and not missing,
        str(seen),
    )


def _newest_kernel(top: Path, folder: str) -> tuple[str, ...]:
    """The kernel that was made last, beside GRUB's folder; none where none is called as kernels are."""
    below = folder.rstrip("/")
    named = [
        f"{below}/{entry.name}" for entry in (top / below[1:]).iterdir() if entry.name.startswith(KERNELS)
    ]
    kernels = [path for path in named if _is_real(top, path)]
    return tuple(sorted(kernels, key=lambda path: ((top / path[1:]).lstat().st_mtime_ns, path))[-1:])


def _is_real(top: Path, path: str) -> bool:
    """Whether a path leads to a file without any link, which could lead out of the filesystem."""
    try:
        above = [parent for parent in Path(path).parents if parent != Path("/")]
        folders = all(S_ISDIR((top / str(parent)[1:]).lstat().st_mode) for parent in above)
        return folders and S_ISREG((top / path[1:]).lstat().st_mode)
    except OSError:
        return False
