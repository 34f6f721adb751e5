"""`diskwright advise`: recommend filesystems and options for a drive and a workload, with reasons."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from textwrap import wrap

from wizard.advice.missing import for_files
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.cli.command import CommandParser, plain
from wizard.cli.passphrase import tell
from wizard.cli.screens import RANKS, machine_and_drive
from wizard.cli.select_run import DOCUMENT, RECORDED, WHOLE_DRIVE
from wizard.documents.codec import render_document, to_json
from wizard.filesystems.registry import KINDS
from wizard.findings.diagnose import diagnose
from wizard.findings.drive_faults import turning_words
from wizard.findings.geometry import load_patterns
from wizard.model.advice import Advice, Choice, Evidence, Option, Rank, Unmade
from wizard.model.errors import ExitCode, printable
from wizard.model.machine import Drive
from wizard.model.said import Message, ProfileText, Sentence, format_capacity, join, parts_of, t

NOT_MADE = t("Not possible:")
WAY_OFF = t("What to do:")
DEFAULTS = t("the defaults")
AS_ABOVE = t("(as above)")
RISK = t("Risk:")
OPTIONS = t("options")
FIGURES = t("figures")

SCHEMA = "diskwright.advice/1"
WIDTH = 80

TITLES = {name: kind.title for name, kind in KINDS.items()}
FIGURES_OF_UNMADE = 3
"""Maximum number of figures to print for an unsupported filesystem. The JSON document lists all."""


def parser() -> ArgumentParser:
    """`diskwright advise DEVICE --workload ID [--json] [--machine FILE]`."""
    made = CommandParser(
        "advise",
        (
            plain("advise", "/dev/sdX", "--workload", "large-media"),
            plain("advise", "/dev/sdX", "--workload", "small-files", "--json", "|", "jq", "'.choices[0]'"),
            plain("advise", "/dev/sda", "--workload", "desktop-root", "--machine", "saved.json"),
        ),
        (t("See `diskwright workloads`. Read-only and without root, but root can read more."),),
    )
    made.add_argument("device", metavar="DEVICE", help=str(WHOLE_DRIVE))
    made.add_argument("--workload", metavar="ID", required=True, help=str(t("workload of the volume")))
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=SCHEMA)))
    made.add_argument("--machine", metavar="FILE", help=str(RECORDED))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Print the advice."""
    profile = find_workload(arguments.workload)
    machine, drive = machine_and_drive(arguments.device, arguments.machine)
    recording = diagnose(machine, drive, load_patterns()).recording
    advice = advise(machine, drive, recording, profile)
    if arguments.json:
        sys.stdout.write(render_document(SCHEMA, to_json(advice)))
    else:
        tell(advice_lines(advice, drive))
    return ExitCode.DONE


def advice_lines(advice: Advice, drive: Drive, width: int = WIDTH) -> list[str]:
    """Return the advice as text, at most `width` columns wide: ranking, withheld options, unconfirmed facts
    and cited figures."""
    ranked = [choice for choice in advice.choices if choice.ranked]
    cited = _cited(ranked, advice.unmade)
    numbers = {card.id: number for number, card in enumerate(cited, 1)}
    lines = _wrapped(
        str(t("{purpose} on {drive}", purpose=advice.workload.title, drive=_drive_words(drive))), width
    )
    if advice.chosen is None:
        usable = tuple(TITLES[choice.filesystem] for choice in for_files(advice.usable))
        none = (
            t(
                "No filesystem suited to this workload can be created here. Not recommended, "
                "but possible: {filesystems:list}.",
                filesystems=usable,
            )
            if usable
            else t("No filesystem can be created here.")
        )
        lines += ["", *_wrapped(str(none), width)]
    explained: set[Option] = set()
    for number, choice in enumerate(ranked, 1):
        lines += ["", f"{number}. {TITLES[choice.filesystem]}: {RANKS[choice.place]()}"]
        lines += _choice_lines(choice, drive, numbers, explained, width)
    others = [
        f"{TITLES[choice.filesystem]}: {choice.sentence}"
        for choice in for_files(advice.choices)
        if not choice.ranked
    ]
    lines += _section(t("Also supported, not ranked for this workload"), others, width)
    lines += _zoned_lines(advice, width)
    lines += _section(t("Unconfirmed"), advice.doubts, width)
    lines += _section(t("Good to know"), advice.notes, width)
    lines += _section(
        t("Not offered"),
        _withheld([choice for choice in ranked if choice.place is not Rank.NOT_RECOMMENDED]),
        width,
    )
    lines += _section(
        t("Known but not supported"), [_unmade_words(one, numbers) for one in advice.unmade], width
    )
    if cited:
        lines += [
            "",
            str(t("Figures, best first. They are old; note era, kernel and hardware.")),
            *_evidence_lines(cited, numbers, width),
        ]
    return [printable(line, 1000) for line in lines]


