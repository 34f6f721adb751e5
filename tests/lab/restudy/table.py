"""`python -m tests.lab.restudy.table [--check]`: write the table of the repeated study, from its raw
results and the study's figures."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean, median
from textwrap import fill

from tests.lab.restudy import trials
from tests.lab.restudy.timings import (
    ALIGNED,
    CONTROL,
    MISALIGNED,
    RESULTS,
    STUDIED_THEN,
    Instruments,
    Operation,
    Ratio,
    Series,
    all_series,
    at,
    ratio,
    read_instruments,
    rounds_of,
)
from wizard.advice.evidence import EvidenceFile, Measurement
from wizard.benchmark.candidates.compare import TimeRatio as TrialRatio
from wizard.documents.profiles import BUNDLED, read_profile
from wizard.model.said import MIB

TABLE = RESULTS / "README.md"
STUDY = BUNDLED / "evidence" / "alignment-2010-2013.toml"
FILESYSTEMS = (*STUDIED_THEN, "nilfs2")
NAMES = {"xfs": "XFS", "btrfs": "Btrfs", "jfs": "JFS", "reiserfs": "ReiserFS", "nilfs2": "NILFS2"}
DRIVES = ("wd", "seagate", "toshiba")
HEADINGS = {
    Operation.MAKE: "Creating a filesystem",
    Operation.WRITE_SMALL: "Unpacking many small files",
    Operation.WRITE_LARGE: "Copying a large file",
    Operation.READ_SMALL: "Reading the small files",
    Operation.READ_LARGE: "Reading the large file",
    Operation.DELETE: "Deleting the small files",
}
UNKNOWN = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of an operation's table: a cell per filesystem, then the extremes and the mean of the study's
    filesystems."""

    what: str
    cells: tuple[str, ...]
    least: str = UNKNOWN
    most: str = UNKNOWN
    middle: str = UNKNOWN

    def __str__(self) -> str:
        return f"| {' | '.join((self.what, *self.cells, self.least, self.most, self.middle))} |"


def main(arguments: Sequence[str]) -> int:
    """Return 1 if --check finds an outdated table."""
    text = render(all_series(FILESYSTEMS), read_instruments(), read_profile(STUDY, EvidenceFile))
    if "--check" in arguments:
        if TABLE.read_text(encoding="utf-8") == text:
            return 0
        print(f"{TABLE} is not what its results say: run python -m tests.lab.restudy.table", file=sys.stderr)
        return 1
    TABLE.write_text(text, encoding="utf-8")
    return 0


def render(series: Sequence[Series], instruments: Instruments, study: EvidenceFile) -> str:
    """Return the whole page."""
    parts = [_head(series, instruments, study)]
    for operation in Operation:
        parts.append(f"## {HEADINGS[operation]}\n\n{_one_table(operation, series, study)}")
    parts.append(_by_trial(study))
    parts.append(_raw(series))
    return "\n\n".join(parts) + "\n"


def _wrapped(text: str) -> str:
    """Wrap paragraphs and list items."""
    joined = text.replace("\n- ", "\n\n- ").split("\n\n")
    filled = [
        fill(" ".join(part.split()), 120, subsequent_indent="  " * part.startswith("- ")) for part in joined
    ]
    return "\n\n".join(filled).replace("\n\n- ", "\n- ").replace(":\n- ", ":\n\n- ")


def _head(series: Sequence[Series], instruments: Instruments, study: EvidenceFile) -> str:
    first = series[0].setting
    dates = sorted({one.setting.date for one in series})
    rounds = sorted({rounds_of(one) for one in series})
    title = f"# What a misaligned partition costs: a study of {study.study.era} repeated in the lab"
    text = f"""Made by `python -m tests.lab.restudy.table` from the files beside it; nothing here is typed by
hand. The results are of {_span(dates)}, by `python -m tests.lab.restudy`. The study is "{study.study.title}",
{study.study.source}.

Each number says how many times as long an operation took on a partition from sector {MISALIGNED} as on one
from sector {ALIGNED} of the same drive; 1.00 means no loss. Here it is the median of
{_span([str(count) for count in rounds])} rounds, with the least and the most below it. A partition from
sector {CONTROL}, aligned like the one from {ALIGNED}, shows how much is chance. Of the study only the
extremes and the means are known, since its pictures are lost; what is empty is not known. The means are those
of the study's {len(STUDIED_THEN)} filesystems. The conditions here:
- drive: emulated, {_blocks(series)}; {first.requests_per_second} requests a second, whatever their size. A
  write that covers blocks in part costs one more for reading them, or two where they are not neighbours.
- Linux {_span(sorted({one.setting.kernel for one in series}))} in QEMU without KVM; partition of
  {first.partition_bytes // MIB} MiB; requests of at most {first.request_kib} KiB, as Linux made them then.
- {first.small_files} small files, {first.small_bytes / MIB:.1f} MiB in all, sizes spread as in the sources of
  Linux; a large one of {first.large_bytes // MIB} MiB. The study unpacked the archive of such sources, and
  copied it.
- Single writes of 4096 bytes on this drive: `diskwright bench --scratch` finds {instruments.bench:.2f}
  ({instruments.bench_low:.2f} to {instruments.bench_high:.2f}), fio by hand {instruments.fio:.2f}.

{_sentences(series, study)}"""
    return f"{title}\n\n{_wrapped(text)}"


