"""Run benchmarks of `diskwright bench` and print their verdicts as charts.

Includes `--scratch --shingled`, which explains the search for a write cliff first, then charts the result.
"""

import os
import shlex
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from textwrap import fill
from typing import TypeVar

from wizard.benchmark.results import render_verdict
from wizard.benchmark.smr_cliff import rate_in_words
from wizard.benchmark.smr_probe import WRITES
from wizard.benchmark.smr_probe import ProbeProgress as QuickProbeProgress
from wizard.benchmark.smr_run import DOING, amounts, block_bytes, medians, probe_extents, run_smr_probe
from wizard.benchmark.smr_run import SECONDS as QUICK_SECONDS
from wizard.benchmark.smr_write import WriteProbeProgress, run_shingled_trial
from wizard.cli.command import given_again
from wizard.cli.commands.apply import narrate
from wizard.cli.passphrase import err, out, say, tell
from wizard.cli.select_run import DOCUMENT_FILE
from wizard.documents.files import write_file
from wizard.model.errors import BadInput, ExitCode, printable
from wizard.model.machine import Drive
from wizard.model.said import MIB, Message, Sentence, format_duration, parse_size, t
from wizard.model.verdict import (
    USUAL_SECONDS,
    CliffVerdict,
    DisplacedVerdict,
    ProbeComparison,
    WritePhase,
    WriteWindow,
)
from wizard.process.program import ended_by_signal

T = TypeVar("T")


def hand_over(arguments: Namespace, document: str, lines: Sequence[str], *, ended: bool) -> ExitCode:
    """Save the document if `--output` is given, and print the document or `lines`. Returns 130 if the user
    stopped the measurement."""
    if arguments.output:
        write_file(arguments.output, document, str(t("The verdict")))
    if arguments.json:
        sys.stdout.write(document)
    else:
        tell(part for line in lines for part in _fit(line).split("\n"))
    if ended:
        say(t("Stopped by the user. The result above uses only the measurements made until then."))
        return ExitCode.ENDED_BY_USER
    return ExitCode.DONE


def check_output(output: Path | None) -> None:
    """Check that the output file is writable. Raises BadInput."""
    if output and (
        output.is_dir() or not os.access(output.parent, os.W_OK) or (output.exists() and not output.is_file())
    ):
        raise BadInput(t("{file} is not a writable file.", file=printable(str(output))))


def _fit(line: str) -> str:
    """Wrap a line on a terminal. In a pipe, leave lines whole for scripts."""
    if not sys.stdout.isatty() or "#" in line:
        return line
    return fill(line, out().width, subsequent_indent="  " if line.startswith("- ") else "")


@contextmanager
def progress_line(beginning: Message, in_words: Callable[[T], str]) -> Iterator[Callable[[T], None]]:
    """Print `beginning` at the first progress report. On a terminal, show progress in one line, cleared at
    the end."""
    width = max(20, err().width - 1) if err().is_terminal else 0
    begun = False

    def show(progress: T) -> None:
        nonlocal begun
        if not begun:
            begun = True
            say(beginning)
        if not width:
            return
        sys.stderr.write("\r" + in_words(progress)[:width].ljust(width))
        sys.stderr.flush()

    try:
        yield show
    finally:
        if width and begun:
            sys.stderr.write("\r" + " " * width + "\r")
            sys.stderr.flush()


SECONDS = 1800.0
SHORTEST_SECONDS, LONGEST_SECONDS = 10, 24 * 3600
MOST_BYTES = "32G"
"""Roughly the measured cache size of the first consumer shingled drives."""
LEAST_BYTES = 64 * MIB

BAR_COLUMNS = 44
LABEL_COLUMNS = 26
ROWS = 16

PHASES = {
    WritePhase.SEQUENTIAL_BEFORE: Sentence("sequential, before"),
    WritePhase.RANDOM: Sentence("random"),
    WritePhase.SEQUENTIAL_AFTER: Sentence("sequential, after"),
}


