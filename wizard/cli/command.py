"""Command rows, their arguments, and the help made from both."""

import re
import shlex
from argparse import Action, ArgumentParser, HelpFormatter, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from msgspec import Struct

from wizard.model.errors import BadInput, ExitCode, printable
from wizard.model.said import Message, Sentence, t

REQUIRES = Sentence("{option} requires {needed}.")
NEEDS_DRIVE = Sentence("{option} requires a whole drive, such as {drive}.")
BETWEEN = Sentence("{option} must be between {least} and {most}.")
NOT_FOUND = Sentence("{file} not found. Create it with `diskwright {command} ... -o {file}`.")

NOT_WRITTEN = t("Nothing was written. To apply, exactly as shown:")
NEEDS_ROOT = t("This requires root. Nothing was written. To run as root:")

EXAMPLES = t("examples:")
SEE = Sentence("See `{command} --help` for options and examples.")

WIDEST = 110
"""Columns; longer lines are hard to read."""


def typed(*words: str) -> str:
    """Return a command line for root. `words` are quoted for the shell."""
    return " ".join(("    sudo", "diskwright", *words))


def given_again(arguments: Namespace) -> str:
    """Return the current command line for root."""
    words = ("sudo", "diskwright", *arguments.words)
    return " ".join(shlex.quote(printable(word, 400)) for word in words)


