"""`diskwright glossary`: what the words mean."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable
from textwrap import wrap

from wizard.advise.glossary import Term, find_term, load_glossary
from wizard.documents.codec import render_document, to_json
from wizard.faces.showing.lines import tell
from wizard.model.errors import ExitCode

SCHEMA = "diskwright.glossary/1"

EPILOG = """examples:
    diskwright glossary
    diskwright glossary 512e
    diskwright glossary stripe width

Terms are TOML files in the folder glossary of /etc/diskwright or ~/.config/diskwright: [[terms]] with id,
term, text, source and, if there are any, other spellings as `also`. A term with the id of another replaces
it. In the wizard, g shows the same list on every screen.
"""


def parser() -> ArgumentParser:
    """`diskwright glossary [TERM] [--json]`."""
    made = ArgumentParser(
        "diskwright glossary",
        description="Say what a word means, or all that are known.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument("term", nargs="*", metavar="TERM", help="one term, in any of its spellings")
    made.add_argument("--json", action="store_true", help=f"print a {SCHEMA} document")
    return made


def main(arguments: Namespace) -> ExitCode:
    """Print one term or all."""
    terms = load_glossary()
    if arguments.term:
        terms = (find_term(" ".join(arguments.term), terms),)
    if arguments.json:
        sys.stdout.write(render_document(SCHEMA, {"terms": to_json(terms)}))
    else:
        tell(glossary_lines(terms))
    return ExitCode.DONE


def glossary_lines(terms: Iterable[Term], width: int = 80) -> list[str]:
    """Each term with its other spellings, what it means, and where that is from."""
    lines: list[str] = []
    for term in terms:
        lines += wrap(
            f"{term.term} (also {', '.join(term.also)})" if term.also else term.term,
            width,
            subsequent_indent="  ",
        )
        lines += wrap(term.text, width, initial_indent="  ", subsequent_indent="  ")
        lines += wrap(f"Source: {term.source}", width, initial_indent="  ", subsequent_indent="    ")
        lines.append("")
    return lines[:-1]
