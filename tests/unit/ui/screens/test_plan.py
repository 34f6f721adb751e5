"""The first three screens: drives, workloads, and changes to a plan, forwards and backwards."""

from collections.abc import Callable, Iterable

from msgspec.structs import replace
from pytest import MonkeyPatch

from tests.unit.machines import drive, machine, partition, partitioned
from tests.unit.plan.layouts import EVERYTHING, plan_page
from tests.unit.ui.live import MEDIA, Live, closed
from tests.unit.ui.person import Person
from wizard.advice.missing import Missing
from wizard.model.machine import Drive, Machine, Signature, Use
from wizard.model.said import GIB, MIB, t
from wizard.ui.screens.actions import MenuEntry
from wizard.ui.view import Banner, Bar, Block, Para

WITHOUT_MAKERS = tuple(tool for tool in EVERYTHING if not tool[0].startswith("mk"))


def crowded(**changes: object) -> Drive:
    """Return a drive with two partitions and free space between."""
    films = partition(1, MIB, 100 * GIB, filesystem="ext4")
    return partitioned(films, partition(2, 300 * GIB, 10 * GIB, filesystem="xfs"), **changes)


def at_plan(*drives: Drive) -> Person:
    """Return a person at the recommended plan for large media on the first drive."""
    person = Person(Live(machine(*drives, tools=EVERYTHING)))
    path = person.desk.services.drive_paths()[0]
    person.desk.moved(path)
    person.act("set-up", path)
    person.act("plan", MEDIA)
    assert person.view.place == "plan", (person.view.place, person.said)
    return person


def test_content_of_a_drive_is_preserved_by_default() -> None:
    person = at_plan(crowded())
    assert "All existing partitions are preserved, byte for byte." in person.text
    assert "will be deleted" not in person.text
    person.act("turn")
    assert "will be deleted" in person.text
    person.act("turn")
    assert "All existing partitions are preserved, byte for byte." in person.text


def test_unread_drive_is_not_called_full_and_is_read_as_root_first() -> None:
    person = Person(Live(unread=closed()))
    person.act("set-up", "/dev/sda")
    assert "Not enough free space" not in person.text and "not read" in person.text
    person.act("plan", MEDIA)
    assert person.view.place == "plan"
    assert "Not enough free space" not in person.text and "Press x to replace" not in person.text
    assert "The drive was not read" in person.text
    keys = [action.name for action in person.view.actions if not action.aside]
    assert keys[:2] == ["review", "as-root"]
    person.act("as-root")
    assert person.view.place == "drives"


def test_reading_as_root_has_its_own_key() -> None:
    person = Person(Live(unread=closed()))
    person.act("actions", "/dev/sda")
    person.act("do", "set-up")
    person.act("plan", MEDIA)
    assert "The drive was not read" in person.text and "Press o to read as root" not in person.text
    (said,) = [block for block in person.view.above if isinstance(block, Para) and block.key == "as-root"]
    assert "not read" in str(said.pieces[0].text) and person.view.action("as-root") is not None


def test_lost_content_without_partitions_has_name_and_size() -> None:
    stick = drive(signatures=(Signature("exfat", "filesystem", "STICK", "u-1"),), free=())
    person = Person(Live(machine(stick, tools=EVERYTHING)))
    person.act("actions", "/dev/sda")
    person.act("do", "set-up")
    person.act("plan", MEDIA)
    told = 'All of /dev/sda: exFAT "STICK", used space unknown, 500 GB.'
    assert told in person.text
    now = next(block for block in person.view.above if isinstance(block, Bar))
    assert [str(stretch.name) for stretch in now.stretches] == ["STICK"]
    person.act("review")
    banner = next(block for block in person.view.above if isinstance(block, Banner))
    assert [str(line) for line in banner.detail] == [told]
    plan = person.desk.session.plan
    assert plan is not None and told in " ".join(" ".join(plan_page(plan)).split())


def test_filesystem_on_the_whole_drive_can_be_preserved() -> None:
    whole = drive(signatures=(Signature("ext3", "filesystem", "STICK", "u-1"),), free=())
    person = Person(Live(machine(whole, tools=EVERYTHING)))
    person.act("actions", "/dev/sda")
    person.act("do", "set-up")
    person.act("plan", MEDIA)
    assert person.view.place == "plan" and "Deleted when you choose Keep" in person.text
    assert "Without losing a file:" in person.text


def test_volumes_are_added_changed_and_removed() -> None:
    person = at_plan(drive())
    person.act("add")
    # The first one takes all there is: its size is asked for first.
    assert person.said
    person.act("back")
    person.act("edit")
    person.act("take", size="100G")
    person.act("add")
    assert person.view.place == "volume"
    person.act("take", label="more")
    assert [row.key for row in person.rows] == ["0", "1"] and "more" in person.text
    plan = person.desk.session.plan
    assert plan is not None and len(plan.volumes) == 2
    assert [str(row.cells[2].text)[-3:] for row in person.rows] == [" GB", " GB"]
    person.act("remove", "1")
    assert [row.key for row in person.rows] == ["0"]
    person.act("remove")
    assert [row.key for row in person.rows] == ["0"] and person.said


