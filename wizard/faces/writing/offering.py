"""A command that shows what it would do, and does it once it is confirmed."""

import shlex
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wizard.documents.files import write_file
from wizard.faces.changing.apply import narrate
from wizard.faces.showing.command import given_again
from wizard.faces.showing.console import out, say
from wizard.faces.words.shared import DOCUMENT_FILE
from wizard.model.errors import ExitCode
from wizard.model.names import printable
from wizard.model.said import Said, t


@dataclass(frozen=True, slots=True)
class Offer:
    """What is shown and begun: the document as text, its lines in a width, the token that confirms it, what
    begins it, which is given how the command is worded for root, and what is told last where it is only
    shown."""

    document: str
    lines: Callable[[int], Iterator[str]]
    token: str
    begin: Callable[[Namespace, Callable[[], str]], Path | ExitCode]
    doubts: Sequence[Said | str] = ()


def offered(offer: Offer, arguments: Namespace) -> ExitCode:
    """Show it; with a token, or as a dry run, go on as `diskwright apply` does. `-o` writes it to a file."""
    if (file := getattr(arguments, "output", None)) is not None:
        write_file(Path(file), offer.document, str(DOCUMENT_FILE))
    if arguments.json:
        sys.stdout.write(offer.document)
    elif not arguments.dry_run:
        for line in offer.lines(min(max(out().width, 40), 120)):
            out().print(line, soft_wrap=True)
    if arguments.confirm or arguments.dry_run:
        begun = offer.begin(arguments, given_again)
        return begun if isinstance(begun, ExitCode) else narrate(begun)
    for doubt in offer.doubts:
        say(printable(str(doubt), 4000))
    say(t("Nothing has been changed. To do this:"))
    say(f"    {given_again()} --confirm {shlex.quote(printable(offer.token))}")
    return ExitCode.DONE
