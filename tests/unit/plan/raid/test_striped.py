"""One volume over several drives: planned and refused."""

import re
from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.machines import KN4, SIZE_BYTES, drive, machine, partition, partitioned
from tests.unit.plan.layouts import EVERYTHING, GEOMETRIES, UUIDS, kinds_of, plan_page, spec
from tests.unit.plan.raid.stripes import KINDS, Kind, numbered, striped
from wizard.filesystems.partition_types import LINUX_GPT, RAID_GPT
from wizard.model.errors import BadInput, Refused
from wizard.model.finding import Recorded, Recording
from wizard.model.layout import Stripe
from wizard.model.machine import Layer, Striping, Use
from wizard.model.said import KIB, MIB
from wizard.operations.filesystem import MakeFilesystem
from wizard.operations.layers import array_uuid, physical_volume_uuid
from wizard.operations.table import WriteTable
from wizard.plan.documents import PLANS
from wizard.plan.planner import make_plan
from wizard.plan.raid.striping import layer_name, striped_words
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [2, 3, 5])
def test_every_kind_is_planned_read_back_and_sound(kind: Kind, count: int) -> None:
    plan = striped(numbered(count), kind)
    PLANS.check(plan)
    assert PLANS.read(PLANS.render(plan), "plan.json") == plan
    assert plan.devices == tuple(f"/dev/sd{one}" for one in "abcde"[:count])
    assert plan.tokens == tuple(f"S{one}" for one in "abcde"[:count])
    tables = [step.operation for step in plan.steps if isinstance(step.operation, WriteTable)]
    assert [table.device for table in tables] == list(plan.devices)
    assert len({entry.size_bytes for table in tables for entry in table.entries}) == 1
    assert {entry.type for table in tables for entry in table.entries} == {
        RAID_GPT if kind == "md" else LINUX_GPT
    }
    arrays = {"md": ["make-array"], "btrfs": []}[kind]
    assert kinds_of(plan) == [
        *["write-table"] * count,
        *["wipe-signatures"] * count,
        *arrays,
        *("make-filesystem", "add-fstab-line", "mount"),
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(GEOMETRIES), st.integers(2000, 9_000_000)), min_size=2, max_size=5),
    st.sampled_from(KINDS),
)
def test_parts_are_aligned_equal_and_within_their_drives(shapes: list[tuple[Any, int]], kind: Kind) -> None:
    drives = tuple(
        replace(one, geometry=geometry, size_bytes=size * MIB)
        for one, (geometry, size) in zip(numbered(len(shapes)), shapes, strict=True)
    )
    try:
        plan = striped(drives, kind)
    except Refused as error:
        assert "different logical block sizes" in str(error)
        assert len({geometry.logical_block_bytes for geometry, _ in shapes}) > 1
        return
    PLANS.check(plan)
    parts = [member.after.partitions[0] for member in plan.members]
    assert len({part.size_bytes for part in parts}) == 1 and parts[0].size_bytes % MIB == 0
    for member, part in zip(plan.members, parts, strict=True):
        assert member.drive.geometry.misalignment_bytes(part.start_bytes) == 0
        assert part.start_bytes >= MIB and part.end_bytes <= member.drive.size_bytes - 5 * 4096


def test_commands_of_md() -> None:
    plan = striped(numbered(3), "md", chunk_bytes=64 * KIB)
    commands = [" ".join(argv) for step in plan.steps for argv in step.commands]
    stripe, (volume,) = plan.stripe, plan.volumes
    assert stripe is not None and stripe.uuids[0] != volume.uuid
    assert commands[3:] == [
        f"mdadm --create /dev/md127 --run --homehost=any --name=films --uuid={array_uuid(stripe.uuids[0])} "
        "--metadata=1.2 --level=0 --chunk=64 --raid-devices=3 /dev/sda1 /dev/sdb1 /dev/sdc1",
        "wipefs --all --quiet /dev/md127",
        f"mkfs.ext4 -q -F -U {volume.uuid} -L films -b 4096 -E stride=16,stripe_width=48 /dev/md127",
        "mount -t ext4 -o noatime /dev/md127 /srv/films",
    ]


def test_commands_of_btrfs_with_duplicated_metadata() -> None:
    plan = striped(numbered(2), "btrfs")
    commands = [" ".join(argv) for step in plan.steps for argv in step.commands]
    assert commands[2:] == [
        f"mkfs.btrfs -q -f -U {plan.volumes[0].uuid} -L films -d raid0 -m raid1 /dev/sda1 /dev/sdb1",
        "btrfs device scan /dev/sda1 /dev/sdb1",
        "mount -t btrfs -o noatime /dev/sda1 /srv/films",
    ]
    made = next(step for step in plan.steps if isinstance(step.operation, MakeFilesystem))
    assert "metadata has two copies (raid1)" in made.sentence
    once = striped(numbered(2), "btrfs", metadata="raid0")
    assert once.volumes[0].mkfs_options == ("-d", "raid0", "-m", "raid0")
    PLANS.check(once)


