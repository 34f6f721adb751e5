"""System on a converted filesystem: fstab, boot loader and mount units."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from configparser import ConfigParser
from configparser import Error as NoUnit
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from tempfile import TemporaryDirectory

from msgspec import Struct

from wizard.apply.block.devices import forget_caches
from wizard.apply.run.backup_store import Environment
from wizard.apply.settings.states import How
from wizard.apply.system import fstab
from wizard.apply.tree.mount_read_only import mounted_read_only
from wizard.ext4 import assessment
from wizard.model.errors import BadInput, Failed
from wizard.model.ext import ExtFacts
from wizard.model.run import Check
from wizard.model.said import Message, joined, t, tn
from wizard.operations.ext4 import SetOwnFstabType
from wizard.operations.fstab import digest_of_text
from wizard.operations.operation import OWN_FSTAB
from wizard.plan.changes import Migration
from wizard.process.program import Result, find, run, scratch_folder

READ = ("debugfs", "-c")
PROMPT = "debugfs: "
LARGEST_BYTES = 1 << 20
"""Larger files are not read."""

_KIND, _SIZE, _LINKS = (re.compile(rf"\b{what}: (\w+)") for what in ("Type", "Size", "Links"))


class InnerFile(Struct, frozen=True):
    """File on an unmounted filesystem. `kind` is the type as debugfs calls it, such as `regular`, `directory`
    or `symlink`. `links` is the number of hard links."""

    kind: str
    size_bytes: int
    links: int


def seen_inside(node: str, paths: Sequence[str]) -> Mapping[str, InnerFile]:
    """Return the files with these paths that exist on an unmounted filesystem. Paths must not contain spaces.

    Raises Failed if debugfs is missing or times out.
    """
    requests = "".join(f"stat {path}\n" for path in paths).encode()
    output = run((*READ, "-f", "-", node), stdin=requests, accept=range(256)).output
    found = {}
    for answer in output.split(PROMPT)[1:]:
        command, _, rest = answer.partition("\n")
        kind, size, links = _KIND.search(rest), _SIZE.search(rest), _LINKS.search(rest)
        if kind and size and links:
            found[command.removeprefix("stat ")] = InnerFile(kind[1], int(size[1]), int(links[1]))
    return found


def text_inside(node: str, path: str) -> str:
    """Return the text of a regular file, preserving invalid UTF-8 as surrogates. Raises Failed."""
    with TemporaryDirectory(dir=scratch_folder()) as folder:
        copy = Path(folder) / "copy"
        result = run((*READ, "-R", f'dump {path} "{copy}"', node), accept=range(256))
        try:
            return copy.read_bytes().decode("utf-8", "surrogateescape")
        except OSError:
            unread = t("Cannot read {path} on {node}:", path=path, node=node)
            raise Failed(f"{unread} {result.last_words}") from None


ROOT = "/"
FOLDER = "/etc"
LINKS = Path("/dev/disk")


def own_fstab(node: str, ext: ExtFacts, tags: fstab.Tags) -> assessment.OwnFstab | None:
    """Return the fstab on an unmounted filesystem, or None. `fault` is the reason why a file cannot be
    changed."""
    try:
        seen = seen_inside(node, (FOLDER, OWN_FSTAB))
        if OWN_FSTAB not in seen:
            return None
        if fault := _fault(seen[FOLDER], seen[OWN_FSTAB]):
            return assessment.OwnFstab(fault=str(fault))
        text = text_inside(node, OWN_FSTAB)
        lines = tuple(
            assessment.BootLine(line.number, line.kind, line.mount_point)
            for line in fstab.parse(text, OWN_FSTAB)
            if _is_own_line(line, node, tags)
        )
    except (BadInput, Failed) as error:
        return assessment.OwnFstab(fault=str(t("the file cannot be read ({why})", why=error)))
    return assessment.OwnFstab(
        text, lines, str(t("the journal may contain a newer version")) if ext.needs_recovery else ""
    )


def _fault(folder: InnerFile, file: InnerFile) -> Message | None:
    if folder.kind != "directory" or file.kind != "regular":
        return t(
            "the file is a {kind} in a {folder}, not a regular file in a directory",
            kind=file.kind,
            folder=folder.kind,
        )
    if file.links > 1:
        return t("the file has {links} hard links", links=file.links)
    return t("the file is too large") if file.size_bytes > LARGEST_BYTES else None


def _is_own_line(line: fstab.Line, node: str, tags: fstab.Tags) -> bool:
    """Return True if a line in the fstab of another system is for the filesystem that contains the file.

    Device names of that system, such as /dev/sda1, mean nothing here. But with such a name, the line for / is
    for that filesystem.
    """
    if (named := line.names(tags)) is not None:
        return named
    source = Path(line.source)
    return line.mount_point == ROOT if not source.is_relative_to(LINKS) else str(source.resolve()) == node


def _own_state(operation: SetOwnFstabType, migration: Migration, node: str) -> How:
    """Return the state of a line in the fstab on a node. OTHER if the file has other changes. Raises
    Failed."""
    lines = text_inside(node, OWN_FSTAB).split("\n")
    before = lines.copy()
    for each in _own_operations(migration):
        if before[each.number - 1 : each.number] == [each.new]:
            before[each.number - 1] = each.old
    if digest_of_text("\n".join(before)) != operation.digest:
        return How.OTHER
    return How.AFTER if lines[operation.number - 1] == operation.new else How.BEFORE


def set_own_type(
    operation: SetOwnFstabType,
    migration: Migration,
    node: str,
    command: Callable[..., Result],
) -> None:
    """Change a line in the fstab on a node.

    Raises Failed if the file was changed since planning, or is not as planned afterwards.
    """
    if _own_state(operation, migration, node) is not How.BEFORE:
        raise Failed(
            t(
                "{file} on {device} has changed since the last check. Check again with `diskwright migrate`.",
                file=OWN_FSTAB,
                device=migration.device,
            )
        )
    for argv in operation.commands(node):
        command(argv)
    forget_caches(node)
    if _own_state(operation, migration, node) is not How.AFTER:
        raise Failed(t("{file} on {node} does not have the planned contents.", file=OWN_FSTAB, node=node))


def own_checks(node: str, migration: Migration) -> Iterator[Check]:
    """Yield a check for each line of the fstab on a node. Raises Failed if the file cannot be read."""
    for operation in _own_operations(migration):
        holds = _own_state(operation, migration, node) is How.AFTER
        yield Check(joined(operation.holds), holds, operation.new)


def _own_operations(migration: Migration) -> tuple[SetOwnFstabType, ...]:
    return tuple(one for one in migration.on_device if isinstance(one, SetOwnFstabType))


READERS = ("grub-fstest", "grub2-fstest")
FOLDERS = ("/boot/grub", "/boot/grub2", "/grub", "/grub2")
"""GRUB's folder on a root filesystem, and on a filesystem for /boot."""

