"""Content of the parsers as data: each command with options, operands, examples and paragraphs."""

from argparse import Action, ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from papers.values import NO_VALUE, Value, value_of
from wizard import __version__
from wizard.cli import command as words
from wizard.cli.command import OVERVIEW_EXAMPLES as EXAMPLES
from wizard.cli.command import CommandParser as Parser
from wizard.cli.main import parser_of
from wizard.cli.table import GROUPS
from wizard.model.said import Message


@dataclass(frozen=True, slots=True)
class Option:
    """An option, with the long name last. Mutually exclusive options share a `group` number."""

    names: tuple[str, ...]
    says: str
    value: Value
    metavar: str = ""
    required: bool = False
    repeats: bool = False
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Operand:
    """A positional argument."""

    metavar: str
    says: str
    value: Value
    required: bool
    repeats: bool


@dataclass(frozen=True, slots=True)
class Command:
    """A command; the wizard has an empty name. `brief` is the line in the list of commands, below
    `heading`."""

    heading: str
    name: str
    brief: str
    says: str
    options: tuple[Option, ...]
    operands: tuple[Operand, ...]
    examples: tuple[str | Message, ...]
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """All commands. `shared` are the options of every command."""

    version: str
    wizard: Command
    commands: tuple[Command, ...]
    shared: tuple[Option, ...]
    examples: tuple[str | Message, ...]
    exit_codes: tuple[tuple[str, str], ...]


def program() -> Program:
    """Return the content of all parsers, in the current language."""
    codes = [code.partition(" ") for code in str(words.CODES).partition(": ")[2].rstrip(".").split(", ")]
    return Program(
        __version__,
        _command("", "", str(words.WIZARD)),
        tuple(
            _command(str(heading), one.name, str(one.summary))
            for heading, commands in GROUPS.items()
            for one in commands
        ),
        (
            Option(("-h", "--help"), "show the options and examples", NO_VALUE),
            Option(("--debug",), "write a log for a bug report, and print its path", NO_VALUE),
            Option(("--with-serials",), "with --debug: keep serial numbers in the log", NO_VALUE),
        ),
        EXAMPLES,
        tuple((code, means) for code, _, means in codes),
    )


def actions_of(parser: ArgumentParser) -> tuple[Action, ...]:
    """Return a parser's arguments except --help. argparse has no public way to list arguments."""
    return tuple(one for one in parser._actions if one.dest != "help")


def _command(heading: str, name: str, brief: str) -> Command:
    parser = parser_of(name)
    return Command(
        heading,
        name,
        brief,
        parser.description or "",
        tuple(_options(parser)),
        tuple(_operands(actions_of(parser))),
        tuple(parser.examples),
        tuple(str(one) for one in parser.about),
    )


def _options(parser: Parser) -> Iterator[Option]:
    groups = {
        id(one): number
        for number, group in enumerate(parser._mutually_exclusive_groups)
        for one in group._group_actions
    }
    for one in actions_of(parser):
        if one.option_strings:
            takes = one.nargs != 0
            yield Option(
                tuple(sorted(one.option_strings, key=len)),
                one.help or "",
                value_of(one) if takes else NO_VALUE,
                _metavar(one) if takes else "",
                one.required,
                type(one).__name__ == "_AppendAction",
                groups.get(id(one)),
            )


def _operands(actions: Sequence[Action]) -> Iterator[Operand]:
    for one in actions:
        if not one.option_strings:
            yield Operand(
                _metavar(one),
                one.help or "",
                value_of(one),
                one.nargs not in ("?", "*"),
                one.nargs in ("*", "+"),
            )


def _metavar(one: Action) -> str:
    """Return the metavar as argparse shows it."""
    if one.choices is not None:
        return f"{{{','.join(one.choices)}}}"
    return str(one.metavar or one.dest.upper())
