"""A dock that reports one serial number for every disk. With another disk inserted, a run writes nothing,
deletes no saved byte, and recommends no writing command, in every phase."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, ended, old_gpt, spec, story
from tests.loop.attack.attacking import unharmed
from tests.loop.program import (
    MIB,
    PLANS,
    Drive,
    Machine,
    Mode,
    Refused,
    RunState,
    keep,
    load_plan,
    probe_drive,
    probe_machine,
    read_entries,
    resume,
    undo,
)
from tests.loop.runs.found.test_replugged import attach, detach
from wizard.apply.engine.stores import old_file
from wizard.apply.plan import identity_check, run_drives
from wizard.apply.run.backup_store import drop_backup

pytestmark = pytest.mark.alone
"""Between detaching and attaching, another test could take the name."""

SERIAL = "DOCK0001"
COMMANDS: dict[str, Callable[[Path], object]] = {
    "resume": resume,
    "keep": keep,
    "undo": undo,
    "undo --over-changes": lambda run: undo(run, over_changes=True, tokens=(SERIAL,)),
}
PHASES = ("clearing", "replacing", "barred", "releasing", "released", "kept", "replacing-back")


def put_into_dock(monkeypatch: pytest.MonkeyPatch, drive: str) -> None:
    """Make the drive report this serial number, with no other drive attached."""

    def drive_in(probe: Callable[..., Drive]) -> Callable[..., Drive]:
        return lambda *args, **named: replace(probe(*args, **named), serial=SERIAL)

    def machine_in(probe: Callable[..., Machine]) -> Callable[..., Machine]:
        def probed(*args: object, **named: object) -> Machine:
            machine = probe(*args, **named)
            return replace(machine, drives=tuple(replace(drive, serial=SERIAL) for drive in machine.drives))

        return probed

    for module in (run_drives, identity_check):
        monkeypatch.setattr(module, "probe_drive", drive_in(probe_drive))
    monkeypatch.setattr(identity_check, "list_drive_paths", lambda **_: (drive,))
    monkeypatch.setattr(identity_check, "probe_machine", machine_in(probe_machine))


def with_serial(run: Path) -> None:
    """Change the run to one for a drive in the dock."""
    plan = load_plan(run)
    (run / "plan.json").write_text(PLANS.render(replace(plan, drive=replace(plan.drive, serial=SERIAL))))
    drop_backup(run)


def refusal(command: Callable[[Path], object], run: Path) -> str:
    """Return why the command or its process was refused."""
    try:
        command(run)
    except Refused as error:
        return str(error)
    assert ended(run) is RunState.REFUSED, story(run)
    return read_entries(run)[-1].sentence


def test_another_disk_in_the_dock_is_not_confused_with_the_first(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive, other = make_drive(96 * MIB), make_drive(96 * MIB)
    old_gpt(drive)
    tool("mkfs.ext4", "-q", "-F", "-d", str(Path(__file__).parent), other)
    run, now = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING, story(run)
    put_into_dock(monkeypatch, drive)
    with_serial(run)
    detach(work, drive)
    attach(work, drive, detach(work, other))
    record = json.loads((run / "rehearsed.json").read_text())
    with unharmed(work, drive):
        for phase in PHASES:
            (run / "rehearsed.json").write_text(json.dumps({**record, "phase": phase}))
            for name, command in COMMANDS.items():
                said = refusal(command, run)
                assert "--over-changes" not in said and "--from-drive" not in said, (phase, name, said)
                if name.startswith("undo") is (phase != "kept"):
                    assert "may be another drive" in said, (phase, name, said)
                assert old_file(run, 0).exists(), (phase, name)
