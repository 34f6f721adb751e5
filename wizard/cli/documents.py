"""Saved documents of any kind: read, save and show."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from wizard.apply.run.kinds import kind_for, read_any
from wizard.cli.output import show
from wizard.documents.codec import LARGEST_DOCUMENT_CHARACTERS
from wizard.documents.files import read_file
from wizard.host.services import RecordedServices
from wizard.model.errors import BadInput, ExitCode, printable
from wizard.model.machine import Kernel, Machine
from wizard.model.said import t
from wizard.plan.changes import RunDocument
from wizard.plan.check import PLANS
from wizard.plan.plan import Plan
from wizard.ui.jobs.in_place import job_of
from wizard.ui.view import Block


def page_of(document: RunDocument, *, keep: bool = False) -> Iterator[Block]:
    """Yield the text of a document, without reading anything else. `keep`: as with `apply --keep`."""
    job = job_of(document)
    job.keep = keep
    return job.page(RecordedServices(Machine(Kernel(""), ()), ""))


def show_document(arguments: Namespace) -> ExitCode:
    """Check and print a document of any kind."""
    document = read_document(arguments.plan)
    if arguments.json:
        sys.stdout.write(kind_for(document).documents.render_shown(document))
    else:
        show(page_of(document))
    return ExitCode.DONE


def read_document(name: str) -> RunDocument:
    """Read any saved document from a file, or from stdin for `-`. Raises BadInput for other content."""
    return read_any(*read_text(name))


def read_plan_file(name: str) -> Plan:
    """Read a plan from a file. Raises BadInput with the reason."""
    return PLANS.read(*read_text(name))


def read_text(name: str) -> tuple[str, str]:
    """Return the text and the printable name of a file, or of stdin for `-`. Raises BadInput."""
    shown = str(t("The input")) if name == "-" else printable(name, 200)
    try:
        if name == "-":
            data = sys.stdin.buffer.read(LARGEST_DOCUMENT_CHARACTERS + 1)
            return data.decode("utf-8"), shown
        return read_file(Path(name), LARGEST_DOCUMENT_CHARACTERS), shown
    except FileNotFoundError:
        raise BadInput(
            t("{file} not found. Create it with `diskwright plan ... -o {file}`.", file=shown)
        ) from None
    except UnicodeDecodeError:
        raise BadInput(t("{file} is not a diskwright document: not a text file.", file=shown)) from None
