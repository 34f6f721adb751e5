"""A drive's description in 80 columns: long names, no important part cut off, and reasons for unknown
facts."""

import pytest

from tests.unit import machines
from tests.unit.pages import page_lines
from wizard.cli.inspect import portrait
from wizard.findings.diagnose import diagnose
from wizard.model.drive_facts import Zones
from wizard.model.machine import Drive, Extent, Layer, Partition, Signature, Table, Use
from wizard.model.said import MIB
from wizard.ui.dialogs.health import NOTES_AT


def words(drive: Drive) -> str:
    lines = page_lines(portrait(drive, diagnose(machines.machine(drive), drive, ())))
    assert max(map(len, lines)) <= 80, [line for line in lines if len(line) > 80]
    return "\n".join(lines)


def crowded() -> Drive:
    part = Partition(
        "/dev/sda1",
        1,
        123456789 * 512,
        10**12,
        type="0fc63daf-8483-4772-8e79-3d69d8477de4",
        name="n" * 36,
        signatures=(Signature("LVM2_member", "raid", "l" * 40), Signature("crypto_LUKS", "crypto")),
        mount_points=("/a very/long place/with blanks", "/" + "x" * 90),
    )
    return machines.drive(
        model="m" * 200,
        serial="s" * 200,
        table=Table("gpt", primary="ok", backup="missing"),
        partitions=(part,),
        free=(Extent(1048576, 3 * 10**9),),
        layers=(Layer("LUKS", "/dev/mapper/" + "y" * 90, "/dev/sda1", ("/" + "z" * 90,)),),
        uses=(Use("holder", "/dev/sda1", "/dev/mapper/secret"), Use("mounted", "/dev/sda1", "/" + "x" * 90)),
    )


def test_long_names_stay_within_the_screen_and_the_holder_is_named() -> None:
    said = words(crowded())
    assert (
        "a GPT with 1 partition" in said and "no backup" in said and "free" in said and "LVM2_member" in said
    )
    below = said.replace("\n" + " " * NOTES_AT, " ")
    assert "holder /dev/mapper/secret" in below and "63209875968 B" in below


@pytest.mark.parametrize(
    ("zones", "said"),
    [
        (
            Zones(256 * MIB, 55880, 524, 256 * MIB, 128, 0),
            "zones of 256 MiB, 524 conventional, at most 128 written at a time",
        ),
        (
            Zones(64 * MIB, 32, 0, 62 * MIB, 16, 14),
            "zones of 64 MiB, smallest capacity 62 MiB, 0 conventional, at most 14 written",
        ),
        (Zones(), "Zones: unknown"),
    ],
)
def test_zones_of_a_drive(zones: Zones, said: str) -> None:
    for kind in ("host-managed", "host-aware"):
        assert said in " ".join(words(machines.drive(zoned=kind, zones=zones)).split())
    assert "written at a time" not in words(machines.drive())


@pytest.mark.parametrize(
    ("drive", "said"),
    [
        (
            machines.drive(table=None, unread=(machines.unread("table", "Needs root."),)),
            "Contents: not read",
        ),
        (
            machines.drive(geometry=None, size_bytes=None, unread=(machines.unread("drive", "Hangs."),)),
            "Blocks: unknown",
        ),
        (machines.drive(serial=None, wwn=None), "Serial: none\n  WWN: none"),
        (machines.drive(), "empty: no table, partition or filesystem"),
        (
            machines.drive(signatures=(Signature("xfs", "filesystem", "a\x1b[2J"),), free=()),
            "on the drive itself: xfs",
        ),
        (machines.drive(model="evil\x1b]0;x\x07"), "evil?]0;x?"),
    ],
)
def test_known_and_unknown_facts(drive: Drive, said: str) -> None:
    assert said in words(drive)
    assert "\x1b" not in words(drive)
