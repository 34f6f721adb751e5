"""`diskwright label`, `new-uuid`, `mount`, `unmount`, `remount`, `grow`, `power-off` and `release`.

Each changes one thing on an existing filesystem or drive: show the change, then apply it once confirmed.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wizard.apply.run.backup_store import OWN_FSTAB, Environment
from wizard.apply.settings.plan_settings import act
from wizard.cli.command import CommandParser, Example, root
from wizard.cli.plan_options import apply_changes, change_lines
from wizard.cli.select_run import DOCUMENT, HOLDING, OTHER_FSTAB, RUN_HERE, WRITABLE
from wizard.cli.verdicts import PlanOffer, offered
from wizard.model.errors import ExitCode
from wizard.model.requests import (
    Attach,
    Detach,
    Grow,
    NewUuid,
    Release,
    SetLabel,
    SetOptions,
    SwitchOff,
    Wanted,
)
from wizard.model.said import Sentence, join, t
from wizard.plan.settings.tuning import CHANGES_SCHEMA, render_changes
from wizard.probe.host.environment import caller, writer_named

CONFIRM = t("apply now: the drive's serial number")
DRY_RUN = t("run all checks without writing")
OUTPUT = t("save the plan for `diskwright apply`")


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """A command: name, examples, extra arguments, and the requested change."""

    name: str
    examples: tuple[Example, ...]
    add: Callable[[ArgumentParser], object]
    wanted: Callable[[Namespace], Wanted]


def _options(text: str) -> tuple[str, ...]:
    return tuple(option for option in text.split(",") if option)


def _mount(made: ArgumentParser) -> None:
    made.add_argument("--at", metavar="FOLDER", help=str(t("mount point (/srv/LABEL)")))
    made.add_argument("--options", metavar="A,B", type=_options, default=(), help=str(t("mount options")))
    made.add_argument("--writable", metavar="WHO", type=writer_named, help=str(WRITABLE))
    made.add_argument("--once", action="store_true", help=str(t("mount now, not at boot")))


ACTIONS = {
    action.name: action
    for action in (
        ActionSpec(
            "label",
            (root("label", "/dev/sdX1", "films", "--confirm", "SERIAL"),),
            lambda made: made.add_argument("label", metavar="LABEL", help=str(t("the new label"))),
            lambda given: SetLabel(given.label),
        ),
        ActionSpec(
            "new-uuid",
            (
                root("new-uuid", "/dev/sdX1", "--confirm", "SERIAL"),
                root("new-uuid", "/dev/sdX", "--confirm", "SERIAL"),
            ),
            lambda _made: None,
            lambda _given: NewUuid(),
        ),
        ActionSpec(
            "mount",
            (
                root("mount", "/dev/sdX1", "--confirm", "SERIAL"),
                root("mount", "/dev/sdX1", "--at", "/srv/films", "--once", "--confirm", "SERIAL"),
            ),
            _mount,
            lambda given: Attach(
                given.at, given.options, not given.once, given.writable or caller(), given.writable
            ),
        ),
        ActionSpec(
            "unmount",
            (
                root("unmount", "/dev/sdX1", "--confirm", "SERIAL"),
                root("unmount", "/dev/sdX1", "--boot", "--confirm", "SERIAL"),
            ),
            lambda made: made.add_argument(
                "--boot", action="store_true", help=str(t("also remove the fstab line"))
            ),
            lambda given: Detach(given.boot),
        ),
        ActionSpec(
            "remount",
            (root("remount", "/dev/sdX1", "noatime,nofail", "--confirm", "SERIAL"),),
            lambda made: made.add_argument(
                "options", metavar="A,B", type=_options, help=str(t("all options for the fstab line"))
            ),
            lambda given: SetOptions(given.options),
        ),
        ActionSpec(
            "grow",
            (root("grow", "/dev/sdX1", "--confirm", "SERIAL"),),
            lambda _made: None,
            lambda _given: Grow(),
        ),
        ActionSpec(
            "power-off",
            (root("power-off", "/dev/sdX", "--confirm", "SERIAL"),),
            lambda _made: None,
            lambda _given: SwitchOff(),
        ),
        ActionSpec(
            "release",
            (root("release", "/dev/sdX", "--confirm", "SERIAL"),),
            lambda _made: None,
            lambda _given: Release(),
        ),
    )
}


_UNDO = {
    "power-off": Sentence("`diskwright undo` reverts everything except the power-off."),
    "release": Sentence("`diskwright undo` starts all layers again except containers."),
    "grow": Sentence("`diskwright undo` works for Btrfs; ext4 and XFS cannot shrink while mounted."),
}


def parser(name: str) -> ArgumentParser:
    """Return a parser for a command that changes an existing filesystem or drive."""
    action, whole = ACTIONS[name], name in ("power-off", "release")
    undo = _UNDO.get(name, Sentence("`diskwright undo` reverts the change."))()
    made = CommandParser(
        name,
        action.examples,
        (
            join(
                t(
                    "Without --confirm, only show the changes. TOKEN is the drive's serial "
                    "number, or the device name if the drive has none."
                ),
                undo,
            ),
        ),
    )
    made.set_defaults(action=action)
    made.add_argument("device", metavar="DEVICE", help=str(t("the drive") if whole else HOLDING))
    action.add(made)
    made.add_argument("--confirm", metavar="TOKEN", action="append", help=str(CONFIRM))
    made.add_argument("--dry-run", action="store_true", help=str(DRY_RUN))
    made.add_argument("-o", "--output", metavar="FILE", help=str(OUTPUT))
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=CHANGES_SCHEMA)))
    made.add_journal(RUN_HERE)
    made.add_argument("--fstab", metavar="FILE", default=str(OWN_FSTAB), help=str(OTHER_FSTAB))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Show the change. With a token or as a dry run, continue as `diskwright apply` does."""
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    changes = act(arguments.device, arguments.action.wanted(arguments), environment)
    offer = PlanOffer(
        render_changes(changes),
        partial(change_lines, changes),
        changes.drive.token,
        partial(apply_changes, changes),
        changes.doubts,
    )
    return offered(offer, arguments)
