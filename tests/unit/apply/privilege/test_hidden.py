"""Records with a passphrase do not show it."""

from pathlib import Path

from wizard.apply.privilege.ask import Ask, RootRequest
from wizard.apply.run.job import JobRequest, Start
from wizard.apply.run.process import Purpose


def test_passphrase_is_not_in_logs() -> None:
    asked = (
        JobRequest(Purpose.APPLY, secret=b"open sesame"),
        Start((), Path(), secret=b"open sesame"),
        RootRequest(Ask.APPLY, secret="open sesame"),
    )
    assert "sesame" not in repr(asked)
