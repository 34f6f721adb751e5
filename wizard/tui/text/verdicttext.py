"""A measurement as text and bars."""

from statistics import median

from rich.text import Text

from wizard.model.names import printable
from wizard.model.units import format_duration, format_nanoseconds
from wizard.model.verdict import Outcome, Verdict
from wizard.trial.measure import Progress
from wizard.tui.widgets.words import Block, gap, para

INKS = {
    Outcome.ALIGNED_FASTER: "yellow",
    Outcome.NO_DIFFERENCE: "green",
    Outcome.INCONCLUSIVE: "cyan",
    Outcome.NOT_POSSIBLE: "cyan",
}


def verdict_blocks(verdict: Verdict) -> list[Block]:
    """The sentence, the two medians as bars, the spread, the caveats."""
    blocks: list[Block] = [para(printable(verdict.sentence, 400), INKS[verdict.outcome])]
    if verdict.pairs:
        blocks += [gap(), *measured_blocks(verdict)]
    if verdict.caveats:
        blocks += [gap(), *(para("- " + printable(caveat, 400), hang=2) for caveat in verdict.caveats)]
    return blocks


def measured_blocks(verdict: Verdict) -> list[Block]:
    """What the pairs say: the medians, the spread, how many there are; nothing where none was measured."""
    if not verdict.pairs:
        return []
    doing = "writing" if verdict.access == "write" else "reading"
    count = para(
        f"{len(verdict.pairs)} pairs of {verdict.block_bytes} bytes by {doing}, {verdict.seconds:.0f} s."
    )
    return [_Medians(verdict), gap(), _Spread(verdict), count]


def progress_blocks(progress: Progress, budget_seconds: float) -> list[Block]:
    """A bar, the time left and the answer so far."""
    left = max(0.0, progress.seconds_left)
    share = 1 - left / budget_seconds
    so_far = (
        f"misaligned takes {progress.estimate:.2f} times as long so far"
        if progress.estimate
        else "nothing to say so far"
    )
    blocks: list[Block] = [
        para(f"Measuring: at most {format_duration(left)} left, {progress.pairs} pairs, {so_far}."),
        lambda width: [bar_text(share, min(60, width))],
    ]
    return blocks


def bar_text(share: float, width: int) -> Text:
    """`████░░░░  40 %`."""
    room = max(4, width - 7)
    full = max(0, min(room, round(room * share)))
    return (
        Text("█" * full, "cyan")
        .append("░" * (room - full), "default")
        .append(f" {100 * min(1, max(0, share)):3.0f} %", "default")
    )


class _Medians:
    """What a usual access takes, aligned and misaligned."""

    def __init__(self, verdict: Verdict) -> None:
        self.times = (
            ("aligned", median(pair.aligned_ns for pair in verdict.pairs), "green"),
            ("misaligned", median(pair.misaligned_ns for pair in verdict.pairs), "yellow"),
        )

    def __call__(self, width: int) -> list[Text]:
        most = max(time for _, time, _ in self.times) or 1
        room = min(60, max(4, width - 26))
        return [
            Text(f"{name:<11} ")
            .append("█" * max(1, round(room * time / most)), ink)
            .append(f" {format_nanoseconds(time)}", "default")
            for name, time, ink in self.times
        ]


class _Spread:
    """How often a pair came out with which factor: one line for each range."""

    EDGES = (0.0, 0.5, 0.8, 0.95, 1.05, 1.25, 2.0, 4.0)

    def __init__(self, verdict: Verdict) -> None:
        ratios = [pair.misaligned_ns / max(1, pair.aligned_ns) for pair in verdict.pairs]
        tops = (*self.EDGES[1:], float("inf"))
        self.counts = [
            sum(low <= ratio < high for ratio in ratios) for low, high in zip(self.EDGES, tops, strict=True)
        ]

    def __call__(self, width: int) -> list[Text]:
        most = max(self.counts) or 1
        room = min(48, max(4, width - 32))
        lines = [Text("How many pairs showed which factor (misaligned over aligned)")]
        for index, count in enumerate(self.counts):
            low = self.EDGES[index]
            name = f"{low:g} to {self.EDGES[index + 1]:g}" if index + 1 < len(self.EDGES) else f"over {low:g}"
            lines.append(
                Text(f"  {name:<13} ")
                .append("█" * round(room * count / most), "cyan")
                .append(f" {count}", "default")
            )
        return lines
