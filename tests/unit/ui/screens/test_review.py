"""The final confirmation: lost data, the serial number to type, and no start without confirmation."""

import pytest

from tests.unit.machines import drive, machine
from tests.unit.plan.layouts import EVERYTHING
from tests.unit.plan.settings.test_one_partition import deleted, formatted, growing, grown
from tests.unit.ui.live import MEDIA, RUN, Live, Seen, at_review, begun, closed
from tests.unit.ui.person import Person
from tests.unit.ui.screens.test_plan import crowded
from wizard.host.services import Services
from wizard.model.errors import ExitCode, Failed
from wizard.plan.text import WORD, UndoSpace
from wizard.ui.jobs.job import PlanJob
from wizard.ui.view import Banner, Tone

LONG = "WD-WX12A34B5678"


def anew(services: Live) -> Person:
    """Return a person at the review that replaces a drive's content."""
    person = Person(services)
    person.act("actions", services.drive_paths()[0])
    person.act("do", "set-up")
    person.act("plan", MEDIA)
    person.key("enter")
    assert person.view.place == "review", (person.view.place, person.said)
    return person


@pytest.mark.parametrize("typed", ["", "y", "yes", "1", "s1", "S1 S1", "b", "S"])
def test_only_the_token_starts_the_run(typed: str) -> None:
    services = Live()
    person = at_review(services)
    person.act("apply", token0=typed)
    assert services.seen == Seen() and person.view.place == "review"
    assert "S1" in person.said and "sda" in person.said


@pytest.mark.parametrize(("serial", "says"), [("", "no serial"), (LONG, "last four")])
def test_drive_without_a_serial_says_so(serial: str, says: str) -> None:
    person = at_review(Live(machine(drive(serial=serial))))
    asked = person.view.fields[0]
    assert str(asked.caption) == "Serial" and says in person.text
    assert serial or "sda" in str(asked.hint)


@pytest.mark.parametrize(
    ("typed", "starts"),
    [
        *((text, True) for text in (LONG, "5678", f" {LONG} ")),
        *((text, False) for text in ("678", "WD-W", "X5678")),
    ],
)
def test_only_the_serial_or_its_end_starts_the_run(typed: str, *, starts: bool) -> None:
    services = Live(machine(drive(serial=LONG)))
    begun(services, typed)
    # Root's end gets all of it.
    assert services.seen.started == ([LONG] if starts else [])


def test_equal_serial_endings_need_the_complete_serial() -> None:
    other = drive(path="/dev/sdb", serial="OTHER-5678", wwn="naa.b", by_id=())
    services = Live(machine(drive(serial=LONG), other))
    person = at_review(services)
    person.act("apply", token0="5678")
    assert not services.seen.started and LONG in person.said
    person.act("apply", token0=LONG)
    assert services.seen.started == [LONG]


def test_drive_without_a_serial_is_confirmed_by_its_whole_name() -> None:
    services = Live(machine(drive(serial=None, path="/dev/loop12")))
    person = at_review(services)
    person.act("apply", token0="op12")
    assert not services.seen.started
    person.act("apply", token0="loop12")
    assert services.seen.started == ["loop12"]


def test_data_loss_is_named_first_if_any() -> None:
    person = anew(Live(machine(crowded())))
    assert (
        "/dev/sda1: ext4, used space unknown, 107 GB." in person.text
        and "deleted when you choose Keep" in person.text
    )
    assert "Nothing is lost." not in person.text
    apply = person.view.action("apply")
    assert apply is not None and str(apply.label) == "delete and set up"
    kept = at_review(Live(machine(crowded())))
    assert "Nothing is lost." in kept.text and "All of" not in kept.text


def test_root_is_asked_after_the_token_and_not_before() -> None:
    services = Live(unread=machine(root=False))
    person = at_review(services)
    assert "Applying asks for root access" in person.text
    person.act("apply", token0="wrong")
    assert services.seen == Seen()
    person.act("apply", token0="S1")
    assert (services.seen.roots, services.seen.started) == (1, ["S1"])


def test_denied_root_starts_no_run() -> None:
    services = Live(unread=machine(root=False), gives_root=False)
    person = begun(services)
    assert person.said == "Root was not given. Nothing was written."
    assert (person.view.place, services.seen) == ("review", Seen(roots=1))


def test_unread_drive_is_read_as_root_before_applying() -> None:
    services = Live(unread=closed())
    person = Person(services)
    assert "not read" in person.text and "empty" not in str(person.row("/dev/sda").cells[-1].text)
    person.act("actions", "/dev/sda")
    person.act("do", "set-up")
    person.act("plan", MEDIA)
    person.act("review")
    assert person.view.action("apply") is None and not person.view.fields
    person.key("enter")
    assert person.view.place == "drives" and services.seen == Seen(roots=1)
    assert "empty" in str(person.row("/dev/sda").cells[-1].text)


