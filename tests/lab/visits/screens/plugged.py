"""Jobs: a stick is plugged in while the wizard lists the drives on the text console, and a user with sudo
sets it up with a few keys. The power fails during the write; in the next guest the run is resumed, and the
user writes a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet, Pace, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SLOW, cut_power, keep_runs_at, node_of, shown, tool
from tests.lab.guest.screen import TERMINAL, Console
from tests.lab.visits.screens.console import PURPOSE, WHAT, ends, flat, is_read, look, short
from tests.lab.visits.screens.hotplug import is_writing, plug, pull
from wizard.apply.engine.record import load_record
from wizard.apply.run.runs import list_runs
from wizard.model.errors import ExitCode, partition_path
from wizard.model.run import Check
from wizard.process.program import run
from wizard.ui.screens.review import ENOUGH

STICK = EmulatedDrive(
    "stick",
    Bus.USB,
    serial="LAB-7C31",
    vendor="LAB",
    model="Plugged Stick",
    logical_block_bytes=512,
    physical_block_bytes=512,
    size_bytes=128 * MIB,
    removable=True,
    media=Pace(100, charges_rewrites=False),
)
"""Slow, so that the power cut hits the write. Only udev knows the serial number."""
STORE = virtio_drive("runs", 64 * MIB)
"""Stores the runs after the guest's end."""
PLUGGED_FLEET = Fleet("plugged", (STORE, STICK))
KEPT = Path("/kept")
PERSON = "anna"
PLACE = Path("/srv/backup")
KEYS = ("enter", "up", "up", "enter", "enter")
"""Keys from the list to the last question: set up, archives and backups, plan, review."""
MAX_KEYS = 9


def cut_off(fleet: Fleet) -> Iterator[Check]:
    """Plug the stick in, set it up, and cut the power during the write."""
    store, stick = node_of(fleet[STORE.name]), fleet[STICK.name]
    _modules()
    tool("mkfs.ext4", "-q", "-F", store)
    _machine_of_a_person(store)
    pull(stick)
    with _wizard() as console:
        console.until(lambda: is_read(console, store))
        node = plug(stick)
        console.until(lambda: is_read(console, node) and "was plugged in" in console.text)
        yield from look(console, "plugged in", 1)
        yield from _to_the_last_question(console, stick)
        console.press("enter")
        limit = monotonic() + SLOW
        while not is_writing():
            assert monotonic() < limit, f"no write to the stick\n{console.text}"
            sleep(0.01)
        yield Check("power cut while the stick is written", True, "")
        cut_power()


def gone_on_with(fleet: Fleet) -> Iterator[Check]:
    """After the reboot: the interrupted run is listed first, and resumes after the serial number."""
    store, stick = node_of(fleet[STORE.name]), fleet[STICK.name]
    _modules()
    _machine_of_a_person(store)
    node = node_of(stick)
    phases = [record.phase for one in list_runs() if (record := load_record(one)) is not None]
    yield Check("the run was interrupted during the write", is_writing(), shown(phases))
    with _wizard() as console:
        console.until(lambda: "not finished" in console.text and "reading .." not in console.text)
        yield Check("the interrupted run is selected", f"> ! {short(node)}" in flat(console), console.text)
        yield from look(console, "interrupted", 1)
        console.press("enter", then="go on")
        yield from look(console, "run", 5)
        console.press("G", then="Go on?")
        yield from look(console, "resume")
        console.press(f"={stick.serial}", then=f"[{stick.serial}")
        console.press("enter", then=f"ready at {PLACE}")
        yield Check(
            "the wizard shows mount point and owner", f"writable by {PERSON}." in flat(console), console.text
        )
        yield from look(console, "ready", 5)
        console.press("enter", then=lambda: "not finished" not in console.text)
        console.press("q")
        yield ends(console, ExitCode.DONE)
    yield from _is_used(partition_path(node, 1))
    yield Check("only one run exists", len(list_runs()) == 1, shown([one.name for one in list_runs()]))


def _to_the_last_question(console: Console, stick: EmulatedDrive) -> Iterator[Check]:
    opened, *chosen, planned, reviewed = KEYS
    console.press(opened, then=PURPOSE)
    console.press(*chosen, then="> Archives and backups")
    yield from look(console, "purpose", 2)
    console.press(planned, then="Volumes")
    yield Check(
        "the plan shows mount point and owner",
        f"{PLACE} " in console.text and f"{PERSON} " in console.text,
        console.text,
    )
    yield from look(console, "plan", 3)
    console.press(reviewed, then=lambda: WHAT in console.text and "Rehearsing on" not in flat(console))
    yield Check("the wizard announces no data loss", "Nothing is lost." in console.text, console.text)
    console.press(f"={stick.serial[-ENOUGH:]}", then=f"[{stick.serial[-ENOUGH:]}")
    yield from look(console, "review", 4)
    count = len(KEYS) + 1
    yield Check(f"{count} keys and {ENOUGH} characters are enough", count <= MAX_KEYS, str(count))


def _is_used(device: str) -> Iterator[Check]:
    """Check as the user, without root."""
    mounted = tool("findmnt", "-n", "-o", "SOURCE,FSTYPE", str(PLACE)).split()
    yield Check("the volume is mounted as planned", mounted == [device, "ext4"], shown(mounted))
    file = PLACE / "letter"
    wrote = run(_as_person("sh", "-c", f"echo Hello > {file}"), seconds=SLOW, accept=range(256))
    yield Check("the user can write a file", wrote.status == 0, wrote.errors)
    yield Check(
        "the file belongs to the user",
        file.exists() and file.owner() == PERSON,
        tool("ls", "-la", str(PLACE)),
    )


def _modules() -> None:
    for module in ("dm_snapshot", "loop", "ext4"):
        tool("modprobe", module)


def _machine_of_a_person(store: str) -> None:
    """Prepare a machine with runs that outlive the guest, and a user with sudo."""
    KEPT.mkdir()
    tool("mount", store, str(KEPT))
    keep_runs_at(KEPT)
    tool("useradd", "--create-home", PERSON)
    rule = Path("/etc/sudoers.d/person")
    rule.write_text(f"{PERSON} ALL=(ALL) NOPASSWD: ALL\n")
    rule.chmod(0o440)
    tool("chown", PERSON, str(TERMINAL))


def _as_person(*argv: str) -> tuple[str, ...]:
    return ("runuser", "-u", PERSON, "--", *argv)


def _wizard() -> Console:
    return Console(_as_person("sudo", "-n", sys.executable, "-m", "wizard"))


JOBS = {"plugged-cut-off": cut_off, "plugged-gone-on-with": gone_on_with}
VISITS = (
    Visit(
        "a new stick is set up on a text console by a user with sudo: power cut",
        PLUGGED_FLEET,
        ("plugged-cut-off",),
        600,
        udev=True,
        screen=True,
        full_only=True,
    ),
    Visit(
        "a new stick is set up on a text console by a user with sudo: resumed",
        PLUGGED_FLEET,
        ("plugged-gone-on-with",),
        600,
        udev=True,
        screen=True,
        full_only=True,
    ),
)
