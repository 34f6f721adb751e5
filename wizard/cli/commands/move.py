"""`diskwright move`: move partitions in place to another position on their drive."""

from argparse import ArgumentParser, Namespace
from functools import partial

from wizard.apply.run.backup_store import OWN_FSTAB
from wizard.apply.settings.existing_filesystem import nodes_of
from wizard.cli import select_run
from wizard.cli.command import CommandParser, root
from wizard.cli.commands import action
from wizard.cli.confirm_start import apply_move, move_lines
from wizard.cli.verdicts import PlanOffer, offered
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.errors import BadInput, ExitCode, printable
from wizard.model.migration import Moves
from wizard.model.said import parse_place, t
from wizard.plan.partition.moves import MOVES_SCHEMA, NO_PARTITION, one_moves, planned_moves, render_moves
from wizard.probe.machine import probe_machine


def parser() -> ArgumentParser:
    """`diskwright move DEVICE [--align | --to START] [--confirm TOKEN] [--dry-run] [-o FILE] [--json]`."""
    made = CommandParser(
        "move",
        (
            root("move", "/dev/sdX1"),
            root("move", "/dev/sdX1", "--align", "--confirm", "SERIAL"),
            root("move", "/dev/sdX", "--align"),
            root("move", "/dev/sdX2", "--to", "100GiB", "-o", "move.json"),
        ),
        (
            t(
                "Without --confirm, only show the changes. The whole partition is read "
                "first, then moved and compared. A power cut loses no data: `diskwright "
                "resume` continues, `diskwright undo` moves the partition back."
            ),
        ),
    )
    made.add_argument(
        "device",
        metavar="DEVICE",
        help=str(t("a partition, or a drive with misaligned partitions; the drive must be unused")),
    )
    where = made.add_mutually_exclusive_group()
    where.add_argument(
        "--align", action="store_true", help=str(t("move to the best aligned position nearby (default)"))
    )
    where.add_argument(
        "--to",
        metavar="START",
        type=parse_place,
        help=str(t("move to this offset from the start of the drive: 1MiB, 2048s, or bytes")),
    )
    made.add_argument("--confirm", metavar="TOKEN", action="append", help=str(action.CONFIRM))
    made.add_argument("--dry-run", action="store_true", help=str(action.DRY_RUN))
    made.add_argument("-o", "--output", metavar="FILE", help=str(action.OUTPUT))
    made.add_argument("--json", action="store_true", help=str(select_run.DOCUMENT(schema=MOVES_SCHEMA)))
    made.add_journal(select_run.RUN_HERE)
    made.set_defaults(fstab=str(OWN_FSTAB))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Show the move. With a token or as a dry run, continue as `diskwright apply` does."""
    moves = _wanted(arguments)
    lines, begin = partial(move_lines, moves), partial(apply_move, moves)
    return offered(PlanOffer(render_moves(moves), lines, moves.drive.token, begin), arguments)


def _wanted(arguments: Namespace) -> Moves:
    node, path = nodes_of(arguments.device)
    machine = probe_machine([path])
    (drive,) = machine.drives
    recording = diagnose(machine, drive, load_patterns()).recording
    if node == path and arguments.to is None:
        return planned_moves(machine, drive, recording)
    part = drive.partition(node)
    if part is None:
        raise BadInput(NO_PARTITION(device=printable(node, 60)))
    return one_moves(machine, drive, part, arguments.to, recording)