def _sentences(series: Sequence[Series], study: EvidenceFile) -> str:
    found = {
        operation: _range([ratio(one, operation).middle for one in series if one.filesystem in STUDIED_THEN])
        for operation in Operation
    }
    worst = max(
        (value, name) for card in study.measurements for name, value in card.figures if name in FILESYSTEMS
    )
    log = next(
        f"{ratio(one, Operation.WRITE_SMALL).middle:.2f}" for one in series if one.filesystem == "nilfs2"
    )
    return f"""What is the same: of what is done every day, to write small files suffers most
({found[Operation.WRITE_SMALL]} times as long here), to copy a large one less
({found[Operation.WRITE_LARGE]}), and to read small files not at all ({found[Operation.READ_SMALL]}; the
study's Seagate drive differs). Deleting costs {found[Operation.DELETE]}.

What is not: a mechanical drive waits a turn of its platters for each block that it has to read before it can
write it; the emulated one takes the time of one more request. So nothing here comes near the study's worst,
{worst[0]:.2f} of {NAMES.get(worst[1], worst[1])}. A real drive also has a cache in which writes can meet
before they reach the platters; this one has none. The guest's own work is in each time too, the same on both
sides, and makes the ratios smaller; where an operation took less than a second, a moment in which the machine
had other work shows in the range of the rounds. Linux since 5.4 ends the parts of a long request at the
drive's physical blocks wherever the partition starts, so that most of a large file is written in whole
blocks; the study's kernels did not. Where a partition is misaligned, mkfs.xfs chooses sectors of 512 bytes
instead of 4096. On ReiserFS the times of reading are written while the large file is read. NILFS2 was not in
the study: it puts what is new into one log by few long requests, of which little has to be rewritten wherever
it starts (small files: {log})."""


def _one_table(operation: Operation, series: Sequence[Series], study: EvidenceFile) -> str:
    by_name = {one.filesystem: one for one in series}
    header = ["", *(NAMES.get(name, name) for name in FILESYSTEMS), "least", "most", "mean"]
    rows = [_ours(operation, series, without_reiserfs=operation is Operation.WRITE_LARGE)]
    rows.append(_each("rounds", by_name, lambda one: _spread(ratio(one, operation))))
    rows.append(
        _each(
            f"sector {CONTROL} over {ALIGNED}",
            by_name,
            lambda one: f"{ratio(one, operation, CONTROL).middle:.2f}",
        )
    )
    rows.append(_each(f"seconds at {ALIGNED}", by_name, lambda one: f"{_seconds(one, operation):.1f}"))
    rows.append(
        _each(
            f"requests to write at {ALIGNED}",
            by_name,
            lambda one: f"{median(t.writes for t in at(one, operation, ALIGNED)):.0f}",
        )
    )
    notes = []
    for drive in DRIVES:
        for card in _cards(drive, operation, study):
            rows.append(_theirs(card))
            if card.note:
                notes.append(f"{_machine(card)}: {card.note}")
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|", *map(str, rows)]
    return "\n".join(lines) + "".join(f"\n\n{note}" for note in notes)


def _ours(operation: Operation, series: Sequence[Series], *, without_reiserfs: bool) -> Row:
    middles = {one.filesystem: ratio(one, operation).middle for one in series}
    then = {name: middles[name] for name in STUDIED_THEN if name in middles}
    average = f"{mean(then.values()):.2f}"
    if without_reiserfs:
        average += (
            f" ({mean(value for name, value in then.items() if name != 'reiserfs'):.2f} without ReiserFS)"
        )
    cells = tuple(f"**{middles[name]:.2f}**" if name in middles else UNKNOWN for name in FILESYSTEMS)
    return Row("**here**", cells, f"{min(then.values()):.2f}", f"{max(then.values()):.2f}", average)


