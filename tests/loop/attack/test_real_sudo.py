"""The real sudo with a password: hostile variables that it passes on reach no tool."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import ROOT, Work, fill, old_gpt, spec
from tests.loop.lines.conversing import Window
from tests.loop.program import MIB, PLANS, Mode, RunState, list_runs, state
from tests.loop.root.real_user import NAME, PASSWORD, RealUser, real_user
from tests.loop.root.rooting import require_reach

SUDOERS = f"""Defaults !lecture, !mail_badpass, timestamp_timeout=0, passwd_tries=2
root ALL=(ALL:ALL) ALL
{NAME} ALL=(ALL:ALL) SETENV: ALL
"""
"""The worst that an administrator could write: no safe path, and -E takes along whatever is there."""


@pytest.fixture
def user() -> Iterator[RealUser]:
    require_reach()
    with real_user(SUDOERS) as made:
        yield made


def traps_in(folder: Path) -> tuple[dict[str, str], Path]:
    """Return an environment that leads to hostile programs and files, and the file that they write when
    used."""
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    sprung = folder / "sprung"
    for name in ("mkfs.ext4", "wipefs", "e2fsck", "sfdisk", "blkid", "python3", "sh"):
        (folder / name).write_text(f"#!/bin/sh\necho {name} >>{sprung}\nexit 1\n")
        (folder / name).chmod(0o755)
    (folder / "sitecustomize.py").write_text(
        f"import os\nif os.geteuid() == 0:\n    open({str(sprung)!r}, 'a').write('sitecustomize')\n"
    )
    (folder / "mke2fs.conf").write_text("[defaults]\nbase_features = none\ndefault_features = none\n")
    environment = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(folder),
        "PYTHONSTARTUP": str(folder / "sitecustomize.py"),
        "BASH_ENV": str(folder / "sh"),
        "ENV": str(folder / "sh"),
        "MKE2FS_CONFIG": str(folder / "mke2fs.conf"),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LC_ALL": "C.UTF-8",
    }
    return environment, sprung


@pytest.mark.alone
def test_sudo_asks_for_a_password_and_ignores_hostile_variables(
    user: RealUser, work: Work, make_drive: MakeDrive
) -> None:
    drive = make_drive(96 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    before = work.digest(drive)
    environment, sprung = traps_in(user.folder / "trap")
    plan = user.folder / "plan.json"
    plan.write_text(PLANS.render(work.plan(drive, spec("ext4"), mode=Mode.REPLACE)))
    sudo = str(shutil.which("sudo"))
    apply = (str(ROOT / "diskwright"), "apply", str(plan), "--journal", str(work.runs), "--confirm")
    words = (sudo, "-E", *apply, drive.removeprefix("/dev/"))

    refused = Window(user.command(*words, **environment))
    for _ in range(2):
        refused.until("assword", ":")
        refused.answer("wrong")
    assert refused.ended() == 1, refused.said
    assert work.digest(drive) == before and not list_runs(work.runs)

    state_of_theirs = environment | {"DISKWRIGHT_STATE": str(user.folder / "trap/state")}
    theirs = Window(user.command(*words, **state_of_theirs))
    theirs.until("assword", ":")
    theirs.answer(PASSWORD)
    assert theirs.ended() == 3 and "so DISKWRIGHT_STATE cannot name it. Nothing was written." in theirs.said
    assert not sprung.exists(), sprung.read_text()
    assert work.digest(drive) == before and not list_runs(work.runs)

    granted = Window(user.command(*words, **environment))
    granted.until("assword", ":")
    granted.answer(PASSWORD)
    assert granted.ended() == 0, granted.said
    (run,) = list_runs(work.runs)
    assert state(run) is RunState.WAITING, granted.said
    assert not sprung.exists(), sprung.read_text()

    kept = Window(user.command(sudo, "-E", str(ROOT / "diskwright"), "keep", str(run), **environment))
    kept.until("assword", ":")
    kept.answer(PASSWORD)
    assert kept.ended() == 0 and state(run) is RunState.KEPT, kept.said
    assert not sprung.exists(), sprung.read_text()
    assert "has_journal" in tool("dumpe2fs", "-h", f"{drive}p1")
