"""`diskwright look`: show the result of a waiting run, read-only, until Enter is pressed."""

import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from wizard.apply.plan.readonly_look import ReadonlyLook, looked_at
from wizard.apply.run.job import check_root
from wizard.apply.run.runs import run_argument
from wizard.cli.command import CommandParser, root
from wizard.cli.passphrase import say
from wizard.cli.select_run import RUN, RUNS_IN, choose_run
from wizard.model.errors import ExitCode, Failed
from wizard.model.said import Message, Sentence, t

ONE = Sentence("{node}: scratch copy of {device}, {filesystem}")
IN_USE = t("Stop the programs using it, then press Enter again.")


def parser() -> ArgumentParser:
    """`diskwright look [RUN] [--journal DIR]`."""
    made = CommandParser(
        "look",
        (root("look"), root("look", "0008-sdb")),
        (
            t(
                "Mount the scratch copy of a waiting run read-only in another terminal; the "
                "commands are shown. The drive is neither read nor written. Preserved "
                "partitions have no content here."
            ),
            t("Press Enter to end; `keep` and `undo` wait until then."),
        ),
    )
    made.add_argument("run", metavar="RUN", nargs="?", help=str(RUN))
    made.add_journal(RUNS_IN)
    return made


def main(arguments: Namespace) -> ExitCode:
    """Show the result until Enter is pressed."""
    run = choose_run(arguments.run, "look", arguments.journal)
    check_root()
    with looked_at(run) as look:
        for line in _told(look, run):
            say(line)
        _wait(look)
    say(t("The scratch copy is closed. Nothing was written."))
    return ExitCode.DONE


def _told(look: ReadonlyLook, run: Path) -> Iterator[Message | str]:
    yield t("Result of run {run}, read-only:", run=run.name)
    for one in look.shown:
        yield f"    {ONE(node=one.node, device=one.device, filesystem=one.filesystem)}"
        if one.mount:
            yield f"        sudo {shlex.join(one.mount)} /mnt"
    yield t(
        "Mount it in another terminal, on an unused directory. Press Enter to "
        "unmount and end. `diskwright keep {run}` and `diskwright undo {run}` wait "
        "until then.",
        run=run_argument(run),
    )


def _wait(look: ReadonlyLook) -> None:
    """Wait for Enter or the end of input. Repeat while a program still uses the scratch copy."""
    while sys.stdin.readline():
        try:
            look.end()
            return
        except Failed as error:
            say(f"{error} {IN_USE}")
