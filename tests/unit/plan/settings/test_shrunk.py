"""Shrinking one partition: refusals, display, and the places that offer the action."""

import re

import pytest
from msgspec.structs import replace

from tests.unit.machines import machine, mbr, partition, partitioned
from tests.unit.plan.layouts import EVERYTHING, plan_for, spec
from tests.unit.ui.live import Live, menu
from tests.unit.ui.person import Person
from tests.unit.ui.screens.test_drives import at
from wizard.cli.main import parser_of
from wizard.host.services import Services
from wizard.model.errors import BadInput, Refused
from wizard.model.machine import Drive, Partition, Signature, Use
from wizard.model.said import GIB, KIB, MIB, parse_size
from wizard.operations.filesystem import GrowFilesystem, ShrinkFilesystem
from wizard.plan.documents import PLANS
from wizard.plan.partition.move_target import planned_move
from wizard.plan.partition.possible import how_to_free, least_bytes, why_not_delete, why_not_shrink
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import DeletePart, Mode, ResizePart
from wizard.plan.text import losses
from wizard.ui.jobs.job import PlanJob

PART = "/dev/sda1"
TAKEN = 160 * MIB


def holding(
    filesystem: str | None = "ext4",
    *uses: Use,
    taken: int | None = TAKEN,
    features: tuple[int, int, int] = (0x4, 0x40, 0),
    start: int = MIB,
    size: int = GIB,
) -> tuple[Drive, Partition]:
    """Return a drive with a partition of 1 GiB with `taken` bytes used, directly followed by another."""
    mark = Signature(filesystem or "", "filesystem", taken_bytes=taken, features=features)
    part = partition(1, start, size, signatures=(mark,) if filesystem else ())
    on = partitioned(part, partition(2, start + size, GIB, filesystem="xfs"), uses=uses)
    return on, on.partitions[0]


def shrunk(on: Drive, part: Partition, size: int = 500 * MIB) -> Plan:
    return make_plan(machine(on, tools=EVERYTHING), (on,), ResizePart(part, size, grows=False))


@pytest.mark.parametrize("filesystem", ["ext2", "ext3", "ext4"])
def test_filesystem_shrinks_before_its_partition(filesystem: str) -> None:
    plan = shrunk(*holding(filesystem), 500 * MIB - 5)
    PLANS.check(plan)
    assert PLANS.read(PLANS.render(plan), "it") == plan
    assert [(slot.number, slot.start_bytes, slot.size_bytes) for slot in plan.after.slots[:3]] == [
        (0, plan.after.slots[0].start_bytes, MIB - plan.after.slots[0].start_bytes),
        (1, MIB, 500 * MIB),
        (0, 501 * MIB, 524 * MIB),
    ]
    shrink, table = plan.steps
    assert shrink.operation == ShrinkFilesystem(PART, filesystem, 500 * MIB)
    assert shrink.commands[-1] == ("resize2fs", "-p", PART, f"{500 * KIB}K")
    assert "preserving all files" in shrink.sentence and "freeing the end" in table.sentence
    assert any("today's date" in str(doubt) for doubt in plan.doubts)
    assert not any(step.destroys for step in plan.steps) and "All of" not in " ".join(losses(plan))
    job = PlanJob(Services(machine(), ""), plan)
    assert str(job.title) == f"Shrink {PART}" and job.keeps_all


def test_forged_plan_does_not_shrink_otherwise() -> None:
    plan = shrunk(*holding())
    shrink, table = plan.steps
    slots = tuple(replace(one, filesystem="xfs" if one.number else None) for one in plan.before.slots)
    more = replace(plan.after.partitions[0], size_bytes=400 * MIB)
    for forged in (
        replace(plan, part=2),
        replace(plan, steps=(table, shrink)),
        replace(plan, steps=(table,)),
        replace(plan, before=replace(plan.before, slots=slots)),
        replace(plan, after=replace(plan.after, slots=(plan.after.slots[0], more, *plan.after.slots[2:]))),
        *(
            replace(plan, steps=(replace(shrink, operation=other), table))
            for other in (
                ShrinkFilesystem(PART, "ext4", 400 * MIB),
                ShrinkFilesystem("/dev/sda2", "ext4", 500 * MIB),
                GrowFilesystem(PART, "ext4", 500 * MIB),
            )
        ),
    ):
        with pytest.raises(BadInput):
            PLANS.check(forged)


