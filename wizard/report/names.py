"""Find names in the words, environment and documents of a command. Only words known to the program are
preserved: options, their fixed values, kernel device names, and numbers."""

import json
import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from wizard.advice.catalogue import load_catalogue
from wizard.apply.run import runs
from wizard.documents.profiles import BUNDLED
from wizard.filesystems.registry import KINDS as FILESYSTEMS
from wizard.model import layout
from wizard.model.advice import Evidence, Workload
from wizard.model.errors import DiskwrightError
from wizard.model.finding import Finding
from wizard.model.machine import Partition
from wizard.model.run import Waiting
from wizard.operations.layers import MakeArray, MakeLogicalVolume, MakeVolumeGroup
from wizard.operations.settings import Relabel
from wizard.plan.changes import BringFrom, BringTo, TakePlace
from wizard.plan.request.roles import ROLES
from wizard.plan.request.volume_request import ENCRYPTIONS, KEYS
from wizard.probe.host.sysfs import SYS
from wizard.report.parts import Report

SERIAL, WWN, LINK, UUID, DIGEST = "SERIAL", "WWN", "LINK", "UUID", "DIGEST"
LABEL, MOUNT, FILE = "LABEL", "MOUNT", "FILE"
NAME, USER, HOST = "NAME", "USER", "HOST"
"""Prefixes of replacement words."""

BY_FIELD = {
    field: kind
    for kind, names in (
        (SERIAL, "serial"),
        (WWN, "wwn"),
        (LINK, "by_id"),
        (UUID, "uuid uuids part_uuid boot_id"),
        (DIGEST, "content_digest superblock_digest"),
        (LABEL, "label"),
        (MOUNT, "mount_point mount_points last_mounted_at"),
        (FILE, "store backing_file"),
    )
    for field in names.split()
}
NAMED = (
    Partition,
    layout.Slot,
    layout.TableEntry,
    MakeArray,
    MakeVolumeGroup,
    MakeLogicalVolume,
    layout.Stripe,
    layout.Group,
)
"""Classes whose `name` a person chose, or that comes from a label. So does a logical volume's `group`."""

USUAL_NAMES = frozenset(
    {"EFI System Partition", "EFI system partition", "EFI System", "Linux filesystem", "Linux swap"}
    | {"Linux RAID", "Linux LVM", "Basic data partition", "Microsoft reserved partition", "BIOS boot"}
    | {"BIOS boot partition", "primary", "swap", "root", "boot", "home"}
)
"""Common names of partitions and volumes, chosen by installers."""

USUAL_PLACES = frozenset(
    {"/", "/boot", "/boot/efi", "/efi", "/home", "/media", "/mnt", "/opt", "/root", "/srv", "/tmp", "/usr"}
    | {"/usr/local", "/var", "/var/lib", "/var/log", "[SWAP]", "none", "swap"}
)
"""Mount points on every system."""


def secrets_of(report: Report) -> dict[str, str]:
    """Return every value to replace with the kind."""
    workloads = [advice.workload for advice in report.advice]
    ours = {workload.label for workload in workloads if workload.origin.startswith(str(BUNDLED))}
    return secrets_in(report, {}, ours)


def secrets_in(nouns: object, others: Mapping[str, str], usual: Collection[str] = ()) -> dict[str, str]:
    """Return the values in facts, and `others`, without those common to all systems and `usual` labels."""
    common = {LABEL: {"", *USUAL_NAMES, *usual}, MOUNT: {"", *USUAL_PLACES}}
    found: dict[str, str] = {}
    for value, kind in (*_walk(nouns), *others.items()):
        if value not in common.get(kind, ("",)):
            found.setdefault(value, kind)
    return found


