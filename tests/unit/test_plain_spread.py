"""Several drives in the line-by-line wizard: which, how, what cannot be, and a token for each."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.unit.conversation import Told, converse_with, number_of
from tests.unit.layouts import EVERYTHING, wish
from tests.unit.machines import machine, partition, partitioned
from tests.unit.stripes import numbered
from tests.unit.test_plain_desk import Desk
from wizard.layout.wishes.wish import Arrangement
from wizard.model.errors import BadInput
from wizard.model.machine import Drive, Use
from wizard.services.session import Session
from wizard.services.spread import WAYS, plan_of, spread

SPREAD = "5"
"""The number of the question on drives among those on the list of volumes."""

MIRROR_BTRFS, MIRROR_MD, STRIPE_BTRFS, STRIPE_MD, STRIPE_LVM = "12345"


def used() -> Drive:
    """A drive that cannot be taken."""
    return numbered(3, uses=(Use("swap", "/dev/sdc", "swap"),))[2]


def desk(*more: Drive, tools: Sequence[tuple[str, str]] = EVERYTHING) -> Desk:
    return Desk(machine(*numbered(2), *more, tools=tuple(tools)))


def walked(services: Desk, *answers: str) -> Told:
    """Large media files on the first drive, to the layout, and what is answered then."""
    return converse_with(services, ["1", number_of(services, "large-media"), "", *answers])


def test_two_drives_are_mirrored_and_each_wants_its_token() -> None:
    services = desk()
    told = walked(services, SPREAD, "2", "", MIRROR_BTRFS, "", "", "", "Sb", "Sa", "Sa", "Sb")
    assert "It lies on /dev/sda and /dev/sdb, mirrored by btrfs." in told.flat
    assert "A mirror survives the loss of one drive, and is no backup" in told.after("Step 4 of 9")
    preview = told.flat.partition("Step 5 of 9")[2].partition("Step 6 of 9")[0]
    assert "After on /dev/sda: a GPT table." in preview and "After on /dev/sdb: a GPT table." in preview
    assert "-d raid1 -m raid1" in preview.replace("\\ ", "")
    assert "aligned access is faster on /dev/sda, the first of the drives?" in told.flat
    assert "for drive 1 of 2. To apply all this now, type the token of /dev/sda, which is Sa" in told.flat
    assert "for drive 2 of 2. To apply all this now, type the token of /dev/sdb, which is Sb" in told.flat
    # The other drive's token is not this one's.
    assert told.flat.count("That is not this drive's token") == 2
    assert services.seen.started == ["Sa", "Sb"]


@pytest.mark.parametrize("tokens", [("Sa", ""), ("", "Sb"), ("Sa", "Sa")])
def test_nothing_begins_without_every_token(tokens: tuple[str, str]) -> None:
    services = desk()
    walked(services, SPREAD, "2", "", STRIPE_MD, "", "", "", *tokens)
    assert services.seen.started == []


@pytest.mark.parametrize(
    ("way", "says"),
    [
        (MIRROR_MD, "/dev/sda and /dev/sdb, mirrored by md."),
        (STRIPE_BTRFS, "/dev/sda and /dev/sdb, striped by btrfs."),
        (STRIPE_MD, "/dev/sda and /dev/sdb, striped by md."),
        (STRIPE_LVM, "/dev/sda and /dev/sdb, striped by lvm."),
    ],
)
def test_every_way_leads_to_a_preview_of_both_drives(way: str, says: str) -> None:
    told = walked(desk(), SPREAD, "2", "", way, "")
    assert f"It lies on {says}" in told.flat
    assert "Before on /dev/sdb" in told.after("Step 5 of 9")
    danger = "when any one of them fails, everything on all of them is lost"
    assert (danger in told.flat) is ("striped" in says)


def test_what_cannot_be_taken_says_why() -> None:
    told = walked(
        desk(used(), tools=[tool for tool in EVERYTHING if tool[0] != "mdadm"]),
        SPREAD,
        "3",
        "2",
        "",
        MIRROR_MD,
        "b",
    )
    assert "Number 3 cannot be chosen: /dev/sdc is in use" in told.flat
    ways = told.flat.partition("How is the volume to lie on them?")[2].partition(
        "Which drive is to be taken as well?"
    )[0]
    assert "2. Mirrored by md (RAID1): a copy on each, survives all but one. Cannot be chosen:" in ways
    assert "the package mdadm" in ways
    assert ways.count("Cannot be chosen:") == 2
    # Nothing was taken.
    assert "It lies on" not in told.flat


def test_one_volume_takes_all_of_the_drives() -> None:
    told = walked(desk(), SPREAD, "2", "", STRIPE_MD, "2", "")
    assert "Number 2 cannot be chosen: One volume takes all of the drives." in told.flat


def test_a_single_drive_has_nothing_to_be_mirrored_with() -> None:
    alone = Desk(machine(*numbered(1), tools=EVERYTHING))
    told = walked(alone, SPREAD)
    assert f"Number {SPREAD} cannot be chosen: There is no other drive." in told.flat


def test_the_drives_stay_taken_on_the_way_back_and_forth_and_can_be_left() -> None:
    told = walked(desk(), SPREAD, "2", "", MIRROR_MD, "", "b", "")
    assert told.flat.count("After on /dev/sdb") == 2
    told = walked(desk(), SPREAD, "2", "", MIRROR_MD, SPREAD, "1", "")
    assert "After on /dev/sdb" not in told.flat and "Step 5 of 9" in told.flat


def test_what_every_drive_loses_is_said_before_the_tokens() -> None:
    old = partitioned(
        partition(1, of="/dev/sdc", filesystem="ext3"), path="/dev/sdc", serial="Sc", wwn="naa.c", by_id=()
    )
    told = walked(desk(old), SPREAD, "3", "", "", "3", "", "2", MIRROR_MD, "", "", "")
    # No is what an empty line means.
    assert (
        told.flat.count(
            "Take these drives whole? All that /dev/sdc holds will be lost when you keep what the plan "
            "makes, or with LVM when it is applied; not before."
        )
        == 2
    )
    assert (
        "Danger: 1 partition that is there now will be lost when you keep what the plan makes." in told.flat
    )
    confirm = told.after("Step 7 of 9")
    assert "Drive: /dev/sda," in confirm and "Drive: /dev/sdc," in confirm
    assert "Will be destroyed, once you keep it: /dev/sdc: all of partition 1, ext3, 1.1 GB." in confirm
    assert (
        "Will be destroyed, once you keep it: What is on /dev/sdc1, which is written over from its first "
        "byte to its last." in confirm
    )


def test_another_of_the_drives_that_is_pulled_out_leads_back_to_the_list() -> None:
    services = desk()
    services.attached = lambda drive: drive.path != "/dev/sdb"
    told = walked(services, SPREAD, "2", "", MIRROR_MD, "")
    assert "/dev/sdb (Example HDD 500) is not attached any more" in told.flat
    assert told.flat.rindex("Step 1 of 9") > told.flat.rindex("is not attached any more")


def test_a_drives_own_arrangement_does_not_go_with_several() -> None:
    services = desk()
    known = services.machine
    one, two = known.drives
    volume = wish("ext4", label="films", mount_point=None)
    session = Session(machine=known, drive=one, diagnosis=services.diagnose(known, one), wishes=(volume,))
    laid = spread(services, session, WAYS[2], (two,))
    assert laid.plan is not None and laid.plan.paths == ("/dev/sda", "/dev/sdb")
    for arrangement in (Arrangement("mbr"), Arrangement(grouped=True)):
        with pytest.raises(BadInput, match="Every one of several drives gets a GPT"):
            plan_of(services, replace(laid, arrangement=arrangement))


def test_encryption_over_several_drives_is_refused_and_never_left_out() -> None:
    services = desk()
    known = services.machine
    one, two = known.drives
    session = Session(
        machine=known,
        drive=one,
        diagnosis=services.diagnose(known, one),
        wishes=(replace(wish("btrfs"), encrypted=True),),
    )
    with pytest.raises(BadInput, match="cannot be planned over several drives"):
        spread(services, session, WAYS[1], (two,))
