"""`diskwright workloads`: list the workloads."""

import sys
from argparse import ArgumentParser, Namespace
from textwrap import wrap

from wizard.advice.workloads import load_workloads
from wizard.cli.command import CommandParser, plain
from wizard.cli.passphrase import tell
from wizard.cli.select_run import DOCUMENT
from wizard.documents.codec import render_document, to_json
from wizard.model.advice import Workload
from wizard.model.errors import ExitCode
from wizard.model.said import Sentence, t

FROM = Sentence("from {file}")

SCHEMA = "diskwright.workloads/1"


def parser() -> ArgumentParser:
    """`diskwright workloads [--json]`."""
    made = CommandParser(
        "workloads",
        (plain("workloads"), plain("workloads", "--json", "|", "jq", "-r", "'.workloads[].id'")),
        (
            t(
                "Workloads are TOML files in the folder workloads of /etc/diskwright or "
                "~/.config/diskwright. A workload with an existing id replaces that "
                "workload. The bundled files, listed with paths, serve as examples."
            ),
        ),
    )
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=SCHEMA)))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Print the workloads."""
    workloads = [profile.workload for profile in load_workloads()]
    if arguments.json:
        sys.stdout.write(render_document(SCHEMA, {"workloads": to_json(workloads)}))
    else:
        tell(workload_lines(workloads))
    return ExitCode.DONE


def workload_lines(workloads: list[Workload], width: int = 80) -> list[str]:
    """Return id, title, summary and source file of each workload."""
    indent = " " * (max(len(workload.id) for workload in workloads) + 2)
    lines: list[str] = []
    for workload in workloads:
        lines.append(f"{workload.id:<{len(indent)}}{workload.title}")
        lines += wrap(str(workload.summary), width, initial_indent=indent, subsequent_indent=indent)
        lines.append(f"{indent}{FROM(file=workload.origin)}")
        lines.append("")
    return lines[:-1]
