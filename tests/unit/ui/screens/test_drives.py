"""The first screen: the cursor, the runs at the top, and the facts about their drives."""

import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine, partition, partitioned
from tests.unit.plan.layouts import plan_for, spec
from tests.unit.ui.live import RUN, Live
from tests.unit.ui.person import Person, texts_of_row
from wizard.apply.local_runs import OpenRun
from wizard.apply.run.journal import RunState
from wizard.model.errors import Refused
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive, Machine, Signature, Use
from wizard.model.requests import SetOptions, Wanted
from wizard.model.run import Waiting
from wizard.model.said import GIB, MIB, t
from wizard.ui.components.drive_rows import finding_paras, headline
from wizard.ui.view import Para
from wizard.ui.wizard import Wizard


def other(path: str = "/dev/sdb") -> Drive:
    """Return a second drive."""
    return drive(path=path, serial=path[-3:], wwn=f"naa.{path}", by_id=())


def plug_in(person: Person, services: Live, added: Drive) -> None:
    """Plug in another drive."""
    services.known = services.machine = machine(*services.known.drives, added)
    person.desk.screen.drives_changed()
    person.wait()


def cursor(person: Person) -> str:
    """Return the row at the cursor."""
    assert person.view.rows
    return person.view.rows.at


def test_cursor_moves_to_a_new_drive_unless_the_user_moved_it() -> None:
    services = Live()
    person = Person(services)
    plug_in(person, services, other())
    assert cursor(person) == "/dev/sdb"
    person.desk.moved("/dev/sda")
    plug_in(person, services, other("/dev/sdc"))
    assert cursor(person) == "/dev/sda" and "sdc was plugged in" in person.said


def test_drive_keeps_the_cursor_after_an_action() -> None:
    services = Live()
    person = Person(services)
    person.desk.act("actions", "/dev/sda")
    person.act("back")
    plug_in(person, services, replace(other(), size_bytes=0))
    assert cursor(person) == "/dev/sda"


def with_run(state: str, *ways: str, on: str = "/dev/sda", known: Machine | None = None) -> Live:
    """Return services with a run on one device."""
    services = Live(known)
    services.ends = RunState(state)
    services.open = (OpenRun(RUN, state, (on,), ways),)
    services.plan_begun = plan_for(drive(), spec("ext4"))
    return services


def at(person: Person, row: str, name: str) -> None:
    """Perform an action at a row."""
    person.desk.moved(row)
    person.act(name)


def two_parts() -> Drive:
    """Return a drive with two partitions, the second with ext4."""
    first = partition(1, MIB, GIB)
    return partitioned(first, partition(2, MIB + GIB, GIB, filesystem="ext4"))


def greyed(person: Person) -> dict[str, str]:
    """Return the disabled entries of a menu with their reasons."""
    return {row.key: str(row.why_not) for row in person.rows if str(row.why_not)}


WRITING = {
    "set-up",
    "use-free",
    "format",
    "delete",
    "grow",
    "adjust",
    "rename",
    "mount",
    "options",
    "tune",
    "to-ext4",
    "power-off",
}


@pytest.mark.parametrize("row", ["/dev/sda", "/dev/sda2"])
def test_busy_drive_offers_only_its_run(row: str) -> None:
    person = Person(with_run("running", known=machine(two_parts())))
    at(person, "/dev/sda", "open")
    at(person, row, "actions")
    assert person.rows[0].key == "show-run"
    able = {one.key for one in person.rows} - set(greyed(person))
    assert able <= {"show-run", "speed", "health"}
    assert {why for key, why in greyed(person).items() if key in WRITING} == {"Being changed now."}
    person.act("show-run")
    assert person.view.step == "work"


def test_run_on_one_partition_does_not_affect_its_neighbour() -> None:
    person = Person(with_run("running", on="/dev/sda2", known=machine(two_parts())))
    at(person, "/dev/sda", "open")
    at(person, "/dev/sda1", "actions")
    assert "Being changed now." not in greyed(person).values()


