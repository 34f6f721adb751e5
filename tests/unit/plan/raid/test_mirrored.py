"""Copies of one volume on several drives: what is planned, shown and refused, and what is held against md's
word."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.machines import E512, SIZE_BYTES, partition, partitioned
from tests.unit.plan.layouts import UUIDS, kinds_of, plan_page, spec, with_operations
from tests.unit.plan.raid.stripes import KINDS, MD, MIRROR, TWICE, Kind, numbered, striped
from wizard.apply.steps.arrays import examined_offset, kernel_check, part_differences
from wizard.apply.steps.step_context import matched
from wizard.model.errors import BadInput, Refused
from wizard.model.geometry import Geometry
from wizard.model.layout import Stripe
from wizard.model.said import KIB, MIB
from wizard.operations.layers import MakeArray, array_uuid
from wizard.operations.operation import NO_UNDO
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import room_bytes, striped_words
from wizard.plan.request.plan_request import Mode


def number_of(plan: Plan, kind: type) -> int:
    """The number of a plan's step of this kind, from 1."""
    return next(number for number, step in enumerate(plan.steps, 1) if isinstance(step.operation, kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [2, 3])
def test_mirror_is_planned_read_back_and_sound(kind: Kind, count: int) -> None:
    plan = striped(numbered(count), kind, level="raid1")
    PLANS.check(plan)
    assert PLANS.read(PLANS.render(plan), "plan.json") == plan
    assert '"level": "raid1"' in PLANS.render(plan)
    array = ["make-array"] if kind == "md" else []
    assert kinds_of(plan)[2 * count :] == [*array, "make-filesystem", "add-fstab-line", "mount"]


def test_stripe_document_does_not_mention_mirrors() -> None:
    assert '"level"' not in PLANS.render(MD) and '"mirrored"' not in PLANS.render(MD)


def test_commands_of_an_md_mirror() -> None:
    plan = striped(numbered(2), "md", level="raid1")
    commands = [" ".join(argv) for step in plan.steps for argv in step.commands]
    assert plan.stripe is not None
    assert commands[2:] == [
        "mdadm --create /dev/md127 --run --homehost=any --name=films "
        f"--uuid={array_uuid(plan.stripe.uuids[0])} --metadata=1.2 --level=1 --bitmap=internal "
        "--raid-devices=2 /dev/sda1 /dev/sdb1",
        "wipefs --all --quiet /dev/md127",
        f"mkfs.ext4 -q -F -U {plan.volumes[0].uuid} -L films /dev/md127",
        "mount -t ext4 -o noatime /dev/md127 /srv/films",
    ]


def test_commands_of_a_btrfs_mirror() -> None:
    commands = [" ".join(argv) for step in TWICE.steps for argv in step.commands]
    assert commands[3] == (
        f"mkfs.btrfs -q -f -U {TWICE.volumes[0].uuid} -L films -d raid1 -m raid1 /dev/sda1 /dev/sdb1 "
        "/dev/sdc1"
    )


@pytest.mark.parametrize(
    ("filesystem", "words", "expected"),
    [
        (
            "ext4",
            ("-m", "0", "-E", "stride=16,packed_meta_blocks=1,stripe_width=32"),
            ("-m", "0", "-E", "packed_meta_blocks=1"),
        ),
        ("ext4", ("-E", "stride=16"), ()),
        ("xfs", ("-d", "su=64k,sw=2", "-i", "maxpct=25"), ("-i", "maxpct=25")),
        ("btrfs", ("-d", "raid0", "-m", "dup"), ("-d", "raid1", "-m", "raid1")),
    ],
)
def test_mkfs_gets_no_stripe_on_a_mirror(
    filesystem: str, words: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    stripe = Stripe("btrfs" if filesystem == "btrfs" else "md", metadata="raid1", level="raid1")
    found = striped_words(filesystem, words, stripe, 2)
    assert found == expected
    assert striped_words(filesystem, found, stripe, 2) == found


@pytest.mark.parametrize(
    ("kind", "count", "wanted"), [("md", 2, 600), ("md", 3, 600), ("btrfs", 2, 600), ("btrfs", 3, 900)]
)
def test_capacity_of_a_mirror_is_its_smallest_drive_or_half_of_all(
    kind: Kind, count: int, wanted: int
) -> None:
    sizes = [600, *[1000] * (count - 1)]
    assert room_bytes(kind, "raid1", sizes) == wanted
    assert room_bytes(kind, "raid0", sizes) == sum(sizes)


def test_preview_begins_with_the_limits_of_a_mirror_and_its_copying() -> None:
    old = partitioned(
        partition(1, of="/dev/sdb", filesystem="ext3"), path="/dev/sdb", serial="Sb", wwn="naa.b", by_id=()
    )
    plan = striped((numbered(1)[0], old), "md", level="raid1", mode=Mode.REPLACE)
    lines = plan_page(plan, 100)
    text = " ".join(" ".join(lines).split())
    note = "A mirror survives the loss of 1 of 2 drives, but is not a backup"
    assert note in text and text.index(note) < text.index("sda: Now:")
    assert "Striping adds no safety" not in text
    assert (
        'Across all 2 drives: /dev/md127: ext4 "films" at /srv/films, about 500 GB, 2 copies of every byte.'
    ) in text
    step = plan.steps[number_of(plan, MakeArray) - 1]
    # 500 GB at 204.8 MB/s.
    assert (
        "at least 41 min at md's limit of 200 MB/s" in step.sentence
        and "survives a failed drive only afterwards" in step.sentence
    )
    assert step.destroys.startswith(
        "Everything on /dev/sdb1, overwritten from the first byte to the last. The old data on"
    )
    assert "As soon as the mirror is in use, md copies all of /dev/sda1 to the others" in step.sentence
    assert step.undo.startswith("If the drive has old contents, `diskwright undo` restores them bit for bit")
    directly = plan.with_undo_text(NO_UNDO).steps
    for written in directly[: number_of(plan, MakeArray)]:
        assert written.undo.startswith("Cannot be undone")
    assert max(map(len, lines)) <= 100


def test_three_way_mirror_survives_two_failures() -> None:
    assert "survives the loss of 2 of 3 drives" in " ".join(" ".join(plan_page(MIRROR, 100)).split())
    text = " ".join(" ".join(plan_page(TWICE, 100)).split())
    assert (
        "survives the loss of 1 of 3 drives" in text
        and "2 copies of every byte" in text
        and "about 750 GB" in text
    )


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "a chunk": (
        lambda: striped(numbered(2), chunk_bytes=64 * KIB, level="raid1"),
        "Only md stripes",
    ),
    "metadata": (
        lambda: striped(numbered(2), "btrfs", metadata="raid0", level="raid1"),
        "only Btrfs stripes a metadata profile",
    ),
    "one drive": (
        lambda: striped(numbered(1), level="raid1"),
        "needs 2 to 16 drives, but 1 was listed",
    ),
    "free space": (
        lambda: striped(numbered(2), mode=Mode.USE_FREE, level="raid1"),
        "form one volume together",
    ),
    "Btrfs on md": (
        lambda: striped(numbered(2), "md", "btrfs", level="raid1"),
        "Btrfs has built-in RAID. Use --mirror btrfs",
    ),
    "a size": (
        lambda: striped(numbered(2), wanted=spec("ext4", size_bytes=MIB), level="raid1"),
        "Request one unencrypted volume",
    ),
    # Two of them would have had room enough for XFS in a stripe.
    "no room": (
        lambda: striped(numbered(2, size_bytes=400 * MIB), "md", "xfs", level="raid1"),
        "xfs needs 640 MiB",
    ),
}


@pytest.mark.parametrize(("attempt", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_impossible_mirror_is_refused(attempt: Callable[[], object], says: str) -> None:
    with pytest.raises((Refused, BadInput), match=says):
        attempt()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rotational": False}, "write only as fast as the slowest"),
        ({"bus": "usb"}, "removes the drive from the mirror"),
        ({"size_bytes": 2 * SIZE_BYTES}, "500 GB of /dev/sdb remains unused"),
    ],
)
def test_doubts_about_a_mirror_are_listed(changes: dict[str, Any], says: str) -> None:
    one, two = numbered(2)
    plan = striped((one, replace(two, **changes)), level="raid1")
    assert any(says in doubt for doubt in map(str, plan.doubts)), plan.doubts
    assert not any(says in doubt for doubt in map(str, striped((one, two), level="raid1").doubts))
    assert any("continues silently" in doubt for doubt in map(str, plan.doubts))


@pytest.mark.parametrize(
    "forge",
    [
        lambda plan: replace(plan, stripe=replace(plan.stripe, level="raid0")),
        lambda plan: replace(plan, stripe=replace(plan.stripe, chunk_bytes=64 * KIB)),
        lambda plan: replace(plan, doubts=(), steps=plan.steps[:-1]),
    ],
)
@pytest.mark.parametrize("plan", [MIRROR, TWICE], ids=["md", "btrfs"])
def test_forged_mirror_is_refused(plan: Plan, forge: Callable[[Plan], Plan]) -> None:
    with pytest.raises(BadInput, match="is inconsistent"):
        PLANS.check(forge(plan))


EXAMINED = """/dev/sda1:
     Array UUID : {uuid}
     Raid Level : raid1
    Data Offset : 264192 sectors
Internal Bitmap : 8 sectors from superblock
"""


@pytest.mark.parametrize(
    ("old", "new", "holds"),
    [
        ("", "", True),
        ("264192", "264193", False),
        ("Internal Bitmap : 8 sectors from superblock\n", "", False),
        ("Data Offset", "Other Offset", False),
        (array_uuid(UUIDS[0])[:8], "00000000", False),
    ],
)
def test_mdadm_output_of_a_member_is_compared_with_the_plan(old: str, new: str, holds: bool) -> None:
    array = MakeArray("/dev/md127", "films", UUIDS[0], 0, ("/dev/sda1", "/dev/sdb1"), level="raid1")
    said = EXAMINED.format(uuid=array_uuid(UUIDS[0]))
    assert examined_offset(said) == 264192 * 512
    found = matched(lambda: part_differences("/dev/sda1", said.replace(old, new), array, MIB, E512))
    assert found.holds is holds


@pytest.mark.parametrize(
    ("seen", "holds"),
    [
        (Geometry(512, 4096, 0, 4096, 0), True),
        (Geometry(512, 4096, 0, 4096, 64 * KIB), False),
        (Geometry(512, 4096, 512, 4096, 0), False),
        (Geometry(512, 4096, 0, 64 * KIB, 0), False),
    ],
)
def test_kernel_must_advise_no_stripe_for_a_mirror(seen: Geometry, holds: bool) -> None:
    assert kernel_check(seen, None, (E512, E512)).holds is holds


def test_consistently_forged_mirror_with_a_chunk_is_refused() -> None:
    assert MIRROR.stripe is not None
    operations = tuple(
        replace(step.operation, chunk_bytes=64 * KIB)
        if isinstance(step.operation, MakeArray)
        else step.operation
        for step in MIRROR.steps
    )
    forged = with_operations(replace(MIRROR, stripe=replace(MIRROR.stripe, chunk_bytes=64 * KIB)), operations)
    with pytest.raises(BadInput, match="invalid stripe"):
        PLANS.check(forged)
