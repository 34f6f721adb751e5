"""The screens tell the truth: unread drives are called unread, losses appear on every screen, and
emptiness is claimed per drive."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from tests.unit.machines import SIZE_BYTES, drive, machine, partition, partitioned, unread
from tests.unit.plan.layouts import EVERYTHING
from tests.unit.ui.live import MEDIA, Live
from tests.unit.ui.person import Person
from wizard.model.machine import Drive, Machine, Use
from wizard.model.said import MIB
from wizard.probe.host.uses import ELSEWHERE

NOT_READ = (unread("table", "Permission denied."), unread("content_digest", "Permission denied."))
NOTHING = ("Nothing is lost", "no data found", "nothing recognised", "no filesystem", "empty")


def unread_part() -> Drive:
    """Return a drive full of ext4 as an ordinary user sees it: the kernel only reports the partition."""
    full = partition(1, MIB, SIZE_BYTES - 4 * MIB)
    return partitioned(full, content_digest=None, unread=NOT_READ, free=())


def plain_user(*drives: Drive) -> Live:
    """Return services without read access to the drives."""
    known = machine(*drives, root=False, tools=EVERYTHING)
    return Live(known, unread=known, gives_root=False)


def screens(person: Person) -> Iterator[tuple[str, str]]:
    """Yield each screen's name and texts from the drives to Review, setting up the whole drive."""
    path = person.rows[0].key
    yield "drives", person.text
    if person.view.action("open"):
        person.act("open", path)
        yield "partitions", person.text
    person.act("actions", path)
    yield "actions", person.text
    person.act("do", "set-up")
    yield "purpose", person.text
    person.act("plan", MEDIA)
    yield "plan", person.text
    review = person.view.action("review")
    if review is not None and review.why_not == "":
        person.act("review")
        yield "review", person.text


@pytest.mark.parametrize(
    "on",
    [unread_part(), drive(table=None, content_digest=None, free=(), unread=NOT_READ)],
    ids=["partition", "drive"],
)
def test_unread_content_is_never_called_empty_or_safe(on: Drive) -> None:
    for place, text in screens(Person(plain_user(on))):
        for word in NOTHING:
            assert word not in text.replace("nothing is written", ""), (place, word, text)
        assert place in ("actions", "purpose") or "read" in text, (place, text)


def full(path: str, serial: str) -> Drive:
    """Return a drive filled by one filesystem."""
    part = partition(1, MIB, SIZE_BYTES - 4 * MIB, of=path, filesystem="ext4")
    return partitioned(part, path=path, serial=serial, wwn=f"naa.{serial}", by_id=(), free=())


@pytest.fixture
def two() -> Machine:
    """Machine with an empty and a full drive."""
    return machine(drive(), full("/dev/sdb", "S2"), tools=EVERYTHING)


def test_loss_of_one_full_drive_of_two_is_shown(two: Machine) -> None:
    person = Person(Live(two))
    person.act("set-up", "/dev/sda")
    person.act("plan", MEDIA)
    person.act("drives")
    assert person.view.place == "spread"
    person.act("take", "/dev/sdb")
    person.act("take", "mirror-md")
    assert person.view.place == "question" and "/dev/sdb" in person.text
    person.key("y")
    texts = [person.text]
    person.act("review")
    assert person.view.place == "review"
    texts.append(person.text)
    for text in texts:
        assert "sdb" in text and "Nothing is lost" not in text, text
        assert "No data is lost" not in text and "no data found" not in text, text
    assert "/dev/sdb1: " in texts[-1], texts[-1]


@pytest.mark.parametrize(
    "kind",
    [
        "mounted",
        "swap",
    ],
)
def test_hidden_mount_has_no_command_with_placeholder_words(kind: str) -> None:
    used = replace(full("/dev/sda", "S1"), uses=(Use(kind, "/dev/sda1", ELSEWHERE),))
    person = Person(Live(machine(used, tools=EVERYTHING)))
    texts = [person.text]
    person.act("open", "/dev/sda")
    person.desk.moved("/dev/sda1")
    texts.append(person.text)
    person.act("actions")
    texts.append(person.text)
    person.act("back")
    person.act("why")
    for row in person.rows:
        person.desk.moved(row.key)
        texts.append(person.text)
    for text in texts:
        assert f"umount {ELSEWHERE}" not in text, text


def test_no_screen_calls_the_same_data_preserved_and_lost() -> None:
    for place, text in screens(Person(Live(machine(full("/dev/sda", "S1"), tools=EVERYTHING)))):
        lost = "deleted when you choose Keep" in text
        assert not (lost and ("Nothing is lost" in text or "no data is lost" in text.lower())), (
            place,
            text,
        )
        if place in ("plan", "review"):
            assert "ext4" in text and lost, (place, text)
