"""Which drives are meant, looked for among those that are here."""

from collections.abc import Sequence
from dataclasses import replace

from wizard.layout.ensured import words
from wizard.layout.ensured.matching import drive_meant
from wizard.model.documents.ensure import Match
from wizard.model.errors import BadInput, Refused
from wizard.model.machine import Drive, Machine
from wizard.probe.machine import probe_machine


def meant(matches: Sequence[Match]) -> tuple[Machine, tuple[Drive, ...]]:
    """The machine, and for each match the one drive that it means, all different; where every path is named,
    no other drive is looked at. Raises Refused."""
    named = [match.path for match in matches if match.path is not None]
    machine = probe_machine() if len(named) < len(matches) else None
    known = {drive.path: drive for drive in machine.drives} if machine else {}
    links: dict[str, str] = {}
    for path in named:
        alone = _probed(path)
        # By whatever link it was named: the prober has followed it.
        links[path] = alone.drives[0].path
        known.setdefault(links[path], alone.drives[0])
        machine = machine or alone
    assert machine is not None
    drives = tuple(_drive(match, links, tuple(known.values())) for match in matches)
    paths = [drive.path for drive in drives]
    if twice := next((path for path in paths if paths.count(path) > 1), None):
        raise Refused(words.TWICE(drive=twice))
    return replace(machine, drives=tuple(known.values())), drives


def _probed(path: str) -> Machine:
    try:
        return probe_machine([path])
    except BadInput as error:
        raise Refused(str(error)) from None


def _drive(match: Match, links: dict[str, str], known: tuple[Drive, ...]) -> Drive:
    if match.path is None:
        return drive_meant(match, known)
    path = links[match.path]
    return drive_meant(replace(match, path=path), tuple(drive for drive in known if drive.path == path))
