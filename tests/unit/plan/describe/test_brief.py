"""The summary of steps in the final confirmation: complete and without repetition."""

from dataclasses import replace

from tests.unit.machines import drive, partition, partitioned
from tests.unit.plan.layouts import plan_for, spec
from wizard.model.layout import Writer
from wizard.model.machine import Signature
from wizard.model.said import GIB
from wizard.plan.request.plan_request import Mode
from wizard.plan.text import brief


def test_every_volume_shows_its_writer_and_mount() -> None:
    first = spec("ext4", size_bytes=10 * GIB, label="one", mount_point="/srv/one")
    first = replace(first, writer=Writer("person", "alice", 1000, 1000))
    last = spec("xfs", size_bytes=20 * GIB, label="two", mount_point="/srv/two")
    swap = spec("swap", size_bytes=GIB, label="three", mount_point="none")
    told = "\n".join(brief(plan_for(drive(), first, last, swap)))
    assert "ext4 filesystem 'one' on /dev/sda1. Write access: alice." in told
    assert "xfs filesystem 'two' on /dev/sda2. Write access: root only." in told
    assert "Mount /dev/sda1 at /srv/one, now and on every boot." in told
    assert "Mount /dev/sda2 at /srv/two, now and on every boot." in told
    assert "Use /dev/sda3 as swap, now and on every boot." in told
    # The table, three filesystems, two mounts and the swap; what only prepares for them is left out.
    assert len(told.splitlines()) == 7 and "old signatures" not in told


def test_erased_content_of_the_drive_stays_visible() -> None:
    plan = plan_for(partitioned(partition(1, filesystem="xfs")), spec("ext4", label="new"), mode=Mode.REPLACE)
    told = brief(plan)
    assert told[0] == "Clear the old signatures of /dev/sda and its partitions."
    assert sum("signatures" in sentence for sentence in told) == 1
    whole = drive(signatures=(Signature("xfs", "filesystem"),))
    told = brief(plan_for(whole, spec("ext4", label="new"), mode=Mode.REPLACE))
    assert told[0] == "Clear the signatures of xfs on the drive /dev/sda itself."
