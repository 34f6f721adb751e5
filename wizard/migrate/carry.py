"""A way to ext4 for a filesystem in use, to carry to a rescue medium: what may be carried, whether it fits
what is found there, and how."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from wizard.filesystems.kind import Argv
from wizard.migrate.estimates import room_bytes
from wizard.migrate.ext.used import PASSING
from wizard.migrate.obstacles.finding import told_of
from wizard.migrate.obstacles.found_all import WRITING, against, obstacles_of, refusal
from wizard.migrate.obstacles.inside_it import OLDEST_PROGRAMS
from wizard.migrate.operations import fstab_operations, operations_for
from wizard.migrate.situation import Folder, Situation
from wizard.migrate.words import carry as words
from wizard.migrate.words.make import NOTHING_WRITTEN
from wizard.model.documents.carried import Carried
from wizard.model.documents.migration import Means, Prospect, Way
from wizard.model.errors import BadInput
from wizard.model.ext import ExtFacts
from wizard.model.finding import Severity
from wizard.model.names import printable
from wizard.model.said import Said, Sentence, in_a_row

IN_USE = frozenset({"migrate-running-root", "migrate-mounted", "migrate-swap-file"})
"""Findings of what a rescue medium ends."""

ROOT = "/"
"""Where that is mounted, fstab lies on the filesystem itself, and is changed with it."""

PLACE = PurePosixPath("/mnt")
RUNS = str(PLACE / "diskwright")
"""Where the instructions have the other volume mounted on the rescue medium, and the run kept."""


def is_in_use(situation: Situation) -> bool:
    """Whether it is used in a way that a rescue medium ends."""
    return situation.is_root or bool(situation.mounts) or bool(situation.swap_files)


def can_be_carried(prospect: Prospect) -> bool:
    """Whether what stands against the ways is that the filesystem is in use."""
    return any(finding.code in IN_USE for finding in prospect.findings)


def make_carried(situation: Situation, way: Way, *, manifest: bool = False, repairs: bool = False) -> Carried:
    """What is carried; raises Refused or BadInput with the sentence of what would stand against it
    anywhere."""
    if way not in WRITING:
        raise BadInput(in_a_row(words.NOT_CARRIED(way=way), NOTHING_WRITTEN()))
    free = _let_go(situation)
    if finding := against(free, way, repairs=repairs):
        raise refusal(finding)
    severe = (Severity.WARNING, Severity.INFO)
    told = [one for one in obstacles_of(free) if one.code in TOLD and one.severity in severe]
    return Carried(
        drive=replace(situation.drive, diskseq=None, content_digest=None, boot_id=None, held=()),
        device=situation.device,
        device_bytes=situation.device_bytes,
        before=situation.ext,
        way=way,
        manifest=manifest,
        repairs=repairs,
        fstab=situation.fstab if fstab_operations(situation) and ROOT not in situation.mounts else "",
        doubts=tuple(map(told_of, told)),
    )


TOLD = frozenset({"migrate-boot-loader", "migrate-root-type", "migrate-initramfs", "migrate-mount-unit"})
"""Findings on what starts and mounts from it: a rescue medium does not see them all."""


def _let_go(situation: Situation) -> Situation:
    """As it would be where nobody uses it. What is free is known only then, and programs and folders are
    other ones there."""
    before = situation.ext
    calm = replace(
        before,
        free_blocks=before.blocks,
        needs_recovery=False,
        clean=True,
        features=before.features - PASSING,
    )
    return replace(
        situation,
        ext=calm,
        mounts=(),
        swap_files=(),
        is_root=False,
        opened=False,
        missing=(),
        e2fsprogs=OLDEST_PROGRAMS,
        no_snapshots="",
        store=Folder(""),
        undo_dir=Folder(""),
    )


def difference(carried: Carried, situation: Situation) -> Said | None:
    """The first thing in which what is found is another than what was carried, as a clause; None where it
    is the same."""
    was, now, drive = carried.before, situation.ext, carried.drive
    pairs: tuple[tuple[Sentence, object, object], ...] = (
        (words.UUID, was.uuid, now.uuid),
        (words.SIZE, carried.device_bytes, situation.device_bytes),
        *((name, getattr(was, field), getattr(now, field)) for field, name in SHAPE.items()),
        (words.FEATURES, _lasting(was), _lasting(now)),
        (words.SERIAL, drive.serial, situation.drive.serial),
        (words.WWN, drive.wwn, situation.drive.wwn),
        (words.DRIVE_SIZE, drive.size_bytes, situation.drive.size_bytes),
    )
    for what, wanted, seen in pairs:
        if wanted != seen:
            return words.DIFFERENCE(what=what(), now=_shown(seen), was=_shown(wanted))
    return None


SHAPE = {
    "block_bytes": words.BLOCK_SIZE,
    "blocks": words.BLOCKS,
    "inode_bytes": words.INODE_SIZE,
    "inodes": words.INODES,
    "blocks_per_group": words.GROUP,
}


def _lasting(facts: ExtFacts) -> str:
    return ", ".join(sorted(facts.features - PASSING))


def _shown(value: object) -> Said | str:
    return words.NONE() if value is None else printable(str(value), 400)


def carrying_steps(carried: Carried, file: str = "FILE") -> Iterator[tuple[Said, Argv]]:
    """What a person does, in order, with the plan in `file`: a sentence each, and its command, empty for
    none."""
    operations = operations_for(carried.way, carried.before, repairs=carried.repairs)
    room = max(room_bytes(operations, carried.before, means) for means in (Means.TRANSACTION, Means.DIRECT))
    plan, device = printable(file, 2000), printable(carried.device, 200)
    there = str(PLACE / PurePosixPath(plan).name)
    if carried.fstab:
        token = printable(carried.drive.token)
        mounting: Argv = ("sudo", "diskwright", "migrate", device, "--way", "mount", "--confirm", token)
        yield words.FSTAB(fstab=printable(carried.fstab, 200)), mounting
    yield words.PUT(plan=plan, device=device, room=room), ()
    yield words.START(place=str(PLACE), device=device), ()
    applying: Argv = ("sudo", "diskwright", "apply", there, "--journal", RUNS)
    yield words.LOOK(), applying
    yield words.CARRY_OUT(), (*applying, "--confirm", "TOKEN")
    undoing, keeping = (("sudo", "diskwright", settling, "--journal", RUNS) for settling in ("undo", "keep"))
    yield words.KEEP(command=" ".join(undoing)), keeping
    yield words.AGAIN(), ()


def not_there(carried: Carried) -> Said:
    """That the filesystem is not attached."""
    said = words.NOT_THERE(uuid=carried.before.uuid, size=carried.device_bytes)
    return in_a_row(said, NOTHING_WRITTEN())
