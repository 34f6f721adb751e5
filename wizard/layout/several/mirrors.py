"""What is particular to a mirror (RAID1), in words: what it protects from and what not, its first copying,
and what is checked of it."""

from wizard.layout.several.striping import room_bytes
from wizard.layout.steps.commands import array_uuid
from wizard.model.plan import MakeArray, Plan
from wizard.model.units import format_capacity, format_duration

COPYING_BYTES_PER_SECOND = 200_000 * 1024
"""What md allows itself for the first copying of an array that is not used meanwhile (md(4),
speed_limit_max), unless it was set."""


def mirror_note(plan: Plan) -> str | None:
    """What a mirror protects from and what not, and what it costs; None for a plan without one."""
    stripe = plan.stripe
    if stripe is None or not stripe.mirrors:
        return None
    count = len(plan.members)
    lost = "one drive" if stripe.kind == "btrfs" or count == 2 else f"{count - 1} of its {count} drives"
    raw = sum(slot.size_bytes for member in plan.members for slot in member.after.partitions)
    return (
        f"A mirror survives the loss of {lost}, and is no backup: what is deleted, overwritten or damaged by "
        f"a program is so on every copy at once. Of {format_capacity(raw)} on the drives, about "
        f"{format_capacity(together_bytes(plan))} hold files."
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


def mirror_sentence(operation: MakeArray, parts: str, part_bytes: int) -> str:
    """The step that makes it; `parts` are its partitions, listed, of `part_bytes` each."""
    first, *_ = operation.parts
    least = format_duration(copying_seconds(operation, part_bytes))
    return (
        f"Put {parts} together as the mirror (RAID1) {operation.device}, named {operation.name}, with a "
        "bitmap of what is being written, so that after a crash only that is compared. As soon as it is put "
        f"to use, md copies all of {first} over the rest: at least {least} at the 200 MB/s that it allows "
        "itself, longer on slower drives; on a stand-in (--assume-clean) nothing is copied. The volume can "
        "be used meanwhile, but only afterwards may a drive fail."
    )


def mirror_holds(operation: MakeArray) -> tuple[str, ...]:
    """What is checked after that step. That the copies are equal is not: copying goes on."""
    return (
        f"mdadm finds on {operation.device} and on each of its parts a RAID1 of {len(operation.parts)} with "
        f"UUID {array_uuid(operation.uuid)} and a bitmap, its data aligned on every drive.",
        f"The kernel advises no stripe for {operation.device}, and finds it aligned on every drive.",
    )


def mirror_lost(operation: MakeArray) -> str:
    """What the copying destroys, before what lay there is named."""
    return (
        f"What is on {', '.join(operation.parts[1:])}, which is written over from its first byte to its last."
    )
