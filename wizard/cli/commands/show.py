"""`diskwright show`: show a plan with before, after and commands."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path

from wizard.apply.run.load import SEALED, document_kind, read_any
from wizard.cli.command import CommandParser, plain
from wizard.cli.confirm_start import all_lines, move_lines
from wizard.cli.conversion import migration_lines
from wizard.cli.passphrase import out
from wizard.cli.plan_options import show_changes
from wizard.documents.codec import LARGEST_DOCUMENT_CHARACTERS
from wizard.model.errors import BadInput, ExitCode, printable
from wizard.model.migration import Migration, Moves
from wizard.model.said import t
from wizard.plan.changes import Bring, Changes, RunDocument
from wizard.plan.plan import Plan
from wizard.plan.preview import preview_lines


def parser() -> ArgumentParser:
    """`diskwright show PLAN.json [--json]`."""
    commands = "'.steps[].commands[] | join(\" \")'"
    made = CommandParser(
        "show",
        (
            plain("show", "media.json"),
            plain("show", "media.json", "--json", "|", "jq", "-r", commands),
            plain("plan", "/dev/sdX", "--workload", "large-media", "|", "diskwright", "show", "-"),
        ),
        (t("Truncated, edited or damaged plans are refused. The drive is neither read nor written."),),
    )
    made.add_argument("plan", metavar="PLAN.json", help=str(t("a file saved with -o; - for stdin")))
    made.add_argument("--json", action="store_true", help=str(t("validate and print as JSON")))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Check and print the document."""
    document = _load_document(arguments.plan)
    width = min(max(out().width, 40), 120)
    if arguments.json:
        sys.stdout.write(SEALED[document_kind(document)].render_shown(document))
    else:
        for line in _lines(document, width):
            out().print(line, soft_wrap=True)
    return ExitCode.DONE


def _lines(document: RunDocument, width: int) -> Iterable[str]:
    match document:
        case Plan():
            return preview_lines(document, width)
        case Changes():
            return show_changes(document, width)
        case Migration():
            return migration_lines(document, width)
        case Moves():
            return move_lines(document, width)
        case Bring():
            return all_lines(document, width)


def _load_document(name: str) -> RunDocument:
    """Read any saved document from a file, or from stdin for `-`. Raises BadInput for other content."""
    shown = str(t("The input")) if name == "-" else printable(name)
    try:
        if name == "-":
            data = sys.stdin.buffer.read(LARGEST_DOCUMENT_CHARACTERS + 1)
        elif Path(name).exists() and not Path(name).is_file():
            raise BadInput(
                t("{file} is not a regular file; name a plan saved by `diskwright plan -o`.", file=shown)
            )
        else:
            with Path(name).open("rb") as file:
                data = file.read(LARGEST_DOCUMENT_CHARACTERS + 1)
        text = data.decode("utf-8")
        return read_any(text, shown)
    except UnicodeDecodeError:
        raise BadInput(t("{file} is not a diskwright document: not a text file.", file=shown)) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or t("invalid file name")
        raise BadInput(t("{file} cannot be read: {why}.", file=shown, why=why)) from None
