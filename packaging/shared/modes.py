"""File modes that do not depend on the builder's umask."""

from pathlib import Path


def set_modes(folder: Path) -> None:
    """Set mode 0755 for the folder, all folders and all programs in it, and 0644 for other files.

    Files copied from a checkout have modes that depend on the user who cloned it.
    """
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
