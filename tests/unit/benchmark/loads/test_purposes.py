"""The loads for benchmarking a workload."""

import pytest

from tests.unit.machines import WORKLOADS
from wizard.advice.workloads import find_workload
from wizard.benchmark.loads.load_table import LOADS, PROGRAMS


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_workload_has_existing_loads(workload: str) -> None:
    trial = find_workload(workload).trial
    assert trial and len(set(trial)) == len(trial)
    assert all(name in LOADS and name not in PROGRAMS for name in trial)