SETTINGS = "grub.cfg"
KERNELS = ("vmlinuz", "vmlinux", "kernel", "bzImage")
"""Prefixes of kernel file names."""

DEVICE = "(loop0)"
"""GRUB's name for the given image."""


def reader() -> str:
    """Return the program with GRUB's driver, or an empty string."""
    return next(filter(find, READERS), "")


def _folder_inside(node: str) -> str:
    try:
        seen = seen_inside(node, [f"{folder}/{SETTINGS}" for folder in FOLDERS])
    except Failed:
        return ""
    return next((folder for folder in FOLDERS if f"{folder}/{SETTINGS}" in seen), "")


def grub_checks(node: str, command: Callable[..., Result]) -> Iterator[Check]:
    """Yield checks that GRUB's driver lists its folder and reads its settings and the newest kernel like
    Linux.

    Yields none without GRUB's folder or the program. Raises Failed if the filesystem cannot be mounted.
    """
    program = reader()
    if not program or not _folder_inside(node):
        return
    with mounted_read_only(node) as top:
        folder = next((folder for folder in FOLDERS if _is_real(top, f"{folder}/{SETTINGS}")), "")
        if not folder:
            return

        def ask(*asked: str) -> Result:
            return command((program, node, *asked), accept=range(256))

        yield _check_listing(top, folder, ask("ls", f"{DEVICE}{folder}/"))
        for path in (f"{folder}/{SETTINGS}", *_newest_kernel(top, str(Path(folder).parent))):
            result = ask("cmp", f"{DEVICE}{path}", f"{top}{path}")
            seen = (
                result.last_words
                if result.status
                else str(t("{program} finds identical bytes", program=program))
            )
            yield Check(
                str(t("GRUB's own driver and Linux read the same data from {path}.", path=path)),
                result.status == 0,
                seen,
            )


def _check_listing(top: Path, folder: str, result: Result) -> Check:
    wanted = {
        word
        for entry in (top / folder[1:]).iterdir()
        if not entry.name.startswith(".")
        for word in entry.name.split()
    }
    missing = wanted - {word.rstrip("/") for word in result.output.split()}
    seen = (
        t("{names:list} missing: {said}", names=tuple(sorted(missing)[:5]), said=result.last_words)
        if missing
        else tn("the only name", "all {count} names", count=len(wanted))
    )
    return Check(
        str(t("GRUB's own driver and Linux list the same files in {folder}.", folder=folder)),
        result.status == 0 and not missing,
        str(seen),
    )