def test_unknown_space_for_undo_is_shown_and_lacking_space_needs_a_word() -> None:
    services = Live(machine(crowded()))
    services.room = UndoSpace("The space needed for undo is unknown. No loop device.")
    assert "No loop device." in at_review(services).text
    services.room = UndoSpace("The way back takes 129 MB in /srv/runs.", needed_bytes=129_000_000)
    assert "Space:" not in at_review(services).text
    services.room = UndoSpace("There is no room for a way back in /srv/runs.", fits=False)
    person = at_review(services)
    person.act("apply", token0="S1")
    assert not services.seen.started and WORD in person.said
    person.act("apply", token0="S1", word=WORD)
    assert services.seen.started == ["S1", WORD]


def test_keeping_without_undo_is_no_good_news() -> None:
    services = Live(machine(crowded()))
    services.room = UndoSpace("There is no room for a way back in /srv/runs.", fits=False)
    person = at_review(services)
    (banner,) = [block for block in person.view.above if isinstance(block, Banner)]
    assert banner.tone is Tone.WARN and "cannot be undone" in str(banner.text)


def test_unknown_start_of_a_run_is_reported_as_unknown() -> None:
    services = Live()
    services.fault = Failed("Root's end has gone.")
    person = begun(services)
    assert "Root's end has gone." in person.said and "Nothing" not in person.said
    assert person.view.place == "review"


def encrypted(services: Live) -> Person:
    """Return a person at the review of one encrypted volume."""
    person = Person(services)
    person.act("set-up", "/dev/sda")
    person.act("plan", MEDIA)
    person.act("edit")
    person.turn("encryption", "luks2")
    person.act("take")
    person.act("review")
    assert person.view.place == "review", (person.view.place, person.said)
    return person


TOOLS = (*EVERYTHING, ("cryptsetup", "/usr/sbin/cryptsetup"))


def test_passphrase_is_typed_twice_and_never_shown() -> None:
    services = Live(machine(drive(), tools=TOOLS))
    person = encrypted(services)
    assert {field.key for field in person.view.fields if field.secret} == {"passphrase", "again"}
    secret = " several other words "
    person.act("apply", token0="S1", passphrase=secret, again="several words")
    assert not services.seen.started and "same passphrase twice" in person.said
    assert secret.strip() not in person.text
    assert not any(field.value for field in person.view.fields if field.secret)
    person.act("apply", token0="S1", passphrase=secret, again=secret)
    assert services.seen.secrets == [secret.encode()]


def test_empty_passphrase_is_refused_and_a_short_one_confirmed() -> None:
    services = Live(machine(drive(), tools=TOOLS))
    person = encrypted(services)
    person.act("apply", token0="S1")
    assert not services.seen.started and "passphrase twice" in person.said
    person.act("apply", token0="S1", passphrase="short", again="short")
    assert not services.seen.started and "This passphrase has fewer" in person.said
    person.act("apply", token0="S1", passphrase="other", again="other")
    assert not services.seen.started
    person.act("apply", token0="S1", passphrase="other", again="other")
    assert services.seen.secrets == [b"other"]


def test_removed_drive_returns_to_the_list_and_keeps_the_workload() -> None:
    services = Live()
    person = at_review(services)
    services.attached = lambda _: False
    with person.desk._lock:
        person.desk._leave_unplugged()
    person.wait()
    assert person.view.place == "drives"
    assert "sda Example HDD 500 was disconnected" in person.said.replace("/dev/", "")
    services.attached = lambda _: True
    person.act("set-up", "/dev/sda")
    assert person.view.rows is not None and person.view.rows.at == MEDIA


@pytest.mark.parametrize(("interrupted", "code"), [(True, ExitCode.ENDED_BY_USER), (False, ExitCode.DONE)])
def test_only_an_interrupted_wizard_fails_without_a_run(*, interrupted: bool, code: ExitCode) -> None:
    person = at_review(Live())
    person.desk.interrupted = interrupted
    assert person.desk.exit_code() is code
    assert person.desk.farewell() == ()


def test_started_run_is_remembered() -> None:
    services = Live()
    person = begun(services)
    assert person.desk.run == RUN and person.view.place == "result"
    assert person.desk.exit_code() is ExitCode.DONE


def test_review_is_named_after_its_job() -> None:
    on, part = growing("xfs")
    plans = formatted(on, part), deleted(on, part), grown(on, part)
    titles = [str(PlanJob(Services(machine(on), ""), plan).title) for plan in plans]
    assert titles == ["Format /dev/sda1", "Delete /dev/sda1", "Grow /dev/sda1"]


def test_every_important_step_is_visible() -> None:
    person = at_review(Live())
    assert "more step" not in person.text and "now and on every boot" in person.text
    assert "Writable by" in person.text


def test_unknown_space_for_undo_is_hidden_if_there_is_no_old_data() -> None:
    services = Live()
    services.room = UndoSpace("The space needed for undo is unknown. No loop device.")
    person = at_review(services)
    assert "No old contents to restore" in person.text and "Space:" not in person.text


def test_unrecognised_data_is_lost_and_the_run_waits() -> None:
    services = Live()
    services.room = UndoSpace("Room.", lost=("/dev/sda holds data at byte 7.",))
    person = at_review(services)
    (banner,) = (block for block in person.view.above if isinstance(block, Banner))
    assert banner.tone is Tone.DANGER and banner.detail == services.room.lost
    assert "Undo restores the old contents" in person.text and "No old contents to restore" not in person.text