class Argument(Struct, frozen=True):
    """An option or operand. `spec` has its names and a metavar, which may end in `?`, `*` or `+` as nargs of
    argparse; an option with `+` may be repeated. Without metavar and `choices`, an option is a switch.
    `convert` and `choices` may name an object as `module:name`. Arguments of one `group` exclude each
    other. `needs` and `excludes` are names of other arguments."""

    spec: str
    says: Message
    convert: str = ""
    choices: str | tuple[str, ...] = ()
    default: str | tuple[str, ...] | None = None
    required: bool = False
    dest: str = ""
    group: str = ""
    needs: str = ""
    excludes: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Names."""
        first, *more = self.spec.split()
        return (first, *(word for word in more if word.startswith("-")))

    @property
    def metavar(self) -> str:
        """Metavar with suffix, or an empty string."""
        return " ".join(self.spec.split()[len(self.names) :])


class CommandRow(Struct, frozen=True):
    """A command. The wizard has an empty name. Only the module of `function` is imported. `probes`: probes
    drives, unless for help or a recorded machine. `begins`: starts or continues a background process."""

    name: str
    summary: Message
    function: str
    arguments: tuple[Argument, ...]
    examples: tuple[str | Message, ...]
    about: tuple[Message, ...] = ()
    probes: bool = False
    begins: bool = False


class Literal(HelpFormatter):
    """Help formatter that allows percent signs."""

    def _expand_help(self, action: Action) -> str:
        return action.help or ""


class CommandParser(ArgumentParser):
    """Parser whose help ends with examples and paragraphs, wrapped at the terminal width."""

    def __init__(self, command: CommandRow) -> None:
        summary = str(command.summary)
        super().__init__(
            f"diskwright {command.name}".strip(),
            description=f"{summary[:1].upper()}{summary[1:]}.",
            formatter_class=Literal,
        )
        self.arguments, self.examples, self.about = command.arguments, command.examples, command.about
        self.keys: dict[str, str] = {}
        groups: dict[str, Callable[..., Action]] = {"": self.add_argument}
        for one in command.arguments:
            if one.group not in groups:
                groups[one.group] = self.add_mutually_exclusive_group().add_argument
            self.keys[one.names[-1]] = _add(groups[one.group], one).dest

    def read(self, words: Sequence[str]) -> Namespace:
        """Parse the words. Raises BadInput for an option without another that it needs, or with one that it
        excludes."""
        values = self.parse_args(words)
        found = {name: getattr(values, key) for name, key in self.keys.items()}
        given = {name for name, value in found.items() if value is not None and value is not False}
        for one in self.arguments:
            if one.names[-1] in given:
                if not given.issuperset(one.needs.split()):
                    raise BadInput(REQUIRES(option=one.names[-1], needed=one.needs))
                if other := next(filter(given.__contains__, one.excludes.split()), ""):
                    named = other if other.startswith("-") else other.upper()
                    raise BadInput(
                        t("{option} cannot be combined with {other}.", option=one.names[-1], other=named)
                    )
        return values

    def format_help(self) -> str:
        """Return the help text. Examples are rendered only on demand."""
        lines = [*example_lines(self.examples), *paragraph_lines(self.about)]
        return "\n".join((super().format_help(), *lines, ""))

    def error(self, message: str) -> NoReturn:
        """Print the mistake with an example, and exit. Escapes the given words, which it repeats."""
        more = paragraph_lines((SEE(command=self.prog),))
        said = [printable(line, WIDEST) for line in _filled(f"{self.prog}: {message}.")]
        lines = (*said, *example_lines(self.examples[:1]), *more)
        self.exit(ExitCode.USAGE, "\n".join((*lines, "")))


def _add(add: Callable[..., Action], one: Argument) -> Action:
    from pkgutil import resolve_name

    metavar = one.metavar.rstrip("?*+")
    suffix = one.metavar[len(metavar) :]
    given: dict[str, object] = {"help": str(one.says)}
    if one.dest:
        given["dest"] = one.dest
    if not (metavar or one.choices):
        given["action"] = "store_true"
    else:
        if suffix:
            given |= {"action": "append"} if one.spec.startswith("-") else {"nargs": suffix}
        found = resolve_name(one.choices) if isinstance(one.choices, str) else one.choices
        given |= {
            "metavar": metavar or None,
            "type": resolve_name(one.convert) if one.convert else None,
            "default": one.default,
            "choices": tuple(map(str, found)) or None,
        }
    if one.required:
        given["required"] = True
    return add(*one.names, **given)


def folder(named: str) -> Path | None:
    """Return an absolute folder, because the background process has another working directory."""
    return Path(named).absolute() if named else None


def listed(text: str) -> tuple[str, ...]:
    """Split options at commas."""
    return tuple(option for option in text.split(",") if option)


def help_width() -> int:
    """Return the width of help texts in columns."""
    from shutil import get_terminal_size

    return max(40, min(get_terminal_size().columns - 2, WIDEST))


def example_lines(examples: Iterable[str | Message]) -> list[str]:
    """Return the examples, each with its explanation."""
    lines = [str(EXAMPLES)]
    for one in examples:
        lines += _filled(one, 8) if isinstance(one, Message) else line_to_type(one, help_width())
    return lines


def line_to_type(command: str, width: int) -> Iterator[str]:
    """Yield a command line, continued after backslashes; options stay with their values."""
    line = "   "
    for part in re.findall(r"-\S+ [^-|\s]\S*|\S+", command):
        if line.strip() and len(line) + len(part) + 3 > width:
            yield f"{line} \\"
            line = "       "
        line += f" {part}"
    yield line


def paragraph_lines(said: Iterable[Message]) -> list[str]:
    """Return the wrapped paragraphs, each after an empty line."""
    return [line for one in said for line in ("", *_filled(one))]


def item_lines(name: str, says: Message) -> list[str]:
    """Return a name with the description in a second column."""
    return _filled(says, 15, f"    {name:<10} ")


def _filled(text: Message | str, indent: int = 0, begins: str = "") -> list[str]:
    from textwrap import wrap

    lead = " " * indent
    first = begins or lead
    return wrap(str(text), help_width(), initial_indent=first, subsequent_indent=lead, break_on_hyphens=False)


USAGE = t("usage: diskwright [OPTIONS] [DEVICE], or diskwright COMMAND [...]")
WIZARD = t(
    "Without a command, the wizard starts. It writes only after you have seen every change and typed the "
    "drive's serial number. With --plain, or on a dumb terminal, it asks line by line."
)

CODES = t(
    "Exit codes: 0 done, 1 failed, 2 wrong usage or unreadable input, 3 refused for safety (nothing "
    "written). Also 4 interrupted, 5 changed (only with --detailed-exitcode), 130 stopped by the user."
)

OVERVIEW_EXAMPLES = (
    "diskwright inspect",
    t("a first look, without root"),
    "sudo diskwright demo",
    t("try everything on a disposable drive"),
    "sudo diskwright plan /dev/sdX --workload large-media -o media.json",
    t("plan a whole drive for large media files"),
    "diskwright show media.json",
    t("show the drive before and after, and every command"),
    "sudo diskwright apply media.json --confirm SERIAL",
    t("apply the plan; a drive with data then waits"),
    "sudo diskwright keep",
    t("keep the result"),
    "sudo diskwright undo",
    t("restore the old content, bit for bit"),
)


def overview(groups: Mapping[Message, Sequence[CommandRow]], options: Iterable[Argument]) -> str:
    """Return the text of `diskwright --help`."""
    lines = [str(USAGE), *paragraph_lines((WIZARD,)), ""]
    lines += item_lines("--help", t("show this help message and exit"))
    for option in options:
        name = option.names[-1] if option.spec.startswith("-") else option.metavar.rstrip("?")
        lines += item_lines(name, option.says)
    for heading, commands in groups.items():
        lines += ["", f"{heading}:"]
        lines += [line for one in commands for line in item_lines(one.name, one.summary)]
    lines += ["", *example_lines(OVERVIEW_EXAMPLES)]
    lines += paragraph_lines(
        (
            SEE(command="diskwright COMMAND"),
            t(
                "--debug writes a log for bug reports, with any command. Add --with-serials to include "
                "serial numbers."
            ),
            CODES,
        )
    )
    return "\n".join((*lines, ""))
