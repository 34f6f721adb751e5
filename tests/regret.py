"""`python -m tests.regret [--check]`: what the advice costs by the studies' own tables, for docs/advice.md.

A measurement counts for a workload that names it in `measured` or `measured_shingled` and where it has a
figure of the advised filesystem and of another that is made today. Its regret is the best figure over the
advised one's, turned round where more is better: 1.00 where the advised one is the best. Filesystems that are
only recognised do not count, nor do configurations (`mean`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from math import exp, fsum, log

from tests.readme import renew
from wizard.advise.evidence import load_evidence
from wizard.advise.workloads import Measured, Profile, load_workloads
from wizard.documents.profiles import BUNDLED
from wizard.filesystems.registry import KINDS, MADE
from wizard.model.advice import Evidence, Place

AIM = 1.05
"""From here on the profile must say why."""

OUTSIDE = {
    "alignment-*": "how much a filesystem loses on a misaligned partition, not how fast it is",
    "choice-01-*": "making a filesystem, which is done once",
    "choice-02-*": "mounting, which takes less than a tenth of a second",
    "choice-03-*": "unmounting, which takes less than a tenth of a second",
    "choice-07-*": "a tenth of a second for an archive of hundreds of megabytes is the speed of memory",
    "*-append-processor": "the processor's time, not how long the work takes",
}
"""Measurements of several filesystems of today that are no workload's, and why."""


@dataclass(frozen=True, slots=True)
class Regret:
    """One measurement: how many times better the best living filesystem did than the advised one; 1.0 at
    least."""

    card: Evidence
    best: str
    times: float


@dataclass(frozen=True, slots=True)
class Row:
    """A workload on drives in general, or on shingled ones. `silent` are the measurements without a figure of
    the advised filesystem."""

    workload: str
    shingled: bool
    advised: str
    regrets: tuple[Regret, ...]
    silent: tuple[Evidence, ...]
    why: str

    @property
    def mean(self) -> float:
        """The geometric mean, since these are ratios."""
        return exp(fsum(log(regret.times) for regret in self.regrets) / len(self.regrets))

    @property
    def worst(self) -> Regret:
        """The measurement in which the advised filesystem does worst."""
        return max(self.regrets, key=lambda regret: regret.times)


def living(card: Evidence) -> dict[str, float]:
    """The figures of filesystems that are made today."""
    return {name: value for name, value in card.figures if name in MADE}


def regret_of(card: Evidence, advised: str) -> Regret | None:
    """What advising `advised` costs by this measurement; None where it has no figure, or there is nothing to
    compare it with."""
    figures = living(card)
    if advised not in figures or len(figures) < 2:
        return None
    best = (min if card.lower_is_better else max)(figures, key=lambda name: figures[name])
    times = figures[advised] / figures[best] if card.lower_is_better else figures[best] / figures[advised]
    return Regret(card, best, times)


def rows(profile: Profile) -> Iterator[Row]:
    """The profile's rows; none where no measurement compares the advised filesystem with another."""
    for shingled, measured in ((False, profile.measured), (True, profile.measured_shingled)):
        row = _row(profile, measured, shingled=shingled)
        if row.regrets:
            yield row


def _row(profile: Profile, measured: Measured, *, shingled: bool) -> Row:
    places = {one.filesystem: (one.shingled if shingled else one.usual).place for one in profile.candidates}
    advised = next(name for name, place in places.items() if place is Place.CHOSEN)
    regrets = tuple(regret for card in measured.figures if (regret := regret_of(card, advised)) is not None)
    silent = tuple(card for card in measured.figures if advised not in living(card) and len(living(card)) > 1)
    return Row(profile.workload.id, shingled, advised, regrets, silent, measured.regret.english)


def faults(profiles: tuple[Profile, ...], evidence: dict[str, Evidence]) -> Iterator[str]:
    """Sentences about what would make the table say less than the truth."""
    for row in (row for profile in profiles for row in rows(profile)):
        key = f"{row.workload}: regret{'_shingled' if row.shingled else ''}"
        if row.worst.times > AIM and not row.why:
            yield f"{key} does not say why {row.worst.times:.2f} is borne in {row.worst.card.id}."
        if row.worst.times <= AIM and row.why:
            yield f"{key} gives a reason for what need not be borne."
    told = {
        card.id
        for profile in profiles
        for card in (*profile.measured.figures, *profile.measured_shingled.figures)
    }
    for card in evidence.values():
        comparable, outside = len(living(card)) > 1, any(fnmatch(card.id, pattern) for pattern in OUTSIDE)
        if comparable and card.id not in told and not outside:
            yield f"{card.id} compares filesystems of today and is named by no workload."
        if outside and card.id in told:
            yield f"{card.id} is named by a workload, though it is listed as none's."
    for profile in profiles:
        cited = {
            card
            for one in profile.candidates
            for standing in (one.usual, one.shingled)
            for card in standing.evidence
        }
        for card in sorted(cited, key=lambda card: card.id):
            if len(living(card)) > 1 and card not in (
                *profile.measured.figures,
                *profile.measured_shingled.figures,
            ):
                yield f"{profile.workload.id} cites {card.id} for a place, and does not name it as measured."


def table(found: list[Row], without: list[str]) -> str:
    """The page's part: the sums, what is behind them, and what is left out."""
    lines = [
        "| workload | drive | advised | measurements | mean | worst | worst in |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in found:
        silent = f" + {len(row.silent)} without it" if row.silent else ""
        worst = (
            f"{row.worst.times:.2f} | {row.worst.card.title}, against {KINDS[row.worst.best].title}"
            if row.worst.times > 1
            else "1.00 |"
        )
        lines.append(
            f"| `{row.workload}` | {_drive(row)} | {KINDS[row.advised].title} | {len(row.regrets)}{silent} | "
            f"{row.mean:.2f} | {worst} |"
        )
    lines += ["", "Why a filesystem is advised that another one beats, as its profile has it:", ""]
    lines += [f"- `{row.workload}`, {_drive(row)}: {row.why}" for row in found if row.why]
    lines += ["", "<details><summary>Every measurement above 1.00</summary>", ""]
    lines += ["| workload | drive | measurement | best | advised | regret |", "|---|---|---|---|---|---|"]
    lines += [
        _measurement(row, regret)
        for row in found
        for regret in row.regrets
        if f"{regret.times:.2f}" != "1.00"
    ]
    lines += ["", "</details>", ""]
    lines.append(
        f"No study compares two filesystems of today for {', '.join(f'`{name}`' for name in without)}. Left "
        "out of all workloads:"
    )
    lines += [f"- `{pattern}`: {why}" for pattern, why in OUTSIDE.items()]
    return "\n".join(lines)


def _drive(row: Row) -> str:
    return "shingled" if row.shingled else "not shingled"


def _measurement(row: Row, regret: Regret) -> str:
    figures = living(regret.card)
    best = f"{KINDS[regret.best].title} {figures[regret.best]:,} {regret.card.unit}"
    advised = f"{KINDS[row.advised].title} {figures[row.advised]:,}"
    return (
        f"| `{row.workload}` | {_drive(row)} | {regret.card.title} | {best} | {advised} | {regret.times:.2f} "
        "|"
    )


def main() -> None:
    """Renew the page's table, or check it."""
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


if __name__ == "__main__":
    main()
