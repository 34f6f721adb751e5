"""Changes, moves and copies for an ordinary user: the root process plans, applies and undoes them, and
trusts no input."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive
from tests.loop.applying import Work
from tests.loop.bring.bringing import ROOTS, Ways
from tests.loop.move.test_move import digest, misaligned, part_of, planned
from tests.loop.program import MIB, BadInput, Moves, Refused, RunState, list_runs, read_entries, state
from tests.loop.tune.test_actions import label_of, made
from wizard.apply.privilege.ask import RootProgram
from wizard.apply.privilege.client import Elevated
from wizard.model.requests import CopyFiles, Detach, SetLabel
from wizard.operations.operation import Context
from wizard.operations.settings import Relabel
from wizard.plan.changes import Changes
from wizard.plan.plan import steps_of


@pytest.fixture
def root(work: Work) -> Iterator[Elevated]:
    """The root process, as started by sudo."""
    begun = Elevated(RootProgram("nothing to ask", ()), work.runs)
    try:
        yield begun
    finally:
        begun._process.stdin.close()  # type: ignore[union-attr]
        begun._process.wait(timeout=60)


def test_root_plans_applies_and_undoes_a_change(root: Elevated, work: Work, make_drive: MakeDrive) -> None:
    drive = made(work, make_drive, "ext4", "films-of-a-test")
    changes = root.work_out(drive, SetLabel("pictures"))
    assert isinstance(changes, Changes)
    assert [step.operation.kind for step in changes.steps] == ["relabel"]
    run = root.start(changes, (changes.drive.token,))
    told = list(root.follow(run))
    assert root.state(run) is state(run) is RunState.DONE and tuple(told) == read_entries(run)
    assert label_of(drive) == "pictures"
    root.undo(run)
    assert root.state(run) is state(run) is RunState.UNDONE and label_of(drive) == "films-of-a-test"


def test_root_checks_its_input(root: Elevated, work: Work, make_drive: MakeDrive) -> None:
    drive = made(work, make_drive, "ext4", "films-of-a-test")
    changes = root.work_out(drive, SetLabel("pictures"))
    assert isinstance(changes, Changes)
    other = steps_of([Relabel(drive, "ext4", "", "films-of-a-test", "other")], Context(changes.drive))
    with pytest.raises(Refused, match="differ from the ones required now"):
        root.start(replace(changes, steps=other), (changes.drive.token,))
    with pytest.raises(Refused, match="'another' does not match"):
        root.start(changes, ("another",))
    with pytest.raises(BadInput, match="is not a device below /dev"):
        root.work_out("/home/a", SetLabel("pictures"))
    with pytest.raises(Refused, match="is not mounted"):
        root.work_out(drive, Detach())
    assert not list_runs(work.runs) and label_of(drive) == "films-of-a-test"


def test_root_moves_a_partition_reports_and_undoes_it(
    root: Elevated, work: Work, make_drive: MakeDrive
) -> None:
    path = misaligned(work, make_drive)
    before = digest(f"{path}p1")
    moves = Moves((planned(path),))
    with pytest.raises(Refused, match="does not match"):
        root.start(moves, ("another",))
    (move,) = moves.moves
    forged = replace(move, after=replace(move.after, start_bytes=move.after.start_bytes + MIB))
    with pytest.raises((Refused, BadInput)):
        root.start(Moves((forged,)), (moves.drive.token,))
    assert not list_runs(work.runs) and digest(f"{path}p1") == before
    run = root.start(moves, (moves.drive.token,))
    told = list(root.follow(run))
    assert root.state(run) is state(run) is RunState.DONE and tuple(told) == read_entries(run)
    assert digest(f"{path}p1") == before and part_of(path, 1).start_bytes == move.after.start_bytes
    root.undo(run)
    assert root.state(run) is state(run) is RunState.UNDONE
    assert digest(f"{path}p1") == before and part_of(path, 1).start_bytes == move.before.start_bytes


def test_root_copies_files_reports_and_undoes_the_copy(
    root: Elevated, work: Work, make_drive: MakeDrive
) -> None:
    ways = Ways(work, make_drive)
    old, new = ways.source(), ways.target()
    before = sorted(path.name for path in old.place.iterdir() if path.name != "lost+found")
    bring = root.work_out(str(new.place), CopyFiles(str(old.place), str(new.place), "taken"))
    with pytest.raises(Refused, match="does not match"):
        root.start(bring, ("another",))
    with pytest.raises(Refused):
        root.work_out(str(old.place), CopyFiles(str(old.place), str(old.place), "inside"))
    assert not list_runs(work.runs) and not (new.place / "taken").exists()
    run = root.start(bring, bring.tokens)
    told = list(root.follow(run))
    assert root.state(run) is state(run) is RunState.DONE and tuple(told) == read_entries(run)
    assert sorted(path.name for path in (new.place / "taken").iterdir()) == before
    root.undo(run)
    assert root.state(run) is state(run) is RunState.UNDONE
    assert not (new.place / "taken").exists() and (new.place / "mine/file").read_text() == ROOTS
