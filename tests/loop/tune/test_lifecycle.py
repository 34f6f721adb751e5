"""The life of every setting, on real devices: do, verify, cut the power at each step, resume and undo."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, carry_out, said, stand_in, story, without_power
from tests.loop.program import Environment, Event, Purpose, RunState, state
from tests.loop.tune.test_actions import NOBODY, made, mounts_of, top_of
from tests.loop.tune.test_actions_interrupted import goes, make_stick
from tests.loop.tune.test_grown_in_use import Used as Growing
from tests.loop.tune.test_other_drive import with_table_or_luks
from tests.loop.tune.test_release import active, make_stack
from tests.loop.tune.tuning import Used, begin
from wizard.apply.settings import system
from wizard.apply.settings.existing_filesystem import look_at_filesystem
from wizard.apply.settings.plan_settings import act
from wizard.model import requests
from wizard.model.layout import Writer
from wizard.operations import filesystem, fstab, layers, mounts, settings, table
from wizard.operations.operation import Context, Setting
from wizard.plan.changes import Changes
from wizard.plan.plan import steps_of


@dataclass(frozen=True, slots=True)
class Case:
    """`seen`: all that the changes affect. `reboot`: loses what only the kernel knows."""

    changes: Changes
    seen: Callable[[], object]
    reboot: Callable[[], None] = lambda: None


Make = Callable[[Work, MakeDrive, pytest.MonkeyPatch, pytest.FixtureRequest], Case]


def tuned(
    work: Work, make_drive: MakeDrive, patch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Case:
    used: Used = request.getfixturevalue("used")
    ahead = used.read_ahead

    def reboot() -> None:
        (used.queue / "read_ahead_kb").write_text(ahead)
        tool("mount", "-o", "remount,nodev,relatime,nolazytime", used.drive, str(used.place))

    return Case(used.changes(), lambda: used.all, reboot)


def timed(work: Work, make_drive: MakeDrive, patch: pytest.MonkeyPatch, _: pytest.FixtureRequest) -> Case:
    """Simulate systemd, since a test must not change the machine's."""
    drive = made(work, make_drive, "ext4", "films")
    unit = work.folder / "unit"
    unit.write_text("disabled\n")
    script = f'case "$1" in is-enabled) cat {unit} ;; *) echo "$1d" > {unit} ;; esac'
    stand_in(work.folder / "bin", patch, "systemctl", script)
    patch.setattr(system, "SYSTEMD", work.folder)
    patch.setattr(Environment, "is_running_system", property(lambda _: True))
    used = look_at_filesystem(drive, work.environment)
    steps = steps_of([settings.SwitchOnTimer()], Context(used.identity))
    changes = Changes(used.identity, drive, "ext4", used.uuid, requests.Tune("mail"), steps)
    return Case(changes, lambda: (unit.read_text(), work.digest(drive)))


def labelled(work: Work, make_drive: MakeDrive, _p: object, _: pytest.FixtureRequest) -> Case:
    drive = made(work, make_drive, "swap", "old")
    work.fstab.write_text("# mine\nLABEL=old none swap nofail 0 0")
    changes = act(drive, requests.SetLabel("new"), work.environment)
    return Case(changes, lambda: (work.fstab.read_text(), work.digest(drive)))


def renumbered(work: Work, make_drive: MakeDrive, _p: object, _: pytest.FixtureRequest) -> Case:
    drive = with_table_or_luks(work, make_drive, "gpt")
    drives = sorted(work.bench.images)
    changes = act(drive, requests.NewUuid(), work.environment)
    return Case(changes, lambda: [work.digest(one) for one in drives])


def attached(work: Work, make_drive: MakeDrive, _p: object, _: pytest.FixtureRequest) -> Case:
    drive, place = made(work, make_drive, "ext4", "films"), work.place("new")
    work.fstab.write_text("# mine")
    owner = Writer("person", "nobody", NOBODY.pw_uid, NOBODY.pw_gid)
    changes = act(drive, requests.Attach(str(place), ("noatime",), owner=owner), work.environment)

    def seen() -> object:
        with_top = top_of(place) if mounts_of(drive) else None
        return work.fstab.read_text(), mounts_of(drive), with_top

    def reboot() -> None:
        tool("umount", str(place))

    return Case(changes, seen, reboot)


