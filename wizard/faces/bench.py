"""`diskwright bench`: aligned against misaligned access, measured; or the write cliff of a shingled drive."""

import os
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from statistics import median

from wizard.faces.showing import shingled
from wizard.faces.showing.measuring import hand_over, progress_line
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

EXAMPLES = """examples:
  sudo diskwright bench /dev/sdX
      reads only; ends when the interval is narrow, after 30 s at the latest
  sudo diskwright bench /dev/sdX --assume-physical 4096
      for a drive that claims 512-byte physical blocks and may lie
  sudo diskwright bench /dev/sdX --scratch --confirm SERIAL -o verdict.json
      writes as well tell: only in free space, and only the bytes just read there; the verdict is kept as JSON
  sudo diskwright bench /dev/sdX --scratch --shingled --confirm SERIAL
      looks for the write cliff of a shingled drive, in free space, for half an hour or 32 GiB at most: every
      byte stays as it is, but a shingled drive is slow for a while afterwards
"""


def parser() -> ArgumentParser:
    """The options of `bench`."""
    made = ArgumentParser(
        prog="diskwright bench",
        description=(
            "Measure how much slower misaligned access is on a drive, by pairs of direct accesses, one of "
            "each kind. With --shingled instead: whether random writing falls off a cliff, as it does on "
            "drive-managed shingled drives."
        ),
        epilog=EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument("device", metavar="DEVICE", help="a whole drive, such as /dev/sdX")
    made.add_argument(
        "--scratch",
        action="store_true",
        help="measure writing, in free space only; what is there stays as it is",
    )
    made.add_argument(
        "--confirm",
        metavar="TOKEN",
        help="with --scratch: the drive's serial number, or its name where it has none",
    )
    made.add_argument(
        "--shingled", action="store_true", help="with --scratch: look for the write cliff of a shingled drive"
    )
    made.add_argument(
        "--seconds",
        metavar="N",
        type=float,
        help="end after so many seconds at the latest (30; with --shingled 1800)",
    )
    made.add_argument(
        "--most-bytes",
        metavar="SIZE",
        help="with --shingled: write no more than this in all, such as 8G (32G)",
    )
    made.add_argument(
        "--assume-physical",
        metavar="BYTES",
        help="take this for the physical block size, whatever the drive says",
    )
    made.add_argument(
        "--json",
        action="store_true",
        help="print the verdict as JSON (diskwright.verdict/1; with --shingled diskwright.cliff/1)",
    )
    made.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="also keep the verdict as JSON in this file"
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Measure, and print the verdict; 130 where the person ended it."""
    _check(arguments)
    assumed = parse_size(arguments.assume_physical) if arguments.assume_physical else None
    drive = probe_drive(arguments.device)
    if arguments.scratch:
        confirm_scratch(drive, arguments.confirm)
    if arguments.shingled:
        return shingled.measure(arguments, drive)
    seconds = arguments.seconds or SECONDS
    doing = "Writing back what is read in free space of" if arguments.scratch else "Reading from"
    beginning = f"{doing} {drive.path} for at most {format_duration(seconds)}; Ctrl+C ends it."
    with ended_by_signal() as is_ended, progress_line(beginning, _in_words) as show:
        verdict = run_alignment_trial(
            drive,
            write=arguments.scratch,
            seconds=seconds,
            on_progress=show,
            stop=is_ended,
            assume_physical_bytes=assumed,
        )
    return hand_over(arguments, render_verdict(verdict), verdict_lines(verdict), ended=is_ended())


def verdict_lines(verdict: Verdict) -> list[str]:
    """The verdict as plain text: its sentence, the two medians as bars, its caveats."""
    lines = [verdict.sentence]
    if verdict.pairs:
        lines += ["", *_bars(verdict), ""]
        accesses = f"Medians of {len(verdict.pairs)} accesses of {verdict.block_bytes} bytes each"
        lines.append(
            f"{accesses}, in {format_duration(verdict.seconds)}; misaligned by {verdict.shift_bytes} bytes."
        )
        lines.append(
            "The factor above is that of a typical pair, each taken by itself, and not of the two medians."
        )
    return [printable(line, 1000) for line in [*lines, *(f"- {caveat}" for caveat in verdict.caveats)]]


def _in_words(progress: Progress) -> str:
    so_far = f", so far {progress.estimate:.2f}x" if progress.estimate is not None else ""
    of = f" of at most {progress.planned_pairs}" if progress.planned_pairs else ""
    return f"{progress.pairs}{of} pairs, at most {progress.seconds_left:.0f} s left{so_far}"


def _bars(verdict: Verdict) -> list[str]:
    medians = {
        "aligned": median(pair.aligned_ns for pair in verdict.pairs),
        "misaligned": median(pair.misaligned_ns for pair in verdict.pairs),
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
        raise BadInput(
            "--scratch writes to the drive's free space, and wants --confirm with the drive's serial number "
            "(its name, if it has none)."
        )
    if arguments.confirm and not arguments.scratch:
        raise BadInput("--confirm belongs to --scratch; without it nothing is written.")
    if arguments.shingled and not arguments.scratch:
        raise BadInput(
            "--shingled writes, and belongs to --scratch: reading does not show how a drive records."
        )
    if arguments.shingled and arguments.assume_physical:
        raise BadInput("--assume-physical is about alignment; --shingled does not measure that.")
    if arguments.most_bytes and not arguments.shingled:
        raise BadInput("--most-bytes belongs to --shingled.")
    if arguments.shingled:
        shingled.check(arguments)
    elif arguments.seconds is not None and not 1 <= arguments.seconds <= LONGEST_SECONDS:
        raise BadInput(f"--seconds must lie between 1 and {LONGEST_SECONDS}.")
    output: Path | None = arguments.output
    if output and (
        output.is_dir() or not os.access(output.parent, os.W_OK) or (output.exists() and not output.is_file())
    ):
        raise BadInput(f"{printable(str(output))} cannot be written as a file.")
