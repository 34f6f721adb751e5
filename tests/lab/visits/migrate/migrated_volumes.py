"""Job: `diskwright migrate` for filesystems on volumes: LVM in LUKS, each of them alone, and md's mirror.
Killed in a step, found by other names after a reboot, resumed, and undone; and killed during the commit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL
from unittest.mock import patch

from tests.lab.drives.fleet import KIB, MIB, Bus, EmulatedDrive, Fleet
from tests.lab.drives.layers import Base, Luks, Lvm, Md, Stack
from tests.lab.drives.masonry import ALONE, PASSPHRASE, Built, build, lay_out, take_down
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SLOW, digest_of, node_of, shown, tool
from tests.lab.visits.migrate.migrations import (
    REST,
    STORE,
    ends,
    is_ext4,
    killed,
    migrate,
    mount_at_boot,
    prepare_rest,
    undone,
)
from tests.lab.visits.migrate.transactions import Change, make_old
from tests.lab.visits.migrate.transactions import migrate as make_ext4
from wizard.apply.block.extents import DeviceMedium
from wizard.apply.conversion.commit import locate
from wizard.model.run import Check
from wizard.operations.ext4 import proof
from wizard.process.program import run

BASES, SECOND = (
    EmulatedDrive(
        name,
        Bus.VIRTIO,
        serial=serial,
        logical_block_bytes=512,
        physical_block_bytes=4096,
        size_bytes=size_bytes,
    )
    for name, serial, size_bytes in (
        ("mig-bases", "LAB-MIG-BASES", 256 * MIB),
        ("mig-second", "LAB-MIG-SECOND", 48 * MIB),
    )
)
VOLUMES_FLEET, MORE_FLEET = (
    Fleet("migration-volume", (BASES, STORE)),
    Fleet("migration-volumes", (BASES, STORE, SECOND)),
)
MODULES = ("dm_mod", "dm_crypt", "raid1")
WITHIN = Stack("within", (Base(BASES.name, mib=56),), (Luks(2), Lvm()), (), ())
EACH = (
    Stack("mirror", (Base(BASES.name, mib=32), Base(BASES.name, mib=32)), (Md(1),), (), ()),
    Stack("luks", (Base(BASES.name, mib=48),), (Luks(2),), (), ()),
    Stack("lvm", (Base(BASES.name),), (Lvm(),), (), ()),
)
ACROSS = Stack("across", (Base(BASES.name, mib=32), Base(SECOND.name, mib=32)), (Md(1),), (), ())
EARLIER = "before-"
"""Name prefix of devices that appear first after a reboot, under the volume's old number."""
OTHER_ARRAY = "/dev/md5"
WRITES = 3
"""Number of writes in the commit before the process dies."""


def on_a_volume(fleet: Fleet) -> Iterator[Check]:
    """Check LVM in LUKS, as on most encrypted systems."""
    (built,) = _prepared(fleet, (WITHIN,))
    yield from _led_through(built)


def on_each_volume(fleet: Fleet) -> Iterator[Check]:
    """Check each kind alone, and one over two drives."""
    *each, across = _prepared(fleet, (*EACH, ACROSS))
    for built in each:
        yield from _led_through(built)
        yield from _killed_in_the_commit(built)
    node = _stands(across)
    before = digest_of(node)
    status, said = migrate(node, BASES.serial)
    yield Check(
        "two drives: migrate refuses, with the reason",
        status == 2 and "on one drive" in said,
        f"{status}: {said[-800:]}",
    )
    yield Check("two drives: nothing is written", digest_of(node) == before, "")


def _prepared(fleet: Fleet, stacks: tuple[Stack, ...]) -> list[Built]:
    for module in MODULES:
        tool("modprobe", module)
    prepare_rest(node_of(fleet[STORE.name]))
    drives = {base.drive for stack in stacks for base in stack.bases}
    return lay_out(
        Fleet(fleet.name, tuple(fleet[name] for name in drives)),
        {name: node_of(fleet[name]) for name in drives},
        stacks,
    )


def _stands(built: Built) -> str:
    """Build the layers with an old filesystem on top."""
    built.undo.clear()
    built.nodes.clear()
    build(built)
    (node,) = built.tops
    make_old(node, 4 * KIB)
    mount_at_boot(node)
    return node


