"""`diskwright tune`: suggest better settings for an existing filesystem.

Output is text, diffs, or changes to apply.
"""

import shlex
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from textwrap import wrap

from wizard.advice.existing import Existing, Tuning
from wizard.apply.run.backup_store import OWN_FSTAB, Environment
from wizard.apply.settings.start import work_out
from wizard.cli.command import CommandParser, plain, root, typed
from wizard.cli.passphrase import say, tell
from wizard.cli.plan_options import change_lines, with_tabs
from wizard.cli.select_run import DOCUMENT, DOCUMENT_FILE, HOLDING, WRITABLE
from wizard.documents.files import write_file
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, ExitCode, printable
from wizard.model.said import Message, t
from wizard.operations.mounts import EditFstab
from wizard.operations.settings import WriteRules
from wizard.plan.changes import Changes
from wizard.plan.settings.possible import edited
from wizard.plan.settings.steps_of import difference
from wizard.plan.settings.tuning import CHANGES_SCHEMA, CurrentSettings, render_changes
from wizard.probe.host.environment import writer_named

WIDTH = 80


def parser() -> ArgumentParser:
    """`diskwright tune DEVICE --workload ID [-o CHANGES.json] [--fstab FILE] [--json]`."""
    made = CommandParser(
        "tune",
        (
            plain("tune", "/dev/sdX1", "--workload", "small-files"),
            root("tune", "/dev/sdX1", "--workload", "large-media", "-o", "better.json"),
            root("apply", "better.json", "--confirm", "SERIAL"),
            root("undo"),
        ),
        (
            t(
                "Writes only the -o file. `diskwright apply` makes exactly these changes, "
                "with the filesystem in use. `diskwright undo` reverts them. Files changed "
                "in the meantime are refused."
            ),
        ),
    )
    made.add_argument("device", metavar="DEVICE", help=str(HOLDING))
    made.add_argument("--writable", metavar="WHO", type=writer_named, help=str(WRITABLE))
    made.add_argument("--workload", metavar="ID", required=True, help=str(t("workload of the filesystem")))
    made.add_argument(
        "-o", "--output", metavar="CHANGES.json", help=str(t("save the plan for `diskwright apply`"))
    )
    made.add_argument(
        "--fstab",
        metavar="FILE",
        default=str(OWN_FSTAB),
        help=str(t("fstab to change (/etc/fstab); for a system mounted elsewhere, also its udev rules")),
    )
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=CHANGES_SCHEMA)))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Print the suggestions, and save the changes if requested."""
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    found = work_out(arguments.device, arguments.workload, environment, arguments.writable)
    used, existing, changes = found.used, found.used.existing, found.changes
    if arguments.output is not None:
        _write(changes, Path(arguments.output))
    if arguments.json:
        sys.stdout.write(render_changes(changes))
    else:
        title = _title(found.workload.title, existing)
        said = (*tuning_lines(title, existing, found.tuning, changes), *_differences(changes, used.found))
        tell(map(with_tabs, said))
    if arguments.output is not None:
        told = ["apply", shlex.quote(arguments.output), "--confirm", shlex.quote(used.drive.token)]
        if not environment.is_running_system:
            told += ["--fstab", shlex.quote(str(environment.fstab))]
        say(
            t(
                "Nothing was written. To apply, exactly as shown, while {device} stays in use:",
                device=existing.device,
            )
        )
        say(typed(*told))
    return ExitCode.DONE


def _write(changes: Changes, path: Path) -> None:
    if not changes.steps:
        raise BadInput(
            t(
                "No changes to apply for {device}; {file} was not written.",
                device=changes.device,
                file=printable(str(path), 200),
            )
        )
    write_file(path, render_changes(changes), str(DOCUMENT_FILE))


def _title(purpose: Message | str, existing: Existing) -> str:
    filesystem, place = KINDS[existing.filesystem].title, existing.mount_point
    if not place:
        return str(
            t(
                "{purpose}, on {device} ({filesystem}, not mounted)",
                purpose=purpose,
                device=existing.device,
                filesystem=filesystem,
            )
        )
    where = printable(place, 200)
    return str(
        t(
            "{purpose}, on {device} ({filesystem}, mounted at {place})",
            purpose=purpose,
            device=existing.device,
            filesystem=filesystem,
            place=where,
        )
    )


def tuning_lines(
    title: str, existing: Existing, tuning: Tuning, changes: Changes, width: int = WIDTH
) -> list[str]:
    """Return the suggested changes with reasons and steps, without the diffs of whole files."""
    lines = _wrapped(title, width)
    if not tuning.changes:
        lines += _wrapped(str(t("No better settings are known.")), width)
    else:
        lines += _wrapped(str(t("Suggested changes, not yet applied:")), width)
    for change in tuning.changes:
        lines += ["", *_wrapped(f"- {change.what}", width)]
        lines += _wrapped(f"{change.why}{f' ({change.source})' if change.source else ''}", width, 2)
    if existing.at_boot is None and KINDS[existing.filesystem].kernel_names:
        lines += [
            "",
            *_wrapped(str(t("No fstab line found, so mount options were not checked.")), width),
        ]
    lines += [line for doubt in changes.doubts for line in ("", *_wrapped(str(doubt), width))]
    if changes.steps:
        lines += [
            "",
            *_wrapped(
                str(t("`diskwright apply` would run these steps in order, with the filesystem in use:")),
                width,
            ),
            "",
        ]
        lines += change_lines(changes, width, files=False)
    return [*lines, ""]


def _wrapped(said: str, width: int, indent: int = 0) -> list[str]:
    return wrap(
        said, width, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False
    )


def _differences(changes: Changes, found: CurrentSettings) -> list[str]:
    """Return the diffs of the files to change."""
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
