"""Edit a file that other programs edit too, such as fstab. A flock(2) on the file's folder separates two
runs. A second check right before replacement detects editors that ignore the lock."""

import errno
import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from wizard.apply.block.devices import UNVERIFIED
from wizard.apply.run.journal import sync_folder
from wizard.apply.run.process import UNOPENED, opened
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.said import Message, Sentence, failing, t
from wizard.process.lock import lock_within
from wizard.process.program import find, run

NEW_FILE_MODE = 0o644
LOCK_SECONDS = 30.0
"""Time limit for another program's edit, which writes a few kilobytes."""

TURNS = 100
"""Limit for repeating an edit after changes by other programs."""

NO_LOCKS = frozenset({errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS})
"""Errors of flock(2) on filesystems without locks, such as NFS. Then only the second check protects."""


def read_text(path: Path) -> str:
    """Read a file; empty if missing. Bytes that are not UTF-8 are preserved. Raises BadInput."""
    try:
        return path.resolve().read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise BadInput(UNREADABLE(file=path, why=error)) from None


def kept_as(path: Path, run_name: str) -> Path:
    """Name the copy from before a run's change, next to the file."""
    real = path.resolve()
    return real.with_name(f"{real.name}.diskwright-{run_name}")


def edit(path: Path, change: Callable[[str], str], keep: Path | None = None) -> bool:
    """Replace the content of a file, or of a link's target, by `change` of it, and return True if it changed.
    Owner and mode are preserved. `change` may be called several times, and must not change its own result.
    The first content is saved in `keep`. Raises Failed, also if the result cannot be verified."""
    folder = path.resolve().parent
    with ExitStack() as held:
        with failing(UNOPENED, path=folder):
            lock = held.enter_context(opened(folder, os.O_RDONLY | os.O_DIRECTORY))
            try:
                is_locked = lock_within(lock, LOCK_SECONDS)
            except OSError as error:
                if error.errno not in NO_LOCKS:
                    raise
                is_locked = True
        if not is_locked:
            raise Failed(t("Another program has locked {folder}.", folder=folder))
        for _ in range(TURNS):
            if (changed := _try_edit(path, change, keep)) is not None:
                break
        else:
            raise Failed(t("Another program repeatedly changes {file}. The file was not edited.", file=path))
        if change(now := read_text(path)) != now:
            raise Failed(UNVERIFIED(what=path))
    return changed


def _try_edit(path: Path, change: Callable[[str], str], keep: Path | None) -> bool | None:
    """Return None if another program was faster, else True if the file was changed."""
    real = path.resolve()
    text = read_text(path)
    wanted = change(text)
    if wanted == text:
        return False
    temporary = real.with_name(f".{real.name}.diskwright-{os.getpid()}")
    with failing(Sentence("Cannot replace {file}: {why}. The file is unchanged."), file=real):
        like = real if real.exists() else None
        if keep is not None and not keep.exists():
            _write(keep, text, like)
        try:
            _write(temporary, wanted, like)
            if read_text(real) != text:
                return None
            temporary.rename(real)
            sync_folder(real.parent)
        finally:
            with suppress(OSError):
                temporary.unlink()
    return True


def _write(path: Path, text: str, like: Path | None) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
        if like is not None:
            status = like.stat()
            os.fchown(fd, status.st_uid, status.st_gid)
            os.fchmod(fd, status.st_mode & 0o7777)
            # SELinux labels and access control lists are extended attributes.
            with suppress(OSError):
                for name in os.listxattr(like):
                    with suppress(OSError):
                        os.setxattr(fd, name, os.getxattr(like, name))
        else:
            os.fchmod(fd, NEW_FILE_MODE)
        file.flush()
        os.fsync(fd)


LOADED = Path("/sys/module")
"""Has loaded modules, and built-in ones with parameters."""


def check_kernel(module: str, what: Message) -> None:
    """Raises Refused unless a module that `what` needs, named with underscores, is loaded, built in or can be
    loaded."""
    argv = ("modprobe", "--dry-run", "--quiet", module)
    is_there = (LOADED / module).exists() or (find(argv[0]) and not run(argv, accept=range(256)).status)
    if not is_there:
        raise Refused(
            t(
                "This kernel does not support {what}: {module} is neither built in nor a module. "
                "Nothing was written.",
                what=what,
                module=module,
            )
        )
