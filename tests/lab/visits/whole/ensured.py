"""Jobs: the real ansible-playbook sets up drives selected by model, size and bus. One is plugged in under
another name, and the next guest accepts the result."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import FSTAB, SHARED, digests, node_of, shown, tool
from tests.lab.visits.screens.hotplug import plug, pull
from tests.loop.ensure.playing import Playing
from wizard.apply.run.runs import list_runs
from wizard.model.errors import partition_path
from wizard.model.run import Check

LONG = 900.0
"""Time limit in seconds for a play. Ansible starts many processes, slow in a guest."""
PLACE = Path("/srv/lab/ensured")
KEPT = SHARED / "fstab"
"""Copy of fstab for the next guest, since the root filesystem is in memory."""


def _drive(name: str, bus: Bus, size_mib: int) -> EmulatedDrive:
    return EmulatedDrive(
        name,
        bus,
        serial=f"LAB-{name.upper()}",
        vendor="LAB" if bus is Bus.USB else None,
        model="Ensured Disk",
        logical_block_bytes=512,
        physical_block_bytes=512,
        size_bytes=size_mib * MIB,
    )


DATA, SMALL, INNER = (
    _drive("data", Bus.USB, 192),
    _drive("small", Bus.USB, 96),
    _drive("inner", Bus.SATA, 192),
)
TAKEN = virtio_drive("taken", 96 * MIB)
ENSURED_FLEET = Fleet("ensured", (SMALL, DATA, INNER, TAKEN))
OTHERS = (SMALL, INNER, TAKEN)
MEDIA = {
    "name": "media",
    "match": {"model": "*Ensured Disk", "size": "192MiB", "bus": "usb"},
    "volume": [{"workload": "large-media", "fs": "ext4", "mount": str(PLACE), "writable": "root"}],
}


def _as(wanted: dict[str, Any], **match: str) -> dict[str, Any]:
    return {**wanted, "match": match}


def ensured(fleet: Fleet) -> Iterator[Check]:
    """Check states: inspected, created, accepted, refused, and accepted under another name."""
    del fleet
    tool("mkfs.ext4", "-q", "-F", node_of(TAKEN))
    before, blank = digests([node_of(one) for one in OTHERS]), digests([node_of(DATA)])
    ansible = Playing(Path("/run/ansible"), LONG)
    taken = ansible.task(_as(MEDIA, serial=TAKEN.serial))
    twice = ansible.task(_as(MEDIA, model="*Ensured Disk", bus="usb"))
    media = ansible.task(MEDIA)

    (checked,), printed = ansible.play(media, words=("--check", "--diff"))
    yield Check("--check reports a change", _is(checked, "would-change"), shown(checked))
    yield Check("--check writes nothing", digests([node_of(DATA)]) == blank and not list_runs(), "")
    is_shown = '-  "table": "none"' in printed and '+      "filesystem": "ext4"' in printed
    yield Check("--diff shows before and after", is_shown, printed[-2000:])

    (refused, unclear, made, again), _ = ansible.play(taken, twice, media, media)
    yield Check(
        "a drive with data is refused",
        bool(refused.get("failed")) and 'replace = "' in str(refused.get("msg")),
        shown(refused),
    )
    yield Check("an ambiguous entry is refused", "2 drives match" in str(unclear.get("msg")), shown(unclear))
    yield Check("the first play changes the drive", _is(made, "changed"), shown(made))
    yield Check("the second play changes nothing", _is(again, "as-wanted"), shown(again))
    yield _is_mounted("the volume is mounted")
    (PLACE / "kept").write_text("kept")

    tool("umount", str(PLACE))
    old, new = _swapped()
    yield Check("the drive gets another node", old != new, f"{old} {new}")
    (back, again), _ = ansible.play(media, media)
    drive = (back.get("drives") or [{}])[0]
    yield Check(
        "the drive is found at its new node and mounted",
        _is(back, "changed") and drive["path"] == new,
        shown(back),
    )
    yield Check("the next play changes nothing", _is(again, "as-wanted"), shown(again))
    yield _is_mounted("the volume is mounted again")
    yield Check("the files are intact", (PLACE / "kept").exists(), "")
    after = digests([node_of(one) for one in OTHERS])
    yield Check("every byte of the other drives is unchanged", after == before, shown(after))
    tool("umount", str(PLACE))
    shutil.copy(FSTAB, KEPT)


def ensured_later(fleet: Fleet) -> Iterator[Check]:
    """After a reboot: the state mounted by fstab is accepted without the runs."""
    del fleet
    shutil.copy(KEPT, FSTAB)
    PLACE.mkdir(parents=True)
    node_of(DATA)
    tool("mount", str(PLACE))
    ansible = Playing(Path("/run/ansible"), LONG)
    (again,), _ = ansible.play(ansible.task(MEDIA))
    yield Check(
        "after a reboot, the play changes nothing", _is(again, "as-wanted") and not list_runs(), shown(again)
    )
    yield _is_mounted("fstab mounts the volume")


def _is(result: dict[str, Any], state: str) -> bool:
    """Return True if the task succeeded with its only drive in this state."""
    states = [drive["state"] for drive in result.get("drives", ())]
    changes = state != "as-wanted"
    return not result.get("failed") and result["changed"] is changes and states == [state]


def _is_mounted(what: str) -> Check:
    source = tool("findmnt", "-n", "-o", "SOURCE", str(PLACE), accept=(0, 1)).strip()
    return Check(what, source == partition_path(node_of(DATA), 1), source)


def _swapped() -> tuple[str, str]:
    """Swap two drives on their bus. Return the drive's old and new node."""
    old = node_of(DATA)
    by_name = sorted((DATA, SMALL), key=node_of)
    for drive in by_name:
        pull(drive)
    for drive in reversed(by_name):
        plug(drive)
    return old, node_of(DATA)


JOBS = {"ensured": ensured, "ensured-later": ensured_later}
VISITS = (
    Visit(
        "Ansible: created, accepted, refused, and found under another name",
        ENSURED_FLEET,
        ("ensured",),
        3600,
        udev=True,
        full_only=True,
    ),
    Visit(
        "Ansible: accepted after a reboot",
        ENSURED_FLEET,
        ("ensured-later",),
        1800,
        udev=True,
        full_only=True,
    ),
)