def logical() -> tuple[Drive, Partition]:
    on = partitioned(
        partition(1, MIB, 20 * GIB, type="0x05", kernel_size_bytes=1024),
        partition(5, 2 * MIB, GIB, filesystem="ext4", type="0x83"),
        table=mbr(),
    )
    return on, on.partitions[1]


AROUND = f"Copy the files to a smaller volume instead: `diskwright bring {PART} VOLUME`."
MOUNTED = Use("mounted", PART, "/srv")
NEVER = {
    "XFS": (holding("xfs"), f"XFS cannot shrink. {AROUND}"),
    "JFS": (holding("jfs"), f"JFS cannot shrink. {AROUND}"),
    "a mounted XFS": (holding("xfs", MOUNTED), "XFS cannot shrink."),
    "F2FS": (holding("f2fs"), f"F2FS cannot shrink. {AROUND}"),
    "nothing in it": (holding(None), "No resizable content recognised on /dev/sda1"),
    "a logical one": (logical(), "is a logical partition"),
    "mounted": (
        holding("ext4", MOUNTED),
        f"can only shrink unmounted. Run `diskwright unmount {PART}` first.",
    ),
    "in use otherwise": (holding("ext4", Use("holder", PART, "/dev/mapper/x")), "is in use"),
    "cut off": (
        holding(features=(0x4, 0x44, 0)),
        f"was not unmounted cleanly. Check the filesystem first: `e2fsck -f {PART}`.",
    ),
    "full": (holding(taken=GIB - 20 * MIB), "cannot shrink: files and metadata use"),
}


@pytest.mark.parametrize("which", NEVER)
def test_impossible_shrink_gives_a_reason_and_a_remedy(which: str) -> None:
    (on, part), said = NEVER[which]
    assert said in str(why_not_shrink(on, part))
    with pytest.raises(Refused):
        shrunk(on, part)


def filled(on: Drive, part: Partition) -> Drive:
    """Return the drive with this partition alone, extended to the end."""
    size = (on.size_bytes or 0) - 2 * MIB
    return partitioned(replace(part, size_bytes=size, kernel_size_bytes=size), uses=on.uses)


@pytest.mark.parametrize("which", ["known", "unknown", "XFS", "F2FS", "nothing in it", "cut off"])
def test_full_drive_names_the_command_that_frees_space(which: str) -> None:
    on, part = {**NEVER, "known": (holding(), ""), "unknown": (holding(taken=None), "")}[which][0]
    on = filled(on, part)
    with pytest.raises(BadInput, match="needs ") as refused:
        plan_for(on, spec("ext4"), mode=Mode.USE_FREE)
    said = str(refused.value)
    why = why_not_shrink(on, on.partitions[0])
    found = re.findall(r"`diskwright (plan [^`]* --(?:shrink|delete)[^`]*)`", said)
    assert (why is None or str(why) in said) and "already has" not in said
    for asked in (parser_of("plan").parse_args(command.split()[1:]) for command in found):
        assert asked.delete is (why is not None) and asked.devices == [PART]
        plan_shrink = asked.shrink and shrunk(on, on.partitions[0], parse_size(asked.shrink))
        assert plan_shrink or make_plan(machine(on, tools=EVERYTHING), (on,), DeletePart(on.partitions[0]))
    assert bool(found) is (why is None or why_not_delete(on, on.partitions[0]) is None)


def test_partition_with_the_most_free_space_shrinks() -> None:
    on, part = holding(taken=GIB - 20 * MIB)
    size = (on.size_bytes or 0) - GIB - 2 * MIB
    free = partition(2, GIB + MIB, size, signatures=holding("ntfs")[1].signatures)
    assert "plan /dev/sda2 --shrink" in str(how_to_free(partitioned(part, free)))
    assert how_to_free(partitioned()) is None


