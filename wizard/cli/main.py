"""Command line entry point: find the command's module, run it, and map expected errors to exit codes.

Each expected error is printed as one sentence.
"""

import errno
import os
import re
import signal
import sys
from contextlib import redirect_stderr
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Protocol, cast

from wizard.documents.files import PROFILES, speak
from wizard.model.errors import DiskwrightError, ExitCode, printable
from wizard.model.said import reason_of, shown_lines, t
from wizard.probe import pool
from wizard.process import program
from wizard.process.output import Heard

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Sequence

    from wizard.model.said import Message

AFTER = t("If a run was started, `diskwright status` shows its state.")


class CommandModule(Protocol):
    """What a module of a command offers. Only the module of the one that was asked for is imported."""

    parser: "Callable[..., ArgumentParser]"
    """The command's own options, with examples in its epilog. The actions' takes the name of the one that is
    meant."""

    def main(self, arguments: "Namespace") -> ExitCode:
        """Do it."""
        ...


GROUPS = {
    "looking": ("inspect", "advise", "workloads", "options", "glossary"),
    "measuring": ("bench", "trial"),
    "planning": ("plan", "tune", "migrate", "show", "export"),
    "changing": (
        *("apply", "ensure", "move", "bring"),
        *("label", "mount", "unmount", "remount", "grow", "power-off"),
    ),
    "runs": ("status", "look", "keep", "undo", "resume", "report"),
    "itself": ("install", "demo"),
}
"""The commands by group, in the order in which help lists them."""

COMMANDS = tuple(name for names in GROUPS.values() for name in names)

UNWELL = frozenset(
    {errno.EROFS, errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.ESTALE, errno.EACCES, errno.EPERM}
)
"""What a file says that lies on a medium which is full, failing or read-only."""

WIZARD = "walk"
"""The module that runs when no command is given."""

ACTIONS = frozenset({"label", "mount", "unmount", "remount", "grow", "power-off"})
"""Commands of one module, which is told which of them is meant."""

PROBING = ACTIONS | {
    WIZARD,
    "inspect",
    "advise",
    "plan",
    "tune",
    "migrate",
    "move",
    "bring",
    "bench",
    "trial",
    "apply",
    "ensure",
}
"""Commands that look at drives, unless they only give help or look at a recorded machine."""

BEGINNING = ACTIONS | {"apply", "ensure", "move", "bring", "resume", "keep", "undo"}
"""Commands that hand a run over to a process of its own, which Ctrl+C does not end."""

LONGEST_SENTENCE = 4000

CALLED = "DISKWRIGHT_CALLED"
"""The launcher or the one file by which it was started, which may be no command of the shell."""

ROOMS = ("drives", "evidence", "glossary", "options", "workloads")
"""The folders of the profiles, without which less would be known than it seems."""


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run one command; the exit code is one of ExitCode."""
    words = list(sys.argv[1:] if argv is None else argv)
    open_streams()
    # While it is ignored, the kernel keeps no exit status, and every tool seems to succeed.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    speak()
    os.environ.pop(program.VARIABLE, None)
    called = os.environ.pop(CALLED, "")
    if not (called and sys.stdout.isatty() and sys.stderr.isatty()):
        return watched(words)
    heard = Heard(named_command())
    try:
        with heard:
            return watched(words)
    finally:
        if heard.found:
            tell_called(called)


def watched(words: list[str]) -> int:
    """Run the command, with a log of it where `--debug` asks for one."""
    if "--debug" in words:
        from wizard.report.debug import debugged

        return debugged(words, carry_out, own_words(words))
    return carry_out(words)


def own_words(words: "Sequence[str]") -> frozenset[str]:
    """The words of the command line that name nobody: commands, and the command's options and their fixed
    values."""
    actions = [
        action for name in {WIZARD, *words} & {WIZARD, *COMMANDS} for action in parser_of(name)._actions
    ]
    options = (option for action in actions for option in action.option_strings)
    return frozenset(
        (*COMMANDS, "help", "--version", *options, *(str(one) for a in actions for one in a.choices or ()))
    )


def named_command() -> re.Pattern[str]:
    """What stands wherever a command is said that can be typed. What the wizard's screens said is gone with
    them, and not heard."""
    names = "|".join((*COMMANDS, "help"))
    return re.compile(
        rf"(?<![\w/.-])diskwright(?:`|\s+(?:-|/|(?:{names})(?![\w-])))|sudo\s+diskwright(?![\w-])"
    )


def tell_called(file: str) -> None:
    """What is typed for the command's name where the shell would not find it."""
    from shlex import quote
    from shutil import which

    if which("diskwright") is None:
        _tell(
            t(
                "`diskwright` is not a command in this shell; run {file}",
                file=quote(printable(file, 400)),
            )
        )