def test_volume_added_to_system_volumes_gets_the_recommended_filesystem() -> None:
    person = at_plan(drive())
    (advised,) = (spec.choice.filesystem for spec in person.desk.session.specs)
    person.act("system")
    specs = person.desk.session.specs
    assert specs[0].choice.filesystem == "vfat" and all(spec.role for spec in specs)
    person.act("add", "0")
    held = {field.key: field.value for field in person.view.fields}
    assert held["filesystem"] == advised
    person.act("back")
    assert person.view.rows is not None and person.view.rows.at == "0", "the cursor stays"


def test_too_large_volume_is_refused_in_its_form_without_losing_input() -> None:
    person = at_plan(drive())
    person.act("edit")
    person.act("take", size="900T", label="films")
    assert person.view.place == "volume" and person.said
    held = {field.key: field.value for field in person.view.fields}
    assert (held["size"], held["label"]) == ("900T", "films")
    person.act("back")
    plan = person.desk.session.plan
    assert plan is not None and plan.volumes[0].label == "media"


def test_back_keeps_the_plan() -> None:
    person = at_plan(drive())
    person.act("edit")
    person.act("take", label="films")
    person.act("back")
    assert person.view.place == "purpose" and person.view.rows is not None
    assert person.view.rows.at == MEDIA
    person.act("plan", MEDIA)
    plan = person.desk.session.plan
    assert plan is not None and plan.volumes[0].label == "films"


def test_drive_in_use_gives_the_reason_and_opens_no_screen() -> None:
    used = replace(crowded(), uses=(Use("running-system", "/dev/sda", "/"),))
    person = Person(Live(machine(used)))
    person.act("set-up", "/dev/sda")
    assert person.view.place == "drives" and person.said
    person.act("actions", "/dev/sda")
    for name in ("set-up", "use-free"):
        assert person.row(name).why_not != ""
        person.act("do", name)
        assert person.view.place == "actions" and person.said == str(person.row(name).why_not)


def test_efi_system_partition_offers_only_fat() -> None:
    person = at_plan(drive(size_bytes=500 * GIB))
    person.act("system")
    (row,) = [row for row in person.rows if "EFI" in str(row.cells[0].text)]
    assert str(row.cells[1].text) == "FAT32"
    person.desk.moved(row.key)
    pane = person.view.panes[0]
    said = "\n".join(" ".join(str(piece.text) for piece in block.pieces) for block in paras(pane.blocks))
    assert said.count("recommended") == 1 and "FAT32 recommended" in said
    assert "ext4" not in said and "Btrfs" not in said and "good too" not in said
    person.act("filesystem")
    assert [row.key for row in person.rows] == ["vfat"]


def test_another_system_volume_keeps_its_choices() -> None:
    person = at_plan(drive(size_bytes=500 * GIB))
    person.act("system")
    (row,) = [row for row in person.rows if "root" in str(row.cells[0].text)]
    person.desk.moved(row.key)
    person.act("filesystem")
    assert {"ext4", "xfs", "btrfs"} <= {row.key for row in person.rows}
    assert "vfat" not in [row.key for row in person.rows]


def test_enter_is_not_offered_in_a_menu_without_possible_actions(monkeypatch: MonkeyPatch) -> None:
    grey = (MenuEntry("mount", "n", t("mount"), "", "It is in use."),)
    monkeypatch.setattr("wizard.ui.screens.actions.Actions.entries", lambda *_, **__: grey)
    person = Person(Live(machine(crowded(), tools=EVERYTHING)))
    person.act("actions", "/dev/sda")
    assert person.view.place == "actions" and all(row.why_not != "" for row in person.rows)
    assert person.view.action("do") is None and person.view.action("back") is not None


def paras(blocks: Iterable[Block]) -> list[Para]:
    return [block for block in blocks if isinstance(block, Para)]


def test_missing_best_filesystem_is_installed_and_planned() -> None:
    class Bare(Live):
        installed = False

        def install_offer(self, missing: Missing) -> str:
            return f"Install {missing.programs}?"

        def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
            self.installed = True

        def surroundings(self) -> Machine:
            return replace(self.machine, drives=(), tools=EVERYTHING if self.installed else WITHOUT_MAKERS)

    person = Person(Bare(machine(drive(), tools=WITHOUT_MAKERS)))
    person.act("set-up", "/dev/sda")
    person.act("plan", MEDIA)
    assert person.view.place == "plan" and "No filesystem suits this purpose here." in person.text
    person.key("i")
    assert "mkfs.xfs" in person.text
    person.key("y")
    if person.view.place != "plan":
        person.key("enter")
    assert person.view.place == "plan" and "No filesystem" not in person.text, person.text
    assert person.desk.session.plan is not None and not person.view.action("install")
    review = person.view.action("review")
    assert review is not None and review.why_not == ""


def test_purpose_without_a_suitable_filesystem_shows_the_first_obstacle_of_each() -> None:
    person = Person(Live(machine(drive(), tools=())))
    person.act("set-up", "/dev/sda")
    assert person.view.place == "purpose" and "No filesystem suits this purpose here." in person.text
    assert "mkfs.ext4 is not installed." in person.text