def test_ntfsresize_resizes_ntfs_and_windows_is_mentioned() -> None:
    on, part = holding("ntfs")
    plan = shrunk(on, part)
    PLANS.check(plan)
    assert PLANS.read(PLANS.render(plan), "it") == plan
    shrink = plan.steps[0]
    assert [argv[2] for argv in shrink.commands] == ["--no-action", "--force"]
    assert shrink.commands[1][-3:] == ("--size", str(500 * MIB), PART)
    assert any("`chkdsk /f`" in str(doubt) for doubt in plan.doubts)
    with pytest.raises(Refused, match="ntfsresize is not installed"):
        make_plan(machine(on), (on,), ResizePart(part, 500 * MIB, grows=False))


def test_minimum_size_leaves_a_margin_and_is_accepted() -> None:
    on, part = holding()
    least = least_bytes(on, part)
    assert TAKEN + 10 * MIB < least < TAKEN + 20 * MIB
    with pytest.raises(Refused, match="Request at least 178 MiB"):
        shrunk(on, part, least - MIB - 1)
    assert shrunk(on, part, least).after.partitions[0].size_bytes == least
    for size in (GIB, 2 * GIB, GIB - 1):
        with pytest.raises(Refused, match="already has"):
            shrunk(on, part, size)


def entry_of(on: Drive, part: Partition) -> tuple[str, str, str]:
    (entry,) = (one for one in menu(Live(), part.path, on) if one.name == "adjust")
    return entry.key, str(entry.says), str(entry.why_not)


def test_menu_offers_shrinking_or_gives_the_reason() -> None:
    assert entry_of(*holding()) == ("z", "187 MB - 1.1 GB; no file loss", "")
    assert entry_of(*holding(taken=None)) == ("z", "up to 1.1 GB; no file loss", "")
    assert entry_of(*holding("xfs")) == ("z", "up to 1.1 GB; no file loss", "")
    # It is known, too little to move, and nothing changes its size.
    on = partitioned(partition(1, MIB, 512 * KIB, filesystem="jfs"))
    assert entry_of(on, on.partitions[0]) == ("z", "", f"JFS cannot shrink. {AROUND}")


def test_typed_size_opens_the_review() -> None:
    on, _ = holding()
    person = Person(Live(machine(on, tools=EVERYTHING)))
    at(person, "/dev/sda", "open")
    at(person, PART, "actions")
    person.key("z")
    assert "down to 178 MiB" in person.text
    person.act("type", "size")
    person.act("take", value="some")
    assert "some" in person.said and person.view.place == "typing"
    for wrong, why in (("100M", "cannot be that small"), ("2G", "Occupied"), ("0", "after the")):
        person.act("take", value=wrong)
        review = person.view.action("review")
        assert review is not None and why in str(review.why_not)
        assert why in person.text and person.view.place == "adjusting"
        person.act("review")
        assert person.view.place == "adjusting" and why in person.said
        person.act("type", "size")
    person.act("take", value="500M")
    assert "Shrinks by 524 MiB to 500 MiB" in person.text
    person.act("review")
    assert person.view.place == "review" and f"Shrink {PART}" in str(person.view.title)


def test_move_without_space_names_the_command_that_makes_space() -> None:
    for size, least in ((GIB, 72 * MIB), (200 * MIB, 12 * MIB)):
        on, part = holding(start=63 * 512, size=size)
        with pytest.raises(Refused) as refused:
            planned_move(machine(on), on, part)
        words = str(refused.value).split()
        assert words[words.index("--shrink") - 1] == PART
        smaller = shrunk(on, part, int(words[words.index("--shrink") + 1].removesuffix("M")) * MIB)
        assert part.size_bytes - smaller.after.partitions[0].size_bytes >= least
        (left,) = (one for one in smaller.after.partitions if one.number == 1)
        now = replace(part, size_bytes=left.size_bytes, kernel_size_bytes=left.size_bytes)
        there = partitioned(now, *on.partitions[1:])
        assert planned_move(machine(there), there, there.partitions[0]).after.start_bytes % MIB == 0


def test_move_without_space_names_no_impossible_command() -> None:
    for on, part in (holding("xfs", start=63 * 512), holding(start=63 * 512, taken=GIB - 10 * MIB)):
        with pytest.raises(Refused, match="Delete an adjacent partition") as refused:
            planned_move(machine(on), on, part)
        assert "--shrink" not in str(refused.value)
