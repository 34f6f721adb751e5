"""Conversions for an ordinary user: the root process inspects, starts, reports, undoes and keeps them, and
accepts files only from root."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.loop.lines.conversing import Conversation
from tests.loop.migrate.migrating import Old
from tests.loop.program import (
    BadInput,
    Event,
    Migration,
    Refused,
    RunState,
    Way,
    list_runs,
    make_migration,
    read_entries,
    state,
)
from tests.loop.root.rooting import Sudo, as_nobody
from wizard.apply.block.devices import facts_on
from wizard.apply.privilege import ask
from wizard.apply.privilege.ask import RootProgram as WayToRoot
from wizard.apply.privilege.client import Elevated
from wizard.operations.ext4 import CheckFiles


@pytest.fixture
def root(old: Old) -> Iterator[Elevated]:
    """The root process, as started by sudo."""
    made = Elevated(WayToRoot("nothing to ask", ()), old.work.runs)
    try:
        yield made
    finally:
        made._process.stdin.close()  # type: ignore[union-attr]
        made._process.wait(timeout=60)


def planned(root: Elevated, old: Old, way: Way = Way.LIGHT) -> Migration:
    return make_migration(root.look_at_ext(old.drive), way)


def test_root_inspects_converts_reports_and_undoes_bit_for_bit(root: Elevated, old: Old) -> None:
    before, token = old.digest, old.drive.removeprefix("/dev/")
    migration = planned(root, old)
    run = root.start(migration, (token,))
    told = list(root.follow(run))
    assert root.state(run) is state(run) is RunState.DONE
    assert tuple(told) == read_entries(run) and any(entry.event is Event.VERIFIED for entry in told)
    assert "extent" in facts_on(old.drive).features
    root.undo(run)
    assert root.state(run) is state(run) is RunState.UNDONE and old.digest == before
    assert tuple(root.follow(run)) == read_entries(run), "what undoing wrote into the journal is told, too"
    with pytest.raises(Refused):
        root.keep(run)


def test_root_checks_its_input(root: Elevated, old: Old) -> None:
    before, runs, token = old.digest, old.work.runs, old.drive.removeprefix("/dev/")
    with pytest.raises(Refused, match=re.escape(str(ask.NO_RUN))):
        root.undo(runs)
    migration = planned(root, old)
    silent = replace(migration, doubts=(*migration.doubts, "Nothing is lost."))
    with pytest.raises(Refused, match="explanations differ"):
        root.start(silent, (token,))
    with pytest.raises(Refused, match="does not match"):
        root.start(migration, ("another",))
    steps = (
        replace(migration.steps[0], operation=CheckFiles(repairs=True)),
        *migration.steps[1:],
    )
    with pytest.raises(BadInput, match="invalid steps"):
        root.start(replace(migration, steps=steps), (token,))
    with pytest.raises(BadInput, match="is not a device below /dev"):
        root.look_at_ext("/home/a\0b")
    assert not list_runs(runs) and old.digest == before


@pytest.mark.alone
def test_ordinary_user_converts_to_ext4_and_keeps_every_file(plain_folder: Path, old: Old) -> None:
    files = old.files("ext3")
    sudo = Sudo(plain_folder / "bin")
    argv = [*as_nobody(), "-m", "wizard", "--plain", "--journal", str(plain_folder / "runs")]
    wizard = Conversation(argv, PATH=f"{sudo.folder}{os.pathsep}{os.environ['PATH']}", HOME=str(plain_folder))

    def number(text: str, item: str) -> str:
        found = re.search(rf"(\d+)\. {item}", text)
        assert found, text
        return found[1]

    try:
        name = old.drive.removeprefix("/dev/")
        assert "m to ext4" not in wizard.asked("Step 1 of 5: Drives") and not sudo.calls
        wizard.answer("o")
        read = wizard.asked(f"{name}, ")
        assert "not read" not in read.partition(f"{name}, ")[2].partition(".")[0]
        assert len(sudo.calls) == 1
        wizard.answer(f"{number(read, f'{name}, ')} m")
        ways = wizard.asked("New files only")
        wizard.answer(number(ways, "New files only"), name)
        wizard.asked("K keep")
        wizard.answer("K", "y")
        wizard.until("Answer: ")
        assert wizard.ended() == 0, wizard.said
    finally:
        wizard.process.kill()
        sudo.close()
    (run,) = list_runs(plain_folder / "runs")
    assert state(run) is RunState.KEPT and run.stat().st_uid == 0
    assert "checks passed" in wizard.said and "power cut" in " ".join(wizard.said.split())
    assert len(sudo.calls) == 1, "root was asked for once"
    assert "extent" in facts_on(old.drive).features and old.files("ext4") == files
