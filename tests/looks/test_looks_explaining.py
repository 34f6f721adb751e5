"""Help, glossary and reasons: on every screen, by one key, and one key back."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.looks.explaining import look_into, title
from tests.looks.rehearsal import Rehearsal, flat, perform, press, shown, step, to_step, until
from wizard.advise.backing import evidence_for
from wizard.advise.glossary import load_glossary
from wizard.services.session import Session
from wizard.tui.step import StepScreen
from wizard.tui.widgets.keys import Keys
from wizard.tui.widgets.words import Words


async def measured(pilot: Pilot[Session], services: Rehearsal) -> None:
    await press(pilot, "m")
    services.measured.set()
    await until(lambda: "1.8x faster" in shown(pilot), pilot)


def test_every_step_explains_itself_and_its_words() -> None:
    services = Rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 1)
        for number in range(1, 10):
            await step(pilot, number)
            screen = pilot.app.screen
            assert isinstance(screen, StepScreen)
            if number == 6:
                await measured(pilot, services)
            text = await look_into(pilot)
            assert len(text) > 300, f"the help of step {number} says little: {text}"
            if number == 7:
                await press(pilot, "tab", "=ZCT0A1B2", "enter", "enter")
            elif number == 8:
                services.applied.set()
                await until(lambda: "Done, not yet in use" in shown(pilot), pilot)
                await press(pilot, "enter")
            elif number < 9:
                await press(pilot, "enter")

    perform(job, services)


def test_dialogs_explain_themselves_too() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 4)
        await press(pilot, "a")
        await until(lambda: "A new volume" in shown(pilot), pilot)
        assert "Mount point: the folder" in await look_into(pilot, typing=True)
        await press(pilot, "=7g")
        assert "[7g" in shown(pilot), "letters still go into the field"
        await press(pilot, "escape", "enter")
        await step(pilot, 5)
        await press(pilot, "s")
        await until(lambda: "Save the plan" in shown(pilot), pilot)
        assert "never overwritten" in await look_into(pilot, typing=True)
        await press(pilot, "escape", "q")
        await until(lambda: "End the wizard?" in shown(pilot), pilot)
        assert "nothing happens before you answer" in await look_into(pilot)
        await press(pilot, "escape", "e")
        await until(lambda: "Reasons of the steps" in shown(pilot), pilot)
        assert "Old figures are shown as old ones" in await look_into(pilot)

    perform(job)


def test_the_glossary_begins_with_the_words_of_the_screen() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 1)
        await press(pilot, "g")
        await until(lambda: title(pilot) == "Glossary", pilot)
        lines = shown(pilot).splitlines()[3:11]
        assert all("  here" in line for line in lines), lines
        assert any("512e" in line for line in lines) and "stride" not in "\n".join(lines)
        await press(pilot, *"stripe")
        await until(lambda: "Search: [stripe_]" in shown(pilot), pilot)
        assert "> stripe width" in shown(pilot)
        meaning = next(term.text for term in load_glossary() if term.id == "stripe-width")
        assert meaning in flat(pilot) and "Source: mke2fs(8)" in flat(pilot)
        await press(pilot, *["backspace"] * 6, *"zzz")
        await until(lambda: "No word has these letters." in shown(pilot), pilot)

    perform(job)


def test_a_broken_glossary_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "diskwright" / "glossary" / "mine.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[[terms]]\nid = 'x'\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 1)
        await press(pilot, "g")
        await until(lambda: "mine.toml" in flat(pilot).replace(" ", ""), pilot)
        await press(pilot, "escape")
        await step(pilot, 1)

    perform(job)


def behind(pilot: Pilot[Session]) -> str:
    return " ".join(pilot.app.screen.query_one("#behind", Words).plain.split())


def test_findings_have_their_reason_source_and_figures() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 1)
        await press(pilot, "e")
        await until(lambda: title(pilot) == "Findings: /dev/sda", pilot)
        assert "> danger /dev/sda1 is misaligned" in shown(pilot)
        said = behind(pilot)
        assert (
            "Why: A write that fills" in said
            and "Source: Linux, block/blk-settings.c" in said
            and "Rule: alignment-physical:" in said
        )
        assert all(card.title in said for card in evidence_for("alignment-physical"))
        await press(pilot, "end")
        await until(lambda: "How far it can be trusted: high." in behind(pilot), pilot)
        await press(pilot, "e")
        await step(pilot, 1)

    perform(job)


def test_steps_of_the_plan_have_reasons() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 3)
        ranked = pilot.app.screen.session.advice  # type: ignore[attr-defined]
        await press(pilot, "e")
        await until(lambda: title(pilot).startswith("Evidence: "), pilot)
        assert ranked.chosen.sentence in flat(pilot)
        await press(pilot, "down")
        await until(lambda: ranked.chosen.mkfs[0].why in behind(pilot), pilot)
        await press(pilot, "escape", "enter")
        await step(pilot, 4)
        await press(pilot, "enter")
        await step(pilot, 5)
        await press(pilot, "e")
        await until(lambda: title(pilot) == "Reasons of the steps", pilot)
        assert "on a physical block of 4096 bytes and on 1 MiB" in behind(pilot)
        await press(pilot, "down", "down")
        await until(lambda: "> 3. Make the" in shown(pilot), pilot)
        said = behind(pilot)
        assert ranked.chosen.sentence in said and all(option.why in said for option in ranked.chosen.mkfs)
        assert "Checked afterwards:" in said and "Undo: " in said

    perform(job)


def test_the_benchmark_says_what_its_sentence_stands_on() -> None:
    services = Rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 6)
        await press(pilot, "e")
        assert pilot.app.screen.query(Keys) and "Reasons" not in shown(pilot), "nothing was measured yet"
        await measured(pilot, services)
        await press(pilot, "e")
        await until(lambda: title(pilot) == "Reasons of the result", pilot)
        assert "Factor: 1.78, and with 95 % confidence between 1.74 and 1.82, from 600 pairs." in behind(
            pilot
        )
        await press(pilot, "end")
        await until(lambda: evidence_for("alignment")[0].title in behind(pilot), pilot)

    perform(job, services)