def check(arguments: Namespace) -> None:
    """Check the limits of --shingled. Raises BadInput."""
    if arguments.seconds is not None and not SHORTEST_SECONDS <= arguments.seconds <= LONGEST_SECONDS:
        raise BadInput(
            t(
                "With --shingled, --seconds must be between {least} and {most}.",
                least=SHORTEST_SECONDS,
                most=LONGEST_SECONDS,
            )
        )
    if arguments.most_bytes and parse_size(arguments.most_bytes) < LEAST_BYTES:
        raise BadInput(
            t("--most-bytes must be at least {least} MiB to show any effect.", least=LEAST_BYTES // MIB)
        )


def measure(arguments: Namespace, drive: Drive) -> ExitCode:
    """Search for the write cliff and print the verdict. Returns 130 if the user stopped the search."""
    seconds = arguments.seconds or SECONDS
    most_bytes = parse_size(arguments.most_bytes or MOST_BYTES)
    beginning = t(
        "Rewriting the same bytes in free space of {drive}: at most {most:exact}, "
        "for at most {duration}. No byte changes; Ctrl+C stops. A shingled drive may "
        "be slow for an hour afterwards.",
        drive=drive.path,
        most=most_bytes,
        duration=format_duration(seconds),
    )
    with ended_by_signal() as is_ended, progress_line(beginning, _in_words) as show:
        verdict = run_shingled_trial(
            drive, seconds=seconds, most_bytes=most_bytes, on_progress=show, stop=is_ended
        )
    return hand_over(arguments, render_verdict(verdict), cliff_lines(verdict), ended=is_ended())


def cliff_lines(verdict: CliffVerdict) -> list[str]:
    """Return the verdict as text: result, rates over time as bars, and caveats."""
    lines = [verdict.sentence]
    rows = _rows(verdict.windows)
    if rows:
        lines += ["", *(_bar(row, rows) for row in rows), ""]
        wrote = t(
            "Wrote {size:size} at random in {block} KiB blocks; {duration} in total, including reads.",
            size=verdict.random_bytes,
            block=verdict.block_bytes // 1024,
            duration=format_duration(verdict.seconds),
        )
        lines += [
            str(wrote),
            str(t("The bars for random and sequential writes use different scales.")),
        ]
    return [printable(line, 1000) for line in [*lines, *(f"- {caveat}" for caveat in verdict.caveats)]]


@dataclass(frozen=True, slots=True)
class ChartRow:
    """One bar of the chart."""

    phase: WritePhase
    label: str
    bytes_per_second: float


def _rows(windows: Sequence[WriteWindow]) -> list[ChartRow]:
    """Return several rows for random writes, and one for each sequential phase."""
    rows = []
    for phase in WritePhase:
        mine = [window for window in windows if window.phase is phase]
        size = max(1, ceil(len(mine) / ROWS) if phase is WritePhase.RANDOM else len(mine))
        written = 0
        for first in range(0, len(mine), size):
            part = mine[first : first + size]
            amount = sum(window.written_bytes for window in part)
            label = (
                t("random, from {size:size}", size=written) if phase is WritePhase.RANDOM else PHASES[phase]()
            )
            rows.append(
                ChartRow(phase, str(label), amount / max(sum(window.seconds for window in part), 1e-9))
            )
            written += amount
    return rows


def _bar(row: ChartRow, rows: Sequence[ChartRow]) -> str:
    fastest = max(
        other.bytes_per_second
        for other in rows
        if (other.phase is WritePhase.RANDOM) is (row.phase is WritePhase.RANDOM)
    )
    bar = "#" * ceil(BAR_COLUMNS * row.bytes_per_second / max(fastest, 1e-9))
    return f"{row.label:<{LABEL_COLUMNS}}  {bar:<{BAR_COLUMNS}}  {rate_in_words(row.bytes_per_second)}"


def _in_words(progress: WriteProbeProgress) -> str:
    line = t(
        "{phase}: {written:size} written of at most {most:size}, at most {seconds:.0f} s left",
        phase=PHASES[progress.phase](),
        written=progress.written_bytes,
        most=progress.most_bytes,
        seconds=progress.seconds_left,
    )
    rate = progress.bytes_per_second
    return str(line) if rate is None else f"{line}, {rate_in_words(rate)}"


QUICK_LABEL_COLUMNS = 22


def quick_check(arguments: Namespace) -> None:
    """Check the options of --quick. Raises BadInput."""
    if not arguments.shingled:
        raise BadInput(t("--quick requires --scratch --shingled."))
    if arguments.seconds is not None or arguments.most_bytes:
        raise BadInput(t("--quick has fixed limits: remove --seconds and --most-bytes."))


def quick_measure(arguments: Namespace, drive: Drive) -> ExitCode:
    """Run the one-minute test and print the verdict. Returns 130 if the user stopped the test."""
    probe_extents(drive)
    beginning = t(
        "Rewriting {count} blocks ({size:exact}) in free space of {drive} with the "
        "same bytes. This takes about {usual} s, at most {most} s. No byte changes; "
        "Ctrl+C stops.",
        count=WRITES,
        drive=drive.path,
        size=WRITES * block_bytes(drive),
        usual=USUAL_SECONDS,
        most=round(QUICK_SECONDS),
    )
    with ended_by_signal() as is_ended, progress_line(beginning, _quick_in_words) as show:
        verdict = run_smr_probe(drive, on_progress=show, stop=is_ended)
    return hand_over(arguments, render_verdict(verdict), quick_lines(verdict), ended=is_ended())


def quick_lines(verdict: DisplacedVerdict) -> list[str]:
    """Return the verdict as text: result, medians as bars, and caveats."""
    lines = [verdict.sentence]
    looks = (
        (t("right after writing"), verdict.timings.look),
        (t("after the drive was idle"), verdict.timings.look_after_idle),
    )
    for when, look in looks:
        if look is not None:
            lines += _bars(when, look)
    if verdict.written_bytes:
        lines += ["", str(amounts(verdict))]
    return [printable(line, 1000) for line in [*lines, *(f"- {caveat}" for caveat in verdict.caveats)]]


def _bars(when: Message, look: ProbeComparison) -> Iterator[str]:
    rows = medians(look)
    longest = max((time for _, time in rows), default=1.0)
    yield ""
    for name, time in rows:
        bar = "#" * round(BAR_COLUMNS * time / longest)
        yield f"{name:<{QUICK_LABEL_COLUMNS}}  {bar:<{BAR_COLUMNS}}  {time / 1e6:.2f} ms"
    yield str(t("Medians of rereading one block, {when}.", when=when))


def _quick_in_words(progress: QuickProbeProgress) -> str:
    percent, phase = round(100 * progress.share), DOING[progress.phase]()
    return str(
        t(
            "{phase}: {percent} %, at most {seconds:.0f} s left",
            phase=phase,
            percent=percent,
            seconds=progress.seconds_left,
        )
    )


@dataclass(frozen=True, slots=True)
class PlanOffer:
    """A document to show and start.

    `lines` renders the document for a width in columns; `token` confirms the drive. `begin` starts the run
    and receives a function that words the command for root. `doubts` are printed last if the document is only
    shown.
    """

    document: str
    lines: Callable[[int], Iterator[str]]
    token: str
    begin: Callable[[Namespace, Callable[[], str]], Path | ExitCode]
    doubts: Sequence[Message | str] = ()


def offered(offer: PlanOffer, arguments: Namespace) -> ExitCode:
    """Show a document. With a token or as a dry run, continue as `diskwright apply` does. `-o` saves the
    document."""
    if (file := getattr(arguments, "output", None)) is not None:
        write_file(Path(file), offer.document, str(DOCUMENT_FILE))
    if arguments.json:
        sys.stdout.write(offer.document)
    elif not arguments.dry_run:
        for line in offer.lines(min(max(out().width, 40), 120)):
            out().print(line, soft_wrap=True)
    if arguments.confirm or arguments.dry_run:
        begun = offer.begin(arguments, given_again)
        return begun if isinstance(begun, ExitCode) else narrate(begun)
    for doubt in offer.doubts:
        say(printable(str(doubt), 4000))
    say(t("Nothing was written. To apply, exactly as shown:"))
    say(f"    {given_again()} --confirm {shlex.quote(printable(offer.token))}")
    return ExitCode.DONE
