"""Several drives combined to one volume in the desired state: the file, lost data, and the differences."""

# ruff: noqa: ANN401 - a helper hands keywords of every type on to dataclasses.replace

from typing import Any

import pytest
from msgspec.structs import replace

from tests.planned import plan_requested
from tests.unit.machines import drive, machine
from tests.unit.plan.desired_state.test_ensured import VOLUME, holding
from tests.unit.plan.layouts import EVERYTHING
from wizard.model.errors import BadInput
from wizard.model.layout import Stripe
from wizard.model.machine import Drive, Layer, Signature, Table
from wizard.plan.desired_state.differences import (
    array_on,
    as_it_is,
    layout_differences,
    may_replace,
    replace_value,
    shape_of,
    shapes_wanted,
)
from wizard.plan.desired_state.document import read_wanted, stripe_of
from wizard.plan.plan import Plan
from wizard.plan.request.plan_request import Arrangement, NewVolumes
from wizard.plan.request.using import Usual

TWO = 'schema = "diskwright.wanted/1"\n[[drive]]\nmatch = { serial = "A" }\nalso = [{ serial = "B" }]\n'
MIRROR = TWO + 'mirror = "btrfs"\n'
ONE = drive(serial="A", wwn="wwn-a", path="/dev/sda")
OTHER = drive(serial="B", wwn="wwn-b", path="/dev/sdb")


def test_file_states_how_its_drives_are_combined() -> None:
    for line, spec in (
        ('mirror = "btrfs"', Stripe("btrfs", level="raid1")),
        ('mirror = "md"', Stripe("md", level="raid1")),
        ('stripe = "btrfs"', Stripe("btrfs", level="raid0")),
    ):
        (wanted,) = read_wanted(f"{TWO}{line}\n{VOLUME}", "w.toml").drive
        assert stripe_of(wanted) == spec and len(wanted.matches) == 2
    (alone,) = read_wanted(TWO.replace('also = [{ serial = "B" }]\n', "") + VOLUME, "w.toml").drive
    assert stripe_of(alone) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TWO + VOLUME, "set mirror or stripe"),
        (MIRROR + 'stripe = "md"\n' + VOLUME, "mirror and stripe cannot be combined"),
        (MIRROR.replace('also = [{ serial = "B" }]\n', "") + VOLUME, "list more drives"),
        (MIRROR.replace('{ serial = "B" }', "") + VOLUME, "list more drives"),
        (MIRROR.replace('{ serial = "B" }', "{}") + VOLUME, "match is empty"),
        (MIRROR.replace('serial = "B"', 'size = "big"') + VOLUME, "big"),
        (
            MIRROR.replace('serial = "B"', 'seriel = "B"') + VOLUME,
            "drive 1, also 1: `seriel` is not a known key",
        ),
        (MIRROR + "lvm = true\n" + VOLUME, "mirror and lvm cannot be combined"),
        (MIRROR + 'table = "mbr"\n' + VOLUME, "mirror and table cannot be combined"),
        (MIRROR + VOLUME + VOLUME.replace("large", "x"), ""),
        (MIRROR + VOLUME + VOLUME, "list only one"),
        (TWO + 'mirror = "lvm"\n' + VOLUME, "`mirror` must be one of md, btrfs"),
        (TWO + 'stripe = "lvm"\n' + VOLUME, "`stripe` must be one of md, btrfs"),
        (TWO + 'mirror = ""\n' + VOLUME, "mirror"),
        (TWO + 'lvm = "yes"\nmirror = "md"\n' + VOLUME, "lvm"),
    ],
)
def test_impossible_combination_is_named(text: str, why: str) -> None:
    with pytest.raises(BadInput) as error:
        read_wanted(text, "w.toml")
    assert str(error.value).startswith("w.toml") and why in str(error.value)


def made(how: str = "btrfs", level: Any = "raid1") -> tuple[Plan, tuple[Drive, Drive]]:
    """Return the plan for two blank drives, and the drives after that plan."""
    both = (ONE, OTHER)
    (asked,) = read_wanted(MIRROR + VOLUME, "w.toml").drive[0].volume
    spec = Stripe(how, level=level)  # type: ignore[arg-type]
    plan = plan_requested(
        machine(*both, tools=EVERYTHING),
        both,
        NewVolumes((), None, Arrangement(stripe=spec)),
        (asked,),
        Usual(),
        (),
        lambda: "0" * 8 + "u" * 28,
    )
    first, second = plan.members
    there = holding(plan, ONE), holding(replace(plan, drive=second.drive, after=second.after), OTHER)
    assert first.after.partitions and second.after.partitions
    return plan, there


@pytest.mark.parametrize("level", ["raid0", "raid1"])
def test_drives_made_from_the_request_have_no_differences(level: str) -> None:
    plan, there = made(level=level)
    assert layout_differences(plan, *there) == ()
    shapes = shapes_wanted(plan)
    assert [shape_of(one, {f"{one.path}1": ("/srv/media",)}) for one in there] == [*shapes]


def test_mirror_member_that_may_hold_all_data_is_reported() -> None:
    plan, (one, other) = made()
    blank = replace(other, table=Table("none"), partitions=())
    said = " ".join(map(str, layout_differences(plan, one, blank)))
    assert "/dev/sdb: partition table is none" in said and "/dev/sda matches" in said
    both = layout_differences(plan, replace(one, table=Table("mbr")), blank)
    assert "matches" not in " ".join(map(str, both))
    striped, there = made(level="raid0")
    half = layout_differences(striped, there[0], blank)
    assert half and "matches" not in " ".join(map(str, half))


def held(serial: str, digest: str) -> Drive:
    return drive(serial=serial, content_digest=digest * 64)


def test_replace_names_exactly_the_drives_with_content() -> None:
    a, b, blank = held("A", "1"), held("B", "2"), held("C", "3")
    value = replace_value(b, a)
    assert value == replace_value(a, b) == "A:111111111111 + B:222222222222"
    assert may_replace(value, (b, a)) and may_replace(value, (a, b), (blank,))
    # Of what only looks blank, the loss may be said, too.
    assert may_replace(replace_value(a, blank), (a,), (blank,))
    for wrong in ("A:111111111111", "B:222222222222", replace_value(a, blank), value.replace("2", "4")):
        assert not may_replace(wrong, (a, b)), wrong
    assert not may_replace(value, (a,)) and not may_replace(value, (a,), (blank,))
    assert not may_replace("", (), (blank,))
    assert not may_replace(value, (a, replace(b, content_digest=None)))
    assert not may_replace(replace_value(a), (a,), (replace(blank, content_digest=None),))


def test_unnamed_filesystem_is_the_one_on_the_array() -> None:
    (asked,) = read_wanted(MIRROR + VOLUME, "w.toml").drive[0].volume
    _, (one, _) = made()
    assert as_it_is((asked,), one)[0].fs == "btrfs"
    assert as_it_is((asked,), one, (None,))[0].fs is None
    array = Layer("md raid1", "/dev/md5", "/dev/sda1", signatures=(Signature("xfs", "filesystem"),))
    assert array_on(replace(one, layers=(array,))) == array
    assert array_on(replace(one, layers=(replace(array, below="/dev/sda"),))) is None
    assert array_on(replace(one, layers=(array, replace(array, path="/dev/md6")))) is None
    assert as_it_is((asked,), one, (array,))[0].fs == "xfs"
