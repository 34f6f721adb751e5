"""Manual pages in the macros of man(7), supported by groff and mandoc."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from papers.commands import Command, Operand, Option, Program
from papers.values import NO_VALUE
from wizard.cli.command import line_to_type
from wizard.model.said import Message

VERSION = Option(("--version",), "print the version", NO_VALUE)
RUNS = "What was applied, with the data that undo needs, unless --journal names another folder."
OWN = "Own purposes, options and sources, of this system or user."
QUOTED = re.compile(r"`([^`]+)`")


def main_page(known: Program, date: str) -> str:
    """Return diskwright(1): the wizard and all commands."""
    wizard = known.wizard
    listed = [
        line
        for heading, commands in groupby(known.commands, lambda one: one.heading)
        for line in (f".SS {_text(heading)}", *(told for one in commands for told in _listed(one)))
    ]
    return _page(
        "diskwright",
        known,
        date,
        _text(wizard.says, quoted=False),
        (
            *_synopsis(wizard, "diskwright"),
            ".br",
            f"{_bold('diskwright')} {_italic('COMMAND')} [...]",
            *_section("DESCRIPTION", _paragraphs((wizard.brief, *wizard.about))),
            *_section(
                "COMMANDS", ["Each command has its own page, such as diskwright\\-inspect(1).", *listed]
            ),
            *_section("OPTIONS", ["Without a command:", *_taken(wizard), *_shared(known), *_option(VERSION)]),
            *_section("EXAMPLES", _examples((*known.examples, *wizard.examples))),
            *_exit_status(known),
            *_section("FILES", [".TP", _italic("/var/lib/diskwright/runs"), _text(RUNS), ".TP"]),
            _italic("/etc/diskwright"),
            ".TQ",
            _italic("~/.config/diskwright"),
            _text(OWN),
            *_see_also(f"diskwright-{one.name}" for one in known.commands),
        ),
    )


def _listed(command: Command) -> tuple[str, ...]:
    return (".TP", _bold(f"diskwright {command.name}"), _text(command.brief))


def page(known: Program, command: Command, date: str) -> str:
    """Return diskwright-COMMAND(1)."""
    return _page(
        f"diskwright-{command.name}",
        known,
        date,
        _text(command.brief, quoted=False),
        (
            *_synopsis(command, f"diskwright {command.name}"),
            *_section("DESCRIPTION", _paragraphs((command.says, *command.about))),
            *_section("OPTIONS", [*_taken(command), *_shared(known)]),
            *_section("EXAMPLES", _examples(command.examples)),
            *_exit_status(known),
            *_see_also(("diskwright",)),
        ),
    )


def _page(name: str, known: Program, date: str, brief: str, body: Iterable[str]) -> str:
    head = f'.TH {name.upper()} 1 "{date}" "diskwright {known.version}" "Diskwright Commands"'
    return "\n".join((head, *_section("NAME", (f"{_escaped(name)} \\- {brief}",)), *body, ""))


def _section(heading: str, lines: Iterable[str]) -> tuple[str, ...]:
    return (f".SH {heading}", *lines)


def _synopsis(command: Command, called: str) -> Iterator[str]:
    """Yield the synopsis, with mutually exclusive options grouped as in argparse's usage line."""
    yield ".SH SYNOPSIS"
    parts = [_bold(called)]
    for one in command.options:
        if one.group is None:
            parts.append(_shown(one) if one.required else f"[{_shown(one)}]")
        elif one == next(other for other in command.options if other.group == one.group):
            beside = (_shown(other) for other in command.options if other.group == one.group)
            parts.append(f"[{' | '.join(beside)}]")
    parts += map(_asked, command.operands)
    yield "\n".join(parts)


def _shown(option: Option) -> str:
    name = _bold(option.names[0])
    return f"{name} {_italic(option.metavar)}" if option.metavar else name


def _asked(operand: Operand) -> str:
    word = _italic(operand.metavar)
    if operand.repeats:
        return f"{word} ..." if operand.required else f"[{word} ...]"
    return word if operand.required else f"[{word}]"


def _taken(command: Command) -> Iterator[str]:
    for operand in command.operands:
        yield from (".TP", _italic(operand.metavar), _text(operand.says))
    for option in command.options:
        yield from _option(option)


def _option(option: Option) -> Iterator[str]:
    metavar = f" {_italic(option.metavar)}" if option.metavar else ""
    yield from (".TP", ", ".join(f"{_bold(name)}{metavar}" for name in option.names), _text(option.says))


def _shared(known: Program) -> Iterator[str]:
    yield from (".PP", "Every command also has these options:")
    for option in known.shared:
        yield from _option(option)


def _paragraphs(texts: Sequence[str]) -> list[str]:
    return [
        line for number, text in enumerate(texts) for line in ((".PP",) if number else ()) + (_text(text),)
    ]


def _examples(examples: Iterable[str | Message]) -> Iterator[str]:
    """Yield command lines, each followed by its explanation if there is one."""
    for number, one in enumerate(examples):
        if isinstance(one, Message):
            yield from (".RS 4", _text(str(one)), ".RE")
            continue
        if number:
            yield ".PP"
        typed = (_escaped(line.removeprefix("    ")) for line in line_to_type(one, 74))
        yield from (".nf", *typed, ".fi")


def _exit_status(known: Program) -> Iterator[str]:
    yield ".SH EXIT STATUS"
    for code, means in known.exit_codes:
        yield from (".TP", _bold(code), _text(means))


def _see_also(names: Iterable[str]) -> Iterator[str]:
    yield ".SH SEE ALSO"
    yield ",\n".join(f"{_bold(name)}(1)" for name in names)


def _bold(text: str) -> str:
    return f"\\fB{_escaped(text)}\\fR"


def _italic(text: str) -> str:
    return f"\\fI{_escaped(text)}\\fR"


def _text(text: str, *, quoted: bool = True) -> str:
    """Return a sentence, with quoted commands in bold."""
    parts = QUOTED.split(text)
    return _safe(
        "".join(
            (_bold(part) if quoted else _escaped(part)) if odd % 2 else _prose(part)
            for odd, part in enumerate(parts)
        )
    )


def _prose(text: str) -> str:
    """Escape the hyphens of options, so that they can be copied. Hyphens within words stay as they are."""
    return re.sub(r"(?<![\w)])-(?=[-\w])|(?<=-)-", r"\\-", text.replace("\\", r"\e"))


def _escaped(text: str) -> str:
    """Escape text to type, so that its hyphens can be copied."""
    return _safe(text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("~", r"\(ti"))


def _safe(line: str) -> str:
    """Protect a line that would begin like a request."""
    return rf"\&{line}" if line.startswith((".", "'")) else line
