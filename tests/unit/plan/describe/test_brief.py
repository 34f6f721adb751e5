"""The summary of steps in the final confirmation: complete and without repetition."""

from msgspec.structs import replace

from tests.unit.machines import drive, partition, partitioned
from tests.unit.plan.layouts import plan_for, spec
from wizard.model.layout import Writer
from wizard.model.said import GIB
from wizard.plan.request.plan_request import Mode
from wizard.plan.text import brief, inside_sentences, losses


def test_operations_of_one_kind_share_a_sentence() -> None:
    first = spec("ext4", size_bytes=10 * GIB, label="one", mount_point="/srv/one")
    first = replace(first, writer=Writer("person", "alice", 1000, 1000))
    last = spec("xfs", size_bytes=20 * GIB, label="two", mount_point="/srv/two")
    swap = spec("swap", size_bytes=GIB, label="three", mount_point="none")
    plan = plan_for(drive(), first, last, swap)
    assert brief(plan)[1:] == (
        "Create ext4 one, XFS two and swap three.",
        "Mount /srv/one and /srv/two, now and on every boot.",
        "Use /dev/sda3 as swap, now and on every boot.",
    )
    assert inside_sentences(plan) == ("one: writable by alice.", "two: writable by root only.")


def test_volumes_of_one_label_are_told_apart() -> None:
    plan = plan_for(drive(), *[spec("ext4", size_bytes=GIB, label="data")] * 2)
    made = [sentence for sentence in brief(plan) if sentence.startswith("Create")]
    assert made[0] == "Create ext4 data." and "/dev/sda2" in made[1]


def test_lost_contents_are_named_once_with_the_losses() -> None:
    plan = plan_for(partitioned(partition(1, filesystem="xfs")), spec("ext4", label="new"), mode=Mode.REPLACE)
    assert "xfs" not in " ".join(brief(plan)) and "/dev/sda1: xfs" in losses(plan)[0]
