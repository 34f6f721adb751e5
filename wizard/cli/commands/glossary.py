"""`diskwright glossary`: explain terms."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from textwrap import wrap

from wizard.advice.evidence import Term, find_term, load_glossary
from wizard.cli.command import CommandParser, plain
from wizard.cli.passphrase import tell
from wizard.cli.select_run import DOCUMENT
from wizard.documents.codec import render_document, to_json
from wizard.model.errors import ExitCode
from wizard.model.said import t

SOURCE = t("Source:")

SCHEMA = "diskwright.glossary/1"


def parser() -> ArgumentParser:
    """`diskwright glossary [TERM] [--json]`."""
    made = CommandParser(
        "glossary",
        (plain("glossary"), plain("glossary", "512e"), plain("glossary", "stripe", "width")),
        (
            t(
                "Terms are TOML files in the folder glossary of /etc/diskwright or "
                "~/.config/diskwright. Each [[terms]] entry has id, term, text, source and "
                "optional spellings in `also`. An entry with an existing id replaces that "
                "term."
            ),
            t("In the wizard, press F2."),
        ),
    )
    made.add_argument("term", nargs="*", metavar="TERM", help=str(t("a term, in any spelling")))
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=SCHEMA)))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Print one term or all terms."""
    terms = load_glossary()
    if arguments.term:
        terms = (find_term(" ".join(arguments.term), terms),)
    if arguments.json:
        sys.stdout.write(render_document(SCHEMA, {"terms": to_json(terms)}))
    else:
        tell(glossary_lines(terms))
    return ExitCode.DONE


def glossary_lines(terms: Iterable[Term], width: int = 80) -> list[str]:
    """Return each term with other spellings, explanation and source."""
    lines: list[str] = []
    for term in terms:
        name = t("{term} (also {others:list})", term=term.term, others=term.also) if term.also else term.term
        lines += wrap(str(name), width, subsequent_indent="  ")
        lines += wrap(str(term.text), width, initial_indent="  ", subsequent_indent="  ")
        lines += wrap(f"{SOURCE} {term.source}", width, initial_indent="  ", subsequent_indent="    ")
        lines.append("")
    return lines[:-1]
