"""What a plan takes away and what of it can be taken back, in words, the same on every face."""

from wizard.model.names import printable
from wizard.model.plan import Plan, Slot
from wizard.model.units import format_capacity


def losses(plan: Plan) -> list[str]:
    """Each partition that goes, with all that is in it; where the drive has none, what the steps say that they destroy."""
    gone = [slot for slot in plan.before.partitions if not slot.kept]
    if gone:
        return [f"All of partition {slot.number}: {_content(slot)}, {format_capacity(slot.size_bytes)}." for slot in gone]
    return list(dict.fromkeys(printable(step.destroys, 4000) for step in plan.steps if step.destroys))


def _content(slot: Slot) -> str:
    label = slot.label or slot.name
    named = f' "{printable(label, 40)}"' if label else ""
    return (printable(slot.filesystem, 40) if slot.filesystem else "nothing recognised") + named


def undo_ways(plan: Plan) -> list[str]:
    """How the steps are undone, steps that share a way together: `Steps 1, 2: ...`."""
    ways: dict[str, list[str]] = {}
    for number, step in enumerate(plan.steps, 1):
        ways.setdefault(step.undo, []).append(str(number))
    return [f"Step{'s' * (len(numbers) > 1)} {', '.join(numbers)}: {printable(way, 4000)}" for way, numbers in ways.items()]
