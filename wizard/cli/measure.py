"""`diskwright bench` and `trial`: measure a drive, and show the verdict."""

import os
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from wizard.advice.ranking import advise
from wizard.advice.workloads import Profile, find_workload
from wizard.apply.settings.existing_filesystem import nodes_of
from wizard.benchmark import smr_probe
from wizard.benchmark.alignment import run_alignment_trial
from wizard.benchmark.candidates import compare
from wizard.benchmark.candidates import trial as filesystem_trial
from wizard.benchmark.candidates.partition import sweep_all
from wizard.benchmark.results import BenchmarkResult, render_verdict
from wizard.benchmark.scratch import confirm_scratch
from wizard.benchmark.smr_cliff import run_shingled_trial
from wizard.cli import output
from wizard.cli.command import BETWEEN, NEEDS_DRIVE
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.ensure import WantedVolume
from wizard.model.errors import BadInput, ExitCode
from wizard.model.machine import Drive, Machine
from wizard.model.said import MIB, Message, Sentence, parse_size, t
from wizard.model.verdict import USUAL_SECONDS
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.wanted import spec_of
from wizard.probe.machine import machine_and_drives, probe_drive
from wizard.process.program import ended_by_signal
from wizard.ui.components.measured import verdict_banner, verdict_blocks
from wizard.ui.view import GAP

BENCH_SECONDS, CLIFF_SECONDS = 30.0, 1800.0
BOUNDS = {"bench": (1, 3600), "cliff": (10, 24 * 3600), "trial": (10, 24 * 3600)}
"""Least and most seconds of each measurement."""

MOST_BYTES = "32G"
"""Roughly the cache of the first consumer shingled drives."""
LEAST_BYTES = {"cliff": 64 * MIB, "trial": 256 * MIB}


def bench(arguments: Namespace) -> ExitCode:
    """Measure. Returns 130 if the user stopped."""
    _check_limits(arguments, "cliff" if arguments.shingled else "bench")
    try:
        node, path = nodes_of(arguments.device)
    except BadInput:
        # An unresolvable device is probed as a drive.
        node = path = arguments.device
    drive = probe_drive(path)
    part = drive.partition(node)
    if part is not None and arguments.shingled:
        raise BadInput(NEEDS_DRIVE(option="--shingled", drive=path))
    if arguments.scratch:
        confirm_scratch(drive, arguments.confirm)
    if arguments.quick:
        smr_probe.probe_extents(drive)
        said = t(
            "Rewriting {count} blocks ({size:exact}) in free space of {drive} with the same bytes. This "
            "takes about {usual} s, at most {most} s. No byte changes; Ctrl+C stops.",
            count=smr_probe.WRITES,
            drive=drive,
            size=smr_probe.WRITES * smr_probe.block_bytes(drive),
            usual=USUAL_SECONDS,
            most=round(smr_probe.SECONDS),
        )
        return _run(arguments, said, smr_probe.run_smr_probe, drive)
    if arguments.shingled:
        seconds = arguments.seconds or CLIFF_SECONDS
        most_bytes = parse_size(arguments.most_bytes or MOST_BYTES)
        said = t(
            "Rewriting the same bytes in free space of {drive}: at most {most:exact}, for at most "
            "{seconds:time}. No byte changes; Ctrl+C stops. A shingled drive may be slow for an hour "
            "afterwards.",
            drive=drive,
            most=most_bytes,
            seconds=seconds,
        )
        return _run(arguments, said, run_shingled_trial, drive, seconds=seconds, most_bytes=most_bytes)
    seconds = arguments.seconds or BENCH_SECONDS
    doing = (
        Sentence(
            "Rewriting the same bytes in free space of {drive} for at most {seconds:time}; Ctrl+C stops."
        )
        if arguments.scratch
        else Sentence("Reading from {drive} for at most {seconds:time}; Ctrl+C stops.")
    )
    return _run(
        arguments,
        doing(drive=drive, seconds=seconds),
        run_alignment_trial,
        drive,
        write=arguments.scratch,
        seconds=seconds,
        assume_physical_bytes=parse_size(arguments.assume_physical) if arguments.assume_physical else None,
        part=part,
    )