@pytest.mark.parametrize(
    ("filesystem", "words", "expected"),
    [
        ("ext4", (), ("-b", "4096", "-E", "stride=128,stripe_width=384")),
        (
            "ext4",
            ("-m", "0", "-E", "packed_meta_blocks=1"),
            ("-m", "0", "-b", "4096", "-E", "packed_meta_blocks=1,stride=128,stripe_width=384"),
        ),
        ("ext4", ("-b", "1024"), ("-b", "1024", "-E", "stride=512,stripe_width=1536")),
        (
            "ext4",
            ("-E", "stride=1,stripe-width=2", "-D"),
            ("-D", "-b", "4096", "-E", "stride=128,stripe_width=384"),
        ),
        ("xfs", (), ("-d", "su=512k,sw=3")),
        (
            "xfs",
            ("-i", "maxpct=25", "-d", "agcount=4,sunit=8"),
            ("-i", "maxpct=25", "-d", "agcount=4,su=512k,sw=3"),
        ),
        (
            "btrfs",
            ("-m", "dup", "--csum", "xxhash", "--data=single"),
            ("--csum", "xxhash", "-d", "raid0", "-m", "raid1"),
        ),
    ],
)
def test_stripe_in_the_arguments_of_mkfs(
    filesystem: str, words: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    stripe = (
        Stripe("btrfs", metadata="raid1")
        if filesystem == "btrfs"
        else Stripe("md", "/dev/md127", "films", 512 * KIB, (UUIDS[0],))
    )
    found = striped_words(filesystem, words, stripe, 3)
    assert found == expected
    assert striped_words(filesystem, found, stripe, 3) == found


def test_names_follow_from_the_label_and_contain_only_safe_characters() -> None:
    assert layer_name("my films/é$(x)") == "my_films____x_"
    assert array_uuid("01234567-89ab-cdef-0123-456789abcdef") == "01234567:89abcdef:01234567:89abcdef"
    assert (
        physical_volume_uuid("01234567-89ab-cdef-0123-456789abcdef")
        == "012345-6789-abcd-ef01-2345-6789-abcdef"
    )


@pytest.mark.parametrize(
    "label",
    ["snapshots", "pvmove0", "my-tdata", "x mlog 2", "raw_rimage", "a_cmeta", "b_corig_", "c_vorigin"],
)
def test_no_name_is_reserved_by_lvm(label: str) -> None:
    """lvcreate would refuse the name after the old tables were erased."""
    assert layer_name(label) == "v" + re.sub(r"\W|_", "", label)


def test_array_gets_a_free_number() -> None:
    other = drive(
        path="/dev/sdx", serial="X", wwn=None, layers=(Layer("md raid1", "/dev/md127", "/dev/sdx1"),)
    )
    drives = numbered(2)
    source = cycle(UUIDS)
    plan = make_plan(
        machine(*drives, other, tools=EVERYTHING),
        drives,
        NewVolumes((spec("ext4"),), None, Arrangement(stripe=Stripe("md"))),
        lambda: next(source),
    )
    assert plan.stripe is not None and plan.stripe.device == "/dev/md126"
    asked = Stripe("md")
    plan = make_plan(
        machine(*drives, tools=EVERYTHING),
        drives,
        NewVolumes((spec("ext4"),), None, Arrangement(stripe=asked)),
        lambda: next(source),
        (),
        arrays=("/dev/md127", "/dev/md126"),
    )
    assert plan.stripe is not None and plan.stripe.device == "/dev/md125"


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "one drive": (lambda: striped(numbered(1)), "needs 2 to 16 drives, but 1 was listed"),
    "one drive twice": (lambda: striped((*numbered(1), *numbered(1))), "/dev/sda is the path"),
    "one serial twice": (
        lambda: striped((numbered(2)[0], replace(numbered(2)[1], serial="Sa"))),
        "Sa is the path, serial number or WWN of two drives",
    ),
    "one WWN twice": (
        lambda: striped((numbered(2)[0], replace(numbered(2)[1], wwn="naa.a"))),
        "is the path, serial number or WWN of two drives",
    ),
    "free space": (lambda: striped(numbered(2), mode=Mode.USE_FREE), "form one volume together"),
    "a size": (
        lambda: striped(numbered(2), wanted=spec("ext4", size_bytes=MIB)),
        "Request one unencrypted volume",
    ),
    "mixed blocks on md": (
        lambda: striped((numbered(2)[0], replace(numbered(2)[1], geometry=KN4))),
        "different logical block sizes",
    ),
    "Btrfs on md": (lambda: striped(numbered(2), "md", "btrfs"), "Use --stripe btrfs"),
    "ext4 on Btrfs": (lambda: striped(numbered(2), "btrfs", "ext4"), "supports btrfs, not ext4"),
    "a chunk for Btrfs": (
        lambda: striped(numbered(2), "btrfs", chunk_bytes=64 * KIB),
        "Only md stripes",
    ),
    "metadata for md": (
        lambda: striped(numbered(2), "md", metadata="raid1"),
        "only Btrfs stripes",
    ),
    "odd metadata": (lambda: striped(numbered(2), "btrfs", metadata="raid5"), "raid0 or raid1"),
    "an odd chunk": (lambda: striped(numbered(2), chunk_bytes=48 * KIB), "not a power of two"),
    "a small chunk": (
        lambda: striped(numbered(2), chunk_bytes=4 * KIB),
        "not a power of two from 16 KiB to 1 MiB",
    ),
    "a large chunk": (lambda: striped(numbered(2), chunk_bytes=2 * MIB), "not a power of two"),
    "no mdadm": (
        lambda: striped(numbered(2), tools=tuple(t for t in EVERYTHING if t[0] != "mdadm")),
        "the package mdadm",
    ),
    "host-managed": (
        lambda: striped((numbered(2)[0], replace(numbered(2)[1], zoned="host-managed"))),
        "host-managed zoned drive",
    ),
    "in use": (
        lambda: striped((numbered(2)[0], replace(numbered(2)[1], uses=(Use("swap", "/dev/sdb", "swap"),)))),
        "in use as swap",
    ),
    "not empty": (
        lambda: striped((numbered(2)[0], partitioned(path="/dev/sdb", serial="b", wwn=None))),
        "/dev/sdb is not empty",
    ),
    "no room for XFS's log": (
        lambda: striped(numbered(2, size_bytes=300 * MIB), "md", "xfs"),
        "xfs needs 640 MiB",
    ),
    "no room": (lambda: striped(numbered(2, size_bytes=2 * MIB), "md", "xfs"), "too small together"),
}


