"""System on a converted filesystem: fstab, boot loader and mount units."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from configparser import ConfigParser
from configparser import Error as NoUnit
from contextlib import suppress
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
from wizard.model.said import Sentence, t
from wizard.operations.ext4 import SetOwnFstabType
from wizard.operations.fstab import digest_of_text
from wizard.operations.operation import OWN_FSTAB
from wizard.plan.changes import Migration
from wizard.process.program import Result, find, run, scratch_folder

READ = ("debugfs", "-c")
PROMPT = "debugfs: "
LARGEST_BYTES = 1 << 20
"""Larger files are not read."""

_STAT = re.compile(r"\bType: (\w+).*?\bSize: (\d+).*?\bLinks: (\d+)", re.DOTALL)


class InnerFile(Struct, frozen=True):
    """File on an unmounted filesystem. `kind` is the type as debugfs calls it, such as `regular`, `directory`
    or `symlink`. `links` is the number of hard links."""

    kind: str
    size_bytes: int
    links: int

    @property
    def is_small(self) -> bool:
        """True for a regular file that is read."""
        return self.kind == "regular" and self.size_bytes <= LARGEST_BYTES


def seen_inside(node: str, paths: Sequence[str]) -> Mapping[str, InnerFile]:
    """Return the files with these paths that exist on an unmounted filesystem. Paths must not contain spaces.

    Raises Failed if debugfs is missing or times out.
    """
    requests = "".join(f"stat {path}\n" for path in paths).encode()
    output = run((*READ, "-f", "-", node), stdin=requests, accept=range(256)).output
    found = {}
    for answer in output.split(PROMPT)[1:]:
        command, _, rest = answer.partition("\n")
        if match := _STAT.search(rest):
            found[command.removeprefix("stat ")] = InnerFile(match[1], int(match[2]), int(match[3]))
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
        if (file := seen.get(OWN_FSTAB)) is None:
            return None
        if seen[FOLDER].kind != "directory" or not file.is_small or file.links > 1:
            return assessment.OwnFstab(
                fault=str(t("the file is not a small regular file with only one name"))
            )
        text = text_inside(node, OWN_FSTAB)
        lines = []
        for line in fstab.parse(text, OWN_FSTAB):
            # Device names of that system, such as /dev/sda1, mean nothing here. But with such a name, the
            # line for / is for the filesystem that contains the file.
            if (is_own := line.names(tags)) is None:
                source = Path(line.source)
                is_link = source.is_relative_to(LINKS)
                is_own = str(source.resolve()) == node if is_link else line.mount_point == ROOT
            if is_own:
                lines.append(assessment.BootLine(line.number, line.kind, line.mount_point))
    except (BadInput, Failed) as error:
        return assessment.OwnFstab(fault=str(t("the file cannot be read ({why})", why=error)))
    fault = str(t("the journal may contain a newer version")) if ext.needs_recovery else ""
    return assessment.OwnFstab(text, tuple(lines), fault)


def own_state(operation: SetOwnFstabType, migration: Migration, node: str) -> How:
    """Return the state of a line in the fstab on a node. OTHER if the file has other changes. Raises
    Failed."""
    lines = text_inside(node, OWN_FSTAB).split("\n")
    before = lines.copy()
    for each in migration.own_lines:
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
    other = Failed(
        t(
            "{file} on {device} does not have the planned contents. Check again with `diskwright migrate`.",
            file=OWN_FSTAB,
            device=migration.device,
        )
    )
    if own_state(operation, migration, node) is not How.BEFORE:
        raise other
    for argv in operation.commands(node):
        command(argv)
    forget_caches(node)
    if own_state(operation, migration, node) is not How.AFTER:
        raise other


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

        same = t("{program} finds no difference", program=program)
        listed = ask("ls", f"{DEVICE}{folder}/")
        names = [entry.name for entry in (top / folder[1:]).iterdir()]
        wanted = {word for name in names if not name.startswith(".") for word in name.split()}
        missing = wanted - {word.rstrip("/") for word in listed.output.split()}
        lacks = Sentence("{names:list} missing: {said}")
        yield Check(
            str(t("GRUB's own driver and Linux list the same files in {folder}.", folder=folder)),
            listed.status == 0 and not missing,
            str(lacks(names=tuple(sorted(missing)[:5]), said=listed.last_words) if missing else same),
        )
        below = str(Path(folder).parent).rstrip("/")
        kernels = [
            path
            for entry in (top / below[1:]).iterdir()
            if entry.name.startswith(KERNELS) and _is_real(top, path := f"{below}/{entry.name}")
        ]
        newest = sorted(kernels, key=lambda path: ((top / path[1:]).lstat().st_mtime_ns, path))[-1:]
        for path in (f"{folder}/{SETTINGS}", *newest):
            result = ask("cmp", f"{DEVICE}{path}", f"{top}{path}")
            yield Check(
                str(t("GRUB's own driver and Linux read the same data from {path}.", path=path)),
                result.status == 0,
                result.last_words if result.status else str(same),
            )


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
    options, makers = "", list[str]()
    if place:
        etc = environment.fstab.parent
        running = (fstab.CMDLINE,) if environment.is_running_system else ()
        options = " ".join(map(_text, (*running, etc / "default/grub")))
        makers = [name for name, entry in INITRAMFS if (etc / entry).exists()]
    else:
        place = "/" if is_root or folder.startswith("/boot/") else "/boot"
        settings = (*KERNEL_OPTIONS, *((f"{folder}/{SETTINGS}",) if folder else ()))
        with suppress(Failed):
            seen = seen_inside(unmounted, [*settings, *(f"/etc/{entry}" for _, entry in INITRAMFS)])
            makers = [name for name, entry in INITRAMFS if f"/etc/{entry}" in seen]
            texts = (
                text_inside(unmounted, path) for path in settings if path in seen and seen[path].is_small
            )
            options = "\n".join(texts)
    kind = _ROOT_TYPE.search(options)
    return assessment.BootPath(
        place=place,
        root_type=kind[1] if kind and place == "/" else "",
        grub=version_of(GRUBS, "--version", _GRUB),
        initramfs=next(iter(makers), ""),
        grub_folder=folder,
        grub_reader=reader(),
    )


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
