"""An error of a program in a rehearsal, explained by the scratch copy."""

from collections.abc import Callable

import pytest

from wizard.apply.engine.scratch_copies import SparseCopy
from wizard.apply.plan.rehearse import explained
from wizard.model.errors import Failed


def unreadable(_copy: SparseCopy) -> None:
    raise Failed("Cannot read /dev/sdx at byte 4096: Input/output error.")


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (SparseCopy.check, "resize2fs ended with status 1"),
        (unreadable, "Cannot read /dev/sdx at byte 4096: Input/output error. Nothing was written"),
    ],
)
def test_failed_read_or_write_is_named_instead_of_the_program(
    monkeypatch: pytest.MonkeyPatch, check: Callable[[SparseCopy], None], said: str
) -> None:
    monkeypatch.setattr(SparseCopy, "check", check)
    with pytest.raises(Failed, match=said), explained((SparseCopy("/dev/loop9"),)):
        raise Failed("resize2fs ended with status 1.")
