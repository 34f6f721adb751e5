"""Desired state of drives: the file, the matching drive, and the differences."""

# ruff: noqa: ANN401 - a helper hands keywords of every type on to dataclasses.replace

import tomllib
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from tests.planned import plan_requested
from tests.schemas.valid import validator_of
from tests.unit.machines import drive, machine
from tests.unit.plan.layouts import EVERYTHING
from wizard.cli.ensure import EXAMPLE
from wizard.model.ensure import Match, WantedDrive, WantedVolume
from wizard.model.errors import BadInput, Refused, partition_path
from wizard.model.machine import Drive, Layer, Partition, Signature, Table
from wizard.model.said import MIB
from wizard.plan.desired_state.differences import (
    as_it_is,
    emptied,
    layout_differences,
    may_replace,
    replace_value,
    shape_of,
    shapes_wanted,
)
from wizard.plan.desired_state.document import matches, matching_drive, read_wanted
from wizard.plan.plan import Plan
from wizard.plan.request.plan_request import NewVolumes
from wizard.plan.request.using import Usual

HEAD = 'schema = "diskwright.wanted/1"\n[[drive]]\nmatch = { serial = "A" }\n'
VOLUME = '[[drive.volume]]\nworkload = "large-media"\n'
MEDIA = VOLUME + 'mount = "/srv/m"\n'


def test_example_has_every_key() -> None:
    text = EXAMPLE.read_text()
    wanted = read_wanted(text, EXAMPLE.name).drive
    assert [len(one.volume) for one in wanted] == [2]
    keys = {name for kind in (WantedDrive, WantedVolume, Match) for name in kind.__struct_fields__}
    assert not {key for key in keys - {"volume"} if f"{key} = " not in text}


def test_volume_is_read_like_on_the_command_line() -> None:
    text = HEAD + VOLUME + 'size = "30%"\nlabel = "films"\noption = ["noatime"]\nfs = "xfs"\n'
    (asked,) = read_wanted(text, "w.toml").drive[0].volume
    assert (asked.size, asked.label, asked.option, asked.fs) == ("30%", "films", ("noatime",), "xfs")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (HEAD + VOLUME + 'sise = "1G"\n', "line 6, drive 1, volume 1: `sise` is not a known key."),
        (HEAD + VOLUME + "size = 5\n", "line 6, drive 1, volume 1: `size` must be text, not a number."),
        (HEAD + VOLUME + "size = 5.5\n", "`size` must be text, not a number."),
        (HEAD + VOLUME + "size = 1979-05-27\n", "`size` must be text, not a date or a time."),
        (HEAD + VOLUME + "option = [1]\n", "line 6, drive 1, volume 1: option 1 must be text, not a number."),
        (HEAD + VOLUME + "option = 'a'\n", "`option` must be a list, not text."),
        (HEAD + "lvm = 'yes'\n" + VOLUME, "drive 1: `lvm` must be a boolean (true or false), not text."),
        (HEAD + "mirror = 'raid'\n" + VOLUME, "drive 1: `mirror` must be one of md, btrfs, not 'raid'."),
        (HEAD + "table = 4\n" + VOLUME, "`table` must be one of gpt, mbr, not a number."),
        (HEAD + "also = ['a']\n" + VOLUME, "drive 1: also 1 must be a table, not text."),
        (HEAD.replace('serial = "A"', "serial = true") + VOLUME, "drive 1, match: `serial` must be text"),
        ('schema = "diskwright.wanted/1"\n[drive]\n', "line 2: `drive` must be a list, not a table."),
        (HEAD + 'force = "yes"\n' + VOLUME, "line 4, drive 1: `force` is not a known key"),
        (HEAD + VOLUME + 'size = "lots"\n', "drive 1"),
        (HEAD + VOLUME + 'role = "king"\n', "king"),
        (HEAD + VOLUME + f'size = "{"1" * 5000}"\n', "is not a size"),
        (HEAD.replace('serial = "A"', f'size = "{"1" * 5000}"') + VOLUME, "is not a size"),
        (HEAD + VOLUME + 'encrypt = "luks2"\n', "a key file only"),
        (HEAD + VOLUME + 'encrypt = "rot13"\nkey = "/etc/keys/k"\n', "rot13"),
        (HEAD + VOLUME + 'key = "/etc/keys/k"\n', "add encrypt"),
        (HEAD + VOLUME + 'encrypt = "luks2"\nkey = "/etc/my keys/k"\n', "is not a plain path"),
        (HEAD + VOLUME + 'encrypt = "luks2"\nkey = "/etc/keys/../k"\n', "is not a plain path"),
        (HEAD + VOLUME + 'encrypt = "luks2"\nkey = "k"\n', "is not a plain path"),
        (HEAD + VOLUME + 'encrypt = "luks2"\nkey = "/dev/urandom"\n', "cleared at boot"),
        (
            HEAD + 'name = "media"\n[[drive.volume]]\nlabel = "films"\nworkload = "large-medai"\n',
            "line 7, drive 1 (media), volume 1 (films): Unknown workload 'large-medai'. Try large-media.",
        ),
        (HEAD + VOLUME + 'fs = "zfs"\n', "line 6, drive 1, volume 1: diskwright does not make"),
        (HEAD + VOLUME + 'option = ["nowhere"]\n', "line 6, drive 1, volume 1: Unknown option 'nowhere'."),
        (HEAD, "drive 1: `volume` is missing."),
        (HEAD + "volume = []\n", "no [[drive.volume]] is listed"),
        ('schema = "diskwright.wanted/2"\ndrive = []\n', "diskwright.wanted/1"),
        ('schema = "diskwright.wanted/1"\ndrive = []\n', "no [[drive]] is listed"),
        (HEAD.replace('serial = "A"', "") + VOLUME, "match is empty"),
        (HEAD.replace('serial = "A"', 'serial = ""') + VOLUME, "match is empty"),
        (HEAD.replace('serial = "A"', 'size = "big"') + VOLUME, "big"),
        ("schema = \n", "line 1"),
        (f"x = {'[' * 5000}{']' * 5000}\n", "too deep"),
        (f"x = {'1' * 5000}\n", "limit"),
        (HEAD + MEDIA + HEAD[HEAD.index("[") :] + MEDIA, "Two volumes have the mount point /srv/m"),
    ],
)
def test_invalid_value_is_named_with_its_place(text: str, why: str) -> None:
    with pytest.raises(BadInput) as error:
        read_wanted(text, "w.toml")
    assert str(error.value).startswith("w.toml") and why in str(error.value)


