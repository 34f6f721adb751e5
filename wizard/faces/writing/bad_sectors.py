"""What `--over-bad-sectors` costs, told before anything is done."""

from pathlib import Path

from wizard.apply.move.of_run import stops_now
from wizard.apply.run.runs import Kind, kind_of
from wizard.apply.run.words import NO_BAD_SECTORS
from wizard.faces.showing.console import say
from wizard.model.errors import Refused
from wizard.model.said import t


def refuse_otherwise(run: Path) -> None:
    """Raises Refused for a run that moves nothing."""
    if kind_of(run) is not Kind.MOVE:
        raise Refused(NO_BAD_SECTORS(run=run.name))


def tell_bad_sectors(run: Path) -> bool:
    """Say each place that the run stops at; whether there is one."""
    stops = stops_now(run)
    for said in stops:
        say(said)
    if stops:
        say(
            t(
                "Which file that is cannot be told while the partition is half moved. Moved "
                "back, its own check tells."
            )
        )
    return bool(stops)