def _cited(ranked: Iterable[Choice], unmade: Iterable[Unmade]) -> list[Evidence]:
    """Return the figures to print, without duplicates: all of the ranking, and some of unsupported
    filesystems not among them."""
    cited = dict.fromkeys(card for choice in ranked for card in choice.evidence)
    for one in unmade:
        if not any(card in cited for card in one.evidence):
            cited |= dict.fromkeys(one.evidence[:FIGURES_OF_UNMADE])
    return list(cited)


def _unmade_words(one: Unmade, numbers: dict[str, int]) -> str:
    figures = [
        f"[{number}]" for number in sorted(numbers[card.id] for card in one.evidence if card.id in numbers)
    ]
    return " ".join(
        (
            f"{one.title}: {one.why_not} {WAY_OFF} {one.way_off}",
            *([str(t("Figures:")), *figures] if figures else []),
        )
    )


def _drive_words(drive: Drive) -> Message | str:
    facts: list[Message | str] = [printable(drive.model)] if drive.model else []
    facts += [format_capacity(drive.size_bytes)] if drive.size_bytes is not None else []
    return t("{path} ({facts:list})", path=drive.path, facts=(*facts, turning_words(drive)))


def _choice_lines(
    choice: Choice, drive: Drive, numbers: dict[str, int], explained: set[Option], width: int
) -> list[str]:
    lines = [line for obstacle in choice.obstacles for line in _wrapped(f"{NOT_MADE} {obstacle}", width, 3)]
    lines += _wrapped(str(choice.sentence), width, 3)
    if choice.place is Rank.NOT_RECOMMENDED:
        lines += _brief_options(choice, width)
    else:
        lines += _option_lines("mkfs", choice.mkfs, explained, width)
        lines += _option_lines("mount", choice.mount, explained, width)
        if choice.scheduler is not None:
            first = choice.scheduler not in explained
            lines += _option_lines("scheduler", (choice.scheduler,), explained, width)
            lines += _wrapped(_scheduler_words(choice.scheduler.text, drive), width, 16) if first else []
    if choice.evidence:
        cited = " ".join(f"[{numbers[card.id]}]" for card in choice.evidence)
        lines += _wrapped(f"{FIGURES!s:<11}{cited}", width, 3)
    return lines


def _brief_options(choice: Choice, width: int) -> list[str]:
    """Return the options of a filesystem without reasons; empty if the filesystem cannot be created."""
    kinds = (("mkfs", choice.mkfs), ("mount", choice.mount))
    given = [f"{kind} {', '.join(option.text for option in options)}" for kind, options in kinds if options]
    return (
        _wrapped(f"{OPTIONS!s:<11}{'; '.join(given)}", width, 3, 14) if given and not choice.obstacles else []
    )


def _scheduler_words(text: str, drive: Drive) -> str:
    if drive.scheduler == text:
        return str(t("The drive already uses this scheduler."))
    to_set = t(
        "Until the next boot: echo {scheduler} > /sys/block/{name}/queue/scheduler "
        "(as root). To make this permanent, add a udev rule.",
        scheduler=text,
        name=drive.path.removeprefix("/dev/"),
    )
    if not drive.scheduler:
        return str(to_set)
    return str(join(t("The drive currently uses {scheduler}.", scheduler=drive.scheduler), to_set))


