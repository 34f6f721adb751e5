"""Lines of fstab that name what a plan takes away: the plan says so, since a start may stop at them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from wizard.apply.run.environment import OWN_FSTAB
from wizard.apply.tune import words
from wizard.apply.tune.existing_filesystem import lines_at_boot
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.plan import Member, Plan
from wizard.model.said import Said

STARTS_ALL_THE_SAME = frozenset({"nofail", "noauto"})
"""With these a start does not wait for what is not there (systemd.mount(5))."""


def with_lines_left(plan: Plan, drives: Sequence[Drive], fstab: Path = OWN_FSTAB) -> Plan:
    """The plan, which also says which lines of `fstab` name what it takes away. What the new volumes are
    found by, too, such as the same label, is no such line. Only looks."""
    by_path = {drive.path: drive for drive in drives}
    left = [
        said
        for member in plan.members
        if (drive := by_path.get(member.drive.path))
        for said in _left(plan, member, drive, fstab)
    ]
    return replace(plan, doubts=(*left, *plan.doubts)) if left else plan


def _left(plan: Plan, member: Member, drive: Drive, fstab: Path) -> Iterator[Said]:
    labels = {f"LABEL={volume.label}" for volume in plan.volumes if volume.label}
    for device in _taken_away(member, drive):
        lines = [
            line for line in lines_at_boot(drive, device, fstab) if line.source.replace('"', "") not in labels
        ]
        stops = [line for line in lines if STARTS_ALL_THE_SAME.isdisjoint(line.options)]
        if not lines:
            continue
        # Of several, such as those of subvolumes, that which does the most harm.
        line = (stops or lines)[0]
        told = words.LINE_STOPS if stops else words.LINE_LEFT
        yield told(
            line=line.number,
            file=printable(str(fstab), 200),
            source=printable(line.source, 80),
            device=device,
        )


def _taken_away(member: Member, drive: Drive) -> Iterator[str]:
    """The devices whose content goes."""
    kept = {slot.number for slot in member.before.partitions if slot.kept}
    if drive.signatures and not kept:
        yield drive.path
    yield from (part.path for part in drive.partitions if part.number not in kept)
