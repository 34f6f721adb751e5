"""The line-by-line wizard keeps what is encrypted: it asks for the passphrase, and shows it nowhere."""

from dataclasses import replace
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from tests.unit.layouts import plan_for, wish
from tests.unit.machines import drive, machine
from wizard.apply.plan.steps_told import decision_of
from wizard.apply.run.decision import Settling
from wizard.apply.run.journal import RunState
from wizard.plain.desk import Desk
from wizard.plain.steps.settling import settle
from wizard.plain.talk import Talk
from wizard.services.recorded import RecordedServices

RUN = Path("/nowhere/0001-sda")
SECRET = "four words, or more"


class Keeping(RecordedServices):
    def __init__(self) -> None:
        super().__init__(machine(), "a test", lambda: "11111111-2222-4333-8444-555555555555")
        self.kept_with: list[bytes | None] = []

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        self.kept_with.append(secret)
        return "It is mounted."


@pytest.mark.parametrize("encrypted", [True, False])
@pytest.mark.parametrize("typed", [SECRET, ""])
def test_the_passphrase_is_asked_for_where_something_is_encrypted(encrypted: bool, typed: str) -> None:
    plan = plan_for(drive(), replace(wish("ext4"), encrypted=encrypted))
    services, said = Keeping(), StringIO()
    answers = BytesIO("".join(f"{line}\n" for line in ("2", "2", typed, "")).encode())
    desk = Desk(Talk(answers, said, width=78, ascii_only=True, echo=True), services)
    way = settle(desk, RUN, decision_of(plan, RunState.WAITING), ("",))
    asked = "Keeping it opens what is encrypted" in " ".join(said.getvalue().split())
    assert asked == encrypted and SECRET not in said.getvalue()
    kept = not encrypted or bool(typed)
    assert way == (Settling.KEEP if kept else None)
    assert services.kept_with == ([SECRET.encode() if encrypted else None] if kept else [])