def _led_through(built: Built) -> Iterator[Check]:
    node = _stands(built)
    before = digest_of(node)
    for check in _killed_and_restarted(built, node, before):
        yield Check(f"{built.stack.name}: {check.what}", check.holds, check.seen)
    take_down(built)


def _killed_and_restarted(built: Built, node: str, before: str) -> Iterator[Check]:
    yield from killed(node, before, BASES.serial, "--manifest")
    was = Path(node).stat().st_rdev
    node = _restart(built)
    yield Check("the device number changes with a reboot", Path(node).stat().st_rdev != was, shown(was))
    yield ends("killed in a step", "resume")
    yield from is_ext4(node)
    yield ends("resumed", "undo")
    yield from undone(node, before)


def _restart(built: Built) -> str:
    """Simulate a reboot: stop the run's devices, and assemble the volume under another name or after
    another one. Return its node."""
    names = tool("dmsetup", "info", "-c", "--noheadings", "-o", "name").split()
    tool("losetup", "--detach-all")
    take_down(built)
    earlier = sum(name.startswith(EARLIER) for name in names)
    tool(*ALONE, "dmsetup", "create", f"{EARLIER}{earlier}", "--table", "0 8 zero")
    for step, below in zip(
        built.stack.steps, (built.partitions, *([node] for node in built.nodes)), strict=False
    ):
        match step:
            case Luks():
                run(
                    [*ALONE, "cryptsetup", "open", "--key-file", "-", *below, f"open-{built.stack.name}"],
                    seconds=SLOW,
                    stdin=PASSPHRASE,
                )
            case Lvm():
                tool(*ALONE, "vgchange", "-q", "-ay", built.tops[0].rpartition("/")[2].rpartition("-")[0])
            case Md():
                tool(*ALONE, "mdadm", "--assemble", "--run", OTHER_ARRAY, *below)
                built.tops, built.undo = [OTHER_ARRAY], [(*ALONE, "mdadm", "--stop", "--quiet", OTHER_ARRAY)]
    return built.tops[0]


def _killed_in_the_commit(built: Built) -> Iterator[Check]:
    """Kill the process between two writes to the device. The next one resumes after a reboot, and undoes
    it."""
    name, node, folder = f"{built.stack.name}, the commit", _stands(built), REST / f"cut-{built.stack.name}"
    before = digest_of(node)
    folder.mkdir(mode=0o700)
    change = Change(folder, node)
    wanted = change.rehearse(make_ext4)
    if (child := os.fork()) == 0:
        _dies_committing(change)
    _, status = os.waitpid(child, 0)
    yield Check(f"{name}: the commit is killed", os.waitstatus_to_exitcode(status) == -SIGKILL, shown(status))
    yield Check(
        f"{name}: half replaced, the volume is neither old nor new",
        digest_of(node) not in (before, wanted),
        "",
    )
    mounted = run(("mount", "-o", "ro", node, "/mnt"), seconds=SLOW, accept=range(256))
    yield Check(f"{name}: half replaced, the volume cannot be mounted", mounted.status != 0, mounted.output)
    node = _restart(built)
    again = Change(folder, *locate(folder))
    again.commit()
    yield Check(f"{name}: the resumed commit equals the scratch copy", digest_of(node) == wanted, "")
    tool(*proof(node))
    again.undo()
    yield Check(f"{name}: undo restores every byte", digest_of(node) == before, "")
    take_down(built)


def _dies_committing(change: Change) -> None:
    """Die during the commit. Never returns."""
    left, write = WRITES, DeviceMedium.write

    def counted(medium: DeviceMedium, offset_bytes: int, data: bytes) -> None:
        nonlocal left
        write(medium, offset_bytes, data)
        medium.flush()
        left -= 1
        if left == 0:
            os.kill(os.getpid(), SIGKILL)

    try:
        with patch.object(DeviceMedium, "write", counted):
            change.commit()
    finally:
        os._exit(1)


JOBS = {"migration-on-a-volume": on_a_volume, "migration-on-each-volume": on_each_volume}
VISITS = (
    Visit(
        "ext3 to ext4 on LVM in LUKS: killed, found after a reboot, resumed, undone",
        VOLUMES_FLEET,
        ("migration-on-a-volume",),
        1800,
        udev=False,
        full_only=True,
    ),
    Visit(
        "ext3 to ext4 on LUKS, on LVM and on a mirror",
        MORE_FLEET,
        ("migration-on-each-volume",),
        3600,
        udev=False,
        full_only=True,
    ),
)
