"""`diskwright tune`: what would suit a filesystem better that exists already, as text and as differences, or
as changes to be applied."""

import shlex
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from textwrap import wrap

from wizard.advise.existing import Existing, Tuning
from wizard.apply.run.environment import OWN_FSTAB, Environment
from wizard.apply.tune.worked_out import work_out
from wizard.documents.files import write_file
from wizard.faces.showing.console import say
from wizard.faces.showing.lines import tell
from wizard.faces.writing.changing import change_lines, with_tabs
from wizard.filesystems.registry import KINDS
from wizard.layout.changes.changes_document import CHANGES_SCHEMA, render_changes
from wizard.layout.changes.lines import edited
from wizard.layout.changes.steps_of import difference
from wizard.layout.changes.tuning import Found
from wizard.model.changes import Changes, EditFstab, WriteRules
from wizard.model.errors import BadInput, ExitCode
from wizard.model.names import printable

WIDTH = 80

EPILOG = """examples:
    diskwright tune /dev/sdX1 --workload small-files
    sudo diskwright tune /dev/sdX1 --workload large-media -o better.json
    sudo diskwright apply better.json --confirm SERIAL
    sudo diskwright undo

This command writes nothing but the file that -o names. `diskwright apply` makes exactly the changes that it
shows, while the filesystem stays in use, and `diskwright undo` takes them back. A file that is changed
meanwhile is refused.
"""


def parser() -> ArgumentParser:
    """`diskwright tune DEVICE --workload ID [-o CHANGES.json] [--fstab FILE] [--json]`."""
    made = ArgumentParser(
        "diskwright tune",
        description=(
            "Say what would suit a filesystem better that exists already, without making it anew. Nothing is "
            "changed."
        ),
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "device", metavar="DEVICE", help="the partition that holds it, or a whole drive without a table"
    )
    made.add_argument("--workload", metavar="ID", required=True, help="what it is used for")
    made.add_argument(
        "-o",
        "--output",
        metavar="CHANGES.json",
        help="write the changes to this file, for `diskwright apply`",
    )
    made.add_argument(
        "--fstab",
        metavar="FILE",
        default=str(OWN_FSTAB),
        help=(
            "the file that says what is mounted at boot (/etc/fstab); of a system mounted elsewhere its "
            "rules for udev are changed, too"
        ),
    )
    made.add_argument("--json", action="store_true", help=f"print a {CHANGES_SCHEMA} document")
    return made


def main(arguments: Namespace) -> ExitCode:
    """Look, print, and write the changes down where asked."""
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    found = work_out(arguments.device, arguments.workload, environment)
    used, existing, changes = found.used, found.used.existing, found.changes
    if arguments.output is not None:
        _write(changes, Path(arguments.output))
    if arguments.json:
        sys.stdout.write(render_changes(changes))
    else:
        title = (
            f"{found.workload.title}, on {existing.device} "
            f"({KINDS[existing.filesystem].title}{_where(existing)})"
        )
        said = (*tuning_lines(title, existing, found.tuning, changes), *_differences(changes, used.found))
        tell(map(with_tabs, said))
    if arguments.output is not None:
        say(
            f"Nothing has been changed. To make these changes, exactly as shown, while {existing.device} "
            "stays in use:"
        )
        where = "" if environment.is_running_system else f" --fstab {shlex.quote(str(environment.fstab))}"
        say(
            f"    sudo diskwright apply {shlex.quote(arguments.output)} --confirm "
            f"{shlex.quote(used.drive.token)}{where}"
        )
    return ExitCode.DONE


def _write(changes: Changes, path: Path) -> None:
    if not changes.steps:
        raise BadInput(
            f"There is nothing to change for {changes.device}, so nothing was written to "
            f"{printable(str(path), 200)}."
        )
    write_file(path, render_changes(changes), "The document")


def _where(existing: Existing) -> str:
    return f", mounted at {printable(existing.mount_point, 200)}" if existing.mount_point else ", not mounted"


def tuning_lines(
    title: str, existing: Existing, tuning: Tuning, changes: Changes, width: int = WIDTH
) -> list[str]:
    """What would change and why, and what is done for it, as text; the differences of whole files come behind
    it."""
    lines = _wrapped(title, width)
    if not tuning.changes:
        lines += _wrapped("Nothing that is known would suit it better.", width)
    else:
        lines += _wrapped("This would suit it better. Nothing of it was done.", width)
    for change in tuning.changes:
        lines += ["", *_wrapped(f"- {change.what}", width)]
        lines += _wrapped(f"{change.why}{f' ({change.source})' if change.source else ''}", width, 2)
    if existing.at_boot is None and KINDS[existing.filesystem].kernel_names:
        lines += ["", *_wrapped("It has no line in fstab, so nothing is said of its mount options.", width)]
    lines += [line for doubt in changes.doubts for line in ("", *_wrapped(doubt, width))]
    if changes.steps:
        lines += [
            "",
            *_wrapped("`diskwright apply` would do this, one after the other, while it stays in use:", width),
            "",
        ]
        lines += change_lines(changes, width, files=False)
    return [*lines, ""]


def _wrapped(said: str, width: int, indent: int = 0) -> list[str]:
    return wrap(
        said, width, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False
    )


def _differences(changes: Changes, found: Found) -> list[str]:
    """The files that would be changed, with the lines around each change."""
    lines: list[str] = []
    for step in changes.steps:
        match step.operation:
            case EditFstab(file=file):
                wanted = edited(step.operation, found.fstab_text)
                lines += difference(file, found.fstab_text, wanted or found.fstab_text)
            case WriteRules():
                lines += step.edits
            case _:
                pass
    return lines
