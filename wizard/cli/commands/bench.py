"""`diskwright bench`: compare aligned with misaligned access, or test if a drive is shingled."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from statistics import median

from wizard.apply.settings.existing_filesystem import nodes_of
from wizard.benchmark.alignment import run_alignment_trial
from wizard.benchmark.measure import MeasureProgress
from wizard.benchmark.results import render_verdict
from wizard.benchmark.scratch import confirm_scratch
from wizard.cli import verdicts
from wizard.cli.command import CommandParser, root
from wizard.cli.verdicts import check_output, hand_over, progress_line
from wizard.model.errors import BadInput, ExitCode, printable
from wizard.model.said import Sentence, format_duration, parse_size, t
from wizard.model.verdict import Verdict
from wizard.probe.machine import probe_drive
from wizard.process.program import ended_by_signal

BAR_COLUMNS = 44
SECONDS = 30.0
LONGEST_SECONDS = 3600


def parser() -> ArgumentParser:
    """Return the parser of `bench`."""
    made = CommandParser(
        "bench",
        (
            root(
                "bench",
                "/dev/sdX",
                says=t("read-only; stops when the interval is narrow, after at most 30 s"),
            ),
            root("bench", "/dev/sdX1", says=t("cost of this partition's alignment; before and after a move")),
            root(
                "bench",
                "/dev/sdX",
                "--assume-physical",
                "4096",
                says=t("for a drive that may misreport 512-byte physical blocks"),
            ),
            root(
                *("bench", "/dev/sdX", "--scratch", "--confirm", "SERIAL", "-o", "verdict.json"),
                says=t("also write, rewriting the same bytes in free space; save the verdict as JSON"),
            ),
            root(
                "bench",
                "/dev/sdX",
                "--scratch",
                "--shingled",
                "--confirm",
                "SERIAL",
                says=t(
                    "look for the write cliff of a shingled drive in free space (at most half "
                    "an hour, 32 GiB)"
                ),
            ),
            root(
                *("bench", "/dev/sdX", "--scratch", "--shingled", "--quick", "--confirm", "SERIAL"),
                says=t("one-minute test for likely shingled drives; writes less than 2 MB"),
            ),
        ),
        (t("No byte changes, even with --shingled, but a shingled drive is slow for a while afterwards."),),
    )
    made.add_argument("device", metavar="DEVICE", help=str(t("a drive, such as /dev/sdb, or a partition")))
    made.add_argument(
        "--scratch",
        action="store_true",
        help=str(t("measure writes, in free space only, rewriting the same bytes")),
    )
    made.add_argument(
        "--confirm",
        metavar="TOKEN",
        help=str(t("with --scratch: the drive's serial number, or device name without one")),
    )
    made.add_argument(
        "--shingled",
        action="store_true",
        help=str(t("with --scratch: look for the write cliff of a shingled drive")),
    )
    made.add_argument(
        "--quick",
        action="store_true",
        help=str(t("with --shingled: one-minute test, unconfirmed on real drives")),
    )
    made.add_argument(
        "--seconds", metavar="N", type=float, help=str(t("time limit in seconds (30; with --shingled 1800)"))
    )
    made.add_argument(
        "--most-bytes",
        metavar="SIZE",
        help=str(t("with --shingled: limit of written data, such as 8G (32G)")),
    )
    made.add_argument("--assume-physical", metavar="BYTES", help=str(t("assume this physical block size")))
    made.add_argument(
        "--json",
        action="store_true",
        help=str(
            t(
                "print the verdict as JSON (diskwright.verdict/1; with --shingled "
                "diskwright.cliff/1, with --quick diskwright.displaced/1)"
            )
        ),
    )
    made.add_argument("-o", "--output", metavar="FILE", type=Path, help=str(t("save the verdict as JSON")))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Measure and print the verdict. Returns 130 if the user stopped the measurement."""
    _check(arguments)
    assumed = parse_size(arguments.assume_physical) if arguments.assume_physical else None
    node, path = _node_and_drive(arguments.device)
    drive = probe_drive(path)
    part = drive.partition(node)
    if part is not None and arguments.shingled:
        raise BadInput(t("--shingled requires a whole drive, not a partition."))
    if arguments.scratch:
        confirm_scratch(drive, arguments.confirm)
    if arguments.shingled:
        return (
            verdicts.quick_measure(arguments, drive)
            if arguments.quick
            else verdicts.measure(arguments, drive)
        )
    seconds = arguments.seconds or SECONDS
    doing = (
        Sentence("Rewriting the same bytes in free space of {drive} for at most {duration}; Ctrl+C stops.")
        if arguments.scratch
        else Sentence("Reading from {drive} for at most {duration}; Ctrl+C stops.")
    )
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
    """Return the nodes of the device and the drive. An unresolvable device is probed as a drive."""
    try:
        return nodes_of(device)
    except BadInput:
        return device, device