def detached(work: Work, make_drive: MakeDrive, _p: object, _: pytest.FixtureRequest) -> Case:
    drive, places = made(work, make_drive, "ext4", "films"), [work.place(name) for name in ("a", "b")]
    work.fstab.write_text(f"# mine\nLABEL=films {places[0]} ext4 nofail 0 2")
    for place in places:
        place.mkdir(parents=True)
        tool("mount", "-o", "noatime", drive, str(place))
    changes = act(drive, requests.Detach(boot=True), work.environment)
    return Case(changes, lambda: (work.fstab.read_text(), mounts_of(drive)))


def switched_off(
    work: Work, make_drive: MakeDrive, patch: pytest.MonkeyPatch, _: pytest.FixtureRequest
) -> Case:
    drive, place = make_stick(work, make_drive, patch), work.place("films")
    place.mkdir(parents=True)
    tool("mount", drive, str(place))
    entry = work.folder / "sys/class/block" / Path(drive).name
    changes = act(drive, requests.SwitchOff(), work.environment)
    goes(entry)
    return Case(changes, lambda: (entry.exists(), mounts_of(drive)))


def released(work: Work, make_drive: MakeDrive, patch: pytest.MonkeyPatch, _: pytest.FixtureRequest) -> Case:
    drives, folder, _held = make_stack(work, make_drive, patch)
    # The container on top does not start again without its key.
    tool("rm", "-r", str(folder / "dm-1"))
    changes = act(drives[0], requests.Release(), work.environment)
    return Case(changes, lambda: (active(folder), [work.digest(drive) for drive in drives]))


def grown(work: Work, make_drive: MakeDrive, _p: object, _: pytest.FixtureRequest) -> Case:
    drive = Growing(work, make_drive, "gpt", "btrfs")
    changes = act(drive.node, requests.Grow(), work.environment)
    return Case(changes, lambda: (drive.table, drive.end, drive.neighbours))


CASES: dict[Make, tuple[type[Setting], ...]] = {
    tuned: (settings.ReserveBlocks, mounts.Remount, fstab.EditFstab, settings.SetQueue, settings.WriteRules),
    timed: (settings.SwitchOnTimer,),
    labelled: (settings.Relabel, fstab.EditFstab),
    renumbered: (settings.Relabel,),
    attached: (mounts.Mount, mounts.ChangeOwner, fstab.EditFstab),
    detached: (mounts.Unmount, fstab.EditFstab),
    switched_off: (mounts.Unmount, settings.PowerOff),
    released: (layers.StopLayer,),
    grown: (table.ExtendPartition, filesystem.GrowMounted),
}


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_setting_survives_power_cuts_and_is_undone(
    work: Work,
    make_drive: MakeDrive,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    make: Make,
) -> None:
    case = make(work, make_drive, monkeypatch, request)
    before, planned = case.seen(), case.changes.settings
    assert {type(one) for one in planned} == {*CASES[make]}

    def cut(step: int) -> Path:
        run = begin(work, case.changes)
        without_power(monkeypatch, Event.STEP_DONE, step, lambda: carry_out(run, Purpose.APPLY, ()))
        assert state(run) is RunState.INTERRUPTED and case.seen() != before
        return run

    def end(run: Path) -> object:
        carry_out(run, Purpose.APPLY, ())
        assert state(run) is RunState.DONE and not said(run, Event.NOT_VERIFIED), story(run)
        assert len(said(run, Event.VERIFIED)) == len(planned)
        return case.seen()

    def undo(run: Path) -> None:
        carry_out(run, Purpose.UNDO, ())
        assert state(run) is RunState.UNDONE and case.seen() == before, story(run)

    ends = []
    for step, setting in enumerate(planned, 1):
        run = cut(step)
        if setting.stays:
            assert end(run) != before
            return
        undo(run)
        if case.changes.is_final:
            continue
        run = cut(step)
        case.reboot()
        ends.append(end(run))
        undo(run)
    run = begin(work, case.changes)
    ends.append(end(run))
    undo(run)
    assert ends == [ends[0]] * (len(planned) + 1)
