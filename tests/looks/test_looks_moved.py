"""To ext4 with all files kept, once it has begun: what a power cut would leave at each moment, and the
end."""

import pytest
from textual.pilot import Pilot

from tests.looks.rehearsal import flat, highlight, perform, press, shown, step, until
from tests.looks.walk_moving import page, to_confirm, to_result, to_run, to_ways
from tests.unit.migrations import situation
from tests.unit.moving import BEHIND, MovingServices
from wizard.migrate.told.ways import BETWEEN
from wizard.model.migration import Means, Way
from wizard.services.session import Session


def test_the_screen_says_at_each_moment_what_a_power_cut_would_leave() -> None:
    services = MovingServices()

    async def job(pilot: Pilot[Session]) -> None:
        await to_run(pilot)
        await until(lambda: "working   4." in shown(pilot), pilot)
        fourth = services.begun[0][0].steps[3]
        assert f"If the power goes now: {fourth.power}" in flat(pilot)
        await until(lambda: "about 80 s left" in flat(pilot), pilot)
        services.told = "If the power went now, nobody could mount this filesystem."
        await until(lambda: services.told in flat(pilot), pilot)
        assert fourth.power not in flat(pilot)
        services.applied.set()
        await until(lambda: "Done: every step" in shown(pilot), pilot)
        assert services.told not in flat(pilot)

    perform(job, services)


def test_while_everything_is_read_before_the_first_step_nothing_can_be_lost() -> None:
    services = MovingServices(situation(no_snapshots="it is a test"))
    services.waits_in = 0

    async def job(pilot: Pilot[Session]) -> None:
        await to_run(pilot)
        await until(
            lambda: "Before the first step everything is read: 25 percent, about 7 s left." in flat(pilot),
            pilot,
        )
        assert "If the power goes now: Nothing is lost: everything is only being read yet" in flat(pilot)
        services.applied.set()
        await until(lambda: "Done: every step" in shown(pilot), pilot)

    perform(job, services)


def test_what_comes_behind_the_last_step_is_told_with_what_is_left() -> None:
    services = MovingServices()
    services.waits_in = BEHIND

    async def job(pilot: Pilot[Session]) -> None:
        await to_run(pilot)
        said = (
            "Every step is done on the snapshot, which is checked and then put in place: 25 percent, about 7 "
            "s left."
        )
        await until(lambda: said in flat(pilot), pilot)
        services.applied.set()
        await until(lambda: "Done: every step" in shown(pilot) and "100 percent" in shown(pilot), pilot)
        assert said not in flat(pilot)

    perform(job, services)


def test_of_a_step_that_says_nothing_is_told_how_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.tui.screens.migrate_running.SILENT_SECONDS", 0.0)
    services = MovingServices()
    services.silent = True

    async def job(pilot: Pilot[Session]) -> None:
        await to_run(pilot)
        await until(
            lambda: (
                "Step 4 should take about " in flat(pilot) and "how far it is cannot be known." in flat(pilot)
            ),
            pilot,
        )
        services.applied.set()
        await until(lambda: "Done: every step" in shown(pilot), pilot)
        assert "should take" not in flat(pilot)

    perform(job, services)


def test_a_refusal_at_the_last_moment_is_said_and_nothing_runs() -> None:
    services = MovingServices()
    services.refusal = "/dev/sda1 is mounted at /srv by now. Nothing was written."

    async def job(pilot: Pilot[Session]) -> None:
        await to_confirm(pilot)
        await press(pilot, "tab", "=S1", "enter", "enter")
        await until(lambda: "is mounted at /srv by now." in flat(pilot), pilot)
        await step(pilot, 4)

    session = perform(job, services)
    assert session is None or session.run is None


def test_what_failed_can_be_resumed_or_undone_and_not_kept() -> None:
    services = MovingServices()
    services.fails_at = 5

    async def job(pilot: Pilot[Session]) -> None:
        await to_result(pilot, services)
        later = (
            "Later: sudo diskwright resume 20260314-150926-sda1, or sudo diskwright undo 20260314-150926-sda1"
        )
        assert (
            "A step failed" in flat(pilot)
            and later in page(pilot, "#result")
            and "diskwright keep" not in page(pilot, "#result")
        )
        assert "[x] done" in page(pilot, "#result") and "[ ] not done" in page(pilot, "#result")
        assert "[u] undo" in flat(pilot) and "[k] keep" not in flat(pilot)
        await press(pilot, "k")
        await step(pilot, 6)

    perform(job, services)


def test_what_was_used_since_can_be_kept_and_not_undone() -> None:
    services = MovingServices()
    services.used = "/dev/sda1 was mounted for writing."

    async def job(pilot: Pilot[Session]) -> None:
        await to_result(pilot, services)
        assert (
            services.used in page(pilot, "#result")
            and "[k] keep" in flat(pilot)
            and "[u] undo" not in flat(pilot)
        )
        assert "mount -o" not in page(pilot, "#result") and "diskwright undo" not in page(pilot, "#result")
        await press(pilot, "u")
        await step(pilot, 6)

    perform(job, services)


def test_keeping_that_is_refused_is_said() -> None:
    services = MovingServices()
    services.fault = "The store is busy."

    async def job(pilot: Pilot[Session]) -> None:
        await to_result(pilot, services)
        await press(pilot, "k")
        await until(lambda: "Keep the new filesystem?" in flat(pilot), pilot)
        await press(pilot, "tab", "enter")
        await until(lambda: "The store is busy." in flat(pilot), pilot)
        assert "[k] keep" in flat(pilot)
        services.fault = ""
        await press(pilot, "k", "tab", "enter")
        await until(lambda: "Kept." in flat(pilot), pilot)
        assert "It is mounted at /srv." in flat(pilot) and "[u] undo" not in flat(pilot)

    perform(job, services)
    assert services.settled == ["keep"]


def test_only_a_line_of_fstab_needs_no_keeping() -> None:
    services = MovingServices()

    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        await highlight(pilot, "#moving-ways", Way.MOUNT.value)
        await press(pilot, "enter")
        await step(pilot, 3)
        assert "1 step" in page(pilot, "#preview") and "tune2fs" not in page(pilot, "#preview")
        await press(pilot, "enter")
        await step(pilot, 4)
        await press(pilot, "tab", "=S1", "enter", "enter")
        await step(pilot, 5)
        await until(lambda: "[Enter] the result" in shown(pilot), pilot)
        await press(pilot, "enter")
        await step(pilot, 6)
        assert "Undoing puts the file back as it was." in flat(pilot) and "[k] keep" not in flat(pilot)

    perform(job, services)
    assert BETWEEN[Means.FILES] and [migration.means for migration, _ in services.begun] == [Means.FILES]
