"""Desired state written from a plan: reading the file gives the same plan."""

import pytest
from msgspec.structs import replace

from tests.planned import plan_requested
from tests.unit.machines import drive, machine, partition, partitioned
from tests.unit.plan.layouts import EVERYTHING, plan_for, spec
from wizard.model.errors import BadInput
from wizard.model.layout import NO_PLACE, Stripe
from wizard.model.said import GIB
from wizard.plan.desired_state.document import (
    likely_workload,
    read_wanted,
    stripe_of,
    wanted_lacks,
    wanted_of,
    wanted_task,
    wanted_toml,
)
from wizard.plan.plan import Plan
from wizard.plan.request.plan_request import PLAIN, Arrangement, Mode, NewVolumes
from wizard.plan.request.using import Usual
from wizard.plan.request.volume_request import parse_volume

BLANK = drive(serial="A", size_bytes=500 * GIB)
PAIR = (BLANK, replace(BLANK, path="/dev/sdb", serial="B", wwn=None))
KEY = "encrypt=luks2,key=/etc/keys/m.key"


def planned(*volumes: str, arrangement: Arrangement = PLAIN) -> Plan:
    requests, made = [parse_volume(one) for one in volumes], machine(BLANK, tools=EVERYTHING)
    return plan_requested(
        made, (BLANK,), NewVolumes((), None, arrangement), requests, Usual(), (), lambda: "u" * 36
    )


def striped(kind: str, level: str) -> Plan:
    """Return the plan for one volume on two drives."""
    asked, made = parse_volume("workload=nas,mount=/srv/n"), machine(*PAIR, tools=EVERYTHING)
    stripe = Stripe(kind, level=level)  # type: ignore[arg-type]
    return plan_requested(
        made, PAIR, NewVolumes((), None, Arrangement(stripe=stripe)), (asked,), Usual(), (), lambda: "u" * 36
    )


def again(text: str) -> Plan:
    """Return the plan for blank drives from a document."""
    (wanted,) = read_wanted(text, "wanted.toml").drive
    requests, stripe = wanted.volume, stripe_of(wanted)
    made, arrangement = machine(*PAIR, tools=EVERYTHING), Arrangement(wanted.table, grouped=wanted.lvm)
    if stripe:
        return plan_requested(
            made,
            PAIR,
            NewVolumes((), None, Arrangement(stripe=stripe)),
            (requests[0],),
            Usual(),
            (),
            lambda: "u" * 36,
        )
    return plan_requested(
        made, (BLANK,), NewVolumes((), None, arrangement), requests, Usual(), (), lambda: "u" * 36
    )


@pytest.mark.parametrize(
    "plan",
    [
        planned("workload=large-media,mount=/srv/m"),
        planned(
            "workload=large-media,fs=xfs,size=100G,label=a b,mount=/srv/a b,writable=everyone",
            "workload=nas,fs=ext4,size=9G,option=lazytime,option=ext4-casefold",
            "workload=small-files,fs=btrfs,label=b,subvolume=@home:/srv/h,subvolume=@old,mount=none",
        ),
        planned("role=esp", "role=swap,size=4G,mount=none", "role=root,size=30%"),
        planned("workload=database,role=root,fs=xfs,size=40G"),
        planned(f"workload=large-media,size=30G,label=private,mount=/srv/p,{KEY}", "workload=nas,size=10%"),
        planned("workload=nas", "role=swap,size=2G", arrangement=Arrangement("mbr")),
        planned("workload=nas,size=20G", "workload=small-files", arrangement=Arrangement(grouped=True)),
        striped("btrfs", "raid1"),
        striped("md", "raid1"),
        striped("md", "raid0"),
    ],
)
def test_plan_is_recreated_from_its_document(plan: Plan) -> None:
    text = wanted_toml(wanted_of(plan), ("A note.",))
    assert again(text) == plan, text
    assert "\n# A note.\n[[drive]]\n" in text and not [*wanted_lacks(plan)]


def test_only_the_last_volume_takes_the_rest() -> None:
    sizes = [one.size for one in wanted_of(planned("workload=nas,size=10G", "workload=mail")).volume]
    assert sizes == ["10GiB", "rest"]
    sizes = [one.size for one in wanted_of(planned("workload=nas,size=10G", "workload=mail,size=9G")).volume]
    assert sizes == ["10GiB", "9GiB"]


def test_dangerous_option_is_not_written() -> None:
    options = replace(planned("workload=nas,fs=ext4").volumes[0], mkfs_options=("-O", "^has_journal"))
    plan = replace(planned("workload=nas,fs=ext4"), volumes=(options,))
    assert wanted_of(plan).volume[0].option == ()
    (said,) = wanted_lacks(plan)
    assert "ext4-no-journal" in str(said)
    home = planned("role=home")
    assert home.volumes[0].mkfs_options == ("-m", "0") and wanted_of(home).volume[0].option == ()
    assert [*wanted_lacks(home)] != []


def test_unsupported_plan_is_refused() -> None:
    kept = plan_for(partitioned(partition(1, GIB, GIB)), spec("ext4"), mode=Mode.USE_FREE)
    with pytest.raises(BadInput, match="preserves existing partitions"):
        wanted_of(kept)
    with pytest.raises(BadInput, match="a key file only"):
        wanted_of(planned("workload=nas,encrypt=luks2"))


def test_drive_without_a_serial_number_is_named_by_its_path() -> None:
    plan = planned("workload=nas")
    other = replace(plan, drive=replace(plan.drive, serial=None, by_id=("/dev/disk/by-id/x",)))
    assert wanted_of(plan).match.serial == "A"
    assert wanted_of(other).match.path == "/dev/disk/by-id/x"
    assert wanted_of(replace(other, drive=replace(other.drive, by_id=()))).match.path == "/dev/sda"


def test_task_has_the_same_values() -> None:
    text = wanted_task(
        wanted_of(planned("workload=nas,size=10G,label=ä:#,mount=/srv/a", "role=swap,mount=none"))
    )
    assert text.startswith("- name: Drive ä:#\n") is False
    lines = text.splitlines()
    assert '      - match: { serial: "A" }' in lines
    assert lines[lines.index("        volume:") + 1] == '          - workload: "nas"'
    assert '            label: "ä:#"' in lines and '          - role: "swap"' in lines


def test_workload_is_guessed_by_label_and_filesystem() -> None:
    assert likely_workload("xfs", None) == "large-media"
    assert likely_workload("ext4", "mail") == "mail"
    assert likely_workload("exfat", "STICK") == "portable"
    assert NO_PLACE == "none"
