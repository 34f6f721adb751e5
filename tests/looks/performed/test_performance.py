"""The published pictures show the recorded run."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.looks import photograph
from tests.looks.performed.performance import RECORDED, OutOfDate, Performance
from tests.looks.performed.performance_moving import MovingPerformance
from tests.looks.rehearsal import Hand, come, perform, press, press_until, to_field, to_place
from wizard.apply.run.journal import RunState
from wizard.ext4.document import make_migration
from wizard.model.run import Event
from wizard.model.verdict import Outcome


def test_only_the_recorded_plan_is_performed() -> None:
    services = Performance()
    plan = services.recorded_plan
    services.check(plan)
    assert services.start(plan, plan.tokens).name.endswith("-sda")
    other = replace(plan, volumes=(replace(plan.volumes[0], label="music"), *plan.volumes[1:]))
    for wrong in (other, None):
        with pytest.raises(OutOfDate, match=r"`volumes` .*tests.lab --record|`drive` .*tests.lab --record"):
            services.start(wrong, plan.tokens)  # type: ignore[arg-type]


def test_displayed_run_ended_well_and_was_measured() -> None:
    services = Performance()
    services.applied.set()
    assert services.state(Path()) is RunState.WAITING
    assert [entry.event for entry in services.follow(Path())][-1] is Event.WAITING
    services.keep(Path())
    entries = tuple(services.follow(Path()))
    assert services.state(Path()) is RunState.KEPT and entries[-1].event is Event.KEPT
    assert {entry.step for entry in entries if entry.event is Event.STEP_DONE} == set(
        range(1, len(services.recorded_plan.steps) + 1)
    )
    assert not [entry for entry in entries if entry.event is Event.NOT_VERIFIED]
    assert services.verdicts["write"].outcome is Outcome.ALIGNED_FASTER
    assert services.drive.content_digest == services.recorded_plan.drive.content_digest


def test_run_pauses_at_its_first_mkfs_until_released() -> None:
    services = Performance()
    services.applied.wait = lambda timeout=None: pytest.fail("held")  # type: ignore[method-assign]
    shown = []
    with pytest.raises(pytest.fail.Exception, match="held"):
        for entry in services.follow(Path()):
            shown.append(entry)
    assert shown[-1].event is Event.STEP_STARTED and "'films'" in shown[-1].sentence


def test_pictures_of_another_program_are_not_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in RECORDED.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    machine = tmp_path / "machine.json"
    machine.write_text(machine.read_text().replace("WDE4XYZ0", "WDE4XYZ9"))
    kept = {path: path.read_bytes() for path in photograph.FOLDER.iterdir()}
    monkeypatch.setattr(photograph, "Performance", lambda: Performance(tmp_path))
    assert photograph.main([]) == 1
    assert capsys.readouterr().out.splitlines()[-1].endswith(" passed, 1 failed")
    assert {path: path.read_bytes() for path in photograph.FOLDER.iterdir()} == kept


def test_key_without_effect_fails_with_the_screen_name() -> None:
    async def job(pilot: Hand) -> None:
        await to_place(pilot, "purpose")
        with pytest.raises(TimeoutError, match="down did not lead to 'No such purpose', at purpose"):
            await press_until(pilot, "down", "No such purpose")
        await press(pilot, "enter")
        await come(pilot, "plan")
        await press(pilot, "e")
        await come(pilot, "volume")
        with pytest.raises(TimeoutError, match="does not lead to the field nonsense"):
            await to_field(pilot, "nonsense")

    perform(job)


def test_only_the_recorded_migration_is_performed() -> None:
    services = MovingPerformance()
    recorded = services.recorded
    planned = make_migration(services.found, recorded.way, manifest=True)
    assert services.start(planned, recorded.tokens).name.endswith(recorded.drive.token)
    with pytest.raises(OutOfDate, match=r"tests\.loop\.migrate\.recordmoving"):
        services.start(replace(recorded, manifest=False), recorded.tokens)
    services.applied.set()
    entries = tuple(services.follow(Path()))
    assert services.state(Path()) is RunState.DONE and not [
        entry for entry in entries if entry.event is Event.NOT_VERIFIED
    ]
