"""A plain user of the one file becomes root on the way, by the programs that systems have for that."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.devices import Bench, in_own_namespace, tool
from tests.looks.terminal import Terminal
from wizard.model.units import MIB

pytestmark = pytest.mark.alone
NAME, NUMBER, PASSWORD = "diskwright-test", 60789, "open sesame"
SUDOERS = f"""Defaults !lecture, timestamp_timeout=0
root ALL=(ALL:ALL) ALL
{NAME} ALL=(ALL:ALL) ALL
"""
RULE = (
    'polkit.addRule(function (action, subject) { return subject.user == "%s" ? polkit.Result.YES : null; });'
)
OWN = ("etc", "srv", "home", "var/lib/diskwright")
"""Folders that a run writes to: of this test's own, where the program sees the machine's."""

ENTER = """
set -eu
for place in {own}; do mount --bind "{folder}/$place" "/$place"; done
mount -t tmpfs -o mode=755 tmpfs /run
{before}
setpriv --reuid={number} --regid={number} --init-groups env -i HOME=/home TERM=linux LANG=C.UTF-8 \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin {words}
"""
POLKIT = """
mount --bind /dev/null /usr/bin/sudo
mkdir /run/dbus
dbus-daemon --system --fork --nopidfile
pkaction >/dev/null
"""


@dataclass(frozen=True, slots=True)
class PlainUser:
    """A user with a password who may become root. They exist in a mount namespace only, as all that a run
    changes on the system."""

    folder: Path

    def argv(self, *words: str, before: str = "") -> tuple[str, ...]:
        """What runs these words as that user, after what root does `before`."""
        script = ENTER.format(
            own=" ".join(OWN), folder=self.folder, before=before, number=NUMBER, words=shlex.join(words)
        )
        # What is begun on the way, and its mounts, ends with it.
        apart = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
        return tuple(in_own_namespace(*apart, "sh", "-c", script))


@pytest.fixture
def user() -> Iterator[PlainUser]:
    folder = Path(tempfile.mkdtemp(prefix="diskwright-rights-"))
    folder.chmod(0o755)
    for name in OWN:
        (folder / name).mkdir(parents=True)
    tool("cp", "-aT", "/etc", str(folder / "etc"))
    hashed = subprocess.run(
        ("openssl", "passwd", "-6", "-stdin"), input=PASSWORD, capture_output=True, text=True, check=True
    ).stdout.strip()
    for name, line in {
        "passwd": f"{NAME}:x:{NUMBER}:{NUMBER}::/home:/bin/sh\n",
        "shadow": f"{NAME}:{hashed}:20000:0:99999:7:::\n",
    }.items():
        with (folder / "etc" / name).open("a") as file:
            file.write(line)
    for name, text in {
        "fstab": "",
        "sudoers": SUDOERS,
        "polkit-1/rules.d/00-test.rules": RULE % NAME,
    }.items():
        (folder / "etc" / name).write_text(text)
    (folder / "etc/sudoers").chmod(0o440)
    os.chown(folder / "home", NUMBER, NUMBER)
    try:
        yield PlainUser(folder)
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("before", ["", POLKIT], ids=["sudo", "pkexec"])
def test_a_plain_user_sets_a_drive_up(before: str, user: PlainUser, one_file: Path, bench: Bench) -> None:
    drive = bench.make_drive(256 * MIB)
    name = drive.removeprefix("/dev/")
    file = shutil.copy(one_file, user.folder)
    with Terminal(program=user.argv(file, before=before)) as terminal:
        terminal.until(name, 120)
        terminal.press("g")
        while not any(line.startswith(f"> {name} ") for line in terminal.screen.display):
            terminal.press("down")
            terminal.until(name)
        terminal.until("not read")
        terminal.press("o")
        if not before:
            terminal.until("assword")
            terminal.press(*PASSWORD, "enter")
        terminal.until("empty")
        terminal.press("enter")
        terminal.until("mostly hold")
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
