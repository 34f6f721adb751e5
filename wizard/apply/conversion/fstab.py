"""Check and edit the fstab of a system on the converted filesystem."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from wizard.apply.block.devices import forget_caches
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.system.fstab import Line, Tags, parse
from wizard.ext4.assessment import BootLine, OwnFstab
from wizard.model.errors import BadInput, Failed
from wizard.model.ext import ExtFacts
from wizard.model.run import Check
from wizard.model.said import Message, Sentence, joined, t
from wizard.operations.ext4 import SetOwnFstabType
from wizard.operations.fstab import digest_of_text
from wizard.operations.operation import OWN_FSTAB, How
from wizard.plan.conversion import Migration
from wizard.process.program import Result, run, scratch_folder

FILE_NOT_READ = Sentence("Cannot read {path} on {node}:")

READ = ("debugfs", "-c")
PROMPT = "debugfs: "
LARGEST_BYTES = 1 << 20
"""Largest file that is read completely."""

_KIND, _SIZE, _LINKS = (re.compile(rf"\b{what}: (\w+)") for what in ("Type", "Size", "Links"))


@dataclass(frozen=True, slots=True)
class InnerFile:
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
    output = run((*READ, "-f", "-", node), seconds=LOOK_SECONDS, stdin=requests, accept=range(256)).output
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
        result = run((*READ, "-R", f'dump {path} "{copy}"', node), seconds=LOOK_SECONDS, accept=range(256))
        try:
            return copy.read_bytes().decode("utf-8", "surrogateescape")
        except OSError:
            raise Failed(f"{FILE_NOT_READ(path=path, node=node)} {result.last_words}") from None


ROOT = "/"
FOLDER = "/etc"
LINKS = Path("/dev/disk")


def own_fstab(node: str, ext: ExtFacts, tags: Tags) -> OwnFstab | None:
    """Return the fstab on an unmounted filesystem, or None if it has none. `fault` says why a file cannot be
    changed."""
    try:
        seen = seen_inside(node, (FOLDER, OWN_FSTAB))
        if OWN_FSTAB not in seen:
            return None
        if fault := _fault(seen[FOLDER], seen[OWN_FSTAB]):
            return OwnFstab(fault=str(fault))
        text = text_inside(node, OWN_FSTAB)
        lines = tuple(
            BootLine(line.number, line.kind, line.mount_point)
            for line in parse(text, OWN_FSTAB)
            if _is_own_line(line, node, tags)
        )
    except (BadInput, Failed) as error:
        return OwnFstab(fault=str(t("the file cannot be read ({why})", why=str(error))))
    return OwnFstab(
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


def _is_own_line(line: Line, node: str, tags: Tags) -> bool:
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
) -> str:
    """Change a line in the fstab on a node, and return a result message.

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
    return str(t("Done on {node}.", node=node))


def own_checks(node: str, migration: Migration) -> Iterator[Check]:
    """Yield a check for each line of the fstab on a node. Raises Failed if the file cannot be read."""
    for operation in _own_operations(migration):
        holds = _own_state(operation, migration, node) is How.AFTER
        yield Check(joined(operation.holds), holds, operation.new)


def _own_operations(migration: Migration) -> tuple[SetOwnFstabType, ...]:
    return tuple(one for one in migration.on_device if isinstance(one, SetOwnFstabType))
