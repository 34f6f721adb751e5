"""Synthetic assessments for tests of conversions, with real superblocks."""

from typing import Any

from msgspec.structs import replace

from tests.unit.machines import drive, machine
from wizard.ext4.assessment import BootLine, Situation
from wizard.model.ext import ExtFacts
from wizard.model.geometry import Identity
from wizard.model.machine import Drive
from wizard.plan.dangers import known_identity

UUID = "0d2c3b7a-1111-4000-8000-000000000001"
FSTAB = f"# mine\nUUID={UUID}\t/srv\text3  defaults,noatime 0 2 # films\n"

EXT3 = ExtFacts(
    uuid=UUID,
    label="films",
    block_bytes=4096,
    blocks=24_000_000,
    free_blocks=9_000_000,
    reserved_blocks=1_200_000,
    inodes=6_004_736,
    free_inodes=5_900_000,
    inode_bytes=128,
    blocks_per_group=32768,
    inodes_per_group=8192,
    desc_bytes=32,
    features=frozenset(
        {"has_journal", "ext_attr", "resize_inode", "dir_index", "filetype", "sparse_super", "large_file"}
    ),
    clean=True,
    has_errors=False,
    recorded_errors=0,
    needs_recovery=False,
    journal_device=False,
    half_done="",
    last_mounted_at="/srv",
    mounts=12,
    made=1_200_000_000,
    mounted=1_700_000_000,
    written=1_700_000_100,
    checked=1_600_000_000,
    reserved_gdt_blocks=1018,
)
"""Of 98 GB, as made in 2008."""


def identity_of(held: Drive) -> Identity:
    """Return a drive's identity."""
    assert held.size_bytes is not None and held.geometry is not None
    return known_identity(machine(held), held)


def situation(ext: ExtFacts = EXT3, **changes: Any) -> Situation:  # noqa: ANN401
    """Return an assessment without blockers, with `changes`."""
    found = Situation(
        drive=identity_of(drive()),
        device="/dev/sda1",
        ext=ext,
        fstab="/etc/fstab",
        fstab_text=FSTAB,
        lines=(BootLine(2, "ext3", "/srv"),),
    )
    return replace(found, **changes)
