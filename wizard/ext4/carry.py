"""Conversion of a filesystem in use, saved for a rescue medium. Checks the fit there."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from wizard.documents.codec import JSON, Sealed
from wizard.ext4 import check as words
from wizard.ext4.assessment import PASSING, Folder, Situation
from wizard.ext4.check import ext_faults
from wizard.ext4.duration import room_bytes
from wizard.ext4.filesystem_checks import OLDEST_PROGRAMS, in_use, its_kind, its_state, programs
from wizard.ext4.operations import fstab_operations, operations_for
from wizard.ext4.system_checks import (
    at_boot,
    boot_path,
    folders,
    nothing_to_do,
    own_fstab,
    room_inside,
    told_of,
)
from wizard.filesystems.kind import Argv
from wizard.model.errors import BadInput, DiskwrightError, Refused, printable
from wizard.model.ext import ExtFacts
from wizard.model.finding import Finding, Severity
from wizard.model.migration import Carried, Means, Prospect, Way
from wizard.model.said import Message, Sentence, join, t
from wizard.plan.check import identity_faults
from wizard.plan.rules import is_device_path

NOTHING_WRITTEN = t("Nothing was written.")


NO_TRANSACTION = t("A transaction is not possible here:")


RULES = (
    in_use,
    its_state,
    its_kind,
    programs,
    room_inside,
    folders,
    boot_path,
    at_boot,
    own_fstab,
    nothing_to_do,
)

WRITING = frozenset({Way.LIGHT, Way.FULL})
TOUCHING = frozenset({*WRITING, Way.FRESH})

BARS: Mapping[str, frozenset[Way]] = {
    "migrate-running-root": TOUCHING,
    "migrate-mounted": TOUCHING,
    "migrate-swap-file": TOUCHING,
    "migrate-opened": TOUCHING,
    "migrate-barred": frozenset(Way),
    "migrate-cut-off": TOUCHING,
    "migrate-counts": TOUCHING,
    "migrate-half-done": TOUCHING,
    "migrate-errors": TOUCHING,
    "migrate-damaged": TOUCHING,
    "migrate-journal-pending": frozenset({Way.FRESH}),
    "migrate-external-journal": WRITING,
    "migrate-unknown-features": WRITING,
    "migrate-first-revision": WRITING,
    "migrate-programs-missing": WRITING,
    "migrate-programs-old": WRITING,
    "migrate-no-room-journal": WRITING,
    "migrate-full": frozenset({Way.FULL}),
    "migrate-folder": WRITING,
    "migrate-no-folder": WRITING,
    "migrate-target": frozenset({Way.FRESH}),
    "migrate-nothing-at-boot": frozenset({Way.MOUNT}),
    "migrate-light-complete": frozenset({Way.LIGHT}),
    "migrate-complete": frozenset({Way.FULL}),
}
"""Conversion methods that each finding blocks. Other findings are informational."""

REPAIRABLE = frozenset({"migrate-errors", "migrate-damaged", "migrate-half-done"})
"""Findings that no longer block a writing method once the user consents to repairs."""


def obstacles_of(situation: Situation) -> tuple[Finding, ...]:
    """Return all findings, most severe first."""
    found = [finding for rule in RULES for finding in rule(situation)]
    order = list(Severity)
    return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))


def against(situation: Situation, way: Way, *, repairs: bool = False) -> Finding | None:
    """Return the first finding that blocks a method, or None."""
    for finding in obstacles_of(situation):
        if way in BARS.get(finding.code, frozenset()) and not (
            repairs and way in WRITING and finding.code in REPAIRABLE
        ):
            return finding
    return None


def refusal(finding: Finding) -> DiskwrightError:
    """Return the error for a finding: Refused for safety, or BadInput if the method does not suit the
    filesystem."""
    message = f"{finding.sentence} {finding.remedy} {NOTHING_WRITTEN}"
    return Refused(message) if finding.severity is Severity.DANGER else BadInput(message)


IN_USE = frozenset({"migrate-running-root", "migrate-mounted", "migrate-swap-file"})
"""Findings that do not apply on a rescue medium."""

ROOT = "/"
"""If the filesystem is mounted here, fstab is on the filesystem itself and changes with it."""

PLACE = PurePosixPath("/mnt")
RUNS = str(PLACE / "diskwright")
"""Mount point of the other volume on the rescue medium, as instructed, and folder of the run."""


def is_in_use(situation: Situation) -> bool:
    """Return True if the filesystem is in use in a way that booting a rescue medium ends."""
    return situation.is_root or bool(situation.mounts) or bool(situation.swap_files)


def can_be_carried(prospect: Prospect) -> bool:
    """Return True if the conversion is blocked because the filesystem is in use."""
    return any(finding.code in IN_USE for finding in prospect.findings)


def make_carried(situation: Situation, way: Way, *, manifest: bool = False, repairs: bool = False) -> Carried:
    """Return the conversion for a rescue medium. Raises Refused or BadInput with the finding that blocks it
    anywhere."""
    if way not in WRITING:
        raise BadInput(
            join(
                t("Only the light and full conversions can be used on a rescue medium, not {way}.", way=way),
                NOTHING_WRITTEN,
            )
        )
    unused = _unused(situation)
    if finding := against(unused, way, repairs=repairs):
        raise refusal(finding)
    severe = (Severity.WARNING, Severity.INFO)
    notes = [one for one in obstacles_of(unused) if one.code in TOLD and one.severity in severe]
    return Carried(
        drive=replace(situation.drive, diskseq=None, content_digest=None, boot_id=None, held=()),
        device=situation.device,
        device_bytes=situation.device_bytes,
        before=situation.ext,
        way=way,
        manifest=manifest,
        repairs=repairs,
        fstab=situation.fstab if fstab_operations(situation) and ROOT not in situation.mounts else "",
        doubts=tuple(map(told_of, notes)),
    )


TOLD = frozenset({"migrate-boot-loader", "migrate-root-type", "migrate-initramfs", "migrate-mount-unit"})
"""Findings about boot and mounts that a rescue medium may not detect."""


def _unused(situation: Situation) -> Situation:
    """Return the situation with the filesystem unused, and without facts that depend on the medium: free
    space, tools and folders."""
    before = situation.ext
    clean = replace(
        before,
        free_blocks=before.blocks,
        needs_recovery=False,
        clean=True,
        features=before.features - PASSING,
    )
    return replace(
        situation,
        ext=clean,
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


def difference(carried: Carried, situation: Situation) -> Message | None:
    """Return the first difference between the filesystem found and the one planned for, as a clause, or
    None."""
    was, now, drive = carried.before, situation.ext, carried.drive
    pairs: tuple[tuple[Sentence, object, object], ...] = (
        (Sentence("UUID"), was.uuid, now.uuid),
        (Sentence("size in bytes"), carried.device_bytes, situation.device_bytes),
        *((name, getattr(was, field), getattr(now, field)) for field, name in SHAPE.items()),
        (Sentence("features"), _lasting(was), _lasting(now)),
        (Sentence("drive's serial"), drive.serial, situation.drive.serial),
        (Sentence("drive's WWN"), drive.wwn, situation.drive.wwn),
        (Sentence("drive's size in bytes"), drive.size_bytes, situation.drive.size_bytes),
    )
    for what, wanted, seen in pairs:
        if wanted != seen:
            return t(
                "{what}: {now} now, {was} in the plan",
                what=what(),
                now=_value_text(seen),
                was=_value_text(wanted),
            )
    return None


SHAPE = {
    "block_bytes": Sentence("block size"),
    "blocks": Sentence("number of blocks"),
    "inode_bytes": Sentence("inode size"),
    "inodes": Sentence("number of inodes"),
    "blocks_per_group": Sentence("blocks per group"),
}


def _lasting(facts: ExtFacts) -> str:
    return ", ".join(sorted(facts.features - PASSING))


def _value_text(value: object) -> Message | str:
    return t("none") if value is None else printable(str(value), 400)


def carrying_steps(carried: Carried, file: str = "FILE") -> Iterator[tuple[Message, Argv]]:
    """Yield the user's steps with the plan in `file`: a sentence and a command each, empty for none."""
    operations = operations_for(carried.way, carried.before, repairs=carried.repairs)
    room = max(room_bytes(operations, carried.before, means) for means in (Means.TRANSACTION, Means.DIRECT))
    plan, device = printable(file, 2000), printable(carried.device, 200)
    copy = str(PLACE / PurePosixPath(plan).name)
    if carried.fstab:
        token = printable(carried.drive.token)
        mounting: Argv = ("sudo", "diskwright", "migrate", device, "--way", "mount", "--confirm", token)
        yield (
            t(
                "Change {fstab} to ext4 now; the ext4 driver can also mount the old filesystem.",
                fstab=printable(carried.fstab, 200),
            ),
            mounting,
        )
    yield (
        t(
            "Copy {plan} and diskwright to a USB stick or a volume other than {device}, "
            "with {room:size} of free working space.",
            plan=plan,
            device=device,
            room=room,
        ),
        (),
    )
    yield (
        t(
            "Boot the computer from a rescue medium or a live system. Mount that volume "
            "at {place}, and do not mount {device}.",
            place=str(PLACE),
            device=device,
        ),
        (),
    )
    applying: Argv = ("sudo", "diskwright", "apply", copy, "--journal", RUNS)
    yield (
        t(
            "Review all steps. The filesystem is found by UUID, regardless of the device "
            "name; no data is written yet."
        ),
        applying,
    )
    yield (
        t("Apply the plan. Replace TOKEN with the serial number or device name shown."),
        (*applying, "--confirm", "TOKEN"),
    )
    undo, keep = (("sudo", "diskwright", action, "--journal", RUNS) for action in ("undo", "keep"))
    yield (
        t(
            "Keep the result. `{command}` undoes the conversion instead, if the system "
            "has not been booted from it.",
            command=" ".join(undo),
        ),
        keep,
    )
    yield t("Remove the medium and reboot."), ()