def _run(
    arguments: Namespace,
    beginning: Message,
    measure: Callable[..., BenchmarkResult],
    subject: Drive | compare.Order,
    **options: object,
) -> ExitCode:
    with ended_by_signal() as is_ended, output.progress_line(beginning) as show:
        verdict = measure(subject, on_progress=show, stop=is_ended, **options)
    document = render_verdict(verdict)
    if arguments.output:
        output.save(arguments.output, document)
    output.deliver(arguments, document, (verdict_banner(verdict), GAP, *verdict_blocks(verdict)))
    if is_ended():
        output.say(t("Stopped by the user. The result above uses only the measurements made until then."))
        return ExitCode.ENDED_BY_USER
    return ExitCode.DONE


def _check_limits(arguments: Namespace, kind: str) -> None:
    """Raises BadInput."""
    least, most = BOUNDS[kind]
    if arguments.seconds is not None and not least <= arguments.seconds <= most:
        raise BadInput(BETWEEN(option="--seconds", least=least, most=most))
    if arguments.most_bytes and parse_size(arguments.most_bytes) < LEAST_BYTES[kind]:
        raise BadInput(t("--most-bytes must be at least {least:exact}.", least=LEAST_BYTES[kind]))
    if arguments.output is not None:
        path = Path(arguments.output)
        if path.is_dir() or not os.access(path.parent, os.W_OK) or (path.exists() and not path.is_file()):
            raise BadInput(t("{file} is not a writable file.", file=arguments.output))


def trial(arguments: Namespace) -> ExitCode:
    """Announce the losses; test if confirmed. Returns 130 if the user stopped."""
    _check_limits(arguments, "trial")
    if arguments.rounds is not None and not compare.FEWEST <= arguments.rounds <= compare.MOST:
        raise BadInput(BETWEEN(option="--rounds", least=compare.FEWEST, most=compare.MOST))
    sweep_all()
    machine, (drive,) = machine_and_drives([arguments.device], None)
    order = _order(arguments, machine, drive, find_workload(arguments.workload))
    for said in compare.announcement(order):
        output.say(said)
    if not arguments.confirm:
        raise BadInput(t("No test was run. To start, add: --confirm {token}", token=drive.token))
    confirm_scratch(drive, arguments.confirm)
    beginning = t(
        "Testing {names:and} on {drive} for at most {seconds:time}; Ctrl+C stops.",
        names=tuple(one.title for one in order.candidates),
        drive=drive,
        seconds=order.bounds.seconds,
    )
    return _run(arguments, beginning, filesystem_trial.run_trial, order)


def _order(arguments: Namespace, machine: Machine, drive: Drive, profile: Profile) -> compare.Order:
    """Test the recommended or named filesystem where `plan` would create it, and others."""
    recording = diagnose(machine, drive, load_patterns()).recording
    mode = None if drive.is_empty else Mode.USE_FREE

    def plan(filesystem: str | None) -> Plan:
        asked = WantedVolume(arguments.workload, fs=filesystem)
        spec = spec_of(machine, drive, recording, asked)
        return make_plan(machine, (drive,), NewVolumes((spec,), mode))

    recommended = plan(None)
    first = plan(arguments.fs) if arguments.fs else recommended
    planned = first.volumes[0].filesystem
    names: Sequence[str] = ()
    if arguments.others:
        names = [name.strip() for name in arguments.others.split(",")]
    elif not arguments.misaligned:
        names = filesystem_trial.others_of(advise(machine, drive, recording, profile), planned)
    if len(names) >= filesystem_trial.MOST_CANDIDATES:
        raise BadInput(
            t("At most {most} filesystems can be tested at a time.", most=filesystem_trial.MOST_CANDIDATES)
        )
    plans = [first, *(plan(name) for name in names)]
    usual = filesystem_trial.usual_bounds(len(plans) + arguments.misaligned)
    bounds = compare.Bounds(
        arguments.seconds or usual.seconds,
        parse_size(arguments.most_bytes) if arguments.most_bytes else usual.written_bytes,
        arguments.rounds or usual.rounds,
    )
    return filesystem_trial.order_of(
        drive,
        plans,
        0,
        profile.trial,
        bounds,
        aged=arguments.aged,
        advised=planned == recommended.volumes[0].filesystem,
        misaligned=arguments.misaligned,
    )
