"""An unresponsive drive does not count as unpartitioned during apply."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine, unread
from wizard.apply.steps import step_context
from wizard.model.errors import Failed


def test_unresponsive_drive_fails_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = replace(drive(), unread=(unread("drive", "Did not answer within 60 s."),))
    monkeypatch.setattr(step_context, "probe_machine", lambda paths, seconds: machine(silent))
    with pytest.raises(Failed, match="Cannot read /dev/sda again: Did not answer within 60 s"):
        step_context.look_at_all(["/dev/sda"])


def test_other_read_errors_do_not_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    known = replace(drive(), unread=(unread("smart", "Smartctl is not installed."),))
    monkeypatch.setattr(step_context, "probe_machine", lambda paths, seconds: machine(known))
    assert step_context.look_at_all(["/dev/sda"]) == (known,)
