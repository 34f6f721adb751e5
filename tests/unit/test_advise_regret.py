"""The table of what the advice costs: its sums, its direction, and that nothing unkind can be left out of
it."""

from dataclasses import replace

import pytest

from tests import regret
from wizard.advise.evidence import load_evidence
from wizard.advise.workloads import Measured, Profile, load_workloads
from wizard.model.advice import Evidence
from wizard.model.said import ProfileText


def card(name: str, *figures: tuple[str, float], lower: bool = True) -> Evidence:
    return Evidence(name, "A test", "a study", "2010", "2.6", "a disk", "s", lower, figures)


@pytest.fixture(scope="module")
def profiles() -> tuple[Profile, ...]:
    return load_workloads()


def of(profiles: tuple[Profile, ...], name: str) -> Profile:
    return next(profile for profile in profiles if profile.workload.id == name)


def test_it_is_the_best_living_one_over_the_advised_one_whichever_way_is_better() -> None:
    times = card("times", ("ext4", 12.0), ("xfs", 10.0), ("reiserfs", 1.0), ("mean", 0.5))
    rates = replace(times, lower_is_better=False)
    assert regret.regret_of(times, "ext4") == regret.Regret(times, "xfs", 1.2)
    assert regret.regret_of(rates, "xfs") == regret.Regret(rates, "ext4", 1.2)
    assert regret.regret_of(rates, "ext4") == regret.Regret(rates, "ext4", 1.0)
    assert regret.regret_of(times, "btrfs") is None
    assert regret.regret_of(card("alone", ("ext4", 1.0), ("ext3", 0.1)), "ext4") is None


def test_a_row_sums_up_and_counts_what_has_no_figure_of_the_advised_one(
    profiles: tuple[Profile, ...],
) -> None:
    measured = (
        card("a", ("ext4", 4.0), ("xfs", 1.0)),
        card("b", ("ext4", 1.0), ("xfs", 2.0)),
        card("c", ("btrfs", 1.0), ("xfs", 2.0)),
    )
    (row,) = regret.rows(
        replace(
            of(profiles, "mail"),
            measured=Measured(measured, ProfileText("It is so.")),
            measured_shingled=Measured(),
        )
    )
    assert row.advised == "ext4" and row.why == "It is so."
    assert row.mean == pytest.approx(2.0) and row.worst.times == 4.0
    assert [silent.id for silent in row.silent] == ["c"]


def test_the_bundled_workloads_have_no_fault(profiles: tuple[Profile, ...]) -> None:
    assert not list(regret.faults(profiles, load_evidence()))


def test_what_would_make_the_table_flatter_is_a_fault(profiles: tuple[Profile, ...]) -> None:
    evidence = load_evidence()
    media, mail = of(profiles, "large-media"), of(profiles, "mail")
    silent = replace(media, measured=replace(media.measured, regret=ProfileText("")))
    assert "large-media: regret does not say why 1.44 is borne in choice-04-copy-large." in regret.faults(
        (silent,), evidence
    )
    boast = replace(mail, measured=replace(mail.measured, regret=ProfileText("No need.")))
    assert "mail: regret gives a reason for what need not be borne." in regret.faults((boast,), evidence)
    hidden = tuple(
        replace(one, measured=Measured(one.measured.figures[1:], one.measured.regret))
        if one == media
        else one
        for one in profiles
    )
    assert list(regret.faults(hidden, evidence)) == [
        "large-media cites choice-04-copy-large for a place, and does not name it as measured."
    ]
    assert (
        "choice-32-bonnie-read compares filesystems of today and is named by no workload."
        in regret.faults((mail,), evidence)
    )
