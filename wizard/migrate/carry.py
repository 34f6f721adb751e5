"""A way to ext4 for a filesystem in use, to carry to a rescue medium: what may be carried, whether it fits
what is found there, and how."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from wizard.filesystems.kind import Argv
from wizard.migrate.estimates import room_bytes
from wizard.migrate.ext.used import PASSING
from wizard.migrate.obstacles.found_all import WRITING, against, obstacles_of, refusal
from wizard.migrate.obstacles.inside_it import OLDEST_PROGRAMS
from wizard.migrate.operations import fstab_operations, operations_for
from wizard.migrate.situation import Folder, Situation
from wizard.model.carried import Carried
from wizard.model.errors import BadInput
from wizard.model.ext import ExtFacts
from wizard.model.finding import Severity
from wizard.model.migration import Means, Prospect, Way
from wizard.model.names import printable
from wizard.model.units import format_capacity, format_exact

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
        raise BadInput(
            f"Only the ways light and full can be carried to a rescue medium, not {way}. Nothing was written."
        )
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
        doubts=tuple(f"{one.sentence} {one.remedy}" for one in told),
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


def difference(carried: Carried, situation: Situation) -> str | None:
    """The first thing in which what is found is another than what was carried, as a sentence; None where it
    is the same."""
    was, now, drive = carried.before, situation.ext, carried.drive
    pairs: tuple[tuple[str, object, object], ...] = (
        ("UUID", was.uuid, now.uuid),
        ("size in bytes", carried.device_bytes, situation.device_bytes),
        *((name, getattr(was, field), getattr(now, field)) for field, name in SHAPE.items()),
        ("features", _lasting(was), _lasting(now)),
        ("drive's serial", drive.serial, situation.drive.serial),
        ("drive's WWN", drive.wwn, situation.drive.wwn),
        ("drive's size in bytes", drive.size_bytes, situation.drive.size_bytes),
    )
    for what, wanted, seen in pairs:
        if wanted != seen:
            return f"its {what}: {_shown(seen)} now, and {_shown(wanted)} when the plan was made"
    return None


SHAPE = {
    "block_bytes": "block size",
    "blocks": "number of blocks",
    "inode_bytes": "inode size",
    "inodes": "number of inodes",
    "blocks_per_group": "number of blocks in a group",
}


def _lasting(facts: ExtFacts) -> str:
    return ", ".join(sorted(facts.features - PASSING))


def _shown(value: object) -> str:
    return "none" if value is None else printable(str(value), 400)


def carrying_steps(carried: Carried, file: str = "FILE") -> Iterator[tuple[str, Argv]]:
    """What a person does, in order, with the plan in `file`: a sentence each, and its command, empty for
    none."""
    operations = operations_for(carried.way, carried.before, repairs=carried.repairs)
    room = max(room_bytes(operations, carried.before, means) for means in (Means.TRANSACTION, Means.DIRECT))
    plan, device = printable(file, 2000), printable(carried.device, 200)
    there = str(PLACE / PurePosixPath(plan).name)
    if carried.fstab:
        yield (
            f"Have {printable(carried.fstab, 200)} name ext4 now, by which it is mounted as it is, too.",
            (
                "sudo",
                "diskwright",
                "migrate",
                device,
                "--way",
                "mount",
                "--confirm",
                printable(carried.drive.token),
            ),
        )
    yield (
        f"Put {plan} and diskwright on a USB stick or a volume other than {device}, with "
        f"{format_capacity(room)} free for its work.",
        (),
    )
    yield (
        f"Start the computer from a rescue medium or a live system. Mount that volume at {PLACE} there, and "
        f"nothing of {device}.",
        (),
    )
    applying: Argv = ("sudo", "diskwright", "apply", there, "--journal", RUNS)
    yield (
        "Look at every step. The filesystem is found by its UUID, whatever its device is called there; "
        "nothing is written yet.",
        applying,
    )
    yield "Carry it out by the token that was named.", (*applying, "--confirm", "TOKEN")
    yield (
        f"Keep it. `sudo diskwright undo --journal {RUNS}` takes it back instead, as long as the system was "
        "not started from it.",
        ("sudo", "diskwright", "keep", "--journal", RUNS),
    )
    yield "Take the medium out, and start the system again.", ()


def not_there(carried: Carried) -> str:
    """That the filesystem is not attached."""
    return (
        f"The filesystem {carried.before.uuid} ({format_exact(carried.device_bytes)}) is not there. Attach "
        "its drive, and open what it lies in (LUKS, LVM, md). Nothing was written."
    )
