"""What is particular to a mirror (RAID1), in words: what it protects from and what not, its first copying,
and what is checked of it."""

from wizard.layout.several.striping import room_bytes
from wizard.layout.steps.commands import array_uuid
from wizard.model.operations.arrays import MakeArray
from wizard.model.plan import Plan
from wizard.model.said import Said, in_a_row, t
from wizard.model.units import format_duration

COPYING_BYTES_PER_SECOND = 200_000 * 1024
"""What md allows itself for the first copying of an array that is not used meanwhile (md(4),
speed_limit_max), unless it was set."""


def mirror_note(plan: Plan) -> str | None:
    """What a mirror protects from and what not, and what it costs; None for a plan without one."""
    stripe = plan.stripe
    if stripe is None or not stripe.mirrors:
        return None
    count = len(plan.members)
    one = stripe.kind == "btrfs" or count == 2
    lost = t("one drive") if one else t("{lost} of its {drives} drives", lost=count - 1, drives=count)
    raw = sum(slot.size_bytes for member in plan.members for slot in member.after.partitions)
    return str(
        t(
            "A mirror survives the loss of {lost}, and is no backup. What is deleted, "
            "overwritten or damaged by a program is so on every copy at once. Of "
            "{raw:size} on the drives, about {files:size} hold files.",
            lost=lost,
            raw=raw,
            files=together_bytes(plan),
        )
    )


def together_bytes(plan: Plan) -> int:
    """The room for files that the drives of a striped or mirrored plan have together; 0 for another plan."""
    if plan.stripe is None:
        return 0
    parts = [slot.size_bytes for member in plan.members for slot in member.after.partitions]
    return room_bytes(plan.stripe.kind, plan.stripe.level, parts)


def copying_seconds(operation: MakeArray, part_bytes: int) -> float:
    """How long md's first copying takes at least, behind everything else; 0 for an array without copies."""
    return part_bytes / COPYING_BYTES_PER_SECOND if operation.level == "raid1" else 0.0


def mirror_sentence(operation: MakeArray, part_bytes: int) -> str:
    """The step that makes it, of partitions of `part_bytes` each."""
    mirror = t(
        "Put {parts:and} together as the mirror (RAID1) {device}, named {name}",
        parts=operation.parts,
        device=operation.device,
        name=operation.name,
    )
    copying = t(
        "As soon as it is put to use, md copies all of {first} over the rest", first=operation.parts[0]
    )
    time = t(
        "at least {least} at the 200 MB/s that it allows itself, longer on slower drives",
        least=format_duration(copying_seconds(operation, part_bytes)),
    )
    said = (
        t(
            "{mirror}, with a bitmap of what is being written, so that after a crash only that is compared.",
            mirror=mirror,
        ),
        t("{copying}: {time}; on a stand-in (--assume-clean) nothing is copied.", copying=copying, time=time),
        t("The volume can be used meanwhile, but only afterwards may a drive fail."),
    )
    return str(in_a_row(*said))


def mirror_holds(operation: MakeArray) -> tuple[Said, ...]:
    """What is checked after that step. That the copies are equal is not: copying goes on."""
    device, uuid = operation.device, array_uuid(operation.uuid)
    found = t(
        "mdadm finds on {device} and on each of its parts a RAID1 of {parts} with UUID {uuid}",
        device=device,
        parts=len(operation.parts),
        uuid=uuid,
    )
    return (
        t("{found} and a bitmap, its data aligned on every drive.", found=found),
        t("The kernel advises no stripe for {device}, and finds it aligned on every drive.", device=device),
    )


def mirror_lost(operation: MakeArray) -> str:
    """What the copying destroys, before what lay there is named."""
    return str(
        t(
            "What is on {parts:list}, which is written over from its first byte to its last.",
            parts=operation.parts[1:],
        )
    )