def _walk(value: object) -> Iterator[tuple[str, str]]:
    """Yield identifying fields with the kind. Skips published texts."""
    if isinstance(value, tuple):
        for one in value:
            yield from _walk(one)
    if not isinstance(value, Struct) or isinstance(value, Evidence | Workload):
        return
    if isinstance(value, Waiting) and "/" in value.run:
        yield value.run.strip("'"), FILE
    if isinstance(value, Finding) and "=" in value.subject:
        # A finding about a line of fstab names a device that is not attached.
        yield value.subject.partition("=")[2], LABEL
    if isinstance(value, Relabel):
        names = (value.old, value.new, *(uuid for part in value.parts for uuid in part[1:]))
        yield from ((name, UUID if value.identifier == "uuid" else LABEL) for name in names)
    yield from ((folder, MOUNT) for folder in _folders(value))
    chosen = dict.fromkeys(("name", "group"), LABEL) if isinstance(value, NAMED) else {}
    if isinstance(value, layout.Writer):
        chosen = {"name": USER}
    for name in value.__struct_fields__:
        inner: object = getattr(value, name)
        if kind := BY_FIELD.get(name) or chosen.get(name):
            several = inner if isinstance(inner, tuple) else (inner,)
            yield from ((one, kind) for one in several if isinstance(one, str))
        else:
            yield from _walk(inner)


def _folders(value: Struct) -> tuple[str, ...]:
    match value:
        case BringFrom():
            return value.below if value.is_device else (*value.below, value.path)
        case BringTo():
            return (value.folder, *value.makes, value.place)
        case TakePlace():
            return (value.place,)
    return ()


LARGEST_DOCUMENT_BYTES = 16 * 1024 * 1024
NEWEST_RUNS = 20
"""Number of runs whose documents are read."""

BETWEEN = re.compile(r"([,=:])")
"""Separators of values in a word of a command: `label=media,mount=/srv/media`."""

PLAIN = re.compile(
    r"""[\d.,]*                                        # number
    | \d+(\.\d+)?\s?([KMGTP]i?B?|B|%)                   # size or percentage
    | \d{4}-[a-z0-9-]{1,40}                             # run
    | /dev/(sd[a-z]+|hd[a-z]|vd[a-z]+|xvd[a-z]+|loop|nvme\d+n|mmcblk|md|dm-|zram|sr|nbd|pmem|ram)[\dpn]*
    """,
    re.VERBOSE | re.IGNORECASE,
)

USUAL_FILES = USUAL_PLACES | frozenset(
    {"/nonexistent", "/etc/fstab", "/etc/crypttab", "/var/tmp", "/run", "/var/lib/diskwright"}
)

OWN_WORDS = frozenset(
    {*KEYS, *ROLES, *ENCRYPTIONS, *FILESYSTEMS, "rest", "none", "root", "everyone", "group", "user"}
)

PEOPLE = ("USER", "LOGNAME", "USERNAME", "SUDO_USER", "DOAS_USER")
FOLDERS = ("HOME", "PWD", "OLDPWD", "TMPDIR", "DISKWRIGHT_STATE", "DISKWRIGHT_PLACES", "XDG_CONFIG_HOME")
"""Environment variables with the name of a person, or of a person's folder."""

TOKENS = ("--confirm",)