JSON = """{
  "schema": "diskwright.wanted/1",
  "drive": [
    {"match": {"serial": "A"}, "volume": [{"workload": "nas"}]},
    {
      "name": "media",
      "match": {"serial": "B"},
      "volume": [
        {"workload": "nas"},
        {
          "workload": "large-media",
          "label": "films",
          "option": ["noatime", "lazytime"],
          "size": "1G"
        }
      ]
    }
  ]
}
"""
FILMS = "drive 2 (media), volume 2 (films): "


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"1G"', "10", f"line 14, {FILMS}`size` must be text, not a number."),
        ('"size"', '"sise"', f"line 14, {FILMS}`sise` is not a known key."),
        ('"lazytime"', "7", f"line 13, {FILMS}option 2 must be text, not a number."),
        ('"large-media"', '"large-medai"', f"line 11, {FILMS}Unknown workload 'large-medai'."),
        ('"1G"', '"lots"', f"line 10, {FILMS}"),
        ('"B"', "true", "line 7, drive 2 (media), match: `serial` must be text"),
        ('{"serial": "B"}', "{}", "line 5, drive 2 (media): match is empty"),
        ('"label"', '"size"', "Duplicate key 'size'"),
        ("[\n", "\n", "line 5 column"),
        ('"drive": [', '"drive": 1, "x": [', "line 3: `x` is not a known key."),
    ],
)
def test_json_is_read_as_strictly_as_toml(old: str, new: str, why: str) -> None:
    assert read_wanted(JSON, "w.json").drive[1].volume[1].option == ("noatime", "lazytime")
    with pytest.raises(BadInput) as error:
        read_wanted(JSON.replace(old, new, 1), "w.json")
    assert str(error.value).startswith("w.json") and why in str(error.value), str(error.value)


