"""`python -m tests.regret [--check]`: the cost of the advice by the tables of the studies, for
docs/advice.md.

A measurement counts for a workload that lists it in `measured` or `measured_shingled` and if it has figures
of the advised filesystem and of another that diskwright creates. Regret is the best figure divided by the
advised one's, inverted if more is better: 1.00 if the advised one is the best. Filesystems that are only
recognised do not count, nor do configurations (`mean`).

Comparable measurements with enough runs are listed separately, with their spread. A second table has our own
benchmarks (tests/lab/restudy/trials.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from math import exp, fsum, log

from tests.lab.restudy.timings import RESULTS
from tests.readme import renew
from tests.verdicts import read_verdict
from wizard.advice.evidence import load_evidence
from wizard.advice.workloads import Profile, load_workloads
from wizard.benchmark.candidates.compare import TimeRatio, TrialFinding, TrialVerdict
from wizard.documents.profiles import BUNDLED
from wizard.filesystems.registry import KINDS, MADE
from wizard.model.advice import FEWEST_RUNS, Evidence

AIM = 1.05
"""From here on the profile must say why."""

MOST_WORDS = 20
"""Of the sentence that says why another one is shown to be better; it is seen on the screens."""

OUTSIDE = {
    "alignment-*": "how much a filesystem loses on a misaligned partition, not how fast it is",
    "choice-01-*": "making a filesystem, which is done once",
    "choice-02-*": "mounting, which takes less than a tenth of a second",
    "choice-03-*": "unmounting, which takes less than a tenth of a second",
    "choice-07-*": "a tenth of a second for an archive of hundreds of megabytes is the speed of memory",
}
"""Measurements of several filesystems of today that are no workload's, and why."""