def verdict_lines(verdict: Verdict) -> list[str]:
    """Return the verdict as text: result, the two medians as bars, and caveats."""
    lines = [verdict.sentence]
    if verdict.pairs:
        lines += ["", *_bars(verdict), ""]
        told = (
            Sentence(
                "Medians of {pairs} accesses of {block} bytes each, in {duration}; misaligned by {shift} "
                "bytes."
            )
            if verdict.shift_bytes
            else Sentence(
                "Medians of {pairs} accesses of {block} bytes each, in {duration}; {shift} bytes off a block "
                "boundary."
            )
        )
        medians = told(
            pairs=len(verdict.pairs),
            block=verdict.block_bytes,
            duration=format_duration(verdict.seconds),
            shift=verdict.shift_bytes,
        )
        lines += [
            str(medians),
            str(t("The factor above is for a typical pair, not the ratio of the two medians.")),
        ]
    return [printable(line, 1000) for line in [*lines, *(f"- {caveat}" for caveat in verdict.caveats)]]


def _in_words(progress: MeasureProgress) -> str:
    pairs, left = progress.pairs, progress.seconds_left
    line = (
        t(
            "{pairs} of at most {most} pairs, at most {seconds:.0f} s left",
            pairs=pairs,
            most=progress.planned_pairs,
            seconds=left,
        )
        if progress.planned_pairs
        else t("{pairs} pairs, at most {seconds:.0f} s left", pairs=pairs, seconds=left)
    )
    return str(
        line
        if progress.estimate is None
        else t("{line}, so far {estimate:.2f}x", line=line, estimate=progress.estimate)
    )


def _bars(verdict: Verdict) -> list[str]:
    medians = {
        str(t("aligned")): median(pair.aligned_ns for pair in verdict.pairs),
        str(t("misaligned") if verdict.shift_bytes else t("actual")): median(
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
    """Check that the options fit together. Raises BadInput."""
    if arguments.scratch and not arguments.confirm:
        raise BadInput(
            t(
                "--scratch writes to free space. Add --confirm with the drive's serial "
                "number, or the device name if the drive has none."
            )
        )
    if arguments.confirm and not arguments.scratch:
        raise BadInput(t("--confirm requires --scratch; other measurements only read."))
    if arguments.shingled and not arguments.scratch:
        raise BadInput(t("--shingled requires --scratch: reading does not reveal the recording method."))
    if arguments.quick:
        verdicts.quick_check(arguments)
    if arguments.shingled and arguments.assume_physical:
        raise BadInput(t("--assume-physical does not apply to --shingled, which does not measure alignment."))
    if arguments.most_bytes and not arguments.shingled:
        raise BadInput(t("--most-bytes requires --shingled."))
    if arguments.shingled:
        verdicts.check(arguments)
    elif arguments.seconds is not None and not 1 <= arguments.seconds <= LONGEST_SECONDS:
        raise BadInput(t("--seconds must be between {least} and {most}.", least=1, most=LONGEST_SECONDS))
    check_output(arguments.output)
