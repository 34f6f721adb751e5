"""The steps that touch a drive: measuring, the token, applying, its end; and what stands between a person and
a mistake."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.looks.rehearsal import Rehearsal, flat, perform, press, shown, step, to_step, until, verdict
from tests.looks.workshop import workshop
from wizard.model.plan import Plan
from wizard.probe.interpret import machine_of
from wizard.services.recorded import RecordedServices
from wizard.services.session import Session
from wizard.trial.document import read_verdict


def test_nothing_begins_without_the_token() -> None:
    services = Rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        assert "> [ Back ]" in shown(pilot)
        await press(pilot, "enter")
        await step(pilot, 6)
        await press(pilot, "enter")
        await step(pilot, 7)
        await press(pilot, "down", "down", "enter")
        await until(lambda: "Type ZCT0A1B2 first." in shown(pilot), pilot)
        await press(pilot, "=ZCT0A1B3", "enter")
        await until(lambda: "That is not this drive's token" in shown(pilot), pilot)
        await press(pilot, "down", "enter")
        assert not services.started
        await press(pilot, "backspace", "2", "enter")
        await until(lambda: "> [ Apply ]" in shown(pilot), pilot)
        assert not services.started
        await press(pilot, "enter")
        await step(pilot, 8)
        services.applied.set()

    perform(job, services)
    ((plan, tokens),) = services.started
    assert (plan.drive.path, tokens) == ("/dev/sda", ("ZCT0A1B2",))


def test_a_refusal_is_said_and_nothing_is_lost() -> None:
    services = Rehearsal()
    services.refusal = "/dev/sda has changed since the plan was made. Nothing was written."

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        await press(pilot, "tab", "=ZCT0A1B2", "enter", "enter")
        await until(lambda: services.refusal in shown(pilot), pilot)
        await press(pilot, "escape")
        await step(pilot, 6)

    perform(job, services)


async def apply(pilot: Pilot[Session]) -> None:
    await to_step(pilot, 7)
    await press(pilot, "tab", "=ZCT0A1B2", "enter", "enter")
    await step(pilot, 8)
    await until(lambda: "working   2." in shown(pilot), pilot)


def test_applying_cannot_be_left_backwards_and_can_be_stopped() -> None:
    services = Rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await apply(pilot)
        await press(pilot, "escape", "b", "enter")
        await step(pilot, 8)
        assert "[b] back" not in shown(pilot)
        await press(pilot, "s")
        await until(lambda: "Stop the run?" in shown(pilot), pilot)
        assert "> [ No, go on ]" in shown(pilot)
        await press(pilot, "enter")
        assert not services.stop_requested
        await press(pilot, "s")
        await until(lambda: "Stop the run?" in shown(pilot), pilot)
        await press(pilot, "y")
        await until(lambda: "Stopped between two steps" in shown(pilot), pilot)
        assert services.stop_requested and "not done" in shown(pilot)
        await press(pilot, "enter")
        await step(pilot, 9)
        said = flat(pilot)
        assert (
            "resume 20260314-150926-sda" in said
            and "nothing to undo" in said
            and "The drive is as it was." in said
        )

    perform(job, services)


def test_leaving_while_it_is_applied_says_that_it_goes_on() -> None:
    services = Rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await apply(pilot)
        await press(pilot, "q")
        await until(lambda: "The run goes on without this window" in shown(pilot), pilot)
        await press(pilot, "y")

    session = perform(job, services)
    services.applied.set()
    assert session is not None and session.run is not None and not services.stop_requested


def test_leaving_when_it_has_ended_does_not_say_that_it_goes_on() -> None:
    services = Rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await apply(pilot)
        services.applied.set()
        await until(lambda: "[Enter] the result" in shown(pilot), pilot)
        await press(pilot, "q")
        await until(lambda: "End the wizard?" in shown(pilot), pilot)
        assert "The run has ended." in flat(pilot) and "goes on without" not in flat(pilot)
        await press(pilot, "y")

    perform(job, services)


def test_a_failed_step_is_told_with_what_was_done() -> None:
    services = Rehearsal()
    services.fails_at = 3

    async def job(pilot: Pilot[Session]) -> None:
        await apply(pilot)
        services.applied.set()
        await until(lambda: "did not come to its end" in shown(pilot), pilot)
        await press(pilot, "enter")
        await step(pilot, 9)
        page = shown(pilot)
        assert (
            "The run failed before anything was written" in flat(pilot)
            and "the disk gave up" in page
            and page.count("[x] done") == 2
        )

    perform(job, services)


async def to_the_decision(pilot: Pilot[Session], services: Rehearsal) -> None:
    await apply(pilot)
    services.applied.set()
    await until(lambda: "Enter: keep it or take it back" in shown(pilot), pilot)
    await press(pilot, "enter")
    await step(pilot, 9)
    said = flat(pilot)
    assert "Done, not yet in use: keep it to use it, or undo it." in said and "[k] keep [u] undo" in said
    assert (
        "Later: sudo diskwright keep 20260314-150926-sda, or sudo diskwright undo 20260314-150926-sda" in said
    )


def test_the_screen_says_at_each_moment_what_a_power_cut_would_leave() -> None:
    services = Rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await apply(pilot)
        assert "If the power went now, /dev/sda would be as before: all is done on a stand-in." in flat(pilot)
        services.applied.set()
        await until(lambda: "Enter: keep it or take it back" in shown(pilot), pilot)
        assert "can be kept or undone on any later day" in flat(pilot)
        assert "would be as before" not in flat(pilot)

    perform(job, services)


@pytest.mark.parametrize(
    ("key", "question", "yes"), [("k", "Keep it?", "Yes, keep it"), ("u", "Take it back?", "Yes, undo it")]
)
def test_what_waits_is_settled_by_a_key_after_a_question(key: str, question: str, yes: str) -> None:
    services = Rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await to_the_decision(pilot, services)
        await press(pilot, key)
        await until(lambda: question in shown(pilot) and yes in shown(pilot), pilot)
        assert "> [ No ]" in shown(pilot)
        await press(pilot, "enter")
        await step(pilot, 9)
        assert services.settled is None
        await press(pilot, key, "y")
        await until(lambda: ("Kept." if key == "k" else "Undone.") in shown(pilot), pilot)
        said = flat(pilot)
        assert "[k] keep" not in said and "[u] undo" not in said
        if key == "k":
            assert "Kept: the drive is in use as it was shown" in said and "Checked afterwards" in said
        else:
            assert "what was there before is back, bit for bit" in said and "Checked afterwards" not in said

    perform(job, services)
    assert services.settled == ("keep" if key == "k" else "undo")


def test_why_it_could_not_be_settled_is_said_and_it_can_be_tried_again() -> None:
    services = Rehearsal()
    services.fault = "/dev/sda is in use. Nothing was written."

    async def job(pilot: Pilot[Session]) -> None:
        await to_the_decision(pilot, services)
        await press(pilot, "u", "y")
        await until(lambda: services.fault in flat(pilot), pilot)
        assert "[u] undo" in flat(pilot)
        services.fault = ""
        await press(pilot, "u", "y")
        await until(lambda: "Undone." in shown(pilot), pilot)

    perform(job, services)


def test_deciding_later_ends_well() -> None:
    services = Rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await to_the_decision(pilot, services)
        await press(pilot, "enter")

    assert perform(job, services) is not None and services.settled is None


def test_where_no_stand_in_can_be_had_nothing_is_promised() -> None:
    class WithoutLoops(Rehearsal):
        def why_direct(self, plan: Plan) -> str:
            return "the kernel gives no loop devices (No such file or directory)"

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 5)
        page = " ".join(pilot.app.screen.query_one("#preview").plain.split())  # type: ignore[attr-defined]
        await press(pilot, "enter", "enter")
        await step(pilot, 7)
        loss = " ".join(pilot.app.screen.query_one("#loss").plain.split())  # type: ignore[attr-defined]
        for text in (page, loss):
            assert "The steps run on the drive directly, since the kernel gives no loop devices" in text
            assert (
                "bit for bit" not in text
                and "Cannot be undone: what was there before is lost from here on." in text
            )

    perform(job, WithoutLoops())


def test_a_recording_can_be_planned_for_but_not_applied() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        assert "These drives are a recording" in shown(pilot)
        assert "[ Apply ]" not in shown(pilot)
        await press(pilot, "enter")
        await step(pilot, 7)

    perform(job, RecordedServices(machine_of(workshop()), "recorded.json"))


class WithoutRoot(Rehearsal):
    @property
    def obstacle(self) -> str:
        return "Only root can write to drives."

    @property
    def needs_root(self) -> bool:
        return True


def test_without_root_the_last_step_says_how_to_apply_the_saved_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        assert "sudo diskwright apply FILE --confirm ZCT0A1B2" in pilot.app.screen.query_one("#loss").plain  # type: ignore[attr-defined]
        await press(pilot, "s")
        await until(lambda: "Save the plan" in shown(pilot), pilot)
        await press(pilot, "ctrl+u", "p", "enter")
        await until(lambda: "sudo diskwright apply p --confirm ZCT0A1B2" in flat(pilot), pilot)
        assert (tmp_path / "p").exists()

    perform(job, WithoutRoot())


def test_measuring_can_be_stopped_and_writing_wants_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    services = Rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 6)
        await press(pilot, "m")
        await until(lambda: "at most 19 s left" in shown(pilot), pilot)
        await press(pilot, "enter", "b")
        await step(pilot, 6)
        await press(pilot, "s")
        await until(lambda: "1.8x faster" in shown(pilot), pilot)
        await press(pilot, "w")
        await until(lambda: "Measure by writing?" in shown(pilot), pilot)
        await press(pilot, "=yes", "enter")
        await until(lambda: "'yes'" in shown(pilot), pilot)
        assert services.writes == [False]
        await press(pilot, "backspace", "backspace", "backspace", "=ZCT0A1B2", "enter")
        await until(lambda: services.writes == [False, True], pilot)
        services.measured.set()
        await until(lambda: "1.8x faster" in shown(pilot), pilot)
        await press(pilot, "s")
        await until(lambda: "Save the result" in shown(pilot), pilot)
        await press(pilot, "enter")
        await until(lambda: "The result is saved in sda-benchmark.json." in flat(pilot), pilot)
        assert read_verdict((tmp_path / "sda-benchmark.json").read_text(), "it") == verdict("/dev/sda")

    perform(job, services)


def test_a_journal_in_memory_is_told_before_it_is_too_late() -> None:
    class InMemory(Rehearsal):
        def journal_doubts(self) -> tuple[str, ...]:
            return ("/run/x lies in memory: after a power cut this run could be neither resumed nor undone.",)

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        assert "neither resumed nor undone" in flat(pilot)

    perform(job, InMemory(), size=(100, 40))