def _newest_kernel(top: Path, folder: str) -> tuple[str, ...]:
    below = folder.rstrip("/")
    named = [
        f"{below}/{entry.name}" for entry in (top / below[1:]).iterdir() if entry.name.startswith(KERNELS)
    ]
    kernels = [path for path in named if _is_real(top, path)]
    return tuple(sorted(kernels, key=lambda path: ((top / path[1:]).lstat().st_mtime_ns, path))[-1:])


def _is_real(top: Path, path: str) -> bool:
    """Return True for a file without links in the path, which could leave the filesystem."""
    try:
        above = [parent for parent in Path(path).parents if parent != Path("/")]
        folders = all(S_ISDIR((top / str(parent)[1:]).lstat().st_mode) for parent in above)
        return folders and S_ISREG((top / path[1:]).lstat().st_mode)
    except OSError:
        return False


BOOT_PLACES = ("/", "/boot")
INITRAMFS = (("initramfs-tools", "initramfs-tools"), ("dracut", "dracut.conf"), ("dracut", "dracut.conf.d"))
"""Initramfs generators and their configuration in /etc."""

KERNEL_OPTIONS = ("/etc/default/grub", "/etc/kernel/cmdline")
"""Files of an installed system with options for its kernel, next to GRUB's settings."""

GRUBS = ("grub-install", "grub2-install", "grub-mkrescue", "grub2-mkrescue")
_GRUB = re.compile(r"\(GRUB\) (\d+)\.(\d+)")
_ROOT_TYPE = re.compile(r"\brootfstype=([a-z0-9,]+)")


def units_for(etc: Path, nodes: Set[str], tags: fstab.Tags) -> tuple[str, ...]:
    """Return the mount units in `etc` that an administrator wrote for the filesystem (systemd.mount(5))."""
    found = []
    for unit in sorted((etc / "systemd/system").glob("*.mount")):
        parser = ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(unit.read_text(errors="replace"))
        except (OSError, NoUnit):
            continue
        what = parser.get("Mount", "What", fallback="").strip('"')
        entry = fstab.FstabEntry(number=0, source=what, options=())
        if any(entry.means(node, tags) for node in nodes):
            found.append(str(unit))
    return tuple(found)


def boot_path(
    places: Set[str], environment: Environment, unmounted: str, own: assessment.OwnFstab | None
) -> assessment.BootPath:
    """Return how a system boots whose root or /boot is on this filesystem, according to its /etc and this
    machine.

    If the system is not running, its files are read from `unmounted`, the node of the filesystem, which is
    empty if mounted.
    """
    place = next((place for place in BOOT_PLACES if place in places), "")
    folder = _folder_inside(unmounted) if unmounted else ""
    is_root = any(line.mount_point == "/" for line in own.lines) if own else False
    if not place and not folder and not is_root:
        return assessment.BootPath()
    if place:
        etc = environment.fstab.parent
        options = (
            (_text(fstab.CMDLINE) if environment.is_running_system else "")
            + " "
            + _text(etc / "default/grub")
        )
        makers = [name for name, entry in INITRAMFS if (etc / entry).exists()]
    else:
        place = "/" if is_root or folder.startswith("/boot/") else "/boot"
        options, makers = _boot_settings(unmounted, folder)
    kind = _ROOT_TYPE.search(options)
    return assessment.BootPath(
        place=place,
        root_type=kind[1] if kind and place == "/" else "",
        grub=version_of(GRUBS, "--version", _GRUB),
        initramfs=next(iter(makers), ""),
        grub_folder=folder,
        grub_reader=reader(),
    )


def _boot_settings(node: str, grub_folder: str) -> tuple[str, list[str]]:
    """Return the kernel options and the initramfs generators of a system on an unmounted filesystem."""
    settings = (*KERNEL_OPTIONS, *((f"{grub_folder}/{SETTINGS}",) if grub_folder else ()))
    try:
        seen = seen_inside(node, [*settings, *(f"/etc/{entry}" for _, entry in INITRAMFS)])
        texts = [
            text_inside(node, path)
            for path in settings
            if path in seen and seen[path].kind == "regular" and seen[path].size_bytes <= LARGEST_BYTES
        ]
    except Failed:
        return "", []
    return "\n".join(texts), [name for name, entry in INITRAMFS if f"/etc/{entry}" in seen]


def version_of(programs: Sequence[str], option: str, pattern: re.Pattern[str]) -> tuple[int, int]:
    """Return the version of the first of these programs found, or (0, 0) if unknown."""
    program = next(filter(find, programs), None)
    if program is None:
        return 0, 0
    try:
        result = run((program, option), accept=range(256))
    except Failed:
        return 0, 0
    match = pattern.search(result.errors + result.output)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
