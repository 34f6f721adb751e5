"""Every setting has a lifecycle test."""

from tests.loop.tune.test_lifecycle import CASES
from wizard.plan.settings.document import ORDER


def test_every_setting_has_a_lifecycle_case() -> None:
    assert {one for settings in CASES.values() for one in settings} == {*ORDER}
