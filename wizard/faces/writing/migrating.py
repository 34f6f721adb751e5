"""A migration as text: the four ways side by side, and the one that was chosen step by step."""

from collections.abc import Iterator, Sequence

from wizard.faces.writing.changing import with_tabs
from wizard.layout.told.text import command_lines, wrapped
from wizard.migrate.told.ways import MEANS, SUMMARIES
from wizard.model.ext import ExtFacts
from wizard.model.finding import Finding, Severity
from wizard.model.identity import Identity
from wizard.model.migration import Migration, Offer, Prospect
from wizard.model.names import printable
from wizard.model.units import format_capacity, format_duration


def heading(device: str, before: ExtFacts) -> str:
    """Which filesystem it is, in a line."""
    used = (before.blocks - before.free_blocks) * before.block_bytes
    label = f', "{printable(before.label)}"' if before.label else ""
    return (
        f"{device}{label}: {before.kind}, {format_capacity(before.size_bytes)}, {format_capacity(used)} "
        f"used, inodes of {before.inode_bytes} bytes, UUID {before.uuid}"
    )


def prospect_lines(prospect: Prospect, width: int) -> Iterator[str]:
    """What is found, and the four ways."""
    yield from wrapped(heading(prospect.device, prospect.before), width)
    told = [finding for finding in prospect.findings if not _is_told_below(finding, prospect.offers)]
    if told:
        yield from ("", "Found:")
    for finding in told:
        yield from wrapped(
            f"- {finding.severity}: {finding.sentence} {finding.why} {finding.remedy}", width, 2
        )
    for offer in prospect.offers:
        yield ""
        yield from offer_lines(offer, width)
    yield ""
    if prospect.default is not None:
        yield from wrapped(f"Proposed: {prospect.default}. {prospect.why}", width)
    else:
        yield from wrapped(prospect.why, width)


def _is_told_below(finding: Finding, offers: Sequence[Offer]) -> bool:
    """Whether a finding that is only good to know stands with the way that it rules out."""
    return finding.severity is Severity.INFO and any(finding.code == offer.obstacle_code for offer in offers)


def offer_lines(offer: Offer, width: int) -> Iterator[str]:
    """One way."""
    yield from wrapped(f"{offer.way}: {SUMMARIES[offer.way]}", width)
    if offer.obstacle:
        yield from wrapped(f"    Cannot be had: {offer.obstacle}", width, 4)
        return
    for what, sentences in (("Gains", offer.gains), ("Costs", offer.costs)):
        yield from _listed(what, sentences, width)
    yield from wrapped(f"    Undone: {offer.undone}", width, 4)
    yield from wrapped(f"    Made safe: {MEANS[offer.means]}", width, 4)
    room = f", and up to {format_capacity(offer.room_bytes)} of room elsewhere" if offer.room_bytes else ""
    yield from wrapped(f"    Takes: roughly {format_duration(offer.seconds)}{room}.", width, 4)


def _listed(what: str, sentences: Sequence[str], width: int) -> Iterator[str]:
    if sentences:
        yield f"    {what}:"
    for sentence in sentences:
        yield from wrapped(f"    - {sentence}", width, 6)


def migration_lines(migration: Migration, width: int) -> Iterator[str]:
    """All of it, as text: what is gained, what is doubted, and every step with its command, its undoing and
    what a power cut would do."""
    yield from wrapped(heading(migration.device, migration.before), width)
    yield from wrapped(f"on {_who(migration.drive)}", width)
    if migration.target is not None:
        yield from wrapped(f"to a volume on {_who(migration.target)}, which is what is confirmed", width)
    yield from wrapped(f"The way {migration.way}: {SUMMARIES[migration.way]} {MEANS[migration.means]}", width)
    if folder := migration.store or migration.undo_dir:
        yield from wrapped(
            f"What is replaced is kept in {printable(folder, 2000)}, up to "
            f"{format_capacity(migration.room_bytes)}.",
            width,
        )
    for title, sentences in (("Gains:", migration.gains), ("Good to know:", migration.doubts)):
        if sentences:
            yield from ("", title)
        for sentence in sentences:
            yield from wrapped(f"- {printable(sentence, 4000)}", width, 2)
    yield from ("", "Steps:")
    yield from migration_step_lines(migration, width)


def _who(drive: Identity) -> str:
    return f"{drive.path}, {printable(drive.model or 'model unknown')}, token {printable(drive.token)}"


def migration_step_lines(migration: Migration, width: int) -> Iterator[str]:
    """Every step."""
    for number, step in enumerate(migration.steps, 1):
        yield from wrapped(
            f"{number}. {printable(step.sentence, 4000)} (roughly {format_duration(step.seconds)})", width, 3
        )
        for argv in step.commands:
            yield from command_lines([printable(word, 4000) for word in argv], width, 6)
        yield from (f"      {with_tabs(edit)}" for edit in step.edits)
        yield from wrapped(f"   Undone: {printable(step.undo, 4000)}", width, 3)
        yield from wrapped(f"   If the power goes: {printable(step.power, 4000)}", width, 3)
        for held in step.holds:
            yield from wrapped(f"   Checked: {printable(held, 4000)}", width, 3)
