"""The command line: finds the command's module, runs it, and turns every expected error into a sentence and
an exit code."""

import errno
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Protocol, cast

from wizard.documents.language import speak
from wizard.model.errors import DiskwrightError, ExitCode
from wizard.model.names import printable
from wizard.probe import pool
from wizard.tools import debuglog

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


class Command(Protocol):
    """What a module of `wizard.faces` offers. Only the module of the command that was asked for is
    imported."""

    def parser(self) -> "ArgumentParser":
        """The command's own options, with examples in its epilog."""
        ...

    def main(self, arguments: "Namespace") -> ExitCode:
        """Do it."""
        ...


COMMANDS = {
    "inspect": "what the attached drives are, and what is wrong with how they are used",
    "workloads": "the purposes that advice knows",
    "glossary": "what a word means, such as 512e, SMR or stripe width",
    "options": (
        "what can be written to mkfs, mount and tune2fs: what it does, its danger, and for which kernels"
    ),
    "advise": "which filesystem and options suit a drive and a purpose, and why",
    "plan": "work out a layout; nothing is written to the drive",
    "tune": "what would suit a filesystem better that exists already, as changes for apply",
    "label": "give a filesystem another label",
    "mount": "mount a filesystem, now and at every boot",
    "unmount": "unmount a filesystem",
    "remount": "give a filesystem other mount options",
    "power-off": "unmount a removable drive and power it off",
    "migrate": (
        "bring ext2 and ext3 to ext4 with everything on them: the ways there are, or one of them as a plan"
    ),
    "show": "a plan as before, after and commands; or changes",
    "bench": "measure aligned against misaligned access, or look for a shingled drive's write cliff",
    "apply": "carry out a plan, or changes, exactly as shown",
    "status": "what has been applied, and how it ended",
    "resume": "go on with an interrupted run",
    "undo": "put back what a run changed, bit for bit, as long as it was not kept",
    "look": "look at what a run made and what waits to be kept, read-only",
    "keep": "put to use what a run made, and give up the way back",
    "install": "programs that are missing, by this distribution's package manager",
    "report": "everything about a run, or a plan, in one HTML file or as JSON",
    "demo": "the whole wizard on a disposable drive that it makes itself",
}

UNWELL = frozenset(
    {errno.EROFS, errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.ESTALE, errno.EACCES, errno.EPERM}
)
"""What a file says that lies on a medium which is full, failing or read-only."""

AFTER = "If a run was begun, `diskwright status` tells how it stands."

WIZARD = "walk"
"""The module that runs when no command is given."""

ACTIONS = frozenset({"label", "mount", "unmount", "remount", "power-off"})
"""Commands of one module, which is told which of them is meant."""

PROBING = ACTIONS | {WIZARD, "inspect", "advise", "plan", "tune", "migrate", "bench", "apply"}
"""Commands that look at drives, unless they only give help or look at a recorded machine."""

BEGINNING = ACTIONS | {"apply", "resume", "keep", "undo"}
"""Commands that hand a run over to a process of its own, which Ctrl+C does not end."""

LONGEST_SENTENCE = 4000

HELP = """usage: diskwright [COMMAND] [...]

Without a command, the wizard: it inspects, warns, advises, shows the layout before and after, measures, and
applies what it showed. Nothing is written before you have seen it and typed the drive's own token.
On a terminal that only prints, and with --plain anywhere, it asks line by line.

{commands}

A first look, which needs no root:
    diskwright inspect
Try everything on a drive that is made for it and deleted afterwards:
    sudo diskwright demo
A whole drive for large media files, as a plan to read before it is applied:
    sudo diskwright plan /dev/sdX --workload large-media -o media.json
    diskwright show media.json
    sudo diskwright apply media.json --confirm SERIAL
A drive that held something then waits for your word:
    sudo diskwright keep        puts it to use
    sudo diskwright undo        puts back what was there, bit for bit

`diskwright COMMAND --help` has the options and examples of each.
--debug with any command writes a log for a report of a bug, and says where it is; serial numbers are in it
only with --with-serials too. Exit codes: 0 done, 1 failed, 2 wrong usage or unreadable input, 3 refused for
safety (nothing written), 4 interrupted, 130 ended by you.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is one of ExitCode."""
    words = list(sys.argv[1:] if argv is None else argv)
    open_streams()
    speak()
    os.environ.pop(debuglog.VARIABLE, None)
    if "--debug" in words:
        from wizard.report.debug import debugged

        return debugged(words, carry_out)
    return carry_out(words)


def carry_out(words: list[str]) -> int:
    """Run the command that `words` name; what is expected to go wrong becomes a sentence and an exit code."""
    begins = bool(BEGINNING.intersection(words[:1]))
    try:
        code = dispatch(words)
        sys.stdout.flush()
        return code
    except DiskwrightError as error:
        debuglog.note_exception()
        print(f"diskwright: {printable(str(error), LONGEST_SENTENCE)}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"diskwright: ended by you.{f' {AFTER}' if begins else ''}", file=sys.stderr)
        return ExitCode.ENDED_BY_USER
    except BrokenPipeError:
        # The reader of our output has gone; what is left unflushed must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        if error.filename and error.errno in UNWELL:
            debuglog.note_exception()
            where = printable(str(error.filename), 200)
            print(f"diskwright: {where} cannot be used: {error.strerror}. {AFTER}", file=sys.stderr)
            return ExitCode.FAILED
        if error.errno != errno.ENOSPC or error.filename:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print("diskwright: The output could not be written: its disk is full.", file=sys.stderr)
        return ExitCode.FAILED


def dispatch(words: list[str]) -> int:
    """Find and run the command that `words` name."""
    if words and words[0] in ("-h", "--help", "help"):
        print(
            HELP.format(commands="\n".join(f"    {name:<10} {what}" for name, what in COMMANDS.items())),
            end="",
        )
        return ExitCode.DONE
    if words and words[0] == "--version":
        from wizard import __version__

        print(f"diskwright {__version__}")
        return ExitCode.DONE
    name = words.pop(0) if words and not words[0].startswith("-") else WIZARD
    if name != WIZARD and name not in COMMANDS:
        print(
            f"diskwright: there is no command {name[:40]!r}; `diskwright --help` lists them.", file=sys.stderr
        )
        return ExitCode.USAGE
    if name in PROBING and not any(word.startswith(("-h", "--help", "--machine")) for word in words):
        # Before everything else is loaded, which takes as long as the server does.
        pool.begin()
    if name in ACTIONS:
        from wizard.faces import action

        return action.main(parse(action.parser(name), words))
    command = cast(Command, import_module(f"wizard.faces.{name}"))
    arguments = parse(command.parser(), words)
    arguments.words = (name, *words)
    return command.main(arguments)


def parse(parser: "ArgumentParser", words: list[str]) -> "Namespace":
    """The words as options. What argparse says of wrong ones repeats them, so it is made safe to show."""
    said = StringIO()
    try:
        with redirect_stderr(said):
            return parser.parse_args(words)
    finally:
        sys.stderr.write("\n".join(printable(line, LONGEST_SENTENCE) for line in said.getvalue().split("\n")))


def open_streams() -> None:
    """Give the null device to standard streams that were closed.

    Else the next file that is opened, a drive among them, would get their number, and whatever is printed
    would be written to it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