def _option_lines(kind: str, options: Sequence[Option], explained: set[Option], width: int) -> list[str]:
    """Return options with reasons. Options explained earlier only refer back."""
    if not options:
        return [f"   {kind:<11}{DEFAULTS}"]
    lines: list[str] = []
    for index, option in enumerate(options):
        seen = option in explained
        explained.add(option)
        again = f" {AS_ABOVE}" if seen else ""
        lines.append(f"   {kind if index == 0 else '':<11}{option.text}{again}")
        if not seen:
            lines += _wrapped(str(option.why), width, 16)
            lines += _wrapped(f"{RISK} {option.risk}", width, 16) if option.risk else []
    return lines


def _zoned_lines(advice: Advice, width: int) -> list[str]:
    """Return the possible uses of a host-managed zoned drive, with commands."""
    if not advice.zoned:
        return []
    lines = ["", str(t("Zone support with this kernel and these tools"))]
    for use in advice.zoned:
        lines += _wrapped(f"- {use.verdict}. {use.sentence}", width, 3, 5)
        lines += [f"     # {command}" for command in use.commands]
    return lines


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


def _evidence_lines(cited: Iterable[Evidence], numbers: dict[str, int], width: int) -> list[str]:
    groups: dict[tuple[Message | str, ...], list[Evidence]] = {}
    for card in cited:
        groups.setdefault((card.source, card.era, card.kernel, card.hardware), []).append(card)
    lines: list[str] = []
    for (source, era, kernel, hardware), cards in groups.items():
        common = [one for one in parts_of(cards[0].note) if all(one in parts_of(card.note) for card in cards)]
        said = t(
            "{source}. Era: {era}. Kernel: {kernel}. Hardware: {hardware}.",
            source=source,
            era=era,
            kernel=kernel,
            hardware=hardware,
        )
        lines += ["", *_wrapped(str(said), width, 3)]
        lines += _wrapped(" ".join(map(str, common)), width, 3)
        for card in cards:
            better = (
                Sentence("{title}: {unit}, lower is better")
                if card.lower_is_better
                else Sentence("{title}: {unit}, higher is better")
            )
            lines += _wrapped(f"[{numbers[card.id]}] {better(title=card.title, unit=card.unit)}", width, 3, 8)
            lines += _wrapped_words(_figures(card), width, 8)
            own = " ".join(str(one) for one in parts_of(card.note) if one not in common)
            lines += _wrapped(own, width, 8)
    return lines


def _figures(card: Evidence) -> list[str]:
    ordered = sorted(card.figures, key=lambda figure: figure[1], reverse=not card.lower_is_better)
    return [f"{_titled(name)} {value:,}" for name, value in ordered]


def _titled(name: str) -> str:
    """Return the filesystem's title, also for a configuration such as `ufs on two striped disks`."""
    first, *rest = str(ProfileText(name)).split()
    return " ".join((TITLES.get(first, first), *rest))


def _section(title: Message, sentences: Sequence[str], width: int) -> list[str]:
    if not sentences:
        return []
    return [
        "",
        str(title),
        *(line for sentence in sentences for line in _wrapped(f"- {sentence}", width, 3, 5)),
    ]


def _wrapped(text: str, width: int, indent: int = 0, hanging: int | None = None) -> list[str]:
    first, rest = " " * indent, " " * (indent if hanging is None else hanging)
    return wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def _wrapped_words(parts: Sequence[str], width: int, indent: int) -> list[str]:
    """Fill lines with parts, never splitting a part."""
    lines = [" " * indent]
    for part in parts:
        if len(lines[-1]) + len(part) > width and lines[-1].strip():
            lines.append(" " * indent)
        lines[-1] += part + "   "
    return [line.rstrip() for line in lines]