def carry_out(words: list[str]) -> int:
    """Run the command that `words` name; what is expected to go wrong becomes a sentence and an exit code."""
    begins = bool(BEGINNING.intersection(words[:1]))
    try:
        code = dispatch(words)
        sys.stdout.flush()
        return code
    except DiskwrightError as error:
        program.note_exception()
        print("diskwright:", "\n".join(shown_lines(reason_of(error), LONGEST_SENTENCE)), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        _tell(t("stopped by the user."), AFTER if begins else None)
        return ExitCode.ENDED_BY_USER
    except BrokenPipeError:
        # The reader of our output has gone; what is left unflushed must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        if error.filename and error.errno in UNWELL:
            program.note_exception()
            where = printable(str(error.filename), 200)
            _tell(t("Cannot use {file}: {why}.", file=where, why=error.strerror or ""), AFTER)
            return ExitCode.FAILED
        if error.errno != errno.ENOSPC or error.filename:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

        _tell(t("Cannot write the output: the disk is full."))
        return ExitCode.FAILED


def command_of(name: str) -> CommandModule:
    """The module of a command, or of the wizard."""
    module = "action" if name in ACTIONS else name
    return cast(CommandModule, import_module(f"wizard.cli.commands.{module}"))


def parser_of(name: str) -> "ArgumentParser":
    """The options of a command, or of the wizard."""
    made = command_of(name).parser
    return made(name) if name in ACTIONS else made()


def dispatch(words: list[str]) -> int:
    """Find and run the command that `words` name."""
    if words[:1] == ["help"] and set(words[1:2]) & set(COMMANDS):
        words = [words[1], "--help"]
    if words and words[0] in ("-h", "--help", "help"):
        from wizard.cli.command import overview

        print(overview(GROUPS), end="")
        return ExitCode.DONE
    if words and words[0] == "--version":
        from wizard import __version__

        print(f"diskwright {__version__}")
        return ExitCode.DONE
    if not all(os.path.isdir(f"{PROFILES}/{room}") for room in ROOMS):  # noqa: PTH112 - see `language`
        _tell(
            t(
                "{folder} is missing or incomplete, so data on drives and workloads is "
                "unavailable. Known shingled drives would not be recognised. Reinstall "
                "diskwright.",
                folder=printable(PROFILES, 200),
            )
        )
        return ExitCode.FAILED
    # A path is the drive that the wizard begins with.
    name = words.pop(0) if words and not words[0].startswith(("-", "/", ".")) else WIZARD
    if name != WIZARD and name not in COMMANDS:
        _tell(t("unknown command {name}; `diskwright --help` lists all commands.", name=repr(name[:40])))
        return ExitCode.USAGE
    if name in PROBING and not any(word.startswith(("-h", "--help", "--machine")) for word in words):
        # Before everything else is loaded, which takes as long as the server does.
        pool.begin()
    arguments = parse(parser_of(name), words)
    if name == WIZARD and arguments.device in COMMANDS:
        _tell(
            t(
                "options follow the command: `diskwright {command} ...`",
                command=arguments.device,
            )
        )
        return ExitCode.USAGE
    arguments.words = (name, *words)
    return command_of(name).main(arguments)


def _tell(*said: "Message | None") -> None:
    """Sentences in a row, from the program itself."""
    print("diskwright:", *(str(one) for one in said if one), file=sys.stderr)


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
