"""libparted's binding is required. In a virtual environment, the error explains why it is invisible."""

import sys

import pytest

from tests.unit.machines import drive
from tests.unit.plan.layouts import plan_for, spec
from wizard.apply.plan import guard
from wizard.model.errors import Refused


@pytest.mark.parametrize("environment", [True, False])
def test_missing_libparted_binding_is_explained(environment: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "find", lambda name: f"/sbin/{name}")
    monkeypatch.setattr(guard, "find_spec", lambda _: None)
    monkeypatch.setattr(
        sys, "prefix", "/home/anna/.local/pipx/venvs/diskwright" if environment else sys.base_prefix
    )
    with pytest.raises(Refused) as refused:
        guard.check_tools(plan_for(drive(), spec("ext4")))
    said = str(refused.value)
    assert "libparted binding" in said and said.endswith("Nothing was written.")
    assert ("--system-site-packages" in said) is environment
