"""Lines of fstab and crypttab that name what a plan takes away: the plan says so, since a start may stop at
them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from wizard.apply.run.environment import Environment
from wizard.apply.system.crypttab import Opening, parse_crypttab
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.entry import Entry
from wizard.apply.system.fstab import Line, parse
from wizard.apply.tune.existing_filesystem import lines_at_boot, tags_of
from wizard.model.errors import BadInput
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.plan import Member, Plan
from wizard.model.said import Said, Sentence, t

LINE_LEFT = Sentence("Line {line} of {file} names {source}, which is lost. {remedy}")
LINE_STOPS = Sentence(
    "Line {line} of {file} names {source}, which is lost. It has no nofail: the "
    "next start may stop there. {remedy}"
)
LINE_OVERWRITES = Sentence(
    "Line {line} of {file} overwrites {source} at every start. What this plan "
    "makes may be lost there. {remedy}"
)
TAKE_IT_OUT = t("Take that line out first.")

OWN = Environment()
"""Of the running system."""

OF_WHAT_IS_LOST = ("UUID=", "LABEL=")
"""Names that go with what has them: no such line finds what a plan makes there."""

HARM = (LINE_OVERWRITES, LINE_STOPS, LINE_LEFT)
"""What is said of a line, the worst first."""


def with_lines_left(plan: Plan, drives: Sequence[Drive], environment: Environment = OWN) -> Plan:
    """The plan, which also says which lines of fstab and crypttab name what it takes away. What the new
    volumes are found by, too, such as the same label, is no such line. Only looks."""
    by_path = {drive.path: drive for drive in drives}
    left = [
        said
        for member in plan.members
        if (drive := by_path.get(member.drive.path))
        for device in _taken_away(member, drive)
        for said in _left(plan, drive, device, environment)
    ]
    return replace(plan, doubts=(*left, *plan.doubts)) if left else plan


def _left(plan: Plan, drive: Drive, device: str, environment: Environment) -> Iterator[Said]:
    labels = {f"LABEL={volume.label}" for volume in plan.volumes if volume.label}
    mounts = lines_at_boot(drive, device, environment.fstab)
    openings = _openings(drive, device, environment.crypttab)
    tables: tuple[tuple[Path, Sequence[Entry], Said], ...] = (
        (
            environment.fstab,
            [line for line in mounts if line.source.replace('"', "") not in labels],
            t("`diskwright unmount {device} --boot` first takes it out.", device=device),
        ),
        (environment.crypttab, openings, TAKE_IT_OUT),
        (environment.fstab, _inside(openings, environment.fstab), TAKE_IT_OUT),
    )
    for file, entries, remedy in tables:
        if entries:
            # Of several, such as those of subvolumes, that which does the most harm.
            entry = min(entries, key=lambda one: HARM.index(_sentence_of(one)))
            source = printable(entry.source, 80)
            told = _sentence_of(entry)
            yield told(line=entry.number, file=printable(str(file), 200), source=source, remedy=remedy)


def _sentence_of(entry: Entry) -> Sentence:
    if entry.overwrites and not entry.source.startswith(OF_WHAT_IS_LOST):
        return LINE_OVERWRITES
    return LINE_STOPS if entry.may_stop else LINE_LEFT


def _openings(drive: Drive, device: str, crypttab: Path) -> list[Opening]:
    """The lines of crypttab for a device, with a container or without; none where it cannot be read."""
    tags = tags_of(drive, device)
    try:
        return [line for line in parse_crypttab(read_text(crypttab)) if line.means(device, tags)]
    except BadInput:
        return []


def _inside(openings: Sequence[Opening], fstab: Path) -> list[Line]:
    """The lines of fstab for what would be open by these."""
    nodes = {f"/dev/mapper/{opening.name}" for opening in openings}
    try:
        return [line for line in parse(read_text(fstab), str(fstab)) if line.source in nodes]
    except BadInput:
        return []


def _taken_away(member: Member, drive: Drive) -> Iterator[str]:
    """The devices whose content goes."""
    kept = {slot.number for slot in member.before.partitions if slot.kept}
    if not kept:
        yield drive.path
    yield from (part.path for part in drive.partitions if part.number not in kept)
