"""`diskwright trial`: compare filesystems in free space with the load of a workload."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from wizard.advice.ranking import advise
from wizard.advice.workloads import Profile, find_workload
from wizard.benchmark.candidates.compare import FEWEST, MOST, Bounds, Order, TrialProgress, TrialVerdict
from wizard.benchmark.candidates.partition import sweep_all
from wizard.benchmark.candidates.trial import MOST_CANDIDATES, order_of, others_of, run_trial, usual_bounds
from wizard.benchmark.candidates.verdict import (
    INTERVALS,
    announcement,
    caveats,
    doing,
    phase_speeds,
    rate,
    sentences,
    title_of,
)
from wizard.benchmark.results import render_verdict
from wizard.benchmark.scratch import confirm_scratch
from wizard.cli.command import CommandParser, root
from wizard.cli.passphrase import say
from wizard.cli.screens import machine_and_drive
from wizard.cli.select_run import WHOLE_DRIVE
from wizard.cli.verdicts import check_output, hand_over, progress_line
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.errors import BadInput, ExitCode, printable
from wizard.model.machine import Drive, Machine
from wizard.model.said import MIB, format_duration, parse_size, t, tn
from wizard.plan.plan import Plan
from wizard.plan.planner import Mode, make_plan
from wizard.plan.request.volume_request import request
from wizard.plan.request.wanted import spec_of
from wizard.process.program import ended_by_signal

SHORTEST_SECONDS, LONGEST_SECONDS = 10, 24 * 3600
LEAST_BYTES = 256 * MIB


def parser() -> ArgumentParser:
    """Return the parser of `trial`."""
    drive = ("trial", "/dev/sdX", "--workload", "small-files")
    made = CommandParser(
        "trial",
        (
            root(*drive, says=t("show steps and losses without writing")),
            root(
                *drive,
                "--confirm",
                "SERIAL",
                "-o",
                "trial.json",
                says=t("compare the two best recommendations"),
            ),
            root(
                *drive,
                "--with",
                "xfs,btrfs",
                "--aged",
                "--confirm",
                "SERIAL",
                says=t("compare three, on aged volumes"),
            ),
            root(*drive, "--misaligned", "--confirm", "SERIAL", says=t("cost of misalignment on this drive")),
        ),
        (
            t(
                "Creates each filesystem at the planned position of the volume, and runs the workload there. "
                "Writes only in free space. Deleted files there are lost for good; tables "
                "and partitions do not change."
            ),
            t("The order changes every round. Differences are reported after at least 6 rounds."),
        ),
    )
    made.add_argument("device", metavar="DEVICE", help=str(WHOLE_DRIVE))
    made.add_argument(
        "--workload", metavar="ID", required=True, help=str(t("workload, see `diskwright workloads`"))
    )
    made.add_argument("--fs", metavar="FS", help=str(t("filesystem to test (default: the recommended one)")))
    made.add_argument(
        "--with",
        dest="others",
        metavar="FS,...",
        help=str(t("filesystems to compare with (default: the next in the ranking)")),
    )
    made.add_argument(
        "--misaligned",
        action="store_true",
        help=str(t("compare with itself on a misaligned partition, starting at sector 34")),
    )
    made.add_argument(
        "--rounds", metavar="N", type=int, help=str(t("maximum number of rounds, 6 to 24 (24)"))
    )
    made.add_argument(
        "--seconds", metavar="N", type=float, help=str(t("time limit in seconds (90 per filesystem)"))
    )
    made.add_argument("--most-bytes", metavar="SIZE", help=str(t("limit of written data, such as 8G (32G)")))
    made.add_argument(
        "--aged",
        action="store_true",
        help=str(t("first fill each volume to 85 % and delete half, three times")),
    )
    made.add_argument(
        "--confirm", metavar="TOKEN", help=str(t("the drive's serial number, or device name without one"))
    )
    made.add_argument(
        "--json", action="store_true", help=str(t("print the result as JSON (diskwright.trial/1)"))
    )
    made.add_argument("-o", "--output", metavar="FILE", type=Path, help=str(t("save the result as JSON")))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Announce the steps and losses, run the test if confirmed, and print the verdict. Returns 130 if the
    user stopped the test."""
    _check(arguments)
    sweep_all()
    machine, drive = machine_and_drive(arguments.device, None)
    order = _order(arguments, machine, drive, find_workload(arguments.workload))
    for said in announcement(order):
        say(said)
    if not arguments.confirm:
        raise BadInput(t("No test was run. To start, add: --confirm {token}", token=drive.token))
    confirm_scratch(drive, arguments.confirm)
    beginning = t(
        "Testing {names:and} on {drive} for at most {duration}; Ctrl+C stops.",
        names=tuple(title_of(order, one.id) for one in order.candidates),
        drive=drive.path,
        duration=format_duration(order.bounds.seconds),
    )
    with ended_by_signal() as is_ended, progress_line(beginning, _in_words) as show:
        verdict = run_trial(order, show, is_ended)
    return hand_over(arguments, render_verdict(verdict), trial_lines(verdict), ended=is_ended())