def _each(what: str, by_name: dict[str, Series], cell: Callable[[Series], str]) -> Row:
    return Row(what, tuple(cell(by_name[name]) if name in by_name else UNKNOWN for name in FILESYSTEMS))


def _theirs(card: Measurement) -> Row:
    """Return the study's results: best and worst, one of them, or only figures."""
    figures = dict(card.figures)
    named = [value for name, value in card.figures if name in FILESYSTEMS]
    least = figures.get("least", min(named) if len(named) > 1 else None)
    most = figures.get("most", max(named, default=None))
    average = _number(figures.get("mean"))
    if "mean without reiserfs" in figures:
        average += f" ({figures['mean without reiserfs']:.2f} without ReiserFS)"
    return Row(
        _machine(card),
        tuple(_number(figures.get(name)) for name in FILESYSTEMS),
        _number(least),
        _number(most),
        average,
    )


def _cards(drive: str, operation: Operation, study: EvidenceFile) -> list[Measurement]:
    """Return the ratio on one of the study's drives. Two drives have no separate figures for reads."""
    wanted = {f"alignment-{drive}-{operation}"}
    if operation in (Operation.READ_SMALL, Operation.READ_LARGE):
        wanted.add(f"alignment-{drive}-read")
    return [card for card in study.measurements if card.id in wanted]


def _machine(card: Measurement) -> str:
    """Return the drive, without size and neighbours, and the kernel."""
    return f"{str(card.hardware).split(' TB')[0].rpartition(' ')[0]}, Linux {card.kernel}, {card.era}"


def _by_trial(study: EvidenceFile) -> str:
    """Return the results of the program's command beside the study's for writing small files."""
    found_of = {name: trials.kept(trials.of_start(name)) for name in trials.FILESYSTEMS}
    verdicts = {name: verdict for name, verdict in found_of.items() if verdict is not None}
    phases = dict.fromkeys(
        phase.phase
        for verdict in verdicts.values()
        for phase in verdict.comparisons[0].phases
        if phase.load == trials.LOAD_SHOWN
    )
    cards = [card for drive in DRIVES for card in _cards(drive, Operation.WRITE_SMALL, study)]
    header = ("", "all phases", "rounds", *phases, *(f"{_machine(card)}: small files" for card in cards))
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for name, verdict in verdicts.items():
        (one,) = verdict.comparisons
        found = {phase.phase: phase.estimate for phase in one.phases if phase.load == trials.LOAD_SHOWN}
        theirs = [_number(dict(card.figures).get(name)) for card in cards]
        cells = (
            _factor(one.ratio),
            str(one.rounds),
            *(_number(found.get(phase)) for phase in phases),
            *theirs,
        )
        lines.append(f"| {' | '.join((NAMES.get(name, name), *cells))} |")
    command = f"diskwright trial --workload {trials.MISALIGNED_WORKLOAD} --fs NAME --misaligned"
    text = f"""The same question by `{command}`, on such a drive with
{trials.PACE.requests_per_second} requests a second: each filesystem against itself, from an aligned
sector and from where sector {MISALIGNED} starts. In brackets the interval of 95 %. The phases are those of
its load {trials.LOAD_SHOWN}; they are means, and no claims. Each ends with an unmount, which writes: so
none only reads."""
    return "## By diskwright's own trial\n\n" + _wrapped(text) + "\n\n" + "\n".join(lines)


def _factor(found: TrialRatio | None) -> str:
    return UNKNOWN if found is None else f"**{found.estimate:.2f}** ({found.low:.2f}-{found.high:.2f})"


def _raw(series: Sequence[Series]) -> str:
    lines = [
        f"- [{one.filesystem}](alignment-{one.filesystem}.json): `{' '.join(one.make)}`; "
        f"{one.setting.tools[-1]}"
        for one in series
    ]
    common = "; ".join(series[0].setting.tools[:-1])
    return (
        "## Raw results\n\n"
        + "\n".join(lines)
        + f"\n- [the two instruments](alignment-instruments.json)\n\nWith {common}."
    )


def _seconds(series: Series, operation: Operation) -> float:
    return median(one.seconds for one in at(series, operation, ALIGNED))


def _blocks(series: Sequence[Series]) -> str:
    return (
        f"logical blocks of {series[0].setting.logical_block_bytes} bytes, physical of "
        f"{series[0].setting.physical_block_bytes}"
    )


def _number(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.2f}"


def _spread(found: Ratio) -> str:
    return f"{found.least:.2f}-{found.most:.2f}"


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f}"


def _span(values: Sequence[str]) -> str:
    return values[0] if len(set(values)) == 1 else f"{values[0]} to {values[-1]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
