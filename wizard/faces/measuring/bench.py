"""`diskwright bench`: aligned against misaligned access, measured; or whether a drive is shingled."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from statistics import median

from wizard.apply.tune.existing_filesystem import nodes_of
from wizard.faces.measuring.words import bench as words
from wizard.faces.showing import quick, shingled
from wizard.faces.showing.command import Command, root
from wizard.faces.showing.measuring import check_output, hand_over, progress_line
from wizard.model.errors import BadInput, ExitCode
from wizard.model.names import printable
from wizard.model.units import format_duration, parse_size
from wizard.model.verdict import Verdict
from wizard.probe.machine import probe_drive
from wizard.tools.signals import ended_by_signal
from wizard.trial.alignment import Progress, confirm_scratch, run_alignment_trial
from wizard.trial.document import render_verdict

BAR_COLUMNS = 44
SECONDS = 30.0
LONGEST_SECONDS = 3600


def parser() -> ArgumentParser:
    """The options of `bench`."""
    made = Command(
        "bench",
        words.SAYS(),
        (
            root("bench", "/dev/sdX", says=words.READS()),
            root("bench", "/dev/sdX1", says=words.PLACE()),
            root("bench", "/dev/sdX", "--assume-physical", "4096", says=words.MAY_LIE()),
            root(
                *("bench", "/dev/sdX", "--scratch", "--confirm", "SERIAL", "-o", "verdict.json"),
                says=words.WRITES(),
            ),
            root("bench", "/dev/sdX", "--scratch", "--shingled", "--confirm", "SERIAL", says=words.LOOKS()),
            root(
                *("bench", "/dev/sdX", "--scratch", "--shingled", "--quick", "--confirm", "SERIAL"),
                says=words.TESTS(),
            ),
        ),
        (words.ABOUT_SHINGLED(),),
    )
    made.add_argument("device", metavar="DEVICE", help=str(words.DEVICE()))
    made.add_argument("--scratch", action="store_true", help=str(words.SCRATCH()))
    made.add_argument("--confirm", metavar="TOKEN", help=str(words.CONFIRM()))
    made.add_argument("--shingled", action="store_true", help=str(words.SHINGLED()))
    made.add_argument("--quick", action="store_true", help=str(words.QUICK()))
    made.add_argument("--seconds", metavar="N", type=float, help=str(words.SECONDS()))
    made.add_argument("--most-bytes", metavar="SIZE", help=str(words.MOST_BYTES()))
    made.add_argument("--assume-physical", metavar="BYTES", help=str(words.ASSUME_PHYSICAL()))
    made.add_argument("--json", action="store_true", help=str(words.JSON()))
    made.add_argument("-o", "--output", metavar="FILE", type=Path, help=str(words.OUTPUT()))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Measure, and print the verdict; 130 where the person ended it."""
    _check(arguments)
    assumed = parse_size(arguments.assume_physical) if arguments.assume_physical else None
    node, path = _node_and_drive(arguments.device)
    drive = probe_drive(path)
    part = drive.partition(node)
    if part is not None and arguments.shingled:
        raise BadInput(words.NOT_OF_A_PART())
    if arguments.scratch:
        confirm_scratch(drive, arguments.confirm)
    if arguments.shingled:
        return quick.measure(arguments, drive) if arguments.quick else shingled.measure(arguments, drive)
    seconds = arguments.seconds or SECONDS
    doing = words.WRITING if arguments.scratch else words.READING
    beginning = doing(drive=drive.path, duration=format_duration(seconds))
    with ended_by_signal() as is_ended, progress_line(beginning, _in_words) as show:
        verdict = run_alignment_trial(
            drive,
            write=arguments.scratch,
            seconds=seconds,
            on_progress=show,
            stop=is_ended,
            assume_physical_bytes=assumed,
            part=part,
        )
    return hand_over(arguments, render_verdict(verdict), verdict_lines(verdict), ended=is_ended())


def _node_and_drive(device: str) -> tuple[str, str]:
    """The node, and that of its drive; what cannot be told apart is taken for a drive, and probed as one."""
    try:
        return nodes_of(device)
    except BadInput:
        return device, device


def verdict_lines(verdict: Verdict) -> list[str]:
    """The verdict as plain text: its sentence, the two medians as bars, its caveats."""
    lines = [verdict.sentence]
    if verdict.pairs:
        lines += ["", *_bars(verdict), ""]
        told = words.MEDIANS if verdict.shift_bytes else words.MEDIANS_IN_PLACE
        medians = told(
            pairs=len(verdict.pairs),
            block=verdict.block_bytes,
            duration=format_duration(verdict.seconds),
            shift=verdict.shift_bytes,
        )
        lines += [str(medians), str(words.FACTOR())]
    return [printable(line, 1000) for line in [*lines, *(f"- {caveat}" for caveat in verdict.caveats)]]


def _in_words(progress: Progress) -> str:
    pairs, left = progress.pairs, progress.seconds_left
    line = (
        words.PAIRS_OF(pairs=pairs, most=progress.planned_pairs, seconds=left)
        if progress.planned_pairs
        else words.PAIRS(pairs=pairs, seconds=left)
    )
    return str(line if progress.estimate is None else words.SO_FAR(line=line, estimate=progress.estimate))


def _bars(verdict: Verdict) -> list[str]:
    medians = {
        str(words.ALIGNED()): median(pair.aligned_ns for pair in verdict.pairs),
        str(words.MISALIGNED() if verdict.shift_bytes else words.IN_PLACE()): median(
            pair.misaligned_ns for pair in verdict.pairs
        ),
    }
    longest = max(*medians.values(), 1)
    return [
        f"{name:<10}  {'#' * round(BAR_COLUMNS * time / longest):<{BAR_COLUMNS}}  {_time(time)}"
        for name, time in medians.items()
    ]


def _time(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e6:.2f} ms" if nanoseconds >= 1e6 else f"{nanoseconds / 1e3:.1f} us"


def _check(arguments: Namespace) -> None:
    """Raises BadInput for options that do not go together."""
    if arguments.scratch and not arguments.confirm:
        raise BadInput(words.NO_CONFIRM())
    if arguments.confirm and not arguments.scratch:
        raise BadInput(words.NO_SCRATCH())
    if arguments.shingled and not arguments.scratch:
        raise BadInput(words.READING_TELLS_NOT())
    if arguments.quick:
        quick.check(arguments)
    if arguments.shingled and arguments.assume_physical:
        raise BadInput(words.NOT_ALIGNMENT())
    if arguments.most_bytes and not arguments.shingled:
        raise BadInput(words.NO_SHINGLED())
    if arguments.shingled:
        shingled.check(arguments)
    elif arguments.seconds is not None and not 1 <= arguments.seconds <= LONGEST_SECONDS:
        raise BadInput(words.SECONDS_BETWEEN(least=1, most=LONGEST_SECONDS))
    check_output(arguments.output)
