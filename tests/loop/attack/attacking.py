"""Helpers for attacks: consistent forged plans, and checks that victims stay unchanged."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from msgspec.structs import replace

from tests.loop.applying import Work, ended, story
from tests.loop.program import DiskwrightError, Environment, Plan, Volume
from tests.unit.plan.layouts import rederived
from wizard.model.geometry import Identity
from wizard.plan.check import places_in
from wizard.plan.derive import wipes_of


def forged(plan: Plan, drive: Identity, volumes: Sequence[Volume]) -> Plan:
    """Return the plan for another drive and other volumes, with all texts, table and steps derived again,
    like an attacker who knows the code."""
    made = replace(plan, drive=drive, volumes=tuple(volumes))
    before = plan.before
    places = replace(places_in(plan), wipes=wipes_of(drive.path, before, False))
    return rederived(made, places)


@contextmanager
def unharmed(work: Work, *victims: str) -> Iterator[None]:
    """Check that the victims stay unchanged."""
    before = [work.digest(victim) for victim in victims]
    yield
    assert [work.digest(victim) for victim in victims] == before


def fails(work: Work, plan: Plan, match: str, environment: Environment | None = None) -> None:
    """Check that the plan is refused or its run ends early, with this text in the message."""
    try:
        run = work.start(plan, environment)
    except DiskwrightError as error:
        said = str(error)
    else:
        assert ended(run) in ("failed", "refused"), story(run)
        said = story(run)
    if match not in said:
        pytest.fail(f"{match!r} is not in {said}")
