"""What was made, read back by other tools than those that made it: the checks that filesystems bring, and
what their superblocks say."""

import json
from collections.abc import Sequence
from itertools import pairwise

from wizard.apply.steps.step_context import look_at
from wizard.apply.steps.words.devices import WIPEFS_UNREADABLE
from wizard.filesystems.registry import KINDS, MADE
from wizard.model.errors import Failed
from wizard.model.machine import Drive, Signature, Striping
from wizard.model.names import printable
from wizard.model.operations.arrays import MakeArray, MakeVolumeGroup
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.plan import GrowFilesystem, Operation, Plan, ShrinkFilesystem
from wizard.model.said import Said, Sentence, t
from wizard.tools.program import run

LVM_PROGRAMS = frozenset({"lvs", "pvs", "vgs", "lvchange", "vgchange", "vgremove"})


def checking_programs(operation: Operation) -> frozenset[str]:
    """The programs that checking or taking back an operation needs besides those that its commands name."""
    match operation:
        case MakeFilesystem(filesystem=kind, striping=striping, others=others):
            made = MADE[kind]
            return frozenset(
                argv[0]
                for argv in (made.clean_check, made.superblock_reader if striping or others else ())
                if argv
            )
        case GrowFilesystem(filesystem=kind) | ShrinkFilesystem(filesystem=kind):
            growing = KINDS[kind].growing
            return frozenset((*growing.check[:1], *growing.programs)) if growing else frozenset()
        case MakeArray():
            return frozenset({"mdadm"})
        case MakeVolumeGroup():
            return LVM_PROGRAMS
        case _:
            return frozenset()


def signatures_on(
    device: str, plan: Plan, seconds: float, drives: Sequence[Drive] = ()
) -> tuple[Signature, ...] | None:
    """What is recognised on a device of the plan; None where it is not there. Raises Failed where its drive
    does not tell.

    A drive that is not among `drives` is read afresh.
    """
    member = plan.member(device)
    if member is None:
        return listed_signatures(device, seconds)
    drive = next((drive for drive in drives if drive.path == member.drive.path), None) or look_at(
        member.drive.path
    )
    if device == drive.path:
        return drive.signatures
    part = drive.partition(device)
    return part.signatures if part else None


def listed_signatures(device: str, seconds: float) -> tuple[Signature, ...]:
    """Return what wipefs reads on one device, which can be an array. Raises Failed."""
    text = run(["wipefs", "--no-act", "--json", device], seconds=seconds).output
    try:
        rows = json.loads(text)["signatures"] if text.strip() else []
        return tuple(Signature(row["type"], "other", row.get("label"), row.get("uuid")) for row in rows)
    except (ValueError, KeyError, TypeError):
        raise Failed(WIPEFS_UNREADABLE(device=device, said=printable(text, 80))) from None


def recognised_differences(
    signatures: Sequence[Signature] | None, filesystem: str, uuid: str, label: str
) -> tuple[Said, ...]:
    """How what libblkid recognises differs from what was to be made, in pieces of sentences. Pure."""
    if signatures is None:
        return (t("the partition is not there"),)
    if len(signatures) != 1 or signatures[0].ambivalent:
        kinds = tuple(printable(signature.kind) for signature in signatures) or t("nothing")
        return (t("it shows {kinds:list} instead of exactly one filesystem", kinds=kinds),)
    seen = signatures[0]
    pairs = (
        (Sentence("its type is {seen!r}, not {wanted!r}"), seen.kind, filesystem),
        (Sentence("its UUID is {seen!r}, not {wanted!r}"), seen.uuid, uuid),
        (Sentence("its label is {seen!r}, not {wanted!r}"), seen.label, label),
    )
    return tuple(
        differs(seen=printable(str(found)), wanted=wanted)
        for differs, found, wanted in pairs
        if found != wanted
    )


def spread_differences(operation: MakeFilesystem, seconds: float) -> tuple[Said, ...]:
    """How the filesystem is spread otherwise than planned, by its own superblock; nothing for one that is not
    striped. Raises Failed."""
    if not operation.striping and not operation.others:
        return ()
    kind = MADE[operation.filesystem]
    text = run([*kind.superblock_reader, operation.device], seconds=seconds).output
    if operation.others:
        profile = "RAID1" if ("-d", "raid1") in pairwise(operation.options) else "RAID0"
        return () if f"DATA|{profile}" in text else (t("its data are not {profile}", profile=profile),)
    seen = kind.striping_in(text) if kind.striping_in else None
    if seen == operation.striping:
        return ()
    return (
        t("its superblock says {seen}, not {wanted}", seen=_said(seen), wanted=_said(operation.striping)),
    )


def _said(striping: Striping | None) -> Said:
    if striping is None:
        return t("nothing of a stripe")
    return t(
        "{unit:exact} to a drive and {width:exact} to all",
        unit=striping.unit_bytes,
        width=striping.width_bytes,
    )
