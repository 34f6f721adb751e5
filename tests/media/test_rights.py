"""An ordinary user of the one file gets root privileges on the way, by the programs of the system."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devices import Bench, tool
from tests.looks.terminals.terminal import Terminal
from tests.loop.root.real_user import NAME, PASSWORD, RealUser, real_user
from wizard.model.said import MIB

pytestmark = pytest.mark.alone
SUDOERS = f"""Defaults !lecture, timestamp_timeout=0
root ALL=(ALL:ALL) ALL
{NAME} ALL=(ALL:ALL) ALL
"""
RULE = f"""polkit.addRule(function (action, subject) {{
    return subject.user == "{NAME}" ? polkit.Result.YES : null;
}});
"""
RUN = "mount -t tmpfs -o mode=755 tmpfs /run\n"
POLKIT = f"""{RUN}
mount --bind /dev/null /usr/bin/sudo
mkdir /run/dbus
dbus-daemon --system --fork --nopidfile
pkaction >/dev/null
"""


@pytest.fixture
def user() -> Iterator[RealUser]:
    """A user with folders for the files of a run."""
    with real_user(SUDOERS, "srv", "var/lib/diskwright") as made:
        (made.folder / "etc/fstab").write_text("")
        (made.folder / "etc/polkit-1/rules.d/00-test.rules").write_text(RULE)
        yield made


@pytest.mark.parametrize("before", [RUN, POLKIT], ids=["sudo", "pkexec"])
def test_plain_user_sets_up_a_drive(before: str, user: RealUser, one_file: Path, bench: Bench) -> None:
    drive = bench.make_drive(256 * MIB)
    name = drive.removeprefix("/dev/")
    file = str(shutil.copy(one_file, user.folder))
    command = user.command(file, before=before, HOME="/home", TERM="linux")
    with Terminal(program=tuple(command)) as terminal:
        terminal.until(name, 120)
        terminal.press("g")
        while not any(line.startswith(f"> {name} ") for line in terminal.screen.display):
            terminal.press("down")
            terminal.until(name)
        terminal.until("not read")
        terminal.press("o")
        if before == RUN:
            terminal.until("assword")
            terminal.press(*PASSWORD, "enter")
        terminal.until("empty")
        terminal.press("enter")
        terminal.until("will you store")
        terminal.press("enter")
        terminal.until("Volumes")
        terminal.press("enter")
        terminal.until(f"Set up {drive}")
        bench.own(drive)
        terminal.press(*name, "enter")
        terminal.until("ready", 120)
        terminal.press("q")
        assert terminal.ended() == 0
    assert "/srv/media" in (user.folder / "etc/fstab").read_text()
    assert tool("blkid", "-p", "-o", "value", "-s", "LABEL", f"{drive}p1").strip() == "media"
