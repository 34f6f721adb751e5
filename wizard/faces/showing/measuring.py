"""What the benchmarks share: a line of progress, and how a verdict is handed over."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import TypeVar

from wizard.documents.files import write_file
from wizard.faces.showing.console import err, out, say
from wizard.faces.showing.lines import tell
from wizard.model.errors import BadInput, ExitCode
from wizard.model.names import printable
from wizard.model.said import Said, t

T = TypeVar("T")


def hand_over(arguments: Namespace, document: str, lines: Sequence[str], *, ended: bool) -> ExitCode:
    """Keep the document where `--output` asks for it, and print it or its lines; 130 where the person ended
    the measuring."""
    if arguments.output:
        write_file(arguments.output, document, str(t("The verdict")))
    if arguments.json:
        sys.stdout.write(document)
    else:
        tell(part for line in lines for part in _fit(line).split("\n"))
    if ended:
        say(t("Ended by you; what is said above rests on what was measured until then."))
        return ExitCode.ENDED_BY_USER
    return ExitCode.DONE


def check_output(output: Path | None) -> None:
    """Raises BadInput where no file can be written there."""
    if output and (
        output.is_dir() or not os.access(output.parent, os.W_OK) or (output.exists() and not output.is_file())
    ):
        raise BadInput(t("{file} cannot be written as a file.", file=printable(str(output))))


def _fit(line: str) -> str:
    """Broken between words on a terminal; whole in a pipe, where scripts look for it."""
    if not sys.stdout.isatty() or "#" in line:
        return line
    return fill(line, out().width, subsequent_indent="  " if line.startswith("- ") else "")


@contextmanager
def progress_line(beginning: Said, in_words: Callable[[T], str]) -> Iterator[Callable[[T], None]]:
    """Says that it begins once it does; then, on a terminal, shows progress in one line that is cleared at
    the end."""
    width = max(20, err().width - 1) if err().is_terminal else 0
    begun = False

    def show(progress: T) -> None:
        nonlocal begun
        if not begun:
            begun = True
            say(beginning)
        if not width:
            return
        sys.stderr.write("\r" + in_words(progress)[:width].ljust(width))
        sys.stderr.flush()

    try:
        yield show
    finally:
        if width and begun:
            sys.stderr.write("\r" + " " * width + "\r")
            sys.stderr.flush()