@pytest.mark.parametrize(("key", "place"), [("K", "question"), ("U", "question")])
def test_waiting_run_is_first_in_the_menu_of_its_drive(key: str, place: str) -> None:
    person = Person(with_run("waiting", "keep", "undo"))
    at(person, "/dev/sda", "actions")
    assert [row.key for row in person.rows][:2] == ["keep", "undo"]
    assert greyed(person)["set-up"] == "Waiting: keep (K) or undo (U)."
    person.key(key)
    assert person.view.place == place


def test_drive_locked_by_its_run_waits_and_is_not_write_protected() -> None:
    known = machine(drive(read_only=True, signatures=(Signature("ext4", "filesystem"),)))
    person = Person(with_run("done", "keep", "undo", known=known))
    person.desk.moved("/dev/sda")
    assert "read-only" not in person.text and "write-protect switch" not in person.text
    keys = [block.key for pane in person.view.panes for block in pane.blocks if isinstance(block, Para)]
    assert keys[:2] == ["keep", "undo"]
    assert "waiting: keep/undo" in " ".join(texts_of_row(person.row("/dev/sda")))


def test_unfinished_run_comes_first_and_blocks_no_action() -> None:
    person = Person(with_run("failed", "resume", "undo"))
    at(person, "/dev/sda", "actions")
    assert person.rows[0].key == "show-run" and "set-up" not in greyed(person)


def test_row_of_a_run_updates_itself() -> None:
    services = with_run("running")
    person = Person(services)
    assert "Being changed now" in person.text and person.rows[0].pinned
    services.ends = RunState.WAITING
    services.open = (OpenRun(RUN, "waiting", ("/dev/sda",), ("keep", "undo")),)
    until = time.monotonic() + 20
    while "done, not in use yet" not in person.text and time.monotonic() < until:
        time.sleep(0.05)
    person.wait()
    assert "Done, not in use yet" in person.text and "Being changed now" not in person.text


def test_active_run_is_polled_without_reading_all_runs() -> None:
    services = with_run("running")
    person = Person(services)
    services.open = ()
    person.desk.look_at_runs()
    assert person.desk.runs


def test_partition_with_waiting_growth_is_not_empty_or_damaged() -> None:
    notice = Waiting("20261121-000000-sda", "2026-11-21T00:00:00+00:00", "It grows.", GIB, 4096, bare=True)
    part = partition(1, MIB, GIB, superblock_copy_bytes=MIB + 134217728)
    on = partitioned(part, waiting=notice)
    person = Person(with_run("waiting", "keep", "undo", known=machine(on)))
    at(person, "/dev/sda", "open")
    for row in ("/dev/sda", "/dev/sda1"):
        person.desk.moved(row)
        assert "nothing recognised" not in person.text and "superblock" not in person.text
    assert "waiting" in " ".join(texts_of_row(person.row("/dev/sda1")))


def begun_at(services: Live, *named: str) -> Person:
    """Return a person who started the wizard with a drive, or also a partition."""
    desk = Wizard(services)
    desk.begin(*named)
    return Person(services, desk)


def test_cursor_starts_on_the_named_drive_or_partition() -> None:
    services = Live()
    services.known = services.machine = machine(
        drive(), partitioned(partition(of="/dev/sdb"), path="/dev/sdb", serial="B")
    )
    assert cursor(begun_at(services)) == "/dev/sda"
    person = begun_at(services, "/dev/sdb")
    assert cursor(person) == "/dev/sdb"
    plug_in(person, services, other("/dev/sdc"))
    assert cursor(person) == "/dev/sdb"
    assert cursor(begun_at(services, "/dev/sdb", "/dev/sdb1")) == "/dev/sdb1"
    waiting = with_run("waiting", "keep", "undo")
    waiting.known = waiting.machine = services.known
    assert cursor(begun_at(waiting, "/dev/sdb")) == "/dev/sdb"


