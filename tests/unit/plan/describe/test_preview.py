"""Display of a plan: bars to scale, commands to copy, no overlong lines, no control sequences."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.machines import drive, machine, mbr, partition, partitioned
from tests.unit.plan.layouts import EVERYTHING, UUIDS, choice, plan_for, plan_page, spec
from wizard.cli.output import rendered
from wizard.findings.smr_evidence import judge_recording, rungs_of
from wizard.model.drive_facts import Ata, Smart
from wizard.model.machine import Signature, Table
from wizard.model.said import GIB, MIB, t
from wizard.operations.filesystem import MakeFilesystem
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.text import free_used, losses, promise
from wizard.process.output import cell_width, command_lines, wrapped
from wizard.ui.components.drive_bars import plan_bars
from wizard.ui.view import Bar, Fate, Stretch

OLD = partitioned(
    partition(1, 34 * 512, 100 * GIB, filesystem="ext3"),
    partition(
        2, 200 * GIB, 50 * GIB, signatures=(Signature("xfs", "filesystem", label="\x1b[31mred\x1b[0m"),)
    ),
)


def replacing() -> Plan:
    return plan_for(
        OLD,
        spec("ext4", size_bytes=100 * GIB, label="$(reboot)", mount_point="/srv/my files"),
        spec("xfs"),
        mode=Mode.REPLACE,
    )


def adding() -> Plan:
    return plan_for(OLD, spec("xfs", mount_point="/srv/media"), mode=Mode.USE_FREE)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(1, 1 << 44), min_size=1, max_size=140), st.integers(40, 200))
def test_bar_of_text_has_the_width_and_every_stretch(sizes: list[int], width: int) -> None:
    bar = Bar(tuple(Stretch(str(number), size) for number, size in enumerate(sizes, 1)))
    *words, drawn = rendered(bar, width)
    if len(sizes) < (width - len(sizes) + 1) // 2:
        assert len(drawn) == width and drawn.count("|") == len(sizes) - 1 and "||" not in drawn
    else:
        words.append(drawn)
    assert words[0] and all(cell_width(line) <= width for line in words)


def test_bar_of_text_is_to_scale() -> None:
    fates = (Fate.PRESERVED, Fate.LOST, Fate.FREE)
    bar = Bar(tuple(Stretch("", size, fate=fate) for size, fate in zip((10, 30, 60), fates, strict=True)))
    *_, drawn = rendered(bar, 102)
    assert [(cell[0], len(cell)) for cell in drawn.split("|")] == [("=", 10), ("x", 30), (".", 60)]


def fates(plan: Plan) -> list[list[Fate]]:
    return [[one.fate for one in bar.stretches] for bar in plan_bars(plan)]


def test_bars_show_the_fate_of_each_partition() -> None:
    assert fates(replacing()) == [[Fate.LOST, Fate.FREE, Fate.LOST, Fate.FREE], [Fate.NEW, Fate.NEW]]
    assert fates(adding())[1][0] is Fate.PRESERVED


def test_drive_without_a_table_is_one_stretch() -> None:
    whole = drive(signatures=(Signature("btrfs", "filesystem"),))
    assert fates(plan_for(whole, spec("ext4"), mode=Mode.REPLACE))[0] == [Fate.LOST]
    unread = plan_for(drive(table=None), spec("ext4"), mode=Mode.REPLACE)
    assert fates(unread)[0] == [Fate.UNREAD]
    assert "not read" in "\n".join(plan_page(unread))


def test_logical_partitions_are_drawn_within_their_container() -> None:
    extended = partition(2, 100 * GIB, 200 * GIB, type="0x05", kernel_size_bytes=1024)
    logical = partition(5, 101 * GIB, 10 * GIB, type="0x83")
    plan = plan_for(drive(table=mbr(), partitions=(extended, logical)), spec("ext4"), mode=Mode.USE_FREE)
    assert fates(plan)[0] == [Fate.FREE, Fate.PRESERVED, Fate.FREE]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("plan", [replacing(), adding()], ids=["replacing", "adding"])
def test_lines_fit_the_width_and_contain_no_control_characters(plan: Plan, width: int) -> None:
    lines = plan_page(plan, width)
    assert max(cell_width(line) for line in lines) <= width
    assert all(line.isascii() and line.isprintable() for line in lines)


def test_preview_is_complete() -> None:
    text = " ".join(" ".join(plan_page(replacing(), 100)).split())
    for wanted in (
        "/dev/sda: Example HDD 500, serial S1, 500 GB",
        "Now: 1 ext3 107 GB",
        "Then: $(reboot) ext4 107 GB (new), media xfs",
        "Destroys: The old table: partition 1 (ext3, used space unknown, 107 GB); partition 2 (xfs "
        '"?[31mred?[0m", used space unknown, 53.7 GB).',
        "wipefs --all --quiet /dev/sda",
        "-L '$(reboot)'",
        "/srv/my\\040files ext4 noatime,nofail 0 2",
        "Undo restores the old contents until you choose Keep.",
        "If the drive has old contents, `diskwright undo` restores them bit for bit",
        "Takes about",
    ):
        assert wanted in text, wanted


def test_adding_destroys_no_data() -> None:
    assert all(step.destroys == "" for step in adding().steps)
    assert all(step.destroys for step in replacing().steps[:4])


@pytest.mark.parametrize(
    ("start_bytes", "size_bytes", "is_lost"),
    [
        (63 * 512, 100 * GIB, True),
        (2 * GIB, GIB, True),
        (10 * GIB, 100 * GIB, True),
        (63 * 512, MIB - 63 * 512, False),
        (300 * GIB, GIB, False),
    ],
    ids=["begins before", "lies within", "ends behind", "ends where it begins", "lies behind"],
)
def test_step_names_the_old_partitions_it_overwrites(
    start_bytes: int, size_bytes: int, is_lost: bool
) -> None:
    """A partition at sector 63, as in old systems, mostly overlaps a new one at 1 MiB."""
    old = partitioned(partition(1, start_bytes, size_bytes, filesystem="ext3"))
    plan = plan_for(old, spec("xfs", size_bytes=50 * GIB), mode=Mode.REPLACE)
    (made,) = (step for step in plan.steps if isinstance(step.operation, MakeFilesystem))
    assert made.destroys.startswith("The old data on /dev/sda: partition 1 (ext3") is is_lost


def test_doubts_about_a_drive_are_listed() -> None:
    assert "Notes" in plan_page(plan_for(drive(serial=None, wwn=None), spec("ext4")))


@pytest.mark.parametrize(
    ("tells", "doubted"),
    [
        ({}, True),
        ({"vpd_zoned": 0, "ata": Ata(zoned=0)}, True),
        ({"vpd_zoned": 2}, False),
        ({"ata": Ata(zoned=2)}, False),
        ({"smart": Smart(zoned_capability="device_managed")}, False),
        ({"rotational": False}, False),
    ],
)
def test_drive_that_reports_its_recording_is_not_doubted(tells: dict[str, object], doubted: bool) -> None:
    of = drive(**tells)
    recording = judge_recording(of, rungs_of(of, ()))
    uuids = iter(UUIDS)
    plan = make_plan(
        machine(of, tools=EVERYTHING), (of,), NewVolumes((spec("ext4"),)), lambda: next(uuids), (recording,)
    )
    assert ("Unknown if the drive is shingled" in " ".join(" ".join(plan_page(plan)).split())) is doubted


def test_labels_of_wide_characters_stay_within_the_line() -> None:
    plan = plan_for(drive(), spec("btrfs", label="写真" * 8, mount_point="/srv/" + "写" * 60))
    assert max(cell_width(line) for line in plan_page(plan, 60)) <= 60


def shell_reads(lines: list[str]) -> list[str]:
    """Return the words of the lines as parsed by a shell after pasting."""
    script = 'printf "%s\\0" ' + "\n".join(lines).lstrip(" ")
    return (
        subprocess.run(["sh", "-c", script], capture_output=True, check=True)
        .stdout.decode("utf-8", "surrogateescape")
        .split("\0")[:-1]
    )


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=90), min_size=1, max_size=8
    ),
    st.integers(40, 90),
)
def test_wrapped_command_is_the_same_when_pasted(words: list[str], width: int) -> None:
    lines = list(command_lines(words, width, 6))
    assert max(cell_width(line) for line in lines) <= width
    assert shell_reads(lines) == words


@settings(max_examples=80, deadline=None)
@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=200),
    st.integers(20, 60),
    st.integers(0, 8),
)
def test_wrapping_loses_only_spaces(text: str, width: int, hang: int) -> None:
    lines = list(wrapped(text, width, hang))
    assert all(cell_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_commands_of_the_plan_wrap_right_at_80_columns() -> None:
    long = replace(
        spec("ext4", size_bytes=100 * GIB, label="a b"), mount_point="/srv/" + "long name/" * 20 + "end"
    )
    for step in plan_for(drive(), long).steps:
        for argv in step.commands:
            assert shell_reads(list(command_lines(argv, 80, 6))) == list(argv)


def test_unread_content_is_never_called_empty() -> None:
    """For an ordinary user the kernel reports partitions but not their content."""
    unread = drive(table=Table("gpt"), partitions=(partition(1, MIB, GIB),), content_digest=None)
    plan = plan_for(unread, spec("ext4"), mode=Mode.REPLACE)
    told = " ".join(" ".join([*plan_page(plan), *losses(plan)]).split())
    assert "The drive was not read, so this cannot be applied." in told
    assert "/dev/sda1: not read" in told and "partition 1 (not read" in told
    assert "nothing recognised" not in told
    read = plan_for(replace(unread, content_digest="0" * 64), spec("ext4"), mode=Mode.REPLACE)
    assert "nothing recognised" in "\n".join(plan_page(read)) and not read.unread


def test_used_free_space_is_listed_as_lost() -> None:
    """A deleted partition may be in free space. The text differs for an empty drive."""
    empty = plan_for(drive(), spec("ext4"))
    assert (
        [*free_used(adding())]
        == [*free_used(replacing())]
        == [t("Deleted or unrecognised data in the free space of {drives:and} is lost.", drives=(OLD.path,))]
    )
    assert not [*free_used(empty)]
    (several,) = free_used(replace(adding(), others=adding().members))
    assert f"the free space of {OLD.path}" in str(several)


@pytest.mark.parametrize("plan", [replacing(), adding(), plan_for(drive(), spec("ext4"))])
def test_undo_of_each_step_depends_on_old_contents(plan: Plan) -> None:
    """The result on an empty drive is used immediately, so no step promises an undo."""
    told = [step.undo for step in plan.steps if "diskwright undo" in step.undo and "until you" in step.undo]
    assert told and all(undo.startswith("If the drive has old contents") for undo in told)
    text = " ".join(promise(plan).split())
    blank = plan.before.table == "none"
    assert ("used immediately" in text) is blank


@pytest.mark.parametrize(
    ("filesystem", "options", "late"),
    [("ext4", (), True), ("ext4", ("-E lazy_itable_init=0,nodiscard",), False), ("xfs", (), False)],
)
def test_background_work_of_a_new_ext4_is_mentioned(
    filesystem: str, options: tuple[str, ...], late: bool
) -> None:
    asked = replace(spec(filesystem), choice=choice(filesystem, mkfs=options))
    plan = plan_for(drive(), asked)
    assert ("inode tables in the background" in " ".join(plan_page(plan, 80))) is late
