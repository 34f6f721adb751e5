"""Step 4 in full by its keys: roles, shares, encryption, subvolumes, a desktop's volumes, the kind of table
and a volume group."""

from dataclasses import replace

from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widget import Widget

from tests.looks.rehearsal import Rehearsal, flat, perform, press, ready, shown, step, until
from tests.unit.layouts import EVERYTHING
from tests.unit.machines import drive, machine
from wizard.model.machine import Drive
from wizard.model.plan import WriteTable
from wizard.model.units import GIB, TIB
from wizard.services.session import Session
from wizard.tui.screens.layout import LayoutScreen
from wizard.tui.widgets.controls import Cycle


def services(*, without: str = "", size_bytes: int = 1000 * GIB) -> Rehearsal:
    """One empty drive, and every program but one. The rehearsal's first step waits for this node."""
    of = drive(path="/dev/nvme0n1", size_bytes=size_bytes)
    tools = tuple(
        tool for tool in (*EVERYTHING, ("cryptsetup", "/usr/sbin/cryptsetup")) if tool[0] != without
    )
    return Rehearsal(machine(of, tools=tools))


async def to_layout(pilot: Pilot[Session]) -> None:
    await ready(pilot)
    for now in (2, 3, 4):
        await press(pilot, "enter")
        await step(pilot, now)


async def to_form(pilot: Pilot[Session], field: str = "size") -> None:
    """The form of the highlighted volume, with the focus in one of its fields."""
    await press(pilot, "e")
    await until(lambda: "This volume" in shown(pilot), pilot)
    await until(lambda: focused(pilot) == "size", pilot)
    fields = ["purpose", "filesystem", "size", "label", "mount", "role", "encryption", "subvolumes"]
    by = fields.index(field) - fields.index("size")
    await press(pilot, *["down" if by > 0 else "up"] * abs(by))
    await until(lambda: focused(pilot) == field, pilot)


def focused(pilot: Pilot[Session]) -> str | None:
    widget: Widget | None = pilot.app.screen.focused
    return widget.id if widget else None


async def turn(pilot: Pilot[Session], name: str, value: str) -> None:
    """Turn the focused cycle to a value."""
    cycle = pilot.app.screen.query_one(f"#{name}", Cycle)
    for _ in cycle.offers:
        if cycle.value == value:
            return
        await press(pilot, "right")
    raise AssertionError(f"{name} has no {value}")


def layout(pilot: Pilot[Session]) -> LayoutScreen:
    assert isinstance(pilot.app.screen, LayoutScreen)
    return pilot.app.screen


def table_of(pilot: Pilot[Session]) -> WriteTable:
    plan = layout(pilot).plan
    assert plan is not None
    return next(one.operation for one in plan.steps if isinstance(one.operation, WriteTable))


def test_a_share_is_typed_and_shown_with_what_it_comes_to() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        await to_form(pilot)
        await press(pilot, "=130%", "enter")
        await until(lambda: "is no share of the room" in flat(pilot), pilot)
        await press(pilot, *["backspace"] * 4, "=25%", "enter")
        await until(lambda: "25 %: 268 GB" in shown(pilot), pilot)
        await to_form(pilot)
        assert "25%" in shown(pilot)

    perform(job, services())


def test_a_role_brings_filesystem_size_and_label() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        await to_form(pilot, "role")
        await turn(pilot, "role", "esp")
        await until(lambda: "vfat: chosen" in shown(pilot) and "1GiB" in shown(pilot), pilot)
        assert "(EFI, if left empty)" in shown(pilot)
        await press(pilot, "enter")
        await until(
            lambda: "EFI system partition" in shown(pilot) and "This volume" not in shown(pilot), pilot
        )
        assert "1 GiB" in shown(pilot) and "not mounted" in shown(pilot)
        assert [entry.type for entry in table_of(pilot).entries] == ["c12a7328-f81f-11d2-ba4b-00a0c93ec93b"]

    perform(job, services())


def test_what_cannot_be_is_marked_and_says_why_when_it_is_turned_to() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        await to_form(pilot, "role")
        await turn(pilot, "role", "esp")
        await until(lambda: "EFI system partition (not possible)" in shown(pilot), pilot)
        await until(lambda: "mkfs.vfat is not installed" in flat(pilot), pilot)
        await press(pilot, "enter")
        assert "This volume" in shown(pilot)

    perform(job, services(without="mkfs.vfat"))


def test_encryption_is_refused_with_the_reason_where_its_program_is_missing() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        await to_form(pilot, "encryption")
        await turn(pilot, "encryption", "luks2")
        await until(
            lambda: "(not possible)" in shown(pilot) and "cryptsetup is not installed" in flat(pilot), pilot
        )

    perform(job, services(without="cryptsetup"))