def test_match_must_select_exactly_one_drive() -> None:
    one = drive(path="/dev/sda", serial="A", model="WDC WD40", size_bytes=4_000_787_030_016, bus="sata")
    two = replace(one, path="/dev/sdb", serial="B", by_id=("/dev/disk/by-id/ata-B",))
    assert matching_drive(Match(serial="B"), (one, two)) is two
    assert matching_drive(Match(path="/dev/disk/by-id/ata-B"), (one, two)) is two
    with pytest.raises(
        Refused, match=r"2 drives match model WDC\*.*/dev/sda .*serial A.*/dev/sdb .*serial B"
    ):
        matching_drive(Match(model="WDC*", size="4TB", bus="sata"), (one, two))
    with pytest.raises(Refused, match=r"No drives match serial C.*/dev/sda"):
        matching_drive(Match(serial="C"), (one, two))
    with pytest.raises(Refused, match="none"):
        matching_drive(Match(serial="C"), ())


@pytest.mark.parametrize("size", ["4TB", "3.64TiB", "4000GB"])
def test_size_matches_the_size_on_the_box(size: str) -> None:
    assert matches(Match(size=size), drive(size_bytes=4_000_787_030_016))
    assert not matches(Match(size=size), drive(size_bytes=4_100_000_000_000))
    assert not matches(Match(size=size), replace(drive(), size_bytes=None))


def test_unknown_value_does_not_match() -> None:
    nameless = drive(serial=None, model=None, bus=None)
    for match in (Match(serial=""), Match(model="*"), Match(bus="usb")):
        assert not matches(match, nameless)


def made(text: str = VOLUME + 'fs = "ext4"\n') -> tuple[Plan, Drive]:
    """Return the plan for an empty drive, and the drive after that plan."""
    blank = drive(serial="A")
    requests = read_wanted(HEAD + text, "w.toml").drive[0].volume
    plan = plan_requested(
        machine(blank, tools=EVERYTHING), (blank,), NewVolumes(()), requests, Usual(), (), lambda: "u" * 36
    )
    return plan, holding(plan, blank)


def holding(plan: Plan, blank: Drive) -> Drive:
    parts = [
        Partition(
            partition_path(blank.path, slot.number),
            slot.number,
            slot.start_bytes,
            slot.size_bytes,
            type=slot.type,
            signatures=(Signature(slot.filesystem or "", "filesystem", label=slot.label, uuid=slot.uuid),),
        )
        for slot in plan.after.partitions
    ]
    return replace(blank, table=Table(plan.after.table), partitions=tuple(parts))


ENCRYPTED = VOLUME + 'fs = "ext4"\nmount = "/srv/m"\nencrypt = "luks2"\nkey = "/etc/keys/m.key"\n'


def in_container(plan: Plan, blank: Drive, *inside: Signature, of: str = "crypto_LUKS") -> Drive:
    """Return the drive with a container in its partition. The container is open if anything is `inside`."""
    there = changed(holding(plan, blank), signatures=(Signature(of, "crypto", uuid="c" * 36),))
    device = there.partitions[0].path
    layer = Layer("LUKS", "/dev/mapper/luks-x", device, signatures=inside)
    return replace(there, layers=(layer,) if inside else ())


def test_encrypted_volume_is_compared_through_its_open_container() -> None:
    plan, _ = made(ENCRYPTED)
    blank = drive(serial="A")
    right = Signature("ext4", "filesystem", label="media")
    assert layout_differences(plan, in_container(plan, blank, right)) == ()
    # What is closed cannot be told from this.
    assert layout_differences(plan, in_container(plan, blank)) == ()
    for there, why in (
        (in_container(plan, blank, replace(right, label="films")), "films instead of media"),
        (in_container(plan, blank, replace(right, kind="xfs")), "xfs instead of ext4"),
        (in_container(plan, blank, replace(right, ambivalent=True)), "ext4"),
        (in_container(plan, blank, of="ext4"), "the content is ext4 instead of crypto_LUKS"),
        (holding(plan, blank), "instead of crypto_LUKS"),
    ):
        assert why in " ".join(map(str, layout_differences(plan, there)))
    # A plain one is no encrypted one either.
    assert layout_differences(made()[0], in_container(plan, blank, right))


def test_encrypted_volume_is_shown_alike_before_and_after() -> None:
    plan, blank = made(ENCRYPTED)[0], drive(serial="A")
    there = in_container(plan, blank, Signature("ext4", "filesystem", label="media"))
    assert shapes_wanted(plan) == (shape_of(there, {"/dev/sda1": ("/srv/m",)}),)


def test_unnamed_filesystem_in_a_container_is_the_present_one() -> None:
    plan, _ = made(ENCRYPTED)
    (asked,) = read_wanted(HEAD + ENCRYPTED.replace('fs = "ext4"\n', ""), "w.toml").drive[0].volume
    there = in_container(plan, drive(serial="A"), Signature("xfs", "filesystem"))
    assert as_it_is((asked,), there)[0].fs == "xfs"


