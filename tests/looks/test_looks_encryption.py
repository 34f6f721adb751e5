"""The last step of the wizard for a plan that encrypts: the passphrase is typed twice, never shown, and
handed on."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from textual.pilot import Pilot

from tests.looks.rehearsal import Rehearsal, flat, perform, press, shown, step, to_step, until
from tests.looks.workshop import workshop
from wizard.layout.planner import Mode
from wizard.layout.wishes.wish import Arrangement, Wish
from wizard.model.machine import Drive, Machine
from wizard.model.plan import Plan
from wizard.probe.interpret import machine_of
from wizard.services.session import Session


class Encrypting(Rehearsal):
    """Every volume is encrypted."""

    def __init__(self) -> None:
        known = machine_of(workshop())
        super().__init__(replace(known, tools=(*known.tools, ("cryptsetup", "/usr/sbin/cryptsetup"))))
        self.secrets: list[bytes | None] = []
        self.kept_with: list[bytes | None] = []

    def plan(
        self,
        machine: Machine,
        drive: Drive,
        wishes: tuple[Wish, ...],
        mode: Mode | None,
        arrangement: Arrangement | None = None,
    ) -> Plan:
        return super().plan(
            machine, drive, tuple(replace(wish, encrypted=True) for wish in wishes), mode, arrangement
        )

    def start(self, plan: Plan, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        self.secrets.append(secret)
        return super().start(plan, tokens, secret)

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        self.kept_with.append(secret)
        return super().keep(run, secret)


def test_nothing_begins_before_the_passphrase_was_typed_twice_and_it_is_never_shown() -> None:
    services = Encrypting()

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        assert "Passphrase" in shown(pilot) and "Once more" in shown(pilot)
        assert "whoever loses it loses the data" in shown(pilot) and "[ Apply ]" in shown(pilot)
        await press(pilot, "tab", "=ZCT0A1B2", "enter")
        await until(lambda: "Type a passphrase" in shown(pilot), pilot)
        await press(pilot, "=four words, or more?", "enter")
        await until(lambda: "the same passphrase twice" in shown(pilot), pilot)
        await press(pilot, "=four words, or less", "enter")
        await until(lambda: "the same passphrase twice" in shown(pilot), pilot)
        assert not services.started and "words" not in shown(pilot)
        for _ in "less":
            await press(pilot, "backspace")
        await press(pilot, "=more?", "enter")
        await until(lambda: "> [ Apply ]" in shown(pilot), pilot)
        assert "words" not in shown(pilot)
        await press(pilot, "enter")
        await step(pilot, 8)
        services.applied.set()

    perform(job, services)
    assert services.secrets == [b"four words, or more?"]


def test_a_short_passphrase_is_told_once_and_taken_all_the_same() -> None:
    services = Encrypting()

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        await press(pilot, "tab", "=ZCT0A1B2", "enter", "=short", "enter", "=short", "enter")
        await until(lambda: "is short" in shown(pilot), pilot)
        assert not services.started
        await press(pilot, "enter")
        await step(pilot, 8)
        services.applied.set()

    perform(job, services)
    assert services.secrets == [b"short"]


def test_keeping_asks_for_the_passphrase_and_escape_keeps_nothing() -> None:
    services = Encrypting()

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        await press(pilot, "tab", "=ZCT0A1B2", "enter", "=four words, or more?", "enter")
        await press(pilot, "=four words, or more?", "enter", "enter")
        await step(pilot, 8)
        services.applied.set()
        await until(lambda: "Enter: keep it or take it back" in shown(pilot), pilot)
        await press(pilot, "enter")
        await step(pilot, 9)
        await press(pilot, "k", "y")
        await until(lambda: "Keeping it opens what is encrypted" in flat(pilot), pilot)
        await press(pilot, "escape")
        await until(lambda: "[k] keep" in shown(pilot), pilot)
        assert not services.kept_with
        await press(pilot, "k", "y")
        await until(lambda: "Keeping it opens what is encrypted" in flat(pilot), pilot)
        await press(pilot, "=four words, or more?")
        assert "words" not in shown(pilot)
        await press(pilot, "enter")
        await until(lambda: "Kept." in shown(pilot), pilot)

    perform(job, services)
    assert services.kept_with == [b"four words, or more?"]