def not_there(carried: Carried) -> Message:
    """Return the message that the filesystem is not attached."""
    message = t(
        "Filesystem {uuid} ({size:exact}) is not attached. Attach the drive and open "
        "the container (LUKS, LVM, md).",
        uuid=carried.before.uuid,
        size=carried.device_bytes,
    )
    return join(message, NOTHING_WRITTEN)


def _check_carried(carried: Carried, where: str) -> None:
    """Raises BadInput for the first inconsistency. `where` names the file."""
    if fault := next(_faults(carried), None):
        raise BadInput(
            t(
                "{where} is inconsistent: {fault}. Recreate it where it was created.",
                where=where,
                fault=fault,
            )
        )


def _faults(carried: Carried) -> Iterator[Message | str]:
    yield from identity_faults(carried.drive)
    if not is_device_path(carried.device):
        yield words.NO_DEVICE(device=printable(carried.device, 60))
    yield from ext_faults(carried.before)
    if carried.way not in WRITING:
        yield t("the {way} conversion is not available on a rescue medium", way=carried.way)
    if carried.device_bytes <= 0:
        yield t("a device of {bytes} bytes is impossible", bytes=carried.device_bytes)


def _from_first(body: JSON) -> JSON:
    """Migrate schema 1, whose doubts are text. They are still valid."""
    return body


CARRIED = Sealed(
    "diskwright.carried/2",
    Carried,
    t("Recreate it where it was created."),
    _check_carried,
    earlier={"diskwright.carried/1": _from_first},
)
render_carried, is_carried, read_carried = CARRIED.render, CARRIED.is_one, CARRIED.read_kept
