"""Command line entry point: find the command, run its function, and map expected errors to exit codes.

Each expected error is printed as one sentence.
"""

import errno
import os
import re
import shlex
import shutil
import signal
import sys
from itertools import pairwise
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from wizard.cli.command import CommandParser
from wizard.cli.table import COMMANDS, GROUPS, ROWS, WIZARD
from wizard.documents.files import PROFILES, speak
from wizard.model.errors import DiskwrightError, ExitCode, printable
from wizard.model.said import reason_of, shown_lines, t
from wizard.process import program
from wizard.process.output import search_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wizard.cli.output import Document
    from wizard.model.said import Message

AFTER = t("If a run was started, `diskwright status` shows its state.")


UNWELL = frozenset(
    {errno.EROFS, errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.ESTALE, errno.EACCES, errno.EPERM}
)
"""Errors of files on a full, failing, stale or read-only medium."""

LONGEST_SENTENCE = 4000

CALLED = "DISKWRIGHT_CALLED"
"""Environment variable with the path of the launcher or single-file bundle, which may not be on PATH."""

ROOMS = ("drives", "evidence", "glossary", "options", "workloads")
"""Required profile folders."""


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    # Otherwise the next opened file, possibly a drive, would get a standard stream's number and its output.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        setattr(sys, name, getattr(sys, name) or open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
    # If SIGCHLD is ignored, the kernel discards exit statuses and every tool seems to succeed.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    speak()
    os.environ.pop(program.VARIABLE, None)
    called = os.environ.pop(CALLED, "")
    if not (called and sys.stdout.isatty() and sys.stderr.isatty()):
        return watched(words)
    with search_output(named_command()) as heard:
        try:
            return watched(words)
        finally:
            if heard.found and shutil.which("diskwright") is None:
                file = shlex.quote(printable(called, 400))
                _tell(t("`diskwright` is not a command in this shell; run {file}", file=file))


def watched(words: list[str]) -> int:
    """Run the command, with a debug log if `--debug` is given."""
    if "--debug" in words:
        from wizard.report.debug import debugged

        return debugged(words, carry_out, own_words(words))
    return carry_out(words)


def own_words(words: "Sequence[str]") -> frozenset[str]:
    """Return command names, options and fixed values, which identify nobody in a log."""
    given = {WIZARD.name, *words} & {*ROWS}
    actions = [action for name in given for action in parser_of(name)._actions]
    options = (option for action in actions for option in action.option_strings)
    return frozenset(
        (*COMMANDS, "help", "--version", *options, *(str(one) for a in actions for one in a.choices or ()))
    )


def named_command() -> re.Pattern[str]:
    """Return a pattern for command lines in the output. The wizard's screens have disappeared."""
    names = "|".join((*COMMANDS, "help"))
    return re.compile(
        rf"(?<![\w/.-])diskwright(?:`|\s+(?:-|/|(?:{names})(?![\w-])))|sudo\s+diskwright(?![\w-])"
    )


def carry_out(words: list[str]) -> int:
    """Run a command line. Prints expected errors as one sentence."""
    begins = any(COMMANDS[word].begins for word in words[:1] if word in COMMANDS)
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
        # The reader closed the pipe. Flushing the rest at exit must not raise again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        if error.errno not in (UNWELL if error.filename else (errno.ENOSPC,)):
            raise
        program.note_exception()
        if not error.filename:
            # The disk of the output is full. Flushing the rest at exit must not raise again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        where = str(error.filename or "stdout")
        _tell(t("Cannot use {file}: {why}.", file=where, why=error.strerror or ""), AFTER)
        return ExitCode.FAILED


def parser_of(name: str) -> CommandParser:
    """Return the parser of a command; the wizard has an empty name."""
    return CommandParser(ROWS[name])


def dispatch(words: list[str]) -> int:
    """Find and run the command that `words` name."""
    if words[:1] == ["help"] and set(words[1:2]) & set(COMMANDS):
        words = [words[1], "--help"]
    if words and words[0] in ("-h", "--help", "help"):
        from wizard.cli.command import overview

        print(overview(GROUPS, WIZARD.arguments), end="")
        return ExitCode.DONE
    if words and words[0] == "--version":
        from wizard import __version__

        print(f"diskwright {__version__}")
        return ExitCode.DONE
    if not all(os.path.isdir(f"{PROFILES}/{room}") for room in ROOMS):  # noqa: PTH112 - see `language`
        _tell(
            t(
                "{folder} is missing or incomplete, so data on drives and workloads is unavailable. Known "
                "shingled drives would not be recognised. Reinstall diskwright.",
                folder=PROFILES,
            )
        )
        return ExitCode.FAILED
    # A path names the first drive of the wizard.
    name = words.pop(0) if words and not words[0].startswith(("-", "/", ".")) else WIZARD.name
    if name and name not in COMMANDS:
        _tell(t("unknown command {name}; `diskwright --help` lists all commands.", name=repr(name[:40])))
        return ExitCode.USAGE
    if not name and not any(word.startswith(("-h", "--help", "--machine")) for word in words):
        from wizard.probe import pool

        # The wizard's modules load slowly, and its threads would prevent a fork.
        pool.begin()
    files = ("--machine", "--journal")
    stray = [word for before, word in pairwise(("", *words)) if word in COMMANDS and before not in files]
    if stray and not name:
        _tell(t("options follow the command: `diskwright {command} ...`", command=stray[0]))
        return ExitCode.USAGE
    arguments = parser_of(name).read(words)
    arguments.words = (name, *words)
    # Import only the modules of this command.
    result: Document | ExitCode | None = resolve_name(f"wizard.cli.{ROWS[name].function}")(arguments)
    if isinstance(result, tuple):
        from wizard.cli.output import deliver

        deliver(arguments, *result)
        return ExitCode.DONE
    return result or ExitCode.DONE


def _tell(*said: "Message | None") -> None:
    print("diskwright:", *(str(one) for one in said if one), file=sys.stderr)
