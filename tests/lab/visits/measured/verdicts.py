"""Job: the benchmark's verdict on every drive of a fleet once, or many times while this machine is busy."""

import sys
from collections.abc import Iterator
from functools import partial
from statistics import median
from unittest.mock import patch

from tests.daily import one_in
from tests.lab.drives.fleet import EmulatedDrive, Fleet, ModuleDrive
from tests.lab.drives.members import BUS_FLEET, SATA_FLEET
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import loaded, node_of, shown
from wizard.benchmark.alignment import run_alignment_trial
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Drive
from wizard.model.run import Check
from wizard.model.verdict import Outcome, Verdict
from wizard.probe.machine import probe_drive, probe_machine

TIMES = 20
MEDIAN_SECONDS = 15.0
PROBE_SECONDS = 60.0
TRIES = 3
"""Tries for a single verdict, which may be undecided on a busy machine. A wrong one is a failure."""


def judge_all(fleet: Fleet) -> Iterator[Check]:
    """Judge each drive once; of measurable ones, a daily sample."""
    yield from _judged(fleet, 1)


def judge_often(fleet: Fleet) -> Iterator[Check]:
    """Judge each drive many times: correct every time."""
    yield from _judged(fleet, TIMES)


def _judged(fleet: Fleet, times: int) -> Iterator[Check]:
    seconds: list[float] = []
    left_out: set[str] = set() if times > 1 else _not_today(fleet)
    drives = [drive for drive in fleet.drives if drive.name not in left_out]
    nodes = {drive.name: node_of(drive) for drive in drives}
    found = probe_machine(tuple(nodes.values()), seconds=PROBE_SECONDS) if nodes else None
    for drive in drives:
        probed = found and found.drive(nodes[drive.name])
        assert probed
        yield from _member(drive, probed, times, seconds)
    for member in fleet.loadable:
        if member.name in left_out:
            continue
        with loaded(member) as node:
            yield from _member(member, probe_drive(node, seconds=PROBE_SECONDS), times, seconds)
    if seconds:
        print(
            f"{len(seconds)} measurements, by their median {median(seconds):.1f} s, at most "
            f"{max(seconds):.1f} s",
            file=sys.stderr,
        )
    if seconds and times > 1:
        middle = median(seconds)
        yield Check(
            f"{len(seconds)} measurements take at most {MEDIAN_SECONDS:.0f} s (median)",
            middle <= MEDIAN_SECONDS,
            f"{middle:.1f} s",
        )


def _not_today(fleet: Fleet) -> set[str]:
    """Return the drives skipped today: half of those with the same expected verdict, if several."""
    alike: dict[Outcome, list[str]] = {}
    members: tuple[EmulatedDrive | ModuleDrive, ...] = (*fleet.drives, *fleet.loadable)
    for member in members:
        wanted = member.expected and member.expected.bench
        if wanted and wanted is not Outcome.NOT_POSSIBLE:
            alike.setdefault(wanted, []).append(member.name)
    several = [names for names in alike.values() if len(names) > 1]
    return {name for names in several for name in set(names) - set(one_in(2, names))}


def _member(
    member: EmulatedDrive | ModuleDrive, drive: Drive, times: int, seconds: list[float]
) -> Iterator[Check]:
    assert member.expected is not None
    wanted = member.expected.bench
    often = f", {times} times of {times}" if times > 1 else ""
    if wanted is None:
        yield Check(f"{member.name}: the benchmark refuses to write", *_refused(drive))
        return
    told = _verdicts(drive, times)
    seconds += [verdict.seconds for verdict in told if verdict.outcome is not Outcome.NOT_POSSIBLE]
    if wanted is not Outcome.NOT_POSSIBLE:
        print(f"{member.name} {median(verdict.seconds for verdict in told):.1f} s", file=sys.stderr)
    wrong = [_shown(verdict) for verdict in told if verdict.outcome is not wanted]
    yield Check(f"{member.name}: the verdict is {wanted}{often}", not wrong, shown(wrong))
    if isinstance(member, EmulatedDrive) and member.hidden_block_bytes:
        told = _verdicts(drive, times, member.hidden_block_bytes)
        seconds += [verdict.seconds for verdict in told]
        wrong = [_shown(verdict) for verdict in told if verdict.outcome is not Outcome.ALIGNED_FASTER]
        yield Check(
            f"{member.name}: aligned is faster, assuming its hidden blocks{often}",
            not wrong,
            shown(wrong),
        )


def _verdicts(drive: Drive, times: int, assumed: int | None = None) -> list[Verdict]:
    """Return this number of verdicts. A single one is repeated while undecided."""
    told = [_verdict(drive, assumed) for _ in range(times)]
    tries = 1
    while times == 1 and told[0].outcome is Outcome.INCONCLUSIVE and tries < TRIES:
        print(f"again: {_shown(told[0])}", file=sys.stderr)
        told, tries = [_verdict(drive, assumed)], tries + 1
    return told


def _verdict(drive: Drive, assumed: int | None = None) -> Verdict:
    """Return a verdict by writing, as `bench --scratch`, since reads cost the same anywhere on emulated
    media."""
    with patch("wizard.benchmark.scratch.probe_drive", partial(probe_drive, seconds=PROBE_SECONDS)):
        return run_alignment_trial(
            drive,
            write=True,
            on_progress=lambda _: None,
            stop=lambda: False,
            assume_physical_bytes=assumed,
        )


def _refused(drive: Drive) -> tuple[bool, str]:
    try:
        return False, _shown(_verdict(drive))
    except (Refused, Failed) as error:
        return True, str(error)


def _shown(verdict: Verdict) -> str:
    return f"{verdict.sentence} ({verdict.ratio}, {verdict.seconds:.1f} s)"


JOBS = {"judge-all": judge_all, "judge-often": judge_often}

VISITS = tuple(
    Visit(
        f"verdict of the benchmark on every drive, {TIMES} times with the other core "
        f"busy: fleet {fleet.name}",
        fleet,
        ("judge-often",),
        seconds=4 * 3600,
        udev=False,
        alone=True,
        full_only=True,
        busy=True,
    )
    for fleet in (SATA_FLEET, BUS_FLEET)
)