@pytest.mark.parametrize(("attempt", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_incompatible_settings_are_refused(attempt: Callable[[], object], says: str) -> None:
    with pytest.raises((Refused, BadInput), match=says) as caught:
        attempt()
    assert str(caught.value).endswith(".")


def test_btrfs_accepts_drives_of_different_block_sizes() -> None:
    PLANS.check(striped((numbered(2)[0], replace(numbered(2)[1], geometry=KN4)), "btrfs"))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rotational": False}, "as fast as the slowest"),
        ({"bus": "usb"}, "can be unplugged"),
        ({"removable": True}, "can be unplugged"),
        ({"bus": "nvme"}, "use different buses"),
        ({"size_bytes": 2 * SIZE_BYTES}, "500 GB of /dev/sdb remains unused"),
        ({"serial": None, "wwn": None}, "/dev/sdb: The drive reports no serial number"),
    ],
)
def test_doubts_are_listed(changes: dict[str, Any], says: str) -> None:
    one, two = numbered(2)
    plan = striped((one, replace(two, **changes)))
    assert any(says in doubt for doubt in map(str, plan.doubts)), plan.doubts
    assert not any(says in doubt for doubt in map(str, striped((one, two)).doubts))
    assert any("mdadm.conf" in doubt and "ARRAY /dev/md/films" in doubt for doubt in map(str, plan.doubts))


@pytest.mark.parametrize(
    ("verdict", "says"),
    [(Recorded.YES, "/dev/sdb is shingled"), (Recorded.LIKELY, "/dev/sdb is shingled")],
)
def test_shingled_drive_in_a_stripe_is_a_doubt(verdict: Recorded, says: str) -> None:
    drives = numbered(2)
    unknown = Recording("unknown", None, Recorded.UNKNOWN, "low")
    source = cycle(UUIDS)
    plan = make_plan(
        machine(*drives, tools=EVERYTHING),
        drives,
        NewVolumes((spec("ext4"),), None, Arrangement(stripe=Stripe("md"))),
        lambda: next(source),
        (unknown, replace(unknown, kind="shingled", verdict=verdict)),
    )
    assert [doubt for doubt in map(str, plan.doubts) if "shingled" in doubt and doubt.startswith(says)]


def test_danger_and_every_drive_are_shown_first() -> None:
    old = partitioned(
        partition(1, of="/dev/sdb", filesystem="ext3"), path="/dev/sdb", serial="Sb", wwn="naa.b", by_id=()
    )
    plan = striped((numbered(1)[0], old), mode=Mode.REPLACE)
    lines = plan_page(plan, 100)
    text = " ".join(" ".join(lines).split())
    assert text.index("everything on all drives is lost") < text.index("sda: Now:")
    assert text.count(": Now:") == text.count(": Then:") == 2
    for word in (
        "/dev/sda: Example",
        "/dev/sdb: Example",
        "linux_raid_member",
        *(" ".join(a) for s in plan.steps for a in s.commands[:1] if len(" ".join(a)) < 90),
    ):
        assert word in text
    together = (
        'Across all 2 drives: /dev/md127: ext4 "films" at /srv/films, about 1.0 TB, striped in units of '
        "512 KiB."
    )
    assert together in text
    made = next(step for step in plan.steps if isinstance(step.operation, MakeFilesystem))
    assert made.destroys == "The old data on /dev/sdb: partition 1 (ext3, used space unknown, 1.1 GB)."
    assert made.undo.startswith("If the drive has old contents, `diskwright undo` restores them bit for bit")
    assert isinstance(made.operation, MakeFilesystem) and made.operation.striping == Striping(512 * KIB, MIB)
    assert max(map(len, lines)) <= 100
