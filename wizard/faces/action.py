"""`diskwright label`, `mount`, `unmount`, `remount` and `power-off`: one thing done to a filesystem that
exists, or to its drive. Each shows what it would do, and does it once it is confirmed."""

import shlex
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.run.environment import OWN_FSTAB, Environment
from wizard.apply.tune.acting import act
from wizard.documents.files import write_file
from wizard.faces.apply import narrate
from wizard.faces.showing.console import out, say
from wizard.faces.writing.changing import apply_changes, change_lines
from wizard.layout.changes.changes_document import CHANGES_SCHEMA, render_changes
from wizard.model.changes import Attach, Detach, SetLabel, SetOptions, SwitchOff, Wanted
from wizard.model.errors import ExitCode
from wizard.model.names import printable


@dataclass(frozen=True, slots=True)
class Action:
    """A command: what it is called, does and is given, and what is wanted then."""

    name: str
    description: str
    examples: tuple[str, ...]
    add: Callable[[ArgumentParser], object]
    wanted: Callable[[Namespace], Wanted]


def _options(text: str) -> tuple[str, ...]:
    return tuple(option for option in text.split(",") if option)


def _mount(made: ArgumentParser) -> None:
    made.add_argument("--at", metavar="FOLDER", help="the folder; otherwise /srv and its label")
    made.add_argument("--options", metavar="A,B", type=_options, default=(), help="mount options")
    made.add_argument("--once", action="store_true", help="now only, not at every boot")


ACTIONS = {
    action.name: action
    for action in (
        Action(
            "label",
            "Give a filesystem another label. A line of fstab that names it by its label is changed with it.",
            ("sudo diskwright label /dev/sdX1 films --confirm SERIAL",),
            lambda made: made.add_argument("label", metavar="LABEL", help="its new label"),
            lambda given: SetLabel(given.label),
        ),
        Action(
            "mount",
            "Mount a filesystem, now and at every boot.",
            (
                "sudo diskwright mount /dev/sdX1 --confirm SERIAL",
                "sudo diskwright mount /dev/sdX1 --at /srv/films --once --confirm SERIAL",
            ),
            _mount,
            lambda given: Attach(given.at, given.options, not given.once),
        ),
        Action(
            "unmount",
            "Unmount a filesystem. One that somebody uses is refused, with who it is.",
            (
                "sudo diskwright unmount /dev/sdX1 --confirm SERIAL",
                "sudo diskwright unmount /dev/sdX1 --boot --confirm SERIAL",
            ),
            lambda made: made.add_argument(
                "--boot", action="store_true", help="take its line out of fstab, too"
            ),
            lambda given: Detach(given.boot),
        ),
        Action(
            "remount",
            "Give a filesystem other mount options: those of its line in fstab, and of its mount where that "
            "can be done in use.",
            ("sudo diskwright remount /dev/sdX1 noatime,nofail --confirm SERIAL",),
            lambda made: made.add_argument(
                "options", metavar="A,B", type=_options, help="all options that its line is to have"
            ),
            lambda given: SetOptions(given.options),
        ),
        Action(
            "power-off",
            "Unmount everything of a removable drive, flush it and power it off.",
            ("sudo diskwright power-off /dev/sdX --confirm SERIAL",),
            lambda _made: None,
            lambda _given: SwitchOff(),
        ),
    )
}

EPILOG = """examples:
{examples}

Without --confirm it shows what it would do, and changes nothing. The token is the drive's serial, or for a
drive without one the device's name. `diskwright undo` takes it back{but}.
"""


def parser(name: str) -> ArgumentParser:
    """The options of one of these commands."""
    action = ACTIONS[name]
    made = ArgumentParser(
        f"diskwright {name}",
        description=action.description,
        epilog=EPILOG.format(
            examples="\n".join(f"    {example}" for example in action.examples),
            but=", but for the power" if name == "power-off" else "",
        ),
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.set_defaults(action=action)
    what = (
        "the whole drive"
        if name == "power-off"
        else "the partition that holds it, or a drive without a table"
    )
    made.add_argument("device", metavar="DEVICE", help=what)
    action.add(made)
    made.add_argument("--confirm", metavar="TOKEN", action="append", help="do it: the drive's token")
    made.add_argument("--dry-run", action="store_true", help="check everything; nothing is written")
    made.add_argument("-o", "--output", metavar="FILE", help="write it to this file, for `diskwright apply`")
    made.add_argument("--json", action="store_true", help=f"print a {CHANGES_SCHEMA} document")
    made.add_argument(
        "--journal", metavar="DIR", help="keep the run here instead of /var/lib/diskwright/runs"
    )
    made.add_argument(
        "--fstab",
        metavar="FILE",
        default=str(OWN_FSTAB),
        help="another file of mounts at boot, for a system mounted elsewhere",
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Look and show; with a token, or as a dry run, go on as `diskwright apply` does."""
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    changes = act(arguments.device, arguments.action.wanted(arguments), environment)
    if arguments.output is not None:
        write_file(Path(arguments.output), render_changes(changes), "The document")
    if arguments.json:
        sys.stdout.write(render_changes(changes))
    elif not arguments.dry_run:
        for line in change_lines(changes, min(max(out().width, 40), 120)):
            out().print(line, soft_wrap=True)
    if arguments.confirm or arguments.dry_run:
        begun = apply_changes(changes, arguments, _again)
        return begun if isinstance(begun, ExitCode) else narrate(begun)
    for doubt in changes.doubts:
        say(printable(doubt, 4000))
    token = shlex.quote(printable(changes.drive.token))
    say("Nothing has been changed. To do this:")
    say(f"    {_again()} --confirm {token}")
    return ExitCode.DONE


def _again() -> str:
    """The command that was given, for root."""
    return " ".join(["sudo", "diskwright", *(shlex.quote(printable(word, 400)) for word in sys.argv[1:])])