def _order(arguments: Namespace, machine: Machine, drive: Drive, profile: Profile) -> Order:
    """Return the filesystems to test: the recommended or named one, at the position that `plan` would use,
    and others."""
    recording = diagnose(machine, drive, load_patterns()).recording
    mode = None if drive.is_empty else Mode.USE_FREE

    def plan(filesystem: str | None) -> Plan:
        asked = request(arguments.workload, None, None, None, filesystem)
        spec = spec_of(machine, drive, recording, asked)
        return make_plan(machine, drive, (spec,), mode, lambda: str(uuid4()))

    recommended = plan(None)
    first = plan(arguments.fs) if arguments.fs else recommended
    planned = first.volumes[0].filesystem
    names: Sequence[str] = ()
    if arguments.others:
        names = [name.strip() for name in arguments.others.split(",")]
    elif not arguments.misaligned:
        names = others_of(advise(machine, drive, recording, profile), planned)
    if len(names) >= MOST_CANDIDATES:
        raise BadInput(t("At most {most} filesystems can be tested at a time.", most=MOST_CANDIDATES))
    plans = [first, *(plan(name) for name in names)]
    usual = usual_bounds(len(plans) + arguments.misaligned)
    bounds = Bounds(
        arguments.seconds or usual.seconds,
        parse_size(arguments.most_bytes) if arguments.most_bytes else usual.written_bytes,
        arguments.rounds or usual.rounds,
    )
    return order_of(
        drive,
        plans,
        0,
        profile.trial,
        bounds,
        aged=arguments.aged,
        advised=planned == recommended.volumes[0].filesystem,
        misaligned=arguments.misaligned,
    )


def _in_words(progress: TrialProgress) -> str:
    return str(
        t(
            "round {number}, {candidate}, {doing}; at most {seconds:.0f} s left",
            number=progress.number,
            candidate=progress.doing,
            doing=doing(progress.phase),
            seconds=progress.seconds_left,
        )
    )


def trial_lines(verdict: TrialVerdict) -> list[str]:
    """Return the verdict as text: a sentence for each comparison, the speed of each phase, and caveats."""
    lines = [str(said) for said in sentences(verdict)]
    if verdict.speeds:
        lines += ["", *_table(verdict), ""]
    summary = tn(
        "{count} round in {duration}, {written:size} written.",
        "{count} rounds in {duration}, {written:size} written.",
        count=len(verdict.rounds),
        duration=format_duration(verdict.seconds),
        written=verdict.written_bytes,
    )
    lines += [str(summary), str(INTERVALS), *(f"- {said}" for said in caveats(verdict))]
    return [printable(line, 1000) for line in lines]


def _table(verdict: TrialVerdict) -> list[str]:
    names = [candidate.id for candidate in verdict.candidates]
    rows: list[Sequence[str]] = [[str(t("load, phase")), *(str(title_of(verdict, name)) for name in names)]]
    for load, phase, speeds in phase_speeds(verdict):
        rows.append([f"{load}, {phase}", *(str(rate(one.unit, one.median)) for one in speeds)])
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return ["  ".join(_padded(row, widths)) for row in rows]


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Align names left and figures right."""
    figures = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
    return [row[0].ljust(widths[0]), *figures]


def _check(arguments: Namespace) -> None:
    """Check the limits. Raises BadInput."""
    if arguments.seconds is not None and not SHORTEST_SECONDS <= arguments.seconds <= LONGEST_SECONDS:
        raise BadInput(
            t("--seconds must be between {least} and {most}.", least=SHORTEST_SECONDS, most=LONGEST_SECONDS)
        )
    if arguments.rounds is not None and not FEWEST <= arguments.rounds <= MOST:
        raise BadInput(t("--rounds must be between {least} and {most}.", least=FEWEST, most=MOST))
    if arguments.most_bytes and parse_size(arguments.most_bytes) < LEAST_BYTES:
        raise BadInput(t("--most-bytes must be at least {least:exact}.", least=LEAST_BYTES))
    if arguments.misaligned and arguments.others:
        raise BadInput(t("--misaligned tests one filesystem; remove --with."))
    check_output(arguments.output)