def names_given(words: Sequence[str], known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield every name given to a command. `known`: the command's own words."""
    for _, pieces in _split(words, known):
        yield from ((piece, kind) for piece, kind in pieces if kind)
    for variable in PEOPLE:
        if (person := os.environ.get(variable, "")) != "root":
            yield person, USER
    for folder in (*(os.environ.get(variable, "") for variable in FOLDERS), os.getcwd()):  # noqa: PTH109
        if folder.startswith("/") and folder not in USUAL_FILES:
            yield folder, FILE
    for file in (*map(Path, words), *_documents_of_runs(words)):
        yield from _in_document(file, known)


def masked(
    words: Sequence[str], known: Collection[str], word_for: Callable[[str, str], str]
) -> Iterator[str]:
    """Yield the words, with names replaced by `word_for(kind, value)`."""
    for option, pieces in _split(words, known):
        yield option + "".join(word_for(kind, piece) if kind else piece for piece, kind in pieces)


def _split(words: Sequence[str], known: Collection[str]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield each word as an option with equals sign, and its value as `_pieces` does. The option before can
    decide the kind."""
    for before, word in pairwise(("", *words)):
        option, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            option, equals, value = "", "", word
        elif not any(one.startswith(option) for one in known):
            # A short option with a value, or not an option.
            option, equals = word[:2] if word[:2] in known else "", ""
            value = word[len(option) :]
        elif not equals:
            yield option, []
            continue
        named = (option or before).rstrip("=")
        kind = SERIAL if named in TOKENS else USER if named == "--writable" else NAME
        yield option + equals, list(_pieces(value, kind, known))


def _pieces(value: str, kind: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """The kind is empty for parts that name nobody."""
    before = ""
    for piece in BETWEEN.split(value):
        if BETWEEN.fullmatch(piece) or _is_known(piece, kind, known):
            yield piece, ""
        elif piece.startswith("/dev/"):
            folder, _, name = piece.rpartition("/")
            yield from ((f"{folder}/", ""), (name, kind))
        elif piece:
            own_kind = USER if before == "writable" else kind
            yield piece, FILE if "/" in piece and own_kind != SERIAL else own_kind
        before = before if piece in ("=", ":", "group", "user") else piece


def _is_known(piece: str, kind: str, known: Collection[str]) -> bool:
    if kind == SERIAL:
        # A drive without a serial number is confirmed with its kernel name.
        return (SYS / "class/block" / piece).exists()
    return piece in known or piece in _vocabulary() or piece in USUAL_FILES or bool(PLAIN.fullmatch(piece))


@cache
def _vocabulary() -> frozenset[str]:
    """Return our own terms: workloads, filesystems, options and their parts."""
    texts: set[str] = set()
    with suppress(DiskwrightError):
        for name, option in load_catalogue().items():
            texts |= {name, option.text, str(option.phrase), *option.text.split()}
    workloads = {path.stem for path in (BUNDLED / "workloads").glob("*.toml")}
    parts = {part for text in texts for part in BETWEEN.split(text)}
    return OWN_WORDS | workloads | texts | parts


def _documents_of_runs(words: Sequence[str]) -> Iterator[Path]:
    """`keep` and `resume` work without naming a run."""
    folders = {runs.runs_folder()}
    for before, word in pairwise(("", *words)):
        if before == "--journal" or word.startswith("--journal="):
            folders.add(Path(word.removeprefix("--journal=")))
    named = {Path(word) for word in words if "/" in word}
    with suppress(OSError):
        for folder in folders:
            named |= set(sorted(folder.glob("[0-9]*"))[-NEWEST_RUNS:])
    yield from (
        run / file
        for run in named
        for file in (runs.PLAN, runs.CHANGES, runs.MIGRATION, runs.MOVE, runs.BRING)
    )


def _in_document(path: Path, known: Collection[str]) -> Iterator[tuple[str, str]]:
    with suppress(OSError, ValueError, RecursionError):
        if not path.is_file() or path.stat().st_size > LARGEST_DOCUMENT_BYTES:
            return
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            for key, value in _texts(tomllib.loads(text)):
                kind = BY_FIELD.get(key) or (USER if key == "writable" else NAME)
                yield from ((piece, found) for piece, found in _pieces(value, kind, known) if found)
        else:
            known_kinds = BY_FIELD | {"person": USER}
            yield from (
                (value, known_kinds[key]) for key, value in _texts(json.loads(text)) if key in known_kinds
            )


def _texts(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """The name of a person or group has the key `person`."""
    if isinstance(value, dict):
        is_person = value.get("kind") in ("person", "group")
        for name, inner in value.items():
            yield from _texts(inner, "person" if is_person and name == "name" else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, key)
    elif isinstance(value, str):
        yield key, value
