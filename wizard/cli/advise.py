"""`diskwright advise`: recommend filesystems and options for a drive and a workload, with reasons."""

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from wizard.advice.missing import for_files
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.cli.machines import machine_and_drive
from wizard.cli.output import deliver
from wizard.documents.codec import render_document, to_json
from wizard.filesystems.registry import KINDS
from wizard.findings.diagnose import diagnose
from wizard.findings.drive_faults import turning_words
from wizard.findings.geometry import load_patterns
from wizard.model.advice import Advice, Choice, Evidence, Option, Rank, Unmade
from wizard.model.errors import ExitCode, printable
from wizard.model.machine import Drive
from wizard.model.said import Message, format_capacity, join, t
from wizard.ui.components.plan_rows import RANKS
from wizard.ui.components.reasons import evidence_blocks
from wizard.ui.view import GAP, Block, Command, Piece, Text, Tone, muted, para, strong

SCHEMA = "diskwright.advice/1"

TITLES = {name: kind.title for name, kind in KINDS.items()}
FIGURES_OF_UNMADE = 3
"""Maximum number of figures to print for an unsupported filesystem. The JSON document lists all."""


def advise_drive(arguments: Namespace) -> ExitCode:
    """Print the advice."""
    profile = find_workload(arguments.workload)
    machine, drive = machine_and_drive(arguments.device, arguments.machine)
    recording = diagnose(machine, drive, load_patterns()).recording
    advice = advise(machine, drive, recording, profile)
    deliver(arguments, render_document(SCHEMA, to_json(advice)), advice_blocks(advice, drive))
    return ExitCode.DONE


def advice_blocks(advice: Advice, drive: Drive) -> Iterator[Block]:
    """Show the ranking, withheld options, unconfirmed facts and published figures."""
    ranked = [choice for choice in advice.choices if choice.ranked]
    yield para(strong(t("{purpose} on {drive}", purpose=advice.workload.title, drive=_drive_words(drive))))
    if advice.chosen is None:
        yield GAP
        yield para(_none_words([TITLES[choice.filesystem] for choice in for_files(advice.usable)]))
    explained: set[Option] = set()
    for number, choice in enumerate(ranked, 1):
        yield GAP
        rank, tone = RANKS[choice.place]
        yield para(strong(f"{number}. {TITLES[choice.filesystem]}:"), Piece(rank(), tone))
        yield from _choice_blocks(choice, drive, explained)
    others = [choice for choice in for_files(advice.choices) if not choice.ranked]
    yield from _listed(
        t("Also supported, not ranked for this workload"),
        [f"{TITLES[choice.filesystem]}: {choice.sentence}" for choice in others],
    )
    if advice.zoned:
        yield GAP
        yield para(strong(t("Zone support with this kernel and these tools")))
    for use in advice.zoned:
        yield para(f"- {use.verdict}. {use.sentence}", hang=2)
        yield from (Command((command,)) for command in use.commands)
    yield from _listed(t("Unconfirmed"), advice.doubts)
    yield from _listed(t("Good to know"), advice.notes)
    usable = [choice for choice in ranked if choice.place is not Rank.NOT_RECOMMENDED]
    yield from _listed(t("Not offered"), _withheld(usable))
    yield from _listed(t("Known but not supported"), [_unmade_words(one) for one in advice.unmade])
    if cited := _cited(ranked, advice.unmade):
        yield GAP
        yield para(strong(t("Figures, best first. They are old; note era, kernel and hardware.")))
        yield GAP
        yield from evidence_blocks([_best_first(card) for card in cited])


def _listed(title: Text, sentences: Sequence[Text]) -> Iterator[Block]:
    """Yield a heading and a list, or nothing for an empty list."""
    if sentences:
        yield GAP
        yield para(strong(title))
    yield from (para("-", sentence, hang=2) for sentence in sentences)


def _best_first(card: Evidence) -> Evidence:
    ordered = sorted(card.figures, key=lambda figure: figure[1], reverse=not card.lower_is_better)
    return replace(card, figures=tuple(ordered))


def _unmade_words(one: Unmade) -> Message:
    return t("{title}: {why} What to do: {remedy}", title=one.title, why=one.why_not, remedy=one.way_off)


def _none_words(usable: Sequence[str]) -> Message:
    if not usable:
        return t("No filesystem can be created here.")
    return t(
        "No filesystem suited to this workload can be created here. Not recommended, but possible: "
        "{filesystems:list}.",
        filesystems=tuple(usable),
    )


def _cited(ranked: Iterable[Choice], unmade: Iterable[Unmade]) -> list[Evidence]:
    """Return the figures to print, without duplicates: all of the ranking, and some of unsupported
    filesystems not among them."""
    cited = dict.fromkeys(card for choice in ranked for card in choice.evidence)
    for one in unmade:
        if not any(card in cited for card in one.evidence):
            cited |= dict.fromkeys(one.evidence[:FIGURES_OF_UNMADE])
    return list(cited)


def _drive_words(drive: Drive) -> Message | str:
    facts: list[Message | str] = [printable(drive.model)] if drive.model else []
    facts += [format_capacity(drive.size_bytes)] if drive.size_bytes is not None else []
    return t("{path} ({facts:list})", path=drive.path, facts=(*facts, turning_words(drive)))


def _choice_blocks(choice: Choice, drive: Drive, explained: set[Option]) -> Iterator[Block]:
    """Show a filesystem. Options explained earlier are listed without reasons."""
    for obstacle in choice.obstacles:
        yield para(Piece(t("Not possible:"), Tone.DANGER), obstacle, indent=3, hang=2)
    yield para(choice.sentence, indent=3)
    scheduler = (choice.scheduler,) if choice.scheduler else ()
    if choice.place is Rank.NOT_RECOMMENDED:
        if choice.obstacles:
            return
        explained = explained.union(choice.mkfs, choice.mount)
        scheduler = ()
    for kind, options in (("mkfs", choice.mkfs), ("mount", choice.mount), ("scheduler", scheduler)):
        told = [option for option in options if option not in explained]
        if options or kind != "scheduler":
            texts = ", ".join(option.text for option in options) or t("the defaults")
            yield para(muted(f"{kind}:"), texts, indent=3, hang=2)
        for option in told:
            risk = t("Risk: {risk}", risk=option.risk) if option.risk else ""
            where = _scheduler_words(option.text, drive) if kind == "scheduler" else ""
            yield para(strong(f"{option.text}:"), option.why, risk, where, indent=6, hang=2)
        explained.update(told)


def _scheduler_words(text: str, drive: Drive) -> Text:
    if drive.scheduler == text:
        return t("The drive already uses this scheduler.")
    to_set = t(
        "Until the next boot: echo {scheduler} > /sys/block/{name}/queue/scheduler (as root). To make this "
        "permanent, add a udev rule.",
        scheduler=text,
        name=drive.path.removeprefix("/dev/"),
    )
    if not drive.scheduler:
        return to_set
    return join(t("The drive currently uses {scheduler}.", scheduler=drive.scheduler), to_set)


def _withheld(choices: Sequence[Choice]) -> list[str]:
    """Return the withheld options of each filesystem. Options withheld from all are listed once."""
    held: dict[tuple[str, str, str], list[str]] = {}
    for choice in choices:
        for option in choice.withheld:
            held.setdefault((option.kind, option.text, str(option.reason)), []).append(
                TITLES[choice.filesystem]
            )
    lines: list[str] = []
    for (kind, text, reason), titles in held.items():
        whose = "" if len(titles) == len(choices) else f" ({', '.join(titles)})"
        lines.append(f"{kind} {text}{whose}: {reason}")
    return lines
