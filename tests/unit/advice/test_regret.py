"""The table of regrets of the advice: sums, direction and completeness."""

import pytest
from msgspec.structs import replace

from tests import regret
from tests.unit.benchmark.trials import FASTER, OPEN, SAME, SLOWER, verdict
from wizard.advice.evidence import load_evidence
from wizard.advice.workloads import Profile, load_workloads
from wizard.benchmark.candidates.compare import FEWEST
from wizard.model.advice import Evidence
from wizard.model.said import ProfileText


def card(name: str, *figures: tuple[str, float], lower: bool = True) -> Evidence:
    return Evidence(name, "A test", "a study", "2010", "2.6", "a disk", "s", lower, figures)


@pytest.fixture(scope="module")
def profiles() -> tuple[Profile, ...]:
    return load_workloads()


def of(profiles: tuple[Profile, ...], name: str) -> Profile:
    return next(profile for profile in profiles if profile.workload.id == name)


def test_regret_is_the_best_alternative_over_the_recommended_one() -> None:
    times = card("times", ("ext4", 12.0), ("xfs", 10.0), ("reiserfs", 1.0), ("mean", 0.5))
    rates = replace(times, lower_is_better=False)
    assert regret.regret_of(times, "ext4") == regret.Regret(times, "xfs", 1.2)
    assert regret.regret_of(rates, "xfs") == regret.Regret(rates, "ext4", 1.2)
    assert regret.regret_of(rates, "ext4") == regret.Regret(rates, "ext4", 1.0)
    assert regret.regret_of(times, "btrfs") is None
    assert regret.regret_of(card("alone", ("ext4", 1.0), ("ext3", 0.1)), "ext4") is None


def test_row_sums_up_and_counts_missing_figures(
    profiles: tuple[Profile, ...],
) -> None:
    measured = (
        card("a", ("ext4", 4.0), ("xfs", 1.0)),
        card("b", ("ext4", 1.0), ("xfs", 2.0)),
        card("c", ("btrfs", 1.0), ("xfs", 2.0)),
    )
    profile = of(profiles, "mail")
    (row,) = regret.rows(
        replace(
            profile,
            usual=replace(profile.usual, figures=measured, regret=ProfileText("It is so.")),
            shingled=replace(profile.shingled, figures=()),
        )
    )
    assert row.advised == "ext4" and row.why == "It is so."
    assert regret.mean_of(row.regrets) == pytest.approx(2.0) and row.worst.times == 4.0
    assert [silent.id for silent in row.silent] == ["c"]


def test_bundled_workloads_have_no_fault(profiles: tuple[Profile, ...]) -> None:
    assert not list(regret.faults(profiles, load_evidence()))


def test_hidden_or_unexplained_cost_is_a_fault(profiles: tuple[Profile, ...]) -> None:
    evidence = load_evidence()
    media, mail = of(profiles, "large-media"), of(profiles, "mail")
    silent = replace(media, usual=replace(media.usual, regret=ProfileText("")))
    assert "large-media: regret does not say why 1.44 is borne in choice-04-copy-large." in regret.faults(
        (silent,), evidence
    )
    boast = replace(mail, usual=replace(mail.usual, regret=ProfileText("No need.")))
    assert "mail: regret gives a reason for what need not be borne." in regret.faults((boast,), evidence)
    hidden = tuple(
        replace(one, usual=replace(one.usual, figures=one.usual.figures[1:])) if one == media else one
        for one in profiles
    )
    assert list(regret.faults(hidden, evidence)) == [
        "large-media cites choice-04-copy-large for a place, and does not name it as measured."
    ]
    assert (
        "choice-32-bonnie-read compares filesystems of today and is named by no workload."
        in regret.faults((mail,), evidence)
    )