def changed(of: Drive, **changes: Any) -> Drive:
    return replace(of, partitions=(replace(of.partitions[0], **changes), *of.partitions[1:]))


def test_drive_made_from_the_request_has_no_differences() -> None:
    two = '[[drive.volume]]\nworkload = "small-files"\nsize = "30%"\nfs = "xfs"\nlabel = "mail"\n'
    for text in (VOLUME + 'fs = "ext4"\n', two + VOLUME + 'fs = "btrfs"\n'):
        plan, there = made(text)
        assert layout_differences(plan, there) == ()
        # What is wanted does not hang on what is there.
        asked = read_wanted(HEAD + text, "w.toml").drive[0].volume
        again = plan_requested(
            machine(there), (emptied(there),), NewVolumes(()), asked, Usual(), (), lambda: "v" * 36
        )
        assert layout_differences(again, there) == ()


@pytest.mark.parametrize(
    ("otherwise", "why"),
    [
        (lambda of: changed(of, size_bytes=of.partitions[0].size_bytes - 8 * MIB), "instead of"),
        (lambda of: changed(of, signatures=(Signature("xfs", "filesystem", label="media"),)), "ext4"),
        (lambda of: changed(of, signatures=()), "the content is nothing instead of ext4"),
        (
            lambda of: changed(of, signatures=(Signature("ext4", "filesystem", label="mine"),)),
            "mine instead of media",
        ),
        (lambda of: changed(of, signatures=(Signature("ext4", "filesystem"),)), "nothing instead of media"),
        (
            lambda of: changed(of, signatures=(*of.partitions[0].signatures, Signature("swap", "other"))),
            "ext4+swap instead of ext4",
        ),
        (lambda of: changed(of, type="0" * 36), "the partition type"),
        (lambda of: replace(of, partitions=()), "partitions is 0"),
        (
            lambda of: replace(of, partitions=(*of.partitions, replace(of.partitions[0], number=2))),
            "partitions is 2",
        ),
        (lambda of: replace(of, table=Table("mbr")), "table is mbr instead of gpt"),
        (lambda of: replace(of, signatures=(Signature("LVM2_member", "raid"),)), "is LVM2_member instead of"),
    ],
)
def test_deviation_is_a_difference(otherwise: Callable[[Drive], Drive], why: str) -> None:
    plan, there = made()
    differences = layout_differences(plan, otherwise(there))
    assert differences and why in " ".join(map(str, differences))


def test_partition_one_step_smaller_is_no_difference() -> None:
    plan, there = made()
    assert not layout_differences(plan, changed(there, size_bytes=there.partitions[0].size_bytes - MIB))


def test_unnamed_filesystem_is_the_present_one() -> None:
    _, there = made()
    (asked,) = read_wanted(HEAD + VOLUME, "w.toml").drive[0].volume
    assert as_it_is((asked,), there)[0].fs == "ext4"
    assert as_it_is((replace(asked, fs="xfs"),), there)[0].fs == "xfs"
    strange = changed(there, signatures=(Signature("crypto_LUKS", "crypto"),))
    assert as_it_is((asked,), strange)[0].fs is None


def test_replace_names_a_drive_and_its_contents() -> None:
    one = drive(serial="A", content_digest="1" * 64)
    assert replace_value(one) == "A:111111111111" and may_replace("A:111111111111", (one,))
    for other in ("", "A", "A:", "A:111111111112", "B:111111111111"):
        assert not may_replace(other, (one,))
    assert not may_replace("A:111111111111", (replace(one, content_digest="2" * 64),))
    assert not may_replace("A:", (replace(one, content_digest=None),))


def test_schema_accepts_the_same_as_the_reader() -> None:
    validator = validator_of("diskwright.wanted/1")
    text = HEAD + 'name = "m"\nreplace = "A:1"\n' + VOLUME + 'option = ["x"]\nsize = "rest"\n'
    assert validator.is_valid(tomllib.loads(text))
    for other in (text + "sise = 1\n", text.replace('"rest"', "5"), text.replace('["x"]', '"x"')):
        assert not validator.is_valid(tomllib.loads(other))
        with pytest.raises(BadInput):
            read_wanted(other, "w.toml")
