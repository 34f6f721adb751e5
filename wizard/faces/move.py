"""`diskwright move`: a partition goes to another place on its drive, in place."""

import re
import shlex
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from wizard.apply.run.environment import OWN_FSTAB
from wizard.apply.tune.existing_filesystem import nodes_of
from wizard.documents.files import write_file
from wizard.faces.apply import narrate
from wizard.faces.showing.command import Command, root
from wizard.faces.showing.console import out, say
from wizard.faces.words import action, shared
from wizard.faces.words import move as words
from wizard.faces.writing.moving import apply_move, move_lines
from wizard.layout.moving.document import MOVE_SCHEMA, render_move
from wizard.layout.moving.planned import planned_move
from wizard.layout.moving.words import NO_PARTITION
from wizard.model.errors import BadInput, ExitCode
from wizard.model.move import Move
from wizard.model.names import printable
from wizard.model.units import KERNEL_SECTOR_BYTES, parse_size
from wizard.probe.machine import probe_machine


def parser() -> ArgumentParser:
    """`diskwright move DEVICE [--align | --to START] [--confirm TOKEN] [--dry-run] [-o FILE] [--json]`."""
    made = Command(
        "move",
        words.SAYS(),
        (
            root("move", "/dev/sdX1"),
            root("move", "/dev/sdX1", "--align", "--confirm", "SERIAL"),
            root("move", "/dev/sdX2", "--to", "100GiB", "-o", "move.json"),
        ),
        (words.ABOUT(),),
    )
    made.add_argument("device", metavar="DEVICE", help=str(words.PART()))
    where = made.add_mutually_exclusive_group()
    where.add_argument("--align", action="store_true", help=str(words.ALIGN()))
    where.add_argument("--to", metavar="START", type=start_of, help=str(words.TO()))
    made.add_argument("--confirm", metavar="TOKEN", action="append", help=str(action.CONFIRM()))
    made.add_argument("--dry-run", action="store_true", help=str(action.DRY_RUN()))
    made.add_argument("-o", "--output", metavar="FILE", help=str(action.OUTPUT()))
    made.add_argument("--json", action="store_true", help=str(shared.DOCUMENT(schema=MOVE_SCHEMA)))
    made.add_argument("--journal", metavar="DIR", help=str(shared.RUN_HERE()))
    made.set_defaults(fstab=str(OWN_FSTAB))
    return made


def start_of(text: str) -> int:
    """A start in bytes; `2048s` is in sectors of 512 bytes, as other tools count. Raises BadInput."""
    return int(text[:-1]) * KERNEL_SECTOR_BYTES if re.fullmatch(r"\d{1,15}s", text) else parse_size(text)


def main(arguments: Namespace) -> ExitCode:
    """Look and show; with a token, or as a dry run, go on as `diskwright apply` does."""
    move = _wanted(arguments)
    if arguments.output is not None:
        write_file(Path(arguments.output), render_move(move), str(shared.DOCUMENT_FILE()))
    if arguments.json:
        sys.stdout.write(render_move(move))
    elif not arguments.dry_run:
        for line in move_lines(move, min(max(out().width, 40), 120)):
            out().print(line, soft_wrap=True)
    if arguments.confirm or arguments.dry_run:
        begun = apply_move(move, arguments, _again)
        return begun if isinstance(begun, ExitCode) else narrate(begun)
    say(action.TO_DO_THIS())
    say(f"    {_again()} --confirm {shlex.quote(printable(move.drive.token))}")
    return ExitCode.DONE


def _wanted(arguments: Namespace) -> Move:
    node, path = nodes_of(arguments.device)
    machine = probe_machine([path])
    (drive,) = machine.drives
    part = drive.partition(node)
    if part is None:
        raise BadInput(NO_PARTITION(device=printable(node, 60)))
    return planned_move(machine, drive, part, arguments.to)


def _again() -> str:
    """The command that was given, for root."""
    return " ".join(["sudo", "diskwright", *(shlex.quote(printable(word, 400)) for word in sys.argv[1:])])
