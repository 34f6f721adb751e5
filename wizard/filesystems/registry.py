"""Registry of all filesystems, the kinds in the modules of this folder."""

from importlib import import_module

from wizard.filesystems.kind import FilesystemKind, MadeKind
from wizard.model.errors import printable
from wizard.model.said import t

_FOUND = [
    kind
    for name in ("btrfs", "ext", "fat", "ntfs", "others", "xfs")
    for kind in vars(import_module(f"wizard.filesystems.{name}")).values()
    if isinstance(kind, FilesystemKind)
]

KINDS = {kind.name: kind for kind in sorted(_FOUND, key=lambda kind: (kind.order, kind.name))}
"""Every filesystem with a known name, by libblkid's TYPE."""

MADE: dict[str, MadeKind] = {name: kind for name, kind in KINDS.items() if isinstance(kind, MadeKind)}
"""Filesystems that diskwright creates."""


def title_of(name: str) -> str:
    """Return the display title, such as `XFS`. Several names are separated by +; unknown names are returned
    as libblkid reports them."""
    return "+".join(KINDS[one].title if one in KINDS else printable(one, 40) for one in name.split("+"))


def not_made_because(name: str) -> str:
    """Return a sentence on why diskwright does not create this filesystem, with the reason if the name is
    known."""
    kind = KINDS.get(name)
    if kind is not None:
        return str(t("diskwright does not make {title}. {why}", title=kind.title, why=kind.why_not or ""))
    return str(
        t(
            "diskwright does not make {name}. Available: {made:list}.",
            name=repr(name),
            made=tuple(MADE),
        )
    )


def mounted_as(kernel_name: str) -> MadeKind | None:
    """Return the filesystem that the kernel mounts under this name, or None if diskwright does not create
    it."""
    return next((kind for kind in MADE.values() if kernel_name in kind.kernel_names), None)