def test_every_demo_screen_is_labelled_as_demo() -> None:
    services = Live()
    services.demo = True
    person = Person(services)
    try:
        for _ in range(3):
            assert str(person.view.about).startswith("DEMO"), person.view.place
            person.key("enter")
        assert str(person.view.about).startswith("DEMO"), person.view.place
        assert person.view.place == "review"
        person.act("help")
        assert str(person.view.about) == "DEMO"
    finally:
        person.end()


def test_f_on_the_finding_opens_the_review_of_a_move() -> None:
    off = partition(1, 63 * 512, GIB, filesystem="ext4")
    person = Person(Live(machine(partitioned(off))))
    (action,) = [one for one in person.view.actions if one.name == "move"]
    assert action.key == "f" and not action.why_not
    told = [block for pane in person.view.panes for block in pane.blocks if isinstance(block, Para)]
    assert any(block.key == "move" for block in told)
    person.act("move", "/dev/sda")
    assert person.view.place == "review" and "Nothing is lost." in person.text
    assert "power cut during the move" in person.text


def test_f_on_the_drive_row_moves_all_misaligned_partitions() -> None:
    off = [partition(n, n * 20 * GIB + 512, GIB, filesystem="ext4") for n in (1, 2)]
    person = Person(Live(machine(partitioned(*off))))
    (action,) = [one for one in person.view.actions if one.name == "move"]
    assert str(action.label) == "align"
    person.act("move", "/dev/sda")
    assert person.view.place == "review" and "Nothing is lost." in person.text
    assert "Align /dev/sda2 and /dev/sda1" in person.text
    assert "no computer can mount /dev/sda2 and /dev/sda1" in person.text


def test_plain_user_moves_if_a_program_can_ask_for_root() -> None:
    off = partition(1, 63 * 512, GIB, filesystem="ext4")
    services = Live(machine(partitioned(off)))
    services.obstacle = "Only root writes."
    person = Person(services)
    (action,) = [one for one in person.view.actions if one.name == "move"]
    assert not action.why_not
    services.apply_obstacle = "Only root writes."
    (action,) = [one for one in Person(services).view.actions if one.name == "move"]
    assert action.why_not == "Only root writes."


def test_f_says_why_a_partition_in_use_cannot_move() -> None:
    off = partition(1, 63 * 512, GIB, filesystem="ext4", mount_points=("/home",))
    person = Person(Live(machine(partitioned(off))))
    (action,) = [one for one in person.view.actions if one.name == "move"]
    assert "/home" in str(action.why_not)


@pytest.mark.parametrize(
    ("state", "on", "why_not", "shown"),
    [
        ("failed", "/dev/sdx", "It is gone.", False),
        ("interrupted", "/dev/sdx1", "It is gone.", False),
        ("refused", "/dev/sdx", "It is gone.", False),
        ("waiting", "/dev/sdx", "It is gone.", True),
        ("interrupted", "/dev/sdx", "", True),
        ("failed", "/dev/sda", "It was changed.", True),
    ],
)
def test_failed_runs_of_absent_drives_are_only_counted(
    state: str, on: str, why_not: str, *, shown: bool
) -> None:
    services = Live(machine(drive()))
    ways = () if why_not else ("undo",)
    services.open = tuple(OpenRun(RUN.with_name(name), state, (on,), ways, why_not) for name in "abc")
    person = Person(services)
    keys = [row.key for row in person.rows]
    assert keys == [*([f"run:{run.run}" for run in services.open] if shown else ["gone"]), "/dev/sda"]
    assert shown or (
        "3 failed runs" in person.text and person.view.rows and person.view.rows.at == "/dev/sda"
    )
    assert shown or not {"show-run", "keep", "undo"} & {action.name for action in person.view.actions}


