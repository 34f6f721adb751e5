"""A new start, end or size of a partition, step by step, with possible values only."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import SIZE_BYTES, machine, partition, partitioned
from tests.unit.plan.layouts import EVERYTHING
from tests.unit.ui.live import Live
from tests.unit.ui.person import Person
from tests.unit.ui.screens.test_drives import at
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Extent, Partition, Signature, Use
from wizard.model.said import GIB, MIB
from wizard.operations.filesystem import GrowFilesystem
from wizard.plan.documents import PLANS
from wizard.plan.partition.resize import Border, Meaning, asked, meaning_of, stepped, steps_of
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import ResizePart

PART = "/dev/sda1"
START, SIZE, NEXT = 10 * GIB, 2 * GIB, 100 * GIB


def between(filesystem: str = "ext4", *uses: Use, start: int = START) -> tuple[Drive, Partition]:
    """Return a drive with a partition of 2 GiB with free space on both sides, and another one after that."""
    mark = Signature(filesystem, "filesystem", taken_bytes=GIB, features=(0x4, 0x40, 0), block_bytes=4096)
    part = partition(1, start, SIZE, signatures=(mark,))
    on = partitioned(part, partition(2, NEXT, GIB, filesystem="xfs"), uses=uses)
    return on, on.partitions[0]


def meant(filesystem: str, start: int, size: int, *uses: Use) -> Meaning:
    on, part = between(filesystem, *uses)
    return meaning_of(machine(on, tools=EVERYTHING), on, part, Extent(start, size))


@pytest.mark.parametrize(
    ("start", "size", "jobs", "says"),
    [
        (START, SIZE, 0, "No change."),
        (START + MIB, SIZE, 1, "Moves by 1 MiB towards the end of the drive"),
        (START - 3 * GIB, SIZE, 1, "Moves by 3 GiB towards the start of the drive"),
        (START, SIZE + 3 * GIB, 1, "Grows by 3 GiB to 5 GiB"),
        (START, SIZE - 512 * MIB, 1, "Shrinks by 512 MiB to 1.5 GiB"),
        (START + GIB, SIZE - 512 * MIB, 2, "shrink to 1.5 GiB, then move to 11 GiB"),
        (START - GIB, SIZE + GIB, 2, "move to 9 GiB, then grow to 3 GiB"),
    ],
)
def test_number_shows_its_meaning(start: int, size: int, jobs: int, says: str) -> None:
    found = meant("ext4", start, size)
    assert says in str(found.says) and (found.why_not == "") is (jobs == 1)
    assert (found.first is None) is (jobs < 2)


@pytest.mark.parametrize(
    ("filesystem", "start", "size", "why"),
    [
        ("xfs", START, GIB, "XFS cannot shrink. Copy the files to a smaller volume"),
        ("xfs", START + GIB, GIB, "XFS cannot shrink. Copy the files to a smaller volume"),
        ("jfs", START, SIZE + GIB, "grow so far"),
        ("ext4", START, 512 * MIB, "cannot be that small"),
        ("ext4", NEXT - GIB, SIZE, "Occupied"),
        ("ext4", START, NEXT, "must fit between"),
        ("ext4", NEXT - SIZE, SIZE + MIB, "Occupied"),
        ("ext4", START, 0, "after the start"),
        ("ext4", START + 100, SIZE, "A partition cannot start at byte"),
    ],
)
def test_impossible_choice_gives_the_reason(filesystem: str, start: int, size: int, why: str) -> None:
    assert why in str(meant(filesystem, start, size).why_not)


def test_mounted_filesystem_grows_by_another_command() -> None:
    mounted = Use("mounted", PART, "/srv")
    assert "`diskwright grow /dev/sda1`" in str(meant("ext4", START, SIZE + GIB, mounted).why_not)
    assert "is in use" in str(meant("ext4", START + GIB, SIZE, mounted).why_not)


def test_first_of_two_jobs_can_be_chosen_alone() -> None:
    on, part = between()
    for wanted in (Extent(START + GIB, GIB + 512 * MIB), Extent(START - GIB, 3 * GIB)):
        found = meaning_of(machine(on, tools=EVERYTHING), on, part, wanted)
        assert found.first is not None
        assert meaning_of(machine(on, tools=EVERYTHING), on, part, found.first).why_not == ""


def test_steps_go_from_one_aligned_border_to_the_next() -> None:
    on, part = between(start=START + 5 * 512)
    now = Extent(part.start_bytes, part.size_bytes)
    assert steps_of(on) == (MIB, GIB)
    assert stepped(on, part, now, Border.START, MIB) == Extent(START + MIB, SIZE)
    assert stepped(on, part, now, Border.START, -MIB) == Extent(START, SIZE)
    assert stepped(on, part, now, Border.END, MIB).end_bytes == START + SIZE + MIB
    assert stepped(on, part, now, Border.SIZE, -MIB).end_bytes == START + SIZE
    assert stepped(on, part, now, Border.SIZE, -MIB).start_bytes == part.start_bytes


@pytest.mark.parametrize("border", Border)
@pytest.mark.parametrize("by", [MIB, -MIB, 500 * GIB, -500 * GIB, 7 * MIB])
def test_steps_stay_in_the_available_space(border: Border, by: int) -> None:
    on, part = between()
    place = Extent(part.start_bytes, part.size_bytes)
    for _ in range(3):
        there = stepped(on, part, place, border, by)
        assert there.start_bytes > 0 and there.size_bytes > 0 and there.end_bytes <= NEXT
        assert (there.end_bytes - place.end_bytes) * by >= 0
        place = there
    if abs(by) > GIB:
        assert stepped(on, part, place, border, by) == place


def test_full_partition_with_an_odd_end_does_not_shrink_by_a_step_up() -> None:
    part = partition(1, MIB, SIZE_BYTES - MIB - 34 * 512, filesystem="ext4")
    on = partitioned(part, free=())
    place = Extent(part.start_bytes, part.size_bytes)
    for border in Border:
        assert stepped(on, part, place, border, MIB) == place


def test_typed_size_ends_aligned() -> None:
    on, part = between()
    now = Extent(part.start_bytes, part.size_bytes)
    assert asked(on, now, Border.SIZE, 3 * GIB - 5) == Extent(START, 3 * GIB)
    assert asked(on, now, Border.END, START + GIB + 1) == Extent(START, GIB + MIB)
    assert asked(on, now, Border.START, 63 * 512) == Extent(63 * 512, SIZE)
    odd = Extent(START, SIZE - 512)
    assert asked(on, odd, Border.SIZE, SIZE - 512) == odd


def test_partition_grows_to_a_size() -> None:
    on, part = between()
    plan = make_plan(machine(on, tools=EVERYTHING), (on,), ResizePart(part, 5 * GIB - 10))
    PLANS.check(plan)
    assert plan.steps[1].operation == GrowFilesystem(PART, "ext4", 5 * GIB)
    assert plan.after.partitions[0].end_bytes == START + 5 * GIB
    for size, why in ((SIZE, "already has 2 GiB"), (NEXT, "at most 90 GiB")):
        with pytest.raises(Refused, match=why):
            make_plan(machine(on, tools=EVERYTHING), (on,), ResizePart(part, size))


@pytest.mark.parametrize(
    ("most", "allowed"), [(64 * GIB, 64 * GIB), (64 * GIB + 1000, 64 * GIB), (GIB, GIB), (None, 90 * GIB)]
)
def test_filesystem_limits_the_growth_of_its_partition(most: int | None, allowed: int) -> None:
    on, part = between()
    part = replace(part, signatures=(replace(part.signatures[0], most_bytes=most),))
    on = replace(on, partitions=(part, *on.partitions[1:]))
    with pytest.raises(Refused, match=f" {allowed // GIB} GiB"):
        make_plan(machine(on, tools=EVERYTHING), (on,), ResizePart(part, allowed + MIB))
    if allowed < 90 * GIB:
        with pytest.raises(Refused, match=f" {allowed // GIB} GiB"):
            make_plan(machine(on, tools=EVERYTHING), (on,), ResizePart(part))
    if allowed > SIZE:
        plan = make_plan(machine(on, tools=EVERYTHING), (on,), ResizePart(part, allowed))
        assert plan.steps[1].operation == GrowFilesystem(PART, "ext4", allowed)


def person_at(filesystem: str = "ext4") -> Person:
    person = Person(Live(machine(between(filesystem)[0], tools=EVERYTHING)))
    at(person, "/dev/sda", "open")
    at(person, PART, "actions")
    person.key("z")
    assert person.view.place == "adjusting"
    return person


def test_keys_open_the_plan_or_the_move() -> None:
    person = person_at()
    assert "Right and Left, or + and -" in " ".join(map(str, person.view.help))
    for key, row, says, title in (
        (">", "size", "Grows by 1 GiB to 3 GiB", "Grow /dev/sda1"),
        ("-", "end", "Shrinks by 1 MiB", "Shrink /dev/sda1"),
        ("+", "start", "Moves by 1 MiB towards the end", "Move /dev/sda1"),
    ):
        review = person.view.action("review")
        assert review is not None and str(review.why_not) == "No change."
        person.key(key, row)
        assert says in person.text
        person.key("enter")
        assert person.view.place == "review" and title in str(person.view.title), person.said
        person.act("back")
        assert says in person.text
        person.key("r")


def test_two_jobs_are_done_one_after_the_other() -> None:
    person = person_at()
    person.key("<", "start")
    person.key(">", "size")
    assert "move to 9 GiB, then grow to 3 GiB" in person.text
    person.key("enter")
    assert person.view.place == "adjusting" and "Two jobs" in person.said
    person.key("f")
    person.key("enter")
    assert person.view.place == "review" and "Move /dev/sda1" in str(person.view.title)


def test_xfs_states_early_that_it_cannot_shrink() -> None:
    assert "XFS cannot shrink." in person_at("xfs").text


def test_plan_opens_the_size_of_a_preserved_partition() -> None:
    person = Person(Live(machine(between()[0], tools=EVERYTHING)))
    person.act("actions", "/dev/sda")
    person.act("do", "use-free")
    person.act("plan", "large-media")
    person.key("z")
    assert [row.key for row in person.rows] == [PART, "/dev/sda2"]
    person.act("take", PART)
    assert person.view.place == "adjusting" and person.view.step == "plan"
    person.act("back")
    person.key("x")
    adjust = person.view.action("adjust")
    assert adjust is not None and "Press x to preserve" in str(adjust.why_not)
