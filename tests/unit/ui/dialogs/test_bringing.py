"""Copying files from the menu and from a result: the source, lost attributes, the review."""

from collections.abc import Sequence
from io import BytesIO, StringIO
from pathlib import Path

from msgspec.structs import replace

from tests.unit.apply.test_bring import BRING, TAKES
from tests.unit.machines import drive, machine, partition, partitioned
from tests.unit.ui.live import RUN, Live, begun
from tests.unit.ui.person import Person
from wizard.apply.copy.places import Source, sources_of
from wizard.apply.run.journal import RunState
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Machine, Use
from wizard.model.requests import CopyFiles, Wanted
from wizard.model.said import GIB, MIB
from wizard.plain.app import PlainSession
from wizard.plain.prompt import Dialogue
from wizard.plan.changes import Bring, RunDocument
from wizard.plan.copy import losses_of
from wizard.ui.wizard import Wizard

PART = "/dev/sda1"
OLD = Source("/home", "/dev/sdb1", "ext4", "homes", 8 * GIB)


def mounted(place: str = "/srv/new") -> Drive:
    on = partitioned(partition(1, MIB, GIB, filesystem="ext4"))
    return replace(on, uses=(Use("mounted", PART, place),))


class Brings(Live):
    """Services with sources, which record the copies."""

    def __init__(self, known: Machine, bring: Bring = BRING, fault: str = "") -> None:
        super().__init__(known)
        self.bring, self.why, self.asked = bring, fault, list[tuple[str, str, str, bool]]()
        self.begun = list[tuple[RunDocument, str]]()

    def bring_sources(self, targets: Sequence[str]) -> tuple[Source, ...]:
        return (Source("/root"), OLD, Source("/dev/sdc1", "/dev/sdc1", "xfs", "", GIB))

    def work_out(self, device: str, asked: Wanted | CopyFiles) -> Bring:
        assert isinstance(asked, CopyFiles) and device == asked.target
        self.asked.append((asked.source, asked.target, asked.into, asked.takes_place))
        if self.why:
            raise Refused(self.why)
        return replace(self.bring, doubts=losses_of(self.bring))

    def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        self.begun.append((document, tokens[0]))
        return RUN


def from_menu(services: Brings) -> Person:
    person = Person(services)
    person.act("open", "/dev/sda")
    person.desk.moved(PART)
    person.act("actions", PART)
    person.key("y")
    assert person.view.place == "bringing", (person.view.place, person.said)
    return person


def test_copy_goes_from_the_menu_to_the_review() -> None:
    services = Brings(machine(mounted()))
    person = from_menu(services)
    assert [row.key for row in person.rows] == ["/root", "/home", "/dev/sdc1", "other"]
    assert "not mounted; read-only" in person.text and "/srv/new" in person.text
    person.act("take", "/home")
    assert [field.key for field in person.view.fields] == ["source", "into", "place"]
    person.act("take", into="old")
    assert services.asked == [("/home", "/srv/new", "old", False)]
    # What cannot be kept stands before everything else.
    assert person.view.place == "review"
    assert "Not everything" in person.text and "80 files" in person.text
    assert person.text.index("/home/anna/usb") < person.text.index("80 files")
    assert not services.begun
    person.act("apply", token0="wrong")
    assert not services.begun
    person.act("apply", token0=BRING.drive.token)
    ((document, token),) = services.begun
    assert (document, token) == (replace(BRING, doubts=losses_of(BRING)), BRING.drive.token)


def test_taking_over_the_mount_point_shows_the_difference() -> None:
    services = Brings(machine(mounted()), TAKES)
    person = from_menu(services)
    person.act("take", "/home")
    person.act("take", place="takes")
    assert services.asked == [("/home", "/srv/new", "", True)]
    assert "remains only on /dev/sdb1" in person.text
    person.act("commands")
    assert "+# before diskwright: UUID=0d2c /home ext4 defaults 0 2" in person.text


def test_other_folder_and_refused_folders() -> None:
    services = Brings(machine(mounted()), fault="There is no folder /none. Nothing was written.")
    person = from_menu(services)
    person.act("take", "other")
    assert [field.key for field in person.view.fields] == ["source", "into"]
    person.act("take", source=" ")
    assert person.view.place == "typing" and "Enter a folder" in person.said
    person.act("take", source="/none")
    assert person.view.place == "bringing" and "no folder /none" in person.said
    # It can be taken once more.
    assert person.view.action("take").why_not == ""  # type: ignore[union-attr]


def test_copy_needs_a_mounted_target() -> None:
    on = partitioned(partition(1, MIB, GIB, filesystem="ext4"))
    person = Person(Brings(machine(on)))
    person.act("open", "/dev/sda")
    person.desk.moved(PART)
    person.act("actions", PART)
    (row,) = [row for row in person.rows if row.key == "bring"]
    assert "is not mounted" in str(row.why_not)


def test_result_with_volumes_opens_the_copy_dialog() -> None:
    services = Brings(machine(drive()))
    person = begun(services)
    assert person.view.place == "result"
    person.key("y")
    assert person.view.place == "bringing" and "/srv/" in person.text
    failed = Brings(machine(drive()))
    failed.ends = RunState.FAILED
    person = begun(failed)
    assert person.view.action("bring") is None


def test_copy_dialog_works_in_plain_mode() -> None:
    out = StringIO()
    person = from_menu(Brings(machine(mounted())))
    talk = Dialogue(BytesIO(), out, width=78, ascii_only=False)
    PlainSession(Wizard(person.desk.services), talk).tell(person.desk.screen, person.view)
    assert "/home" in out.getvalue() and "another folder" in out.getvalue()


def test_other_layers_and_the_target_are_no_sources() -> None:
    parts = [partition(n, n * GIB, GIB, filesystem="ext4") for n in (1, 2, 3)]
    on = partitioned(*parts)
    uses = (Use("mounted", PART, "/srv/new"), Use("holder", "/dev/sda3", "/dev/dm-0"))
    found = sources_of(machine(replace(on, uses=uses)), ("/srv/new",))
    assert [(one.path, one.is_mounted) for one in found] == [("/dev/sda2", False)]
    found = sources_of(machine(replace(on, uses=uses)), ("/mnt",))
    assert [one.path for one in found] == ["/srv/new", "/dev/sda2"]
