"""`diskwright bench --scratch --shingled`: the search for a write cliff, told before it begins and drawn
afterwards."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from wizard.faces.showing.measuring import hand_over, progress_line
from wizard.model.errors import BadInput, ExitCode
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.said import Sentence, t
from wizard.model.units import MIB, format_duration, parse_size
from wizard.model.verdict import CliffVerdict, Phase, Window
from wizard.tools.signals import ended_by_signal
from wizard.trial.document import render_cliff_verdict
from wizard.trial.shingled import ProbeProgress, run_shingled_trial
from wizard.trial.shingledwords import rate_in_words

SECONDS = 1800.0
SHORTEST_SECONDS, LONGEST_SECONDS = 10, 24 * 3600
MOST_BYTES = "32G"
"""The cache of the first shingled drives for everyone was found to hold about as much."""
LEAST_BYTES = 64 * MIB

BAR_COLUMNS = 44
LABEL_COLUMNS = 26
ROWS = 16

PHASES = {
    Phase.SEQUENTIAL_BEFORE: Sentence("in order, before"),
    Phase.RANDOM: Sentence("at random"),
    Phase.SEQUENTIAL_AFTER: Sentence("in order, afterwards"),
}


def check(arguments: Namespace) -> None:
    """Raises BadInput for limits that make no sense."""
    if arguments.seconds is not None and not SHORTEST_SECONDS <= arguments.seconds <= LONGEST_SECONDS:
        raise BadInput(
            t(
                "With --shingled, --seconds must lie between {least} and {most}.",
                least=SHORTEST_SECONDS,
                most=LONGEST_SECONDS,
            )
        )
    if arguments.most_bytes and parse_size(arguments.most_bytes) < LEAST_BYTES:
        raise BadInput(
            t("--most-bytes must be {least} MiB or more: less shows nothing.", least=LEAST_BYTES // MIB)
        )


def measure(arguments: Namespace, drive: Drive) -> ExitCode:
    """Look for the cliff, and print the verdict; 130 where the person ended it."""
    seconds = arguments.seconds or SECONDS
    most_bytes = parse_size(arguments.most_bytes or MOST_BYTES)
    beginning = t(
        "Writing back what is read in free space of {drive}: {most:exact} at most, "
        "for {duration} at most. Every byte stays as it is; Ctrl+C ends it. A "
        "shingled drive may be slow for an hour afterwards.",
        drive=drive.path,
        most=most_bytes,
        duration=format_duration(seconds),
    )
    with ended_by_signal() as is_ended, progress_line(beginning, _in_words) as show:
        verdict = run_shingled_trial(
            drive, seconds=seconds, most_bytes=most_bytes, on_progress=show, stop=is_ended
        )
    return hand_over(arguments, render_cliff_verdict(verdict), cliff_lines(verdict), ended=is_ended())


def cliff_lines(verdict: CliffVerdict) -> list[str]:
    """The verdict as plain text: its sentence, the rates as bars in the order of time, its caveats."""
    lines = [verdict.sentence]
    rows = _rows(verdict.windows)
    if rows:
        lines += ["", *(_bar(row, rows) for row in rows), ""]
        wrote = t(
            "Wrote {size:size} at random, {block} KiB at a time; took {duration} in all, reading included.",
            size=verdict.random_bytes,
            block=verdict.block_bytes // 1024,
            duration=format_duration(verdict.seconds),
        )
        lines += [
            str(wrote),
            str(t("The bars of random and of sequential writing have a scale of their own each.")),
        ]
    return [printable(line, 1000) for line in [*lines, *(f"- {caveat}" for caveat in verdict.caveats)]]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the chart."""

    phase: Phase
    label: str
    bytes_per_second: float


def _rows(windows: Sequence[Window]) -> list[Row]:
    """Several for the random writing, one for each sequential phase."""
    rows = []
    for phase in Phase:
        mine = [window for window in windows if window.phase is phase]
        size = max(1, ceil(len(mine) / ROWS) if phase is Phase.RANDOM else len(mine))
        written = 0
        for first in range(0, len(mine), size):
            part = mine[first : first + size]
            amount = sum(window.written_bytes for window in part)
            label = (
                t("at random, from {size:size}", size=written) if phase is Phase.RANDOM else PHASES[phase]()
            )
            rows.append(Row(phase, str(label), amount / max(sum(window.seconds for window in part), 1e-9)))
            written += amount
    return rows


def _bar(row: Row, rows: Sequence[Row]) -> str:
    fastest = max(
        other.bytes_per_second
        for other in rows
        if (other.phase is Phase.RANDOM) is (row.phase is Phase.RANDOM)
    )
    bar = "#" * ceil(BAR_COLUMNS * row.bytes_per_second / max(fastest, 1e-9))
    return f"{row.label:<{LABEL_COLUMNS}}  {bar:<{BAR_COLUMNS}}  {rate_in_words(row.bytes_per_second)}"


def _in_words(progress: ProbeProgress) -> str:
    line = t(
        "{phase}: {written:size} written of at most {most:exact}, at most {seconds:.0f} s left",
        phase=PHASES[progress.phase](),
        written=progress.written_bytes,
        most=progress.most_bytes,
        seconds=progress.seconds_left,
    )
    rate = progress.bytes_per_second
    return str(line) if rate is None else f"{line}, {rate_in_words(rate)}"
