"""`diskwright look`: what waits of a run, read-only, for as long as somebody looks."""

import shlex
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path

from wizard.apply.plan.looked_at import Look, looked_at
from wizard.apply.run.begin import check_root
from wizard.apply.run.runs import called
from wizard.faces.showing.console import say
from wizard.faces.writing.which_run import run_meant
from wizard.model.errors import ExitCode, Failed

EPILOG = """examples:
    sudo diskwright look
    sudo diskwright look 0008-sdb

What a run made was made on a stand-in first. While the run waits for `keep` or `undo`, that can be mounted
read-only in another terminal: the commands are shown. Nothing is read from the drive or written to it, and
partitions that stay show nothing here. Enter ends it; `keep` and `undo` wait for that.
"""


def parser() -> ArgumentParser:
    """`diskwright look [RUN] [--journal DIR]`."""
    made = ArgumentParser(
        "diskwright look",
        description="Look at what waits to be kept, read-only, before it is put to use.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "run", metavar="RUN", nargs="?", help="a name from `diskwright status`, or a run's folder"
    )
    made.add_argument(
        "--journal",
        metavar="DIR",
        help="where the runs are kept, if --journal DIR was given when it was begun",
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Show it until Enter is pressed."""
    run = run_meant(arguments.run, "look", Path(arguments.journal) if arguments.journal else None)
    check_root()
    with looked_at(run) as look:
        for line in _told(look, run):
            say(line)
        _wait(look)
    say("It is not shown any more. Nothing was written.")
    return ExitCode.DONE


def _told(look: Look, run: Path) -> Iterator[str]:
    yield f"What waits of the run {run.name} is shown here, read-only:"
    for one in look.shown:
        yield f"    {one.node} is what {one.device} is to be: {one.filesystem}"
        if one.mount:
            yield f"        sudo {shlex.join(one.mount)} /mnt"
    yield (
        "Mount it in another terminal, somewhere that is free. Enter ends it, and unmounts it: "
        f"`diskwright keep {called(run)}` and `diskwright undo {called(run)}` wait for that."
    )


def _wait(look: Look) -> None:
    """Until Enter, or the end of the input; once more where a program still uses it."""
    while sys.stdin.readline():
        try:
            look.end()
            return
        except Failed as error:
            say(f"{error} End what uses it, then press Enter again.")
