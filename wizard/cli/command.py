"""Common parts of a command's help: examples and paragraphs."""

import shlex
import sys
from argparse import Action, ArgumentParser, HelpFormatter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from wizard.model.errors import ExitCode, printable
from wizard.model.said import Message, Sentence, t

EXAMPLES = t("examples:")
ALL_OPTIONS = Sentence("See `{command} --help` for all options and examples.")

WIDEST = 110
"""Columns; longer lines are hard to read."""


@dataclass(frozen=True, slots=True)
class Example:
    """A command line and, if needed, an explanation of its effect."""

    words: tuple[str, ...]
    says: Message | None = None

    def lines(self, width: int) -> Iterator[str]:
        """Yield the command and explanation, at most `width` columns wide. Long commands continue after a
        backslash."""
        line = "   "
        for part in _parts(self.words):
            if line.strip() and len(line) + len(part) + 3 > width:
                yield f"{line} \\"
                line = "       "
            line += f" {part}"
        yield line
        if self.says is not None:
            yield from _filled(str(self.says), width, 8)


def _parts(words: tuple[str, ...]) -> Iterator[str]:
    """Yield the words, each option joined with its value."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        valued = word.startswith("-") and rest and not rest[0].startswith(("-", "|"))
        yield f"{word} {rest.pop(0)}" if valued else word


def plain(*words: str, says: Message | None = None) -> Example:
    """Return an example that does not require root."""
    return Example(("diskwright", *words), says)


def root(*words: str, says: Message | None = None) -> Example:
    """Return an example that requires root."""
    return Example(("sudo", "diskwright", *words), says)


def typed(*words: str) -> str:
    """Return an indented command line for root. `words` must already be quoted for the shell."""
    return " ".join(("    sudo", "diskwright", *words))


def given_again() -> str:
    """Return the current command line, quoted and prefixed with sudo."""
    return " ".join(["sudo", "diskwright", *(shlex.quote(printable(word, 400)) for word in sys.argv[1:])])


class Literal(HelpFormatter):
    """Help formatter that prints help texts verbatim, so percent signs are allowed."""

    def _expand_help(self, action: Action) -> str:
        return action.help or ""


class CommandParser(ArgumentParser):
    """Argument parser whose help ends with examples and paragraphs, wrapped at the terminal width."""

    def __init__(
        self,
        name: str,
        examples: Sequence[Example],
        about: Sequence[Message],
        says: Message | None = None,
    ) -> None:
        """`says`: the description of a parser whose name is not in SAYS."""
        said = str(says or t("{summary:First}.", summary=SAYS[name]()))
        super().__init__(f"diskwright {name}".strip(), description=said, formatter_class=Literal)
        self.examples, self.about = tuple(examples), tuple(about)

    def add_journal(self, says: Message) -> None:
        """Add `--journal DIR`. Makes the folder absolute, because the background process has another working
        directory."""
        self.add_argument("--journal", metavar="DIR", type=_folder, help=str(says))

    def format_help(self) -> str:
        """Return the whole help text. Examples and paragraphs are rendered only on demand."""
        width = help_width()
        lines = [*example_lines(self.examples, width), *paragraph_lines(self.about, width)]
        return "\n".join((super().format_help(), *lines, ""))

    def error(self, message: str) -> NoReturn:
        """Print the mistake with an example, and exit."""
        width = help_width()
        more = paragraph_lines((ALL_OPTIONS(command=self.prog),), width)
        lines = (*_filled(f"{self.prog}: {message}.", width), *example_lines(self.examples[:1], width), *more)
        self.exit(ExitCode.USAGE, "\n".join((*lines, "")))


def _folder(named: str) -> Path | None:
    return Path(named).absolute() if named else None


def help_width() -> int:
    """Return the width of help texts in columns."""
    from shutil import get_terminal_size

    return max(40, min(get_terminal_size().columns - 2, WIDEST))


def example_lines(examples: Iterable[Example], width: int) -> list[str]:
    """Return the examples below a heading."""
    return [str(EXAMPLES), *(line for example in examples for line in example.lines(width))]


def paragraph_lines(said: Iterable[Message], width: int) -> list[str]:
    """Return the wrapped paragraphs, each after an empty line."""
    return [line for one in said for line in ("", *_filled(str(one), width))]


def item_lines(name: str, says: Message | str, width: int) -> list[str]:
    """Return a name with its description in a second column."""
    return _filled(str(says), width, 15, f"    {name:<10} ")


def _filled(text: str, width: int, indent: int = 0, begins: str = "") -> list[str]:
    from textwrap import wrap

    lead = " " * indent
    return wrap(text, width, initial_indent=begins or lead, subsequent_indent=lead, break_on_hyphens=False)


SAYS = {
    "inspect": Sentence("list drives and findings"),
    "advise": Sentence("recommend a filesystem and options for a drive and a workload"),
    "workloads": Sentence("list workloads"),
    "options": Sentence("list options of mkfs, mount and tune2fs with effect, danger and kernels"),
    "glossary": Sentence("explain a word, such as 512e, SMR or stripe width"),
    "bench": Sentence("measure aligned against misaligned access, or find a shingled drive's write cliff"),
    "trial": Sentence("compare filesystems in a drive's free space"),
    "plan": Sentence("plan a layout without writing to the drive"),
    "tune": Sentence("suggest better settings for an existing filesystem"),
    "migrate": Sentence("compare conversions from ext2 or ext3 to ext4, or save one as a plan"),
    "show": Sentence("show a plan: before, after, and all commands"),
    "export": Sentence("export a plan or drive for ensure, Ansible or other tools"),
    "apply": Sentence("apply a plan exactly as shown"),
    "ensure": Sentence("make drives match a file; changes only what differs"),
    "move": Sentence("move a partition, or all misaligned ones, with all data"),
    "bring": Sentence("copy a folder or a filesystem to a volume, and compare"),
    "label": Sentence("change the label of a filesystem, also in fstab"),
    "new-uuid": Sentence("give a copied filesystem, container or table its own UUID"),
    "mount": Sentence("mount a filesystem, now and at every boot"),
    "unmount": Sentence("unmount a filesystem; if busy, list the programs"),
    "remount": Sentence("change mount options in fstab and, if possible, at once"),
    "grow": Sentence("grow a mounted ext3, ext4, XFS or Btrfs into free space"),
    "power-off": Sentence("unmount, flush and power off a removable drive"),
    "release": Sentence("stop unused arrays, volume groups and containers on a drive"),
    "status": Sentence("list runs, waiting ones first"),
    "look": Sentence("show the result of a waiting run, read-only"),
    "keep": Sentence("keep the result of a waiting run for good"),
    "undo": Sentence("restore the old content, bit for bit, unless the run was kept"),
    "resume": Sentence("continue a failed, stopped or interrupted run"),
    "report": Sentence("save a run or a plan as one HTML page or as JSON"),
    "install": Sentence("install missing tools with your package manager"),
    "demo": Sentence("try the wizard on a disposable drive"),
}
"""Short descriptions by command name."""

GROUPS = {
    "looking": Sentence("Inspect and advise"),
    "measuring": Sentence("Measure"),
    "planning": Sentence("Plan"),
    "changing": Sentence("Change drives"),
    "runs": Sentence("Runs"),
    "itself": Sentence("This system"),
}
"""Headings of the command groups."""

USAGE = t("usage: diskwright [OPTIONS] [DEVICE], or diskwright COMMAND [...]")
WIZARD = t(
    "Without a command, the wizard starts. It writes only after you have seen "
    "every change and typed the drive's serial number. With --plain, or on a "
    "dumb terminal, it asks line by line."
)
FIRST_LOOK = t("a first look, without root")
TRY = t("try everything on a disposable drive")
WHOLE = t("plan a whole drive for large media files")
SHOW = t("show the drive before and after, and every command")
APPLY = t("apply the plan; a drive with data then waits")
KEEP = t("keep the result")
UNDO = t("restore the old content, bit for bit")

OWN_HELP = t("See `diskwright COMMAND --help` for options and examples.")
DEBUG = t(
    "--debug writes a log for bug reports, with any command. Add --with-serials to include serial numbers."
)
EXIT_CODES = Sentence("Exit codes: {codes:list}.")
CODES = (
    Sentence("0 done"),
    Sentence("1 failed"),
    Sentence("2 wrong usage or unreadable input"),
    Sentence("3 refused for safety (nothing written)"),
    Sentence("4 interrupted"),
    Sentence("5 changed, only with --detailed-exitcode"),
    Sentence("130 stopped by the user"),
)


OVERVIEW_EXAMPLES = (
    plain("inspect", says=FIRST_LOOK),
    root("demo", says=TRY),
    root("plan", "/dev/sdX", "--workload", "large-media", "-o", "media.json", says=WHOLE),
    plain("show", "media.json", says=SHOW),
    root("apply", "media.json", "--confirm", "SERIAL", says=APPLY),
    root("keep", says=KEEP),
    root("undo", says=UNDO),
)


def overview(groups: Mapping[str, Iterable[str]], options: Iterable[Action]) -> str:
    """Return the text of `diskwright --help`: the wizard's options, and each group's commands."""
    width = help_width()
    lines = [str(USAGE), *paragraph_lines((WIZARD,), width), ""]
    for option in options:
        name = (option.metavar, *option.option_strings)[-1]
        lines += item_lines(str(name), option.help or "", width)
    for group, names in groups.items():
        lines += ["", f"{GROUPS[group]()}:"]
        lines += [line for name in names for line in item_lines(name, SAYS[name](), width)]
    lines += ["", *example_lines(OVERVIEW_EXAMPLES, width)]
    codes = EXIT_CODES(codes=tuple(code() for code in CODES))
    lines += paragraph_lines((OWN_HELP, DEBUG, codes), width)
    return "\n".join((*lines, ""))
