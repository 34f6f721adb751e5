"""What surrounds a filesystem that is to be migrated: swap files on it, folders for what is replaced, and
what mounts or starts from it."""

import os
import re
from collections.abc import Mapping, Set
from configparser import ConfigParser
from configparser import Error as NoUnit
from pathlib import Path

from wizard.apply.migration.looking import words
from wizard.apply.migration.looking.debugfs_read import seen_inside, text_inside
from wizard.apply.migration.looking.grub import folder_inside, reader
from wizard.apply.run.environment import LOOK_SECONDS, Environment
from wizard.apply.run.runs import lies_in_memory
from wizard.migrate.situation import NO_BOOT, BootPath, Folder, OwnFstab
from wizard.model.errors import Failed
from wizard.model.said import Said, t
from wizard.probe.host.uses import unescaped
from wizard.tools.program import find, run

SWAPS, CMDLINE = Path("/proc/swaps"), Path("/proc/cmdline")
BOOT_PLACES = ("/", "/boot")
INITRAMFS = (("initramfs-tools", "initramfs-tools"), ("dracut", "dracut.conf"), ("dracut", "dracut.conf.d"))
"""What makes the first root, and what of it lies in /etc."""

GRUB_DEFAULTS = "/etc/default/grub"

_GRUB = re.compile(r"\(GRUB\) (\d+)\.(\d+)")
_ROOT_TYPE = re.compile(r"\brootfstype=([a-z0-9,]+)")


def swap_files_on(node: Path) -> tuple[str, ...]:
    """Swap files in use that lie on the filesystem of this device."""
    try:
        lines = SWAPS.read_text(errors="replace").splitlines()[1:]
    except OSError:
        return ()
    files = [unescaped(line.split()[0]) for line in lines if line.split()[1:2] == ["file"]]
    return tuple(file for file in files if _lies_on(Path(file), node))


def _lies_on(path: Path, node: Path) -> bool:
    try:
        return path.stat().st_dev == node.stat().st_rdev
    except OSError:
        return False


def folder_seen(named: Path | None, usual: Path, node: Path) -> Folder:
    """A folder for stores or undo files: the one that was named, which must be there, or the usual one, which
    can still be made."""
    # A plan names it for whoever applies it, wherever that is, and by no way around.
    path = Path(os.path.realpath(named or usual))
    try:
        there = next(above for above in (path, *path.parents) if above.exists())
        room = os.statvfs(there)
        free_bytes = room.f_bavail * room.f_frsize
        fault = _fault(path, there, room.f_flag, node, asked=named is not None)
        return Folder(str(path), free_bytes, str(fault) if fault else "", named is not None)
    except OSError as error:
        return Folder(
            str(path), 0, str(t("it cannot be looked at ({why})", why=str(error.strerror))), named is not None
        )


def _fault(path: Path, there: Path, flags: int, node: Path, *, asked: bool) -> Said | None:
    if asked and not path.is_dir():
        return t("there is no such folder")
    if there.stat().st_dev == node.stat().st_rdev:
        return t("it lies on the filesystem that is to be changed")
    if flags & os.ST_RDONLY:
        return words.READ_ONLY
    if lies_in_memory(there):
        return t("it lies in memory, and would be gone after a power cut")
    return None


def units_for(etc: Path, nodes: Set[str], tags: Mapping[str, str | None]) -> tuple[str, ...]:
    """The mount units that an administrator wrote for the filesystem (systemd.mount(5)), in the /etc that
    `fstab` lies in."""
    found = []
    for unit in sorted((etc / "systemd/system").glob("*.mount")):
        parser = ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(unit.read_text(errors="replace"))
        except (OSError, NoUnit):
            continue
        what = parser.get("Mount", "What", fallback="").strip('"')
        tag, _, value = what.partition("=")
        by_link = re.fullmatch(r"/dev/disk/by-(uuid|label|partuuid|partlabel)/(.+)", what)
        if by_link:
            tag, value = by_link[1].upper(), by_link[2]
        wanted = tags.get(tag)
        if (wanted is not None and wanted.lower() == value.lower()) or (
            what.startswith("/") and os.path.realpath(what) in nodes
        ):
            found.append(str(unit))
    return tuple(found)


def boot_path(places: Set[str], environment: Environment, unmounted: str, own: OwnFstab | None) -> BootPath:
    """What starts a system whose root or /boot is mounted from here, as far as its /etc and this machine
    tell; or, of a system that does not run, what lies on the filesystem itself, whose node is `unmounted`,
    empty where somebody has it mounted.
    """
    place = next((place for place in BOOT_PLACES if place in places), "")
    folder = folder_inside(unmounted) if unmounted else ""
    is_root = any(line.mount_point == "/" for line in own.lines) if own else False
    if not place and not folder and not is_root:
        return NO_BOOT
    if place:
        etc = environment.fstab.parent
        options = (
            (_text(CMDLINE) if environment.is_running_system else "") + " " + _text(etc / "default/grub")
        )
        makers = [name for name, entry in INITRAMFS if (etc / entry).exists()]
    else:
        place = "/" if is_root or folder.startswith("/boot/") else "/boot"
        options, makers = _start_inside(unmounted)
    kind = _ROOT_TYPE.search(options)
    return BootPath(
        place=place,
        root_type=kind[1] if kind and place == "/" else "",
        grub=_grub_version(),
        initramfs=next(iter(makers), ""),
        grub_folder=folder,
        grub_reader=reader(),
    )


def _start_inside(node: str) -> tuple[str, list[str]]:
    """The settings of GRUB and what makes the first root, by the /etc of a system on a filesystem that nobody
    has mounted."""
    try:
        seen = seen_inside(node, [GRUB_DEFAULTS, *(f"/etc/{entry}" for _, entry in INITRAMFS)])
        options = (
            text_inside(node, GRUB_DEFAULTS)
            if GRUB_DEFAULTS in seen and seen[GRUB_DEFAULTS].kind == "regular"
            else ""
        )
    except Failed:
        return "", []
    return options, [name for name, entry in INITRAMFS if f"/etc/{entry}" in seen]


def _grub_version() -> tuple[int, int]:
    """Of the first of GRUB's programs that is there; (0, 0) for none."""
    program = next(
        (name for name in ("grub-install", "grub2-install", "grub-mkrescue", "grub2-mkrescue") if find(name)),
        None,
    )
    if program is None:
        return 0, 0
    try:
        match = _GRUB.search(run([program, "--version"], seconds=LOOK_SECONDS, accept=range(256)).output)
    except Failed:
        return 0, 0
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