@pytest.mark.parametrize(
    ("uses", "at", "first", "caption"),
    [
        ([Use("mounted", "/dev/sda1", "/srv/media")], "/dev/sda", "/srv/media, 850 GB free.", "To set up:"),
        ([Use("mounted", "/dev/sda1", "/srv/media")], "/dev/sda1", "/srv/media, 850 GB free.", "To set up:"),
        ([Use("mounted", "/dev/sda", "/mnt")], "/dev/sda", "/mnt.", "To set up:"),
        ([Use("mounted", "/dev/sda1", t("a hidden location"))], "/dev/sda", "", "Cannot be set up now:"),
        ([Use("swap", "/dev/sda1", "swap")], "/dev/sda", "", "Cannot be set up now:"),
    ],
)
def test_mounted_drive_shows_its_mount_point_first(
    uses: list[Use], at: str, first: str, caption: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = {"/srv/media": 850 * 10**9}
    monkeypatch.setattr(Live, "free_bytes", lambda _, place: free.get(place))
    person = Person(Live(machine(replace(two_parts(), uses=tuple(uses)))))
    person.act("open")
    person.desk.moved(at)
    (pane,) = person.view.panes
    said = [" ".join(str(piece.text) for piece in one.pieces) for one in pane.blocks if isinstance(one, Para)]
    assert said[0].endswith(first) if first else said[0].startswith(caption)
    assert sum(caption in one for one in said) == 1


def test_fstab_line_of_an_absent_drive_is_shown_with_its_remedy(tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text("LABEL=gone /mnt/gone ext4 defaults 0 2\nLABEL=fine /mnt/fine ext4 nofail 0 2\n")
    services = Live(machine(drive()))
    services.fstab = fstab
    person = Person(services)
    assert [row.key for row in person.rows] == ["absent:LABEL=gone", "/dev/sda"]
    assert cursor(person) == "/dev/sda"
    person.desk.moved("absent:LABEL=gone")
    assert "Line 1" in person.text and "nofail" in person.text
    person.key("enter", "absent:LABEL=gone")
    assert person.view.place == "reasons" and "sed -i.old -E" in person.text


def test_n_on_a_removable_drive_adds_nofail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = Signature("ext4", "filesystem", "photos", "11111111-2222-4333-8444-555555555555")
    stick = replace(partitioned(partition(signatures=(mark,), path="/dev/sda1"), bus="usb"), removable=True)
    fstab = tmp_path / "fstab"
    fstab.write_text("LABEL=photos /mnt/photos ext4 noatime 0 2\n")
    asked: list[tuple[str, Wanted]] = []

    def work_out(_: Live, device: str, wanted: Wanted) -> None:
        asked.append((device, wanted))
        raise Refused("seen")

    monkeypatch.setattr(Live, "work_out", work_out)
    monkeypatch.setattr(Live, "options_at_boot", lambda *_: ("noatime",))
    services = Live(machine(stick))
    services.fstab = fstab
    person = Person(services)
    person.key("n", "/dev/sda")
    assert asked == [("/dev/sda1", SetOptions(("noatime", "nofail")))]


def test_headline_says_more_than_the_name_of_the_drive() -> None:
    for said in ("/dev/sda1 is misaligned", "/dev/sda: Worn but working"):
        assert headline(f"{said}: start byte 17408.") == said


def test_same_finding_names_all_devices_and_each_reason() -> None:
    about = Finding(
        "drive-unread", Severity.WARNING, "/dev/sda1", "sda1 is unread.", "", "", "Start as root."
    )
    others = [replace(about, subject=f"/dev/sda{number}") for number in (2, 3)]
    again = replace(about, sentence="sda1 is unread again.", remedy="Install smartctl.")
    said = [str(piece.text) for para in finding_paras((about, *others, again)) for piece in para.pieces]
    assert "(also sda2 and sda3)" in said
    assert {"sda1 is unread.", "Start as root.", "sda1 is unread again.", "Install smartctl."} <= {*said}
