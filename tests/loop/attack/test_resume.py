"""A run whose process was killed, and somebody who used the drive before it was taken up again."""

import os
import signal
from pathlib import Path

import pytest

from tests.devices import MakeDrive, forget_partitions, tool
from tests.loop.applying import Work, ended, gate, old_gpt, stand_in, story, until, wish
from tests.loop.attack.attacking import unharmed
from tests.loop.program import MIB, Mode, Plan, Refused, RunState, resume, state, undo

pytestmark = pytest.mark.usefixtures("direct")


def killed_at(work: Work, plan: Plan, monkeypatch: pytest.MonkeyPatch, program: str, call: int) -> Path:
    """A run whose process died while that call of a program was under way; the program itself was never
    run."""
    folder, opened = work.folder / "bin", work.folder / "opened"
    count = (
        f"[ $# -gt 1 ] && echo . >> {folder}/calls; [ $# -gt 1 ] && [ $(wc -l < {folder}/calls) -eq {call} ]"
    )
    real = gate(program, opened).splitlines()
    stand_in(folder, monkeypatch, program, f"if {count}; then {real[0]}; sleep 0.3; exit 1; fi\n{real[-1]}")
    run = work.start(plan)
    until(Path(f"{opened}.reached").exists)
    os.kill(int((run / "pid").read_text()), signal.SIGKILL)
    (folder / program).unlink()
    until(lambda: state(run) is RunState.INTERRUPTED)
    return run


@pytest.fixture
def old(make_drive: MakeDrive) -> str:
    drive = make_drive(128 * MIB)
    old_gpt(drive)
    tool("mkfs.ext4", "-q", "-L", "second", f"{drive}p2")
    return drive


def refuses(work: Work, drive: str, run: Path, *take_up: object) -> None:
    with unharmed(work, drive):
        for go_on in take_up:
            assert callable(go_on)
            with pytest.raises(Refused, match=r"changed (at byte|after)|did not make"):
                go_on(run)


def test_the_drive_was_given_a_filesystem_of_its_own(
    work: Work, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = killed_at(work, work.plan(old, wish("ext4"), mode=Mode.REPLACE), monkeypatch, "wipefs", 2)
    forget_partitions(old)
    tool("mkfs.ext4", "-q", "-F", "-L", "mine", old)
    refuses(work, old, run, resume, undo)


def test_an_old_partition_was_formatted_anew(work: Work, old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = killed_at(work, work.plan(old, wish("ext4"), mode=Mode.REPLACE), monkeypatch, "wipefs", 5)
    tool("mkfs.ext4", "-q", "-F", "-L", "mine", f"{old}p1")
    refuses(work, old, run, resume, undo)


@pytest.mark.parametrize("partition", ["p1", "p2"])
def test_a_new_partition_was_formatted_by_hand(
    work: Work, old: str, monkeypatch: pytest.MonkeyPatch, partition: str
) -> None:
    """The one whose filesystem was being made, or the one that was to be next."""
    plan = work.plan(old, wish("ext4", 32 * MIB), wish("ext4"), mode=Mode.REPLACE)
    run = killed_at(work, plan, monkeypatch, "mkfs.ext4", 1)
    tool("mkfs.ext4", "-q", "-F", "-L", "mine", f"{old}{partition}")
    refuses(work, old, run, resume)


def test_a_partition_that_stays_may_be_used_meanwhile(
    work: Work, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = work.plan(old, wish("ext4", 32 * MIB), mode=Mode.USE_FREE)
    run = killed_at(work, plan, monkeypatch, "mkfs.ext4", 1)
    tool("mkfs.ext4", "-q", "-F", "-L", "mine", f"{old}p2")
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert tool("blkid", "--probe", "--match-tag", "LABEL", "--output", "value", f"{old}p2").strip() == "mine"
