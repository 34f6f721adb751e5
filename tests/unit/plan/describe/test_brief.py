"""The summary of steps in the final confirmation: complete and without repetition."""

from dataclasses import replace

from tests.unit.machines import drive, partition, partitioned
from tests.unit.plan.layouts import choice, plan_for, spec
from wizard.model.layout import Writer
from wizard.model.said import GIB
from wizard.plan.planner import Mode
from wizard.plan.text import brief


def test_every_volume_shows_its_options_writer_and_mount() -> None:
    first = spec("ext4", size_bytes=10 * GIB, label="one", mount_point="/srv/one")
    first = replace(first, choice=choice("ext4", ("-m 0",)), writer=Writer("person", "alice", 1000, 1000))
    last = spec("xfs", size_bytes=20 * GIB, label="two", mount_point="/srv/two")
    swap = spec("swap", size_bytes=GIB, label="three", mount_point="none")
    told = "\n".join(brief(plan_for(drive(), first, last, swap)))
    assert "ext4 filesystem 'one' on /dev/sda1. Options: -m 0. Write access: alice." in told
    assert "xfs filesystem 'two' on /dev/sda2. Write access: root only." in told
    assert "Mount /dev/sda1 at /srv/one, now and on every boot." in told
    assert "Mount /dev/sda2 at /srv/two, now and on every boot." in told
    assert "Use /dev/sda3 as swap, now and on every boot." in told
    # The table, three filesystems, two mounts and the swap; what only prepares for them is left out.
    assert len(told.splitlines()) == 7 and "old signatures" not in told


def test_erased_content_of_the_drive_stays_visible() -> None:
    plan = plan_for(partitioned(partition(1, filesystem="xfs")), spec("ext4", label="new"), mode=Mode.REPLACE)
    told = "\n".join(brief(plan))
    erased = [step.sentence for step in plan.steps if getattr(step.operation, "expected", ())]
    assert erased and all(sentence in told for sentence in erased)
