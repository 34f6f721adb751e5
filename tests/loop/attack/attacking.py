"""Helpers for attacks: consistent forged plans, and checks that victims stay unchanged."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tests.loop.applying import Work, ended, story
from tests.loop.program import DiskwrightError, Environment, Extent, Plan, Volume
from wizard.model.geometry import Identity
from wizard.operations.operation import Context
from wizard.operations.table import WriteTable
from wizard.plan.derive import layout_after, operations_of, table_after, wipes_of
from wizard.plan.free_space import gpt_bounds
from wizard.plan.steps import steps_of


def forged(plan: Plan, drive: Identity, volumes: Sequence[Volume]) -> Plan:
    """Return the plan for another drive and other volumes, with all texts, table and steps derived again,
    like an attacker who knows the code."""
    old = next(step.operation for step in plan.steps if isinstance(step.operation, WriteTable))
    extents = [Extent(entry.start_bytes, entry.size_bytes) for entry in old.entries]
    table = table_after(drive.path, plan.before, volumes, extents, fresh="gpt")
    after = layout_after(plan.before, table, volumes, gpt_bounds(drive.size_bytes, drive.geometry))
    operations = operations_of(wipes_of(drive.path, plan.before, False), table, volumes, plan.drive.geometry)
    return replace(
        plan,
        drive=drive,
        after=after,
        volumes=tuple(volumes),
        steps=steps_of(operations, Context(drive, plan.before, after)),
    )


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
