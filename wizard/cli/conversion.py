"""Print conversions: the three methods with their costs, and the steps of the selected one."""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from wizard.apply.conversion.guard import outcome
from wizard.cli.confirm_start import Confirmation, begin_or_refuse
from wizard.cli.plan_options import with_tabs
from wizard.cli.select_run import CHECKED, GOOD_TO_KNOW, STEPS, UNDONE, drive_message
from wizard.ext4.system_checks import COPY_INSTEAD
from wizard.ext4.ways import MEANS, NEW_INSTEAD, SUMMARIES
from wizard.model.errors import ExitCode, printable
from wizard.model.ext import ExtFacts
from wizard.model.finding import Finding, Severity
from wizard.model.migration import Migration, Prospect, WayOffer
from wizard.model.said import Message, Sentence, format_duration, t
from wizard.plan.text import command_lines, wrapped

RECOMMENDED = Sentence("Recommended: {way}.")
NOT_POSSIBLE = t("Not possible:")
GAINS = t("Gains:")
MADE_SAFE = t("Safety:")
POWER = t("On power loss:")


def heading(device: str, before: ExtFacts) -> str:
    """Return one line that describes the filesystem."""
    said = t(
        "{filesystem}: {kind}, {size:size}, {used:size} used, inodes of {inode} bytes, UUID {uuid}",
        filesystem=t('{device}, "{label}"', device=device, label=before.label) if before.label else device,
        kind=before.kind,
        size=before.size_bytes,
        used=(before.blocks - before.free_blocks) * before.block_bytes,
        inode=before.inode_bytes,
        uuid=before.uuid,
    )
    return str(said)


def prospect_lines(prospect: Prospect, width: int) -> Iterator[str]:
    """Yield the findings, the three conversions, the recommendation and the alternative."""
    yield from wrapped(heading(prospect.device, prospect.before), width)
    told = [finding for finding in prospect.findings if not _is_told_below(finding, prospect.offers)]
    if told:
        yield from ("", str(t("Found:")))
    for finding in told:
        yield from wrapped(
            f"- {finding.severity}: {finding.sentence} {finding.why} {finding.advice}", width, 2
        )
    for offer in prospect.offers:
        yield ""
        yield from _offer_lines(offer, width)
    yield ""
    if prospect.default is not None:
        yield from wrapped(f"{RECOMMENDED(way=prospect.default)} {prospect.why}", width)
    else:
        yield from wrapped(prospect.why, width)
    yield from wrapped(f"{NEW_INSTEAD} {COPY_INSTEAD}", width)


def _is_told_below(finding: Finding, offers: Sequence[WayOffer]) -> bool:
    """Return True for an informational finding that an offer already lists as its obstacle."""
    return finding.severity is Severity.INFO and any(finding.code == offer.obstacle_code for offer in offers)


def _offer_lines(offer: WayOffer, width: int) -> Iterator[str]:
    """Yield one conversion with gains, costs, undo, safety and duration, or why it is impossible."""
    yield from wrapped(f"{offer.way}: {SUMMARIES[offer.way]}", width)
    if offer.obstacle:
        yield from wrapped(f"    {NOT_POSSIBLE} {offer.obstacle}", width, 4)
        return
    for what, sentences in ((GAINS, offer.gains), (t("Costs:"), offer.costs)):
        yield from _listed(what, sentences, width)
    yield from wrapped(f"    {UNDONE} {offer.undone}", width, 4)
    yield from wrapped(f"    {MADE_SAFE} {MEANS[offer.means]}", width, 4)
    duration = format_duration(offer.seconds)
    takes = (
        t(
            "Needs: roughly {duration}, and up to {room:size} of free space elsewhere.",
            duration=duration,
            room=offer.room_bytes,
        )
        if offer.room_bytes
        else t("Needs: roughly {duration}.", duration=duration)
    )
    yield from wrapped(f"    {takes}", width, 4)


def _listed(what: Message, sentences: Sequence[str], width: int) -> Iterator[str]:
    if sentences:
        yield f"    {what}"
    for sentence in sentences:
        yield from wrapped(f"    - {sentence}", width, 6)


def migration_lines(migration: Migration, width: int) -> Iterator[str]:
    """Yield gains, notes and every step, with commands, undo and the effect of a power cut."""
    yield from wrapped(heading(migration.device, migration.before), width)
    yield from wrapped(str(t("on {drive}", drive=drive_message(migration.drive))), width)
    way = t("Conversion {way}:", way=migration.way)
    yield from wrapped(f"{way} {SUMMARIES[migration.way]} {MEANS[migration.means]}", width)
    if folder := migration.store or migration.undo_dir:
        yield from wrapped(
            str(
                t(
                    "Replaced data is stored in {folder}, up to {room:size}.",
                    folder=folder,
                    room=migration.room_bytes,
                )
            ),
            width,
        )
    for title, sentences in ((GAINS, migration.gains), (GOOD_TO_KNOW, migration.doubts)):
        if sentences:
            yield from ("", str(title))
        for sentence in sentences:
            yield from wrapped(f"- {printable(str(sentence), 4000)}", width, 2)
    yield from ("", str(STEPS))
    yield from migration_step_lines(migration, width)


def migration_step_lines(migration: Migration, width: int) -> Iterator[str]:
    """Yield every step of a conversion."""
    for number, step in enumerate(migration.steps, 1):
        roughly = t("(roughly {duration})", duration=format_duration(step.seconds))
        yield from wrapped(f"{number}. {printable(step.sentence, 4000)} {roughly}", width, 3)
        for argv in step.commands:
            yield from command_lines([printable(word, 4000) for word in argv], width, 6)
        yield from (f"      {with_tabs(edit)}" for edit in step.edits)
        yield from wrapped(f"   {UNDONE} {printable(step.undo, 4000)}", width, 3)
        yield from wrapped(f"   {POWER} {printable(step.power, 4000)}", width, 3)
        for held in step.holds:
            yield from wrapped(f"   {CHECKED} {printable(held, 4000)}", width, 3)


def apply_migration(
    migration: Migration, arguments: Namespace, as_root: Callable[[], str]
) -> Path | ExitCode:
    """Start the conversion and return the run's folder, or the exit code of a dry run. `as_root` words the
    command for root."""
    question = Confirmation(
        document=migration,
        outcome=t("Planned: {outcome}", outcome=outcome(migration)),
        drive=migration.drive.path,
        refusal_of_more=t("This conversion is for one drive"),
        beforehand=(MEANS[migration.means], *migration.doubts),
        lines=partial(migration_step_lines, migration),
    )
    return begin_or_refuse(question, arguments, as_root)
