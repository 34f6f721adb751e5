"""A drive's description in 80 columns: long names, no important part cut off, and reasons for unknown
facts."""

import pytest

from tests.unit import machines
from wizard.cli.portrait import NOTES_AT, portrait
from wizard.findings.diagnose import diagnose
from wizard.model.drive_facts import Zones
from wizard.model.machine import Drive, Extent, Layer, Partition, Signature, Table, Use
from wizard.model.said import MIB


def words(drive: Drive) -> str:
    lines = portrait(drive, diagnose(machines.machine(drive), drive, ()))
    assert max(len(text) for text, _ in lines) <= 80, [text for text, _ in lines if len(text) > 80]
    return "\n".join(text for text, _ in lines)


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
    assert "GPT (backup missing)" in said and "free" in said and "LVM2_member" in said
    below = said.replace("\n" + " " * NOTES_AT, " ")
    assert "holder /dev/mapper/secret" in below and "63209875968 B" in below


@pytest.mark.parametrize(
    ("zones", "said"),
    [
        (
            Zones(256 * MIB, 55880, 524, 256 * MIB, 128, 0),
            "55880 zones of 256 MiB; 524 conventional; at most 128 written to",
        ),
        (
            Zones(64 * MIB, 32, 0, 62 * MIB, 16, 14),
            "32 zones of 64 MiB; smallest capacity 62 MiB; no conventional zones; at most 14",
        ),
        (Zones(), "? zones of unknown size; conventional zones: unknown"),
    ],
)
def test_zones_of_a_drive(zones: Zones, said: str) -> None:
    for kind in ("host-managed", "host-aware"):
        assert said in " ".join(words(machines.drive(zoned=kind, zones=zones)).split())
    assert "written to" not in words(machines.drive())


@pytest.mark.parametrize(
    ("drive", "said"),
    [
        (
            machines.drive(table=None, unread=(machines.unread("table", "Needs root."),)),
            "table: not read. Needs root.",
        ),
        (
            machines.drive(geometry=None, size_bytes=None, unread=(machines.unread("drive", "Hangs."),)),
            "blocks: not read. Hangs.",
        ),
        (machines.drive(serial=None, wwn=None), "serial -; WWN -"),
        (machines.drive(), "no table, no filesystem"),
        (
            machines.drive(signatures=(Signature("xfs", "filesystem", "a\x1b[2J"),), free=()),
            "whole drive: xfs",
        ),
        (machines.drive(model="evil\x1b]0;x\x07"), "evil?]0;x?"),
    ],
)
def test_known_and_unknown_facts(drive: Drive, said: str) -> None:
    assert said in words(drive)
    assert "\x1b" not in words(drive)