def test_a_kernel_without_the_device_mapper_has_neither_encryption_nor_a_group() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        await to_form(pilot, "encryption")
        await turn(pilot, "encryption", "luks2")
        await until(lambda: "(not possible)" in shown(pilot) and "has no dm-crypt" in flat(pilot), pilot)
        await press(pilot, "escape", "t")
        await until(lambda: "Table and volume group" in shown(pilot), pilot)
        await press(pilot, "down")
        await turn(pilot, "group", "lvm")
        await until(lambda: "(not possible)" in shown(pilot) and "has no device mapper" in flat(pilot), pilot)

    able = services()
    kernel = replace(able.machine.kernel, modules=(("dm_mod", False), ("dm_crypt", False)))
    perform(job, Rehearsal(replace(able.machine, kernel=kernel)))


def test_an_encrypted_volume_with_subvolumes_is_planned_and_shown() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        await to_form(pilot, "filesystem")
        await turn(pilot, "filesystem", "btrfs")
        await press(pilot, *["down"] * 5)
        await turn(pilot, "encryption", "luks2")
        assert "(not possible)" not in shown(pilot)
        await press(pilot, "down", "=@, @home", "enter")
        await until(lambda: "encrypted; subvolumes @, @home" in flat(pilot), pilot)
        plan = layout(pilot).plan
        assert plan is not None and plan.volumes[0].encryption is not None
        assert [one.name for one in plan.volumes[0].subvolumes] == ["@", "@home"]

    perform(job, services())


def test_a_desktops_volumes_are_one_key() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        await press(pilot, "p")
        await until(lambda: "Home directories" in shown(pilot), pilot)
        wanted = ["esp", "swap", "root", "home"]
        assert [wish.role for wish in layout(pilot).wishes] == wanted
        assert "Possible." in shown(pilot) and "rest: " in shown(pilot)
        await press(pilot, "enter")
        await step(pilot, 5)
        await press(pilot, "b")
        await step(pilot, 4)
        assert [wish.role for wish in layout(pilot).wishes] == wanted

    perform(job, services())


def test_a_desktop_on_too_small_a_drive_says_so() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        await press(pilot, "p")
        await until(lambda: "A desktop needs 24 GiB" in flat(pilot), pilot)
        assert len(layout(pilot).wishes) == 1

    perform(job, services(size_bytes=20 * GIB))


def test_an_mbr_is_turned_to_and_said_in_the_heading() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        await press(pilot, "t")
        await until(lambda: "Table and volume group" in shown(pilot), pilot)
        await turn(pilot, "table", "mbr")
        await press(pilot, "enter")
        await until(lambda: "Volumes, in a new MBR" in shown(pilot), pilot)
        assert table_of(pilot).table == "mbr"

    perform(job, services())


def test_an_mbr_that_does_not_fit_says_why_and_is_not_taken() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        await press(pilot, "t")
        await until(lambda: "Table and volume group" in shown(pilot), pilot)
        await turn(pilot, "table", "mbr")
        await until(
            lambda: "(not possible)" in shown(pilot) and "counts blocks in 32 bits" in flat(pilot), pilot
        )
        await press(pilot, "enter")
        assert "Table and volume group" in shown(pilot)
        await press(pilot, "escape")
        await step(pilot, 4)
        assert table_of(pilot).table == "gpt"

    perform(job, services(size_bytes=8 * TIB))


def test_a_volume_group_holds_all_of_them_and_each_shows_its_own_size() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        await to_form(pilot)
        await press(pilot, "=25%", "enter")
        await until(lambda: "25 %" in shown(pilot), pilot)
        await press(pilot, "t")
        await until(lambda: "Table and volume group" in shown(pilot), pilot)
        await press(pilot, "down")
        await turn(pilot, "group", "lvm")
        await press(pilot, "enter")
        await until(lambda: "all in one volume group" in shown(pilot), pilot)
        assert "25 %: 268 GB" in shown(pilot)

    perform(job, services())


def test_the_form_is_whole_at_80_by_24_with_a_reason_below_it() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        await to_form(pilot)
        await press(pilot, "=9999T", "enter")
        await until(lambda: "Ask for less" in flat(pilot), pilot)
        lines = shown(pilot).splitlines()
        assert len(lines) == 24 and all(cell_len(line) <= 80 for line in lines)
        for words in (
            "Purpose",
            "Role",
            "Filesystem",
            "Size",
            "Label",
            "Mount point",
            "Encryption",
            "Subvolumes",
            "[ Take it ]",
        ):
            assert words in shown(pilot), shown(pilot)

    perform(job, services())


def test_a_drive_that_is_only_recorded_is_shown_with_all_keys_at_80_columns() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        assert all(key in shown(pilot) for key in ("[p] desktop", "[t] table", "[d] drives", "[q] quit"))

    of: Drive = replace(drive(path="/dev/nvme0n1"), serial=None)
    perform(job, Rehearsal(machine(of, tools=EVERYTHING)))
