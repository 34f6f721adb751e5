"""The form of a volume: its input, dependent fields, and no lost text."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.unit.ui.dialogs.sides import MEDIA, person_at, recorded, session_for
from tests.unit.ui.person import Person
from wizard.host.services import Services
from wizard.model.layout import EVERYONE, NO_PLACE, ROOT, Subvolume, Writer
from wizard.plan.request.using import Usual
from wizard.plan.request.volume_request import VolumeSpec
from wizard.ui.editors.volume import VolumeEditor
from wizard.ui.session import Session
from wizard.ui.view import Field

ANNA = Writer("person", "anna", 1000, 1000)
FAMILY = Writer("group", "family", 0, 1100)


class Home(Services):
    """Services with Anna as the user, and a known group `family`."""

    def usual(self) -> Usual:
        return Usual(ANNA)

    def writer_named(self, text: str) -> Writer:
        if text == "group:family":
            return FAMILY
        return super().writer_named(text)


def home() -> Home:
    return Home(recorded().machine, "a test", lambda: "11111111-2222-4333-8444-555555555555")


def form(
    services: Services,
    came: list[VolumeSpec],
    *,
    workload: str = MEDIA,
    new: bool = False,
    change: Callable[[VolumeSpec], VolumeSpec] = lambda spec: spec,
) -> Person:
    session = session_for(services, workload)
    spec = change(session.specs[0])
    if new:
        spec = replace(spec, size_bytes=1 << 30, label="first", mount_point="/srv/first")

    def take(changed: Session) -> None:
        came.append(changed.specs[-1])

    return person_at(
        services, replace(session, specs=(spec,)), lambda desk: VolumeEditor(desk, int(new)), take
    )


def field(person: Person, key: str) -> Field:
    return next(one for one in person.view.fields if one.key == key)


def keys(person: Person) -> list[str]:
    return [one.key for one in person.view.fields]


def test_unchanged_form_returns_the_same_volume() -> None:
    services = home()
    came: list[VolumeSpec] = []
    person = form(services, came)
    spec = session_for(services).specs[0]
    assert field(person, "writer").value == "anna"
    person.key("enter")
    assert came == [spec] and spec.writer == ANNA
    assert person.view.place == "start"


def test_every_field_is_read() -> None:
    came: list[VolumeSpec] = []
    person = form(home(), came)
    person.turn("filesystem", "btrfs")
    person.act(
        "take",
        size="30%",
        label="films",
        mount="/srv/films",
        writer="everyone",
        encryption="luks2",
        subvolumes="@, @snapshots",
    )
    (spec,) = came
    assert (spec.choice.filesystem, spec.percent, spec.size_bytes) == ("btrfs", 30, None)
    assert (spec.label, spec.mount_point, spec.writer) == ("films", "/srv/films", EVERYONE)
    assert spec.encrypted and spec.subvolumes == (Subvolume("@"), Subvolume("@snapshots"))


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("size", "huge", "is not a size"),
        ("size", "90T", ""),
        ("mount", "srv", "mount point"),
        ("label", "x" * 99, "label"),
    ],
)
def test_invalid_input_is_reported_without_losing_input(key: str, value: str, says: str) -> None:
    came: list[VolumeSpec] = []
    person = form(home(), came)
    person.act("take", **{"label": "films", key: value})
    assert not came and person.view.place == "volume"
    assert person.said and says in person.said
    assert field(person, key).value == value
    assert key == "label" or field(person, "label").value == "films"


def test_another_workload_reranks_and_keeps_the_input() -> None:
    came: list[VolumeSpec] = []
    person = form(home(), came)
    before = field(person, "filesystem").offers
    person.turn("purpose", "portable", label="films", size="10G")
    after = field(person, "filesystem").offers
    assert before != after and field(person, "filesystem").value == after[0].value
    assert "recommended" in str(after[0].text)
    assert (field(person, "label").value, field(person, "size").value) == ("films", "10G")
    person.turn("purpose", MEDIA)
    assert field(person, "filesystem").value == before[0].value
    person.key("enter")
    assert came[0].workload.id == MEDIA and came[0].label == "films"


def test_new_volume_is_mounted_at_the_default_unless_changed() -> None:
    person = form(home(), [], new=True)
    assert field(person, "mount").value == "/srv/media"
    person.turn("purpose", "archive-backup")
    assert field(person, "mount").value not in ("", "/srv/media")
    person.turn("purpose", "vm-images", mount="/data")
    assert field(person, "mount").value == "/data"


def test_role_sets_its_size_without_mount_point_and_restores_both() -> None:
    came: list[VolumeSpec] = []
    person = form(home(), came)
    person.turn("role", "esp", size="70G", mount="/srv/films")
    assert field(person, "filesystem").value == "vfat" and field(person, "size").value == "1GiB"
    assert field(person, "mount").value == "" and "writer" not in keys(person)
    person.turn("role", "")
    assert (field(person, "size").value, field(person, "mount").value) == ("70G", "/srv/films")
    assert field(person, "purpose").value == MEDIA and field(person, "writer").value == "anna"
    person.turn("role", "root")
    person.key("enter")
    (spec,) = came
    assert (spec.role, spec.writer, spec.mount_point) == ("root", ROOT, None)
    person = form(home(), [], change=lambda _: spec)
    person.turn("role", "")
    assert field(person, "role").value == "" and field(person, "mount").value == ""


def test_swap_is_activated_and_mounted_nowhere() -> None:
    came: list[VolumeSpec] = []
    person = form(home(), came)
    person.turn("role", "swap")
    assert "mount" not in keys(person) and "writer" not in keys(person)
    person.act("take", swap="none")
    assert (came[0].choice.filesystem, came[0].mount_point, came[0].writer) == ("swap", NO_PLACE, ROOT)


def test_another_writer_is_entered_by_name() -> None:
    came: list[VolumeSpec] = []
    person = form(home(), came)
    assert [offer.value for offer in field(person, "writer").offers] == ["anna", "everyone", "root", "other:"]
    assert "writer-name" not in keys(person)
    person.turn("writer", "other:", mount="/srv/films")
    person.key("enter")
    assert "Enter who may write" in person.said
    person.act("take", writer_name="bob")
    assert "bob" in person.said and not came
    person.act("take", writer_name="group:family")
    assert came[0].writer == FAMILY and came[0].mount_point == "/srv/films"


def test_unknown_writer_is_preserved() -> None:
    came: list[VolumeSpec] = []
    strange = Writer("group", "strange", 0, 4711)
    person = form(home(), came, change=lambda spec: replace(spec, writer=strange))
    assert (field(person, "writer").value, field(person, "writer-name").value) == ("other:", "group:strange")
    person.key("enter")
    assert came[0].writer == strange


def test_none_means_no_mount_point_and_no_subvolumes() -> None:
    came: list[VolumeSpec] = []
    person = form(home(), came)
    person.turn("filesystem", "btrfs")
    person.act("take", mount="none", subvolumes="none")
    assert came[0].mount_point is None and came[0].subvolumes == ()


def test_options_stay_with_their_filesystem() -> None:
    came: list[VolumeSpec] = []
    doubted = form(home(), came, change=lambda spec: replace(spec, doubts=("It was asked for.",)))
    doubted.act("take", label="films")
    assert came[0].doubts == ("It was asked for.",)
    doubted = form(home(), came, change=lambda spec: replace(spec, doubts=("It was asked for.",)))
    doubted.turn("filesystem", "btrfs")
    doubted.key("enter")
    assert came[1].doubts == ()


def test_impossible_encryption_gives_the_reason() -> None:
    came: list[VolumeSpec] = []
    bare = recorded(tools=tuple(tool for tool in recorded().machine.tools if tool[0] != "cryptsetup"))
    person = form(bare, came)
    luks = field(person, "encryption").offers[1]
    assert "cryptsetup" in str(luks.why_not)
    person.turn("encryption", "luks2")
    assert person.said == str(luks.why_not)
    person.key("enter")
    assert not came and "cryptsetup" in person.said


def test_impossible_role_gives_the_reason() -> None:
    came: list[VolumeSpec] = []
    bare = recorded(tools=tuple(tool for tool in recorded().machine.tools if tool[0] != "mkfs.vfat"))
    person = form(bare, came)
    refused = next(offer for offer in field(person, "role").offers if offer.value == "esp")
    assert "mkfs.vfat" in str(refused.why_not)
    person.turn("role", "esp", label="films")
    assert person.said == str(refused.why_not) and field(person, "label").value == "films"
    person.key("enter")
    assert not came
    person.turn("role", "")
    person.key("enter")
    assert came[0].label == "films" and came[0].role == ""