def test_cost_of_advice_on_a_shingled_drive_is_comparable(profiles: tuple[Profile, ...]) -> None:
    """Cards with incomparable figures once gave regrets up to 4.38: other volume sizes, the longest wait
    of one run, closed-loop appends."""
    found = [regret_of for profile in profiles for row in regret.rows(profile) for regret_of in row.regrets]
    shingled = [one for one in found if one.card.id.startswith("shingled-")]
    assert shingled and max(one.times for one in shingled) < 2
    for one in shingled:
        assert not {"longest", "latency"} & set(one.card.id.split("-")), one.card.id
        assert ("nilfs2" in dict(one.card.figures)) <= ("8 TB" in str(one.card.title)), one.card.id


def often(name: str, *runs: tuple[str, tuple[float, ...]], alike: bool = True) -> Evidence:
    means = tuple((filesystem, sum(values) / len(values)) for filesystem, values in runs)
    return replace(card(name, *means, lower=False), runs=runs, like_for_like=alike)


def test_spread_pairs_every_run_with_every_run() -> None:
    found = regret.regret_of(often("a", ("ext4", (10.0, 8.0, 9.0)), ("btrfs", (12.0, 16.0, 14.0))), "ext4")
    assert found and (found.best, found.low, found.high) == ("btrfs", 1.2, 2.0)
    assert found.times == pytest.approx(14 / 9)
    once = regret.regret_of(card("b", ("ext4", 12.0), ("btrfs", 10.0)), "ext4")
    assert once and once.low is once.high is None


def test_single_or_incomparable_runs_are_listed_separately(profiles: tuple[Profile, ...]) -> None:
    apart = (("ext4", (10.0, 9.0, 8.0)), ("btrfs", (12.0, 13.0, 14.0)))
    overlapping = (("ext4", (10.0, 9.0, 8.0)), ("btrfs", (9.5, 13.0, 14.0)))
    measured = (
        often("beaten", *apart),
        often("within-the-spread", *overlapping),
        often("other-conditions", *apart, alike=False),
        often("too-seldom", ("ext4", (10.0, 9.0)), ("btrfs", (12.0, 13.0))),
        card("once", ("ext4", 12.0), ("btrfs", 10.0)),
    )
    mail = of(profiles, "mail")
    one = replace(
        mail,
        usual=replace(mail.usual, figures=measured, regret=ProfileText("No.")),
        shingled=replace(mail.shingled, figures=()),
    )
    (row,) = regret.rows(one)
    assert [found.card.id for found in row.sound] == ["beaten", "within-the-spread"]
    assert [found.card.id for found in row.doubtful] == ["other-conditions", "too-seldom", "once"]
    assert [found.card.id for found in row.beaten] == ["beaten"]
    fault = "mail: regret does not say in one sentence: Btrfs did 1.44 times the work, and why that is borne."
    assert fault in regret.faults((one,), {})
    told = ProfileText("Btrfs did 1.44 times the work; ext4 is easily repaired.")
    assert fault not in regret.faults((replace(one, usual=replace(one.usual, regret=told)),), {})


def test_trial_reports_the_cost_as_the_studies_do() -> None:
    """Above 1.00, the other filesystem was faster. Inconclusive benchmarks support no claim."""
    lines = regret.tried([verdict(logs) for logs in (FASTER, SLOWER, SAME, OPEN)]).splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [row[:4] for row in cells] == [["`small-files`", "`kernel-tree`, `large-file`", "ext4", "XFS"]] * 4
    assert [row[4] for row in cells[:3]] == ["0.76", "1.31", "1.00"] and [row[6] for row in cells] == [
        "6"
    ] * 4
    assert [row[7] for row in cells] == [
        "advice confirmed",
        "the other was faster here",
        "no measurable difference",
        "undecided",
    ]
    for row in cells:
        low, high = map(float, row[5].split(" to "))
        assert low <= float(row[4]) <= high


def test_kept_trials_ran_enough_rounds() -> None:
    kept = regret.kept_trials()
    assert kept and all(one.rounds >= FEWEST for trial in kept for one in trial.comparisons)
    assert not any(trial.busy for trial in kept)
