"""Every setting has a lifecycle test."""

from tests.loop.tune.test_lifecycle import CASES
from wizard.operations.operation import Setting


def test_every_setting_has_a_lifecycle_case() -> None:
    assert {one for settings in CASES.values() for one in settings} == {*Setting.__subclasses__()}