@dataclass(frozen=True, slots=True)
class Regret:
    """A measurement: how many times better the best current filesystem is than the advised one, at least
    1.0. `low` and `high` are the same for the closest and the farthest runs, or None without known runs."""

    card: Evidence
    best: str
    times: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A workload on drives in general or on shingled ones. `silent` are measurements without a figure of
    the advised filesystem."""

    workload: str
    shingled: bool
    advised: str
    regrets: tuple[Regret, ...]
    silent: tuple[Evidence, ...]
    why: str

    @property
    def worst(self) -> Regret:
        """Measurement with the highest regret."""
        return worst_of(self.regrets)

    @property
    def sound(self) -> tuple[Regret, ...]:
        """Measurements that support a conclusion."""
        return tuple(regret for regret in self.regrets if is_sound(regret, self.advised))

    @property
    def doubtful(self) -> tuple[Regret, ...]:
        """Measurements with different figures that another run might reverse."""
        return tuple(regret for regret in self.regrets if not is_sound(regret, self.advised))

    @property
    def beaten(self) -> tuple[Regret, ...]:
        """Measurements where another filesystem is better beyond the spread and by more than the aim."""
        return tuple(
            one for one in self.regrets if one.times > AIM and one.card.shows(one.best, self.advised)
        )


def living(card: Evidence) -> dict[str, float]:
    """Return the figures of filesystems that diskwright creates."""
    return {name: value for name, value in card.figures if name in MADE}


def regret_of(card: Evidence, advised: str) -> Regret | None:
    """Return the regret of `advised` in this measurement, or None without a figure of that filesystem or
    of another."""
    figures = living(card)
    if advised not in figures or len(figures) < 2:
        return None
    best = (min if card.lower_is_better else max)(figures, key=lambda name: figures[name])
    times = _over(card, figures[best], figures[advised])
    runs = dict(card.runs)
    if best == advised or not {best, advised} <= runs.keys():
        return Regret(card, best, times)
    apart = [_over(card, first, then) for first in runs[best] for then in runs[advised]]
    return Regret(card, best, times, min(apart), max(apart))


def _over(card: Evidence, better: float, worse: float) -> float:
    return worse / better if card.lower_is_better else better / worse


def is_sound(regret: Regret, advised: str) -> bool:
    """Return True if the best and the advised filesystem have enough comparable runs, and at least two
    filesystems do."""
    runs = {name: len(values) for name, values in regret.card.runs if name in living(regret.card)}
    often = {name for name, count in runs.items() if count >= FEWEST_RUNS}
    return regret.card.like_for_like and {regret.best, advised} <= often and len(often) > 1


def worst_of(regrets: tuple[Regret, ...]) -> Regret:
    """Return the highest regret."""
    return max(regrets, key=lambda regret: regret.times)


def mean_of(regrets: tuple[Regret, ...]) -> float:
    """Return the geometric mean, since regrets are ratios."""
    return exp(fsum(log(regret.times) for regret in regrets) / len(regrets))


def rows(profile: Profile) -> Iterator[Row]:
    """Yield the rows of a profile with measurements that compare the advised filesystem with others."""
    for shingled, ranking in ((False, profile.usual), (True, profile.shingled)):
        advised, cards = ranking.recommended, ranking.figures
        silent = tuple(card for card in cards if advised not in living(card) and len(living(card)) > 1)
        if regrets := tuple(filter(None, (regret_of(card, advised) for card in cards))):
            yield Row(profile.workload.id, shingled, advised, regrets, silent, ranking.regret.english)


def faults(profiles: tuple[Profile, ...], evidence: dict[str, Evidence]) -> Iterator[str]:
    """Yield a sentence for each omission that would flatter the advice."""
    for row in (row for profile in profiles for row in rows(profile)):
        yield from _unsaid(row)
    told = {card.id for profile in profiles for card in (*profile.usual.figures, *profile.shingled.figures)}
    for card in evidence.values():
        comparable, outside = len(living(card)) > 1, any(fnmatch(card.id, pattern) for pattern in OUTSIDE)
        if comparable and card.id not in told and not outside:
            yield f"{card.id} compares filesystems of today and is named by no workload."
        if outside and card.id in told:
            yield f"{card.id} is named by a workload, though it is listed as none's."
    for profile in profiles:
        measured = (*profile.usual.figures, *profile.shingled.figures)
        cited = {
            card
            for standing in (*profile.usual.choices, *profile.shingled.choices)
            for card in standing.evidence
        }
        for card in sorted(cited, key=lambda card: card.id):
            if len(living(card)) > 1 and card not in measured:
                yield f"{profile.workload.id} cites {card.id} for a place, and does not name it as measured."


def _unsaid(row: Row) -> Iterator[str]:
    """Yield the missing and superfluous explanations of a row."""
    key = f"{row.workload}: regret{'_shingled' if row.shingled else ''}"
    if row.worst.times > AIM and not row.why:
        yield f"{key} does not say why {row.worst.times:.2f} is borne in {row.worst.card.id}."
    if row.worst.times <= AIM and row.why:
        yield f"{key} gives a reason for what need not be borne."
    for one in row.beaten:
        named = f"{KINDS[one.best].title} did {one.times:.2f} times the work"
        if named not in row.why or len(row.why.split()) > MOST_WORDS:
            yield f"{key} does not say in one sentence: {named}, and why that is borne."


def table(found: list[Row], without: list[str]) -> str:
    """Return the table for the page: sound measurements, doubtful ones, reasons, and omissions."""
    return "\n".join(
        (
            "### Like for like, and run often enough",
            "",
            *_sound(found),
            "",
            "### In doubt: one run of each, or not like for like",
            "",
            *_doubtful(found),
            "",
            "### Why a filesystem is advised that another one beats",
            "",
            *(f"- `{row.workload}`, {_drive(row)}: {row.why}" for row in found if row.why),
            "",
            "<details><summary>Every measurement above 1.00</summary>",
            "",
            *_measurements(found),
            "",
            "</details>",
            "",
            f"No study compares two filesystems of today for {', '.join(f'`{name}`' for name in without)}. "
            "Left out of all workloads:",
            *(f"- `{pattern}`: {why}" for pattern, why in OUTSIDE.items()),
        )
    )


def _sound(found: list[Row]) -> Iterator[str]:
    yield "| workload | drive | advised | runs | best | runs | regret | all runs | measurement |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in found:
        for one in row.sound:
            runs = {name: len(values) for name, values in one.card.runs}
            best, advised = KINDS[one.best].title, KINDS[row.advised].title
            yield (
                f"| `{row.workload}` | {_drive(row)} | {advised} | {runs[row.advised]} | {best} | "
                f"{runs[one.best]} | {one.times:.2f} | {_spread(one)} | {one.card.title} |"
            )


def _spread(one: Regret) -> str:
    return "" if one.low is None or one.high is None else f"{one.low:.2f} to {one.high:.2f}"


def _doubtful(found: list[Row]) -> Iterator[str]:
    yield "| workload | drive | advised | measurements | mean | worst | worst in | in doubt because |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in found:
        if not row.doubtful:
            continue
        worst = worst_of(row.doubtful)
        count = f"{len(row.doubtful)}{f' + {len(row.silent)} without it' if row.silent else ''}"
        told = f"{worst.card.title}, against {KINDS[worst.best].title}" if worst.times > 1 else ""
        yield (
            f"| `{row.workload}` | {_drive(row)} | {KINDS[row.advised].title} | {count} | "
            f"{mean_of(row.doubtful):.2f} | {worst.times:.2f} | {told} | {_doubt(row.doubtful)} |"
        )


def _doubt(regrets: tuple[Regret, ...]) -> str:
    unlike = any(not one.card.like_for_like for one in regrets)
    return "one run of each" + (", not like for like" if unlike else "")


def _drive(row: Row) -> str:
    return "shingled" if row.shingled else "not shingled"


def _measurements(found: list[Row]) -> Iterator[str]:
    yield "| workload | drive | measurement | best | advised | regret |"
    yield "|---|---|---|---|---|---|"
    for row in found:
        for one in row.regrets:
            if f"{one.times:.2f}" != "1.00":
                figures = living(one.card)
                best = f"{KINDS[one.best].title} {figures[one.best]:,} {one.card.unit}"
                advised = f"{KINDS[row.advised].title} {figures[row.advised]:,}"
                yield (
                    f"| `{row.workload}` | {_drive(row)} | {one.card.title} | {best} | {advised} | "
                    f"{one.times:.2f} |"
                )


SAYS = {
    TrialFinding.FASTER: "advice confirmed",
    TrialFinding.SLOWER: "the other was faster here",
    TrialFinding.SAME: "no measurable difference",
    TrialFinding.OPEN: "undecided",
}


def tried(verdicts: list[TrialVerdict]) -> str:
    """Return the table of our own benchmarks: each filesystem compared with the advised one."""
    lines = [
        "| workload | loads | advised | against | regret | 95 % | rounds | it says |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for verdict in verdicts:
        names = {one.id: KINDS[one.filesystem].title for one in verdict.candidates}
        loads = ", ".join(f"`{load}`" for load in verdict.loads)
        for one in verdict.comparisons:
            lines.append(
                f"| `{verdict.workload}` | {loads} | {names[verdict.planned]} | {names[one.candidate]} | "
                f"{_turned(one.ratio)} | {one.rounds} | {SAYS[one.finding]} |"
            )
    return "\n".join(lines)


def _turned(ratio: TimeRatio | None) -> str:
    """Return the advised filesystem's time divided by the other's, as in the table of the studies."""
    if ratio is None:
        return "|"
    return f"{1 / ratio.estimate:.2f} | {1 / ratio.high:.2f} to {1 / ratio.low:.2f}"


def kept_trials() -> list[TrialVerdict]:
    """Return the documents of `diskwright trial` in tests/lab/results."""
    return [
        read_verdict(path.read_text(encoding="utf-8"), path.name, TrialVerdict)
        for path in sorted(RESULTS.glob("trial-*.json"))
    ]


def main() -> None:
    """Renew or check the tables of the page."""
    profiles, evidence = load_workloads(), load_evidence()
    if any(not profile.workload.origin.startswith(str(BUNDLED)) for profile in profiles):
        raise SystemExit("there are workloads of your own here; docs/advice.md tells of the bundled ones")
    if wrong := list(faults(profiles, evidence)):
        raise SystemExit("\n".join(wrong))
    found = [row for profile in profiles for row in rows(profile)]
    without = [
        profile.workload.id
        for profile in profiles
        if not any(row.workload == profile.workload.id for row in found)
    ]
    renew("regret", table(found, without), "python -m tests.regret")
    renew("trials", tried(kept_trials()), "python -m tests.regret")


if __name__ == "__main__":
    main()
